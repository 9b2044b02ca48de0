"""Entries that claim what corpora contradict, and entries that no corpus knows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from cite_lsp.library.bibtex.roles import SET, STYLE_SWITCHES
from cite_lsp.library.bibtex.values import fields_of
from cite_lsp.library.entries import Bibliography, Entry
from cite_lsp.library.match.claims import Claim, Difference, differences
from cite_lsp.library.match.dedupe import own_arxiv
from cite_lsp.library.text.display import shortened
from cite_lsp.library.write.bibtex_style import (
    BibtexHabits,
    bibtex_habits,
    delimited,
    habitual_fields,
)
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.paper import Paper
from cite_lsp.rules.findings import Finding, Fix
from cite_lsp.rules.lookups import Lookups

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.corpus_records import CorpusRecord

Status = Literal["verified", "contradicted", "not found"]
_NO_WORKS = STYLE_SWITCHES | {SET, "xdata"}
_LONGEST = 100
"""Characters of a title or of names in a message."""
_FIELDS: dict[str, Claim] = {
    "title": "title",
    "author": "authors",
    "year": "year",
    "date": "year",
}
_PARTS_OF_TITLES = ("subtitle", "titleaddon")


@frozen
class Verification:
    """What corpora know of an entry: the record that contradicts it, and in what."""

    entry: Entry
    status: Status
    record: CorpusRecord | None = None
    differences: tuple[Difference, ...] = ()


def verify(entries: Sequence[Entry], lookups: Lookups) -> Iterator[Verification]:
    """Yield what corpora know of entries, but for those that are no works or have no title.

    An entry is verified if a corpus has its title and first author, or a record of its DOI or arXiv
    number that does not contradict it. It is contradicted if each record of its number does.
    """
    with_titles = [entry for entry in entries if entry.kind not in _NO_WORKS and entry.paper.title]
    known_works = lookups.known_works
    numbered, titled = known_works.numbered(with_titles), known_works.records(with_titles)
    for entry, by_number, by_title in zip(with_titles, numbered, titled, strict=True):
        compared = [(differences(entry, record.paper), record) for record in by_number]
        if compared and all(fields for fields, _ in compared):
            fields, record = min(compared, key=lambda pair: len(pair[0]))
            yield Verification(entry, "contradicted", record, fields)
        elif compared or by_title:
            yield Verification(entry, "verified")
        else:
            yield Verification(entry, "not found")


def unverified_entries(bibliography: Bibliography, lookups: Lookups) -> Iterator[Finding]:
    """Yield the entries that are contradicted or not found; none where there is no corpus."""
    names = lookups.known_works.corpus_names()
    for verification in verify(bibliography.entries, lookups) if names else ():
        if verification.status == "contradicted":
            yield _contradicted(verification, bibliography, lookups)
        elif verification.status == "not found":
            yield _not_found(verification.entry, names)


def _not_found(entry: Entry, names: Sequence[str]) -> Finding:
    corpora = f"the corpus {names[0]}" if len(names) == 1 else f"the corpora {', '.join(names)}"
    message = f'"{entry.key}" is not found in {corpora}'
    return Finding("unverified-entry", entry.path, entry.key_start, entry.key_end, message, "hint")


def _contradicted(
    verification: Verification, bibliography: Bibliography, lookups: Lookups
) -> Finding:
    entry, record = verification.entry, verification.record
    assert record is not None  # of what is contradicted there is one
    number = entry.paper.doi or f"arXiv:{own_arxiv(entry)}"
    listed = "; ".join(
        f"{difference.claim} {shortened(difference.claimed, _LONGEST)}, "
        f"there {shortened(difference.paper_value, _LONGEST)}"
        for difference in verification.differences
    )
    return Finding(
        "unverified-entry",
        entry.path,
        entry.key_start,
        entry.key_end,
        f'"{entry.key}" differs from {number} in the corpus {record.corpus}: {listed}',
        fixes=tuple(_corrections(verification, bibliography, lookups)),
    )


def _corrections(
    verification: Verification, bibliography: Bibliography, lookups: Lookups
) -> Iterator[Fix]:
    entry, record = verification.entry, verification.record
    lines = lookups.lines(entry.path)
    if record is None or lines is None or lines.text[entry.start : entry.end] != entry.raw:
        return
    claims = [difference.claim for difference in verification.differences]
    habits = bibtex_habits(lines.text, bibliography.entries)
    corrected = corrected_record(entry, record.paper, claims, habits)
    if corrected is not None:
        phrase = " and ".join((", ".join(claims[:-1]), claims[-1]) if claims[1:] else claims)
        title = f"Take {phrase} from the corpus {record.corpus}"
        yield Fix(title, TextEdit(entry.start, entry.end, corrected))


def corrected_record(
    entry: Entry, paper: Paper, claims: Collection[Claim], habits: BibtexHabits
) -> str | None:
    """Return the record of an entry with some of its claims replaced by those of a paper.

    It is None where a claim does not stand in a field of its own: it is inherited, or a part of a
    title.
    """
    raw = entry.raw
    if entry.source != "bibtex" or not raw.startswith("@"):
        return None
    fields = list(fields_of(raw, entry.record.key_at + len(entry.key), entry.macros))
    _, values = habitual_fields(paper, habits)
    values.setdefault("year", values.get("date", ""))
    values["date"] = values["year"]
    parts, done, corrected = [], 0, set()
    for field in fields:
        claim = _FIELDS.get(field.name)
        if claim in claims and (text := values.get(field.name)):
            corrected.add(claim)
            bare = text.isdigit() and raw[field.value_at].isdigit()
            value = text if bare else delimited(field.name, text, habits)
            parts += [raw[done : field.value_at], value]
            done = field.end
    split = "title" in claims and any(field.name in _PARTS_OF_TITLES for field in fields)
    if split or corrected != set(claims):
        return None
    return "".join((*parts, raw[done:]))
