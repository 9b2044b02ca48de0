"""The settings: what they are, and how they are read from what the client and files say.

A setting that is unknown or of the wrong type becomes a complaint and the value it had before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, field, fields, frozen, has

from cite_lsp.lazy_re import lazy_re

SECTION = "citeLsp"

_NAME = lazy_re(r"\w[\w.-]*")
SECRET = lazy_re(r"(?<=//)[^\s\"]*@")
"""Who asks, with the password, in an address."""
# What search/remote/address.py reads; importing that costs numpy, which the server starts without.
_ADDRESS = lazy_re(r"milvus\+(?:https?|file)://[^\s?@]+/[A-Za-z_]\w*(?:\?\S*)?", re.ASCII)
EVERY = "*"
"""Stands for all corpora of this machine among the names of corpora."""
ACCESS = ("remote.token", "remote.certificate")
"""The settings that open remote corpora."""
_MAY_BE_PATHS = ("addEntriesTo", "bibliography", "encoder", "hover.style", "translator")
"""The settings that are paths, or may be."""
_CONTROL = lazy_re("[\x00-\x1f\x7f]")
_COMMAND = lazy_re(r"\\?[A-Za-z@]+\*?")


METHODS = ("default", "two-phase", "mp-bert4cr", "blsrec-1", "blsrec-2", "blsrec-3")
"""The names of recommend/published/methods.py, which costs numpy to import."""

Shape = Mapping[str, object]
"""What a value may be, as a JSON schema says it."""


@frozen
class ValueKind:
    """A kind of value: what it must be, in words and as a JSON schema has it; how it is read."""

    expected: str
    shape: Shape
    accepts: Callable[[Any], object]
    read: Callable[[Any], Any] = lambda value: value

    def __call__(self, value: object) -> Any:  # noqa: ANN401 - of the kind
        """Return a value as it is read.

        Raises:
            ValueError: it is not of this kind; the message says what it must be.
        """
        if not self.accepts(value):
            raise ValueError(self.expected)
        return self.read(value)


def _choice(*choices: str) -> ValueKind:
    return ValueKind(f"one of {_quoted(choices)}", {"enum": list(choices)}, choices.__contains__)


def _several(
    expected: str,
    shape: Shape,
    accepts: Callable[[str], object] = lambda text: True,
    read: Callable[[str], str] = lambda text: text,
) -> ValueKind:
    """Return the kind of a text or a list of some, but for those that are read as ""."""

    def listed(value: object) -> object:
        return [value] if isinstance(value, str) else value

    def all_accepted(value: object) -> bool:
        texts = listed(value)
        return isinstance(texts, list | tuple) and all(
            isinstance(text, str) and accepts(text) for text in texts
        )

    def all_read(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - what is accepted
        texts: Any = listed(value)
        return tuple(filter(None, map(read, texts)))

    either = {"anyOf": [shape, {"type": "array", "items": shape}]}
    return ValueKind(expected, either, all_accepted, all_read)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _is_corpus(name: str) -> bool:
    return bool(name == EVERY or _NAME.fullmatch(name) or _ADDRESS.fullmatch(name))


_WHOLE_NUMBER = ValueKind(
    "a whole number from 1 up",
    {"type": "integer", "minimum": 1},
    lambda value: type(value) is int and value >= 1,
)
_SWITCH = ValueKind("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool))
_SHARE = ValueKind(
    "a number from 0 to 1",
    {"type": "number", "minimum": 0, "maximum": 1},
    lambda value: type(value) in (int, float) and 0 <= value <= 1,
    float,
)
_TEXT = ValueKind(
    "a text, and not an empty one",
    {"type": "string", "minLength": 1},
    lambda value: isinstance(value, str) and value,
)
_PERHAPS_TEXT = ValueKind("a text", {"type": "string"}, lambda value: isinstance(value, str))
_TEXTS = _several(
    "a text, or a list of texts", {"type": "string"}, read=lambda text: text if text.strip() else ""
)
_PATHS = _several("a list of paths", {"type": "string"})
_CORPORA = _several(
    "a list of names of corpora, or addresses of remote ones",
    # Without addresses, which no file may name. \w would be of ASCII alone in some editors.
    {"type": "string", "pattern": r"^(\*|[^\s/:*\\]+)$"},
    _is_corpus,
)
_COMMANDS = _several(
    "a list of command names",
    {"type": "string", "pattern": r"^\s*\\?[A-Za-z@]+\*?\s*$"},
    lambda name: _COMMAND.fullmatch(name.strip()),
    str.strip,
)
_METHODS = _several(
    f"one or several of {_quoted(METHODS)}", {"enum": list(METHODS)}, METHODS.__contains__
)


@frozen
class CompletionOptions:
    """`completion.*`: the list that opens in a citation."""

    limit: int = field(default=50, metadata={"kind": _WHOLE_NUMBER})
    """The most items in one list."""


@frozen
class TwoPhaseOptions:
    """`twoPhase.*`: the method "two-phase"."""

    candidates: int = field(default=80, metadata={"kind": _WHOLE_NUMBER})
    """How many papers near to the text are ordered by nearness to what the section cites."""
    order: str = field(default="exact", metadata={"kind": _choice("exact", "steps")})
    """Order them by that nearness exactly, as published, or in steps, within which the nearness to
    the text decides."""


@frozen
class ZoteroOptions:
    """`zotero.*`: which part of Zotero's database counts, where a draft or a setting names that."""

    collection: tuple[str, ...] = field(default=(), metadata={"kind": _TEXTS})
    """Only these collections, with those inside them: names, or paths such as "Thesis/Chapter 2";
    an empty list for all items."""
    library: str = field(default="", metadata={"kind": _PERHAPS_TEXT})
    """Only the library of this group, by its name, or "My Library"; empty for all libraries."""


