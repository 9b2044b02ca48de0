"""Read RIS as pandoc does, record by record, with their positions; write a record of it.

A record that has no `ID` is cited by the key that pandoc makes for it of its people and its year
(`Müller_Li_2019`); one whose key is taken gets a letter behind it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.item import CSL, Item
from cite_lsp.library.csl.item_scan import ItemScan
from cite_lsp.library.entries import Bibliography, Record
from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.library.text.paper_fields import paper_to_csl
from cite_lsp.paper import SUFFIXES, Paper

TYPES = {
    "JOUR": "article-journal", "JFULL": "article-journal", "MGZN": "article-magazine",
    "EJOUR": "article-journal", "CONF": "paper-conference", "CPAPER": "paper-conference",
    "BOOK": "book", "EBOOK": "book", "CHAP": "chapter", "ECHAP": "chapter", "THES": "thesis",
    "RPRT": "report", "DATA": "dataset", "COMP": "software", "PAT": "patent", "ELEC": "webpage",
    "UNPB": "manuscript",
}  # fmt: skip
"""Types of CSL by those of RIS."""
TITLES = ("TI", "T1", "CT", "BT")
ABSTRACTS = ("AB", "N2")
YEARS = ("PY", "Y1", "DA")
CONTAINERS = ("JF", "T2", "JO", "JA", "BT", "C3")
"""The full name of a journal first: what publishers abbreviate stands in the others."""
URLS = ("UR", "L2")
AUTHORS = ("AU", "A1")
EDITORS = ("ED", "A2")
_VARIABLES = {
    "title": TITLES, "container-title": CONTAINERS, "volume": ("VL",), "issue": ("IS",),
    "publisher": ("PB",), "publisher-place": ("CY", "PP"), "edition": ("ET",),
    "collection-title": ("T3",), "DOI": ("DO",), "URL": URLS, "abstract": ABSTRACTS,
    "language": ("LA",), "note": ("N1",),
}  # fmt: skip
_WRITTEN = {"container-title": "T2"}
_LINE = lazy_re(r"^([A-Z][A-Z0-9]) {0,2}-(?:[ \t]([^\n]*)|[ \t\r]*$)", re.MULTILINE)
_BEGINS, _ENDS = "TY", "ER"
_DATE = lazy_re(r"(\d{4})(?:[/-](\d\d?))?(?:[/-](\d\d?))?(?!\d)")
SEPARATED = lazy_re(r"\s*[;；]\s*")
_FIRST_WORD = lazy_re(r"[^\s,]*")

Fields = dict[str, list[str]]
"""The values of a record by tag."""


def parse_ris(text: str, path: Path) -> Bibliography:
    """Read the text of a RIS file. What is wrong with a record costs no other."""
    scan = ItemScan(text, path, "record")
    times_used: Counter[str] = Counter()
    for lines, end in _records(text):
        start = lines[0].start()
        fields = _fields(text, lines, end)
        id_key = first_of(fields, ("ID",))
        key_base = id_key or _pandoc_key(fields)
        if not key_base:
            scan.problem(start, "the record has no key: add a line “ID  - key”")
            continue
        if lines[-1][1] != _ENDS:
            scan.problem(start, f'the record "{printable_line(key_base)}" has no end: add “ER  - ”')
        key = key_base + _key_suffix(times_used[key_base])
        times_used[key_base] += 1
        place = (_place_of_id(lines) - start, len(key)) if key == id_key else (0, 0)
        item = _item(fields)
        data, kind = json.dumps(item, ensure_ascii=False), item["type"]
        record = Record(key, kind, path, text[start:end], *place, "ris", data, reader=CSL)
        scan.add(record, start, item)
    return scan.bibliography()


def _records(text: str) -> Iterator[tuple[Sequence[re.Match[str]], int]]:
    """Yield the tagged lines of each record, the one that ends it among them, and its end."""
    lines: list[re.Match[str]] = []
    for line in _LINE.finditer(text):
        tag = line[1]
        if tag == _BEGINS and lines:
            yield lines, _end(text, lines[-1].start(), line.start())
            lines = []
        if tag == _BEGINS or lines:
            lines.append(line)
        if tag == _ENDS and lines:
            yield lines, _end(text, line.start(), line.end())
            lines = []
    if lines:
        yield lines, _end(text, lines[-1].start(), len(text))


def _end(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _fields(text: str, lines: Sequence[re.Match[str]], end: int) -> Fields:
    """Return the values by tag; a line without a tag goes on with the value before it."""
    starts = [*(line.start() for line in lines), end]
    fields: Fields = {}
    for line, (_, after) in zip(lines, pairwise(starts), strict=True):
        value = " ".join(text[line.start(2) if line[2] else line.end() : after].split())
        if value:
            fields.setdefault(line[1], []).append(value)
    return fields


def _place_of_id(lines: Sequence[re.Match[str]]) -> int:
    """Return the position of the key of a record that has an `ID` line."""
    line = next(line for line in lines if line[1] == "ID" and (line[2] or "").strip())
    return line.start(2) + len(line[2]) - len(line[2].lstrip())


def values_of(fields: Fields, tags: Sequence[str]) -> list[str]:
    """Return the values of some tags, in the order of the tags; no empty one."""
    return [value for tag in tags for value in fields.get(tag, ()) if value]


def first_of(fields: Fields, tags: Sequence[str]) -> str:
    """Return the first value of some tags, "" without one."""
    return next(iter(values_of(fields, tags)), "")


def _pandoc_key(fields: Fields) -> str:
    """Return the key that pandoc makes of what authors begin with and what stands for the year."""
    names = [word[0] for name in values_of(fields, AUTHORS) if (word := _FIRST_WORD.match(name))]
    year = first_of(fields, YEARS[:2])
    return "_".join(names) + (f"_{year}" if year else "")


def _key_suffix(number: int) -> str:
    """Return the suffix of a key that `number` records have already: "", a, b, …, z, aa."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def _item(fields: Fields) -> dict[str, Any]:
    item: dict[str, Any] = {"type": TYPES.get(first_of(fields, (_BEGINS,)).upper(), "document")}
    item |= {name: first_of(fields, tags) for name, tags in _VARIABLES.items()}
    if item["container-title"] == item["title"]:
        item["container-title"] = ""
    item["keyword"] = "; ".join(values_of(fields, ("KW",)))
    item["author"] = _people(values_of(fields, AUTHORS))
    item["editor"] = _people(values_of(fields, EDITORS))
    item["issued"] = _date(values_of(fields, YEARS))
    item["page"] = "-".join(dict.fromkeys(values_of(fields, ("SP", "EP"))))
    item["ISBN" if item["type"] in ("book", "chapter") else "ISSN"] = first_of(fields, ("SN",))
    return {name: value for name, value in item.items() if value}


