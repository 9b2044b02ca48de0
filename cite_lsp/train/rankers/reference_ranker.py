"""Recipe `reference-ranker`: the order of the papers that a draft as a whole should cite.

LambdaMART (Burges 2010; LightGBM) over the features of `recommend/references/evidence.py`, learned
from the lists of references of papers (`train/rankers/whole_drafts.py`) and, with `--manuscripts`,
from real drafts; written as ONNX.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.reference_lists import read_reference_lists
from cite_lsp.encode.encoder import Encoder
from cite_lsp.evaluate.task_pool import load_pool_encoder
from cite_lsp.evaluate.tasks.draft_references import HalvedDraft, halved_drafts
from cite_lsp.evaluate.tasks.global_recommendation import askable
from cite_lsp.option_types import OptionGroup, add_paths
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.recommend.references.evidence import FEATURES
from cite_lsp.recommend.references.ranker import MODEL
from cite_lsp.train.data.real_drafts import split_drafts
from cite_lsp.train.encoders.encoder_run import drafts_encoder
from cite_lsp.train.rankers.groups import Group, Groups, compute_groups, join
from cite_lsp.train.rankers.trees import Bag, TreeRanker
from cite_lsp.train.rankers.whole_drafts import (
    HalvedDrafts,
    PaperLists,
    PartialDraft,
    partial_draft,
    passages_of,
)
from cite_lsp.train.run.card import Card, gains_line, write_config
from cite_lsp.train.run.job import CHECKPOINTS, Job, claim_checkpoints, finish
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, TrainingError, require

TAKES = (*DATA, "sample", "manuscripts", "without")
SAMPLE = 3000
"""Lists that are learned from, unless `--sample` says otherwise."""
DEV_LISTS = 150
"""Lists that are measured on."""
WITH_TEXT = 120
"""Papers of `--texts` that are learned from."""
FEWEST = 5
"""References of a list that is learned from."""
FIRST_YEARS = 5
"""Only lists of the last years are learned from: before, too little is known of who cites whom."""
DRAFT_WEIGHT = 8.0
"""How much a draft counts beside a list: they are few, and of all fields."""
RANKER = TreeRanker(
    name=MODEL,
    features=FEATURES,
    parameters={
        "objective": "lambdarank",
        "lambdarank_truncation_level": 20,
        "learning_rate": 0.05,
        "num_leaves": 15,
        "min_data_in_leaf": 100,
        "feature_fraction": 0.5,
        "bagging_fraction": 0.8,
        "lambda_l2": 5.0,
        "num_threads": 1,
    },
    rounds=250,
    bags=3,
)
T = TypeVar("T")


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    add_paths(
        group,
        "--candidates",
        help="lists whose papers are candidates, beside those of --contexts and --dev",
    )
    add_paths(group, "--texts", help="contexts of papers of --contexts: what their texts say")


def run(job: Job) -> list[Figures]:
    """Train, write trees and card; returns what they are worth."""
    require("lightgbm", "onnx", "sklearn")  # before an hour of work
    claim_checkpoints(job.options)
    material = gather_material(job)
    config = train(material, job.out, seed=job.seed)
    finish(job.out)
    figures = [Figures(config["dev"], heading="held out")]
    learned = config["learned"]
    facts = {
        "width": len(FEATURES),
        "gains": gains_line(config),
        "lists": learned["lists"],
        "drafts": learned.get("drafts", 0),
    }
    return CARD.write(job.out, job.origin, figures, **config, **facts)


class ListMaterial:
    """The groups to learn from and those held out, each by what they are of."""

    def __init__(self) -> None:
        self.learned: dict[str, Groups] = {}
        self.held_out: dict[str, Groups] = {}
        self.encoder = ""
        self.checkpoint = ""


def gather_material(job: Job) -> ListMaterial:
    """Compute the features of all papers and drafts; what an earlier run computed is read.

    Raises:
        TrainingError: there is nothing to learn.
        OSError: a part cannot be written.
    """
    material = ListMaterial()
    lists, dev = (
        [item for path in paths for item in read_reference_lists(path, job.report)]
        for paths in (job.options.contexts, job.options.dev)
    )
    further = [item for path in job.options.candidates for item in read_reference_lists(path)]
    among = {name for item in (*lists, *dev, *further) for name in (item.citing_id, *item.cited)}
    corpus = job.open_pool(among=among)
    encoder = load_pool_encoder()
    material.encoder, material.checkpoint = encoder.fingerprint, encoder.checkpoint
    paper_lists = PaperLists(corpus, lists, encoder)
    rng = random.Random(job.seed)
    learned = _with_text(_recent(askable(lists, corpus, job.report)), job, rng)
    held_out = askable(dev, corpus, job.report)
    held_out = rng.sample(held_out, min(DEV_LISTS, len(held_out)))
    groups = partial(_groups, job)
    material.learned["lists"] = groups("lists, learned from", learned, paper_lists.group, draw=True)
    for name, cold in (("nothing cited yet", True), ("some cited", False)):
        rows = [PartialDraft(row, () if cold else _half(row)) for row in held_out]
        material.held_out[f"lists, {name}"] = groups(f"lists, {name}", rows, paper_lists.group)
    if job.options.manuscripts is not None:
        _gather_drafts(job, material)
    return material


def _gather_drafts(job: Job, material: ListMaterial) -> None:
    dealt = split_drafts(job.options.manuscripts, job.options.without, job.report)
    drafts = {
        draft.name: draft
        for draft in halved_drafts(
            job.options.manuscripts, FilesOnDisk().read, seed=job.seed, without=job.options.without
        )
    }
    encoder: Encoder = drafts_encoder()
    pool = HalvedDrafts(list(drafts.values()), encoder)
    groups = partial(_groups, job)

    def chosen(names: Mapping[str, object]) -> list[HalvedDraft]:
        return [drafts[name] for name in names if name in drafts]

    material.learned["drafts"] = groups(
        "drafts, learned from", chosen(dealt.learn), pool.group, draw=True
    )
    material.held_out["drafts"] = groups("drafts, measured on", chosen(dealt.check), pool.group)


def _groups(
    job: Job,
    stage: str,
    items: Sequence[T],
    compute: Callable[[T, random.Random | None], Group | None],
    *,
    draw: bool = False,
) -> Groups:
    """Compute a group for each item; with `draw` for learning, by chance."""

    def group(numbered: tuple[int, T]) -> Group | None:
        number, item = numbered
        return compute(item, random.Random(f"{job.seed} {stage} {number}") if draw else None)

    folder = job.out / CHECKPOINTS / stage.replace(", ", "-").replace(" ", "-")
    return compute_groups(
        list(enumerate(items)), group, len(FEATURES), folder, partial(job.progress, stage)
    )


def _recent(rows: Sequence[LabelledContext]) -> list[LabelledContext]:
    newest = max((row.year or 0 for row in rows), default=0)
    return [
        row for row in rows if len(row.cited) >= FEWEST and (row.year or 0) > newest - FIRST_YEARS
    ]


def _with_text(rows: Sequence[LabelledContext], job: Job, rng: random.Random) -> list[PartialDraft]:
    """Return papers to learn from: some of the lists, and some with texts, if there are any."""
    if not rows:
        raise TrainingError(
            f"no list names {FEWEST} papers; give lists of references with --contexts"
        )
    sample = rng.sample(list(rows), min(job.options.sample or SAMPLE, len(rows)))
    papers = [partial_draft(row, rng) for row in sample]
    texts: dict[str, list[LabelledContext]] = defaultdict(list)
    for row in job.contexts(job.options.texts):
        texts[row.citing_id].append(row)
    with_text = [row for row in rows if row.citing_id in texts]
    with_text = rng.sample(with_text, min(WITH_TEXT, len(with_text)))
    return papers + [
        partial_draft(row, rng, passages_of(texts[row.citing_id])) for row in with_text
    ]


def _half(row: LabelledContext) -> tuple[str, ...]:
    cited = list(row.cited)
    random.Random(row.citing_id).shuffle(cited)
    return tuple(cited[: len(cited) // 2])


def train(material: ListMaterial, out: Path, *, seed: int) -> dict[str, Any]:
    """Fit the trees, write the trees and `config.json`; returns what the latter says.

    Raises:
        OSError: `out` cannot be written.
    """
    bag = fit(material.learned, seed=seed)
    scores = {name: bag.score(groups.features) for name, groups in material.held_out.items()}
    slope, intercept = calibrate(scores, material.held_out)
    config: dict[str, Any] = {
        "name": MODEL,
        "features": list(FEATURES),
        "encoder": material.encoder,
        "checkpoint": material.checkpoint,
        "seed": seed,
        "trees": bag.save(out / TREES),
        "slope": round(slope, 4),
        "intercept": round(intercept, 4),
        "learned": {name: int(len(groups.sizes)) for name, groups in material.learned.items()},
        "dev": {
            f"{len(groups.sizes):,} {name}": list_figures(scores[name], groups)
            for name, groups in material.held_out.items()
        },
        "gain": bag.gains(),
    }
    write_config(out, config)
    return config


def fit(learned: Mapping[str, Groups], *, seed: int) -> Bag:
    """Fit the trees to lists and drafts together; a draft counts `DRAFT_WEIGHT` times."""
    weights = [DRAFT_WEIGHT if name == "drafts" else 1.0 for name in learned]
    together = join([*learned.values()], weights)
    return RANKER.fit(together, seed=seed)


def calibrate(
    scores: Mapping[str, NDArray[np.float64]], groups: Mapping[str, Groups]
) -> tuple[float, float]:
    """Return slope and intercept of the logit of a paper being cited (Platt 1999), by its score.

    Every kind of group counts the same.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from sklearn.linear_model import LogisticRegression

    x = np.concatenate([scores[name] for name in groups])
    y = np.concatenate([groups[name].relevance for name in groups])
    weight = np.concatenate([np.full(len(scores[name]), 1 / len(scores[name])) for name in groups])
    fitted = LogisticRegression(C=1e6, tol=1e-8).fit(x[:, None], y, sample_weight=weight)
    return float(fitted.coef_[0][0]), float(fitted.intercept_[0])


