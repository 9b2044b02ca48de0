"""The YAML or TOML on top of a Markdown draft: title, abstract, year, bibliographies."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from attrs import frozen

_FIRST_LINE = r"\ufeff?---[ \t]*\r?\n"
_BLOCK = re.compile(
    rf"{_FIRST_LINE}(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_TITLE_BLOCK = re.compile(
    r"\ufeff?%(?P<title>[^\n]*(?:\n[ \t]+\S[^\n]*)*)"
    r"\n%[^\n]*(?:\n[ \t]+\S[^\n]*)*(?:\n%(?P<date>[^\n]*))?(?:\n|\Z)"
)
"""Pandoc's other way of it: a title, authors and maybe a date, a percent sign before each."""
_UNCLOSED = re.compile(rf"{_FIRST_LINE}(?P<yaml>(?:[A-Za-z_-]+:[^\n]*(?:\n|\Z)|[ \t]+[^\n]*\n)+)")
_TOML = re.compile(
    r"\ufeff?\+\+\+[ \t]*\r?\n(?=\s*(?:\#|\[|[\w-]+[ \t]*=))(?P<toml>.*?)^\+\+\+[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
"""The front matter of Hugo."""
_TOML_PATHS = re.compile(r"^bibliography[ \t]*=[ \t]*(?P<paths>\[[^\]]*\]|[^\n]*)", re.MULTILINE)
_TOML_STRING = re.compile(r"(?P<quote>[\"'])(?P<written>[^\n]*?)(?P=quote)")
_LATER = re.compile(
    r"---[ \t]*\r?\n(?=[\w-]+:\s)"
    r"(?P<yaml>(?:(?:\w[\w-]*:(?=\s)|[ \t-])[^\n]*\n|\r?\n(?=[ \t]+\S|[\w-]+:\s))*?)"
    r"(?:---|\.\.\.)[ \t]*(?=\r?(?:\n|\Z))"
)
"""A block of YAML below the top of a draft: fields and what is indented, and no other lines. What
begins with a dash is taken in one way only, or the time doubles with each such line."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MENDING = 4
_DEEPEST = 3
_MOST = 200
"""Scalars of a field that are read."""

Scalar = tuple[str, int, int]
"""A value and the range of its characters, quotes left out.

One with a tag of its own (`!expr here("refs.bib")`) stands as it is written, with the tag.
"""


@frozen
class FrontMatter:
    """What the front matter says; `end` is where the draft proper begins (0 without one).

    `nocite` and `abstract_at` are the ranges of those values, if there are any: pandoc reads the
    citations in them.
    """

    end: int = 0
    title: str = ""
    abstract: str = ""
    year: int | None = None
    bibliographies: tuple[Scalar, ...] = ()
    nocite: tuple[int, int] | None = None
    abstract_at: tuple[int, int] | None = None


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
    return FrontMatter(
        match.end(),
        _first(values, "title"),
        _first(values, "abstract"),
        year,
        tuple((path, at + start, end + start) for path, at, end in values.get("bibliography", ())),
        _range(values, "nocite", start),
        _range(values, "abstract", start),
    )


def _read_toml(match: re.Match[str]) -> FrontMatter:
    try:
        values = tomllib.loads(match["toml"].replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError:
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


def _first(values: dict[str, tuple[Scalar, ...]], name: str) -> str:
    scalars = values.get(name, ())
    return " ".join(scalars[0][0].split()) if scalars else ""


def _range(values: dict[str, tuple[Scalar, ...]], name: str, start: int) -> tuple[int, int] | None:
    scalars = values.get(name, ())
    return (scalars[0][1] + start, scalars[0][2] + start) if scalars else None


@lru_cache(maxsize=32)
def _values(block: str) -> dict[str, tuple[Scalar, ...]]:
    """Return the scalars of the top-level entries by lower-case name, what they hold flattened.

    A line that YAML rejects (half-typed, most likely) is blanked and the rest read without it.
    """
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
        except (yaml.YAMLError, RecursionError, ValueError):
            return {}
        if not isinstance(node, yaml.MappingNode):
            return {}
        return {
            str(name.value).lower(): tuple(islice(_scalars(value, block, set()), _MOST))
            for name, value in node.value
            if isinstance(name, yaml.ScalarNode)
        }
    return {}


def _scalars(node: object, block: str, seen: set[int], depth: int = 0) -> Iterator[Scalar]:
    """Yield the scalars of a node; of a collection that aliases repeat, once."""
    import yaml

    if isinstance(node, yaml.CollectionNode):
        if depth == _DEEPEST or id(node) in seen:
            return
        seen.add(id(node))
        named = isinstance(node, yaml.MappingNode)
        for item in node.value:
            yield from _scalars(item[1] if named else item, block, seen, depth + 1)
        return
    if not isinstance(node, yaml.ScalarNode) or not node.value:
        return
    start, end = node.start_mark.index, node.end_mark.index
    if node.tag.startswith("!"):
        written = block[start:end].rstrip()
        yield written, start, start + len(written)
        return
    if node.style in ('"', "'"):
        start, end = start + 1, end - 1
    yield node.value.strip(), start, max(end, start)


def _without_line(source: str, number: int) -> str:
    lines = source.split("\n")
    number = min(number, len(lines) - 1)
    while number > 0 and not lines[number].strip():
        number -= 1
    lines[number] = " " * len(lines[number])
    return "\n".join(lines)
