"""Recipe `query-encoder-zh`: Chinese contexts placed among the English papers that they cite.

The query encoder, with rows for Chinese words in its table, so that a sentence is read as it
stands and not word by word in English. First a student of the query encoder (Reimers & Gurevych,
EMNLP 2020): parallel text, and English contexts put into Chinese words, belong where the query
encoder puts the English. Then Chinese contexts themselves, as recipe `query-encoder` learns:
against vectors of papers that are held still, once for each fold of the documents and once for all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import asdict, evolve, frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode import load_encoder
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.encode.kinds.bilingual_encoder import is_chinese
from cite_lsp.encode.tokens.chinese import CHINESE, spaced_around_signs
from cite_lsp.evaluate.task_pool import load_pool_encoder, pool_vectors
from cite_lsp.evaluate.tasks.queries import QueryTask
from cite_lsp.language import has_han
from cite_lsp.manuscript.model import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.query.encoder_input import BETWEEN, HERE, QUERY_ENCODER, chinese_query_text
from cite_lsp.train.data.sampling import some_of
from cite_lsp.train.encoders.batch_learning import Settings, learn_in_batches
from cite_lsp.train.encoders.chinese_lessons import Lessons, PlacedTexts
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
    load_or_make,
    now_and_then,
    train_folds,
)
from cite_lsp.train.run.encoding import Encode
from cite_lsp.train.run.job import CHECKPOINTS, Job, claim_checkpoints
from cite_lsp.train.run.options import DATA, LEARNING
from cite_lsp.train.run.report import Figures, Progress, Steps, TrainingError
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor

NAME = "query-encoder-zh"
TAKES = (*DATA, "parallel", "glossary", "without", "query_encoder", "base", *LEARNING)

ENGLISH = 17_000
"""English contexts that teach the student, about."""
_SAME = 0.97
"""Cosine from which on two targets of a batch are no negatives of each other."""
_CONTRAST = 0.5
"""What telling the targets of a batch apart weighs beside coming near the own one."""
CONTEXTS = Settings(epochs=2, fold_epochs=1, random_papers=0, word_rate=1e-3)
"""How Chinese contexts are learned from."""
STUDENT = Settings(epochs=1, word_rate=5e-4)
"""How the student learns before; folds and papers are none of its business."""


@frozen
class Student:
    """How the student of the query encoder comes about, which contexts are learned with then.

    Attributes:
        begin: gives the model that is taught.
        lessons: gives what it is taught.
        settings: how long and how fast.
    """

    begin: Callable[[], SentenceTransformer]
    lessons: Callable[[], PlacedTexts]
    settings: Settings


def run(job: Job) -> list[Figures]:
    """Train, write the encoder with its card; returns what it is worth beside its base."""
    options = job.options
    claim_checkpoints(options)
    settings = job.settings(CONTEXTS)
    corpus = job.open_pool()
    encoder = load_pool_encoder(options.base)
    papers = EncodedPapers(corpus.row_of, pool_vectors(corpus, encoder, job.progress))
    learn, english = _by_language(job.contexts(options.contexts, options.without))
    check = job.contexts(options.dev)
    base, _ = base_folder(options.base)
    english_queries = options.query_encoder or shipped_model(QUERY_ENCODER)
    teacher = load_encoder(str(english_queries), device="cpu", threads=os.cpu_count() or 1)
    lessons = Lessons(job, learn, english, corpus, base, english_queries)
    student = Student(
        lessons.begin, lambda: lessons.placed_texts(teacher), evolve(STUDENT, seed=job.seed)
    )
    model = train(learn, papers, student, job.out, settings, progress=job.progress)
    job.progress("measuring", 0, 0)
    seen = {name for row in learn for name in row.cited}
    task = QueryTask(corpus, papers.vectors, check, seen, asking_of, "cited")
    return publish_query_encoder(
        job,
        model,
        _made(model.tokenizer.get_vocab(), settings, len(learn)),
        task.figures,
        {f"{QUERY_ENCODER}, word by word": in_english(teacher, shipped_translator())},
    )


def _by_language(
    rows: Sequence[LabelledContext],
) -> tuple[list[LabelledContext], list[LabelledContext]]:
    chinese = [row for row in rows if is_chinese(asking_of(row.context))]
    theirs = {row.context_id for row in chinese}
    return chinese, some_of([row for row in rows if row.context_id not in theirs], ENGLISH)


def asking_of(context: Context) -> str:
    """Return the query text of a Chinese context."""
    return chinese_query_text(context.left, context.right)


def cutter(model: SentenceTransformer) -> Callable[[str], str]:
    """Return what cuts texts into the words that a model has rows for."""
    vocabulary = frozenset(model.tokenizer.get_vocab())
    return lambda text: spaced_around_signs(text, vocabulary)


def distil(
    model: SentenceTransformer,
    lessons: PlacedTexts,
    settings: Settings,
    progress: Steps = lambda done, total: None,
) -> None:
    """Train a model in place so that texts come to lie where their English does.

    Raises:
        TrainingError: there is less material than a batch.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch
    from torch.nn import functional

    if len(lessons.texts) < settings.batch:
        raise TrainingError(f"{len(lessons.texts)} texts are fewer than a batch; give more")
    rng = torch.Generator().manual_seed(settings.seed)
    cut = cutter(model)

    def loss_of(vectors: Tensor, batch: Sequence[int]) -> Tensor:
        targets = np.asarray(lessons.vectors[batch], dtype=np.float32)
        taught = functional.normalize(torch.from_numpy(targets), dim=1).to(vectors.device)
        return student_loss(vectors, taught, settings.temperature)

    texts = [cut(text) for text in lessons.texts]
    learn_in_batches(model, texts, settings, settings.epochs, loss_of, rng, progress)