@frozen
class DiagnosticsOptions:
    """`diagnostics.*`: which rules are checked; each can also be silenced by a comment."""

    empty_citation: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report citations that have no key yet, such as `\\cite{}` and `[@TODO]`."""
    unknown_key: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report keys that no entry of the bibliography has."""
    duplicate_key: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report keys that several entries have."""
    duplicate_work: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report entries of a .bib file that are the work of an earlier one under another key."""
    broken_record: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report entries that cannot be read."""
    missing_bibliography: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report bibliographies that do not exist."""
    unused_entry: bool = field(default=False, metadata={"kind": _SWITCH})
    """Report entries that no draft cites."""
    retracted: bool = field(default=True, metadata={"kind": _SWITCH})
    """Report citations of papers that a corpus knows to be retracted."""
    preprint: bool = field(default=False, metadata={"kind": _SWITCH})
    """Report preprints that a corpus knows to be published."""
    unverified_entry: bool = field(default=False, metadata={"kind": _SWITCH})
    """Report entries that a corpus contradicts under their DOI or arXiv number, or none knows."""
    doubtful_citation: bool = field(default=False, metadata={"kind": _SWITCH})
    """Report citations of a work where another one of the library fits far better."""


@frozen
class MissingOptions:
    """`missing.*`: how the sentences that lack a citation are reported."""

    # The names of recommend/missing/gaps.py, which costs numpy to import.
    level: str = field(
        default="careful", metadata={"kind": _choice("careful", "balanced", "eager")}
    )
    """How readily citations are said to be missing: few and mostly right, or many."""
    threshold: float | None = field(default=None, metadata={"kind": _SHARE})
    """How likely a sentence must be to need a citation before papers are searched for, in place of
    the level's own figure."""
    confidence: float | None = field(default=None, metadata={"kind": _SHARE})
    """How likely the first paper must be to be right before it is reported, in place of the level's
    own figure."""
    hints: str = field(default="off", metadata={"kind": _choice("off", "onSave", "onType")})
    """When the draft is checked for hints under the sentences that lack a citation."""


@frozen
class HoverOptions:
    """`hover.*`: the reference that is shown for a key."""

    style: str = field(default="apa", metadata={"kind": _TEXT})
    """A CSL style by name, the path of a .csl file, or "none" for a plain card."""


@frozen
class InlayHintsOptions:
    """`inlayHints.*`: what is shown behind the keys of a draft."""

    enabled: bool = field(default=False, metadata={"kind": _SWITCH})
    """Show authors and year behind each key."""


@frozen
class CodeLensOptions:
    """`codeLens.*`: what is shown above the entries of a .bib file."""

    enabled: bool = field(default=False, metadata={"kind": _SWITCH})
    """Show how often each entry is cited."""


@frozen
class RemoteOptions:
    """`remote.*`: how remote corpora are reached, where the environment does not say."""

    token: str = field(default="", repr=False, metadata={"kind": _PERHAPS_TEXT})
    """What opens the server: "user:password", or an API key."""
    certificate: str = field(default="", metadata={"kind": _PERHAPS_TEXT})
    """A PEM file of the authority that signs the certificate of the server."""
    wait: int = field(default=300, metadata={"kind": _WHOLE_NUMBER})
    """How many milliseconds a list waits for an answer."""


@frozen
class LogOptions:
    """`log.*`: what the server writes to stderr."""

    level: str = field(
        default="warning", metadata={"kind": _choice("error", "warning", "info", "debug")}
    )
    """How much the server writes."""


