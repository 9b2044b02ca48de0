"""Writing a corpus to Milvus: idempotent, so that a broken build goes on where it was.

Papers are written in batches under numbers that follow from their ids. Before a batch is encoded
the server says which of its papers it has unchanged; those are left alone. Whatever ends a
build, the same command finishes it, from this machine or another.
"""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from attrs import evolve, frozen

from cite_lsp.corpus.paper_merge import PaperMerge, PaperRecords
from cite_lsp.encode.batches import encode_batches
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import Manifest
from cite_lsp.search.corpus.statistics import StatisticsCounter
from cite_lsp.search.corpus.texts import encoder_text, searched_text
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.lock import build_lock
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.indexing.update import UpdateListener
from cite_lsp.search.milvus.connection import Connection, call, call_retrying
from cite_lsp.search.milvus.schema import (
    RemoteManifest,
    create,
    digest,
    load,
    paper_fields,
    paper_number,
    read_about,
    read_statistics,
    record_text,
    write_about,
)
from cite_lsp.search.remote.address import RemoteError
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.search.words.sparse_weights import document_weights
from cite_lsp.search.words.tokens import tokenise

T = TypeVar("T")

BATCH = 512
"""Papers written at a time: what an interruption can cost."""
_PAGE = 8192
_SCRATCH = "incoming.jsonl"


@frozen
class RemoteBuildResult:
    """What a build did: papers of the corpus now, and how many were written, left and removed."""

    manifest: Manifest
    written: int
    unchanged: int
    removed: int
    words: bool


_Changed = tuple[Paper, str]
"""A paper that the server lacks, or has otherwise, and its record."""


def update_remote(
    connection: Connection,
    scratch: Path,
    sources: Sources,
    encoder: Encoder,
    *,
    vector_index: str = "auto",
    listener: UpdateListener = UpdateListener(),  # noqa: B008 - frozen
) -> RemoteBuildResult:
    """Bring a remote corpus up to date with some sources.

    Args:
        connection: That to the collection; made where there is none.
        scratch: A folder for the papers while those met twice are made one; what stays there is
            the lock.
        sources: What is read; with `replace`, papers that these sources do not have are removed.
        encoder: What makes the vectors.
        vector_index: One of `VECTOR_INDEXES`, for a new collection.
        listener: Its `stage` and `waiting` are called meanwhile.

    Raises:
        RemoteError: the server cannot be used, or has the corpus from another encoder.
        SearchIndexError: the sources hold no papers, another process of this machine builds the
            same corpus, or the scratch folder cannot be written.
    """
    with (
        build_lock(scratch, listener.waiting),
        closing(_read(scratch, sources, listener.stage)) as records,
    ):
        build = _Build(connection, encoder, PaperMerge(records), sources, listener.stage)
        return build.run(vector_index)


