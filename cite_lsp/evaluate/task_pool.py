"""The pool of papers of a task, indexed once and stored: an index as `cite-lsp index` builds it.

Beside it stand the vectors of other encoders. What is missing is made under the lock of the pool:
of several processes one makes it, the others wait and then read it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import random
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.formats.json_lines import RecordError, Report
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.encode import Encoder, load_encoder
from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.encoder import unit
from cite_lsp.encode.kinds.headed import HeadedEncoder
from cite_lsp.paper import Paper
from cite_lsp.paths import cache_folder
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.indexing.build import Provenance, build_corpus
from cite_lsp.search.indexing.lock import build_lock
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.vectors.precision import HalfVectors, encoded
from cite_lsp.search.vectors.stored_vectors import StoredVectors, key_array, text_key
from cite_lsp.search.vectors.vector_index import SearchIndexError, unwritable
from cite_lsp.search.words.word_index import WordIndex

log = logging.getLogger(__name__)

MAX_TOKENS = 128
"""Where titles and abstracts are cut for the encoder."""
_BATCH = 4096
"""Papers encoded between two writes: what an interruption can lose."""
_LINEAR = 1e9
"""k1 of BM25 at which a word counts as often as it stands there, divided by k1."""


def open_pool(
    papers: Path,
    encoder_name: str = "default",
    *,
    among: Collection[str] | None = None,
    stage: Stage | None = None,
    report: Report = lambda message: None,
) -> CorpusIndex:
    """Open the index of a file of papers, building it when the file or the encoder is new.

    Of records with the same id the first is taken; bad ones are passed to `report`. With `among`
    the pool holds only papers with one of these ids.

    Raises:
        RecordError: the file cannot be read, or holds no papers, or none of those among.
        SearchIndexError: the index cannot be written.
        EncoderError: there is no encoder to build it with.
    """
    encoder = load_pool_encoder(encoder_name)
    joined_ids = "" if among is None else "\n".join(sorted(among))
    digest = _digest(papers, encoder.fingerprint + joined_ids)
    folder = cache_folder() / "pools" / f"{papers.name}-{digest}"
    pool = _open_whole_pool(folder)
    if pool is not None:
        return pool
    with build_lock(folder, log.warning):
        pool = _open_whole_pool(folder)  # another process may have built it meanwhile
        if pool is not None:
            return pool
        unique: dict[str, Paper] = {}
        for paper in read_papers(papers, report):
            if among is None or paper.id in among:
                unique.setdefault(paper.id, paper)
        if not unique:
            missing = "no papers" if among is None else "none of the papers asked for, by their ids"
            raise RecordError(f"{papers}: holds {missing}; give a file of papers")
        provenance = Provenance([str(papers)])
        return build_corpus(folder, unique.values(), encoder, provenance=provenance, stage=stage)


def _open_whole_pool(folder: Path) -> CorpusIndex | None:
    """Open the pool of a folder, None where there is none that is whole."""
    if current_version(folder) is None:
        return None
    try:
        return CorpusIndex(folder)
    except SearchIndexError as error:
        log.warning("%s; building it anew", error)
        return None


def choose_pool(
    papers: Iterable[Paper], contexts: Iterable[LabelledContext], size: int
) -> set[str]:
    """Choose the ids of a smaller pool: papers that contexts cite, filled up to `size` by chance.

    What fills it up has an abstract. All that is cited stays in, be it more than `size`.
    """
    cited = {name for row in contexts for name in (*row.cited, *row.context.section_cited)}
    ids, others = set(), set()
    for paper in papers:
        if paper.id in cited:
            ids.add(paper.id)
        elif paper.abstract:
            others.add(paper.id)
    missing = min(max(0, size - len(ids)), len(others))
    return ids.union(random.Random("pool 13").sample(sorted(others), missing))


def load_pool_encoder(name: str = "default") -> Encoder:
    """Load an encoder as it embeds the papers of a pool: cut texts, on all processors.

    Raises:
        EncoderError: there is no such encoder, or it cannot run here.
    """
    return load_encoder(name, threads=os.cpu_count() or 1, max_tokens=MAX_TOKENS)


def pool_vectors(corpus: CorpusIndex, encoder: Encoder, stage: Stage | None = None) -> HalfVectors:
    """Return the vectors of a pool's papers by an encoder, shape (n, dimensions).

    Those of the encoder that indexed the pool are there already, others are computed once and
    stored beside it; an interrupted computation goes on where it was. Those of a head follow from
    those of the encoder that it stands on.

    Raises:
        SearchIndexError: they cannot be written.
    """
    if encoder.fingerprint == corpus.manifest.fingerprint:
        return _halves(corpus)
    if isinstance(encoder, HeadedEncoder):
        return encoder.place(pool_vectors(corpus, encoder.base, stage)).astype(np.float16)
    if len(_store(corpus, encoder).keys) < len(corpus):
        with build_lock(corpus.folder, log.warning):
            _encode_pool(corpus, encoder, stage)
    return _store(corpus, encoder).vectors  # type: ignore[return-value]


def _encode_pool(corpus: CorpusIndex, encoder: Encoder, stage: Stage | None) -> None:
    """Encode the papers whose vectors are not in the store; the lock of the pool must be held."""
    try:
        for start in range(len(_store(corpus, encoder).keys), len(corpus), _BATCH):
            rows = range(start, min(start + _BATCH, len(corpus)))
            texts = [encoder_text(corpus.paper(row)) for row in rows]
            keys = key_array([text_key(encoder.fingerprint, text) for text in texts])
            _store(corpus, encoder).append(keys, encoder.encode(texts))
            if stage:
                stage(f"encoding by {encoder.name}", rows.stop, len(corpus))
    except OSError as error:
        raise unwritable(corpus.folder, error) from error


def _halves(corpus: CorpusIndex) -> HalfVectors:
    """Return the vectors of a corpus in sixteen bits."""
    codes = corpus.embeddings
    halves = np.empty(codes.shape, dtype=np.float16)
    for start in range(0, len(codes), _BATCH):
        halves[start : start + _BATCH] = encoded(unit(codes[start : start + _BATCH]), "f16")
    return halves


def _store(corpus: CorpusIndex, encoder: Encoder) -> StoredVectors:
    stem = corpus.folder / f"vectors-{text_key(encoder.fingerprint, '').decode()}"
    return StoredVectors(stem, encoder.dimensions)


def pool_tfidf(corpus: CorpusIndex) -> WordIndex:
    """Return an index whose scores order a pool's papers by the cosine of TF-IDF vectors.

    Frequencies count as they are, idf is that of BM25 here. BM25 with a k1 beyond all measure and
    b = 0 is linear in the frequency; what is left to do is to divide every document by its length
    and to weigh the query's side.
    """
    texts = (encoder_text(corpus.paper(row)) for row in range(len(corpus)))
    arrays = WordIndex.build(texts, k1=_LINEAR, b=0.0).arrays
    return WordIndex(arrays | {"impacts": _cosines(arrays, len(corpus))})


def _cosines(arrays: dict[str, NDArray[np.generic]], count: int) -> NDArray[np.float32]:
    """Turn f · idf / k1 into f · idf² / |document|, column by column."""
    weights = arrays["impacts"].astype(np.float64) * _LINEAR
    documents = arrays["documents"].astype(np.int64)
    lengths = np.sqrt(np.bincount(documents, weights=weights**2, minlength=count))
    starts = arrays["starts"].astype(np.int64)
    having = starts[1:] - starts[:-1]
    idf = np.log1p((count - having + 0.5) / (having + 0.5))
    return np.asarray(
        weights * np.repeat(idf, having) / np.maximum(lengths[documents], 1e-12), dtype=np.float32
    )


def _digest(path: Path, fingerprint: str) -> str:
    try:
        content = checksum_of(path)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}; check the path") from error
    return hashlib.blake2b((fingerprint + content).encode(), digest_size=8).hexdigest()
