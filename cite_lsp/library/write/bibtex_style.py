"""Learn the style of a .bib file, and write a new record in that style.

Indentation, alignment, delimiters, case, order of fields, names of biblatex or BibTeX: each is
what most of the last records do; a file without records gets what most files have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from attrs import frozen

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.delimiters import Delimiters
from cite_lsp.library.bibtex.values import read_value
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.formulas import split_at_formulas
from cite_lsp.library.text.invisible_characters import without_invisible
from cite_lsp.library.text.latex_escape import ascii_only, escaped
from cite_lsp.library.text.paper_fields import bibtex_fields
from cite_lsp.paper import Paper

_SAMPLE = 60
"""Records at the end of the file that show its habits."""
_FIELD = lazy_re(
    r"(?:^|(?<=[,{(]))(?P<indent>[ \t]*)(?P<name>[A-Za-z][\w-]*)(?P<equals>[ \t]*=[ \t]*)"
    r"(?P<value>[{\"]|\w+)",
    re.MULTILINE,
)
_HEAD = lazy_re(r"@\s*([A-Za-z]+)\s*([{(])")
_ACCENT = lazy_re(r"\\[\"'`^~=.]\s*\{?[^\W\d]|\\[Hcvrudbk][{ ]|\\(?:ss|o|O|l|L|ae|AE|oe|aa|AA)\b")
_ACRONYM = lazy_re(r"(?<![\w\\])(?:[^\W_]*[^\W_][A-Z][^\W_]*(?:-[^\W_]+)*|[A-Z]\d+)")
_FORMULA_WITH_CAPITALS = lazy_re(r".*[A-Z].*", re.DOTALL)
_BIBLATEX = ("journaltitle", "date", "eprinttype", "location")
_BIBTEX = ("journal", "year", "archiveprefix", "address")
_VERBATIM = ("doi", "url", "eprint", "archiveprefix", "eprinttype")
_BARE = ("year", "volume", "number")
_LANGUAGE = ("langid", "language")
_KANA = lazy_re("[\u3041-\u30fa]")


@frozen
class BibtexHabits:
    """The habits of a file.

    `column` is where the equals signs stand one below the other, or 0, `right_aligned` whether the
    names stand close to them, as ADS writes them; `bare` are the fields whose numbers stand without
    delimiters; `order` gives the place of a field among others; `left_out` are the fields that the
    file has reasons not to have; `of_chinese` is the field that tells the language of its Chinese
    records, and what stands in it.
    """

    indent: str = "  "
    equals: str = " = "
    column: int = 0
    right_aligned: bool = False
    quotes: bool = False
    bare: frozenset[str] = frozenset()
    one_line: bool = False
    kind_case: str = "lower"
    name_case: str = "lower"
    trailing_comma: bool = True
    closing: str = "\n}"
    biblatex: bool = False
    given_first: bool = False
    double_braces: bool = False
    ascii_only: bool = False
    doi_address: bool = False
    blank_lines: int = 1
    order: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset({"abstract"})
    of_chinese: tuple[str, str] = ("", "")


def bibtex_habits(text: str, entries: Sequence[Entry]) -> BibtexHabits:
    """Return the habits of a file with these entries, whatever its line breaks."""
    raws = [entry.raw.replace("\r\n", "\n") for entry in entries if entry.raw][-_SAMPLE:]
    fields = [list(_FIELD.finditer(raw)) for raw in raws]
    fields = [record_fields for record_fields in fields if record_fields]
    if not fields:
        return BibtexHabits()
    flat = [field for record_fields in fields for field in record_fields]
    laid_out = [field for field in flat if "\n" in field.string.strip()]
    names = [field["name"].lower() for field in flat]
    texts = {
        name: [value for record_fields in fields for value in _values(record_fields, name)]
        for name in ("title", "author", "doi")
    }
    one_line = _majority(["\n" not in raw.strip() for raw in raws])
    sample = "".join(raws)
    heads = [head for raw in raws if (head := _HEAD.match(raw))]
    return BibtexHabits(
        indent=_commonest([field["indent"] for field in flat[1:]] or ["  "]),
        equals=_commonest([field["equals"] for field in flat]),
        column=_column(laid_out) if laid_out and not one_line else 0,
        right_aligned=bool(laid_out) and _right_aligned(laid_out),
        quotes=_majority([field["value"] == '"' for field in flat if field["value"] in '{"']),
        bare=_bare_fields(flat),
        one_line=one_line,
        kind_case=_case([head[1] for head in heads]),
        name_case=_case([field["name"] for field in flat]),
        trailing_comma=_majority([bool(re.search(r",\s*[})]\s*$", raw)) for raw in raws]),
        closing=_commonest([_closing(raw) for raw in raws]),
        biblatex=sum(names.count(name) for name in _BIBLATEX)
        > sum(names.count(name) for name in _BIBTEX),
        given_first=_majority(["," not in value.split(" and ")[0] for value in texts["author"]]),
        double_braces=_majority([value.startswith("{") for value in texts["title"]]),
        ascii_only=bool(_ACCENT.search(sample)) and sample.isascii(),
        doi_address=_majority(["doi.org" in value for value in texts["doi"]]),
        blank_lines=_blank_lines(text, entries),
        order=_order(fields),
        left_out=_fields_left_out(names, len(fields)),
        of_chinese=_language_of_chinese(fields),
    )


def bibtex_record(
    paper: Paper, key: str, habits: BibtexHabits, details: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the record of a paper, with further fields, without a line break at its end."""
    kind, fields = habitual_fields(paper, habits, details)
    field_lines = [
        field_line(name, fields[name], habits) for name in _in_order(fields, habits.order)
    ]
    head = f"@{cased(kind, habits.kind_case)}{{{key},"
    comma = "," if habits.trailing_comma else ""
    if habits.one_line:
        return f"{head} {', '.join(field.lstrip() for field in field_lines)}{comma}}}"
    lines = ",\n".join(field_lines)
    return f"{head}\n{lines}{comma}{habits.closing}"


