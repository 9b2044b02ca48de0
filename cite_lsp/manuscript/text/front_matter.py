"""The YAML or TOML on top of a Markdown draft: title, abstract, year, bibliographies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.storage.bounded_toml import load_toml

_FIRST_LINE = r"\ufeff?---[ \t]*\r?\n"
_BLOCK = lazy_re(rf"{_FIRST_LINE}(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_TITLE_BLOCK = lazy_re(
    r"\ufeff?%(?P<title>[^\n]*(?:\n[ \t]+\S[^\n]*)*)"
    r"\n%[^\n]*(?:\n[ \t]+\S[^\n]*)*(?:\n%(?P<date>[^\n]*))?(?:\n|\Z)"
)
"""Pandoc's other way of it: a title, authors and maybe a date, a percent sign before each."""
_UNCLOSED = lazy_re(rf"{_FIRST_LINE}(?P<yaml>(?:[A-Za-z_-]+:[^\n]*(?:\n|\Z)|[ \t]+[^\n]*\n)+)")
_FIRST_LINE_OF_TOML = r"\ufeff?\+\+\+[ \t]*\r?\n"
_TOML_NAME = r"[\w-]+|\"[^\"\n]*\"|'[^'\n]*'"
_TOML_FIELD = rf"[ \t]*(?:{_TOML_NAME})(?:[ \t]*\.[ \t]*(?:{_TOML_NAME}))*[ \t]*="
_TOML = lazy_re(
    rf"{_FIRST_LINE_OF_TOML}(?=\s*(?:\#|\[|{_TOML_FIELD}))(?P<toml>.*?)^\+\+\+[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
_UNCLOSED_TOML = lazy_re(
    rf"{_FIRST_LINE_OF_TOML}(?P<toml>(?:{_TOML_FIELD}[^\n]*(?:\n|\Z)|\[+[\w.]+\]+[ \t]*\r?\n)+)"
)
_TOML_VALUES = lazy_re(
    rf"""^[ \t]*(?:\[+(?P<table>[^\[\]\n]+)\]|(?P<name>{_TOML_FIELD})[ \t]*
        (?:(?P<string>\"\"\"|'''|[\"'])|(?P<list>\[)|(?P<bare>[^\s\#]+)))""",
    re.MULTILINE | re.VERBOSE,
)
_TOML_LIST = lazy_re(r"\#[^\n]*|(?P<quote>[\"'])(?P<written>[^\n]*?)(?P=quote)|(?P<end>\])")
_OWN_TABLES = ("params", "extra")
"""What Hugo and Zola have the fields in that they do not know themselves."""
_LATER = lazy_re(
    r"---[ \t]*\r?\n(?=(?:#[^\n]*\n)*+[\w-]+:\s)"
    r"(?P<yaml>(?:(?:\w[\w-]*:(?=\s)|[ \t#-])[^\n]*\n|\r?\n(?=[ \t]+\S|[\w-]+:\s|-\s))*?)"
    r"(?:---|\.\.\.)[ \t]*(?=\r?(?:\n|\Z))"
)
"""A block of YAML below the top of a draft: fields and what is indented, and no other lines. What
begins with a dash is taken in one way only, or the time doubles with each such line."""
_LATER_BEGINS = lazy_re(r"---[ \t]*\r?\n(?:#[^\n]*\n)*+[\w-]+:\s")
_CLOSED = lazy_re(r"^(?:---|\.\.\.|\+\+\+)[ \t\r]*\Z", re.MULTILINE)
_YEAR = lazy_re(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MENDING = 4
_DEEPEST = 3
_MOST = 200

_NESTED = frozenset(("format", "output", "crossref", "metadata", "parts"))
"""Fields below which others are looked for."""
_PRINTED = lazy_re(r"abstract|subtitle|thanks|acknowledge?ments?|key-?points|parts\..*")
"""The names of what a draft prints before or behind its text, MyST as one of its `parts`."""
_NAMES_BIBLIOGRAPHY = lazy_re(r"(?:format\..*\.)?bibliography")
"""The names of what names bibliographies, for all formats or for one."""
_IS_BIBLIOGRAPHY = lazy_re(r"\.(?:bib|bibtex|json|ya?ml|ris)\Z", re.IGNORECASE)
_FIELD = lazy_re(r"^[\"']?(?P<name>[\w-]++)[\"']?[ \t]*:", re.MULTILINE)
_LINE_BLOCK = lazy_re(r"^[ \t]*\|(?=\s|\Z)", re.MULTILINE)
"""How pandoc marks lines that stay lines: `title: |`, and below it `| On gulls`."""
_OPTION = "--bibliography"

Scalar = tuple[str, int, int]
"""A value and the range of its characters, quotes left out.

One with a tag of its own (`!expr here("refs.bib")`) stands as it is written, with the tag.
"""

_Values = Mapping[str, tuple[Scalar, ...]]


@frozen
class FrontMatter:
    """What the front matter says; `end` is where the draft proper begins (0 without one).

    `nocite` and `printed` are ranges of values, the latter of the abstract and the like: pandoc
    reads the citations in them. `yaml` is the range of the YAML, `fields` are the names at its top.
    `reference_kinds` are the kinds of cross-references that the writer adds to those of Quarto,
    `label` is that of the page in MyST.
    """

    end: int = 0
    title: str = ""
    abstract: str = ""
    year: int | None = None
    bibliographies: tuple[Scalar, ...] = ()
    nocite: tuple[tuple[int, int], ...] = ()
    printed: tuple[tuple[int, int], ...] = ()
    yaml: tuple[int, int] | None = None
    fields: frozenset[str] = frozenset()
    reference_kinds: frozenset[str] = frozenset()
    label: str = ""


def year_of_date(date: str) -> int | None:
    """Return the year in a date, or None."""
    year = _YEAR.search(date)
    return int(year.group()) if year else None


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter at the top of a draft; it is empty where it cannot be read."""
    if titled := _TITLE_BLOCK.match(text):
        title = " ".join(titled["title"].split())
        return FrontMatter(titled.end(), title, year=year_of_date(titled["date"] or ""))
    if match := _TOML.match(text) or _UNCLOSED_TOML.match(text):
        return _read_toml(match)
    if not text.startswith(("---", "\ufeff---")):
        return FrontMatter()
    match = _BLOCK.match(text) or _UNCLOSED.match(text)
    return _read_yaml(match) if match else FrontMatter()


def is_unclosed(text: str, front: FrontMatter) -> bool:
    """Whether a front matter is begun that a line somewhere below may close."""
    if not text.startswith(("---", "+++", "\ufeff")):
        return False
    return _CLOSED.search(text, 4, front.end) is None


def begins_later_matter(text: str, start: int) -> bool:
    """Whether a line begins a block of YAML, if a line somewhere below closes it."""
    return _LATER_BEGINS.match(text, start) is not None


def read_later_matter(text: str, start: int) -> FrontMatter | None:
    """Read the block of YAML that begins at a later line, as pandoc does; None without a block."""
    match = _LATER.match(text, start)
    return _read_yaml(match) if match else None


def _read_yaml(match: re.Match[str]) -> FrontMatter:
    fields = frozenset(field["name"].lower() for field in _FIELD.finditer(match["yaml"]))
    matter = _front_matter(_values(match["yaml"]), match.start("yaml"), match.end(), fields)
    return evolve(matter, yaml=match.span("yaml"))


def _front_matter(values: _Values, start: int, end: int, fields: frozenset[str]) -> FrontMatter:
    """Return the front matter up to `end` with these values, whose ranges count from `start`."""
    year = None
    for name in ("year", "date"):
        for value, _, _ in values.get(name, ()):
            year = year or year_of_date(value)
    kinds = (value for value, _, _ in values.get("crossref.custom.key", ()))
    return FrontMatter(
        end,
        _first(values, "title"),
        _first(values, "abstract") or _first(values, "parts.abstract"),
        year,
        tuple((path, at + start, last + start) for path, at, last in _bibliographies(values)),
        tuple((at + start, last + start) for _, at, last in values.get("nocite", ())),
        tuple(
            (at + start, last + start)
            for name, scalars in values.items()
            if _PRINTED.fullmatch(name)
            for _, at, last in scalars
        ),
        fields=fields,
        reference_kinds=frozenset(kinds),
        label=_first(values, "label"),
    )


def _bibliographies(values: _Values) -> Iterator[Scalar]:
    """Yield the bibliographies that a block names, those for one format or by an option too."""
    for name, scalars in values.items():
        if _NAMES_BIBLIOGRAPHY.fullmatch(name):
            yield from scalars
        elif name.startswith("bibliography_"):  # one of several lists
            yield from (scalar for scalar in scalars if _IS_BIBLIOGRAPHY.search(scalar[0]))
        elif name.startswith("output.") and name.endswith("pandoc_args"):
            previous = ""
            for option_text, start, end in scalars:
                option, _, path = option_text.partition("=")
                if option == _OPTION and path:
                    yield path, end - len(path), end
                elif previous == _OPTION:
                    yield option_text, start, end
                previous = option_text


def _read_toml(match: re.Match[str]) -> FrontMatter:
    """Read the strings and dates of TOML line by line: one that is half typed spoils no other."""
    block, table, position = match["toml"], "", 0
    values: dict[str, list[Scalar]] = {}
    while line := _TOML_VALUES.search(block, position):
        position = line.end()
        if line["table"]:
            table = f"{_toml_name(line['table'])}."
            continue
        name = table + _toml_name(line["name"].removesuffix("="))
        for prefix in _OWN_TABLES:
            name = name.removeprefix(f"{prefix}.")
        scalars = tuple(islice(_toml_scalars(block, line), _MOST))
        values.setdefault(name, []).extend(scalars)
        position = scalars[-1][-1] if scalars else position
    fields = frozenset(name for name in values if "." not in name)
    scalars_by_name = {name: tuple(scalars) for name, scalars in values.items()}
    return _front_matter(scalars_by_name, match.start("toml"), match.end(), fields)


def _toml_name(name: str) -> str:
    return ".".join(part.strip(" \t\"'") for part in name.split(".")).lower()


def _toml_scalars(block: str, line: re.Match[str]) -> Iterator[Scalar]:
    if line["bare"]:
        yield line["bare"], *line.span("bare")
    elif quote := line["string"]:
        start = line.end()
        stop = len(block) if len(quote) > 1 else (block + "\n").index("\n", start)
        end = start
        while (end := block.find(quote, end, stop)) >= 0 and block[end - 1] == "\\" != quote:
            end += 1
        if end >= 0:
            yield _toml_string(block[start:end], quote), start, end
    else:
        for item in _TOML_LIST.finditer(block, line.end()):
            if item["end"]:
                break
            if item["quote"]:
                yield _toml_string(item["written"], item["quote"]), *item.span("written")


def _toml_string(content: str, quote: str) -> str:
    try:
        return str(load_toml(f"x = {quote}{content}{quote}".replace("\r\n", "\n"))["x"]).strip()
    except ValueError:
        return content.strip()


def _first(values: _Values, name: str) -> str:
    scalars = values.get(name, ())
    return " ".join(_LINE_BLOCK.sub("", scalars[0][0]).split()) if scalars else ""


@lru_cache(maxsize=32)
def _values(block: str) -> _Values:
    """Return the scalars of a block by the names that lead to them, in lower case: `a.b`.

    What stands below other fields than `_NESTED` is given under their name alone. A line that YAML
    rejects (half-typed, most likely) is blanked.
    """
    # Imported where needed: most drafts have no YAML.
    import yaml

    from cite_lsp.manuscript.text.bounded_yaml import compose

    source = block
    for _ in range(_MENDING):
        try:
            node = compose(source)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            if mark is None:
                return {}
            source = _without_line(source, mark.line)
            continue
        except yaml.YAMLError:
            return {}
        if not isinstance(node, yaml.MappingNode):
            return {}
        values: dict[str, list[Scalar]] = {}
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode):
                field = str(name.value).lower()
                values.setdefault(field, [])
                for path, scalar in islice(_scalars(value, block, set(), field), _MOST):
                    values.setdefault(path if field in _NESTED else field, []).append(scalar)
        return {name: tuple(scalars) for name, scalars in values.items()}
    return {}


def _scalars(
    node: object, block: str, seen: set[int], path: str, depth: int = 0
) -> Iterator[tuple[str, Scalar]]:
    """Yield the scalars of a node and the names that lead there; of what aliases repeat, once."""
    import yaml

    if isinstance(node, yaml.CollectionNode):
        if depth == _DEEPEST or id(node) in seen:
            return
        seen.add(id(node))
        for item in node.value:
            name, value = item if isinstance(node, yaml.MappingNode) else (None, item)
            below = f"{path}.{str(name.value).lower()}" if name is not None else path
            yield from _scalars(value, block, seen, below, depth + 1)
        return
    if not isinstance(node, yaml.ScalarNode) or not node.value:
        return
    start, end = node.start_mark.index, node.end_mark.index
    if node.tag.startswith("!"):
        raw = block[start:end].rstrip()
        yield path, (raw, start, start + len(raw))
        return
    if node.style in ('"', "'"):
        start, end = start + 1, end - 1
    yield path, (node.value.strip(), start, max(end, start))


def _without_line(source: str, number: int) -> str:
    lines = source.split("\n")
    number = min(number, len(lines) - 1)
    while number > 0 and not lines[number].strip():
        number -= 1
    lines[number] = " " * len(lines[number])
    return "\n".join(lines)
