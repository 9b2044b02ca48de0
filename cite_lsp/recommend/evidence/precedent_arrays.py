"""The arrays of precedents: built from documents and contexts, extended, written and read.

papers [m], documents [n]: title keys, papers ascending. years [n]. cites_starts, cites: the papers
that each document cites, as indexes of papers. context_document [k]: the document of each context.
context_starts, context_cites: the papers that it cites. vectors [k, d]: its vector, in eight bits.
words_…: the word index of the contexts. Their file is one of safetensors, compressed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.vectors.precision import products
from cite_lsp.search.words.word_index import WordIndex
from cite_lsp.storage import compressed_files
from cite_lsp.storage.array_folder import list_starts
from cite_lsp.storage.compressed_files import zstd

Arrays = dict[str, NDArray[np.generic]]
_WORDS = "words_"
_SCALE = 127.0
"""The eight-bit integer for a coordinate of 1."""


@frozen
class CitingDocument:
    """A citing document: its `title_key`, its year (0: unknown), and the title keys it cites."""

    key: int
    year: int
    cited: tuple[int, ...]


def document_key(paper: Paper | None, title: str) -> int:
    """Return the key of a document: of its record, else of its title alone; 0 of neither."""
    if paper is not None:
        return title_key(paper)
    return title_key(Paper("", title)) if title else 0


@frozen
class CitingContext:
    """A context of a document, and the title keys of the papers cited there.

    `document` is an index of documents, `near` the near window or the hashes of its words.
    """

    document: int
    near: str | Sequence[int]
    cited: tuple[int, ...]


def build_arrays(
    documents: Sequence[CitingDocument], contexts: Sequence[CitingContext], vectors: Vectors
) -> Arrays:
    """Return the arrays of documents and contexts; `vectors` are those of the contexts, (k, d)."""
    lists = [document.cited for document in documents] + [context.cited for context in contexts]
    papers = np.unique(np.array([key for keys in lists for key in keys], dtype=np.uint64))

    def numbers(lists: Sequence[CitingDocument] | Sequence[CitingContext]) -> Arrays:
        flat = np.array([key for item in lists for key in item.cited], dtype=np.uint64)
        sizes = np.array([len(item.cited) for item in lists], dtype=np.int64)
        return {
            "starts": list_starts(sizes).astype(np.int32),
            "cites": np.searchsorted(papers, flat).astype(np.int32),
        }

    by_document, by_context = numbers(documents), numbers(contexts)
    words = WordIndex.build(context.near for context in contexts)
    arrays: Arrays = {
        "papers": papers,
        "documents": np.array([document.key for document in documents], dtype=np.uint64),
        "years": np.array([document.year for document in documents], dtype=np.int16),
        "cites_starts": by_document["starts"],
        "cites": by_document["cites"],
        "context_document": np.array([context.document for context in contexts], dtype=np.int32),
        "context_starts": by_context["starts"],
        "context_cites": by_context["cites"],
        "vectors": _to_int8(vectors),
    }
    for name, array in words.arrays.items():
        stored = array.astype(np.float16) if array.dtype == np.float32 else array
        arrays[f"{_WORDS}{name}"] = stored
    return arrays


def with_documents(
    arrays: Arrays,
    documents: NDArray[np.uint64],
    years: NDArray[np.int32],
    starts: NDArray[np.int64],
    cites: NDArray[np.uint64],
) -> Arrays:
    """Return arrays with documents behind the others, `cites` by title keys."""
    before = arrays["papers"].astype(np.uint64)
    papers = np.union1d(before, cites)
    renumbered = np.searchsorted(papers, before)
    sizes = np.concatenate([np.diff(arrays["cites_starts"].astype(np.int64)), np.diff(starts)])
    cites_before = renumbered[arrays["cites"].astype(np.int64)]
    return arrays | {
        "papers": papers,
        "documents": np.concatenate([arrays["documents"], documents]),
        "years": np.concatenate([arrays["years"], years]).astype(np.int16),
        "cites_starts": list_starts(sizes),
        "cites": np.concatenate([cites_before, np.searchsorted(papers, cites)]),
        "context_cites": renumbered[arrays["context_cites"].astype(np.int64)],
    }


def with_contexts(arrays: Arrays, contexts: Sequence[CitingContext], vectors: Vectors) -> Arrays:
    """Return arrays with contexts behind the others; the word index is not extended.

    Their documents are indexes of documents in the arrays, which have their papers too.
    """
    beside = np.diff(arrays["context_starts"].astype(np.int64))
    flat = np.array([key for context in contexts for key in context.cited], dtype=np.uint64)
    numbers = np.array([context.document for context in contexts], dtype=np.int64)
    cites = np.searchsorted(arrays["papers"].astype(np.uint64), flat)
    return arrays | {
        "context_document": np.concatenate([arrays["context_document"], numbers]),
        "context_starts": list_starts(
            np.concatenate([beside, [len(context.cited) for context in contexts]])
        ),
        "context_cites": np.concatenate([arrays["context_cites"], cites]),
        "vectors": np.concatenate([arrays["vectors"], _to_int8(vectors)]),
    }


def with_papers(arrays: Arrays, papers: NDArray[np.int64]) -> tuple[Arrays, NDArray[np.int64]]:
    """Return arrays with only some papers, by index, ascending, and the contexts that cite them.

    The indexes of those contexts come second; the word index still has all of them.
    """
    place = np.full(len(arrays["papers"]), -1, dtype=np.int64)
    place[papers] = np.arange(len(papers))
    cites_starts, cites = _among(place, arrays["cites_starts"], arrays["cites"])
    context_starts, context_cites = _among(place, arrays["context_starts"], arrays["context_cites"])
    citing = np.diff(context_starts)
    contexts = np.flatnonzero(citing)
    return arrays | {
        "papers": arrays["papers"][papers],
        "cites_starts": cites_starts,
        "cites": cites,
        "context_document": arrays["context_document"][contexts],
        "context_starts": list_starts(citing[contexts]),
        "context_cites": context_cites,
        "vectors": arrays["vectors"][contexts],
    }, contexts


def _among(
    place: NDArray[np.int64], starts: NDArray[np.generic], cites: NDArray[np.generic]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the starts and the values of lists of papers, renumbered, without those at -1."""
    renumbered = place[cites.astype(np.int64)]
    is_present = renumbered >= 0
    return list_starts(is_present.astype(np.int64))[starts.astype(np.int64)], renumbered[is_present]


