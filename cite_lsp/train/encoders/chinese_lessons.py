"""Distillation of `query-encoder-zh`: how its model starts, and what it learns before contexts.

It starts as the query encoder with rows for Chinese words in its table. Parallel text, and English
contexts put into Chinese words, are to lie where the query encoder puts the English.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.parallel_texts import Parallel, read_glossary, read_parallel
from cite_lsp.encode.batches import encode_in_parts
from cite_lsp.encode.encoder import Encoder
from cite_lsp.recommend.query.encoder_input import BETWEEN, HERE, query_text
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.data.switched_text import Switch
from cite_lsp.train.encoders import chinese_vocabulary as vocabulary
from cite_lsp.train.encoders.chinese_rows import add_words, used_pieces
from cite_lsp.train.encoders.cross_lingual_data import aligned
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.encoders.query_folds import MAX_TOKENS
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.progress import counting
from cite_lsp.train.run.read_back import read_back
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

WORDS = 16_000
"""Chinese words that get a row, beside all characters."""
_LEAST = 2
"""Times that texts must use an English word piece for it to stay."""
_LONGEST = 300
"""Characters of a parallel text."""
_SHARE = (0.6, 1.0)
"""Share of the known words of an English context that are put into Chinese, from fewest to most."""


@frozen
class Taught:
    """Chinese texts, and where the query encoder puts their English, shape (n, d)."""

    texts: Sequence[str]
    vectors: NDArray[np.floating]


def taught(
    parallel: Iterable[Parallel],
    contexts: Iterable[LabelledContext],
    switch: Switch,
    query_encoder: Encoder,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Taught:
    """Gather parallel text, and English contexts in Chinese words, with their English's vectors."""
    dice = random.Random(f"query-encoder-zh {seed}")
    texts, english = [], []
    for pair in parallel:
        if len(pair.zh) <= _LONGEST:
            texts.append(f"{pair.zh} {HERE} {BETWEEN}")
            english.append(f"{pair.en} {HERE} {BETWEEN}")
    for row in contexts:
        asking = query_text(row.context)
        around, _, _ = asking.partition(f" {BETWEEN}")
        sides = around.split(HERE)
        share = dice.uniform(*_SHARE)
        texts.append(f"{HERE.join(switch(side, dice, share=share) for side in sides)} {BETWEEN}")
        english.append(asking)
    return Taught(texts, encode_in_parts(query_encoder, english, progress))


def begin(
    base: Path,
    query_encoder: Path,
    words: Sequence[str],
    texts: Iterable[str],
    translator: DictionaryTranslator,
) -> SentenceTransformer:
    """Return the query encoder with rows for `words`, and the word pieces that `texts` use.

    Raises:
        TrainingError: a package is missing, or the folder of the query encoder holds another.
    """
    model = load_model(base, MAX_TOKENS)
    read_back(query_encoder / "model.onnx", model)
    add_words(model, words, used_pieces(model, texts, _LEAST), translator)
    return model


class Lessons:
    """The lessons of one run, made when they are needed."""

    def __init__(
        self,
        job: Job,
        chinese: Sequence[LabelledContext],
        english: Sequence[LabelledContext],
        corpus: CorpusIndex,
        base: Path,
        query_encoder: Path,
    ) -> None:
        """Read the parallel text and the glossary that a job names.

        The words of `chinese` contexts get rows, `english` ones teach, and the titles of `corpus`
        say which word pieces are used. `base` is the folder of the base's original weights.
        """
        self._job, self._base, self._folder = job, base, query_encoder
        self._english, self._corpus = english, corpus
        options = job.options
        self._terms = [term for path in options.glossary for term in read_glossary(path)]
        self._parallel: list[Parallel] = aligned(
            text
            for path in options.parallel
            for text in read_parallel(path, job.report)
            if not any(name in text.source for name in options.without)
        )
        self._chinese = [f"{row.context.left} {row.context.right}" for row in chinese]
        texts = [*(text.zh for text in self._parallel), *self._chinese]
        self._counts = vocabulary.count_words(texts)

    def begin(self) -> SentenceTransformer:
        """Return the model that the student begins as."""
        self._job.progress("words", 0, 0)
        known = vocabulary.openly_licensed(self._terms)
        words = vocabulary.choose_words(self._counts, known, WORDS)
        words += vocabulary.choose_characters(self._counts)
        return begin(self._base, self._folder, words, self._texts(), shipped_translator())

    def taught(self, encoder: Encoder) -> Taught:
        """Return the texts in both languages, placed by the English query encoder."""
        total = len(self._parallel) + len(self._english)
        switch = Switch.build(self._terms, self._counts)
        advance = counting(self._job.progress, "English placed", total)
        return taught(self._parallel, self._english, switch, encoder, self._job.seed, advance)

    def _texts(self) -> Iterator[str]:
        yield from self._chinese
        for row in self._english:
            yield f"{row.context.left} {row.context.right}"
        for text in self._parallel:
            yield text.en
        for place in range(len(self._corpus)):
            yield self._corpus.title(place)
