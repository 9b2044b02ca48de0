"""Preprints that become what was published: the record says where, and keeps all else."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.library import parse_bibliography
from cite_lsp.library.write.bibtex_style import bibtex_habits
from cite_lsp.library.write.preprints import is_preprint, is_publication, published_record
from cite_lsp.paper import Paper

PUBLISHED = Paper(
    "acl:N19-1423",
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    authors=("Jacob Devlin",),
    year=2019,
    venue="Proceedings of NAACL-HLT 2019",
    doi="10.18653/v1/n19-1423",
    url="https://aclanthology.org/N19-1423",
)


def updated(text: str, paper: Paper = PUBLISHED) -> str | None:
    """Return a file of one record with that of its publication in its place."""
    (entry,) = parse_bibliography(text, Path("refs.bib")).entries
    assert is_preprint(entry)
    record = published_record(entry, paper, bibtex_habits(text, [entry]))
    return None if record is None else text[: entry.start] + record + text[entry.end :]


def test_where_it_appeared_takes_the_place_of_the_archive() -> None:
    assert updated(
        "@article{devlin2018bert,\n"
        "  title={BERT: Pre-training of {Deep} Transformers},\n"
        "  author={Devlin, Jacob and others},\n"
        "  journal={arXiv preprint arXiv:1810.04805},\n"
        "  year={2018}\n"
        "}\n"
    ) == (
        "@inproceedings{devlin2018bert,\n"
        "  title={BERT: Pre-training of {Deep} Transformers},\n"
        "  author={Devlin, Jacob and others},\n"
        "  booktitle={Proceedings of NAACL-HLT 2019},\n"
        "  year={2019},\n"
        "  doi={10.18653/v1/n19-1423}\n"
        "}\n"
    )


def test_what_held_of_the_preprint_alone_goes_and_all_else_stays() -> None:
    assert updated(
        "@article{DBLP:journals/corr/abs-1810-04805,\r\n"
        "  author     = {Jacob Devlin and\r\n                Ming{-}Wei Chang},\r\n"
        "  title      = {{BERT:} Pre-training},\r\n"
        "  journal    = {CoRR},\r\n"
        "  volume     = {abs/1810.04805},\r\n"
        "  month      = oct,\r\n"
        "  year       = {2018},\r\n"
        "  url        = {http://arxiv.org/abs/1810.04805},\r\n"
        "  eprinttype = {arXiv},\r\n"
        "  eprint     = {1810.04805},\r\n"
        "  note       = {read twice},\r\n"
        "  file       = {/home/me/bert.pdf},\r\n"
        "}\r\n"
    ) == (
        "@inproceedings{DBLP:journals/corr/abs-1810-04805,\r\n"
        "  author     = {Jacob Devlin and\r\n                Ming{-}Wei Chang},\r\n"
        "  title      = {{BERT:} Pre-training},\r\n"
        "  booktitle  = {Proceedings of NAACL-HLT 2019},\r\n"
        "  year       = {2019},\r\n"
        "  doi        = {10.18653/v1/n19-1423},\r\n"
        "  url        = {https://aclanthology.org/N19-1423},\r\n"
        "  eprinttype = {arXiv},\r\n"
        "  eprint     = {1810.04805},\r\n"
        "  note       = {read twice},\r\n"
        "  file       = {/home/me/bert.pdf},\r\n"
        "}\r\n"
    )


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (  # in one line, with nothing that says where it appeared
            '@misc{bert, title = "BERT", eprint = "1810.04805", archivePrefix = "arXiv",'
            " month = oct}",
            '@inproceedings{bert, title = "BERT", booktitle = "Proceedings of NAACL-HLT 2019",'
            ' year = "2019", doi = "10.18653/v1/n19-1423",'
            ' eprint = "1810.04805", archivePrefix = "arXiv"}',
        ),
        (  # biblatex: a date of its own, and an archive as the publisher as well
            "@online{bert,\n\ttitle = {BERT},\n\tpublisher = {{arXiv}},\n\tdate = {2018-10-11},\n"
            "\tjournaltitle = {{arXiv}:1810.04805 [cs]},\n\tdoi = {10.48550/arXiv.1810.04805},\n}",
            "@inproceedings{bert,\n\ttitle = {BERT},\n"
            "\tbooktitle = {Proceedings of NAACL-HLT 2019},\n\tdate = {2019},\n"
            "\tdoi = {10.18653/v1/n19-1423},\n}",
        ),
        (  # the same year: the date stays as it is, to the day
            "@online{bert,\n  title = {BERT},\n  date = {2019-05-24},\n  eprint = {1810.04805},\n"
            "  eprinttype = {arxiv}\n}",
            "@inproceedings{bert,\n  title = {BERT},\n  date = {2019-05-24},\n"
            "  booktitle = {Proceedings of NAACL-HLT 2019},\n  doi = {10.18653/v1/n19-1423},\n"
            "  eprint = {1810.04805},\n"
            "  eprinttype = {arxiv}\n}",
        ),
        (  # laid out with tabs, a bare year, capitals in names
            "@Article{\t  bert,\n  Title\t\t= {BERT},\n  Journal\t= {arXiv preprint},\n"
            "  Year\t\t= 2018\n}",
            "@Inproceedings{\t  bert,\n  Title\t\t= {BERT},\n"
            "  Booktitle\t= {Proceedings of NAACL-HLT 2019},\n  Year\t\t= 2019,\n"
            "  Doi\t\t= {10.18653/v1/n19-1423}\n}",
        ),
        (  # names that end in a column, as ADS writes them
            "@ARTICLE{bert,\n       author = {{Devlin}, Jacob},\n        title = {BERT},\n"
            "      journal = {arXiv e-prints},\n         year = 2018,\n        month = oct,\n"
            "          eid = {arXiv:1810.04805},\narchivePrefix = {arXiv},\n}",
            "@INPROCEEDINGS{bert,\n       author = {{Devlin}, Jacob},\n        title = {BERT},\n"
            "    booktitle = {Proceedings of NAACL-HLT 2019},\n         year = 2019,\n"
            "          doi = {10.18653/v1/n19-1423},\narchivePrefix = {arXiv},\n}",
        ),
        (  # what goes is the last field: no comma stays before the brace
            "@article{bert,\n  title = {BERT},\n  year = 2019,\n  journal = {CoRR},\n"
            "  volume = {abs/1810.04805}\n}",
            "@inproceedings{bert,\n  title = {BERT},\n  year = 2019,\n"
            "  booktitle = {Proceedings of NAACL-HLT 2019},\n  doi = {10.18653/v1/n19-1423}\n}",
        ),
    ],
)
def test_records_are_changed_in_their_own_hand(record: str, expected: str) -> None:
    assert updated(record) == expected


def test_an_address_in_the_archive_stays_where_no_other_is_known() -> None:
    paper = evolve(PUBLISHED, url="", doi="", venue="The Journal of Words", arxiv="1810.04805")
    assert updated(
        "@misc{bert,\n  title = {BERT},\n  url = {https://arxiv.org/abs/1810.04805},\n}\n", paper
    ) == (
        "@article{bert,\n  title = {BERT},\n  journal = {The Journal of Words},\n"
        "  year = {2019},\n  url = {https://arxiv.org/abs/1810.04805},\n}\n"
    )


def test_what_leans_on_other_records_is_not_written() -> None:
    text = "@misc{bert, title = {BERT}, xdata = {arxiv}, url = {https://arxiv.org/abs/1810.04805}}"
    assert updated(text) is None


@pytest.mark.parametrize(
    "record",
    [
        "@article{a, title={A}, journal={arXiv preprint}, doi={10.1016/j.cell.2020.01.001}}",
        "@article{a, title={A}, journal={The Lancet}, eprint={2001.00001}, archiveprefix={arXiv}}",
        "@techreport{a, title={A}, institution={OpenAI}, url={https://arxiv.org/abs/2001.00001}}",
        "@misc{a, title={A}, howpublished={A talk}}",
    ],
)
def test_what_appeared_somewhere_is_no_preprint(record: str) -> None:
    (entry,) = parse_bibliography(record, Path("refs.bib")).entries
    assert not is_preprint(entry)


def test_a_publication_has_a_venue_that_is_no_archive() -> None:
    assert is_publication(PUBLISHED)
    assert not is_publication(evolve(PUBLISHED, venue=""))
    assert not is_publication(evolve(PUBLISHED, venue="CoRR"))
    assert not is_publication(evolve(PUBLISHED, venue="Journal of Words, in press"))
    assert not is_publication(evolve(PUBLISHED, venue=", volume 3"))
    assert not is_publication(evolve(PUBLISHED, kind="thesis"))
