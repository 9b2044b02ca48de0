"""A number or a page that is pasted finds its work."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import EntryMatcher, parse_bibliography, read_bibliography
from cite_lsp.library.match import identifiers

NUMBERED = parse_bibliography(
    r"""
@article{nature, title = {A 2020 Survey of 10 Methods}, doi = {10.1038/S41586-020-2649-2}}
@article{escaped, title = {B}, doi = {https://doi.org/10.1007/978-3-319\_12}, year = 2104}
@misc{preprint, title = {C}, eprint = {2104.01234}, archiveprefix = {arXiv}}
@misc{address, title = {D}, url = {https://arxiv.org/pdf/2104.01299v2.pdf}}
@misc{datacite, title = {E}, doi = {10.48550/arXiv.2104.01300}}
@misc{old, title = {F}, eprint = {hep-th/9901001}}
@misc{classed, title = {G}, url = {http://arxiv.org/abs/math.GT/0309136}}
@misc{10.1038/own-key, title = {H}, note = {pages 2104.012345678}}
@inbook{mendeley, title = {I}, doi = {10.1007/978-3-319-24574-4{\_}28}}
@article{wiley, title = {J}, doi = {10.1002/(SICI)1097-0258(1998)17:15/16<1661::AID>3.0.CO;2-2}}
@article{escaped-wiley, title = {K}, doi = {10.1002/(SICI)1097-0258(1999)18:3$<$24::AID$>$3.CO}}
@article{bio, title = {M}, doi = {10.1101/2020.01.01.123456}}
@article{named-wiley, title = {L}, doi = {10.1002/asi.1{\textless}2::A{\textgreater}3}}
""",
    Path("refs.bib"),
).entries


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("10.1038/s41586-020-2649-2", "nature"),
        ("https://doi.org/10.1038/S41586-020", "nature"),
        (" dx.doi.org/10.1038/s41586 ", "nature"),
        ("doi:10.1007/978-3-319_12", "escaped"),
        ("10.1038/s", "nature"),
        ("10.1038/o", "10.1038/own-key"),
        ("10.1038/s41586-020-2649-21", ""),
        ("arXiv:2104.01234", "preprint"),
        ("2104.01234v3", "preprint"),
        ("https://arxiv.org/abs/2104.01234", "preprint"),
        ("2104.012", "preprint address"),
        ("arxiv.org/pdf/2104.01299.pdf", "address"),
        ("2104.01300", "datacite"),
        ("10.48550/arxiv.2104.01300", "datacite"),
        ("hep-th/9901001", "old"),
        ("https://arxiv.org/abs/math.GT/0309136v1", "classed"),
        ("https://arxiv.org/html/2104.01234v1", "preprint"),
        ("arXiv:2104.01234v2 [cs.CL]", "preprint"),
        ("10.1007/978-3-319-24574-4_28", "mendeley"),
        ("(doi:10.1007/978-3-319-24574-4_28).", "mendeley"),
        ("https://link.springer.com/chapter/10.1007/978-3-319-24574-4_28", "mendeley"),
        ("https://link.springer.com/content/pdf/10.1007/978-3-319-24574-4_28.pdf", "mendeley"),
        ("https://journals.org/a?id=10.1007/978-3-319-24574-4_28", "mendeley"),
        ("10.1002/(SICI)1097-0258(1998)17:15/16<1661::AID", "wiley"),
        ("https://doi.org/10.1002/%28SICI%291097-0258%281998%2917:15/16%3C1661::AID", "wiley"),
        ("https://wiley.com/doi/full/10.1002/(SICI)1097-0258(1998)17:15/16/abstract", "wiley"),
        ("10.1002/(SICI)1097-0258(1999)18:3<24::AID>3.CO", "escaped-wiley"),
        ("https://nature.com/10.1038/S41586-020-2649-2/full?a=b#c", "nature"),
        ("10.1002/asi.1<2::A>3", "named-wiley"),
        ("https://arxiv.org/abs/2104.01234?context=cs", "preprint"),
        ("https://arxiv.org/html/2104.01234v1#S3", "preprint"),
        ("arXiv preprint arXiv:2104.01234", "preprint"),
        ("https://doi.org/10.48550/arXiv.2104.01234", "preprint"),
        ("doi:10.48550/arXiv.hep-th/9901001", "old"),
        ("DOI: https://doi.org/10.1038/S41586-020-2649-2", "nature"),
        ("https://doi.org/10.1038/S41586-020-2649-2/", "nature"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf+html", "bio"),
        ("2104", "escaped"),
        ("2020 10", "nature"),
    ],
)
def test_a_pasted_number_finds_its_work(typed: str, keys: str) -> None:
    assert [NUMBERED[row].key for row in EntryMatcher(NUMBERED).match(typed)] == keys.split()


PAGED = parse_bibliography(
    r"""
@inproceedings{chiang, title = {A}, url = {https://www.aclweb.org/anthology/P05-1033}}
@inproceedings{nineteen, title = {B}, doi = {10.18653/v1/N19-1423}}
@inproceedings{twenty, title = {C}, url = {https://aclanthology.org/2020.acl-main.12.pdf}}
@article{medicine, title = {D}, pmid = {12345678}, pmcid = {PMC234567}}
@article{biblatex, title = {E}, eprint = {23456789}, eprinttype = {pubmed}}
@article{noted, title = {F}, note = {PMID: 34567890}}
@misc{review, title = {G}, url = {https://openreview.net/forum?id=a\_Bc-D}}
@misc{code, title = {H}, howpublished = "\url{https://github.com/numpy/numpy}"}
@misc{coding, title = {I}, howpublished = "\url{https://github.com/numpy/numpydoc}"}
@article{digits, title = {J}, volume = 12345678, number = {05-1033}}
""",
    Path("refs.bib"),
).entries


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("https://aclanthology.org/P05-1033/", "chiang"),
        ("p05-1033", "chiang"),
        ("https://aclanthology.org/N19-1423.pdf", "nineteen"),
        ("https://aclanthology.org/2020.acl-main.12/", "twenty"),
        ("https://aclanthology.org/2020.acl-main.1/", ""),
        ("https://pubmed.ncbi.nlm.nih.gov/12345678/", "medicine"),
        ("PMID: 12345678", "medicine"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC234567/", "medicine"),
        ("PMID 23456789", "biblatex"),
        ("pmid:34567890", "noted"),
        ("https://openreview.net/pdf?id=a_Bc-D", "review"),
        ("https://github.com/numpy/numpy", "code"),
    ],
)
def test_a_pasted_page_finds_its_work(typed: str, keys: str) -> None:
    assert [PAGED[row].key for row in EntryMatcher(PAGED).match(typed)] == keys.split()


def test_a_number_is_found_in_every_format(tmp_path: Path) -> None:
    path = tmp_path / "refs.json"
    path.write_text(r'[{"id": "a", "DOI": "10.1000\/Xyz", "URL": "http:\/\/arxiv.org"}]')
    assert EntryMatcher(read_bibliography(path).entries).match("10.1000/xyz") == [0]
    path = path.with_suffix(".yaml")
    path.write_text("a: {type: article, title: A, serial-number: {arxiv: 2104.01234}}")
    assert EntryMatcher(read_bibliography(path).entries).match("arxiv 2104.01234") == [0]
    path = path.with_suffix(".json")
    path.write_text(
        r'[{"id": "a", "PMID": "12345678", "URL": "http:\/\/openreview.net/forum?id=b-1"}]'
    )
    assert EntryMatcher(read_bibliography(path).entries).match("PMID: 12345678") == [0]
    assert EntryMatcher(read_bibliography(path).entries).match(
        "https://openreview.net/pdf?id=b-1"
    ) == [0]


def test_a_number_is_looked_for_without_reading_every_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sought: list[str] = []
    braces = identifiers._BRACES

    class Counted:
        def sub(self, _: str, written: str) -> str:
            sought.append(written)
            return braces.sub("", written)

    monkeypatch.setattr(identifiers, "_BRACES", Counted())
    assert EntryMatcher(NUMBERED).match("10.1038/s")
    assert len(sought) == 2
