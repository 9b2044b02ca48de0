"""The pool of papers of a task, indexed once and kept: an index as `cite-lsp index` builds it."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from cite_lsp.corpus.papers import read_papers
from cite_lsp.corpus.records import RecordError, Report
from cite_lsp.encode import load_encoder
from cite_lsp.paper import Paper
from cite_lsp.paths import cache_folder
from cite_lsp.search.corpus_index import CorpusIndex, Stage, build_corpus, current_version
from cite_lsp.search.vectors import SearchIndexError

log = logging.getLogger(__name__)

MAX_TOKENS = 128
"""Where titles and abstracts are cut for the encoder."""


def open_pool(
    papers: Path, *, stage: Stage | None = None, report: Report = lambda message: None
) -> CorpusIndex:
    """Open the index of a file of papers, building it when the file or the encoder is new.

    Of records with the same id the first is taken; bad ones are told to `report`.

    Raises:
        RecordError: the file cannot be read.
        SearchIndexError: it holds no papers, or the index cannot be written.
        EncoderError: there is no encoder to build it with.
    """
    encoder = load_encoder(threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
    folder = cache_folder() / "pools" / f"{papers.name}-{_digest(papers, encoder.fingerprint)}"
    if current_version(folder) is not None:
        try:
            return CorpusIndex(folder)
        except SearchIndexError as error:
            log.warning("%s; building it anew", error)
    unique: dict[str, Paper] = {}
    for paper in read_papers(papers, report):
        unique.setdefault(paper.id, paper)
    return build_corpus(folder, unique.values(), encoder, sources=[str(papers)], stage=stage)


def _digest(path: Path, fingerprint: str) -> str:
    digest = hashlib.blake2b(fingerprint.encode(), digest_size=8)
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}; check the path") from error
    return digest.hexdigest()
