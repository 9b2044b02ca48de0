"""Confidence: how likely a sentence lacks a citation of a given paper.

It combines the citation worthiness of the sentence, the score of the paper (given that something is
cited) and the paper's reasons, by a logistic regression that was fitted on drafts whose citations
had been removed from some sections.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import frozen

from cite_lsp.manuscript import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import RankerError, model_config
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.base.short_names import methods_of, names_in_text, people_of

MODEL = "missing-citations"
SIGNS = (
    "worthiness",
    "score",
    "people_named",
    "method_named",
    "author_there",
    "title_words",
    "title_match",
    "similarity",
    "cited_alike",
    "cited_elsewhere",
    "chinese",
)
"""The features of a paper for a sentence, see `signs_of`."""
_LEAST_SHARE = 1e-4
_GREATEST_LOG_ODDS = 50.0
_MOST_WORDS, _MOST_TIMES = 4.0, 10.0

Signs = tuple[float, ...]
Sureness = Callable[[Signs], float]
"""Returns how likely a sentence should cite a paper, from its features, 0 to 1."""


def signs_of(
    context: Context,
    worthiness: float,
    recommendations: Sequence[Recommendation],
    title_match: Mapping[str, float],
    times: Callable[[str], int],
) -> list[Signs]:
    """Return the features of each paper for a sentence, in the order of `SIGNS`.

    Args:
        context: Where the citation would stand.
        worthiness: How likely the sentence needs one.
        recommendations: The papers.
        title_match: BM25 of the sentence over the titles of the library, by key.
        times: How often a word stands in the draft: frequent words do not name anybody.

    `worthiness` and `score` are log odds; `title_words` are the words of a paper's title in the
    sentence, `people_named` and `method_named` are 1 over the root of how often the draft names
    them, `similarity` is the cosine of the two, `cited_alike` the similarity of the most similar
    place where the draft cites it. The lead of a paper over the next adds nothing to its score.
    """
    signs: list[Signs] = []
    for recommendation in recommendations:
        reasons = {reason.kind: reason.value for reason in recommendation.reasons}
        cited = reasons.get("cited-here", reasons.get("cited-elsewhere", 0.0))
        signs.append(
            (
                _log_odds(worthiness),
                _log_odds(recommendation.score),
                _distinctiveness(
                    names_in_text(
                        context.sentence, people_of(recommendation.paper, context.sentence)
                    ),
                    times,
                ),
                _distinctiveness(
                    names_in_text(context.sentence, methods_of(recommendation.paper)), times
                ),
                reasons.get("named", 0.0),
                min(reasons.get("words", 0.0), _MOST_WORDS),
                math.log1p(title_match.get(recommendation.key, 0.0)),
                reasons.get("sentence", 0.0),
                reasons.get("cited-like", 0.0),
                math.log1p(min(cited, _MOST_TIMES)),
                float(context.language == "zh"),
            )
        )
    return signs


@frozen
class Confidence:
    """The fitted weights: one for each of `SIGNS`, and a bias."""

    weights: tuple[float, ...]
    bias: float

    @classmethod
    def read(cls, folder: Path) -> Confidence:
        """Read `config.json` of a folder.

        Raises:
            RankerError: it is missing or broken, or was fitted for other signs.
        """
        with model_config(folder, "the model") as config:
            signs, bias = tuple(config["signs"]), float(config["bias"])
            weights = tuple(float(config["weights"][name]) for name in signs)
        if signs != SIGNS:
            raise RankerError(
                f"{folder}: the model was fitted for other signs; fit it again with "
                f"`cite-lsp train {MODEL}`"
            )
        return cls(weights, bias)

    def __call__(self, signs: Sequence[float]) -> float:
        """Return how likely the sentence cites that paper, 0 to 1."""
        total = self.bias + sum(
            weight * sign for weight, sign in zip(self.weights, signs, strict=True)
        )
        return _share(total)


@cache
def shipped_confidence() -> Confidence:
    """Return the weights that ship, read once.

    Raises:
        RankerError: they cannot be read.
    """
    return Confidence.read(shipped_model(MODEL))


def product_of(signs: Sequence[float]) -> float:
    """Return the product of worthiness and score, the simplest baseline."""
    return _share(signs[SIGNS.index("worthiness")]) * _share(signs[SIGNS.index("score")])


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(min(log_odds, _GREATEST_LOG_ODDS), -_GREATEST_LOG_ODDS)))


def _distinctiveness(names: Sequence[str], times: Callable[[str], int]) -> float:
    """Return how distinctive names are, 0 to 1: 1 if one stands nowhere else in the draft."""
    return max((1 / math.sqrt(max(times(name), 1)) for name in names), default=0.0)


def _log_odds(share: float) -> float:
    inside = min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE)
    return math.log(inside / (1 - inside))
