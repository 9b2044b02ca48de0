"""Recipe `corpus-ranker`: the second stage that ranks a corpus, with all that it needs.

Learned from the contexts are precedents (who was cited where) and LambdaMART (Burges 2010;
LightGBM) over the features of `recommend/corpus/features.py`. A context that is learned from must
not have been seen: its document is left out of the precedents, and the query encoder that placed it
is one of those that recipe `query-encoder` trained without its document. Single sentences that cite
are precedents as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.citing_sentences import CitingSentence, read_citing_sentences
from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.edges import Edge
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.evaluate.tasks.local import Relevant, candidates
from cite_lsp.option_types import OptionGroup, add_paths
from cite_lsp.recommend.base.ranker import TREES
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.features import CORPUS_FEATURES, EncodedQuery
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.encoders.encoder_run import drafts_encoder
from cite_lsp.train.encoders.query_folds import HELD_OUT, read_held_out
from cite_lsp.train.rankers.encoders import trained_encoder
from cite_lsp.train.rankers.groups import Group, compute_groups, labels_of, section_seen
from cite_lsp.train.rankers.learned_precedents import (
    contexts_of_sentences,
    make_precedents,
    papers_named,
    placed_contexts,
)
from cite_lsp.train.rankers.trees import TreeRanker, write_card
from cite_lsp.train.run.card import Card
from cite_lsp.train.run.job import CHECKPOINTS, Job, claim_checkpoints, finish
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, OptionError, Progress, TrainingError, require

NAME = "corpus-ranker"
TAKES = (*DATA, "edges", "query_encoder")
WITHOUT_PRECEDENTS = 0.15
"""Share of contexts seen without precedents: most corpora are not those that taught us."""
PROTOCOLS = {"before": 0.6, "all": 0.25, "none": 0.15}
"""Which papers of the section a context is seen with, and how often."""
NOT_LEARNED_FROM = "citations"
"""A feature for the reasons alone: trees that may count citations rank the papers that nobody was
seen to cite far worse (Recall@10 .58 instead of .65 on development contexts) and the others no
better, for the contexts in which a paper was cited say it already."""
RANKER = TreeRanker(
    name=NAME,
    features=CORPUS_FEATURES,
    parameters={
        "objective": "lambdarank",
        "lambdarank_truncation_level": 12,
        "learning_rate": 0.08,
        "num_leaves": 63,
        "min_data_in_leaf": 300,
        "feature_fraction": 0.4,
        "bagging_fraction": 0.8,
        "lambda_l2": 5.0,
        "max_bin": 127,
        "metric": "ndcg",
        "eval_at": [10],
        "feature_contri": [float(name != NOT_LEARNED_FROM) for name in CORPUS_FEATURES],
    },
    rounds=400,
    patience=60,
    bags=2,
)


@frozen
class PlacedContext:
    """A context of the recipe: where the query encoder puts it (d,), and its draft's title (d,).

    `document` is the number of its document among the precedents, -1 for none.
    """

    row: LabelledContext
    placed: Vectors
    title: Vectors
    document: int = -1


@frozen
class Material:
    """What is learned from, and the contexts of other documents, `check`, to stop by.

    allowed: which papers a context may be given. quoted: whether the words of a context may be
    stored. sentences: further citations, of other documents; they must not have taught the query
    encoder.
    """

    learn: Sequence[LabelledContext]
    check: Sequence[LabelledContext]
    edges: Sequence[Edge]
    allowed: Callable[[LabelledContext], NDArray[np.bool_]]
    sentences: Sequence[CitingSentence] = ()
    quoted: Callable[[LabelledContext], bool] = lambda row: True


@frozen
class Encoders:
    """The encoder of papers and titles, and that of queries.

    held_out: by id, the vectors (d,) of the contexts to learn from, by query encoders that had not
    seen their document.
    """

    papers: Encoder
    queries: Encoder
    held_out: Mapping[str, Vectors]


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    group.add_argument(
        "--quoted",
        action="append",
        default=[],
        metavar="SOURCE",
        help="`source` of contexts whose words may be stored; by default all",
    )
    add_paths(
        group,
        "--citing-sentences",
        help="sentences of other documents with what they cite: precedents without a section;"
        " may be given several times",
    )


def run(job: Job) -> list[Figures]:
    """Train, write everything with its card; returns what it is worth."""
    options, pool = job.options, job.pool_file()
    if options.query_encoder is None:
        raise OptionError(
            f"{NAME} needs a query encoder; train one and name its folder with --query-encoder"
        )
    claim_checkpoints(options)
    corpus = job.open_pool(pool)
    learn, check = job.contexts_and_dev()
    sentences = [
        sentence
        for path in options.citing_sentences
        for sentence in read_citing_sentences(path, job.report)
    ]
    config = train(
        Material(
            learn,
            check,
            [*job.edges()],
            lambda row: candidates(corpus, row, _pool_of(row)),
            sentences,
            quoted=lambda row: not options.quoted or row.source in options.quoted,
        ),
        corpus,
        Encoders(
            drafts_encoder(),
            trained_encoder(options.query_encoder),
            read_held_out(options.query_encoder / HELD_OUT),
        ),
        job.out,
        seed=job.seed,
        progress=job.progress,
    )
    return write_card(CARD, job.out, job.origin, config, "contexts", gains=10)


def _pool_of(row: LabelledContext) -> Relevant:
    """Let every fourth context see papers without an abstract too, as writers do."""
    return "cited" if crc32(row.context_id.encode()) % 4 == 0 else "cited_abs"


def group_of(
    retrieval: Retrieval,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    seed: int,
    learning: bool,
    task: PlacedContext,
) -> Group | None:
    """Return the features of the candidates of a context, None where no relevant paper is found.

    The trees learn from all candidates, since they rank all of them. If they learn from the best of
    a few orders alone, they rank candidates of the other orders, mostly those of precedents, above
    papers that nobody has cited yet.

    Contexts are `learning` material or stand for those of a writer: then the section is known as
    far as it was written, and nothing is forgotten.
    """
    row, corpus = task.row, retrieval.corpus
    rng = random.Random(f"{seed} {row.context_id}")
    protocol = "before"
    if learning:
        protocol = rng.choices(list(PROTOCOLS), list(PROTOCOLS.values()))[0]
    query = EncodedQuery(read_query(row.context), row.year, task.placed, task.title)
    if learning and rng.random() < WITHOUT_PRECEDENTS:
        retrieval = Retrieval(corpus)
    rows, matrix = retrieval.gather(
        query,
        allowed=allowed(row),
        section=section_seen(row, protocol, corpus.row_of),
        without=task.document,
    )
    labels = labels_of(row, rows, corpus.row_of)
    return (matrix, labels) if labels.any() else None


def train(
    material: Material,
    corpus: CorpusIndex,
    encoders: Encoders,
    out: Path,
    *,
    seed: int = 13,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train, and write everything to `out`; returns the figures.

    Raises:
        TrainingError: a package is missing, or the contexts cite too few of the papers.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx", "torch", "safetensors")
    out.mkdir(parents=True, exist_ok=True)
    read = {row.citing_id for row in (*material.learn, *material.check)}
    material = _usable(material, corpus, encoders.held_out)
    checkpoints = out / CHECKPOINTS
    progress("encoding contexts", 0, 0)
    papers = papers_named(material.learn, material.edges, material.sentences, corpus)
    quotations = contexts_of_sentences(material.sentences, papers, without=read)
    precedents, documents = make_precedents(
        [*material.learn, *quotations],
        material.edges,
        papers,
        {**encoders.held_out, **placed_contexts(quotations, encoders.queries)},
        quoting=[*filter(material.quoted, material.learn), *quotations],
        checkpoint=encoders.papers.checkpoint,
    )
    precedents.save(out / "precedents.safetensors.zst")
    retrieval = Retrieval(corpus, link_precedents(corpus, precedents))
    tasks = _tasks(material, encoders, documents)
    learned, checked = (
        compute_groups(
            part_tasks,
            partial(group_of, retrieval, material.allowed, seed, part == "train"),
            len(CORPUS_FEATURES),
            checkpoints / part,
            partial(progress, f"{part} contexts"),
        )
        for part, part_tasks in tasks.items()
    )
    about = {
        "encoder": encoders.papers.fingerprint,
        "checkpoint": encoders.papers.checkpoint,
        "query_encoder": encoders.queries.fingerprint,
        "papers": len(corpus),
        "precedents": {
            "papers": len(precedents),
            "documents": len(precedents.documents),
            "contexts": precedents.contexts,
        },
    }
    config = RANKER.train(learned, checked, out, about, seed=seed)
    finish(out)
    return config


def _tasks(
    material: Material, encoders: Encoders, documents: Mapping[str, int]
) -> dict[str, list[PlacedContext]]:
    """Return the contexts that cite a paper with an abstract, with where they and titles lie."""
    learn, check = material.learn, material.check
    titles = encoders.papers.encode([row.context.title for row in (*learn, *check)])
    placed = encoders.queries.encode([query_text(row.context) for row in check])
    return {
        "train": [
            PlacedContext(row, encoders.held_out[row.context_id], title, documents[row.citing_id])
            for row, title in zip(learn, titles[: len(learn)], strict=True)
            if row.cited_abs
        ],
        "dev": [
            PlacedContext(row, its_place, title)
            for row, its_place, title in zip(check, placed, titles[len(learn) :], strict=True)
            if row.cited_abs
        ],
    }


def _usable(material: Material, corpus: CorpusIndex, held_out: Mapping[str, Vectors]) -> Material:
    """Return the material without the contexts that cite no paper of the corpus."""
    learn, check = (
        [row for row in rows if any(name in corpus.row_of for name in row.cited)]
        for rows in (material.learn, material.check)
    )
    if not learn or not check:
        raise TrainingError("contexts cite none of the papers; check that ids are the same")
    if missing := [row.context_id for row in learn if row.context_id not in held_out]:
        raise TrainingError(
            f"the query encoder was not trained with context {missing[0]} and {len(missing) - 1:,}"
            " others; train it with the same --contexts"
        )
    return evolve(material, learn=learn, check=check)


CARD = Card(
    what="""\