@frozen
class Options:
    """All settings."""

    bibliography: tuple[str, ...] = field(default=(), metadata={"kind": _PATHS})
    """Files that every draft can cite from, besides those that it names itself."""
    cite_commands: tuple[str, ...] = field(default=(), metadata={"kind": _COMMANDS})
    """LaTeX commands that cite although "cite" is not in their name."""
    encoder: str = field(default="default", metadata={"kind": _TEXT})
    """The model that compares sentences with papers: one that `cite-lsp models` lists, or a folder.
    """
    corpora: tuple[str, ...] | None = field(default=None, metadata={"kind": _CORPORA})
    """The corpora that take part, by name; "*" stands for all that are indexed on this machine, as
    does leaving this out, and an empty list for none."""
    translator: str = field(default="dictionary", metadata={"kind": _TEXT})
    """What puts Chinese into English: "dictionary", or a Marian model on this machine: its folder,
    or its name on the hub if it has been fetched."""
    method: tuple[str, ...] = field(default=("default",), metadata={"kind": _METHODS})
    """What orders the papers at the cursor: "default", or methods as papers published them; of
    several, the first that ranks for the language of the sentence."""
    other_drafts: bool = field(default=True, metadata={"kind": _SWITCH})
    """Learn from what your other drafts cite, and let them learn from this one."""
    add_entries_to: str = field(default="", metadata={"kind": _PERHAPS_TEXT})
    """The file that new entries are written to; empty for the last one that the draft names."""
    zotero: ZoteroOptions = field(factory=ZoteroOptions)
    completion: CompletionOptions = field(factory=CompletionOptions)
    two_phase: TwoPhaseOptions = field(factory=TwoPhaseOptions)
    diagnostics: DiagnosticsOptions = field(factory=DiagnosticsOptions)
    missing: MissingOptions = field(factory=MissingOptions)
    hover: HoverOptions = field(factory=HoverOptions)
    inlay_hints: InlayHintsOptions = field(factory=InlayHintsOptions)
    code_lens: CodeLensOptions = field(factory=CodeLensOptions)
    remote: RemoteOptions = field(factory=RemoteOptions)
    log: LogOptions = field(factory=LogOptions)


Source = tuple[str, object]
"""Where settings come from, as complaints call it, and what stands there."""


def read_options(*sources: Source) -> tuple[Options, tuple[str, ...]]:
    """Read settings from sources of rising precedence.

    Returns the settings, and a line for each one that was ignored, or is a path that nobody can
    have meant. Names are the nested camelCase
    ones; "completion.limit" in one piece is understood as well.
    """
    options = Options()
    complaints: list[str] = []
    for source, values in sources:
        if values is None:
            continue
        if not isinstance(values, Mapping):
            complaints.append(
                f"{source}: the settings are ignored: a table of settings is expected"
            )
            continue
        for name, value in by_name(values):
            try:
                options = _with(options, name.split("."), value)
                if name in _MAY_BE_PATHS and _has_control(value):
                    complaints.append(
                        f"{source}: {name} has a control character in a path, as \\n and \\t stand "
                        "for; write the folders of a path with /, not \\"
                    )
            except KeyError:
                complaints.append(f"{source}: unknown setting “{name}” ignored")
            except ValueError as wrong:
                actual = "" if name in ACCESS else f", not {_written(value)}"
                complaints.append(f"{source}: {name} is ignored: it must be {wrong}{actual}")
    return options, tuple(complaints)


def _has_control(value: object) -> bool:
    texts = [value] if isinstance(value, str) else value
    return isinstance(texts, list | tuple) and any(_CONTROL.search(str(text)) for text in texts)


def by_name(values: Mapping[Any, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the settings of nested tables with their full names: "completion.limit"."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from by_name(value, f"{name}.")
        elif value is not None:  # null is how clients say "not set"
            yield name, value


def _written(value: object) -> str:
    """Return a value as settings are written, which is not how Python writes it; no password."""
    return SECRET.sub("…@", json.dumps(value, ensure_ascii=False, default=str))


def _with(options: Any, names: list[str], value: object) -> Any:  # noqa: ANN401 - any options class
    """Return options with one setting changed.

    Raises:
        KeyError: there is no such setting.
        ValueError: the value is not of its type; the message names that type.
    """
    first, *rest = names
    attributes = {camel_case(attribute.name): attribute for attribute in fields(type(options))}
    attribute = attributes[first]
    nested = getattr(options, attribute.name)
    if has(type(nested)):
        if not rest:
            raise ValueError("a table of settings")
        return evolve(options, **{attribute.name: _with(nested, rest, value)})
    if rest:
        raise KeyError(first)
    return evolve(options, **{attribute.name: attribute.metadata["kind"](value)})


def camel_case(name: str) -> str:
    """Return the name of a setting as settings have it: "other_drafts" is `otherDrafts`."""
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)
