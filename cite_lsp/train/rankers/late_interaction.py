"""Recipe `late-interaction`: the first papers of the trees, compared with the context by words.

Learned is the network of `train/rankers/interaction.py` over the states that the query encoder has
of the words of a context and the words of titles: softmax over what a context cites and what it
does not, of which most are papers that the trees or one of their orders put first (listwise, Cao et
al., ICML 2007). Trees, precedents and encoders are those that ship and are held still. What its
scores weigh beside the logits of the trees is chosen on contexts of other documents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.tasks.local import candidates
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.method import Allowed
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.features import FEATURE_PLACE, EncodedQuery
from cite_lsp.recommend.corpus.late_interaction import LateInteraction, shipped_words
from cite_lsp.recommend.corpus.reranker import shipped_corpus_models
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.precedent_arrays import document_key
from cite_lsp.recommend.query.encoder_input import QUERY_ENCODER, query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.train.encoders.encoder_run import drafts_encoder
from cite_lsp.train.rankers.encoders import trained_encoder
from cite_lsp.train.rankers.groups import Group, compute_groups, labels_of, section_seen
from cite_lsp.train.rankers.interaction_task import (
    COLUMNS,
    InteractionTask,
    Settings,
    ShippedModels,
    choose,
    rows_of,
)
from cite_lsp.train.run.card import Card, Origin, settings_line, write_config
from cite_lsp.train.run.job import CHECKPOINTS, ContextSplit, Job, claim_checkpoints, finish
from cite_lsp.train.run.options import DATA, LEARNING
from cite_lsp.train.run.report import Figures, Progress, TrainingError, require

NAME = "late-interaction"
TAKES = (*DATA, *LEARNING)

HARDEST = 20
"""Papers learned from that the trees put first."""
ORDERS, OF_EACH = ("near_words", "wide_words", "placed"), 8
"""Single orders, and the papers learned from that each of them puts first."""
BY_CHANCE = 12
"""Other candidates learned from."""


def run(job: Job) -> list[Figures]:
    """Train, write the graph with its card; returns what it adds to the trees."""
    claim_checkpoints(job.options)
    settings = job.settings(Settings())
    corpus = job.open_pool()
    learned = shipped_corpus_models(corpus.manifest.checkpoint)
    if learned is None:
        raise TrainingError(f"{NAME} needs corpus-ranker, which ships for other vectors")
    models = ShippedModels(
        Retrieval(corpus, link_precedents(corpus, learned.precedents)),
        learned.ranker,
        learned.precedents,
        drafts_encoder(),
        trained_encoder(shipped_model(QUERY_ENCODER)),
        shipped_words(),
    )
    config = train(
        job.contexts_and_dev(),
        models,
        job.out,
        allowed=lambda row: candidates(corpus, row, "cited_abs"),
        settings=settings,
        progress=job.progress,
    )
    return write_card(job.out, job.origin, config)


def train(
    split: ContextSplit,
    models: ShippedModels,
    out: Path,
    *,
    allowed: Callable[[LabelledContext], Allowed],
    settings: Settings,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train, and write the graph and its description to `out`; returns the latter.

    `allowed` says which papers a context may be given. An interrupted run continues with what
    was gathered.

    Raises:
        TrainingError: a package is missing, the contexts cite too few of the papers, or the query
            encoder does not tell how it reads.
        OSError: `out` cannot be written.
    """
    require("torch", "onnx")
    # Imported where needed: it loads torch, which the options of a recipe do not need.
    from cite_lsp.train.rankers.interaction import batches, fit, write_graph

    signs = models.signs
    checkpoints = out / CHECKPOINTS
    about = {"encoder": models.encoder.fingerprint, "words": models.words.fingerprint}
    about["query_encoder"] = models.query_encoder.fingerprint
    contexts = {"train": _askable(split.train, models), "dev": _askable(split.dev, models)}
    learned, checked = (
        compute_groups(
            list(enumerate(rows)),
            partial(_group, models, allowed, settings.seed, part == "train"),
            COLUMNS,
            checkpoints / part,
            partial(progress, f"{part} contexts"),
        )
        for part, rows in contexts.items()
    )
    network = fit(contexts["train"], learned, models, settings, progress)
    example = next(batches([0], contexts["train"], learned, models, 1))
    write_graph(network, out / "model.onnx", example[0])
    interaction = LateInteraction(out / "model.onnx", models.words, signs)
    task = InteractionTask(contexts["dev"], checked, models)
    scores = task.scores(interaction, partial(progress, "dev contexts compared"))
    stage, figures = choose(task, scores, interaction)
    config = {
        "name": NAME,
        **about,
        "signs": asdict(signs),
        "first": stage.first,
        "weight": stage.weight,
        "temperature": stage.temperature,
        "settings": asdict(settings),
        "papers": len(models.corpus),
        "train_contexts": len(learned.sizes),
        "dev_contexts": len(contexts["dev"]),
        "dev": figures,
    }
    write_config(out, config)
    finish(out)
    return config