def habitual_fields(
    paper: Paper, habits: BibtexHabits, details: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, dict[str, str]]:
    """Return the kind of a record, and the fields that a file of these habits has."""
    kind, fields = bibtex_fields(
        paper, details, biblatex=habits.biblatex, given_first=habits.given_first
    )
    fields = {name: text for name, text in fields.items() if name not in habits.left_out}
    if "url" in habits.left_out and not paper.doi and paper.url:
        fields["url"] = paper.url  # the one way there is to find it again
    if "doi" in fields and habits.doi_address:
        fields["doi"] = "https://doi.org/" + fields["doi"]
    field, language = habits.of_chinese
    if field and _is_chinese(paper.title):
        fields[field] = language
    return kind, fields


def field_line(name: str, text: str, habits: BibtexHabits) -> str:
    """Return a field as it stands on a line of its own, without its comma."""
    shown = cased(name, habits.name_case)
    indent, equals = habits.indent, habits.equals
    if habits.column and habits.right_aligned:
        gap = len(equals) - len(equals.lstrip())
        indent = " " * max(habits.column - gap - len(name), 0)
    elif habits.column:
        gap = max(habits.column - len(indent) - len(name), 0)
        equals = " " * gap + equals.lstrip()
    return f"{indent}{shown}{equals}{delimited(name, text, habits)}"


def delimited(name: str, text: str, habits: BibtexHabits) -> str:
    """Return the value of a field as it is written: LaTeX, in braces or quotes, or bare."""
    text = without_invisible(text)
    if name in habits.bare and text.isdigit():
        return text
    if name not in _VERBATIM:
        protected = name == "title" and not habits.double_braces
        text = _protect_capitals(text) if protected else escaped(text)
        if habits.ascii_only:
            text = ascii_only(text)
        if name == "title" and habits.double_braces:
            text = f"{{{text}}}"
    if habits.quotes and '"' not in text:
        return f'"{text}"'
    return f"{{{text}}}"


def _protect_capitals(title: str) -> str:
    r"""Return a title as LaTeX, in braces where styles lower capitals: GPU, `$\Lambda$`.

    One that has braces outside of its formulas protects what its writer wanted protected.
    """
    parts = list(split_at_formulas(escaped(title)))
    if any("{" in part.replace(r"\^{}", "") for part, formula in parts if not formula):
        return "".join(part for part, _ in parts)
    return "".join(
        (_FORMULA_WITH_CAPITALS if formula else _ACRONYM).sub(r"{\g<0>}", part)
        for part, formula in parts
    )


def _values(fields: Sequence[re.Match[str]], name: str) -> list[str]:
    """Return the values of a field in a record; what stands within one is no further one."""
    values: list[str] = []
    delimiters, position = Delimiters(fields[0].string), 0
    for field in fields:
        if field["name"].lower() == name and field.start() >= position:
            value, position = read_value(field.string, field.start("value"), {}, delimiters)
            values.append(value)
    return values


