"""What corpora know of the papers of a bibliography: one was retracted, another published.

An entry that says so itself is passed over: its writer knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.library.entries import Bibliography, Entry
from cite_lsp.library.text.display import shortened
from cite_lsp.library.write.preprints import is_preprint, is_publication
from cite_lsp.paper import Paper
from cite_lsp.project.citations import keys_in
from cite_lsp.project.draft import Draft
from cite_lsp.rules.findings import Finding

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.known_works import KnownWorks

_LONGEST_VENUE = 80


def retracted_citations(draft: Draft, known_works: KnownWorks) -> Iterator[Finding]:
    """Yield the places of a draft where it cites what a corpus calls retracted."""
    keys = list(keys_in(draft.manuscript))
    entries = {key.text: draft.library.get(key.text) for key in keys}
    distinct = {id(entry): entry for entry in entries.values() if entry is not None}
    retracting = _retracting_corpora(list(distinct.values()), known_works)
    for key in keys:
        entry = entries[key.text]
        if entry is not None and (corpus := retracting.get(entry.key)):
            yield _retraction(draft.path, key.start, key.end, key.text, corpus)


def retracted_entries(bibliography: Bibliography, known_works: KnownWorks) -> Iterator[Finding]:
    """Yield the entries of a bibliography that a corpus calls retracted."""
    retracting = _retracting_corpora(bibliography.entries, known_works)
    for entry in bibliography.entries:
        if corpus := retracting.get(entry.key):
            yield _retraction(entry.path, entry.key_start, entry.key_end, entry.key, corpus)


def preprints(bibliography: Bibliography, known_works: KnownWorks) -> Iterator[Finding]:
    """Yield the entries of a bibliography that are preprints of what a corpus knows published."""
    for entry, paper in publications(bibliography.entries, known_works):
        yield Finding(
            "preprint",
            entry.path,
            entry.key_start,
            entry.key_end,
            f'"{entry.key}" is a preprint of what was published: {venue_and_year(paper)}',
            "hint",
        )


def publications(
    entries: Sequence[Entry], known_works: KnownWorks
) -> Iterator[tuple[Entry, Paper]]:
    """Yield the preprints among entries of which a corpus knows the publication, and that."""
    entries = [entry for entry in entries if is_preprint(entry)]
    for entry, records in zip(entries, known_works.records(entries), strict=True):
        papers = (record.paper for record in records if is_publication(record.paper))
        if (paper := next(papers, None)) is not None:
            yield entry, paper


def venue_and_year(paper: Paper) -> str:
    """Return where and when a paper appeared, in a few words."""
    year = str(paper.year or "")
    venue = shortened(paper.venue, _LONGEST_VENUE)
    return venue if not year or year in venue else f"{venue}, {year}"


def _retracting_corpora(entries: Sequence[Entry], known_works: KnownWorks) -> dict[str, str]:
    """Return the corpora that call entries retracted, by the keys of these."""
    silent = [entry for entry in entries if not entry.paper.retracted]
    return {
        entry.key: record.corpus
        for entry, records in zip(silent, known_works.records(silent), strict=True)
        for record in records
        if record.paper.retracted
    }


def _retraction(path: Path, start: int, end: int, key: str, corpus: str) -> Finding:
    message = (
        f'"{key}" was retracted, says the corpus {corpus}: cite it as retracted, or not at all'
    )
    return Finding("retracted", path, start, end, message)