def _askable(rows: Sequence[LabelledContext], models: ShippedModels) -> list[LabelledContext]:
    askable = [row for row in rows if rows_of(row, models.corpus)]
    if not askable:
        raise TrainingError("no context cites one of the papers; check that ids are the same")
    return askable


def _group(
    models: ShippedModels,
    allowed: Callable[[LabelledContext], Allowed],
    seed: int,
    learning: bool,
    numbered: tuple[int, LabelledContext],
) -> Group | None:
    """Return the candidates of a context: its number, rows, logits by the trees.

    Those to learn from are chosen; of a context to check all, even where it finds nothing.
    """
    number, row = numbered
    corpus = models.corpus
    query = EncodedQuery(
        read_query(row.context),
        row.year,
        models.query_encoder.encode([query_text(row.context)])[0],
        models.encoder.encode([row.context.title])[0],
    )
    rows, matrix = models.retrieval.gather(
        query,
        allowed=allowed(row),
        section=section_seen(row, "before", corpus.row_of),
        without=_document(row, models) if learning else -1,
    )
    logits = models.ranker.logits(matrix)
    labels = labels_of(row, rows, corpus.row_of)
    columns = np.stack([np.full(len(rows), number), rows, logits], axis=1)
    if learning:
        if not labels.any():
            return None
        learned_rows = _learned_from(matrix, logits, labels, f"{seed} {row.context_id}")
        columns, labels = columns[learned_rows], labels[learned_rows]
    return columns.astype(np.float32), labels


def _document(row: LabelledContext, models: ShippedModels) -> int:
    """Return the number of a context's document among the precedents, -1 where they lack it."""
    place = models.corpus.row_of.get(row.citing_id)
    paper = models.corpus.paper(place) if place is not None else None
    key = document_key(paper, row.context.title)
    documents = np.flatnonzero(models.precedents.documents == np.uint64(key))
    return int(documents[-1]) if key and len(documents) else -1


def _learned_from(
    matrix: NDArray[np.float32], logits: Column, labels: NDArray[np.int8], seed: str
) -> NDArray[np.int64]:
    rows = {*np.flatnonzero(labels).tolist(), *np.argsort(-logits)[:HARDEST].tolist()}
    for name in ORDERS:
        values = np.nan_to_num(matrix[:, FEATURE_PLACE[name]], nan=-np.inf)
        rows.update(np.argsort(-values)[:OF_EACH].tolist())
    count = min(BY_CHANCE, len(labels))
    rows.update(random.Random(seed).sample(range(len(labels)), count))
    return np.array(sorted(rows), dtype=np.int64)


def write_card(folder: Path, origin: Origin, config: Mapping[str, Any]) -> list[Figures]:
    """Write the card beside late interaction; returns the figures in it."""
    figures = [Figures(config["dev"], heading="ranked by")]
    facts = {**config, "settings": settings_line(config["settings"])}
    return CARD.write(folder, origin, figures, **facts)


CARD = Card(
    what="""\
Tells the first {first} papers that [corpus-ranker](../corpus-ranker/README.md) finds apart, word by
word: the words of a context as [query-encoder](../query-encoder/README.md) reads them there, those
of titles as [static](../static/README.md) knows them
(`cite_lsp/recommend/corpus/late_interaction.py`). No index holds anything for it.""",
    data="""\
{train_contexts:,} citation contexts against a pool of {papers:,} papers; weights chosen on
{dev_contexts:,} of other documents: {data}""",
    recipe="""\
`{file}`, {settings}. Learned with encoders `{query_encoder}` and `{words}`, which are held
still.""",
    form="""\
`model.onnx`. Less its mean over the first papers, a score is added to the logits of the trees with
weight {weight}; the sums are divided by {temperature}.""",
    licence="""\
Apache-2.0. It holds maps between spaces of words and a few numbers for each word of the
vocabulary; no text of the data is in it.""",
    measured="""\
Held-out contexts against the whole pool, candidates as in `eval local`; *unseen* are those whose
papers precedents do not know:""",
    files=("model.onnx", "config.json"),
)
