"""Distillation of `query-encoder-zh`: how its model starts, and what it learns before contexts.

It starts as the query encoder with rows for Chinese words in its table. Parallel text, and English
contexts put into Chinese words, are to lie where the query encoder puts the English.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from tokenizers import Tokenizer

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.parallel_texts import ParallelText, read_glossary, read_parallel
from cite_lsp.encode.batches import encode_in_parts
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.language import has_han
from cite_lsp.recommend.query.encoder_input import BETWEEN, HERE, query_text
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.data.code_switching import CodeSwitcher
from cite_lsp.train.encoders import chinese_vocabulary as vocabulary
from cite_lsp.train.encoders.chinese_vocabulary import CONTINUED
from cite_lsp.train.encoders.cross_lingual_data import aligned
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.encoders.query_folds import MAX_TOKENS
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.read_back import read_back
from cite_lsp.train.run.report import counting
from cite_lsp.translate.translator import DictionaryTranslator, shipped_translator

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedTokenizerFast

_FIXED = 1996
"""First entries of BERT's vocabularies: signs and single characters, which all texts need."""
_SENSES = 6
"""Senses of a word that its row starts from."""
_STRETCHED = 3.0
"""A mean of several senses is short; it is made as long as other rows, by this much at most."""


def used_pieces(model: SentenceTransformer, texts: Iterable[str], least: int) -> set[str]:
    """Return the word pieces that texts use at least so often."""
    tokenizer = model.tokenizer.backend_tokenizer
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(tokenizer.encode(text, add_special_tokens=False).tokens)
    return {piece for piece, count in counts.items() if count >= least}


def add_words(
    model: SentenceTransformer,
    words: Sequence[str],
    pieces: Collection[str],
    translator: DictionaryTranslator,
) -> int:
    """Give a model rows for Chinese words, and leave it those named of its own pieces.

    Returns how many rows there are. Texts must come to it cut into words
    (`cite_lsp.encode.tokens.chinese.spaced`).
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    before = model.tokenizer
    network: Any = model[0].auto_model
    table = network.get_input_embeddings().weight.detach().cpu().numpy()
    names: list[str] = before.convert_ids_to_tokens(list(range(len(before))))
    retained = [
        row
        for row, name in enumerate(names)
        if not has_han(name)
        and (row < _FIXED or name in pieces or len(name.removeprefix(CONTINUED)) == 1)
    ]
    rows = [table[row] for row in retained]
    whole = table[[row for row, name in enumerate(names) if name.isalpha() and len(name) > 1]]
    middle = whole.mean(axis=0)
    length = float(np.linalg.norm(whole, axis=1).mean())
    added = [word for word in dict.fromkeys(words) if has_han(word)]
    rows += [_row(word, translator, before, table, length, middle) for word in added]
    vocabulary = [*(names[row] for row in retained), *added]
    first: Any = model[0]
    first.processor = _tokenizer(before, {name: row for row, name in enumerate(vocabulary)})
    embedding = torch.nn.Embedding(len(rows), table.shape[1], padding_idx=0)
    embedding.weight.data.copy_(torch.from_numpy(np.stack(rows)))
    network.set_input_embeddings(embedding.to(model.device))
    network.config.vocab_size = len(rows)
    return len(rows)


def _row(
    word: str,
    translator: DictionaryTranslator,
    tokenizer: PreTrainedTokenizerFast,
    table: Vectors,
    length: float,
    middle: Vectors,
) -> Vectors:
    """Return where a word starts, shape (d,): among its senses, or in the middle of everything."""
    start = np.zeros(table.shape[1], dtype=np.float32)
    for part in translator.known_parts(word):
        for sense in translator.lexicon.senses(part)[:_SENSES]:
            pieces = tokenizer(sense.english, add_special_tokens=False)["input_ids"]
            if pieces:
                start += sense.probability * table[pieces].mean(axis=0)
    size = float(np.linalg.norm(start))
    return start * min(_STRETCHED, length / size) if size > 0 else middle


def _tokenizer(
    before: PreTrainedTokenizerFast, vocabulary: Mapping[str, int]
) -> PreTrainedTokenizerFast:
    from transformers import PreTrainedTokenizerFast

    description = json.loads(before.backend_tokenizer.to_str())
    description["model"]["vocab"] = dict(vocabulary)
    description["normalizer"] = description["normalizer"] | {"handle_chinese_chars": False}
    description["truncation"] = description["padding"] = None
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=Tokenizer.from_str(json.dumps(description)),
        model_max_length=before.model_max_length,
        **{name: str(sign) for name, sign in before.special_tokens_map.items()},
    )


WORDS = 16_000
"""Chinese words that get a row, beside all characters."""
_LEAST = 2
"""Times that texts must use an English word piece for it to stay."""
_LONGEST = 300
"""Characters of a parallel text."""
_SHARE = (0.6, 1.0)
"""Share of the known words of an English context that are put into Chinese, from fewest to most."""


@frozen
class PlacedTexts:
    """Chinese texts, and where the query encoder puts their English, shape (n, d)."""

    texts: Sequence[str]
    vectors: NDArray[np.floating]


def place_texts(
    parallel: Iterable[ParallelText],
    contexts: Iterable[LabelledContext],
    switch: CodeSwitcher,
    query_encoder: Encoder,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> PlacedTexts:
    """Gather parallel text, and English contexts in Chinese words, with their English's vectors."""
    rng = random.Random(f"query-encoder-zh {seed}")
    texts, english = [], []
    for pair in parallel:
        if len(pair.zh) <= _LONGEST:
            texts.append(f"{pair.zh} {HERE} {BETWEEN}")
            english.append(f"{pair.en} {HERE} {BETWEEN}")
    for row in contexts:
        asking = query_text(row.context)
        around, _, _ = asking.partition(f" {BETWEEN}")
        sides = around.split(HERE)
        share = rng.uniform(*_SHARE)
        texts.append(f"{HERE.join(switch(side, rng, share=share) for side in sides)} {BETWEEN}")
        english.append(asking)
    return PlacedTexts(texts, encode_in_parts(query_encoder, english, progress))


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
        self._parallel: list[ParallelText] = aligned(
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
        glossary_words = vocabulary.openly_licensed(self._terms)
        words = vocabulary.choose_words(self._counts, glossary_words, WORDS)
        words += vocabulary.choose_characters(self._counts)
        return begin(self._base, self._folder, words, self._texts(), shipped_translator())

    def placed_texts(self, encoder: Encoder) -> PlacedTexts:
        """Return the texts in both languages, placed by the English query encoder."""
        total = len(self._parallel) + len(self._english)
        switch = CodeSwitcher.build(self._terms, self._counts)
        advance = counting(self._job.progress, "English placed", total)
        return place_texts(self._parallel, self._english, switch, encoder, self._job.seed, advance)

    def _texts(self) -> Iterator[str]:
        yield from self._chinese
        for row in self._english:
            yield f"{row.context.left} {row.context.right}"
        for text in self._parallel:
            yield text.en
        for place in range(len(self._corpus)):
            yield self._corpus.title(place)