def list_figures(scores: NDArray[np.float64], groups: Groups) -> dict[str, float]:
    """Return MRR, MAP and recall over groups, of the papers that are candidates."""
    rows: list[tuple[float, ...]] = []
    start = 0
    for size in groups.sizes.tolist():
        order = np.argsort(-scores[start : start + size], kind="stable")
        hits = np.flatnonzero(groups.relevance[start : start + size][order] > 0)
        count = len(hits)
        precisions = np.arange(1, count + 1) / (hits + 1)
        rows.append((1 / (hits[0] + 1), precisions.mean(), *((hits < k).mean() for k in (20, 50))))
        start += size
    means = np.mean(rows, axis=0)
    return dict(zip(("mrr", "map", "recall@20", "recall@50"), map(float, means), strict=True))


CARD = Card(
    what="""\
Ranks the papers that a draft as a whole should cite and does not: boosted trees (LambdaMART) over
{width} features of text, names and citations (`cite_lsp/recommend/references/evidence.py`).""",
    data="""\
{lists:,} lists of references and {drafts} drafts, and others to measure on: {data}.
A list is that of a paper of which title, abstract, authors and year are known, of some the text
around their markers, too; half of them cite nothing yet, the others some of their references. What
papers of the same year or later cite is not known to them. Drafts have lost half of what they
cite.""",
    recipe="""\
`{file}`, seed {seed}, {trees} trees of three boosters, with the encoder `{encoder}`.""",
    form="""\
ONNX, one `TreeEnsembleRegressor`: input `features` (float32, papers × {width}), output `score`
(float32, papers × 1). The logit of a paper being cited is {slope} × score + ({intercept}).""",
    licence="""\
Apache-2.0. The model holds thresholds over similarities and counts; no text of the data is in
it.""",
    measured="""\
Held-out lists and drafts, among the candidates that are found (all figures are in
docs/research/evaluation.md):""",
    below="What the trees gain most from: {gains}.",
    files=(TREES, "config.json"),
)
