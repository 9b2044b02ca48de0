"""Held-out contexts by which late interaction is given its weight: what it adds to the trees.

Trees, precedents and encoders are those that ship and do not change; candidates are retrieved as
for learning (`train/rankers/late_interaction.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Encoder, TokenStates, reading_of
from cite_lsp.encode.kinds.static import StaticEncoder
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import Ranker
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.late_interaction import LateInteraction, LateStage, SpecialTokens
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import BETWEEN, HERE, query_text
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.storage.array_folder import places_in
from cite_lsp.train.rankers.groups import Groups, fit_temperature
from cite_lsp.train.run.report import TrainingError

FIRST = 30
"""Papers that are compared; more of them gain nothing (docs/research/experiments.md)."""
WEIGHTS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
"""Weights of its scores that are tried."""
CONTEXT, ROW, LOGIT = range(3)
"""What is known of a candidate: the number of the context, its row in the pool, what trees say."""
COLUMNS = 3


@frozen
class Settings:
    """What decides the result, beside the data.

    word_rate: the rate at which the weights of single words learn. dimensions: of the space in
    which words are compared. hidden: the width of the network's one layer.
    """

    epochs: int = 2
    batch: int = 24
    learning_rate: float = 2e-3
    word_rate: float = 1e-3
    dimensions: int = 128
    hidden: int = 32
    seed: int = 13


@frozen
class ShippedModels:
    """What the recipe learns with: the trees and precedents of corpora, the encoders, the words."""

    retrieval: Retrieval
    ranker: Ranker
    precedents: Precedents
    encoder: Encoder
    query_encoder: Encoder
    words: StaticEncoder

    @cached_property
    def signs(self) -> SpecialTokens:
        """The tokens that stand for no word in what contexts ask with.

        Raises:
            TrainingError: the query encoder does not tell how it reads.
        """
        reading = reading_of(self.query_encoder, f"{HERE} {BETWEEN}")
        if reading is None:
            raise TrainingError(
                f"{self.query_encoder.name}: does not tell how it reads words; name one that"
                " `train query-encoder` has written"
            )
        start, here, border = reading.tokens[:3].tolist()
        return SpecialTokens(here, border, start)

    @property
    def corpus(self) -> CorpusIndex:
        """The pool."""
        corpus = self.retrieval.corpus
        assert isinstance(corpus, CorpusIndex)
        return corpus


def rows_of(row: LabelledContext, corpus: CorpusIndex) -> list[int]:
    """Return where the papers with an abstract stand in a pool that a context cites."""
    return [corpus.row_of[name] for name in row.cited_abs if name in corpus.row_of]


def reading_of_context(row: LabelledContext, models: ShippedModels) -> TokenStates:
    """Return how the query encoder reads a context; one that does not tell is refused before."""
    reading = reading_of(models.query_encoder, query_text(row.context))
    assert reading is not None  # the text is not empty
    return reading


@frozen
class InteractionTask:
    """Held-out contexts with all their candidates, ranked by the trees."""

    rows: Sequence[LabelledContext]
    groups: Groups
    models: ShippedModels

    def scores(
        self, interaction: LateInteraction, progress: Callable[[int, int], None]
    ) -> list[tuple[NDArray[np.int64], Column]]:
        """Return the first candidates of each context, (k,), and their scores, (k,)."""
        scores = []
        for number, (columns, _) in enumerate(self._parts()):
            first = np.argsort(-columns[:, LOGIT], kind="stable")[:FIRST]
            papers = columns[first, ROW].astype(np.int64).tolist()
            reading = reading_of_context(self.rows[number], self.models)
            titles = [self.models.corpus.title(paper) for paper in papers]
            scores.append((first, interaction.scores(reading, titles)))
            progress(number + 1, len(self.rows))
        return scores

    def logits(
        self, scores: Sequence[tuple[NDArray[np.int64], Column]], stage: LateStage
    ) -> list[Column]:
        """Return the logits of each context's candidates, (r,), with what a stage adds to them."""
        sums = []
        for (columns, _), (first, stage_scores) in zip(self._parts(), scores, strict=True):
            logits = columns[:, LOGIT].copy()
            logits[first] += stage.weighted(stage_scores)
            sums.append(logits)
        return sums

    def figures(self, logits: Sequence[Column]) -> dict[str, float]:
        """Return MRR@10 and Recall@10 of all contexts and of those whose papers nobody cited."""
        by_context = []
        for row, (_, labels), context_logits in zip(self.rows, self._parts(), logits, strict=True):
            best = labels[np.argsort(-context_logits, kind="stable")[:10]] > 0
            rank = 1 / (1 + int(np.argmax(best))) if best.any() else 0.0
            by_context.append((rank, float(best.sum()) / len(rows_of(row, self.models.corpus))))
        all_of, figures = np.array(by_context), {}
        for name, part in (("", all_of), ("unseen ", all_of[self._unseen])):
            if len(part):
                figures[f"{name}MRR@10"] = float(part[:, 0].mean())
                figures[f"{name}Recall@10"] = float(part[:, 1].mean())
        return figures

    def temperature(self, logits: Sequence[Column]) -> float:
        """Return what logits are best divided by, see `fit_temperature`."""
        finding = [labels.any() for _, labels in self._parts()]
        retrieved = [
            context_logits for context_logits, finds in zip(logits, finding, strict=True) if finds
        ]
        part = np.repeat(finding, self.groups.sizes)
        groups = Groups(
            self.groups.features[part], self.groups.relevance[part], self.groups.sizes[finding]
        )
        return fit_temperature(np.concatenate(retrieved).astype(np.float64), groups)

    @cached_property
    def _unseen(self) -> NDArray[np.bool_]:
        """Which contexts cite papers that precedents do not know."""
        precedents, corpus = self.models.precedents, self.models.corpus
        keys = np.asarray(corpus.columns.title_keys)
        relevant = [keys[rows_of(row, corpus)] for row in self.rows]
        return np.array(
            [(places_in(precedents.papers, wanted_keys) < 0).all() for wanted_keys in relevant]
        )

    def _parts(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int8]]]:
        end = 0
        for size in self.groups.sizes.tolist():
            start, end = end, end + size
            yield self.groups.features[start:end], self.groups.relevance[start:end]


def choose(
    task: InteractionTask,
    scores: Sequence[tuple[NDArray[np.int64], Column]],
    interaction: LateInteraction,
) -> tuple[LateStage, dict[str, dict[str, float]]]:
    """Return the stage of the weight that does best, all contexts and unseen ones taken together.

    With it the figures of the trees alone, and of both.
    """
    trees = LateStage(interaction, FIRST, 0.0, 1.0)
    figures = {
        weight: task.figures(task.logits(scores, evolve(trees, weight=weight)))
        for weight in WEIGHTS
    }
    best = max(figures, key=lambda weight: sum(figures[weight].values()))
    stage = evolve(trees, weight=best)
    stage = evolve(stage, temperature=round(task.temperature(task.logits(scores, stage)), 4))
    return stage, {"trees": figures[0.0], "learned": figures[best]}
