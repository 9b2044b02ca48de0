r"""The `\bibitem`s of a draft as entries: many a paper carries its bibliography itself."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.delimiters import closing
from cite_lsp.library.bibtex.values import assignments
from cite_lsp.library.entries import Bibliography, Entry, Record, RecordReader
from cite_lsp.library.formats.bibitem_text import plain, read_printed
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.metadata import paper_of
from cite_lsp.library.text.people import OTHERS
from cite_lsp.manuscript import Manuscript

_HEAD = lazy_re(r"\\bibitem\s*")
_HARVARD = lazy_re(r"\\harvarditem\s*")
_AMSREFS = lazy_re(r"\\bib\*?\s*\{")
_LABEL = lazy_re(r"(?P<short>.*?)\((?P<year>\d{4})[a-z]?\)(?P<long>.*)", re.DOTALL)
_YEAR = lazy_re(r"(?:1[4-9]|20)\d\d")
_BETWEEN_NAMES = lazy_re(r"\s*[,，、]\s*(?:and\b\s*)?|\s+(?:and|和|与)\s+|\s*&\s*")
_OTHERS = lazy_re(r"\bet\s+al\b\.?|(?<=\s)等\Z")
_COMMENT = lazy_re(r"(?<!\\)%(?:[ \t]*|(?<=[\s}\]]%)[^\r\n]*)(?:\r?\n[ \t]*|\r[ \t]*|\Z)")
"""A comment at the end of a line; a percent sign in an address (`a%20b`) is none."""
_DOI = lazy_re(r"(?<![\d.])10\.\d{4,9}/[^\s{}]+")
_ARXIV = lazy_re(r"arxiv(?:\.org/abs/|:\s*)(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", re.IGNORECASE)


def bibitems(manuscript: Manuscript, path: Path) -> Bibliography:
    r"""Return the `\bibitem`s of a draft, in order, as entries of the kind "bibitem"."""
    text, entries, line, counted_to = manuscript.text, [], 1, 0
    for item in manuscript.items:
        line += text.count("\n", counted_to, item.start)
        counted_to = item.start
        entries.append(
            Entry(
                Record(
                    key=item.key.text,
                    kind="bibitem",
                    path=path,
                    raw=text[item.start : item.end],
                    key_at=item.key.start - item.start,
                    source="bibitem",
                    reader=BIBITEM,
                ),
                item.start,
                line,
            )
        )
    return Bibliography(path, tuple(entries))


BIBITEM = RecordReader(
    fields=lambda record: MappingProxyType(read_bibitem(record.raw)),
    paper=lambda record: paper_of(record.fields, record.key),
)
"""Reads items of a bibliography in the draft itself."""


def read_bibitem(raw: str) -> dict[str, str]:
    r"""Read what a `\bibitem` says as fields.

    An item of amsrefs has fields of its own. Otherwise the people and the year come from the
    arguments of harvard or a natbib label (`[{Short(2006)Long}]`) if it has one, and else, as the
    title does, from what is printed. A DOI and an arXiv number are found wherever they stand.
    """
    if head := _AMSREFS.match(raw):
        return _amsrefs_fields(raw, head.end())
    raw = _COMMENT.sub("", raw)
    if head := _HARVARD.match(raw):
        return _harvard_fields(raw, head.end()) | _numbers(raw)
    label, text = _parts(raw)
    names = _LABEL.fullmatch(decode(label))
    printed = read_printed(text, named=names is not None)
    fields = {"title": printed.title} | _numbers(text)
    if names:
        fields["author"] = _people(names["long"] or names["short"])
        fields["year"] = names["year"]
    else:
        fields["author"] = " and ".join((*printed.people, *[OTHERS] * printed.more_people))
        fields["year"] = printed.year
    fields["organization"] = printed.venue
    return {name: value for name, value in fields.items() if value}


def printed_text(raw: str) -> str:
    r"""Return an item as it is printed, without its label; "" for one of amsrefs."""
    if _AMSREFS.match(raw):
        return ""
    raw = _COMMENT.sub("", raw)
    if head := _HARVARD.match(raw):
        return _harvard_fields(raw, head.end())["title"]
    return plain(_parts(raw)[1])


def _numbers(raw: str) -> dict[str, str]:
    """Return the numbers that tell which work an item is."""
    doi, preprint = _DOI.search(raw), _ARXIV.search(raw)
    numbers = {"doi": doi.group().rstrip(".,;")} if doi else {}
    return numbers | ({"eprint": preprint[1], "archiveprefix": "arXiv"} if preprint else {})


def _people(people: str) -> str:
    names = _BETWEEN_NAMES.split(_OTHERS.sub("", people))
    listed = [f"{{{name.strip()}}}" for name in names if name.strip()]
    return " and ".join([*listed, OTHERS] if _OTHERS.search(people) else listed)


def _amsrefs_fields(raw: str, start: int) -> dict[str, str]:
    """Read the fields of amsrefs, in which each author has one of its own."""
    fields: dict[str, list[str]] = {}
    behind_key = closing(raw, start, len(raw))
    behind_type = closing(raw, raw.find("{", behind_key) + 1, len(raw))
    for name, value in assignments(raw, raw.find("{", behind_type) + 1, {}):
        text = " ".join(value.split())
        before = fields.setdefault(name, [])
        if name in ("author", "editor", "translator") and any(before):
            before.append(text)
        elif not any(before):
            before[:] = [text]
    return {name: " and ".join(texts) for name, texts in fields.items()}


def _harvard_fields(raw: str, start: int) -> dict[str, str]:
    r"""Read the people, the year and the text of `\harvarditem[short]{people}{year}{key} text`."""
    groups, position = [], start
    if raw.startswith("[", position):
        position = raw.find("]", position) + 1
    for _ in range(3):
        opening = raw.find("{", position)
        position = closing(raw, opening + 1, len(raw)) if opening >= 0 else -1
        if position < 0:
            return {"title": decode(raw)}
        groups.append(decode(raw[opening + 1 : position - 1]))
    fields = {"title": decode(raw[position:]), "author": _people(groups[0])}
    year = _YEAR.search(groups[1])
    return fields | ({"year": year.group()} if year else {})


def _parts(raw: str) -> tuple[str, str]:
    """Return the label in brackets ("" without one) and the text behind the key."""
    head = _HEAD.match(raw)
    position, label = (head.end() if head else 0), ""
    if raw.startswith("[", position):
        end, depth = position, 0
        for end in range(position, len(raw)):
            depth += {"{": 1, "}": -1}.get(raw[end], 0)
            if raw[end] == "]" and depth <= 0:
                break
        label = raw[position + 1 : end]
        position = end + 1
    opening = raw.find("{", position)
    after = closing(raw, opening + 1, len(raw)) if opening >= 0 else -1
    return label, raw[max(after, position) :]
