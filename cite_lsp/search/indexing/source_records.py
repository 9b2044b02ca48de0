"""The records of each source of a corpus, so that one source can be read again without the others.

A paper that one record made is that record. Where several made one, or a record made none, the
records themselves are stored in a file beside the papers, each with its place among all.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from pathlib import Path

from cite_lsp.corpus.formats.json_lines import open_text
from cite_lsp.corpus.paper_merge import Origins, PaperMerge
from cite_lsp.corpus.stored_papers import paper_of
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.version_files import index_again
from cite_lsp.search.indexing.checksums import RECORDS, damage
from cite_lsp.storage.compressed_files import zstd

log = logging.getLogger(__name__)

_LEVEL = 3


SourceRecord = tuple[Paper, Origins]
"""A paper as its sources have it, and the numbers of these."""


def write_source_records(version: Path, merge: PaperMerge) -> None:
    """Write the records that made the papers of a merge, where they differ from these.

    Raises:
        OSError: it cannot be written.
    """
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: _LEVEL,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    with zstd.open(version / RECORDS, "wb", options=options) as out:
        for *about, line in merge.separate_records():
            out.write(b"%b\t%b" % (json.dumps(about).encode(), line))


def source_records(corpus: CorpusIndex, numbers: Mapping[int, int]) -> Iterator[SourceRecord]:
    """Yield the records of the sources, in the order in which they were read.

    `numbers` are the new numbers of the sources that stay, by those in the corpus. Where their file
    is damaged, each paper is one record of all its sources.
    """
    path = corpus.records.parent / RECORDS
    papers = corpus.with_origins()
    for paper, paper_origins in _interleaved(papers, path) if _is_whole(path) else papers:
        if origins := tuple(numbers[origin] for origin in paper_origins if origin in numbers):
            yield paper, origins


def by_source(records: Iterable[SourceRecord], count: int) -> Iterator[Iterator[SourceRecord]]:
    """Yield, for each of `count` sources, the records that are due when it has been read.

    A record is due when all of its sources have been.
    """
    due = 0

    def due_with(record: SourceRecord) -> int:
        nonlocal due
        due = max(due, *record[1], 0)
        return due

    groups = groupby(records, due_with)
    waiting = next(groups, None)
    for number in range(count):
        if waiting is None or waiting[0] != number:
            yield iter(())
            continue
        yield waiting[1]
        waiting = next(groups, None)


def _interleaved(papers: Iterator[SourceRecord], path: Path) -> Iterator[SourceRecord]:
    """Yield the records of a file where they stood among those that are papers."""
    place = 0
    with open_text(path) as lines:
        for line in lines.buffer:
            about, _, record = line.partition(b"\t")
            row, first, origins = json.loads(about)
            yield from islice(papers, row - place)
            if first:
                next(papers)  # made of this one and others
            yield paper_of(record), tuple(origins)
            place = row + 1
    yield from papers


def _is_whole(path: Path) -> bool:
    """Whether the records are there as they were written; damage is logged."""
    fault = next(damage(path.parent, RECORDS), "" if path.is_file() else f"{RECORDS} is missing")
    if fault:
        log.warning("%s: %s; %s", path.parent, fault, index_again(path.parent.parent))
    return not fault
