"""The adaptation of the ranking to the draft that is being written: how its writer cites.

The ranker was trained on many drafts. One writer cites ten papers everywhere, another each paper
once; one names authors, another never does; in a thesis on one technique its words say nothing. The
other markers of a draft show where the ranker is wrong about it: each is ranked without its keys,
and weights are fitted to the results, a linear model on top of the trees: a small weight for every
feature, for papers that the draft cites elsewhere, and for how often. A few dozen markers help
already; without markers nothing changes.

A model that is not linear would overfit: trees trained on a draft's markers memorise its papers,
and at a marker without its keys the paper is cited once less than everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from zlib import crc32

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.model import Context, Marker, Mention
from cite_lsp.storage.caches import LastUsed

Weights = NDArray[np.float32]

REPEAT_COLUMNS = 2
"""Columns on citing a paper again, before those of the features."""
PRIOR = 0.5
"""The regularisation of weights (L2): their prior is 0 with a standard deviation of 1."""
DRAFT_PRIOR = 150.0
"""The same for what a column adds per standard deviation among the papers of a marker: a prior of 0
with a standard deviation of .06."""
FEWEST_OBSERVED = 5
"""Markers that have to be observed before weights are fitted."""
MOST_OBSERVED = 200
"""Markers of a draft that are observed; more of them add little."""
NEGATIVES = 40
"""Papers of a marker that are fitted to beside the right ones: those with the highest logits."""
GROWTH = 0.1
"""Share by which a draft or its library may grow or shrink before markers are observed again."""
_TEXT_BEFORE = 40
"""Characters before a marker that identify it, with its keys."""
_MOST_DRAFTS = 64
"""Drafts whose observations are held, up to 3 MB each."""
_STEPS = 25
_SMALL = 1e-6
_LEAST = 1e-300


@frozen(eq=False)
class Observation:
    """One marker that was ranked without its keys: r candidates.

    logits: those of the ranking, shape (r,), natural logarithms up to a constant.
    columns: what weights are fitted for, shape (r, c); of a draft, as `draft_columns` gives it.
    right: whether the marker cites it, shape (r,).
    """

    logits: NDArray[np.float32] = field(repr=False)
    columns: NDArray[np.float32] = field(repr=False)
    right: NDArray[np.bool_] = field(repr=False)

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """How far the columns are from their mean, squared and summed, shape (c,)."""
        squares: NDArray[np.float64] = np.square(
            self.columns - self.columns.mean(axis=0), dtype=np.float64
        ).sum(axis=0)
        return squares


MarkerKey = tuple[tuple[str, ...], str]
"""What identifies a marker wherever it moves: its keys and the text before it."""
Observations = Mapping[MarkerKey, Observation]


def marker_key(mention: Mention) -> MarkerKey:
    """Return what identifies a marker of the draft."""
    return mention.keys, mention.left


def observations_for(context: Context, observations: Observations) -> list[Observation]:
    """Return the observations of the other markers of a context, the last `MOST_OBSERVED`."""
    if not observations:
        return []
    keys = map(marker_key, context.mentions)
    return [observations[key] for key in keys if key in observations][-MOST_OBSERVED:]


@frozen(eq=False)
class Fit:
    """Weights, shape (c,), and the curvature of the log-likelihood there, shape (c, c)."""

    weights: NDArray[np.float64]
    curvature: NDArray[np.float64]


_fits: LastUsed[tuple[int, ...], tuple[list[Observation], Fit]] = LastUsed(16)
"""The fits of drafts by the ids of their observations, which are cached with them so that no other
object gets these ids."""


def draft_weights(context: Context, observations: Observations) -> Weights:
    """Return the weights of a draft for a context, fitted to the markers that it sees; cached.

    The places of a draft see nearly the same markers: the fit to them starts from that to all.
    """
    seen = observations_for(context, observations)
    return _cached_fit(seen, observations).weights.astype(np.float32)


def fit_to_all(observations: Observations) -> None:
    """Fit the weights of a draft to all of its markers, ahead of `draft_weights`."""
    _cached_fit(list(observations.values()))


def _cached_fit(seen: list[Observation], others: Observations | None = None) -> Fit:
    """Return the fit to the markers of a draft that are seen, from that to all of its markers."""
    key = tuple(map(id, seen))
    cached = _fits.get(key)
    if cached is None:
        near = _cached_fit(list(others.values())) if others and seen else None
        cached = seen, fit_draft(seen, near)
        _fits.keep(key, cached)
    return cached[1]


def sample_markers(
    files: Iterable[Manuscript],
) -> tuple[Iterator[tuple[bytes, Manuscript, Marker]], int]:
    """Choose the markers of a draft to observe, and count all that might be.

    The sample is random, by a hash of each marker's text, so that it changes little when other text
    is edited. Each marker comes with that text.
    """
    markers = [
        (
            file.text[max(marker.start - _TEXT_BEFORE, 0) : marker.end].encode(errors="replace"),
            file,
            marker,
        )
        for file in files
        for marker in file.cited
        if marker.closed and marker.keys
    ]
    ordered = sorted(markers, key=lambda item: crc32(item[0]))
    return iter(ordered[:MOST_OBSERVED]), len(markers)


@frozen
class UnobservedMarker:
    """A marker to observe, with the text around it, and how many markers and papers there are."""

    text: bytes
    manuscript: Manuscript
    marker: Marker
    markers: int
    papers: int


@frozen
class _Observed:
    """The observation of a marker, and how many markers and papers there were then."""

    key: MarkerKey
    observation: Observation
    markers: int
    papers: int

    def stale(self, markers: int, papers: int) -> bool:
        """Whether the draft or the library has changed too much since."""
        return (
            abs(self.markers - markers) > GROWTH * self.markers
            or abs(self.papers - papers) > GROWTH * self.papers
        )


class ObservedDrafts:
    """The observations of the markers of drafts, from one change of a draft to the next."""

    def __init__(self) -> None:
        # By the root of the project.
        self._observed: LastUsed[Path, dict[bytes, _Observed]] = LastUsed(_MOST_DRAFTS)

    def of(self, root: Path) -> Observations:
        """Return the observations of a draft so far."""
        return {
            observed.key: observed.observation
            for observed in (self._observed.get(root) or {}).values()
        }

    def stale(self, root: Path, files: Iterable[Manuscript], papers: int) -> list[UnobservedMarker]:
        """Return the markers of a draft that are new or whose observation is stale.

        `papers` is the size of the library. What markers were observed that are gone is forgotten.
        """
        previous = self._observed.get(root) or {}
        sample, markers = sample_markers(files)
        places = [UnobservedMarker(*place, markers, papers) for place in sample]
        current = {place.text: previous[place.text] for place in places if place.text in previous}
        self._observed.keep(root, current)
        return [
            place
            for place in places
            if place.text not in current or current[place.text].stale(markers, papers)
        ]

    def keep(
        self, root: Path, place: UnobservedMarker, key: MarkerKey, observation: Observation
    ) -> None:
        """Keep the observation of a marker of a draft that `stale` has returned."""
        observed = _Observed(key, observation, place.markers, place.papers)
        self._observed.keep(root, (self._observed.get(root) or {}) | {place.text: observed})


def draft_columns(matrix: NDArray[np.float32], times: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the columns that the weights of a draft are for, shape (r, `REPEAT_COLUMNS` + f).

    They are whether a paper is cited elsewhere, log(1 + how often), and its features, `matrix`,
    shape (r, f), with 0 for unknown values (NaN). `times` are the other markers that cite each
    paper, shape (r,).
    """
    again = np.stack([(times > 0).astype(np.float32), np.log1p(times)], axis=1)
    return np.concatenate([again, np.nan_to_num(matrix)], axis=1)