def _column(fields: Sequence[re.Match[str]]) -> int:
    """Return the column in which nearly all equals signs stand, 0 where there is none."""
    columns = Counter(
        len(field["indent"])
        + len(field["name"])
        + len(field["equals"])
        - len(field["equals"].lstrip())
        for field in fields
    )
    column, count = columns.most_common(1)[0]
    widths = {len(field["name"]) for field in fields}
    return column if len(widths) > 1 and count >= 0.6 * len(fields) else 0


def _bare_fields(fields: Sequence[re.Match[str]]) -> frozenset[str]:
    """Return the fields with numbers without delimiters; a missing field follows the others."""
    bare_values: dict[str, list[bool]] = {}
    for field in fields:
        bare_values.setdefault(field["name"].lower(), []).append(field["value"].isdigit())
    together = [bare for name in _BARE for bare in bare_values.get(name, ())]
    return frozenset(name for name in _BARE if _majority(bare_values.get(name, together)))


def _right_aligned(fields: Sequence[re.Match[str]]) -> bool:
    """Whether the indentation aligns the equals signs, and not the blanks before them."""
    indents = Counter(len(field["indent"]) for field in fields)
    gaps = Counter(len(field["equals"]) - len(field["equals"].lstrip()) for field in fields)
    return indents.most_common(1)[0][1] < gaps.most_common(1)[0][1]


def _closing(raw: str) -> str:
    """Return what stands behind the last value: the blanks before the closing brace, and it."""
    body = raw.rstrip().removesuffix("}").removesuffix(")")
    return body[len(body.rstrip()) :] + "}"


def _blank_lines(text: str, entries: Sequence[Entry]) -> int:
    gaps = []
    for before, after in pairwise(entries[-_SAMPLE:]):
        gap = text[before.end : after.start]
        if not gap.strip():
            gaps.append(gap.count("\n") - 1)
    return max(0, min(Counter(gaps).most_common(1)[0][0], 3)) if gaps else 1


def _order(fields: Sequence[Sequence[re.Match[str]]]) -> tuple[str, ...]:
    """Return the names of fields by their mean place in a record, from 0 to 1."""
    places: dict[str, list[float]] = {}
    for record in fields:
        for place, field in enumerate(record):
            places.setdefault(field["name"].lower(), []).append(place / max(len(record) - 1, 1))
    return tuple(sorted(places, key=lambda name: sum(places[name]) / len(places[name])))


def _in_order(fields: Mapping[str, str], order: Sequence[str]) -> list[str]:
    """Return names in the order of the file; one that it lacks stays behind those before it."""
    place_of = {name: float(place) for place, name in enumerate(order)}
    last, places = -1.0, {}
    for name in fields:
        places[name] = place_of.get(name, last + 0.01)
        last = max(last, places[name])
    return sorted(fields, key=lambda name: places[name])


def _fields_left_out(names: Sequence[str], records: int) -> frozenset[str]:
    """Return which of address and abstract most records lack."""
    return frozenset(
        name
        for name, share in (("url", 0.1), ("abstract", 0.5))
        if names.count(name) < share * records
    )


def _language_of_chinese(records: Sequence[Sequence[re.Match[str]]]) -> tuple[str, str]:
    """Return the field that tells the language of most Chinese records, and its value."""
    chinese = [record for record in records if any(map(_is_chinese, _values(record, "title")))]
    languages = Counter(
        (name, value)
        for record in chinese
        for name in _LANGUAGE
        for value in _values(record, name)[:1]
    )
    (best, count), *_ = languages.most_common(1) or [(("", ""), 0)]
    return best if count * 2 > len(chinese) else ("", "")


def _is_chinese(title: str) -> bool:
    """Whether a title is in Chinese: one with kana is in Japanese."""
    return has_han(title) and _KANA.search(title) is None


def _case(words: Sequence[str]) -> str:
    shapes = ["upper" if word.isupper() else "lower" if word.islower() else "title"
              for word in words if len(word) > 1]  # fmt: skip
    return _commonest(shapes or ["lower"])


def cased(word: str, case: str) -> str:
    """Return a word in the case that a habit names: "upper", "title", or as it is."""
    return {"upper": word.upper(), "title": word.capitalize()}.get(case, word)


def _commonest(values: Sequence[str]) -> str:
    return Counter(values).most_common(1)[0][0] if values else ""


def _majority(facts: Sequence[bool]) -> bool:
    return sum(facts) * 2 > len(facts)
