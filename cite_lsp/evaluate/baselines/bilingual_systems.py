"""Every system of task `bilingual` by its name: BLSRec, what it was compared with, and ours.

All but `default` read the same words: title, abstract and surnames of a paper, and of a context the
three sentences around the marker, or for `bm25` what stands nearest to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.evaluate.baselines.local_systems import PublishedSystem, Score
from cite_lsp.evaluate.tasks.local import LocalSystem
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.sparse_rows import SparseRows, Vocabulary
from cite_lsp.recommend.published.bilingual_bags import Bag, Bags, ContextPart, PaperPart
from cite_lsp.recommend.published.blsrec import BlsRec, BlsRecModel
from cite_lsp.recommend.published.cross_language import model_of
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.words.word_index import WordIndex
from cite_lsp.translate.translator import Translator

BLSREC = ("blsrec-1", "blsrec-2", "blsrec-3")
"""BLSRec I, II and III, with a trained model."""
BASELINES = ("cosine-ec", "tm", "ctm", "bm25")
"""cosine-ec: the context translated, against papers as they stand, and the context as it stands,
against papers translated; the sum of both. tm: the likelihood of the context
under the paper's translation model (Lu et al., CIKM 2011). ctm: references as words of another
language, into which contexts are translated (Huang et al., CIKM 2012). bm25: the translated text
nearest to the marker."""
BILINGUAL_SYSTEMS: tuple[str, ...] = (*BLSREC, *BASELINES, "default")
"""default: what the server runs over a corpus."""

NEAR_LEFT, NEAR_RIGHT = 80, 30
"""Characters before and behind the marker that bm25 reads."""
SMOOTHING = 0.3
"""λ of the translation model: how much of a word's likelihood comes from the whole pool."""


def open_baseline(
    name: str,
    pool: CorpusIndex,
    bags: Bags,
    translator: Translator,
    references: Mapping[str, Mapping[str, float]] | None,
) -> dict[str, LocalSystem]:
    """Open a baseline over a pool, under its name; `references` are what `ctm` has learned."""
    if name == "ctm":
        score = by_references(pool, bags, references or {})
    elif name == "bm25":
        score = by_translated_words(pool, translator)
    elif name == "tm":
        score = by_likelihood(pool, bags)
    else:
        score = by_both_cosines(pool, bags)
    return {name: PublishedSystem(pool, score)}


def open_blsrec(
    name: str, pool: CorpusIndex, bags: Bags, models: Mapping[str, Path]
) -> dict[str, LocalSystem]:
    """Open models over a pool, by label, or that which ships where there is none.

    All must be what the system's name promises.

    Raises:
        RankerError: a model cannot be read, or is of another variant than the system.
    """
    opened = {label: BlsRecModel.open(folder) for label, folder in models.items()}
    for label, model in opened.items():
        check_variant(name, models[label], model)
    return {
        label: PublishedSystem(pool, BlsRec(model, pool.papers, bags).scores)
        for label, model in (opened or {name: model_of(BLSREC.index(name) + 1)}).items()
    }


def check_variant(name: str, folder: Path, model: BlsRecModel) -> None:
    """Make sure that a model is the one that a system's name promises.

    Raises:
        RankerError: it is another.
    """
    if name != f"blsrec-{model.variant}":
        raise RankerError(
            f"{folder}: holds BLSRec {model.variant}; measure it as blsrec-{model.variant}"
        )


def by_cosine(pool: CorpusIndex, bags: Bags, context: ContextPart, paper: PaperPart) -> Score:
    """Score by the cosine of the TF-IDF vectors of a part of the context and of the paper."""
    vocabulary, rows = _weighted_vectors(pool, bags, paper)
    columns = rows.transposed()

    def score(query: Context) -> NDArray[np.float32]:
        scores = np.zeros(len(pool), dtype=np.float32)
        for place, value in zip(*vocabulary.vector(bags.of_context(query, context)), strict=True):
            numbers, weights = columns.row(int(place))
            scores[numbers] += value * weights
        return scores

    return score


def by_both_cosines(pool: CorpusIndex, bags: Bags) -> Score:
    """Score by the cosine in English and that in Chinese, either side translated."""
    english = by_cosine(pool, bags, "english", "english")
    chinese = by_cosine(pool, bags, "chinese", "chinese")
    return lambda query: english(query) + chinese(query)


def by_likelihood(pool: CorpusIndex, bags: Bags) -> Score:
    """Score by the logarithm of how likely a paper is to be put into the context's words.

    p(w | paper) = (1 - λ) Σ_e p(w | e) p(e | paper) + λ p(w | pool), e the words of the paper
    (p(w | pool) is the mean of the papers'):
    Berger and Lafferty, "Information retrieval as statistical translation", SIGIR 1999.
    """
    documents = [bags.of_paper(paper, "chinese") for paper in pool.papers]
    vocabulary = Vocabulary.of(documents)
    shares = vocabulary.counts([_shares(bag) for bag in documents]).transposed()
    whole = np.bincount(shares.numbers(), shares.values, minlength=len(vocabulary)) / len(pool)

    def score(query: Context) -> NDArray[np.float32]:
        scores = np.zeros(len(pool), dtype=np.float32)
        for word, times in bags.of_context(query, "chinese").items():
            place = vocabulary.place(word)
            if place is not None:
                numbers, likely = shares.row(place)
                odds = (1 - SMOOTHING) * likely / (SMOOTHING * whole[place])
                scores[numbers] += times * np.log1p(odds)  # what p(w | pool) alone adds is the same
        return scores

    return score


def by_references(
    pool: CorpusIndex, bags: Bags, shares: Mapping[str, Mapping[str, float]]
) -> Score:
    """Score by how likely a context's words are translated into a reference to the paper.

    p(paper | context) = Σ_w p(w | context) t(paper | w); `shares` are t, of each word the papers'
    ids (`cite_lsp.train.lexicon.reference_words`). A paper that no context has cited has no score.
    """
    columns = {}
    for word, row in shares.items():
        row_shares = {
            pool.row_of[name]: share for name, share in row.items() if name in pool.row_of
        }
        columns[word] = (
            np.array(list(row_shares), np.int64),
            np.array(list(row_shares.values()), np.float32),
        )

    def score(query: Context) -> NDArray[np.float32]:
        scores = np.zeros(len(pool), dtype=np.float32)
        for word, share in _shares(bags.of_context(query, "chinese")).items():
            if word in columns:
                rows, likely = columns[word]
                scores[rows] += share * likely
        return scores

    return score


def by_translated_words(pool: CorpusIndex, translator: Translator) -> Score:
    """Score by BM25 of the text nearest to the marker, translated, over all fields of the paper."""
    index = WordIndex.build(searched_text(paper) for paper in pool.papers)

    def score(query: Context) -> NDArray[np.float32]:
        near = f"{query.left[-NEAR_LEFT:]} {query.right[:NEAR_RIGHT]}"
        return index.scores(translator.translate([near])[0])

    return score


def _weighted_vectors(
    pool: CorpusIndex, bags: Bags, part: PaperPart
) -> tuple[Vocabulary, SparseRows]:
    documents: list[Bag] = [bags.of_paper(paper, part) for paper in pool.papers]
    vocabulary = Vocabulary.of(documents)
    return vocabulary, vocabulary.vectors(documents)


def _shares(bag: Bag) -> Bag:
    """Return a bag's counts as shares of all of them."""
    total = sum(bag.values())
    return {word: count / total for word, count in bag.items()}
