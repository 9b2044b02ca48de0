"""The steps of a build: the papers, their vectors, what finds them. Each is taken up where it was.

Papers that were written from the same inputs are not read again, vectors are saved batch by batch,
an index of words that is whole stays, and a graph of neighbours goes on from its last write.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.paper_merge import Origins
from cite_lsp.corpus.stored_papers import StoredPapers, write_papers
from cite_lsp.encode.batches import encode_batches
from cite_lsp.encode.encoder import Encoder, reader_of
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.identifiers import PublishedNumbers
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.corpus.texts import encoder_text, searched_text
from cite_lsp.search.corpus.version_files import EMBEDDINGS, NUMBERS, open_papers, open_vectors
from cite_lsp.search.indexing.checksums import PASSING, checksum, damage
from cite_lsp.search.indexing.journal import Journal
from cite_lsp.search.vectors.stored_vectors import Keys, StoredVectors, key_array, text_key
from cite_lsp.search.vectors.vector_index import VectorIndex
from cite_lsp.search.words.typed_words import TypedWords
from cite_lsp.search.words.word_index import WordIndex

BATCH = 1024
"""Papers encoded between two writes: what an interruption can lose."""
_ENCODED, _GRAPH = PASSING[:2]

Stage = Callable[[str, int, int], None]
"""Called with (what is being done, how many are done, of how many)."""


def remove_passing(version: Path) -> None:
    """Delete what only an unfinished build needs."""
    for path in version.iterdir():
        if path.name.startswith(PASSING):
            path.unlink(missing_ok=True)


def papers_written(version: Path, inputs: str) -> StoredPapers | None:
    """Return the papers that an interrupted build wrote from the same inputs, None if it did not.

    `inputs` is the signature of what would be read, "" where that is not known.
    """
    if not inputs or Journal.read(version).inputs != inputs:
        return None
    try:
        return open_papers(version)
    except (OSError, ValueError):
        return None


def write_version_papers(
    version: Path, papers: Iterable[tuple[Paper, Origins]], inputs: str, report: Stage
) -> tuple[StoredPapers | None, Journal]:
    """Write the papers, their columns and their sources; None where there are no papers.

    Raises:
        OSError: they cannot be written.
    """
    starts, years, abstracts = array("q", [0]), array("i"), array("b")
    origins, origin_ends = array("i"), array("q", [0])

    def passing() -> Iterator[Paper]:
        for paper, paper_origins in papers:
            origins.extend(paper_origins)
            origin_ends.append(len(origins))
            yield paper

    journal = Journal.read(version).noted(inputs="")  # they are about to be written anew
    for end, paper in write_papers(version / "papers.jsonl", passing()):
        starts.append(end)
        years.append(paper.year or 0)
        abstracts.append(bool(paper.abstract))
        if len(years) % 1000 == 0:
            report("papers", len(years), 0)
    report("papers", len(years), len(years))
    np.save(version / "starts.npy", np.array(starts, dtype=np.int64))
    np.save(version / "years.npy", np.array(years, dtype=np.int32))
    np.save(version / "abstracts.npy", np.array(abstracts, dtype=bool))
    np.save(version / "origins.npy", np.array(origins, dtype=np.int32))
    np.save(version / "origin_ends.npy", np.array(origin_ends, dtype=np.int64))
    if not years:
        return None, journal
    digest = checksum(version / "papers.jsonl")
    done = journal.done if journal.papers == digest else ()  # what was done is of the same papers
    journal = journal.noted(inputs=inputs, papers=digest, done=done)
    return open_papers(version), journal


def write_vectors(
    version: Path,
    before: Path | None,
    papers: Sequence[Paper],
    encoder: Encoder,
    report: Stage,
) -> NDArray[np.int8]:
    """Embed the papers into a store whose rows are theirs; return its vectors, memory-mapped.

    What has to be encoded goes to a store beside it first, which stays until the version is
    current: a build that is broken off leaves it to the next one.

    Raises:
        OSError: they cannot be written.
    """
    width, fingerprint = encoder.dimensions, encoder.fingerprint
    reader = reader_of(encoder)
    whole = (encoder_text(paper) for paper in papers)
    keys = key_array([text_key(reader(text), text) for text in whole])
    fresh = version / f"{_ENCODED}{text_key(fingerprint, '').decode()}"
    stores = [StoredVectors(fresh, width, "i8")]
    if before is not None and not any(damage(before, f"{EMBEDDINGS}.")):
        stores.append(StoredVectors(before / EMBEDDINGS, width, "i8"))
    is_stored = np.isin(keys, np.concatenate([store.keys for store in stores]))
    _, firsts = np.unique(keys, return_index=True)
    missing = np.setdiff1d(firsts, np.flatnonzero(is_stored))
    done = len(papers) - len(missing)
    report("encoding", done, len(papers))
    parts = [missing[start : start + BATCH] for start in range(0, len(missing), BATCH)]
    texts = ([encoder_text(papers[row]) for row in rows] for rows in parts)
    for number, batch in encode_batches(encoder, texts):
        stores[0].append(keys[parts[number]], batch)
        done += len(batch)
        report("encoding", done, len(papers))
    stores[0] = StoredVectors(fresh, width, "i8")
    rows_of_papers = StoredVectors(version / EMBEDDINGS, width, "i8")
    rows_of_papers.remove()
    for start in range(0, len(papers), BATCH):
        part = keys[start : start + BATCH]
        vectors = np.zeros((len(part), width), dtype=np.int8)
        for store in stores:
            store.fill(vectors, part)
        rows_of_papers.append(part, vectors)
    return open_vectors(version, len(papers), width)


def index_words(version: Path, papers: Sequence[Paper], journal: Journal, report: Stage) -> None:
    """Index the papers by words, by what a writer types or pastes, and by what is read of many.

    Raises:
        OSError, SearchIndexError: an index cannot be written.
    """

    def reported(papers: Iterable[Paper], part: int) -> Iterator[Paper]:
        for number, paper in enumerate(papers, 1):
            if number % 1000 == 0:
                report("words", (part * count + number) // len(steps), count)
            yield paper

    def columns(papers: Iterable[Paper]) -> None:
        PaperColumns.build(papers).save(version / "columns")

    def words(papers: Iterable[Paper]) -> None:
        WordIndex.build(searched_text(paper) for paper in papers).save(version / "words")

    def typed(papers: Iterable[Paper]) -> None:
        TypedWords.build(papers).save(version / "typed")

    def numbers(papers: Iterable[Paper]) -> None:
        PublishedNumbers.build(papers).save(version / NUMBERS)

    count = len(papers)
    steps = {"columns": columns, "words": words, "typed": typed, NUMBERS: numbers}
    for part, (name, build) in enumerate(steps.items()):
        if name not in journal.done:
            build(reported(papers, part))
            journal = journal.noted(done=(*journal.done, name))
    report("words", count, count)


def index_vectors(version: Path, keys: Keys, vectors: NDArray[np.int8], report: Stage) -> None:
    """Index the vectors of the papers; an unfinished graph of the same vectors is continued.

    Raises:
        SearchIndexError: the index cannot be written.
    """
    digest = hashlib.blake2b(keys.tobytes(), digest_size=8).hexdigest()
    part = version / f"{_GRAPH}{digest}.part"
    for other in version.glob(f"{_GRAPH}*"):
        if other != part:
            other.unlink(missing_ok=True)
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        report("neighbours", done, len(vectors))

    VectorIndex.build(vectors, version / "vectors.index", part=part, progress=progress)


def paper_keys(version: Path) -> Keys:
    """Return the keys of the texts of a version's papers, in the order of its rows.

    Raises:
        OSError: they cannot be read.
    """
    keys: NDArray[np.bytes_] = np.fromfile((version / EMBEDDINGS).with_suffix(".s16"), dtype="S16")
    return keys
