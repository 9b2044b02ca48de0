"""The pool of papers of a task, indexed once and kept: the same index that `cite-lsp index` builds."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from cite_lsp.corpus.papers import read_papers
from cite_lsp.corpus.records import RecordError
from cite_lsp.encode import load_encoder
from cite_lsp.paths import cache_folder
from cite_lsp.search.corpus_index import CorpusIndex, Stage, build_corpus, current_version

MAX_TOKENS = 128
"""Where titles and abstracts are cut for the encoder."""


def open_pool(papers: Path, *, stage: Stage | None = None) -> CorpusIndex:
    """Open the index of a file of papers, building it when the file or the encoder is new.

    Raises:
        RecordError: the file cannot be read.
        SearchIndexError: the index cannot be written.
        EncoderError: there is no encoder to build it with.
    """
    encoder = load_encoder(threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)
    folder = cache_folder() / "pools" / f"{papers.name}-{_digest(papers, encoder.fingerprint)}"
    if current_version(folder) is not None:
        return CorpusIndex(folder)
    seen: set[str] = set()
    unique = (
        paper
        for paper in read_papers(papers, lambda message: None)
        if not (paper.id in seen or seen.add(paper.id))  # type: ignore[func-returns-value]
    )
    return build_corpus(folder, unique, encoder, sources=[str(papers)], stage=stage)


def _digest(path: Path, fingerprint: str) -> str:
    digest = hashlib.blake2b(fingerprint.encode(), digest_size=8)
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}; check the path") from error
    return digest.hexdigest()