def as_vectors(codes: NDArray[np.generic]) -> Vectors:
    """Return rows of the array of vectors, or sums of them, as floating-point numbers."""
    return codes.astype(np.float32) / np.float32(_SCALE)


def context_cosines(arrays: Arrays, vector: Column) -> Column:
    """Return the cosines of the contexts' vectors and a unit vector, shape (k,)."""
    return products(arrays["vectors"].view(np.int8), vector / np.float32(_SCALE))


def words_in(arrays: Arrays) -> WordIndex:
    """Return the word index of the contexts."""
    return WordIndex(
        {
            name.removeprefix(_WORDS): array
            for name, array in arrays.items()
            if name.startswith(_WORDS)
        }
    )


def read_arrays(path: Path) -> tuple[Arrays, str]:
    """Read saved arrays, and the name of the weights that their vectors are from.

    Raises:
        RankerError: the file is missing, cut off or of another kind.
    """
    # Imported where needed: a server starts without it.
    from safetensors.numpy import load

    with unreadable(path):
        whole = compressed_files.content(path)
        return load(whole), _header(BytesIO(whole))["__metadata__"]["checkpoint"]


def papers_in(path: Path) -> NDArray[np.uint64]:
    """Read the title keys of the papers in saved arrays, ascending, shape (m,), and no further.

    Raises:
        RankerError: the file is missing, cut off or of another kind.
    """
    with unreadable(path), zstd.open(path) as file:
        start, end = _header(file)["papers"]["data_offsets"]
        file.read(start)
        return np.frombuffer(file.read(end - start), dtype=np.uint64)


def write_arrays(arrays: Arrays, checkpoint: str, path: Path) -> None:
    """Write arrays to a file.

    Raises:
        OSError: it cannot be written.
    """
    # Imported where needed: a server starts without it.
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    compressed_files.write(path, save(whole, metadata={"checkpoint": checkpoint}))


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Turn any error in reading a file of arrays into a `RankerError`.

    Raises:
        RankerError: the file cannot be read.
    """
    from safetensors import SafetensorError

    damage = (OSError, EOFError, zstd.ZstdError, SafetensorError, KeyError, ValueError, IndexError)
    try:
        yield
    except damage as error:
        raise RankerError(
            f"{path}: the precedents cannot be read ({error}); reinstall cite-lsp"
        ) from error


def _header(file: BufferedIOBase) -> dict[str, Any]:
    """Read the header of a safetensors file: its length in eight bytes, then JSON."""
    header: dict[str, Any] = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return header


def _to_int8(vectors: Vectors) -> NDArray[np.int8]:
    return np.round(unit(vectors) * _SCALE).astype(np.int8)
