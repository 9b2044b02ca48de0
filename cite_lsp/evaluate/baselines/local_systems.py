"""Every system of task `local` by its name: the Recommender as the server runs it, and baselines.

Published systems are measured exactly as in their papers: every paper of the pool is compared with
the context, not a graph's neighbours, with whatever checkpoints they are given. A system may be
measured in several variants, the last of which bears its name: phase 1 alone, and phase 2 over so
many candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.checkpoints import available
from cite_lsp.encode.encoder import Encoder, Vectors, unit
from cite_lsp.encode.kinds.headed import HeadedEncoder
from cite_lsp.encode.kinds.hierarchical import HierarchicalEncoder
from cite_lsp.evaluate.task_pool import load_pool_encoder, pool_tfidf, pool_vectors
from cite_lsp.evaluate.tasks.local import LocalSystem, ranked_rows
from cite_lsp.evaluate.tasks.phases import DEPTHS
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.similarity import nearest_to_cited
from cite_lsp.recommend.corpus.recommender import CORPUS_SYSTEMS, CorpusRecommender
from cite_lsp.recommend.evidence.corpus_precedents import (
    CorpusPrecedents,
    link_precedents,
    shipped_precedents,
)
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.published.methods import MethodChoice, Methods
from cite_lsp.recommend.published.two_phase import reordered, rounded
from cite_lsp.recommend.query.content import content_text
from cite_lsp.recommend.query.query import macro_window, wide_window
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.vectors.precision import HalfVectors
from cite_lsp.search.words.word_index import WordIndex

Score = Callable[[Context], NDArray[np.float32]]
"""Gives every paper of the pool a score for a context, shape (n,)."""
Nearest = Callable[[Sequence[int], Sequence[int]], NDArray[np.float32]]
"""Returns how near rows of the pool, r of them, are to those that the section cites, shape (r,)."""


@frozen
class RankedPaper:
    """A paper of the pool, by its row, and its score."""

    row: int
    score: float


Text = Callable[[Context], str]
"""What of a context is compared with the papers."""


def by_words(index: WordIndex, text: Text = wide_window) -> Score:
    """Score by the words of the context and the papers, as the index weighs them."""
    return lambda context: index.scores(text(context))


class EncoderScore:
    """A score by the cosine of the context and title + abstract (phase 1).

    Source: Tanaka et al., section 3.1.
    """

    def __init__(self, encoder: Encoder, vectors: HalfVectors, text: Text = wide_window) -> None:
        """Take the vectors of the pool's papers, (n, dimensions)."""
        self._encoder = encoder
        self._matrix = unit(vectors)
        self._text = text
        self._ahead: dict[str, Vectors] = {}

    def encode_ahead(self, contexts: Sequence[Context]) -> None:
        """Encode contexts together, which torch does several times as fast as one by one."""
        texts = list(dict.fromkeys(map(self._text, contexts)))
        self._ahead = dict(zip(texts, self._encoder.encode(texts), strict=True))

    def __call__(self, context: Context) -> NDArray[np.float32]:
        """Return the cosines, shape (n,)."""
        text = self._text(context)
        vector = self._ahead.get(text)
        if vector is None:
            vector = self._encoder.encode([text])[0]
        return np.asarray(self._matrix @ vector)


def by_cosine(vectors: HalfVectors) -> Nearest:
    """Compare papers by their greatest cosine to one that is cited (see `nearest_to_cited`)."""
    return partial(nearest_to_cited, vectors.__getitem__)


def by_cocitation(precedents: Precedents, corpus_precedents: CorpusPrecedents) -> Nearest:
    """Compare papers by how often documents cite them beside one that is cited.

    What phase 2 teaches an encoder is who is cited together. This takes the citations themselves,
    so it shows how far knowing all of them would go.
    """

    def nearest(rows: Sequence[int], cited: Sequence[int]) -> NDArray[np.float32]:
        places = corpus_precedents.places[np.asarray(rows, dtype=np.int64)]
        beside = precedents.cited_beside(
            [
                int(place)
                for place in corpus_precedents.places[np.asarray(cited, dtype=np.int64)]
                if place >= 0
            ]
        )
        return np.where(places >= 0, beside[np.maximum(places, 0)], 0.0).astype(np.float32)

    return nearest