def with_likely_negatives(observation: Observation) -> Observation:
    """Return an observation with its right papers and the `NEGATIVES` of highest logits."""
    if len(observation.logits) <= NEGATIVES:
        return observation
    selected = observation.right.copy()
    selected[np.argpartition(-observation.logits, NEGATIVES)[:NEGATIVES]] = True
    return Observation(
        observation.logits[selected], observation.columns[selected], observation.right[selected]
    )


def fit_weights(
    observations: Sequence[Observation], priors: NDArray[np.float64] | float = PRIOR
) -> Weights:
    """Return the weight of each column in the logits, shape (c,); 0 with too few observations.

    The weights maximise the log-likelihood of what was cited, a softmax over the candidates of a
    marker, less `priors` times the squares of the weights.
    """
    return _fit(observations, priors).weights.astype(np.float32)


def fit_draft(observations: Sequence[Observation], near: Fit | None = None) -> Fit:
    """Fit the weights of a draft, for the columns of `draft_columns`, from a fit that is near.

    Columns have different scales: the penalty of a weight is proportional to the variance that its
    column has among the papers of a marker.
    """
    observations = [observation for observation in observations if observation.right.any()]
    if not observations:
        return Fit(np.zeros(0), np.zeros((0, 0)))
    papers = sum(len(observation.logits) for observation in observations)
    spread = sum(observation.squares for observation in observations) / papers
    return _fit(observations, np.where(spread > 0, DRAFT_PRIOR * spread, PRIOR), near)


