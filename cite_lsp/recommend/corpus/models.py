"""What was learned from citations and ships: trees, query encoder, precedents, late interaction."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from attrs import frozen

from cite_lsp.encode.model import Encoder, EncoderError
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import Ranker, RankerError
from cite_lsp.recommend.corpus.features import CORPUS_FEATURES
from cite_lsp.recommend.corpus.late_interaction import LateStage, shipped_late_stage
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.evidence.shipped_precedents import MODEL, shipped_precedents
from cite_lsp.recommend.query.encoder_input import shipped_query_encoder


@cache
def _shipped_ranker(folder: Path) -> Ranker:
    return Ranker(folder, CORPUS_FEATURES, recipe="corpus-ranker")


@frozen
class Learned:
    """What was learned from citations, by one encoder's vectors, for no corpus in particular."""

    ranker: Ranker
    query_encoder: Encoder
    precedents: Precedents
    late: LateStage | None = None


def shipped_learning(checkpoint: str) -> Learned | None:
    """Return what ships for vectors of a checkpoint, None where nothing fits them.

    Raises:
        RankerError: what ships cannot be read.
    """
    ranker = _shipped_ranker(shipped_model(MODEL))
    if checkpoint != ranker.checkpoint:
        return None
    precedents = shipped_precedents()
    try:
        query_encoder = shipped_query_encoder()
        late = shipped_late_stage(query_encoder.fingerprint)
        return Learned(ranker, query_encoder, precedents, late)
    except EncoderError as error:
        raise RankerError(str(error)) from error
