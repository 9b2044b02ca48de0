"""Which LaTeX commands cite, and which of their arguments holds the keys.

The rule is by name: whatever is called `…cite…` and takes a group of keys cites, unless listed here
as one that does not. To this come a few others, and those that the draft defines itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import (
    KeyList,
    closing_brace,
    next_list,
    opening_brace,
    read_key_list,
    skip_groups,
    skip_options,
)
from cite_lsp.manuscript.latex.commands.definitions import (
    Alias,
    Definition,
    PackageDeclaration,
    declarations,
)
from cite_lsp.manuscript.latex.commands.file_commands import file_commands
from cite_lsp.manuscript.latex.commands.formula_commands import formula_edges
from cite_lsp.manuscript.latex.commands.heading_commands import heading_commands
from cite_lsp.manuscript.latex.commands.hiding import hiding_commands
from cite_lsp.manuscript.latex.commands.verbatim_commands import verbatim_commands
from cite_lsp.manuscript.model import (
    CiteCommand,
    Commands,
    HidingCommand,
    Marker,
    MarkerKey,
    TopicBibliography,
)

_CITE = lazy_re(r"cite", re.IGNORECASE)
_NOT_CITING = lazy_re(
    r"""if.*|.*@if.*|newcites|(?:declare|register|atevery|atnext|set|provide|renew|external|load
    |enable|disable|undefine|backref|insertbib)\w*cite.*|def(?:ault)?cite.*|(?:use|the|bib)cite.*|
    cite(?:style|text|alias|setup|reset|index.*|case|tracker.*|prepost.*|notfound|type|form.*)|
    .*cite(?:title|name|num)?font|.*citesep(?:arator)?|maketitlecite|needs?cite|missingcite|
    tocite|citeneeded|
    .*cite\w*(?:documents?|delims?|brackets?|parens?|punct|style|colou?r|format|package|hook|counter
    |undefined|warning|error|penalty|true|false)|
    .*cite[pt]?(?:form|mid|left|right|dash|start|end|open|close|prefix|suffix|space|skip|comma)|
    mcite(?-i:[A-Z]|default|head|max|the|sub|bib|fwd|tail|reset|curr).*|
    excite[ds]?|incite[ds]?|recite[ds]?|.*citem(?:s|ent.*|i[sz]e.*)?|
    .*(?:xpli|mpli|capa|velo)cites?""",
    re.VERBOSE | re.IGNORECASE,
)
"""Names with "cite" in them that take no key: what packages set up and print, and other words."""
_STANDARD = lazy_re(
    r"""(?:no|foot|super|smart|paren|text|auto|full|footfull|short|note|[pf]note|online|mask)?
    cites?(?:al)?[tp]?s?\*?
    |cite(?:author|year|yearpar|title|url|date|num|n|A|NP|field|list|name|fullauthor)
    |citeasnoun|citeaffixed|possessivecite|footcitetexts?""",
    re.VERBOSE | re.IGNORECASE,
)
"""Citing commands of LaTeX and common packages: whatever a draft does to them, they cite."""
_LONGEST_NAME = 100
_VOLUME_PREFIXES = ("", "p", "f", "ft", "s", "t", "a")
_MANY = lazy_re(r".*cite(?:text)?s", re.IGNORECASE)
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
        *(CiteCommand(name, further=(0,)) for name in ("apud", "apudonline")),  # of abntex2
    )
}
_TEXTUAL_COMMANDS = lazy_re(
    r"@|\{cite:t(?:s|ext)?\}|:citet:|citet:|\{% citet %\}|\[cite/(?:t|text|a|author)(?:/[\w-]+)*\]"
    r"|(?:citet|citealt|citeauthor|textcites?|shortcitea|citea|citen|citeasnoun|shortciteasnoun"
    r"|newcite|(?:in|on)linecite|smarttextcites?)\*?",
    re.IGNORECASE,
)
"""The commands that read as words: those with people, and those with numbers not raised."""
_PROSE_FORM = lazy_re(r"\bform:[ \t]*\"(?:prose|author)\"")
NAMES_WITHOUT_CITE = (
    r"(?:(?:foreign|hyphen|hybrid)?(?:text|block|display)cquote|bibentry|apud(?:online)?)"
)

_DECLARED = lazy_re(r"\s*\{\s*\\(?P<name>[A-Za-z@]+)\s*\}")
_DECLARING = {"DeclareCiteCommand": False, "DeclareMultiCiteCommand": True}
"""The commands of biblatex that declare one that cites; whether that has many lists of keys."""
_NO_KEY = lazy_re(r"[^\w\\#?*]+")
"""What is no key: with it a command that has only its name to tell so is none that cites."""
_TOPICS = lazy_re(r"\s*\{([^{}]*)\}")
_NAME = lazy_re(r"[A-Za-z@]+")
_USE = lazy_re(r"\\([A-Za-z@]+)\*?")
_COMMAND = lazy_re(r"\\[\\%]|%[^\n]*|\\(?P<name>[A-Za-z@]+\*?)")
_PARAMETER = lazy_re(r"(?:\s|\{|\\[A-Za-z@]+)*#(\d)[\s}]*")
"""An argument that is all of a key, maybe changed by a command: `\\cite{\\lowercase{#1}}`."""
_LONGEST_BODY = 4000
_LOOKS_AHEAD = lazy_re(r"\\(?:@ifnextchar|kernel@ifnextchar|@ifstar|@testopt|@dblarg)(?![A-Za-z@])")
"""What a body has that leaves the arguments to the commands that it names."""
_INTERNAL = lazy_re(r"@|\\[A-Za-z]*_[A-Za-z_]+:|\\(?:csname|expandafter|catcode)(?![A-Za-z])")
"""What packages are made of and drafts are not: `\\@ifnextchar`, `\\tl_use:N`."""


def cite_command(name: str, defined: Commands) -> CiteCommand | None:
    """Return how a command (no backslash, no star) cites, or None; those `defined` come first."""
    if name in defined:
        command = defined[name]
        return command if isinstance(command, CiteCommand) else None
    special = _SPECIAL.get(name) or _SPECIAL.get(name[:1].lower() + name[1:])
    if special:
        return special
    if not _CITE.search(name) or len(name) > _LONGEST_NAME or _NOT_CITING.fullmatch(name):
        return None
    many = _MANY.fullmatch(name) is not None
    return CiteCommand(name, many=many, guessed=not _STANDARD.fullmatch(name))


def is_textual(text: str, format: str, marker: Marker) -> bool:
    r"""Whether a marker names people or numbers that the sentence goes on from: `\citet`, `@a`."""
    if format == "typst":
        return _PROSE_FORM.search(text, marker.start, marker.end) is not None
    return _TEXTUAL_COMMANDS.fullmatch(marker.command) is not None


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
    """Read the arguments of the citing command at `start`, whose name ends at `after`, if any."""
    end = after
    keys: list[MarkerKey] = []
    lists: list[tuple[int, int]] = []
    for read, behind in _key_lists(text, after, command):
        keys.extend(read.keys)
        lists.append((read.start, read.end))
        if not read.closed:
            return Marker(name, tuple(keys), start, read.end, False, tuple(lists))
        end = behind
    if not lists or (command.guessed and any(_NO_KEY.fullmatch(key.text) for key in keys)):
        return None
    return Marker(name, tuple(keys), start, end, True, tuple(lists))


def _key_lists(text: str, position: int, command: CiteCommand) -> Iterator[tuple[KeyList, int]]:
    """Yield the lists of keys behind a citing command, each with where its arguments end."""
    while True:
        behind = skip_groups(text, position, command.before)
        opening = None if behind is None else opening_brace(text, skip_options(text, behind))
        if opening is None:
            return
        read = read_key_list(text, opening)
        position = skip_groups(text, read.after, command.after) or read.after
        yield read, position
        for between in command.further:
            behind = skip_groups(text, position, between)
            opening = None if behind is None else opening_brace(text, behind)
            if opening is None:
                break
            read = read_key_list(text, opening)
            position = read.after
            yield read, position
        if not command.many or not next_list(text, position):
            return


def markers_in(text: str, start: int, end: int, defined: Commands) -> Iterator[Marker]:
    """Yield the complete markers of a range that is no prose, but those with parameters (`#1`)."""
    for match in _COMMAND.finditer(text, start, end):
        name = match["name"]
        command = cite_command(name.rstrip("*"), defined) if name else None
        if command and name:
            marker = read_marker(text, match.start(), name, match.end(), command)
            if marker and marker.closed and not any("#" in key.text for key in marker.keys):
                yield marker


def definitions(text: str, earlier_commands: Commands, *, package: bool = False) -> Commands:
    r"""Return the commands that a draft defines to cite, to hide text, for formulas and so on.

    They come over the `earlier_commands`. A command whose body passes an argument to a citing
    command cites; one called `…cite…` whose body does no such thing does not. Of a `package` those
    are left out that are made of internals: natbib's `\citet` shows nowhere that it cites.
    multibib's `\newcites{web}{…}` defines `\bibliographyweb`, which names bibliographies.
    """
    declared = declarations(text)
    commands = {
        name: command
        for name, command in (
            hiding_commands(declared, earlier_commands, package=package)
            | formula_edges(declared.definitions)
            | heading_commands(declared.definitions)
            | file_commands(declared, earlier_commands)
            | verbatim_commands(declared)
        ).items()
        if isinstance(command, CiteCommand) or not _STANDARD.fullmatch(name)
    }
    if not _CITE.search(text):
        return commands
    for declaration in declared.in_order:
        renewed = False
        if isinstance(declaration, Definition):
            name, body = declaration.name, declaration.body(_LONGEST_BODY)
            definition_text = None if body is None else f"{name} {body}"
            renewed = declaration.command.startswith(("re", "Renew", "provide"))
            command = _command_of_body(name, body or "", declaration.leading, commands)
        elif isinstance(declaration, Alias):
            name, definition_text = declaration.name, f"\\{declaration.name}\\{declaration.target}"
            target = cite_command(declaration.target, commands)
            command = target and _renamed(target, name)
        elif declaration.command == "newcites":
            commands.update(dict.fromkeys(_topics(declaration), TopicBibliography()))
            continue
        elif biblatex := _of_biblatex(declaration):
            command, name, definition_text = biblatex, biblatex.name, biblatex.name
        else:
            continue
        if package and (definition_text is None or _INTERNAL.search(definition_text)):
            continue
        if isinstance(commands.get(name), HidingCommand):
            continue
        guessed = _CITE.search(name) and not _STANDARD.fullmatch(name)
        if command or (guessed and not renewed):
            commands[name] = command
    return commands


def _topics(newcites: PackageDeclaration) -> Iterator[str]:
    topics = newcites.arguments(_TOPICS)
    for topic in topics[1].split(",") if topics else ():
        if _NAME.fullmatch(topic.strip()):
            yield f"bibliography{topic.strip()}"


def _of_biblatex(declaration: PackageDeclaration) -> CiteCommand | None:
    declared = declaration.arguments(_DECLARED)
    if not declared or declaration.command not in _DECLARING:
        return None
    return CiteCommand(declared["name"], many=_DECLARING[declaration.command])


def _command_of_body(name: str, body: str, optional: int, commands: Commands) -> CiteCommand | None:
    """Return how a command cites whose body is this one, by the arguments that its markers hold."""
    arguments: set[int] = set()
    cites = False
    for use in _USE.finditer(body):
        used = cite_command(use[1], commands)
        if not used:
            continue
        cites = True
        marker = read_marker(body, use.start(), use[1], use.end(), used)
        if marker is None:
            if not body[use.end() :].strip():  # \newcommand{\mycite}{\citep}: another name for it
                return _renamed(used, name)
            continue
        for start, end in marker.lists:
            list_text = body[start : closing_brace(body, start - 1, 500) or end]
            parameters = [_PARAMETER.fullmatch(item) for item in list_text.split(",")]
            arguments.update(int(match[1]) for match in parameters if match)
    numbers = sorted(number - optional for number in arguments if number > optional)
    if numbers:
        between = (later - earlier - 1 for earlier, later in pairwise(numbers))
        return CiteCommand(name, before=numbers[0] - 1, further=tuple(between))
    if cites and "#" not in body and _LOOKS_AHEAD.search(body):
        return CiteCommand(name)
    return None


def _renamed(command: CiteCommand, name: str) -> CiteCommand:
    return evolve(command, name=name)
