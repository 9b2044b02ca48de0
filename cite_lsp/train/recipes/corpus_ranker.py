"""Recipe `corpus-ranker`: the second stage that ranks a corpus, with all that it leans on.

Three things are learned from the contexts: precedents (who was cited where), a query map, and
LambdaMART (Burges 2010; LightGBM) over the features of `recommend/corpus_features.py`. A context
that is learned from must not have been seen: its document is left out of the precedents, and the
map that moves its query was fitted without the documents of its fold.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.edges import Edge
from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus_features import CORPUS_FEATURES, FEATURE_PLACE
from cite_lsp.recommend.precedents import CitingContext, CitingDocument, Precedents
from cite_lsp.recommend.query import read_query
from cite_lsp.recommend.query_map import QueryMap
from cite_lsp.recommend.second_stage import SIMPLE_ORDERS, Asked, Retrieval, shortlist
from cite_lsp.search.corpus_index import CorpusIndex
from cite_lsp.search.paper_columns import title_key
from cite_lsp.search.vectors import Rows
from cite_lsp.train.checkpoints import CHECKPOINTS, claim, digest_of, finish
from cite_lsp.train.errors import TrainingError, require
from cite_lsp.train.groups import keep_groups
from cite_lsp.train.query_map import fit_query_map
from cite_lsp.train.recipes.library_ranker import Groups, fit_temperature, ranking_figures
from cite_lsp.train.trees import save_onnx

if TYPE_CHECKING:
    from lightgbm import Booster

FOLDS = 5
NEGATIVES_HARD, NEGATIVES_RANDOM = 96, 60
"""Candidates kept beside the relevant ones: the best of each simple order, and chance."""
SHORTER_DEPTH = 300
"""Candidates of a development context, by the sum of the ranks in the simple orders."""
WITHOUT_PRECEDENTS = 0.15
"""Share of contexts seen without precedents: most corpora are not those that taught us."""
PROTOCOLS = {"before": 0.6, "all": 0.25, "none": 0.15}
"""Which papers of the section a context is seen with, and how often."""
PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 12,
    "learning_rate": 0.04,
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
NOT_LEARNED_FROM = ("citations", "citations_a_year", "recent", "venue_citations")
"""What is often cited is cited often: trees that may count citations rank the papers that nobody
was seen to cite far worse (Recall@10 .58 instead of .65 on development contexts) and the others no
better, for the contexts in which a paper was cited say it already."""

Report = Callable[[str, int, int], None]


@frozen
class Task:
    """A context of the recipe: its vectors, its document among the precedents (-1: none)."""

    row: LabelledContext
    vectors: Vectors
    document: int
    mapped: Vectors | None


def make_precedents(
    rows: Sequence[LabelledContext],
    edges: Iterable[Edge],
    papers: dict[str, Paper],
    encoder: Encoder,
    *,
    quoted: Callable[[LabelledContext], bool],
) -> tuple[Precedents, dict[str, int]]:
    """Gather precedents, and the number of each citing document among them.

    Of contexts that `quoted` refuses only the citation is kept, not what was written there.
    """
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
        key = keys.get(name, 0)
        if not key and source is not None and source.context.title:
            key = title_key(Paper("", source.context.title))
        documents.append(CitingDocument(key, year, _known(others, keys)))
    contexts = [
        CitingContext(numbers[row.citing_id], read_query(row.context).near, known)
        for row in rows
        if quoted(row) and (known := _known(row.cited, keys))
    ]
    return Precedents.build(documents, contexts, encoder), numbers


def _known(names: Iterable[str], keys: dict[str, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(keys[name] for name in names if name in keys))


def context_vectors(rows: Sequence[LabelledContext], encoder: Encoder, report: Report) -> Vectors:
    """Return the near, wide and title vectors of contexts, shape (n, 3, d)."""
    queries = [read_query(row.context) for row in rows]
    texts = [query.near for query in queries] + [query.wide for query in queries]
    texts += [row.context.title for row in rows]
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        report("encoding contexts", done, len(texts))

    flat = encoder.encode(texts, progress=progress)
    return np.ascontiguousarray(flat.reshape(3, len(rows), -1).transpose(1, 0, 2))


def cross_map(
    rows: Sequence[LabelledContext],
    vectors: Vectors,
    corpus: CorpusIndex,
    papers: NDArray[np.floating],
    *,
    seed: int,
    report: Report,
) -> tuple[QueryMap, Vectors]:
    """Fit the query map, and map each context by one that never saw its document, (n, d)."""
    folds = np.array([_fold(row.citing_id, seed) for row in rows])
    pairs = np.array(
        [
            (number, corpus.row_of[name])
            for number, row in enumerate(rows)
            for name in row.cited
            if name in corpus.row_of
        ],
        dtype=np.int64,
    )
    if not len(pairs):
        raise TrainingError("the contexts cite none of the papers; check that ids are the same")
    mapped = np.zeros((len(rows), vectors.shape[2]), dtype=np.float32)
    for fold in range(FOLDS):
        theirs = folds[pairs[:, 0]] != fold
        held_out = folds == fold
        if theirs.any() and held_out.any():
            part = fit_query_map(vectors, pairs[theirs], papers, seed=seed)
            mapped[held_out] = part(vectors[held_out])
        report("query map", fold + 1, FOLDS + 1)
    whole = fit_query_map(vectors, pairs, papers, seed=seed)
    report("query map", FOLDS + 1, FOLDS + 1)
    return whole, mapped


def _fold(name: str, seed: int) -> int:
    digest = hashlib.blake2b(f"{seed} {name}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") % FOLDS


def gather_groups(
    tasks: Sequence[Task],
    retrieval: Retrieval,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    *,
    seed: int,
    learning: bool,
    kept: Path,
    report: Callable[[int, int], None],
) -> Groups:
    """Compute the features of the candidates of contexts that find a relevant paper.

    Contexts are `learning` material or stand for what a writer asks: then the section is known as
    far as it was written, and nothing is forgotten. Parts are written to `kept` and read again by
    a run that was broken off.
    """
    return keep_groups(
        tasks,
        lambda task: _group(task, retrieval, allowed, seed, learning),
        len(CORPUS_FEATURES),
        kept,
        report,
    )


def _group(
    task: Task,
    retrieval: Retrieval,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    seed: int,
    learning: bool,
) -> tuple[NDArray[np.float32], NDArray[np.int8]] | None:
    row, corpus = task.row, retrieval.corpus
    dice = random.Random(f"{seed} {row.context_id}")
    protocol = "before"
    if learning:
        protocol = dice.choices(list(PROTOCOLS), list(PROTOCOLS.values()))[0]
    cited = {
        "before": row.context.section_cited_before,
        "all": row.context.section_cited,
        "none": (),
    }[protocol]
    section = list(dict.fromkeys(corpus.row_of[name] for name in cited if name in corpus.row_of))
    asked = Asked(read_query(row.context), row.year, task.vectors)
    rows, matrix = retrieval.gather(
        asked,
        allowed=allowed(row),
        section=section,
        without=task.document,
        mapped=task.mapped,
        forget=learning and dice.random() < WITHOUT_PRECEDENTS,
    )
    relevant = [corpus.row_of[name] for name in row.cited if name in corpus.row_of]
    labels = np.isin(rows, relevant).astype(np.int8)
    keep = sample_candidates(matrix, labels, dice) if learning else shorten(matrix, labels)
    return (matrix[keep], labels[keep]) if labels[keep].any() else None


def sample_candidates(
    matrix: NDArray[np.float32], labels: NDArray[np.int8], dice: random.Random
) -> Rows:
    """Choose what is learned from: the relevant, the best of each simple order, some others."""
    chosen = set(np.flatnonzero(labels).tolist())
    for name in SIMPLE_ORDERS:
        values = np.nan_to_num(matrix[:, FEATURE_PLACE[name]])
        best = np.argsort(-values, kind="stable")
        chosen.update(best[: NEGATIVES_HARD // len(SIMPLE_ORDERS)].tolist())
    rest = [place for place in range(len(labels)) if place not in chosen]
    chosen.update(dice.sample(rest, min(NEGATIVES_RANDOM, len(rest))))
    return np.array(sorted(chosen), dtype=np.int64)


def shorten(matrix: NDArray[np.float32], labels: NDArray[np.int8]) -> Rows:
    """Choose the candidates that a ranking is checked on: the best by all simple orders."""
    best = shortlist(matrix, SHORTER_DEPTH)
    return np.unique(np.concatenate([best, np.flatnonzero(labels)]))


def fit(train: Groups, dev: Groups, *, seed: int) -> Booster:
    """Fit LambdaMART, stopping when NDCG@10 on dev no longer rises; returns the booster."""
    import lightgbm

    names = list(CORPUS_FEATURES)
    data = lightgbm.Dataset(
        train.features,
        train.relevance,
        group=train.sizes,
        feature_name=names,
        params={"max_bin": PARAMETERS["max_bin"]},
    )
    check = lightgbm.Dataset(dev.features, dev.relevance, group=dev.sizes, reference=data)
    return lightgbm.train(
        PARAMETERS
        | {"seed": seed, "feature_contri": [float(name not in NOT_LEARNED_FROM) for name in names]},
        data,
        num_boost_round=ROUNDS,
        valid_sets=[check],
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )


def train(
    train_rows: Sequence[LabelledContext],
    dev_rows: Sequence[LabelledContext],
    edges: Iterable[Edge],
    corpus: CorpusIndex,
    paper_vectors: NDArray[np.floating],
    encoder: Encoder,
    out: Path,
    *,
    allowed: Callable[[LabelledContext], NDArray[np.bool_]],
    quoted: Callable[[LabelledContext], bool] = lambda row: True,
    seed: int = 13,
    report: Report = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Train, and write everything to `out`; returns the figures.

    `paper_vectors` are those of the corpus, shape (n, d); `allowed` says which papers a context may
    be given.

    Raises:
        TrainingError: a package is missing, or the contexts cite too few of the papers.
        OSError: `out` cannot be written.
    """
    require("lightgbm", "onnx", "torch", "safetensors")
    out.mkdir(parents=True, exist_ok=True)
    learn = [row for row in train_rows if any(name in corpus.row_of for name in row.cited)]
    check = [row for row in dev_rows if any(name in corpus.row_of for name in row.cited)]
    edges = list(edges)
    wanted = {row.citing_id for row in learn} | {name for row in learn for name in row.cited}
    wanted |= {name for edge in edges for name in (edge.citing, edge.cited)}
    papers = {name: corpus.paper(corpus.row_of[name]) for name in wanted if name in corpus.row_of}
    kept = out / CHECKPOINTS
    claim(
        kept,
        {
            "recipe": "corpus-ranker",
            "seed": seed,
            "encoder": encoder.fingerprint,
            "features": list(CORPUS_FEATURES),
            "papers": len(corpus),
            "data": digest_of(
                {
                    "train": {"contexts": [row.context_id for row in learn]},
                    "dev": {"contexts": [row.context_id for row in check]},
                    "edges": {"cited": [edge.cited for edge in edges]},
                }
            ),
        },
    )
    precedents, documents = make_precedents(learn, edges, papers, encoder, quoted=quoted)
    precedents.save(out / "precedents.safetensors")
    vectors = context_vectors([*learn, *check], encoder, report)
    learn_vectors, check_vectors = vectors[: len(learn)], vectors[len(learn) :]
    query_map, mapped = _kept_map(kept, learn, learn_vectors, corpus, paper_vectors, seed, report)
    query_map.save(out / "query-map.safetensors")
    retrieval = Retrieval(corpus, query_map, precedents)
    learned = gather_groups(
        [
            Task(row, own, documents[row.citing_id], moved)
            for row, own, moved in zip(learn, learn_vectors, mapped, strict=True)
            if row.cited_abs
        ],
        retrieval,
        allowed,
        seed=seed,
        learning=True,
        kept=kept / "train",
        report=lambda done, total: report("train contexts", done, total),
    )
    held_out = gather_groups(
        [
            Task(row, own, -1, None)
            for row, own in zip(check, check_vectors, strict=True)
            if row.cited_abs
        ],
        retrieval,
        allowed,
        seed=seed,
        learning=False,
        kept=kept / "dev",
        report=lambda done, total: report("dev contexts", done, total),
    )
    booster = fit(learned, held_out, seed=seed)
    scores = np.asarray(booster.predict(held_out.features))
    save_onnx(booster.dump_model(), list(CORPUS_FEATURES), out / "model.onnx")
    gains = booster.feature_importance("gain")
    total = max(float(gains.sum()), 1e-9)
    config = {
        "name": "corpus-ranker",
        "features": list(CORPUS_FEATURES),
        "encoder": encoder.fingerprint,
        "checkpoint": encoder.checkpoint,
        "seed": seed,
        "trees": booster.best_iteration,
        "temperature": round(fit_temperature(scores, held_out), 4),
        "papers": len(corpus),
        "precedents": {
            "papers": len(precedents),
            "documents": len(precedents.documents),
            "contexts": precedents.contexts,
        },
        "train_groups": int(len(learned.sizes)),
        "dev_groups": int(len(held_out.sizes)),
        "dev": {
            "learned": ranking_figures(scores, held_out),
            "single": {
                name: ranking_figures(
                    np.nan_to_num(held_out.features[:, FEATURE_PLACE[name]]).astype(np.float64),
                    held_out,
                )
                for name in (*SIMPLE_ORDERS, "plain", "alike_words_sum", "section_nearest")
            },
        },
        "gain": {
            name: round(float(gain / total), 4)
            for name, gain in sorted(
                zip(CORPUS_FEATURES, gains, strict=True), key=lambda pair: -pair[1]
            )
        },
    }
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    finish(out)
    return config


def _kept_map(
    kept: Path,
    rows: Sequence[LabelledContext],
    vectors: Vectors,
    corpus: CorpusIndex,
    papers: NDArray[np.floating],
    seed: int,
    report: Report,
) -> tuple[QueryMap, Vectors]:
    """Fit the query map, or take it from a run that was broken off."""
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / "map.npz"
    if not path.exists():
        whole, mapped = cross_map(rows, vectors, corpus, papers, seed=seed, report=report)
        scratch = path.with_suffix(".part.npz")
        np.savez(scratch, weights=whole.weights, maps=whole.maps, bias=whole.bias, mapped=mapped)
        scratch.replace(path)
    with np.load(path) as arrays:
        whole = QueryMap(arrays["weights"], arrays["maps"], arrays["bias"])
        return whole, arrays["mapped"]
