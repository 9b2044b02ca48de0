"""Whether a library has a paper already, and where a new one goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from cite_lsp.library import DiskReader, parse_bibliography
from cite_lsp.library.match.dedupe import SameWork, is_same_work
from cite_lsp.paper import Paper
from cite_lsp.project.entry_target import EntryTarget, entry_target
from cite_lsp.project.project import ProjectCache

LIBRARY = """
@article{doi, title={Something Else Entirely}, doi={https://doi.org/10.1000/AB\\_c}, author={A, B}}
@misc{arxiv, title={A Preprint}, eprint={1706.03762}, archiveprefix={arXiv}}
@article{title, title={{The} {\\'E}tude: of {BERT}}, author={van der Berg, Jan and Doe, A.}}
@article{subtitle, title={Main}, subtitle={And More}, author={Doe, Anne}}
@article{old, title={An Old One}, doi={10.1000/s(95)}, author={A, B}}
@article{marked, title={The <i>h</i>-Index of Q\\&amp;A}, author={Doe, Anne}}
@article{mendeley, title={With Braces}, doi={10.1007/978-3-319-24574-4{\\_}28}}
@article{wiley, title={Pointed}, doi={10.1002/(SICI)10(98)17:15/16<1661::AID>3.0.CO;2-2}}
@article{set, title={Pointed Too}, doi={10.1002/(SICI)10(99)18:1/2$<$24::AID$>$3.0.CO;2-2}}
@article{mentions, title={A Review}, abstract={We discuss 10.1000/zzz and arXiv:2001.00001.}}
@article{blanks, title={面向 BERT 的文本 分类}, author={王五}}
@article{order, title={Nests of Gulls}, author={Zhang San and Li Si}}
@article{initial, title={Nests of Terns}, author={Zhang S and others}}
@article{spelt, title={海鸥的巢穴研究}, author={单, 三}}
"""


def matching_key(paper: Paper) -> str | None:
    entry = SameWork(parse_bibliography(LIBRARY, Path("a.bib")).entries).find(paper)
    return entry.key if entry else None


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (Paper("x", "Another title", doi="10.1000/ab_c"), "doi"),
        (Paper("x", "An old one, again", doi="10.1000/s(95)"), "old"),
        (Paper("x", "Without", doi="10.1007/978-3-319-24574-4_28"), "mendeley"),
        (Paper("x", "A", doi="10.1002/(sici)10(98)17:15/16<1661::aid>3.0.co;2-2"), "wiley"),
        (Paper("x", "B", doi="10.1002/(sici)10(99)18:1/2<24::aid>3.0.co;2-2"), "set"),
        (Paper("x", "Renamed since", arxiv="1706.03762"), "arxiv"),
        (Paper("x", "Renamed", doi="10.48550/arxiv.1706.03762"), "arxiv"),
        (Paper("x", "Renamed", url="https://arxiv.org/abs/1706.03762"), "arxiv"),
        (Paper("x", "The Etude of Bert", authors=("Jan van der Berg",)), "title"),
        (Paper("x", "the étude – of BERT"), "title"),
        (Paper("x", "The Etude of Bert", authors=("Zoe Other",)), None),
        (Paper("x", "The h-index of Q&A", authors=("Anne Doe",)), "marked"),
        (Paper("x", "Main: and more", authors=("Anne Doe",)), "subtitle"),
        (Paper("x", "Main", authors=("Anne Doe",)), None),
        (Paper("x", "面向BERT的文本分类", authors=("王五",)), "blanks"),
        (Paper("x", "Nests of gulls", authors=("San Zhang",)), "order"),
        (Paper("x", "Nests of gulls", authors=("San Li",)), None),
        (Paper("x", "Nests of terns", authors=("San Zhang",)), "initial"),
        (Paper("x", "Nests of terns", authors=("Sun Zhao",)), None),
        (Paper("x", "海鸥的巢穴研究", authors=("San Shan",)), "spelt"),
        (Paper("x", "海鸥的巢穴研究", authors=("Wu Wang",)), None),
        (Paper("x", "Cited there", doi="10.1000/zzz"), None),
        (Paper("x", "Cited there", arxiv="2001.00001"), None),
        (Paper("x", ""), None),
    ],
)
def test_a_work_is_known_by_its_numbers_or_by_title_and_author(
    paper: Paper, key: str | None
) -> None:
    assert matching_key(paper) == key


def target(
    folder: Path,
    draft: str,
    name: str = "draft.tex",
    chosen: Path | None = None,
    extra: Sequence[Path] = (),
) -> EntryTarget:
    path = folder / name
    path.write_text(draft, encoding="utf-8")
    project = ProjectCache().open(path, read=DiskReader(), workspace=folder)
    chosen_target = entry_target(project, chosen=chosen, extra=extra, may_take=lambda target: True)
    assert chosen_target is not None
    return chosen_target


def test_the_last_bibliography_that_exists_takes_the_entry(tmp_path: Path) -> None:
    for name in ("one.bib", "two.bib"):
        (tmp_path / name).touch()
    draft = "\\documentclass{article}\\bibliography{one,two,three}"
    assert target(tmp_path, draft) == EntryTarget(tmp_path / "two.bib")


def test_a_bibliography_that_is_named_and_missing_is_made_where_it_is_named(tmp_path: Path) -> None:
    draft = "\\documentclass{article}\\bibliography{parts/refs}"
    expected = EntryTarget(tmp_path / "parts" / "refs.bib", exists=False)
    assert target(tmp_path, draft) == expected


def test_a_draft_that_names_none_gets_references_bib_beside_its_main_file(tmp_path: Path) -> None:
    expected = EntryTarget(tmp_path / "references.bib", exists=False, named=False)
    assert target(tmp_path, "\\documentclass{article} Text.") == expected


def test_items_in_the_draft_itself_are_added_to(tmp_path: Path) -> None:
    yaml = "---\nreferences:\n- id: a\n  title: T\n---\n"
    assert target(tmp_path, yaml, "a.md") == EntryTarget(tmp_path / "a.md", "references")
    latex = (
        "\\documentclass{article}\\begin{thebibliography}{9}\\bibitem{a} T\\end{thebibliography}"
    )
    assert target(tmp_path, latex, "b.tex") == EntryTarget(tmp_path / "b.tex", "bibitems")


def test_what_the_settings_choose_comes_first(tmp_path: Path) -> None:
    (tmp_path / "one.bib").touch()
    chosen = tmp_path / "mine.bib"
    draft = "\\documentclass{article}\\bibliography{one}"
    assert target(tmp_path, draft, chosen=chosen) == EntryTarget(chosen, exists=False)


def test_of_a_folder_that_the_settings_choose_it_is_references_bib(tmp_path: Path) -> None:
    (tmp_path / "refs").mkdir()
    chosen = tmp_path / "refs" / "references.bib"
    assert target(tmp_path, "Text.", chosen=tmp_path / "refs") == EntryTarget(chosen, exists=False)


def test_a_database_that_the_settings_choose_is_not_written_to(tmp_path: Path) -> None:
    for name in ("one.bib", "zotero.sqlite"):
        (tmp_path / name).touch()
    draft = "\\documentclass{article}\\bibliography{one}"
    chosen_target = target(tmp_path, draft, chosen=tmp_path / "zotero.sqlite")
    assert chosen_target == EntryTarget(tmp_path / "one.bib")


def test_a_draft_that_names_none_adds_to_the_last_of_the_settings_that_can_be(
    tmp_path: Path,
) -> None:
    extra = [tmp_path / name for name in ("one.bib", "two.bib", "gone.bib", "zotero.sqlite")]
    for path in (extra[0], extra[1], extra[3]):
        path.touch()
    assert target(tmp_path, "Text.", extra=extra) == EntryTarget(extra[1])
    draft = "\\documentclass{article}\\bibliography{one}"
    assert target(tmp_path, draft, extra=extra) == EntryTarget(extra[0])


def test_a_bibliography_that_may_not_be_written_takes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one.bib", "shared.bib"):
        (tmp_path / name).touch()
    monkeypatch.setattr(os, "access", lambda path, how: path.name != "shared.bib")
    draft = "\\documentclass{article}\\bibliography{one,shared}"
    assert target(tmp_path, draft) == EntryTarget(tmp_path / "one.bib")


def test_chapters_that_carry_the_doi_of_their_book_are_several_works() -> None:
    doi = "10.1000/handbook"
    text = f"""
@incollection{{ebb, title = {{What the ebb leaves}}, author = {{Reed, Ida}}, doi = {{{doi}}},
  booktitle = {{Handbook of Shores}}}}
"""
    same_work = SameWork(parse_bibliography(text, Path("a.bib")).entries)
    other = Paper("x", "Grasses of the dunes", authors=("Bo Fen",), doi=doi)
    book = Paper("x", "Handbook of Shores", doi=doi)
    again = Paper("x", "What the ebb leaves: a survey", authors=("Ida Reed",), doi=doi)
    translated = Paper("x", "Was die Ebbe zurücklässt", authors=("Ida Reed",), doi=doi)
    assert same_work.find(other) is None and same_work.find(book) is None
    for paper in (again, translated):
        entry = same_work.find(paper)
        assert entry is not None and entry.key == "ebb"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("year=2004", "year=2005", True),  # online first
        ("year=1999", "year=2010", False),  # another edition
        ("year=2004, doi={10.1234/a}", "year=2004, doi={10.1234/b}", False),
        (
            "year=2015, eprint={1501.00001}, archiveprefix={arXiv}",
            "year=2018, doi={10.1234/b}",
            True,
        ),
    ],
)
def test_two_entries_of_a_library_are_one_work(
    tmp_path: Path, first: str, second: str, same: bool
) -> None:
    path = tmp_path / "library.bib"
    head = "title={How tidal marshes trap sediment}, author={Orr, Ada}"
    text = f"@article{{a, {head}, {first}}}\n@article{{b, {head}, {second}}}\n"
    entry, other = parse_bibliography(text, path).entries
    assert is_same_work(entry, other) is same
