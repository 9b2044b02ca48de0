"""Papers by what they were published under, as a writer pastes it: a DOI, an arXiv number, a page.

Two arrays, memory-mapped when opened: the hashes of all numbers in ascending order, and the rows
that have them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.paper_identifiers import ENTRY, identifier_hash, identifiers_of
from cite_lsp.library.match.identifiers import typed_number
from cite_lsp.paper import Paper
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.storage.array_folder import StoredArrays
from cite_lsp.web_address import pages


class PublishedNumbers(StoredArrays):
    """Finds papers by whole numbers. Make one with `build` or `open`. Safe to share."""

    kinds = {"hashes": np.dtype(np.uint64), "rows": np.dtype(np.int32)}

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take the arrays, from `build` or from a folder."""
        super().__init__(arrays)
        self._hashes, self._rows = arrays["hashes"], arrays["rows"]
        if len(self._hashes) != len(self._rows):
            raise ValueError("numbers and the rows that have them do not match")

    @classmethod
    def build(cls, papers: Iterable[Paper]) -> PublishedNumbers:
        """Index the numbers of papers, in their order."""
        hashes, rows = array("Q"), array("i")
        for row, paper in enumerate(papers):
            for identifier in number_identifiers(paper):
                hashes.append(identifier_hash(identifier))
                rows.append(row)
        order = np.argsort(np.array(hashes, dtype=np.uint64), kind="stable")
        return cls(
            {
                "hashes": np.array(hashes, dtype=np.uint64)[order],
                "rows": np.array(rows, dtype=np.int32)[order],
            }
        )

    def rows_of(self, typed: str) -> Rows:
        """Return the rows of the papers whose number is typed, ascending; often none.

        Nothing of it may be missing; an address may stand around it, see `typed_number`.
        """
        matches: list[NDArray[np.generic]] = [np.zeros(0, dtype=np.int32)]
        for identifier in typed_identifiers(typed):
            sought = np.uint64(identifier_hash(identifier))
            first = np.searchsorted(self._hashes, sought, "left")
            last = np.searchsorted(self._hashes, sought, "right")
            matches.append(self._rows[first:last])
        return np.unique(np.concatenate(matches)).astype(np.int64)


def number_identifiers(paper: Paper) -> list[str]:
    """Return by which numbers and pages a paper is known: its identifiers but for its id.

    The page that follows from a number stands behind that of its address.
    """
    numbers = [
        identifier for identifier in identifiers_of(paper) if not identifier.startswith("id ")
    ]
    return numbers + [page.identifier for page in pages(id=paper.id, url=paper.url, doi=paper.doi)]


def typed_identifiers(typed: str) -> list[str]:
    """Return the identifiers of papers whose number is typed, none where that is no number."""
    number = typed_number(typed)
    if number is None:
        return []
    if number.page:
        return [number.page.identifier]
    return number_identifiers(Paper(ENTRY, "", doi=number.doi, arxiv=number.arxiv))