def _fit(
    observations: Sequence[Observation],
    priors: NDArray[np.float64] | float,
    near: Fit | None = None,
) -> Fit:
    """Fit weights by Newton's method, from those of a fit to nearly the same, by default from 0.

    The curvature of the right papers' term is left out, so that every step leads uphill, and a step
    that leads too far is halved. From a fit that is near its curvature serves for all steps: it
    takes most of the time, and where the steps end does not depend on it.
    """
    columns = observations[0].columns.shape[1] if observations else REPEAT_COLUMNS
    fit = Fit(np.zeros(columns), np.zeros((columns, columns)))
    observations = [
        observation
        for observation in observations
        if observation.right.any() and not observation.right.all()
    ]
    if len(observations) < FEWEST_OBSERVED:
        return fit
    penalties = np.broadcast_to(np.asarray(priors, dtype=np.float64), (columns,))
    likelihood = _Likelihood(observations)

    def objective(weights: NDArray[np.float64]) -> float:
        return likelihood.log_likelihood(weights) - float(penalties @ weights**2)

    if near is not None and not (len(near.weights) == columns and near.curvature.any()):
        near = None
    weights, curvature = (near or fit).weights, (near or fit).curvature
    best_value = objective(weights)
    for _ in range(_STEPS):
        if near is None:
            curvature = likelihood.curvature(weights)
        gradient = likelihood.gradient(weights) - 2 * penalties * weights
        step = np.linalg.solve(curvature + 2 * np.diag(penalties), gradient)
        new_value = objective(weights + step)
        while new_value < best_value and np.abs(step).max() > _SMALL:
            step /= 2
            new_value = objective(weights + step)
        gain = new_value - best_value
        if gain > 0:
            weights, best_value = weights + step, new_value
        if gain < _SMALL:
            break
    return Fit(weights, curvature)


class _Likelihood:
    """The likelihood of what was cited, over the n candidates of all observations."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        lengths = [len(observation.logits) for observation in observations]
        self._starts = np.cumsum([0, *lengths[:-1]])
        self._of = np.repeat(np.arange(len(lengths)), lengths)
        self._logits = np.concatenate([observation.logits for observation in observations]).astype(
            np.float64
        )
        self._columns = np.concatenate(
            [observation.columns for observation in observations]
        ).astype(np.float64)
        self._right = np.concatenate([observation.right for observation in observations])

    def _masses(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return e^logits, (n,), and their sums over all and right candidates of markers, (m,)."""
        logits = self._logits + self._columns @ weights
        mass = np.exp(logits - np.maximum.reduceat(logits, self._starts)[self._of])
        right = np.add.reduceat(np.where(self._right, mass, 0.0), self._starts)
        return mass, np.add.reduceat(mass, self._starts), np.maximum(right, _LEAST)

    def log_likelihood(self, weights: NDArray[np.float64]) -> float:
        """Return the log-likelihood of what was cited."""
        _, every, right = self._masses(weights)
        return float(np.log(right / every).sum())

    def gradient(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradient of the log-likelihood, shape (c,)."""
        mass, every, right = self._masses(weights)
        cited = np.where(self._right, mass / right[self._of], 0.0)
        gradient: NDArray[np.float64] = (cited - mass / every[self._of]) @ self._columns
        return gradient

    def curvature(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its curvature without the right papers' term, shape (c, c)."""
        mass, every, _ = self._masses(weights)
        expected = self._columns * (mass / every[self._of])[:, None]
        means = np.add.reduceat(expected, self._starts)
        curvature: NDArray[np.float64] = expected.T @ self._columns - means.T @ means
        return curvature