class _Build:
    """One run, from papers that have been read to a corpus that is marked complete."""

    def __init__(
        self,
        connection: Connection,
        encoder: Encoder,
        merge: PaperMerge,
        sources: Sources,
        report: Stage,
    ) -> None:
        self._connection, self._encoder, self._merge = connection, encoder, merge
        self._sources, self._report = sources, report
        self._name = connection.address.collection
        self._numbers = array("q")
        self._unchanged = self._written_count = 0

    def run(self, vector_index: str) -> RemoteBuildResult:
        """Write what has changed, remove what has to go, and say what the corpus is now."""
        load(self._connection)
        before = read_about(self._connection)
        self._refuse_another_encoder(before)
        counter, mean_length = self._counted(before)
        manifest = Manifest(
            self._name,
            0,
            self._encoder.name,
            self._encoder.fingerprint,
            self._all_sources(before),
            checkpoint=self._encoder.checkpoint,
        )
        about = RemoteManifest(
            manifest,
            self._encoder.dimensions,
            complete=False,
            mean_length=mean_length,
            words=before.words if before else self._connection.abilities.words,
            # Later than the one before even where clocks disagree.
            stamp=max(int(time.time()), before.stamp + 1 if before else 0),
        )
        if before is None:
            create(self._connection, self._encoder.dimensions, vector_index)
            write_about(self._connection, about, None)
        self._write(about, counter if self._grows(before) else None)
        removed = self._remove() if self._sources.replace else 0
        papers = self._finish()
        done = evolve(about, manifest=evolve(manifest, papers=papers), complete=True)
        # An update that was broken off has written papers and not counted them: those that were
        # counted stand for all, and how many they are is theirs, too.
        write_about(self._connection, done, counter.statistics(mean_length))
        return RemoteBuildResult(
            done.manifest, self._written_count, self._unchanged, removed, done.words
        )

    def _refuse_another_encoder(self, before: RemoteManifest | None) -> None:
        if before is not None and before.manifest.checkpoint != self._encoder.checkpoint:
            raise RemoteError(
                f"{self._connection.address.place}: its vectors are of the encoder "
                f"{before.manifest.encoder}; name that one, or another collection"
            )

    def _all_sources(self, before: RemoteManifest | None) -> tuple[str, ...]:
        others = before.manifest.sources if before and not self._sources.replace else ()
        return tuple(dict.fromkeys((*others, *self._sources.names)))

    def _grows(self, before: RemoteManifest | None) -> bool:
        """Whether counting goes on from the statistics of before."""
        return before is not None and before.complete and not self._sources.replace

    def _counted(self, before: RemoteManifest | None) -> tuple[StatisticsCounter, float]:
        """Return the statistics to go on with, and the mean length that weights are made with.

        A complete corpus is counted on, by the papers that come new to it. One that is not, or is
        replaced, is counted from all its papers before the first is written.
        """
        if before is not None and self._grows(before):
            return StatisticsCounter(read_statistics(self._connection, before)), before.mean_length
        counter = StatisticsCounter()
        for done, (paper, _) in enumerate(self._merge.papers(), 1):
            counter.add(paper)
            if done % 1000 == 0:
                self._report("words", done, 0)
        return counter, before.mean_length if before else counter.mean_length

    def _write(self, about: RemoteManifest, counter: StatisticsCounter | None) -> None:
        """Encode and write what has changed; `counter` counts the papers that are new."""
        waiting: dict[int, list[_Changed]] = {}

        def texts() -> Iterator[Sequence[str]]:
            for number, batch in enumerate(_parts(self._changed(about, counter), BATCH)):
                waiting[number] = batch
                yield [encoder_text(paper) for paper, _ in batch]

        for number, vectors in encode_batches(self._encoder, texts()):
            batch = waiting.pop(number)
            self._upsert(batch, vectors, about)
            self._written_count += len(batch)
            self._report("writing", self._written_count + self._unchanged, len(self._merge))

    def _changed(
        self, about: RemoteManifest, counter: StatisticsCounter | None
    ) -> Iterator[_Changed]:
        """Yield the papers that the server lacks or has otherwise."""
        for part in _parts((paper for paper, _ in self._merge.papers()), BATCH):
            numbers = [paper_number(paper.id) for paper in part]
            self._numbers.extend(numbers)
            stored = self._digests(numbers)
            for number, paper in zip(numbers, part, strict=True):
                line = record_text(paper)
                if stored.get(number) == digest(about.manifest, line):
                    self._unchanged += 1
                    continue
                if counter is not None and number not in stored:
                    counter.add(paper)
                yield paper, line

    def _digests(self, numbers: Sequence[int]) -> dict[int, int]:
        """Return the digests of those papers that the server has, by number."""
        rows = call_retrying(
            self._connection.address,
            lambda: self._connection.client.query(
                self._name,
                filter=f"id in {list(numbers)}",
                output_fields=["id", "digest"],
                consistency_level="Strong",
            ),
        )
        return {int(row["id"]): int(row["digest"]) for row in rows}

    def _upsert(self, batch: Sequence[_Changed], vectors: Vectors, about: RemoteManifest) -> None:
        rows = []
        for (paper, line), vector in zip(batch, vectors, strict=True):
            row = paper_fields(paper, line, about.manifest)
            row["vector"] = np.asarray(vector, dtype=np.float32)
            if about.words:
                row["words"] = dict(
                    document_weights(tokenise(searched_text(paper)), about.mean_length)
                )
            rows.append(row)
        call_retrying(
            self._connection.address, lambda: self._connection.client.upsert(self._name, rows)
        )

    def _remove(self) -> int:
        """Remove the papers that were not among those of this run; return how many."""
        current = np.unique(np.frombuffer(self._numbers, dtype=np.int64))
        client, address = self._connection.client, self._connection.address
        pages = call(
            address,
            lambda: client.query_iterator(
                self._name, batch_size=_PAGE, filter="id >= 0", output_fields=["id"]
            ),
        )
        removed: list[int] = []
        while rows := call(address, pages.next):
            stored = np.array([int(row["id"]) for row in rows], dtype=np.int64)
            removed += stored[~np.isin(stored, current)].tolist()
        pages.close()
        for start in range(0, len(removed), _PAGE):
            part = removed[start : start + _PAGE]
            call_retrying(address, partial(client.delete, self._name, ids=part))
        return len(removed)

    def _finish(self) -> int:
        """Have everything written down, and return how many papers there are."""
        client, address = self._connection.client, self._connection.address
        call_retrying(address, lambda: client.flush(self._name))
        rows = call_retrying(
            address,
            lambda: client.query(
                self._name,
                filter="id >= 0",
                output_fields=["count(*)"],
                consistency_level="Strong",
            ),
        )
        return int(rows[0]["count(*)"])


def _read(scratch: Path, sources: Sources, report: Stage) -> PaperRecords:
    """Read the sources into a scratch file.

    Raises:
        SearchIndexError: it cannot be written, or there are no papers.
    """
    try:
        with ExitStack() as failing:
            records = failing.enter_context(closing(PaperRecords(scratch / _SCRATCH)))
            for number, name in enumerate(sources.names):
                for item in sources.read(name):
                    if not isinstance(item, Paper):  # who cites whom
                        continue
                    records.add(item, (number,))
                    if len(records) % 1000 == 0:
                        report("reading", len(records), 0)
            records.flush()
            report("reading", len(records), len(records))
            if not len(records):
                raise SearchIndexError("the sources hold no papers; nothing was indexed")
            failing.pop_all()
    except OSError as error:
        raise SearchIndexError(
            f"{scratch}: the papers cannot be written ({error.strerror or error}); make room or "
            "set CITE_LSP_HOME to another disk"
        ) from error
    return records


def _parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while part := list(itertools.islice(remaining, size)):
        yield part
