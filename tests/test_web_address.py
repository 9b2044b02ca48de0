"""Pages of papers, however their addresses are written."""

from __future__ import annotations

import pytest

from cite_lsp.web_address import pages, web_address


@pytest.mark.parametrize(
    ("addresses", "site", "name"),
    [
        (
            "https://aclanthology.org/P05-1033/ https://www.aclweb.org/anthology/p05-1033.pdf "
            "http://aclweb.org/anthology/P/P05/P05-1033v2.pdf http://aclanthology.info/P05-1033 "
            "P05-1033",
            "aclanthology.org",
            "p05-1033",
        ),
        (
            "https://aclanthology.org/2020.acl-main.1.bib 2020.acl-main.1",
            "aclanthology.org",
            "2020.acl-main.1",
        ),
        (
            "https://pubmed.ncbi.nlm.nih.gov/12345678/?from=x http://www.ncbi.nlm.nih.gov/pubmed/"
            "12345678 https://europepmc.org/article/MED/12345678 PMID:12345678 pmid12345678",
            "pubmed.ncbi.nlm.nih.gov",
            "12345678",
        ),
        (
            "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123456/pdf/a.pdf pmc123456 "
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC123456/",
            "pmc.ncbi.nlm.nih.gov",
            "pmc123456",
        ),
        (
            "https://openreview.net/forum?id=rJl-b3&noteId=x https://openreview.net/pdf?id=rJl-b3",
            "openreview.net",
            "rjl-b3",
        ),
        (
            "https://proceedings.neurips.cc/paper/2017/hash/3f5ee243547dee91-Abstract.html "
            "https://proceedings.neurips.cc/paper_files/paper/2017/file/"
            "3f5ee243547dee91-Paper-Conference.pdf",
            "proceedings.neurips.cc",
            "3f5ee243547dee91",
        ),
        (
            "https://proceedings.mlr.press/v97/tan19a.html "
            "http://proceedings.mlr.press/v97/tan19a/tan19a.pdf",
            "proceedings.mlr.press",
            "v97/tan19a",
        ),
        (
            "https://ieeexplore.ieee.org/document/8187120 "
            "https://ieeexplore.ieee.org/abstract/document/8187120/ "
            "https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=8187120",
            "ieeexplore.ieee.org",
            "8187120",
        ),
        (
            "https://hal.science/hal-01234567v2/document https://hal.science/hal-01234567",
            "hal.science",
            "hal-01234567",
        ),
        (
            "https://github.com/numpy/numpy https://www.github.com/Numpy/numpy.git "
            "https://github.com/numpy/numpy/releases?q=1",
            "github.com",
            "numpy/numpy",
        ),
    ],
)
def test_all_addresses_of_a_page_are_one(addresses: str, site: str, name: str) -> None:
    for address in addresses.split():
        page = web_address(address)
        assert page is not None, address
        assert page.identifier == f"address {site} {name}"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "tides",
        "https://doi.org/10.1000/1",
        "https://arxiv.org/abs/1706.03762",
        "https://example.org/",
        "https://example.org/about",
        "https://example.org:8080/papers/list.html",
        "ftp://example.org/paper12345",
        "12345678",
        "P05-103",
    ],
)
def test_what_names_no_page_is_none(written: str) -> None:
    assert web_address(written) is None


def test_numbers_tell_pages_that_have_no_address() -> None:
    def marks(**of: str) -> list[str]:
        return [page.identifier for page in pages(**of)]

    assert marks(id="pmid:123") == ["address pubmed.ncbi.nlm.nih.gov 123"]
    assert marks(id="acl:P05-1033", doi="10.3115/v1/P05-1033") == [
        "address aclanthology.org p05-1033"
    ]
    assert marks(doi="10.18653/v1/2020.acl-main.1", url="https://openalex.org/W12345") == [
        "address openalex.org w12345",
        "address aclanthology.org 2020.acl-main.1",
    ]
    assert marks(id="openalex:W1", doi="10.1000/1", url="https://doi.org/10.1000/1") == []