def student_loss(learned: Tensor, taught: Tensor, temperature: float) -> Tensor:
    """Return 1 − cosine to the own target, and `_CONTRAST` times what telling it from others costs.

    That is the cross-entropy of the cosines, divided by `temperature`, to all targets of a batch
    but those that all but are the own one. Unit rows, both (n, d).
    """
    import torch
    from torch.nn import functional

    cosines = learned @ taught.T
    same = (taught @ taught.T > _SAME).fill_diagonal_(False)
    others = (cosines / temperature).masked_fill(same, -1e4)
    targets = torch.arange(len(learned), device=learned.device)
    return (1 - cosines.diagonal()).mean() + _CONTRAST * functional.cross_entropy(others, targets)


def train(
    rows: Sequence[LabelledContext],
    papers: EncodedPapers,
    student: Student,
    out: Path,
    settings: Settings,
    *,
    progress: Progress,
) -> SentenceTransformer:
    """Distil a student, train it on Chinese contexts fold by fold and on all, and return the last.

    `papers` are those of the pool, by the base encoder. `out` gets `held-out.safetensors`, and
    below `checkpoints` each model that is done.

    Raises:
        TrainingError: a package is missing, or the contexts cite none of the papers.
        OSError: `out` cannot be written.
    """
    folder = out / CHECKPOINTS / "student"
    folder.parent.mkdir(parents=True, exist_ok=True)

    def distilled() -> SentenceTransformer:
        model = student.begin()
        distil(model, student.lessons(), student.settings, now_and_then(progress, "student"))
        return model

    cut = cutter(load_or_make(folder, distilled))
    start = StartingModel(
        partial(load_model, folder, MAX_TOKENS), lambda context: cut(asking_of(context))
    )
    return train_folds(rows, papers, start, out, settings, progress=progress)


def in_english(encoder: Encoder, translator: DictionaryTranslator) -> Encode:
    """Return the query encoder as it reads Chinese contexts: word by word in English."""

    def encode(texts: Sequence[str]) -> Vectors:
        sides = [text.removesuffix(f" {BETWEEN}").split(f" {HERE} ") for text in texts]
        return encoder.encode(
            [f"{f' {HERE} '.join(translator.translate(both))} {BETWEEN}" for both in sides]
        )

    return encode


def _made(vocabulary: Collection[str], settings: Settings, contexts: int) -> EncoderDescription:
    chinese = sum(map(has_han, vocabulary))
    return EncoderDescription(
        name=NAME,
        what=_WHAT.format(words=chinese, pieces=len(vocabulary) - chinese),
        base_name=QUERY_ENCODER,
        licence="CC-BY-SA-3.0",
        terms=_TERMS,
        settings=asdict(settings),
        contexts=contexts,
        measured=AGAINST_THE_POOL.format(task="eval bilingual"),
        words=CHINESE,
    )


_WHAT = """\
Where the papers lie that a Chinese context cites: `query-encoder`, with {words:,} rows for Chinese
words and characters and {pieces:,} of its own word pieces, trained further. Texts are cut into
words before it reads them (`cite_lsp/encode/tokens/chinese.py`)."""
_TERMS = """\
for the words of [CC-CEDICT](https://cc-cedict.org/) (© MDBG and contributors) in its vocabulary;
the others are those of [jieba](https://github.com/fxsjy/jieba)'s dictionary (MIT) and of the base,
all-MiniLM-L6-v2 (Apache-2.0), whose weights these are. No text of the data is in it."""
