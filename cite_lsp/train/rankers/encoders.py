"""The encoders by which rankers are trained: as shipped, or one for each fold of documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from attrs import Factory, field, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.query.encoder_input import chinese_query_text, query_text
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.encoders.query_folds import FOLDS, HELD_OUT, MAX_TOKENS, fold_of, read_held_out
from cite_lsp.train.run.encoding import Encode, encode_cut, encode_segments
from cite_lsp.train.run.job import CHECKPOINTS
from cite_lsp.train.run.report import TrainingError

_PLACED_AT_ONCE = 64


class HeldOutQueries:
    """Query encoders by document.

    Args:
        folder: what `train query-encoder` has written, its checkpoints included.
        encoder: the query encoder of the folder, in the form that ships.
        rows: the contexts that will be encoded.
        chinese: whether `train query-encoder-zh` has written it.

    Raises:
        TrainingError: the files of the folds are missing or damaged.
    """

    def __init__(
        self,
        folder: Path,
        encoder: Encoder,
        rows: Iterable[LabelledContext],
        *,
        chinese: bool = False,
    ) -> None:
        self._folder = folder
        self._chinese = chinese
        held_out = read_held_out(folder / HELD_OUT)
        seen: set[str] = set()
        vectors_by_fold: dict[int, dict[str, Vectors]] = {fold: {} for fold in range(FOLDS)}
        for row in rows:
            if row.context_id in held_out:
                fold = fold_of(row.citing_id)
                vectors_by_fold[fold][self._asking(row.context)] = held_out[row.context_id]
                seen.add(row.citing_id)
        self._seen = frozenset(seen)
        self._folds = [
            _FoldEncoder(encoder, fold, vectors_by_fold[fold], self._opener(fold))
            for fold in vectors_by_fold
        ]
        self._other = CachedEncoder(encoder, memory_size=100_000, on_disk=False)

    def of(self, document: str) -> Encoder:
        """Return the encoder for the contexts of a document, by its id."""
        return self._folds[fold_of(document)] if document in self._seen else self._other

    def _asking(self, context: Context) -> str:
        if self._chinese:
            return chinese_query_text(context.left, context.right)
        return query_text(context)

    def _opener(self, fold: int) -> Callable[[], Encode]:
        where = self._folder / CHECKPOINTS / f"fold-{fold}"

        def opened() -> Encode:
            if not (where / "modules.json").is_file():
                raise TrainingError(
                    f"{where}: the encoder of this fold is not there; train a query encoder first"
                )
            model = load_model(where, MAX_TOKENS)
            encode = encode_segments(model)
            return encode_cut(encode, model.tokenizer.get_vocab()) if self._chinese else encode

        return opened


class _FoldEncoder:
    """The encoder of a fold, opened for the first text that has no vector yet."""

    def __init__(
        self, shipped: Encoder, fold: int, vectors: dict[str, Vectors], opened: Callable[[], Encode]
    ) -> None:
        self.name, self.dimensions = shipped.name, shipped.dimensions
        self.fingerprint = f"{shipped.fingerprint}-fold-{fold}"
        self.checkpoint = f"{shipped.checkpoint}-fold-{fold}"
        self._vectors = vectors
        self._opened = opened
        self._encode: Encode | None = None

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """Encode texts, in the order given (see `Encoder`)."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        for start in range(0, len(missing), _PLACED_AT_ONCE):
            stop_if(cancelled)
            if self._encode is None:
                self._encode = self._opened()
            part = missing[start : start + _PLACED_AT_ONCE]
            self._vectors.update(zip(part, self._encode(part), strict=True))
        vectors = [self._vectors[text] for text in texts]
        return np.stack(vectors) if vectors else np.zeros((0, self.dimensions), dtype=np.float32)


EncoderOf = Callable[[str], Encoder]
"""Gives the query encoder that may place the contexts of a document, by its id."""


@frozen
class DraftEncoders:
    """What encodes a draft and its library: papers and titles; contexts, as `queries` places them.

    `queries` is that of the product; `queries_of` gives one that was not trained on a document, for
    documents that are learned from. By `precedents` contexts are compared with those of other
    documents.
    """

    papers: Encoder
    queries: Encoder
    queries_of: EncoderOf | None = None
    precedents: Encoder = field(default=Factory(lambda self: self.queries, takes_self=True))

    def place(self, document: str) -> Encoder:
        """Return the query encoder that may place the contexts of a document, by its id."""
        return self.queries_of(document) if self.queries_of is not None else self.queries


def trained_encoder(folder: Path) -> Encoder:
    """Return the encoder that was trained in a folder, as it ships, on all cores.

    Raises:
        EncoderError: it cannot be loaded.
    """
    return load_encoder(str(folder), device="cpu", threads=os.cpu_count() or 1)


def query_encoder_in(
    folder: Path | None,
    rows: Iterable[LabelledContext],
    shipped: Callable[[], Encoder],
    *,
    chinese: bool = False,
) -> tuple[Encoder, EncoderOf]:
    """Return the query encoder of the product, and which one encodes a document's contexts.

    The one that ships places all `rows`, those that it was trained on better than it will others;
    where one was trained here, what its folds have left does (`HeldOutQueries`).

    Raises:
        EncoderError: it cannot be loaded.
        TrainingError: the files of its folds are missing or damaged.
    """
    if folder is None:
        encoder = shipped()
        return encoder, lambda document: encoder
    encoder = trained_encoder(folder)
    return encoder, HeldOutQueries(folder, encoder, rows, chinese=chinese).of
