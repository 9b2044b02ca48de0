"""The labels that functions of a draft make: `#let code(tag, body) = [#body #label(tag)]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import Commands, LabelCommand, LabelPlace
from cite_lsp.manuscript.text.comments import blanked
from cite_lsp.manuscript.typst.patterns import COMMENT

_LONGEST_BODY = 1500
_LONGEST_CALL = 400
_PARAMETERS = r"\((?P<{}>(?>(?:[^()]{{1,500}}|\([^()]{{0,500}}\)){{0,8}}))\)"
_DEFINITION = lazy_re(
    rf"let(?<=\blet)[ \t]+(?P<name>[A-Za-z_][\w-]*)(?:{_PARAMETERS.format('own')}[ \t]*=(?!=)"
    rf"|[ \t]*=[ \t]*{_PARAMETERS.format('arrow')}[ \t]*=>)"
)
_NEXT_DEFINITION = lazy_re(r"^#?let[ \t]", re.MULTILINE)
_NAME = r"[A-Za-z_](?:[\w-]*\w)?"
_MADE = lazy_re(
    rf"""(?<![\w-])label\(\s*(?:"(?P<before>[^"\n]*)"\s*\+\s*)?(?:str\()?(?P<string>{_NAME})\)?
         \s*(?:\+\s*"(?P<behind>[^"\n]*)"\s*)?\)
      |\#(?P<label>{_NAME})(?![\w\-.(\[])""",
    re.VERBOSE,
)
"""A label that is made of a parameter, or a parameter that is a label, and put into content."""
_PARAMETER = lazy_re(rf"[(){{}}\[\]]|(?:\.\.)?{_NAME}\s*:?|,")
_ARGUMENT = lazy_re(
    rf"""(?P<string>"(?:[^"\\\n]|\\.)*")|<(?P<label>[\w.:-]+)>|(?P<name>{_NAME})[ \t]*:(?![\w:])
      |(?P<opening>[\[({{])|(?P<closing>[\])}}])|(?P<comma>,)""",
    re.VERBOSE,
)


def without_comments(text: str) -> str:
    """Return a text with blanks in the place of comments."""
    return blanked(COMMENT, text)


def label_commands(text: str) -> dict[str, LabelCommand]:
    """Return the functions that a text without comments defines and that make labels."""
    commands = {}
    for definition in _DEFINITION.finditer(text):
        parameters = _places(definition["own"] or definition["arrow"] or "")
        stop = min(definition.end() + _LONGEST_BODY, len(text))
        next_definition = _NEXT_DEFINITION.search(text, definition.end(), stop)
        stop = next_definition.start() if next_definition else stop
        places = [
            LabelPlace(
                parameters[made["string"] or made["label"]],
                made["before"] or "",
                made["behind"] or "",
                is_label=made["label"] is not None,
            )
            for made in _MADE.finditer(text, definition.end(), stop)
            if (made["string"] or made["label"]) in parameters
        ]
        if places:
            commands[definition["name"]] = LabelCommand(tuple(dict.fromkeys(places)))
    return commands


def _places(parameters: str) -> Mapping[str, int | str]:
    """Return for each parameter its number, or its name where it is given by name."""
    places: dict[str, int | str] = {}
    depth = number = 0
    value = False
    for match in _PARAMETER.finditer(parameters):
        token = match.group()
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        elif depth:
            continue
        elif token == ",":
            value = False
        elif token.endswith(":") and not value:
            name = token.rstrip(": \t\r\n")
            places[name] = name
            value = True
        elif not value and not token.startswith("."):
            places[token.strip()] = number
            number += 1
    return places


def labels_made(text: str, commands: Commands) -> Iterator[str]:
    """Yield the labels that calls of such functions make in a text without comments."""
    making = {
        name: command for name, command in commands.items() if isinstance(command, LabelCommand)
    }
    if not making:
        return
    names = "|".join(map(re.escape, making))
    for call in re.finditer(rf"(?<![\w-])(?P<name>{names})\(", text):
        arguments = _arguments(text, call.end())
        for place in making[call["name"]].places:
            string, label = arguments.get(place.place, (None, None))
            argument = label if place.is_label else string
            if argument is not None:
                yield f"{place.before}{argument}{place.behind}"


def _arguments(text: str, start: int) -> Mapping[int | str, tuple[str | None, str | None]]:
    """Return the strings and labels that a call is given, by number or by name."""
    arguments: dict[int | str, tuple[str | None, str | None]] = {}
    number = depth = 0
    name = ""
    for match in _ARGUMENT.finditer(text, start, start + _LONGEST_CALL):
        if match["opening"]:
            depth += 1
        elif match["closing"]:
            depth -= 1
            if depth < 0:
                break
        elif depth:
            continue
        elif match["comma"]:
            number += not name
            name = ""
        elif match["name"]:
            name = match["name"]
        else:
            string = match["string"]
            arguments.setdefault(name or number, (string and string[1:-1], match["label"]))
    return arguments
