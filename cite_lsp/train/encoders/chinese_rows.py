"""Chinese words for a transformer that reads English: rows beside those of its own word pieces.

A word starts where its English senses lie, each by its probability (as WECHSEL does with the
neighbours of a word in another language, Minixhofer et al., NAACL 2022), so that the layers above
have something to work with from the first step. Word pieces that no text at hand uses are left out:
most of such a model's weight is its table.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from cite_lsp.encode.encoder import Vectors
from cite_lsp.language import has_han
from cite_lsp.train.encoders.chinese_vocabulary import CONTINUED
from cite_lsp.translate.translator import DictionaryTranslator

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
    (`cite_lsp.encode.chinese.spaced`).
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
