"""Every system of task `local` by its name: the Recommender as the server runs it, and baselines.

A system may be measured in several variants, the last of which bears its name: phase 1 alone, and
phase 2 over so many candidates.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from attrs import frozen

from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.checkpoints import available
from cite_lsp.encode.headed import HeadedEncoder
from cite_lsp.encode.hierarchical import FrozenSentences, HierarchicalEncoder
from cite_lsp.evaluate.baselines.published import (
    Nearest,
    PublishedSystem,
    Score,
    Text,
    by_cocitation,
    by_cosine,
    by_encoder,
    by_words,
    in_steps,
)
from cite_lsp.evaluate.task_pool import MAX_TOKENS, pool_tfidf, pool_vectors
from cite_lsp.evaluate.tasks.local import LocalSystem
from cite_lsp.evaluate.tasks.phases import DEPTHS
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.corpus.recommender import CORPUS_SYSTEMS, CorpusRecommender, CorpusSystem
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.shipped_precedents import shipped_precedents
from cite_lsp.recommend.published.methods import MethodChoice, Methods
from cite_lsp.recommend.query.content import content_text
from cite_lsp.recommend.query.query import macro_window, wide_window
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.steps import Stage

PUBLISHED = ("tfidf", "static", "tanaka-phase1", "tanaka", "mp-bert4cr")
"""tfidf: cosine of TF-IDF vectors. static: the static encoder. tanaka-phase1 and tanaka: the two
phases of Tanaka et al. mp-bert4cr: Zhang and Ma, whose query has the titles of draft and section,
too (an encoder of two levels has that of any system, sentence by sentence). With the checkpoints
named, or else those of these names if installed."""
_SENTENCES = 1_000_000
"""Sentences whose vectors are kept on disk, where a frozen encoder makes them for several."""
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
    checkpoints: Checkpoints = Checkpoints(),
    depths: Sequence[int] = DEPTHS[-1:],
    stage: Stage | None = None,
    note: Callable[[str], None] = lambda message: None,
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
        return {name: CorpusRecommender(corpus, encoder, system=_recommender_system(name))}
    if name == "tfidf":
        return {name: PublishedSystem(corpus, by_words(pool_tfidf(corpus)))}
    own = "tanaka-phase1" if name == "tanaka" else name
    named = list(checkpoints.encoders) or [name if name == "static" else installed(own, note)]
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
    stage: Stage | None,
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
    corpus: CorpusIndex, reranker: str | None, stage: Stage | None, note: Callable[[str], None]
) -> Nearest:
    if reranker == CO_CITATION:
        precedents = shipped_precedents()
        known = link_precedents(corpus, precedents)
        if known is None:
            raise RankerError(f"--reranker {CO_CITATION}: no citation of these papers is known")
        return by_cocitation(precedents, known)
    checkpoint = reranker or installed("tanaka-phase2", note)
    encoder = load_encoder(checkpoint, threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
    return by_cosine(pool_vectors(corpus, encoder, stage))


def _phase_1(corpus: CorpusIndex, name: str, stage: Stage | None, text: Text) -> Score:
    papers = load_encoder(name, threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
    queries = load_encoder(name)
    if isinstance(queries, HeadedEncoder):  # several heads share what one encoder made
        queries.base = CachedEncoder(queries.base, disk_size=500_000)
    if isinstance(queries, HierarchicalEncoder):
        text = content_text
    for encoder in (papers, queries):  # what was frozen makes the same sentences for several
        frozen = getattr(encoder, "sentences", None)
        if isinstance(frozen, FrozenSentences):
            frozen.encoder = CachedEncoder(frozen.encoder, disk_size=_SENTENCES)
    return by_encoder(queries, pool_vectors(corpus, papers, stage), text)


def installed(name: str, note: Callable[[str], None]) -> str:
    """Return the name of a checkpoint, or of the default one where it is not installed."""
    if any(checkpoint.name == name for checkpoint in available()):
        return name
    note(f"no checkpoint {name} is installed: the default encoder, not trained for it, stands in")
    return "default"


def _recommender_system(name: str) -> CorpusSystem:
    return next(system for system in CORPUS_SYSTEMS if system == name)
