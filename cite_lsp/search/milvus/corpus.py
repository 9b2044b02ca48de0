"""A corpus on Milvus, opened for reading: candidates by vectors, by words and by title, and papers.

Filters go with every question. What has been fetched is cached for a while: the contexts of one
section find much the same papers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.stored_papers import paper_of
from cite_lsp.encode.encoder import Vectors
from cite_lsp.paper import fold
from cite_lsp.search.corpus.corpus_index import Manifest
from cite_lsp.search.corpus.filters import Filters
from cite_lsp.search.corpus.identifiers import typed_identifiers
from cite_lsp.search.corpus.statistics import CorpusStatistics
from cite_lsp.search.milvus.connection import Connection, call, connect
from cite_lsp.search.milvus.schema import (
    RemoteManifest,
    load,
    number_keys,
    read_about,
    read_statistics,
    signed_key,
)
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, RemoteError
from cite_lsp.search.remote.fetched_corpus import FetchedPaper
from cite_lsp.search.words.sparse_weights import Weights
from cite_lsp.storage.caches import LastUsed

QUERY_SIZE = 1000
"""Papers or titles that one query names."""
_CACHED_PAPERS = 8000
_EXPANSION = 1.3
"""Candidates looked at for one that is wanted, by an index of neighbours."""


@frozen
class TitleMatch:
    """A paper found by its title: its number and key, and its vector if requested."""

    id: int
    key: int
    vector: NDArray[np.float32] | None


class MilvusCorpus:
    """An open remote corpus. Safe to share between threads."""

    def __init__(
        self,
        connection: Connection,
        about: RemoteManifest,
        statistics: CorpusStatistics,
    ) -> None:
        """Take what `open` read."""
        self.address = connection.address
        self.about = about
        self.statistics = statistics
        self.manifest: Manifest = about.manifest
        self._connection = connection
        self._filter = expression(self.address.filters, infix=connection.abilities.infix)
        self._cache: LastUsed[int, FetchedPaper] = LastUsed(_CACHED_PAPERS)

    @classmethod
    def open(cls, address: RemoteAddress, access: RemoteAccess, *, timeout: float) -> MilvusCorpus:
        """Connect, and read the description of the corpus.

        Raises:
            RemoteError: it cannot be reached, or is not there.
        """
        missing = RemoteError(
            f"{address.place}: no corpus there; build it with `cite-lsp index --engine milvus`"
        )
        if address.in_file and not Path(address.uri).exists():
            raise missing  # whoever connects makes the file
        connection = connect(address, access, timeout=timeout)
        try:
            if address.in_file:
                load(connection, timeout=timeout)
            about = read_about(connection, timeout)
            if about is None:
                raise missing
            if not about.complete:
                raise RemoteError(
                    f"{address.place}: its first build is not done yet; if none is under way, give "
                    "its `cite-lsp index` command again"
                )
            statistics = read_statistics(connection, about, timeout)
        except RemoteError:
            connection.close()
            raise
        return cls(connection, about, statistics)

    def __len__(self) -> int:
        return self.manifest.papers

    @property
    def has_words(self) -> bool:
        """Whether papers can be found by words; else they are found by vectors alone."""
        return self.about.words

    def close(self) -> None:
        """Let go of the server."""
        self._connection.close()

    def changed(self, timeout: float) -> bool:
        """Whether a build has been done since this was opened.

        Raises:
            RemoteError: it cannot be read.
        """
        now = read_about(self._connection, timeout)
        return now is None or now.stamp != self.about.stamp

    def count(self, *, timeout: float) -> int:
        """Return how many papers the server has now, whatever was written about it.

        Raises:
            RemoteError: the server does not answer in time.
        """
        rows = self._query("id >= 0", ["count(*)"], timeout, consistency_level="Strong")
        return int(rows[0]["count(*)"])

    def sample(self, count: int, *, timeout: float) -> list[dict[str, Any]]:
        """Return up to so many of its papers as they are stored: `id`, `paper`, `vector`.

        Raises:
            RemoteError: the server does not answer in time.
        """
        return self._query("id >= 0", ["id", "paper", "vector"], timeout, limit=count)

    def nearest(self, queries: Vectors, count: int, *, timeout: float) -> list[list[int]]:
        """Return the numbers of the nearest papers to each query, shape (n, d), best first.

        Raises:
            RemoteError: the server does not answer in time.
        """
        depth = int(count * _EXPANSION)
        parameters = {"params": {"ef": max(64, depth), "nprobe": 64, "search_list": depth}}
        return self._search("vector", list(queries), count, parameters, timeout)

    def with_words(
        self, queries: Sequence[Weights], count: int, *, timeout: float
    ) -> list[list[int]]:
        """Return the numbers of the best papers by BM25 for each query, best first.

        None are found where the server has no sparse vectors, or a query has no words.

        Raises:
            RemoteError: the server does not answer in time.
        """
        nonempty = [query for query in queries if query]
        if not self.has_words or not nonempty:
            return [[] for _ in queries]
        hits = iter(self._search("words", [dict(query) for query in nonempty], count, {}, timeout))
        return [next(hits) if query else [] for query in queries]

    def numbered(self, typed: str, *, timeout: float) -> list[int]:
        """Return the numbers of the papers whose DOI, arXiv number or page is typed; often none.

        Raises:
            RemoteError: the server does not answer in time.
        """
        keys = number_keys(typed_identifiers(typed))
        if not keys:
            return []
        which = " or ".join(f"{name} == {key}" for name, key in keys.items())
        return [int(row["id"]) for row in self._query(which, ["id"], timeout)]

    def titled(
        self, keys: Sequence[int], *, vectors: bool = False, timeout: float
    ) -> list[TitleMatch]:
        """Return the papers of titles (`title_key`s); several may share one.

        Raises:
            RemoteError: the server does not answer in time.
        """
        fields = ["id", "title_key", *(["vector"] if vectors else [])]
        signed_keys = sorted({signed_key(key) for key in keys})
        return [
            TitleMatch(
                int(row["id"]),
                int(row["title_key"]),
                np.asarray(row["vector"], dtype=np.float32) if vectors else None,
            )
            for start in range(0, len(signed_keys), QUERY_SIZE)
            for row in self._query_in(
                "title_key", signed_keys[start : start + QUERY_SIZE], fields, timeout
            )
        ]

    def fetch(self, ids: Sequence[int], *, timeout: float) -> list[FetchedPaper]:
        """Return papers by their numbers, in that order, without those that are gone.

        Papers that the filters do not allow are left out, too.

        Raises:
            RemoteError: the server does not answer in time.
        """
        ids = list(dict.fromkeys(ids))
        papers = self._cache.known(ids)
        missing = [number for number in ids if number not in papers]
        for start in range(0, len(missing), QUERY_SIZE):
            part = missing[start : start + QUERY_SIZE]
            for row in self._query_in("id", part, ["id", "paper", "vector"], timeout):
                fetched = _fetched(row)
                if fetched is not None:
                    papers[fetched.id] = fetched
        self._cache.keep_all(papers)
        filters = self.address.filters
        return [
            papers[number]
            for number in ids
            if number in papers and filters.allow(papers[number].paper)
        ]

    def _search(
        self, field: str, queries: list[Any], count: int, parameters: dict[str, Any], timeout: float
    ) -> list[list[int]]:
        hits = call(
            self.address,
            lambda: self._connection.client.search(
                self.address.collection,
                data=queries,
                anns_field=field,
                limit=count,
                filter=self._filter,
                search_params=parameters,
                output_fields=["id"],
                timeout=timeout,
            ),
        )
        return [[int(hit["id"]) for hit in of_query] for of_query in hits]

    def _query_in(
        self, field: str, values: Sequence[int], fields: list[str], timeout: float
    ) -> list[dict[str, Any]]:
        return self._query(f"{field} in {list(values)}", fields, timeout)

    def _query(
        self, which: str, fields: list[str], timeout: float, **how: object
    ) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = call(
            self.address,
            lambda: self._connection.client.query(
                self.address.collection,
                filter=which,
                output_fields=fields,
                timeout=timeout,
                **how,
            ),
        )
        return rows


def expression(filters: Filters, *, infix: bool = True) -> str:
    """Return filters as Milvus reads them; venues only where it knows `like "%x%"`."""
    parts = []
    if filters.first_year is not None:
        parts.append(f"year >= {filters.first_year}")
    if filters.last_year is not None:
        parts.append(f"year > 0 and year <= {filters.last_year}")
    if filters.languages:
        parts.append(f"language in {json.dumps(list(filters.languages))}")
    if filters.venues and infix:
        likes = (f"venue like {json.dumps(f'%{_literal(name)}%')}" for name in filters.venues)
        parts.append(f"({' or '.join(likes)})")
    return " and ".join(parts)


def _literal(name: str) -> str:
    """Return a folded name without what `like` would read as a pattern or a quotation."""
    return "".join("_" if letter in '%_"\\' else letter for letter in fold(name))


def _fetched(row: dict[str, Any]) -> FetchedPaper | None:
    try:
        paper = paper_of(str(row["paper"]).encode())
    except (ValueError, TypeError, KeyError):
        return None  # one bad record costs no other
    return FetchedPaper(int(row["id"]), paper, np.asarray(row["vector"], dtype=np.float32))
