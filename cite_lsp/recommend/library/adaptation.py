"""What the ranking learns from the draft that is being written: how its writer cites.

The trees know drafts at large. One writer cites ten papers at every turn, another each paper once;
one names authors, another never does; in a thesis on one technique its words tell nothing. How the
trees misjudge that in this draft, its other markers tell: each is asked for again without its keys,
and weights are fitted to what comes back, a linear ranking on top of the trees: a small weight for
every feature, for papers that the draft cites elsewhere, and for how often. A few dozen markers
are a beginning; a draft without any changes nothing.

More than linear would be too much: trees grown on a draft's markers come to know its papers one by
one, and at a marker that was emptied the paper is cited once less than everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.model import Context, Marker, Mention

Weights = NDArray[np.float32]

AGAIN = 2
"""Columns that tell of citing again, before those of the features."""
PRIOR = 0.5
"""What keeps weights small: before anything is seen they are 0, give or take 1."""
DRAFT_PRIOR = 150.0
"""The same for what one column adds where it is a standard deviation above the others of a marker:
0, give or take .06."""
FEWEST = 5
"""Markers that have to be seen before anything is believed."""
OBSERVED = 200
"""Markers of a draft that are asked for again; more of them tell little more."""
RIVALS = 40
"""Papers of a marker that are learned from beside the right ones: the likeliest."""
GROWN = 0.1
"""Share by which a draft or its library may grow or shrink before markers are asked for anew."""
_BESIDE = 40
"""Characters before a marker by which it is known again."""
_STEPS = 25
_SMALL = 1e-6
_LEAST = 1e-300


@frozen(eq=False)
class Observation:
    """One marker asked for again: r candidates.

    logits: what the ranking thinks of each, shape (r,), natural logarithms up to a constant.
    columns: what weights are fitted for, shape (r, c); of a draft, as `draft_columns` gives it.
    right: whether the marker cites it, shape (r,).
    """

    logits: NDArray[np.float32] = field(repr=False)
    columns: NDArray[np.float32] = field(repr=False)
    right: NDArray[np.bool_] = field(repr=False)


Named = tuple[tuple[str, ...], str]
"""What a marker is known by, wherever it comes to stand: its keys and the text before it."""
Observations = Mapping[Named, Observation]


def named(mention: Mention) -> Named:
    """Return what a marker of the draft is known by."""
    return mention.keys, mention.left


def told_by(context: Context, observations: Observations) -> list[Observation]:
    """Return what the other markers of a context tell that were asked: the last `OBSERVED`."""
    if not observations:
        return []
    found = (observations.get(named(mention)) for mention in context.mentions)
    return [one for one in found if one is not None][-OBSERVED:]


def sample_markers(
    document: Iterable[Manuscript],
) -> tuple[Iterator[tuple[bytes, Manuscript, Marker]], int]:
    """Choose the markers of a draft to ask for again, and count all that might be.

    By chance, but those of before as long as they stand: what is written elsewhere changes little.
    Each comes with what it is known by until its text is edited.
    """
    found = [
        (
            file.text[max(marker.start - _BESIDE, 0) : marker.end].encode(errors="replace"),
            file,
            marker,
        )
        for file in document
        for marker in file.cited
        if marker.closed and marker.keys
    ]
    ordered = sorted(found, key=lambda item: crc32(item[0]))
    return iter(ordered[:OBSERVED]), len(found)


@frozen
class _Kept:
    """What a marker told when its draft had so many of them and its library so many papers."""

    name: Named
    told: Observation
    markers: int
    papers: int

    def stale(self, markers: int, papers: int) -> bool:
        """Whether draft or library have changed too much since."""
        return (
            abs(self.markers - markers) > GROWN * self.markers
            or abs(self.papers - papers) > GROWN * self.papers
        )


class ObservedDrafts:
    """What the markers of drafts have told, kept from one change of a draft to the next."""

    def __init__(self) -> None:
        self._kept: dict[Path, dict[bytes, _Kept]] = {}  # by the root of the project

    def of(self, root: Path) -> Observations:
        """Return what the markers of a draft have told so far."""
        return {one.name: one.told for one in self._kept.get(root, {}).values()}

    def update(
        self,
        root: Path,
        document: Iterable[Manuscript],
        papers: int,
        ask: Callable[[Manuscript, Marker], tuple[Named, Observation]],
        most: int | None = None,
    ) -> bool:
        """Ask for those markers again that are new or asked too long ago, `most` of them at once.

        `papers` is the size of the library. Returns whether none is left to ask for. Where `ask`
        raises, what was asked before is kept.
        """
        before = self._kept.get(root, {})
        now: dict[bytes, _Kept] = {}
        asked = 0
        chosen, markers = sample_markers(document)
        for raw, manuscript, marker in chosen:
            known = before.get(raw)
            if known is None or known.stale(markers, papers):
                if asked == most:
                    self._kept[root] = before | now
                    return False
                known = _Kept(*ask(manuscript, marker), markers, papers)
                asked += 1
                self._kept[root] = before | now | {raw: known}
            now[raw] = known
        self._kept[root] = now
        return True


def draft_columns(matrix: NDArray[np.float32], times: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the weights of a draft are for, shape (r, `AGAIN` + f).

    That is whether a paper is cited elsewhere, the logarithm of 1 + how often, and its features,
    `matrix`, shape (r, f); what is not known of one (NaN) counts as 0. `times` are the other
    markers that cite each paper, shape (r,).
    """
    again = np.stack([(times > 0).astype(np.float32), np.log1p(times)], axis=1)
    return np.concatenate([again, np.nan_to_num(matrix)], axis=1)


