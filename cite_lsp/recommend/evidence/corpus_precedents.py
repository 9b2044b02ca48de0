"""Precedents of a corpus: those that ship, and which of its papers and documents they know."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.evidence.precedent_arrays import papers_in
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence, Precedents, damped
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.storage.array_folder import places_in

MODEL = "corpus-ranker"
"""The folder of the model that the precedents belong to."""
_FILE = "precedents.safetensors.zst"


@cache
def _open_precedents(folder: Path) -> Precedents:
    return Precedents.open(folder / _FILE)


def shipped_precedents() -> Precedents:
    """Return the precedents that ship, loaded once.

    Raises:
        RankerError: they cannot be read.
    """
    return _open_precedents(shipped_model(MODEL))


@cache
def shipped_precedent_papers() -> NDArray[np.uint64]:
    """Return the title keys of the papers in the precedents that ship, ascending, shape (m,).

    They are a small part of the file, and read without the rest.

    Raises:
        RankerError: they cannot be read.
    """
    return papers_in(shipped_model(MODEL) / _FILE)


@frozen
class CorpusPrecedents:
    """Precedents, linked with the n papers of a corpus.

    places: the index of each paper of the corpus among the papers of precedents, -1 if none, (n,).
    rows: the row in the corpus of each paper of precedents, -1 if none, (m,). titles: vectors of
    the citing documents in the corpus, in eight bits, 0 for all others, (documents, width).
    """

    precedents: Precedents
    places: NDArray[np.int32]
    rows: Rows
    titles: NDArray[np.int8]


def link_precedents(
    corpus: CorpusView, precedents: Precedents, titles_of_last: Vectors | None = None
) -> CorpusPrecedents | None:
    """Find the papers and documents of precedents in a corpus; None if it has none of the papers.

    `titles_of_last` are unit vectors of the titles of the last documents, which the corpus lacks.
    """
    keys = np.asarray(corpus.columns.title_keys)
    places, rows = linked_papers(precedents, keys)
    if not (places >= 0).any():
        return None
    order = np.argsort(precedents.documents, kind="stable")
    documents = places_in(precedents.documents[order], keys)
    known_documents = np.flatnonzero(documents >= 0)
    vectors = corpus.vectors.vectors(known_documents)
    titles = np.zeros((len(precedents.documents), vectors.shape[1]), dtype=np.int8)
    titles[order[documents[known_documents]]] = encoded(vectors, "i8")
    if titles_of_last is not None and len(titles_of_last):
        titles[-len(titles_of_last) :] = encoded(titles_of_last, "i8")
    return CorpusPrecedents(precedents, places, rows, titles)


def linked_papers(
    precedents: Precedents, keys: NDArray[np.generic]
) -> tuple[NDArray[np.int32], Rows]:
    """Return the place among precedents of the paper of each row, and the row of each of theirs.

    `keys` are those of the titles of the rows, shape (n,). What is not known is -1; of several
    records of a paper the first has its row.
    """
    places = places_in(precedents.papers, keys)
    rows_with_place = np.flatnonzero(places >= 0)[::-1]
    rows = np.full(len(precedents), -1, dtype=np.int64)
    rows[places[rows_with_place]] = rows_with_place
    return places.astype(np.int32), rows


def precedent_scores(evidence: PrecedentEvidence) -> dict[str, Column]:
    """Return the scores by which precedents retrieve candidates, by their names in `RETRIEVED`."""
    return {
        "profile": np.asarray(evidence.profile * (1 + 0.1 * np.log1p(evidence.citations))),
        "alike_words_sum": evidence.alike_words_sum,
        "together": damped(evidence.together, evidence.citations),
        "subject": damped(evidence.subject, evidence.citations),
    }
