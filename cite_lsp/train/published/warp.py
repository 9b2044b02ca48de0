"""BLSRec's own training: online WARP, one pair at a time.

Source: Tang, Wan, Zhang, SIGIR 2014, Algorithm 1, after Weston, Bengio, Usunier, "WSABIE", 2011.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.sparse_rows import Places, SparseRows, Table
from cite_lsp.train.published.blsrec_examples import Examples, Maps, matrix
from cite_lsp.train.run.report import Steps

LEARNING_RATE = 0.01
"""λ."""
LONGEST = 1.0
"""The constraint on the norm of every word's vector (eq. 8–10)."""
MARGIN = 1.0
_FIRST_SAMPLE, _LARGEST_SAMPLE = 8, 512
_LONG_SEARCH = 128
"""Papers drawn in vain after which it is quicker to score the whole pool at once."""
_REPORTED_EVERY = 500


def random_maps(examples: Examples, dimensions: int, seed: int) -> Maps:
    """Return maps to start from, every weight from N(0, 1/√n)."""
    rng = np.random.default_rng(seed)

    def table(vectors: SparseRows) -> Table:
        shape = (vectors.width, dimensions)
        return rng.normal(0.0, 1 / np.sqrt(dimensions), shape).astype(np.float32)

    return {
        term.name: (table(examples.contexts[term.context]), table(examples.papers[term.paper]))
        for term in examples.terms
    }


class OnlineWarp:
    """Algorithm 1. `maps` change in place; an epoch visits every pair once, in random order."""

    def __init__(
        self,
        examples: Examples,
        maps: Maps,
        *,
        seed: int,
        learning_rate: float = LEARNING_RATE,
        longest: float = LONGEST,
    ) -> None:
        """Take the weights to start from, shortened to the norm constraint."""
        self.maps = maps
        self._examples = examples
        self._rate = learning_rate
        self._longest = longest
        self._seed = seed
        # L(k) = Σ α_i, α_i = 1/i: what a rank of k costs.
        harmonic = np.cumsum(1 / np.arange(1, examples.pool + 1))
        self._loss = np.concatenate([[0.0], harmonic]).astype(np.float32)
        self._papers = {part: matrix(rows) for part, rows in examples.papers.items()}
        # The context at hand, spread out: what the identity terms are multiplied with.
        self._spread = {
            term.name: np.zeros(examples.contexts[term.context].width, dtype=np.float32)
            for term in examples.terms
            if term.identity
        }
        for tables in maps.values():
            for table in tables:
                self._shorten(table, np.arange(len(table), dtype=np.int32))

    def epoch(self, number: int, progress: Steps = lambda done, total: None) -> None:
        """Take a step for every pair. The random numbers depend on seed and number alone."""
        rng = np.random.default_rng((self._seed, number))
        pairs = self._examples.pairs
        for done, place in enumerate(rng.permutation(len(pairs)), 1):
            self._step(int(pairs[place, 0]), int(pairs[place, 1]), rng)
            if done % _REPORTED_EVERY == 0:
                progress(done, len(pairs))

    def _step(self, context: int, paper: int, rng: np.random.Generator) -> None:
        """Look for a paper ranked above the cited one or nearly so, and push the two apart."""
        examples = self._examples
        texts = {term.name: examples.contexts[term.context].row(context) for term in examples.terms}
        mapped = {
            name: values @ self.maps[name][0][places] for name, (places, values) in texts.items()
        }
        for name, spread in self._spread.items():
            places, values = texts[name]
            spread[places] = values
        violation = self._violator(context, paper, mapped, rng)
        for name, spread in self._spread.items():
            spread[texts[name][0]] = 0.0
        if violation is None:
            return
        other, tried = violation
        # The rank is estimated from how long the search took (eq. 7).
        weight = self._rate * float(self._loss[max((examples.pool - 1) // tried, 1)])
        for term in examples.terms:
            context_map, paper_map = self.maps[term.name]
            places, values = texts[term.name]
            right, wrong = (examples.papers[term.paper].row(row) for row in (paper, other))
            pull = right[1] @ paper_map[right[0]] - wrong[1] @ paper_map[wrong[0]]
            context_map[places] += np.outer(weight * values, pull)
            paper_map[right[0]] += np.outer(weight * right[1], mapped[term.name])
            paper_map[wrong[0]] -= np.outer(weight * wrong[1], mapped[term.name])
            self._shorten(context_map, places)
            self._shorten(paper_map, right[0])
            self._shorten(paper_map, wrong[0])

    def _violator(
        self,
        context: int,
        paper: int,
        mapped: Mapping[str, NDArray[np.float32]],
        rng: np.random.Generator,
    ) -> tuple[int, int] | None:
        """Draw papers until one scores above the cited one less the margin.

        Returns it and how many were drawn; None after as many as there are others.
        """
        cited = self._examples.cited[context]
        needed = self._scores(np.array([paper]), mapped)[0] - MARGIN
        others = self._examples.pool - 1
        tried, size = 0, _FIRST_SAMPLE
        whole: NDArray[np.float64] | None = None
        while tried < others:
            rows = rng.integers(0, others + 1, size)
            if whole is None and tried >= _LONG_SEARCH:
                whole = self._all_scores(mapped)
            scores = self._scores(rows, mapped) if whole is None else whole[rows]
            for place in np.flatnonzero(scores > needed):
                if int(rows[place]) not in cited:
                    return int(rows[place]), tried + int(place) + 1
            tried += size
            size = min(4 * size, _LARGEST_SAMPLE)
        return None

    def _scores(
        self, rows: NDArray[np.int64], mapped: Mapping[str, NDArray[np.float32]]
    ) -> NDArray[np.float64]:
        """Score papers: each word adds what its vector has in common with the context."""
        total = np.zeros(len(rows))
        words: dict[str, tuple[SparseRows, NDArray[np.int64]]] = {}
        for term in self._examples.terms:
            if term.paper not in words:
                taken = self._examples.papers[term.paper].take(rows)
                words[term.paper] = taken, taken.numbers()
            taken, numbers = words[term.paper]
            products = self.maps[term.name][1][taken.places] @ mapped[term.name]
            if term.identity:
                products += self._spread[term.name][taken.places]
            total += np.bincount(numbers, products * taken.values, minlength=len(rows))
        return total

    def _all_scores(self, mapped: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        """Score the whole pool as `_scores` does, word by word of the language."""
        total = np.zeros(self._examples.pool)
        for term in self._examples.terms:
            words = self.maps[term.name][1] @ mapped[term.name]
            if term.identity:
                words += self._spread[term.name]
            total += self._papers[term.paper] @ words
        return total

    def _shorten(self, table: Table, places: Places) -> None:
        """Project the vectors of words back onto the ball that they must stay in (eq. 8–10)."""
        lengths = np.linalg.norm(table[places], axis=1)
        long = lengths > self._longest
        if long.any():
            table[places[long]] *= (self._longest / lengths[long])[:, None]
