"""The encoders that rankers are learned with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from attrs import Factory, field, frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode import Encoder, load_encoder
from cite_lsp.train.encoders.held_out_queries import HeldOutQueries

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
    own = trained_encoder(folder)
    return own, HeldOutQueries(folder, own, rows, chinese=chinese).of
