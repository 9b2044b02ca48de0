"""Training a head: what the recipes share that can hold the encoder still.

What is learned from, the loss and the number of negatives are those of the recipes that train whole
encoders (Tanaka et al., section 3.1). Here a linear map of the vectors of the encoder learns: the
pool is embedded once, whatever is tried.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.encode import Encoder, Vectors, load_encoder
from cite_lsp.encode.batches import encode_in_parts
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import unit
from cite_lsp.encode.kinds.headed import HeadedEncoder
from cite_lsp.evaluate.task_pool import choose_pool, load_pool_encoder, pool_vectors
from cite_lsp.evaluate.tasks.phases import PhaseTask
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.query.query import wide_window
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.data.sampling import NEGATIVES, Example, sampled
from cite_lsp.train.encoders.linear_head import HeadSettings, fit, head_triplets
from cite_lsp.train.encoders.publish import publish_head
from cite_lsp.train.run.encoding import Encode
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, TrainingError, counting

MakeExamples = Callable[[Sequence[LabelledContext], Sequence[str], int, int], Sequence[Example]]
"""Gives what is learned from: of contexts, papers to draw from, so many negatives, and a seed."""


def run_head(
    job: Job,
    examples: MakeExamples,
    *,
    positives: int = 1,
    text: Callable[[Context], str] = wide_window,
) -> list[Figures]:
    """Train a head and write it with its card; returns what it is worth beside its base.

    Args:
        job: its options.
        examples: gives what is learned from.
        positives: how many an example has.
        text: gives the query of a context.

    Raises:
        OptionError: there are several files of papers.
        TrainingError: there is nothing to learn from, or nothing to measure on.
        OSError: the head cannot be written.
    """
    settings = job.settings(HeadSettings())
    negatives = job.options.negatives or NEGATIVES
    learn, check, pool = _read(job)
    base, encode = open_still_base(job)
    papers = unit(np.asarray(pool_vectors(pool, base, job.progress)))
    answerable = [row for row in check if row.cited_abs]
    task = PhaseTask(pool, papers, answerable, encode([text(row.context) for row in answerable]))
    require_answerable(task, second=False)
    drawn_from = sorted(name for name, row in pool.row_of.items() if pool.has_abstract[row])
    taught = examples(learn, drawn_from, negatives, settings.seed)
    vectors, row_of = _with_anchors(papers, pool.row_of, taught, encode)
    if positives == 1:
        taught = [pair for example in taught for pair in example.single()]
    matrix, result = fit(
        vectors,
        head_triplets(taught, row_of, positives, negatives),
        task.find,
        settings,
        job.progress,
        positives=positives,
    )
    return publish_head(
        job,
        matrix,
        base,
        settings,
        result,
        task=f"{len(pool):,} papers, every one of the pool ranked",
        negatives=negatives,
    )


def open_still_base(job: Job) -> tuple[Encoder, Encode]:
    """Return the base as it embeds the pool, and what embeds contexts with it, uncut.

    Raises:
        EncoderError: there is no such encoder.
        TrainingError: it is a head.
    """
    name = job.options.base
    base = load_pool_encoder(name)
    if isinstance(base, HeadedEncoder):
        raise TrainingError(f"{name} is a head itself; name an encoder with --base")
    reader = CachedEncoder(load_encoder(name, threads=os.cpu_count() or 1), memory_size=50_000)
    advance = counting(job.progress, "encoding contexts")
    return base, lambda texts: encode_in_parts(reader, texts, advance)


def require_answerable(task: PhaseTask, *, second: bool) -> None:
    """Make sure that phase 1, or the second, can be measured while it is trained.

    Raises:
        TrainingError: nothing that is measured on says when to stop.
    """
    if not task.answerable[second]:
        raise TrainingError(
            "the contexts of --dev cite none of the papers, or their sections do not, so that"
            " nothing says when to stop; check that both name papers by the same ids"
        )


def _read(job: Job) -> tuple[Sequence[LabelledContext], Sequence[LabelledContext], CorpusIndex]:
    options, papers = job.options, job.pool_file()
    learn, check = job.contexts_and_dev()
    learn = sampled(learn, options.sample, job.seed)
    among = None
    if options.pool is not None:
        files = sorted({*options.contexts, *options.dev, *options.among})
        cited = (row for path in files for row in read_contexts(path))
        among = choose_pool(read_papers(papers, job.report), cited, options.pool)
    return learn, check, job.open_pool(papers, options.base, among)


def _with_anchors(
    papers: Vectors, row_of: dict[str, int], examples: Sequence[Example], encode: Encode
) -> tuple[Vectors, dict[str, int]]:
    """Return vectors with those of the examples' anchors behind them, (n + a, d), and all rows.

    Each text that is an anchor is embedded once.
    """
    texts = list(dict.fromkeys(example.anchor for example in examples))
    if not texts:
        return papers, row_of
    rows = {text: len(papers) + number for number, text in enumerate(texts)}
    return np.concatenate([papers, encode(texts)]), {**row_of, **rows}
