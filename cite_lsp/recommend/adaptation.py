"""What the ranking learns from the draft that is being written: how much this writer cites again.

The trees know drafts at large. One writer cites ten papers at every turn, another each paper once,
and how the trees misjudge that in this draft, its other markers tell: each is asked for again
without its keys, and two weights are fitted to what comes back, one for papers that the draft cites
elsewhere, one for how often. A few dozen markers are enough; a draft without any changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.manuscript.manuscript import Manuscript
from cite_lsp.manuscript.model import Context, Marker, Mention

Weights = NDArray[np.float32]

COLUMNS = 2
PRIOR = 0.5
"""What keeps the weights small: before anything is seen they are 0, give or take 1."""
FEWEST = 5
"""Markers that have to be seen before anything is believed."""
OBSERVED = 40
"""Markers of a draft that are asked for again; more of them tell nothing more."""
GROWN = 0.1
"""Share by which a draft or its library may grow or shrink before markers are asked for anew."""
_BESIDE = 40
"""Characters before a marker by which it is known again."""
_STEPS = 12
_SMALL = 1e-4


@frozen(eq=False)
class Observation:
    """One marker asked for again: r candidates.

    logits: what the ranking thinks of each, shape (r,), natural logarithms up to a constant.
    columns: what weights are fitted for, as `again_columns` gives it, shape (r, c).
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

    def renew(
        self,
        root: Path,
        document: Iterable[Manuscript],
        papers: int,
        ask: Callable[[Manuscript, Marker], tuple[Named, Observation]],
    ) -> None:
        """Ask for those markers again that are new or asked too long ago.

        `papers` is the size of the library. Where `ask` raises, what was asked before is kept.
        """
        before = self._kept.get(root, {})
        now: dict[bytes, _Kept] = {}
        chosen, markers = sample_markers(document)
        for raw, manuscript, marker in chosen:
            known = before.get(raw)
            if known is None or known.stale(markers, papers):
                known = _Kept(*ask(manuscript, marker), markers, papers)
                self._kept[root] = before | now | {raw: known}
            now[raw] = known
        self._kept[root] = now


def again_columns(times: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the weights are for: cited elsewhere or not, and the logarithm of 1 + how often.

    `times` are the other markers that cite each paper, shape (r,); the result has shape (r, 2).
    """
    return np.stack([(times > 0).astype(np.float32), np.log1p(times)], axis=1)


def fit_weights(observations: Sequence[Observation]) -> Weights:
    """Return what each column adds to the logits, shape (c,); 0 where too little was seen.

    The weights maximise the probability of what was cited, a softmax over the candidates of a
    marker, and of themselves (`PRIOR`): Newton's method, with the curvature of what the right
    papers gain left out, which keeps every step uphill or short.
    """
    columns = observations[0].columns.shape[1] if observations else COLUMNS
    weights = np.zeros(columns)
    observations = [one for one in observations if one.right.any() and not one.right.all()]
    if len(observations) < FEWEST:
        return weights.astype(np.float32)
    starts = np.cumsum([0, *(len(one.logits) for one in observations[:-1])])
    logits = np.concatenate([one.logits for one in observations]).astype(np.float64)
    seen = np.concatenate([one.columns for one in observations]).astype(np.float64)
    right = np.concatenate([one.right for one in observations])
    lengths = [len(one.logits) for one in observations]
    logits -= np.repeat(np.maximum.reduceat(logits, starts), lengths)
    for _ in range(_STEPS):
        mass = np.exp(logits + seen @ weights)
        all_of_it = mass / np.repeat(np.add.reduceat(mass, starts), lengths)
        cited = np.where(right, mass, 0.0)
        cited /= np.repeat(np.maximum(np.add.reduceat(cited, starts), 1e-30), lengths)
        gradient = seen.T @ (cited - all_of_it) - 2 * PRIOR * weights
        means = np.add.reduceat(seen * all_of_it[:, None], starts)
        curvature = (seen * all_of_it[:, None]).T @ seen - means.T @ means
        step = np.linalg.solve(curvature + 2 * PRIOR * np.eye(columns), gradient)
        weights += step
        if np.abs(step).max() < _SMALL:
            break
    return weights.astype(np.float32)
