r"""Which LaTeX commands cite, and which of their arguments holds the keys.

The rule is by name: whatever is called `…cite…` and takes a group of keys cites, unless listed here
as one that does not. To this come the few citing commands with other names and those that the draft
defines itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cite_lsp.manuscript.latex.arguments import (
    closing_brace,
    next_list,
    opening_brace,
    read_key_list,
    skip_brackets,
    skip_groups,
    skip_options,
)
from cite_lsp.manuscript.latex.definitions import own_definitions
from cite_lsp.manuscript.latex.formula_commands import formula_edges
from cite_lsp.manuscript.latex.heading_commands import heading_commands
from cite_lsp.manuscript.latex.hiding import hiding_commands
from cite_lsp.manuscript.model import CiteCommand, Commands, HidingCommand, Marker, MarkerKey

_CITE = re.compile(r"cite", re.IGNORECASE)
_NOT_CITING = re.compile(
    r"""if.*|.*@if.*|newcites|declare.*|atevery.*|atnext.*|set.*|provide.*|renew.*|
    def(?:ault)?cite.*|citestyle|citetext|citealias|citesetup|citereset|citenumfont|citeform.*|
    citepunct|citemid|citeleft|citeright|citedash|citestart|citeend|citeindex.*|citecase|
    citetracker.*|citecolor|citeprepost.*|bibcite.*|usecite.*|.*citedelim|citenotfound|
    .*citetitlefont|.*citesep|maketitlecite|needs?cite|missingcite|tocite|citeneeded|
    excite[ds]?|incite[ds]?|recite[ds]?""",
    re.VERBOSE | re.IGNORECASE,
)
_VOLUME_PREFIXES = ("", "p", "f", "ft", "s", "t", "a")
_MANY = re.compile(r".*cite(?:text)?s", re.IGNORECASE)
_SPECIAL = {
    command.name: command
    for command in (
        *(CiteCommand(f"{prefix}volcite", before=1) for prefix in _VOLUME_PREFIXES),
        *(CiteCommand(f"{prefix}volcites", before=1, many=True) for prefix in _VOLUME_PREFIXES),
        *(CiteCommand(name, after=1) for name in ("citefield", "citelist", "citename")),
        CiteCommand("textcquote"),
        CiteCommand("blockcquote"),
        *(
            CiteCommand(f"{language}{kind}cquote", before=1)
            for language in ("foreign", "hyphen", "hybrid")
            for kind in ("text", "block")
        ),
        CiteCommand("displaycquote"),
        CiteCommand("foreigndisplaycquote", before=1),
        CiteCommand("hyphendisplaycquote", before=1),
        CiteCommand("bibentry"),
        CiteCommand("defcitealias", after=1),
        CiteCommand("shortcites"),
        CiteCommand("newcite"),
    )
}
_TEXTUAL_COMMANDS = re.compile(
    r"@|\{cite:t(?:s|ext)?\}|:citet:|citet:|\[cite/(?:t|text|a|author)(?:/[\w-]+)*\]"
    r"|(?:citet|citealt|citeauthor|textcites?|shortcitea|citea|citen|citeasnoun|shortciteasnoun"
    r"|newcite|(?:in|on)linecite|smarttextcites?)\*?",
    re.IGNORECASE,
)
"""The commands that read as words: those with people, and those with numbers not raised."""
_PROSE_FORM = re.compile(r"\bform:[ \t]*\"(?:prose|author)\"")
NAMES_WITHOUT_CITE = r"(?:(?:foreign|hyphen|hybrid)?(?:text|block|display)cquote|bibentry)"
"""A pattern for the citing commands whose names do not contain "cite"."""

_DEFINITION = re.compile(
    r"""\\(?:
      (?P<new>(?:re)?newcommandx?|providecommandx?|DeclareRobustCommand|(?:re)?newrobustcmd|
        (?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)\*?\s*
        (?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))
     |(?P<def>[egx]?def)\s*\\(?P<defined>[A-Za-z@]+)(?P<parameters>[^{}\n\\]*)(?=\{)
     |let\s*\\(?P<alias>[A-Za-z@]+)\s*=?\s*\\(?P<target>[A-Za-z@]+)
     |Declare(?:Multi)?CiteCommand\*?\s*\{\s*\\(?P<biblatex>[A-Za-z@]+)\s*\}
    )""",
    re.VERBOSE,
)
_TOPICS = re.compile(r"(?<!\\)%[^\n]*|\\newcites\s*\{([^{}]*)\}")
_OF_TOPIC = "bibliography"
_NAME = re.compile(r"[A-Za-z@]+")
_USE = re.compile(r"\\([A-Za-z@]+)\*?")
_COMMAND = re.compile(r"\\[\\%]|%[^\n]*|\\(?P<name>[A-Za-z@]+\*?)")
_PARAMETER = re.compile(r"#(\d)")
_COUNT = re.compile(r"\s*\[\s*(\d)\s*\](\s*\[)?")
_INTERNAL = re.compile(r"@|\\[A-Za-z]*_[A-Za-z_]+:|\\(?:csname|expandafter|catcode)(?![A-Za-z])")
"""What packages are made of and drafts are not: `\\@ifnextchar`, `\\tl_use:N`."""


def cite_command(name: str, defined: Commands) -> CiteCommand | None:
    """Return how the command of that name (no backslash, no star) cites, or None if it does not.

    `defined` are the draft's own definitions as `definitions` gives them; they win over the rule.
    """
    if name in defined:
        own = defined[name]
        return own if isinstance(own, CiteCommand) else None
    special = _SPECIAL.get(name) or _SPECIAL.get(name[:1].lower() + name[1:])
    if special:
        return special
    if not _CITE.search(name) or _NOT_CITING.fullmatch(name):
        return None
    return CiteCommand(name, many=_MANY.fullmatch(name) is not None)


def is_textual(text: str, format: str, marker: Marker) -> bool:
    r"""Whether a marker names people or numbers that the sentence goes on from: `\citet`, `@a`.

    In Typst `@a` is set as the style has it, and the form of a call says so.
    """
    if format == "typst":
        return _PROSE_FORM.search(text, marker.start, marker.end) is not None
    return _TEXTUAL_COMMANDS.fullmatch(marker.command) is not None


def topic_bibliographies(defined: Commands) -> frozenset[str]:
    r"""Return the commands that name the bibliographies of topics, as `\bibliographyweb` does."""
    return frozenset(
        name for name, command in defined.items() if command is None and name.startswith(_OF_TOPIC)
    )


def named_commands(names: Iterable[str]) -> Commands:
    r"""Return the commands of these names (`\\mycite` or `mycite`) as ones that cite."""
    bare = (name.strip().lstrip("\\").rstrip("*") for name in names)
    return {
        name: _SPECIAL.get(name) or CiteCommand(name, many=_MANY.fullmatch(name) is not None)
        for name in bare
        if _NAME.fullmatch(name)
    }


def read_marker(
    text: str, start: int, name: str, after: int, command: CiteCommand
) -> Marker | None:
    """Read the arguments of the citing command at `start`, whose name ends at `after`.

    Without a group of keys it is no marker: None.
    """
    position = after
    keys: list[MarkerKey] = []
    lists: list[tuple[int, int]] = []
    while True:
        behind = skip_groups(text, position, command.before)
        opening = None if behind is None else opening_brace(text, skip_options(text, behind))
        if opening is None:
            break
        read = read_key_list(text, opening)
        keys.extend(read.keys)
        lists.append((read.start, read.end))
        if not read.closed:
            return Marker(name, tuple(keys), start, read.end, False, tuple(lists))
        position = skip_groups(text, read.after, command.after) or read.after
        if not command.many or not next_list(text, position):
            break
    if not lists:
        return None
    return Marker(name, tuple(keys), start, position, True, tuple(lists))


def markers_in(text: str, start: int, end: int, defined: Commands) -> Iterator[Marker]:
    """Yield the complete markers of a range that is no prose, but those with parameters (`#1`).

    `defined` are the draft's own commands, as for `cite_command`.
    """
    for match in _COMMAND.finditer(text, start, end):
        name = match["name"]
        command = cite_command(name.rstrip("*"), defined) if name else None
        if command and name:
            marker = read_marker(text, match.start(), name, match.end(), command)
            if marker and marker.closed and not any("#" in key.text for key in marker.keys):
                yield marker


def definitions(text: str, known: Commands, *, package: bool = False) -> Commands:
    r"""Return the commands that a draft defines to cite, to hide text, for formulas and headings.

    They come over those `known` before.

    A command whose body passes one of its arguments to a citing command cites; one that is called
    `…cite…` but whose body does no such thing does not (`\newcommand{\citeneeded}{[citation]}`). Of
    a `package` those are left out that are made of internals: natbib's `\citet` shows nowhere that
    it cites. multibib's `\newcites{web}{…}` defines `\bibliographyweb`, which names bibliographies.
    """
    own = tuple(own_definitions(text))
    commands = (
        hiding_commands(text, own, known, package=package)
        | formula_edges(own)
        | heading_commands(own)
    )
    if not _CITE.search(text):
        return commands
    for topics in _TOPICS.finditer(text):
        for topic in (topics[1] or "").split(","):
            if _NAME.fullmatch(topic.strip()):
                commands[f"{_OF_TOPIC}{topic.strip()}"] = None
    for definition in _DEFINITION.finditer(text):
        name, command, end = _read_definition(text, definition, commands)
        if package and (end is None or _INTERNAL.search(text, definition.start(), end)):
            continue
        renewed = definition["new"] and definition["new"].startswith(("re", "Renew", "provide"))
        if isinstance(commands.get(name), HidingCommand):
            continue
        if command or (_CITE.search(name) and not renewed and not definition["alias"]):
            commands[name] = command
    return commands


def _read_definition(
    text: str, definition: re.Match[str], known: Commands
) -> tuple[str, CiteCommand | None, int | None]:
    """Return which command a definition defines, how that cites, and where its body closes."""
    if definition["alias"]:
        target = cite_command(definition["target"], known)
        return (
            definition["alias"],
            target and _renamed(target, definition["alias"]),
            definition.end(),
        )
    if definition["biblatex"]:
        many = "Multi" in definition.group()
        command = CiteCommand(definition["biblatex"], many=many)
        return command.name, command, definition.end()
    name = definition["braced"] or definition["bare"] or definition["defined"]
    position, optional = definition.end(), 0
    if definition["new"] and "Document" in definition["new"]:
        opening = opening_brace(text, position)
        specification_end = None if opening is None else closing_brace(text, opening, 500)
        if specification_end is None or opening is None:
            return name, None, None
        optional = _leading_optional(text[opening + 1 : specification_end])
        position = specification_end + 1
    elif definition["new"]:
        count = _COUNT.match(text, position)
        optional = 1 if count and count[2] else 0
        position = skip_brackets(text, position)
    opening = opening_brace(text, position)
    closing = None if opening is None else closing_brace(text, opening, 4000)
    if opening is None or closing is None:
        return name, None, None
    return name, _command_of_body(name, text[opening + 1 : closing], optional, known), closing


def _leading_optional(specification: str) -> int:
    """Count the optional arguments before the first mandatory one in a `{s o m}` specification."""
    letters = re.sub(r"\{[^{}]*\}", "", specification).split("m", 1)[0]
    return sum(letter in "osdOD" for letter in letters)


def _command_of_body(name: str, body: str, optional: int, known: Commands) -> CiteCommand | None:
    for used, after in _uses(body, known):
        position = skip_groups(body, after, used.before)
        opening = None if position is None else opening_brace(body, skip_options(body, position))
        closing = None if opening is None else closing_brace(body, opening, 500)
        if opening is None or closing is None:
            if not body[after:].strip():  # \newcommand{\mycite}{\citep}: another name for it
                return _renamed(used, name)
            continue
        parameter = _PARAMETER.search(body, opening, closing)
        if parameter:
            return CiteCommand(name, before=max(int(parameter[1]) - 1 - optional, 0))
    return None


def _uses(body: str, known: Commands) -> Iterator[tuple[CiteCommand, int]]:
    for use in _USE.finditer(body):
        command = cite_command(use[1], known)
        if command:
            yield command, use.end()


def _renamed(command: CiteCommand, name: str) -> CiteCommand:
    return CiteCommand(name, command.before, command.after, command.many)