Ranks the papers of a corpus for one place of a draft. Two parts, learned from the same contexts:

- **precedents**: {precedents[documents]:,} documents that cite {precedents[papers]:,} papers, with
  the hashed words of {precedents[contexts]:,} contexts in which they do, and where query encoders
  that never saw these put them (`cite_lsp/recommend/evidence/precedents.py`);
- **trees**: LambdaMART over {width} features (`cite_lsp/recommend/corpus/features.py`).

Papers are known by a hash of title and first author. In a corpus that has none of them the trees
rank by text and by nearness to the section's papers alone, as they were taught to on a share of
the contexts.""",
    data="""\
{train_groups:,} citation contexts against a pool of {papers:,} papers, and {dev_groups:,} of other
documents to stop by: {data}""",
    recipe="""\
`{file}`, seed {seed}, {trees} trees, with papers and titles of drafts as `{encoder}` encodes them
and contexts where `{query_encoder}` puts them. A context is learned from with all its candidates
and with its document left out of the precedents, placed by a query encoder that never saw it.""",
    form="""\
ONNX, one `TreeEnsembleRegressor` (NaN where a feature is not known), and compressed safetensors. A
softmax of temperature {temperature} makes probabilities of the scores of one context.""",
    licence="Apache-2.0; the words and vectors of contexts come from openly licensed texts alone.",
    measured="""\
Contexts that find a paper they cite, all candidates (what `eval local` finds is in
docs/research/evaluation.md):""",
    below="What the trees gain most from: {gains}.",
    files=(TREES, "precedents.safetensors.zst", "config.json"),
)
