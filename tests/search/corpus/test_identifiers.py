"""Papers by DOI, arXiv number and page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.identifiers import PublishedNumbers

PAPERS = [
    Paper("a", "Tides", doi="10.18653/v1/N19-1423"),
    Paper("b", "Gauges", doi="https://doi.org/10.1000/B(95)"),
    Paper("c", "Marshes", arxiv="1810.04805", doi="10.1000/c"),
    Paper("d", "Reeds", doi="10.48550/arXiv.2005.14165"),
    Paper("e", "Dunes", url="https://arxiv.org/abs/hep-th/9901001v2"),
    Paper("f", "Sand"),
    Paper("g", "Tides, again", doi="10.18653/V1/n19-1423"),
    Paper("pmid:12345678", "Eelgrass"),
    Paper("h", "Dikes", url="https://openreview.net/forum?id=HkAbCd"),
]


def ids_of(numbers: PublishedNumbers, typed: str) -> str:
    return "".join(PAPERS[row].id for row in numbers.rows_of(typed))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("10.18653/v1/N19-1423", "ag"),
        ("https://www.aclweb.org/doi/10.18653/v1/n19-1423.pdf", "ag"),
        ("10.18653/v1/N19-142", ""),
        ("doi:10.1000/b(95)", "b"),
        ("arXiv:1810.04805v2", "c"),
        ("10.48550/arXiv.1810.04805", "c"),
        ("10.1000/c", "c"),
        ("https://doi.org/10.1000/c/", "c"),
        ("https://arxiv.org/abs/1810.04805?context=cs", "c"),
        ("https://arxiv.org/pdf/2005.14165v4.pdf", "d"),
        ("hep-th/9901001", "e"),
        ("https://aclanthology.org/N19-1423.pdf", "ag"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/12345678", "pmid:12345678"),
        ("PMID: 1234567", ""),
        ("https://openreview.net/pdf?id=HkAbCd", "h"),
        ("https://openreview.net/forum?id=HkAbCe", ""),
        ("10.1000/nobody", ""),
        ("tides", ""),
    ],
)
def test_a_number_finds_the_papers_that_have_it_however_it_is_written(
    typed: str, expected: str, tmp_path: Path
) -> None:
    built = PublishedNumbers.build(PAPERS)
    assert ids_of(built, typed) == expected
    built.save(tmp_path)
    assert ids_of(PublishedNumbers.open(tmp_path), typed) == expected


def test_papers_without_numbers_are_no_trouble(tmp_path: Path) -> None:
    built = PublishedNumbers.build([Paper("f", "Sand")])
    built.save(tmp_path)
    assert ids_of(PublishedNumbers.open(tmp_path), "10.1000/c") == ""


def test_numbers_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    PublishedNumbers.build(PAPERS).save(tmp_path)
    np.save(tmp_path / "rows.npy", np.zeros(2, dtype=np.int32))
    with pytest.raises(ValueError, match="do not match"):
        PublishedNumbers.open(tmp_path)