def _people(name_lists: Sequence[str]) -> list[dict[str, str] | str]:
    return [_person(name) for names in name_lists for name in SEPARATED.split(names) if name]


def _person(name: str) -> dict[str, str] | str:
    """Read "Family, Given, Suffix"; a name without a comma is taken as it stands."""
    family, *rest = [part.strip() for part in name.split(",")]
    if not rest:
        return name
    if len(rest) > 1 and rest[0].casefold() in SUFFIXES:  # in the order of BibTeX
        rest = [rest[1], rest[0]]
    return {"family": family, "given": rest[0], "suffix": " ".join(rest[1:])}


def _date(date_values: Sequence[str]) -> dict[str, Any]:
    """Return a date (`2020/05/17/spring`) as CSL has it: the first, or more of it in another."""
    matches = filter(None, map(_DATE.match, date_values))
    dates = [[int(part) for part in date.groups() if part] for date in matches]
    of_year = [date for date in dates if date[0] == dates[0][0]]
    if of_year:
        return {"date-parts": [max(of_year, key=len)]}
    return {"raw": date_values[0]} if date_values else {}


def ris_record(paper: Paper, key: str, details: Item, *, abstract: bool) -> str:
    """Return a paper as a record, without the last line break.

    `details` are what CSL's variables say of it elsewhere.
    """
    item = paper_to_csl(paper, key, details)
    kinds = {csl: kind for kind, csl in reversed(TYPES.items())}
    lines = [(_BEGINS, kinds.get(item["type"], "GEN"))]
    lines += [("AU", _written(name)) for name in item.get("author", ())]
    lines += [("ED", _written(name)) for name in item.get("editor", ())]
    for name, tags in _VARIABLES.items():
        if name != "abstract" or abstract:
            lines.append((_WRITTEN.get(name, tags[0]), str(item.get(name, ""))))
    parts = item.get("issued", {}).get("date-parts", [[paper.year or ""]])[0]
    lines.append(("PY", str(parts[0])))
    if len(parts) > 1:  # not in PY: pandoc knows no date there
        lines.append(("DA", "/".join(str(part).zfill(2) for part in parts)))
    first, _, last = str(item.get("page", "")).partition("-")
    lines += [("SP", first), ("EP", last), ("SN", item.get("ISBN") or item.get("ISSN", ""))]
    lines.append(("ID", key))
    tag_lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in lines if value]
    return "\n".join([*tag_lines, f"{_ENDS}  - "])


def _written(name: Mapping[str, str]) -> str:
    parts = map(name.get, ("family", "given", "suffix"))
    return name.get("literal") or ", ".join(filter(None, parts))