def likeliest(observation: Observation) -> Observation:
    """Return an observation with its right papers and the `RIVALS` that the ranking likes best."""
    if len(observation.logits) <= RIVALS:
        return observation
    kept = observation.right.copy()
    kept[np.argpartition(-observation.logits, RIVALS)[:RIVALS]] = True
    return Observation(observation.logits[kept], observation.columns[kept], observation.right[kept])


def fit_draft(observations: Sequence[Observation]) -> Weights:
    """Return the weights of a draft, for the columns of `draft_columns`.

    Columns are on scales of their own: what is kept small is what a weight makes of the spread
    that its column has among the papers of a marker.
    """
    observations = [observation for observation in observations if observation.right.any()]
    if not observations:
        return np.zeros(0, dtype=np.float32)
    centred = [
        observation.columns - observation.columns.mean(axis=0) for observation in observations
    ]
    spread = np.square(np.concatenate(centred), dtype=np.float64).mean(axis=0)
    return fit_weights(observations, np.where(spread > 0, DRAFT_PRIOR * spread, PRIOR))


def fit_weights(
    observations: Sequence[Observation], priors: NDArray[np.float64] | float = PRIOR
) -> Weights:
    """Return what each column adds to the logits, shape (c,); 0 where too little was seen.

    The weights maximise the probability of what was cited, a softmax over the candidates of a
    marker, and of themselves: `priors` times their squares is taken off. Newton's method, with the
    curvature of what the right papers gain left out, which makes every step lead uphill; one that
    leads too far is halved.
    """
    columns = observations[0].columns.shape[1] if observations else AGAIN
    weights = np.zeros(columns)
    observations = [
        observation
        for observation in observations
        if observation.right.any() and not observation.right.all()
    ]
    if len(observations) < FEWEST:
        return weights.astype(np.float32)
    small = np.broadcast_to(np.asarray(priors, dtype=np.float64), (columns,))
    seen = _Seen(observations)

    def worth(weights: NDArray[np.float64]) -> float:
        return seen.likelihood(weights) - float(small @ weights**2)

    height = worth(weights)
    for _ in range(_STEPS):
        gradient, curvature = seen.slopes(weights)
        gradient -= 2 * small * weights
        step = np.linalg.solve(curvature + 2 * np.diag(small), gradient)
        reached = worth(weights + step)
        while reached < height and np.abs(step).max() > _SMALL:
            step /= 2
            reached = worth(weights + step)
        if reached - height < _SMALL:
            break
        weights, height = weights + step, reached
    return weights.astype(np.float32)


class _Seen:
    """The candidates of all markers that were asked, one after the other, n together."""

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
        """Return what candidates weigh, shape (n,), and each marker's all and right ones, (m,)."""
        logits = self._logits + self._columns @ weights
        mass = np.exp(logits - np.maximum.reduceat(logits, self._starts)[self._of])
        right = np.add.reduceat(np.where(self._right, mass, 0.0), self._starts)
        return mass, np.add.reduceat(mass, self._starts), np.maximum(right, _LEAST)

    def likelihood(self, weights: NDArray[np.float64]) -> float:
        """Return the logarithm of the probability of all that was cited."""
        _, every, right = self._masses(weights)
        return float(np.log(right / every).sum())

    def slopes(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the gradient of that by the weights, (c,), and the curvature of what is lost."""
        mass, every, right = self._masses(weights)
        chance = mass / every[self._of]
        cited = np.where(self._right, mass / right[self._of], 0.0)
        expected = self._columns * chance[:, None]
        means = np.add.reduceat(expected, self._starts)
        return self._columns.T @ (cited - chance), expected.T @ self._columns - means.T @ means
