"""Recipe `query-encoder`: contexts placed among the papers that they cite, the papers held still.

Only the side of the contexts learns, against vectors of papers that the base encoder has made: an
index stays as it is, all of a pool can serve as negatives, and no paper that nobody cited is
forgotten. InfoNCE (van den Oord et al. 2018) over the papers of the batch and random ones of the
pool, corrected for how likely a paper is to be in the batch (Yi et al., RecSys 2019).

What ranks papers by these queries is to be learned from contexts whose document the encoder has not
seen; so one more encoder is trained for each fold of the documents, and what it makes of the
others' contexts is written to `held-out.safetensors`.
"""

from __future__ import annotations

from functools import partial

from attrs import asdict

from cite_lsp.evaluate.task_pool import load_pool_encoder, pool_vectors
from cite_lsp.evaluate.tasks.queries import QueryTask
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.train.encoders.batch_learning import Settings
from cite_lsp.train.encoders.encoder_run import base_folder, load_model
from cite_lsp.train.encoders.publish import (
    AGAINST_THE_POOL,
    EncoderDescription,
    publish_query_encoder,
)
from cite_lsp.train.encoders.query_folds import (
    MAX_TOKENS,
    EncodedPapers,
    StartingModel,
    train_folds,
)
from cite_lsp.train.run.encoding import encode_segments
from cite_lsp.train.run.export import licence_of
from cite_lsp.train.run.job import Job, claim_checkpoints
from cite_lsp.train.run.options import DATA, LEARNING
from cite_lsp.train.run.report import Figures

NAME = "query-encoder"
TAKES = (*DATA, "edges", "base", *LEARNING)


def run(job: Job) -> list[Figures]:
    """Train, write the encoder with its card; returns what it is worth beside its base."""
    claim_checkpoints(job.options)
    settings = job.settings(Settings())
    corpus = job.open_pool()
    encoder = load_pool_encoder(job.options.base)
    papers = EncodedPapers(corpus.row_of, pool_vectors(corpus, encoder, job.progress))
    learn, check = job.contexts_and_dev()
    seen = {name for row in learn for name in row.cited}
    seen.update(edge.cited for edge in job.edges())
    base, base_name = base_folder(job.options.base)
    start = StartingModel(partial(load_model, base, MAX_TOKENS), query_text)
    model = train_folds(learn, papers, start, job.out, settings, progress=job.progress)
    task = QueryTask(corpus, papers.vectors, check, seen)
    description = EncoderDescription(
        name=NAME,
        what=_WHAT.format(base=base_name),
        base_name=base_name,
        licence=licence_of(base) or "not declared by the base",
        terms=_TERMS,
        settings=asdict(settings),
        contexts=len(learn),
        measured=AGAINST_THE_POOL.format(task="eval local"),
    )
    return publish_query_encoder(
        job,
        model,
        description,
        task.figures,
        {"base": encode_segments(load_model(base, MAX_TOKENS))},
    )


_WHAT = """\
Where the papers lie that a context cites: `{base}`, trained further on contexts alone, against the
vectors that the unchanged `{base}` has made of papers."""
_TERMS = """\
that of the base, whose weights these are, trained further. No text of the data is in it."""
