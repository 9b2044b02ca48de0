"""The YAML or TOML on top of a Markdown draft: title, abstract, year, bibliographies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice

from attrs import frozen

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
_TOML = lazy_re(
    r"\ufeff?\+\+\+[ \t]*\r?\n(?=\s*(?:\#|\[|[\w-]+[ \t]*=))(?P<toml>.*?)^\+\+\+[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
_TOML_PATHS = lazy_re(r"^bibliography[ \t]*=[ \t]*(?P<paths>\[[^\[\]]*\]|[^\n]*)", re.MULTILINE)
_TOML_STRING = lazy_re(r"(?P<quote>[\"'])(?P<written>[^\n]*?)(?P=quote)")
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

_NESTED = frozenset(("format", "output", "crossref", "metadata"))
"""Fields below which others are looked for."""
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

    `nocite` and `abstract_at` are the ranges of those values, if there are any: pandoc reads the
    citations in them. `yaml` is the range of the YAML, `fields` are the names at its top.
    `reference_kinds` are the kinds of cross-references that the writer adds to those of Quarto,
    `label` is that of the page in MyST.
    """

    end: int = 0
    title: str = ""
    abstract: str = ""
    year: int | None = None
    bibliographies: tuple[Scalar, ...] = ()
    nocite: tuple[tuple[int, int], ...] = ()
    abstract_at: tuple[int, int] | None = None
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
    if match := _TOML.match(text):
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
    start = match.start("yaml")
    values = _values(match["yaml"])
    year = None
    for name in ("year", "date"):
        for value, _, _ in values.get(name, ()):
            year = year or year_of_date(value)
    kinds = (value for value, _, _ in values.get("crossref.custom.key", ()))
    return FrontMatter(
        match.end(),
        _first(values, "title"),
        _first(values, "abstract"),
        year,
        tuple((path, at + start, end + start) for path, at, end in _bibliographies(values)),
        tuple((at + start, end + start) for _, at, end in values.get("nocite", ())),
        _range(values, "abstract", start),
        match.span("yaml"),
        frozenset(field["name"].lower() for field in _FIELD.finditer(match["yaml"])),
        frozenset(kinds),
        _first(values, "label"),
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
            for written, start, end in scalars:
                option, _, path = written.partition("=")
                if option == _OPTION and path:
                    yield path, end - len(path), end
                elif previous == _OPTION:
                    yield written, start, end
                previous = written


def _read_toml(match: re.Match[str]) -> FrontMatter:
    try:
        values = load_toml(match["toml"].replace("\r\n", "\n"))
    except ValueError:
        values = {}
    title, abstract, date = (str(values.get(name, "")) for name in ("title", "abstract", "date"))
    paths = _TOML_PATHS.search(match.string, *match.span("toml"))
    listed = _TOML_STRING.finditer(match.string, *paths.span("paths")) if paths else ()
    return FrontMatter(
        match.end(),
        " ".join(title.split()),
        " ".join(abstract.split()),
        year_of_date(date),
        tuple((path["written"], *path.span("written")) for path in listed),
    )


def _first(values: _Values, name: str) -> str:
    scalars = values.get(name, ())
    return " ".join(_LINE_BLOCK.sub("", scalars[0][0]).split()) if scalars else ""


def _range(values: _Values, name: str, start: int) -> tuple[int, int] | None:
    scalars = values.get(name, ())
    return (scalars[0][1] + start, scalars[0][2] + start) if scalars else None


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
        written = block[start:end].rstrip()
        yield path, (written, start, start + len(written))
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
