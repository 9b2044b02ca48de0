"""Recipe `corpus-ranker`: the second stage that ranks a corpus, with all that it leans on.

Learned from the contexts are precedents (who was cited where) and LambdaMART (Burges 2010;
LightGBM) over the features of `recommend/corpus/features.py`. A context that is learned from must
not have been seen: its document is left out of the precedents, and the query encoder that placed it
is one of those that recipe `query-encoder` trained without its document. Single sentences that cite
are precedents as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.citing_sentences import CitingSentence
from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.edges import Edge
from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus.candidates import Asked, Retrieval
from cite_lsp.recommend.corpus.features import CORPUS_FEATURES, FEATURE_PLACE
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument, document_key
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import asking_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.train.data.quoted_sentences import contexts_of_sentences
from cite_lsp.train.rankers.bags import Bag, described
from cite_lsp.train.rankers.groups import Group, keep_groups, labels_of, section_seen
from cite_lsp.train.rankers.ranking import Groups, figures_of_columns
from cite_lsp.train.run.checkpoints import (
    CHECKPOINTS,
    claim,
    columns_of_contexts,
    digest_of,
    finish,
)
from cite_lsp.train.run.config import write_config
from cite_lsp.train.run.errors import TrainingError, require
from cite_lsp.train.run.progress import Progress, Steps

NAME = "corpus-ranker"
SINGLE_ORDERS = (
    *("near_words", "wide_words", "placed", "profile", "both"),
    *("citations", "section_nearest"),
)
"""Features by which alone the candidates are ordered, for comparison."""
WITHOUT_PRECEDENTS = 0.15
"""Share of contexts seen without precedents: most corpora are not those that taught us."""
PROTOCOLS = {"before": 0.6, "all": 0.25, "none": 0.15}
"""Which papers of the section a context is seen with, and how often."""
PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 12,
    "learning_rate": 0.08,
    "num_leaves": 63,
    "min_data_in_leaf": 300,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 127,
    "metric": "ndcg",
    "eval_at": [10],
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
}
ROUNDS, PATIENCE = 400, 60
BAGS = 2
"""Boosters of different seeds whose mean ranks: one alone leans on chance."""
NOT_LEARNED_FROM = ("citations", "citations_a_year", "recent", "venue_citations")
"""What is often cited is cited often: trees that may count citations rank the papers that nobody
was seen to cite far worse (Recall@10 .58 instead of .65 on development contexts) and the others no
better, for the contexts in which a paper was cited say it already."""


@frozen
class Task:
    """A context of the recipe: where the query encoder puts it (d,), and its draft's title (d,).

    `document` is the number of its document among the precedents, -1 for none.
    """

    row: LabelledContext
    placed: Vectors
    title: Vectors
    document: int = -1


def make_precedents(
    rows: Sequence[LabelledContext],
    edges: Iterable[Edge],
    papers: dict[str, Paper],
    placed: Mapping[str, Vectors],
    *,
    sentences: Sequence[LabelledContext] = (),
    quoted: Callable[[LabelledContext], bool],
    checkpoint: str,
) -> tuple[Precedents, dict[str, int]]:
    """Gather precedents, and the number of each citing document among them.

    Of contexts that `quoted` refuses only the citation is kept, not what was written there; those
    of `sentences` are all quoted. `placed` says by id where query encoders that had not seen them
    put the contexts, `checkpoint` among whose papers.
    """
    quoting = [*filter(quoted, rows), *sentences]
    rows = [*rows, *sentences]
    cited: dict[str, dict[str, None]] = {}
    for row in rows:
        cited.setdefault(row.citing_id, {}).update(dict.fromkeys(row.cited))
    for edge in edges:
        cited.setdefault(edge.citing, {})[edge.cited] = None
    about = {row.citing_id: row for row in rows}
    keys = {name: title_key(paper) for name, paper in papers.items()}
    numbers = {name: number for number, name in enumerate(cited)}
    documents = []
    for name, others in cited.items():
        source, paper = about.get(name), papers.get(name)
        year = (source and source.year) or (paper and paper.year) or 0
        key = document_key(paper, source.context.title if source is not None else "")
        documents.append(CitingDocument(key, year, _known(others, keys)))
    kept = [(row, known) for row in quoting if (known := _known(row.cited, keys))]
    contexts = [
        CitingContext(numbers[row.citing_id], read_query(row.context).near, known)
        for row, known in kept
    ]
    width = len(next(iter(placed.values()), ()))
    vectors = np.array([placed[row.context_id] for row, _ in kept], dtype=np.float32)
    vectors = vectors.reshape(len(kept), width)
    return Precedents.build(documents, contexts, vectors, checkpoint=checkpoint), numbers


def _known(names: Iterable[str], keys: dict[str, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(keys[name] for name in names if name in keys))


def gather_groups(
    tasks: Sequence[Task],
    retrieval: Retrieval,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    *,
    seed: int,
    learning: bool,
    kept: Path,
    progress: Steps,
) -> Groups:
    """Compute the features of the candidates of contexts that find a relevant paper.

    All candidates are learned from, which is what the trees will be asked about: taught on the
    likeliest of a few orders they put what is found by others alone, known only to precedents as a
    rule, before papers that nobody has cited yet.

    Contexts are `learning` material or stand for what a writer asks: then the section is known as
    far as it was written, and nothing is forgotten. Parts are written to `kept` and read again by
    a run that was broken off.
    """
    return keep_groups(
        tasks,
        lambda task: _group(task, retrieval, allowed, seed, learning),
        len(CORPUS_FEATURES),
        kept,
        progress,
    )


def _group(
    task: Task,
    retrieval: Retrieval,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    seed: int,
    learning: bool,
) -> Group | None:
    row, corpus = task.row, retrieval.corpus
    dice = random.Random(f"{seed} {row.context_id}")
    protocol = "before"
    if learning:
        protocol = dice.choices(list(PROTOCOLS), list(PROTOCOLS.values()))[0]
    asked = Asked(read_query(row.context), row.year, task.placed, task.title)
    rows, matrix = retrieval.gather(
        asked,
        allowed=allowed(row),
        section=section_seen(row, protocol, corpus.row_of),
        without=task.document,
        forget=learning and dice.random() < WITHOUT_PRECEDENTS,
    )
    labels = labels_of(row, rows, corpus.row_of)
    return (matrix, labels) if labels.any() else None


def fit(learned: Groups, held_out: Groups, *, seed: int) -> Bag:
    """Fit the trees, each booster until NDCG@10 of held-out contexts no longer rises."""
    contributions = [float(name not in NOT_LEARNED_FROM) for name in CORPUS_FEATURES]
    return Bag.fit(
        learned,
        CORPUS_FEATURES,
        PARAMETERS | {"feature_contri": contributions},
        ROUNDS,
        range(seed, seed + BAGS),
        held_out=held_out,
        patience=PATIENCE,
    )


def train(
    train_rows: Sequence[LabelledContext],
    dev_rows: Sequence[LabelledContext],
    edges: Iterable[Edge],
    corpus: CorpusIndex,
    encoder: Encoder,
    query_encoder: Encoder,
    held_out: Mapping[str, Vectors],
    out: Path,
    *,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    quoted: Callable[[LabelledContext], bool] = lambda row: True,
    sentences: Iterable[CitingSentence] = (),
    seed: int = 13,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train, and write everything to `out`; returns the figures.

    `query_encoder` places the contexts of dev; `held_out` has, by id, the vectors (d,) of those
    that are learned from, by encoders that had not seen their document. `allowed` says which papers
    a context may be given. `sentences` of other documents than these are precedents, too, and must
    not have taught the query encoder.

    Raises:
        TrainingError: a package is missing, or the contexts cite too few of the papers.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx", "torch", "safetensors")
    out.mkdir(parents=True, exist_ok=True)
    learn, check = _askable(train_rows, dev_rows, corpus, held_out)
    edges, sentences = list(edges), list(sentences)
    about = {
        "encoder": encoder.fingerprint,
        "checkpoint": encoder.checkpoint,
        "query_encoder": query_encoder.fingerprint,
        "seed": seed,
    }
    quotable = [row for row in learn if quoted(row)]
    data = digest_of(_columns(learn, check, quotable, edges, sentences, corpus))
    run = {"recipe": NAME, **about, "features": list(CORPUS_FEATURES), "papers": len(corpus)}
    kept = out / CHECKPOINTS
    claim(kept, {**run, "data": data})
    progress("encoding contexts", 0, 0)
    papers = _papers_named(learn, edges, sentences, corpus)
    read = {row.citing_id for row in (*train_rows, *dev_rows)}
    said = contexts_of_sentences(sentences, papers, without=read)
    precedents, documents = make_precedents(
        learn,
        edges,
        papers,
        {**held_out, **_placed(said, query_encoder)},
        sentences=said,
        quoted=quoted,
        checkpoint=encoder.checkpoint,
    )
    precedents.save(out / "precedents.safetensors")
    retrieval = Retrieval(corpus, precedents)
    tasks = _tasks(learn, check, encoder, query_encoder, held_out, documents)
    learned, checked = (
        gather_groups(
            asked,
            retrieval,
            allowed,
            seed=seed,
            learning=part == "train",
            kept=kept / part,
            progress=partial(progress, f"{part} contexts"),
        )
        for part, asked in tasks.items()
    )
    bag = fit(learned, checked, seed=seed)
    config = {
        "name": NAME,
        "features": list(CORPUS_FEATURES),
        **about,
        "trees": bag.save(out / "model.onnx"),
        **_described(bag, learned, checked, len(corpus), precedents),
    }
    write_config(out, config)
    finish(out)
    return config


def _described(
    bag: Bag, learned: Groups, held_out: Groups, papers: int, precedents: Precedents
) -> dict[str, Any]:
    """Return what `config.json` says of the trees and precedents of a pool of so many papers."""
    return described(
        bag,
        learned,
        held_out,
        figures_of_columns(held_out, {name: FEATURE_PLACE[name] for name in SINGLE_ORDERS}),
        papers=papers,
        precedents={
            "papers": len(precedents),
            "documents": len(precedents.documents),
            "contexts": precedents.contexts,
        },
    )


def _placed(rows: Sequence[LabelledContext], query_encoder: Encoder) -> dict[str, Vectors]:
    """Return where the query encoder places contexts, (d,), by their ids."""
    places = query_encoder.encode([asking_text(row.context) for row in rows])
    return {row.context_id: place for row, place in zip(rows, places, strict=True)}


def _papers_named(
    rows: Iterable[LabelledContext],
    edges: Iterable[Edge],
    sentences: Iterable[CitingSentence],
    corpus: CorpusIndex,
) -> dict[str, Paper]:
    """Return the papers of the corpus that cite or are cited, by id."""
    names = {name for row in rows for name in (row.citing_id, *row.cited)}
    names |= {name for edge in edges for name in (edge.citing, edge.cited)}
    names |= {name for one in sentences for name in (one.citing_id, *one.cited)}
    return {name: corpus.paper(corpus.row_of[name]) for name in names if name in corpus.row_of}


def _tasks(
    learn: Sequence[LabelledContext],
    check: Sequence[LabelledContext],
    encoder: Encoder,
    query_encoder: Encoder,
    held_out: Mapping[str, Vectors],
    documents: Mapping[str, int],
) -> dict[str, list[Task]]:
    """Return the contexts that cite a paper with an abstract, with where they and titles lie."""
    titles = encoder.encode([row.context.title for row in (*learn, *check)])
    placed = query_encoder.encode([asking_text(row.context) for row in check])
    return {
        "train": [
            Task(row, held_out[row.context_id], title, documents[row.citing_id])
            for row, title in zip(learn, titles[: len(learn)], strict=True)
            if row.cited_abs
        ],
        "dev": [
            Task(row, its_place, title)
            for row, its_place, title in zip(check, placed, titles[len(learn) :], strict=True)
            if row.cited_abs
        ],
    }


def _columns(
    learn: Sequence[LabelledContext],
    check: Sequence[LabelledContext],
    quotable: Sequence[LabelledContext],
    edges: Sequence[Edge],
    sentences: Sequence[CitingSentence],
    corpus: CorpusIndex,
) -> dict[str, dict[str, list[str]]]:
    """Return all that decides the result as columns, for `digest_of`."""
    return {
        "train": columns_of_contexts(learn),
        "dev": columns_of_contexts(check),
        "quoted": {"contexts": [row.context_id for row in quotable]},
        "edges": {
            "citing": [edge.citing for edge in edges],
            "cited": [edge.cited for edge in edges],
        },
        "sentences": {
            "sentences": [one.sentence for one in sentences],
            "citing": [one.citing_id for one in sentences],
            "cited": [" ".join(one.cited) for one in sentences],
        },
        "papers": {"id": list(corpus.row_of)},
    }


def _askable(
    train_rows: Sequence[LabelledContext],
    dev_rows: Sequence[LabelledContext],
    corpus: CorpusIndex,
    held_out: Mapping[str, Vectors],
) -> tuple[list[LabelledContext], list[LabelledContext]]:
    """Return the contexts of train and dev that cite papers of the corpus.

    Raises:
        TrainingError: there are none of one, or one of train was never placed.
    """
    learn = [row for row in train_rows if any(name in corpus.row_of for name in row.cited)]
    check = [row for row in dev_rows if any(name in corpus.row_of for name in row.cited)]
    if not learn or not check:
        raise TrainingError("contexts cite none of the papers; check that ids are the same")
    if missing := [row.context_id for row in learn if row.context_id not in held_out]:
        raise TrainingError(
            f"the query encoder was not trained with context {missing[0]} and {len(missing) - 1:,}"
            " others; train it with the same --contexts"
        )
    return learn, check
