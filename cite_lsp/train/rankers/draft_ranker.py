"""Recipe `draft-ranker`: what real drafts teach a ranker of libraries that contexts have taught.

The contexts of papers (recipe `library-ranker`) are many, but of few subjects, and laid out as
drafts by chance. Real drafts are of all fields, and their libraries are what writers have. Trees
(LambdaMART) are fitted to their markers on top of a share of what the `--base` says, and written
together with those of the base as one ranker.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cite_lsp.evaluate.tasks.manuscripts import in_reading_order, masked_context
from cite_lsp.manuscript import Marker
from cite_lsp.project.citations import known_keys
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.encoders import NO_ENCODERS
from cite_lsp.recommend.base.ranker import TREES, Ranker
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library.features import FEATURES, gather_evidence, pool_features
from cite_lsp.recommend.models import DraftModels, ModelNames
from cite_lsp.recommend.query.encoder_input import open_query_encoder
from cite_lsp.train.data.real_drafts import Drafts, split_drafts
from cite_lsp.train.encoders.library_query_encoder import query_encoder_of_fold
from cite_lsp.train.rankers.groups import Group, Groups, compute_groups, join
from cite_lsp.train.rankers.library_ranker import CARD as LIBRARY_CARD
from cite_lsp.train.rankers.library_ranker import RANKER as LIBRARY_RANKER
from cite_lsp.train.rankers.library_ranker import (
    WITHOUT_ENCODER,
    WITHOUT_QUERY_ENCODER,
    sample_rows,
)
from cite_lsp.train.rankers.trees import write_card
from cite_lsp.train.run.job import CHECKPOINTS, Job, claim_checkpoints, finish
from cite_lsp.train.run.report import Figures, OptionError, Steps, TrainingError, require

TAKES = ("manuscripts", "base", "without", "query_encoder")
MARKERS_PER_DRAFT = 40
BASE_SHARE = 0.5
"""How much the score of the base counts, on top of which the trees are fitted."""
RANKER = evolve(
    LIBRARY_RANKER,
    parameters={**LIBRARY_RANKER.parameters, "learning_rate": 0.04},
    rounds=120,
    patience=0,
)
ENCODERS = ("encoder", "checkpoint", "query_encoder")
"""What `config.json` says of the encoders."""


def run(job: Job) -> list[Figures]:
    """Train, write trees and card; returns what they are worth."""
    require("lightgbm", "onnx")  # before an hour of work
    options = job.options
    if options.manuscripts is None or not Path(options.base).is_dir():
        raise OptionError(
            "draft-ranker learns from drafts, on top of a ranker of libraries; name the folders of"
            " both with --manuscripts and --base"
        )
    base = Path(options.base)
    if base.resolve() == job.out.resolve():
        raise OptionError("--out: would overwrite --base, from which it is trained; name another")
    claim_checkpoints(options)
    dealt = split_drafts(options.manuscripts, options.without, job.report)
    learned, held_out = (
        make_groups(
            drafts,
            job.out / CHECKPOINTS,
            seed=job.seed,
            learning=drafts is dealt.learn,
            query_encoder=options.query_encoder,
            progress=partial(job.progress, f"drafts, {stage}"),
        )
        for drafts, stage in ((dealt.learn, "learned from"), (dealt.check, "measured on"))
    )
    queries = open_query_encoder(options.query_encoder or ModelNames().query_encoder)
    about = {"query_encoder": queries.fingerprint}
    config = train(learned, held_out, base, job.out, about, seed=job.seed)
    finish(job.out)
    return write_card(CARD, job.out, job.origin, config, "markers", drafts=len(dealt.learn))


def make_groups(
    drafts: Drafts,
    folder: Path,
    *,
    seed: int,
    learning: bool,
    progress: Steps,
    query_encoder: Path | None = None,
) -> Groups:
    """Compute the features of the libraries of drafts at some of their markers.

    Each marker is seen twice: with the rest of the draft in place, and writing forward. `learning`
    sees some of them without encoders, as a server does that has just started, and of a large
    library some entries. A draft weighs the root of the number of its markers, so that no thesis
    dominates. Parts are written to `folder` and read again by an interrupted run. `query_encoder`
    is the folder of a trained one, whose folds place what is learned from; by default it is that
    which ships, and places all.

    Raises:
        TrainingError: no draft cites an entry of its bibliography.
        OSError: a part cannot be written.
    """
    parts = []
    for number, (name, files) in enumerate(drafts.items()):
        names = ModelNames()
        if query_encoder is not None:
            encoder_folder = (
                query_encoder_of_fold(query_encoder, name) if learning else query_encoder
            )
            names = evolve(names, query_encoder=encoder_folder)
        markers = _MarkersOfDraft(files, f"{seed} {name}", names, learning=learning)
        tasks = markers.tasks()
        if tasks:
            parts.append(
                compute_groups(tasks, markers.group, len(FEATURES), folder / name, _unreported)
            )
        progress(number + 1, len(drafts))
    if not parts:
        raise TrainingError("no draft cites an entry of its own bibliography; give other drafts")
    return join(parts, [len(part.sizes) ** -0.5 for part in parts])


def _unreported(done: int, total: int) -> None:
    """Drafts are counted, not their markers."""


@frozen
class _Task:
    """A marker of a draft, with the rest in place or writing forward."""

    draft: Draft
    marker: Marker
    forward: bool


class _MarkersOfDraft:
    """Gathers what trees learn from at the markers of one draft."""

    def __init__(
        self, files: Sequence[Path], seed: str, names: ModelNames, *, learning: bool
    ) -> None:
        self._models = DraftModels(names)
        self._recommender = DraftRecommender(DraftReader(FilesOnDisk().read), models=self._models)
        self._files, self._seed, self._learning = files, seed, learning
        self._prepared: set[Path] = set()

    def tasks(self) -> list[_Task]:
        """Return up to `MARKERS_PER_DRAFT` markers, each twice; none that cites all there is."""
        markers = [
            (draft, marker)
            for _, draft, marker in in_reading_order(self._files, self._recommender)
            if not {entry.key for entry in draft.library.entries}.issubset(
                known_keys(draft, marker)
            )
        ]
        rng = random.Random(self._seed)
        sample = sorted(rng.sample(range(len(markers)), min(MARKERS_PER_DRAFT, len(markers))))
        return [_Task(*markers[index], forward) for index in sample for forward in (False, True)]

    def group(self, task: _Task) -> Group:
        """Return the features of the library at a marker, and what it cites."""
        draft, marker = task.draft, task.marker
        if draft.path not in self._prepared:
            self._recommender.prepare(draft.path)
            self._prepared.add(draft.path)
        pool = self._recommender.pool(draft.library)
        rng = random.Random(f"{self._seed} {draft.path.name} {marker.start} {task.forward}")
        encoders = self._models.stored
        if self._learning and rng.random() < WITHOUT_ENCODER:
            encoders = NO_ENCODERS
        elif self._learning and rng.random() < WITHOUT_QUERY_ENCODER:
            encoders = evolve(encoders, queries=None)
        context = masked_context(draft, marker, forward=task.forward)
        matrix = gather_evidence(pool_features(context, pool, encoders), pool).matrix
        labels = np.zeros(len(pool), dtype=np.int8)
        labels[pool.rows(known_keys(draft, marker))] = 1
        if not self._learning:
            return matrix, labels
        rows = sample_rows(matrix, labels, np.ones(len(pool), dtype=bool), rng)
        return matrix[rows], labels[rows]


def train(
    learned: Groups,
    held_out: Groups,
    base: Path,
    out: Path,
    about: Mapping[str, str],
    *,
    seed: int,
) -> dict[str, Any]:
    """Fit the trees, write them with those of the base; returns what `config.json` says.

    That is what the base says of itself, but for what is said `about` this one.

    Raises:
        RankerError: the base cannot be read, or was trained for other features.
        OSError: `out` cannot be written.
    """
    ranker = Ranker(base, FEATURES, recipe="library-ranker")
    learned, held_out = (
        evolve(groups, start=BASE_SHARE * ranker.score(groups.features))
        for groups in (learned, held_out)
    )
    base_config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    about = {**{name: base_config[name] for name in ENCODERS}, **about}
    return RANKER.train(learned, held_out, out, about, seed=seed, on=(base / TREES, BASE_SHARE))


CARD = evolve(
    LIBRARY_CARD,
    data="""\
{train_groups:,} places in {drafts} drafts, and {dev_groups:,} in others to measure on: {data}.
Half of the places were seen with the rest of the draft there, half as if it ended there. The trees
stand on others that learned from citation contexts laid out as drafts, whose score counts half
(`cite_lsp/train/rankers/library_ranker.py`): `--base` is what `library-ranker` wrote.""",
    recipe="""\
`{file}`, seed {seed}, {trees} trees with those of the base, with the encoder `{encoder}` and the
query encoder `{query_encoder}`.""",
    measured="""\
Held-out drafts (what `eval manuscripts` finds is in docs/research/evaluation.md):""",
    below="What the trees on top gain most from: {gains}.",
)
"""That of the library ranker, whose place it takes, but for what it learned from and how."""
