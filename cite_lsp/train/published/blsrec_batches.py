"""BLSRec trained in batches: faster than one pair at a time, and better.

Every context is compared with the papers that its batch cites and with random ones of the pool, by
the cross-entropy of a softmax over all of them instead of one violated margin; weights follow
Adagrad (Duchi, Hazan, Singer, JMLR 2011).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.sparse_rows import Table, Vocabulary
from cite_lsp.recommend.published.bilingual_bags import Bags
from cite_lsp.recommend.published.blsrec import LANGUAGES
from cite_lsp.train.published.blsrec_examples import Examples, Maps, matrix
from cite_lsp.train.run.report import Steps

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

LEARNING_RATE = 0.005
ALONE_RATE = 0.02
"""The rate of a variant without identity parts, whose maps have everything to learn."""
BATCH = 512
RANDOM_PAPERS = 1024
"""Papers of the pool that every batch is compared with, beside its own."""
TEMPERATURE = 0.1
"""Scores are divided by it before the softmax: cosines end at 1."""
_FIRST_SQUARE = 1e-6
"""What the sums of squared gradients begin with."""
_BESIDE_IDENTITY = 0.1
"""How long vectors are at first where the identity parts work without them."""


def lexicon_maps(
    examples: Examples,
    vocabularies: Mapping[str, Vocabulary],
    bags: Bags,
    dimensions: int,
    seed: int,
) -> Maps:
    """Return maps to start from that know the lexicon.

    Every English word gets a random vector, the same on both sides, and every Chinese word the mean
    of its translations, so that the first product is roughly that of translated texts. Where a
    variant has identity parts for that, all vectors start small and leave it to them.
    """
    rng = np.random.default_rng(seed)
    english = vocabularies["english"]
    shape = (len(english), dimensions)
    vectors = rng.normal(0.0, 1 / np.sqrt(dimensions), shape).astype(np.float32)
    tables = {"english": vectors, "chinese": np.zeros((0, dimensions), np.float32)}
    tables["chinese"] = np.array(
        [_meaning(word, english, vectors, bags) for word in vocabularies["chinese"].words],
        dtype=np.float32,
    ).reshape(-1, dimensions)
    maps: Maps = {}
    beside = any(term.identity for term in examples.terms)
    scale = np.float32(_BESIDE_IDENTITY if beside else 1.0)
    for term in examples.terms:
        context, paper = (tables[LANGUAGES[part]] for part in (term.context, term.paper))
        maps[term.name] = (scale * context, scale * paper)
    return maps


def _meaning(word: str, english: Vocabulary, vectors: Table, bags: Bags) -> Table:
    """Return the mean of the vectors of a word's translations, by how likely they are."""
    total = np.zeros(vectors.shape[1], dtype=np.float32)
    for translation, share in bags.senses(word):
        place = english.place(translation)
        if place is not None:
            total += share * vectors[place]
    return total


class SoftmaxBatches:
    """`maps` change in place; an epoch visits every pair once, in random order."""

    def __init__(
        self,
        examples: Examples,
        maps: Maps,
        *,
        seed: int,
        learning_rate: float = 0.0,
        frozen: Collection[str] = (),
    ) -> None:
        """Take the weights to start from; a rate of 0 is the variant's own.

        The terms of the names `frozen` stay as they are, and the others learn what those leave.
        """
        self.maps = maps
        self._examples = examples
        self._seed = seed
        beside = any(term.identity for term in examples.terms)
        self._rate = learning_rate or (LEARNING_RATE if beside else ALONE_RATE)
        self._frozen = frozenset(frozen)
        self._squares = {
            name: tuple(np.full_like(table, _FIRST_SQUARE) for table in tables)
            for name, tables in maps.items()
        }

    def epoch(self, number: int, progress: Steps = lambda done, total: None) -> None:
        """Take the steps of all batches. The random numbers depend on seed and number alone."""
        rng = np.random.default_rng((self._seed, number))
        pairs = self._examples.pairs
        order = rng.permutation(len(pairs))
        for start in range(0, len(order), BATCH):
            batch = pairs[order[start : start + BATCH]]
            others = rng.integers(0, self._examples.pool, RANDOM_PAPERS)
            self._step(batch, np.unique(np.concatenate([batch[:, 1], others])))
            progress(min(start + BATCH, len(order)), len(order))

    def _step(self, batch: NDArray[np.int64], pool: NDArray[np.int64]) -> None:
        examples, rows = self._examples, batch[:, 0]
        texts = {
            term.name: matrix(examples.contexts[term.context].take(rows)) for term in examples.terms
        }
        papers = {
            term.name: matrix(examples.papers[term.paper].take(pool)) for term in examples.terms
        }
        mapped_texts = np.concatenate(
            [texts[term.name] @ self.maps[term.name][0] for term in examples.terms], axis=1
        )
        mapped_papers = np.concatenate(
            [papers[term.name] @ self.maps[term.name][1] for term in examples.terms], axis=1
        )
        scores = mapped_texts @ mapped_papers.T
        for term in examples.terms:
            if term.identity:
                scores += (texts[term.name] @ papers[term.name].T).toarray()
        slope = self._slope(scores, batch, pool)
        text_slope, paper_slope = slope @ mapped_papers, slope.T @ mapped_texts
        start = 0
        for term in examples.terms:
            context_map, paper_map = self.maps[term.name]
            term_columns = slice(start, start + context_map.shape[1])
            start = term_columns.stop
            if term.name in self._frozen:
                continue
            squares = self._squares[term.name]
            self._move(context_map, squares[0], texts[term.name], text_slope[:, term_columns])
            self._move(paper_map, squares[1], papers[term.name], paper_slope[:, term_columns])

    def _slope(self, scores: Table, batch: NDArray[np.int64], pool: NDArray[np.int64]) -> Table:
        """Return the derivatives of the mean cross-entropy by the scores, (pairs, pool).

        Other papers that a context cites are no wrong answers: they are left out.
        """
        right = np.searchsorted(pool, batch[:, 1])
        pairs = np.arange(len(batch))
        scores = scores / TEMPERATURE
        for row, (context, paper) in enumerate(batch):
            for other in self._examples.cited[context]:
                place = int(np.searchsorted(pool, other))
                if other != paper and place < len(pool) and pool[place] == other:
                    scores[row, place] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        likely = np.exp(scores)
        likely /= likely.sum(axis=1, keepdims=True)
        likely[pairs, right] -= 1.0
        return np.asarray(likely / (TEMPERATURE * len(batch)), dtype=np.float32)

    def _move(self, table: Table, squares: Table, rows: csr_matrix, slope: Table) -> None:
        """Take Adagrad's step for the words that stand in the rows, the others' slope being 0."""
        words, places = np.unique(rows.indices, return_inverse=True)
        shape = (rows.shape[0], len(words))
        slopes = np.asarray(type(rows)((rows.data, places, rows.indptr), shape).T @ slope)
        squares[words] += slopes**2
        table[words] -= self._rate * slopes / np.sqrt(squares[words])