def in_steps(nearest: Nearest) -> Nearest:
    """Compare papers as `nearest` does, rounded to steps (see `two_phase.rounded`)."""
    return lambda rows, cited: rounded(nearest(rows, cited))


class PublishedSystem:
    """Ranks the papers of a pool by a score, the first `depth` reordered by phase 2 if given."""

    def __init__(
        self,
        corpus: CorpusView,
        score: Score,
        *,
        reranker: Nearest | None = None,
        depth: int = DEPTHS[-1],
        added: bool = False,
    ) -> None:
        """Phase 2 needs a `reranker`, which returns how near papers are to those cited.

        Where it is `added`, the first candidates are ordered by the sum of both scores, each
        standardised among them, instead of by the second alone.
        """
        self.corpus = corpus
        self._score = score
        self._reranker = reranker
        self._depth = depth
        self._added = added

    def encode_ahead(self, contexts: Sequence[Context]) -> None:
        """See `EncodesAhead`."""
        if isinstance(self._score, EncoderScore):
            self._score.encode_ahead(contexts)

    def rank(
        self,
        context: Context,
        *,
        limit: int = 100,
        allowed: NDArray[np.bool_] | None = None,
        cited: Collection[int] = (),
    ) -> list[RankedPaper]:
        """Return up to `limit` papers, best first.

        `allowed` is true of every row that may be ranked, `cited` are the rows that the section
        already cites.
        """
        scores = np.asarray(self._score(context), dtype=np.float32)
        rows = ranked_rows(scores, max(limit, self._depth), allowed)
        best = scores[rows]
        if self._reranker is not None and cited and len(rows):
            rows, best = self._rerank(rows, best, sorted(set(cited)))
        return [RankedPaper(int(row), float(score)) for row, score in zip(rows, best, strict=True)][
            :limit
        ]

    def _rerank(
        self, rows: NDArray[np.int64], scores: NDArray[np.float32], cited: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Order the first rows by how near they are to the cited papers (phase 2).

        The rest follow as they were, below all of them.
        """
        assert self._reranker is not None  # `rank` calls this only where there is one
        first = rows[: self._depth]
        nearest = self._reranker(first.tolist(), cited)
        if self._added:
            nearest = standardised(scores[: self._depth]) + standardised(nearest)
        order, reordered_scores = reordered(scores, nearest)
        return rows[order], reordered_scores


def standardised(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores with mean 0 and deviation 1, all 0 where they are all the same."""
    spread = float(scores.std())
    return np.asarray((scores - scores.mean()) / spread if spread > 0 else 0 * scores, np.float32)


PUBLISHED = ("tfidf", "static", "tanaka-phase1", "tanaka", "mp-bert4cr")
"""tfidf: cosine of TF-IDF vectors. static: the static encoder. tanaka-phase1 and tanaka: the two
phases of Tanaka et al. mp-bert4cr: Zhang and Ma, whose query has the titles of draft and section,
too (an encoder of two levels has that of any system, sentence by sentence). With the checkpoints
named, or else those of these names if installed."""
CO_CITATION = "co-citation"
"""In place of a checkpoint of phase 2: how often papers are cited together, by the precedents that
ship."""
LOCAL_SYSTEMS: tuple[str, ...] = (*CORPUS_SYSTEMS[:-1], *PUBLISHED, CORPUS_SYSTEMS[-1])


@frozen
class Checkpoints:
    """What encodes in the two phases of a published system; without, those that are installed.

    `encoders` are checkpoints for phase 1, a variant of the system each; `reranker` is the one for
    phase 2, or `CO_CITATION`.
    """

    encoders: Sequence[str] = ()
    reranker: str | None = None


def open_system(
    name: str,
    corpus: CorpusIndex,
    *,
    checkpoints: Checkpoints,
    depths: Sequence[int],
    stage: Stage,
    note: Callable[[str], None],
) -> dict[str, LocalSystem]:
    """Open a system over a pool: its variants by name, the one that bears the system's name last.

    Phase 2 reorders as many candidates as each of `depths`. `note` is called with what stands in
    for a checkpoint that is not installed.

    Raises:
        EncoderError: a checkpoint is not there or cannot run.
        RankerError: the precedents cannot be read, or know none of the papers.
        SearchIndexError: vectors of the pool cannot be stored.
    """
    if name in CORPUS_SYSTEMS:
        encoder = None if name == "bm25" else CachedEncoder(load_encoder(), disk_size=500_000)
        return {name: CorpusRecommender(corpus, encoder, system=name)}
    if name == "tfidf":
        return {name: PublishedSystem(corpus, by_words(pool_tfidf(corpus)))}
    model_name = "tanaka-phase1" if name == "tanaka" else name
    named = list(checkpoints.encoders) or [
        name if name == "static" else installed(model_name, note)
    ]
    text = macro_window if name == "mp-bert4cr" else wide_window
    scores = [_phase_1(corpus, encoder, stage, text) for encoder in named]
    if name == "tanaka":
        return _with_phase_2(corpus, scores[-1], checkpoints.reranker, depths, stage, note)
    labels = [*(f"{name}, {encoder}" for encoder in named[:-1]), name]
    return {
        label: PublishedSystem(corpus, score) for label, score in zip(labels, scores, strict=True)
    }


def open_methods(corpus: CorpusIndex, names: Sequence[str]) -> dict[str, LocalSystem]:
    """Open what the server runs over a pool where a writer has chosen methods, under their names.

    Raises:
        EncoderError: the default encoder cannot run.
    """
    encoder = CachedEncoder(load_encoder(), disk_size=500_000)
    methods = Methods(MethodChoice(tuple(names)))
    return {" or ".join(names): CorpusRecommender(corpus, encoder, methods=methods)}


def misfit(name: str, checkpoints: Checkpoints) -> str:
    """Return which checkpoints a system would do nothing with, and which take them; "" for none."""
    if checkpoints.encoders and name not in PUBLISHED[1:]:
        others = f"{', '.join(PUBLISHED[1:-1])} and {PUBLISHED[-1]}"
        return f"system {name} takes no checkpoint of phase 1; {others} do"
    if checkpoints.reranker and name != "tanaka":
        return f"system {name} takes no checkpoint of phase 2; tanaka does"
    return ""


def _with_phase_2(
    corpus: CorpusIndex,
    score: Score,
    reranker: str | None,
    depths: Sequence[int],
    stage: Stage,
    note: Callable[[str], None],
) -> dict[str, LocalSystem]:
    nearest = _phase_2(corpus, reranker, stage, note)
    systems: dict[str, LocalSystem] = {
        "phase 1 alone": PublishedSystem(corpus, score),
        "phase 2 added": PublishedSystem(corpus, score, reranker=nearest, added=True),
    }
    if reranker != CO_CITATION:  # whose nearness is no cosine
        stepped = in_steps(nearest)
        for depth in sorted(depths):
            systems[f"phase 2 in steps, k = {depth}"] = PublishedSystem(
                corpus, score, reranker=stepped, depth=depth
            )
    for depth in sorted(depths):
        label = "tanaka" if depth == max(depths) else f"tanaka, k = {depth}"
        systems[label] = PublishedSystem(corpus, score, reranker=nearest, depth=depth)
    return systems


def _phase_2(
    corpus: CorpusIndex, reranker: str | None, stage: Stage, note: Callable[[str], None]
) -> Nearest:
    if reranker == CO_CITATION:
        precedents = shipped_precedents()
        corpus_precedents = link_precedents(corpus, precedents)
        if corpus_precedents is None:
            raise RankerError(f"--reranker {CO_CITATION}: no citation of these papers is known")
        return by_cocitation(precedents, corpus_precedents)
    encoder = load_pool_encoder(reranker or installed("tanaka-phase2", note))
    return by_cosine(pool_vectors(corpus, encoder, stage))


def _phase_1(corpus: CorpusIndex, name: str, stage: Stage, text: Text) -> Score:
    papers, queries = load_pool_encoder(name), load_encoder(name)
    if isinstance(queries, HeadedEncoder):  # several heads share what one encoder made
        queries.base = CachedEncoder(queries.base, disk_size=500_000)
    if isinstance(queries, HierarchicalEncoder):
        text = content_text
    for encoder in (papers, queries):
        if isinstance(encoder, HierarchicalEncoder):
            encoder.keep_sentences()
    return EncoderScore(queries, pool_vectors(corpus, papers, stage), text)


def installed(name: str, note: Callable[[str], None]) -> str:
    """Return the name of a checkpoint, or of the default one where it is not installed."""
    if any(checkpoint.name == name for checkpoint in available()):
        return name
    note(f"no checkpoint {name} is installed: the default encoder, not trained for it, stands in")
    return "default"
