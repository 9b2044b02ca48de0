"""What precedents are kept as: arrays, built from documents and contexts, added to, and read back.

papers [m], documents [n]: title keys, papers ascending. years [n]. cites_starts, cites: whom each
document cites, as numbers of papers. context_document [k]: of which document each context is.
context_starts, context_cites: whom it cites. vectors [k, d]: where it lies, in eight bits.
words_…: the index of the contexts' words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Vectors, unit
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.words.index import WordIndex
from cite_lsp.storage.array_folder import list_starts

Arrays = dict[str, NDArray[np.generic]]
_WORDS = "words_"
_SCALE = 127.0
"""What a coordinate of 1 is as an integer of eight bits."""


class PrecedentsError(Exception):
    """Precedents cannot be read; the message says which, why and what to do."""


@frozen
class CitingDocument:
    """A document that cites: its `title_key` and year (0: unknown), and whom it cites (keys)."""

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
    """What one place of a document says, and whom it cites there (title keys).

    `near` is the near window, or the hashes of its words.
    """

    document: int
    near: str | Sequence[int]
    cited: tuple[int, ...]


def build_arrays(
    documents: Sequence[CitingDocument], contexts: Sequence[CitingContext], placed: Vectors
) -> Arrays:
    """Return the arrays of documents and contexts; `placed` is where these lie, (k, d)."""
    lists = [one.cited for one in documents] + [one.cited for one in contexts]
    papers = np.unique(np.array([key for keys in lists for key in keys], dtype=np.uint64))

    def numbers(lists: Sequence[CitingDocument] | Sequence[CitingContext]) -> Arrays:
        flat = np.array([key for one in lists for key in one.cited], dtype=np.uint64)
        sizes = np.array([len(one.cited) for one in lists], dtype=np.int64)
        return {
            "starts": list_starts(sizes).astype(np.int32),
            "cites": np.searchsorted(papers, flat).astype(np.int32),
        }

    by_document, by_context = numbers(documents), numbers(contexts)
    words = WordIndex.build(context.near for context in contexts)
    arrays: Arrays = {
        "papers": papers,
        "documents": np.array([one.key for one in documents], dtype=np.uint64),
        "years": np.array([one.year for one in documents], dtype=np.int16),
        "cites_starts": by_document["starts"],
        "cites": by_document["cites"],
        "context_document": np.array([one.document for one in contexts], dtype=np.int32),
        "context_starts": by_context["starts"],
        "context_cites": by_context["cites"],
        "vectors": _in_eight_bits(placed),
    }
    for name, array in words.arrays.items():
        kept = array.astype(np.float16) if array.dtype == np.float32 else array
        arrays[f"{_WORDS}{name}"] = kept
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
    own = renumbered[arrays["cites"].astype(np.int64)]
    return arrays | {
        "papers": papers,
        "documents": np.concatenate([arrays["documents"], documents]),
        "years": np.concatenate([arrays["years"], years]).astype(np.int16),
        "cites_starts": list_starts(sizes),
        "cites": np.concatenate([own, np.searchsorted(papers, cites)]),
        "context_cites": renumbered[arrays["context_cites"].astype(np.int64)],
    }


def with_contexts(arrays: Arrays, contexts: Sequence[CitingContext], placed: Vectors) -> Arrays:
    """Return arrays with contexts behind the others, but for the index of words.

    Their documents are numbers of those here, and their papers among those here.
    """
    beside = np.diff(arrays["context_starts"].astype(np.int64))
    flat = np.array([key for one in contexts for key in one.cited], dtype=np.uint64)
    numbers = np.array([one.document for one in contexts], dtype=np.int64)
    cites = np.searchsorted(arrays["papers"].astype(np.uint64), flat)
    return arrays | {
        "context_document": np.concatenate([arrays["context_document"], numbers]),
        "context_starts": list_starts(
            np.concatenate([beside, [len(one.cited) for one in contexts]])
        ),
        "context_cites": np.concatenate([arrays["context_cites"], cites]),
        "vectors": np.concatenate([arrays["vectors"], _in_eight_bits(placed)]),
    }


def vectors_in(arrays: Arrays) -> Vectors:
    """Return where the contexts lie, shape (k, d)."""
    return arrays["vectors"].astype(np.float32) / np.float32(_SCALE)


def words_in(arrays: Arrays) -> WordIndex:
    """Return the index of the contexts' words that stands among the arrays."""
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
        PrecedentsError: the file is missing, cut off or of another kind.
    """
    with _opened(path) as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return arrays, (file.metadata() or {})["checkpoint"]


def papers_in(path: Path) -> NDArray[np.uint64]:
    """Read which papers saved arrays know: their title keys, ascending, shape (m,).

    Raises:
        PrecedentsError: the file is missing, cut off or of another kind.
    """
    with _opened(path) as file:
        return np.asarray(file.get_tensor("papers"), dtype=np.uint64)


def write_arrays(arrays: Arrays, checkpoint: str, path: Path) -> None:
    """Write arrays to a file.

    Raises:
        OSError: it cannot be written.
    """
    from safetensors.numpy import save_file

    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    save_file(whole, path, metadata={"checkpoint": checkpoint})


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a file of arrays into one error.

    Raises:
        PrecedentsError: something did.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, SafetensorError, KeyError, ValueError, IndexError) as error:
        raise PrecedentsError(
            f"{path}: the precedents cannot be read ({error}); reinstall cite-lsp"
        ) from error


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from safetensors import safe_open

    with unreadable(path), safe_open(path, framework="numpy") as file:
        yield file


def _in_eight_bits(placed: Vectors) -> NDArray[np.int8]:
    return np.round(unit(placed) * _SCALE).astype(np.int8)
