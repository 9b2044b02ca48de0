"""The settings: what they are, and how they are read from what the client and files say.

A setting that is unknown or of the wrong type becomes a complaint and the value it had before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, field, fields, frozen, has

SECTION = "citeLsp"

_NAME = re.compile(r"\w[\w.-]*")
SECRET = re.compile(r"(?<=//)[^\s\"]*@")
"""Who asks, with the password, in an address."""
# What search/remote/address.py reads; importing that costs numpy, which the server starts without.
_ADDRESS = re.compile(r"milvus\+(?:https?|file)://[^\s?@]+/[A-Za-z_]\w*(?:\?\S*)?", re.ASCII)
EVERY = "*"
"""Stands for all corpora of this machine among the names of corpora."""
ACCESS = ("remote.token", "remote.certificate")
"""The settings that open remote corpora."""
_COMMAND = re.compile(r"\\?[A-Za-z@]+\*?")


def _whole_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("a whole number from 1 up")
    return value


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a text, and not an empty one")
    return value


def _perhaps_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text")
    return value


def _paths(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(path, str) for path in value):
        raise ValueError("a list of paths")
    return tuple(path for path in value if path)


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(map(_is_corpus, value)):
        raise ValueError("a list of names of corpora, or addresses of remote ones")
    return tuple(value)


def _is_corpus(name: object) -> bool:
    return isinstance(name, str) and bool(
        name == EVERY or _NAME.fullmatch(name) or _ADDRESS.fullmatch(name)
    )


def _commands(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(
        isinstance(name, str) and _COMMAND.fullmatch(name.strip()) for name in value
    ):
        raise ValueError("a list of command names")
    return tuple(name.strip() for name in value)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("a number from 0 to 1")
    return float(value)


def _one_of(*choices: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError("one of " + ", ".join(f'"{choice}"' for choice in choices))
        return value

    return read


@frozen
class CompletionOptions:
    """`completion.*`: `limit` is the most items that one list holds."""

    limit: int = field(default=50, metadata={"read": _whole_number})


@frozen
class DiagnosticsOptions:
    """`diagnostics.*`: which rules are looked after; each can also be silenced by a comment."""

    unknown_key: bool = field(default=True, metadata={"read": _switch})
    duplicate_key: bool = field(default=True, metadata={"read": _switch})
    broken_record: bool = field(default=True, metadata={"read": _switch})
    missing_bibliography: bool = field(default=True, metadata={"read": _switch})
    unused_entry: bool = field(default=False, metadata={"read": _switch})
    retracted: bool = field(default=True, metadata={"read": _switch})
    preprint: bool = field(default=False, metadata={"read": _switch})


@frozen
class MissingOptions:
    """`missing.*`: how the sentences that lack a citation are told of.

    `level` is how readily: few and mostly right, or many. `threshold` and `confidence` set its two
    figures one by one: the likelihood that a sentence needs a citation from which on papers are
    looked for, and that of the first one being right from which on it is told. `hints` is when the
    draft is looked through for hints.
    """

    # The names of recommend/missing/gaps.py, which costs numpy to import.
    level: str = field(
        default="careful", metadata={"read": _one_of("careful", "balanced", "eager")}
    )
    threshold: float | None = field(default=None, metadata={"read": _share})
    confidence: float | None = field(default=None, metadata={"read": _share})
    hints: str = field(default="off", metadata={"read": _one_of("off", "onSave", "onType")})


@frozen
class HoverOptions:
    """`hover.*`: `style` is a CSL style by name or the path of a .csl file, "none" for a card."""

    style: str = field(default="apa", metadata={"read": _text})


@frozen
class InlayHintsOptions:
    """`inlayHints.*`: whether authors and year stand behind the keys of a draft."""

    enabled: bool = field(default=False, metadata={"read": _switch})


@frozen
class CodeLensOptions:
    """`codeLens.*`: whether the entries of a .bib file say how often they are cited."""

    enabled: bool = field(default=False, metadata={"read": _switch})


@frozen
class RemoteOptions:
    """`remote.*`: how remote corpora are reached, where the environment does not say.

    `token` opens the server, `certificate` is a PEM file of the authority that signs its
    certificate, `wait` is how many milliseconds a list waits for an answer.
    """

    token: str = field(default="", repr=False, metadata={"read": _perhaps_text})
    certificate: str = field(default="", metadata={"read": _perhaps_text})
    wait: int = field(default=300, metadata={"read": _whole_number})


@frozen
class LogOptions:
    """`log.*`: `level` is how much the server says on stderr."""

    level: str = field(
        default="warning", metadata={"read": _one_of("error", "warning", "info", "debug")}
    )


@frozen
class TraceOptions:
    """`trace.*`: `server` is where VS Code keeps its own tracing; the server ignores it."""

    server: str = field(default="off", metadata={"read": _one_of("off", "messages", "verbose")})


@frozen
class Options:
    r"""All settings.

    `bibliography` are files every draft can cite, relative to the workspace; `add_entries_to` is
    the file that new entries go to, relative to the folder of the workspace that holds the draft,
    "" for the last one that the draft names; `cite_commands` are LaTeX commands that cite though
    their names do not say so; `corpora` are the names of the corpora that take part, "*" for all
    that have been indexed here, and the addresses of remote ones; None is "*" alone; `translator`
    is what puts Chinese into English, "dictionary" or a Marian model: a folder, or its name on the
    hub if it has been fetched; `other_drafts` says whether drafts learn from each other.
    """

    bibliography: tuple[str, ...] = field(default=(), metadata={"read": _paths})
    cite_commands: tuple[str, ...] = field(default=(), metadata={"read": _commands})
    encoder: str = field(default="default", metadata={"read": _text})
    corpora: tuple[str, ...] | None = field(default=None, metadata={"read": _names})
    translator: str = field(default="dictionary", metadata={"read": _text})
    other_drafts: bool = field(default=True, metadata={"read": _switch})
    add_entries_to: str = field(default="", metadata={"read": _perhaps_text})
    completion: CompletionOptions = field(factory=CompletionOptions)
    diagnostics: DiagnosticsOptions = field(factory=DiagnosticsOptions)
    missing: MissingOptions = field(factory=MissingOptions)
    hover: HoverOptions = field(factory=HoverOptions)
    inlay_hints: InlayHintsOptions = field(factory=InlayHintsOptions)
    code_lens: CodeLensOptions = field(factory=CodeLensOptions)
    remote: RemoteOptions = field(factory=RemoteOptions)
    log: LogOptions = field(factory=LogOptions)
    trace: TraceOptions = field(factory=TraceOptions)


Source = tuple[str, object]
"""Where settings come from, as complaints call it, and what stands there."""


def read_options(*sources: Source) -> tuple[Options, tuple[str, ...]]:
    """Read settings from sources of rising precedence.

    Returns the settings, and a line for each one that was ignored. Names are the nested camelCase
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
            except KeyError:
                complaints.append(f"{source}: unknown setting “{name}” ignored")
            except ValueError as wrong:
                found = "" if name in ACCESS else f", not {_written(value)}"
                complaints.append(f"{source}: {name} is ignored: it must be {wrong}{found}")
    return options, tuple(complaints)


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
    known = {_camel_case(attribute.name): attribute for attribute in fields(type(options))}
    attribute = known[first]
    nested = getattr(options, attribute.name)
    if has(type(nested)):
        if not rest:
            raise ValueError("a table of settings")
        return evolve(options, **{attribute.name: _with(nested, rest, value)})
    if rest:
        raise KeyError(first)
    return evolve(options, **{attribute.name: attribute.metadata["read"](value)})


def _camel_case(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)
