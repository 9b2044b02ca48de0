"""The models that ship for corpora: ranker, query encoder, precedents, late interaction."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from attrs import frozen

from cite_lsp.encode.encoder import Encoder, EncoderError
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
class CorpusModels:
    """The models for corpora with the vectors of one encoder."""

    ranker: Ranker
    query_encoder: Encoder
    precedents: Precedents
    late: LateStage | None = None


def shipped_corpus_models(checkpoint: str) -> CorpusModels | None:
    """Return the models that ship for vectors of a checkpoint; None if they are for others.

    Raises:
        RankerError: a model cannot be read.
    """
    ranker = _shipped_ranker(shipped_model(MODEL))
    if checkpoint != ranker.checkpoint:
        return None
    precedents = shipped_precedents()
    try:
        query_encoder = shipped_query_encoder()
        late = shipped_late_stage(query_encoder.fingerprint)
        return CorpusModels(ranker, query_encoder, precedents, late)
    except EncoderError as error:
        raise RankerError(str(error)) from error
