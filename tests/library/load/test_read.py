from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, read_bibliography

Write = Callable[..., Path]
ENTRY = "@misc{müller, title={Über 标题}}\n"


def only_message(bibliography: Bibliography) -> str:
    (problem,) = bibliography.problems
    assert problem.path == bibliography.path and "\n" not in problem.message
    return problem.message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_are_read_with_offsets_behind_the_mark(write: Write, encoding: str) -> None:
    bibliography = read_bibliography(write("refs.bib", ENTRY.encode(encoding)))
    assert bibliography.problems == ()
    assert [(e.key, e.start, e.paper.title) for e in bibliography.entries] == [
        ("müller", 0, "Über 标题")
    ]


def test_an_old_encoding_is_read_and_reported(write: Write) -> None:
    content = "% one\n@misc{müller, title={“Über”}}\n".encode("cp1252")
    bibliography = read_bibliography(write("refs.bib", content))
    assert bibliography.entries[0].paper.title == "“Über”"
    message = "not UTF-8 (byte 0xfc in line 2), read as Windows-1252: save it as UTF-8"
    assert only_message(bibliography) == message


CNKI = "@article{李明2019,\r\n author = {李明 and 翟煜翔},\r\n title = {潮汐能发电研究},\r\n}\r\n"


def test_chinese_in_gbk_is_read_and_reported(write: Write) -> None:
    bibliography = read_bibliography(write("refs.bib", CNKI.encode("gbk")))
    entry = bibliography.entries[0]
    assert (entry.key, entry.start, entry.paper.title) == ("李明2019", 0, "潮汐能发电研究")
    assert entry.paper.authors == ("李明", "翟煜翔")
    message = "not UTF-8 (byte 0xc0 in line 1), read as GB18030: save it as UTF-8"
    assert only_message(bibliography) == message


@pytest.mark.parametrize(
    "text",
    ["Müller", "GRÖßE", "Schäfer, Größe und Maß", "Éléments d’analyse", "Ærø", "Señor «Ñandú»"],
)
def test_western_text_is_not_taken_for_chinese(write: Write, text: str) -> None:
    bibliography = read_bibliography(
        write("refs.bib", f"@misc{{a, title={{{text}}}}}".encode("cp1252"))
    )
    assert bibliography.entries[0].paper.title == text
    assert "read as Windows-1252" in only_message(bibliography)


@pytest.mark.parametrize(
    "title",
    ["Educação e população no sertão", "Les idées créées à l’été", "Größe öß", "Исследование птиц"],
)
def test_one_letter_in_an_old_encoding_makes_no_chinese_of_a_text(write: Write, title: str) -> None:
    sound = "".join(f"@misc{{k{number}, title={{{title}}}}}\n" for number in range(5))
    pasted = "@misc{jose, author={Pérez, José}, title={Aves}}\n"
    bibliography = read_bibliography(write("refs.bib", sound.encode() + pasted.encode("cp1252")))
    assert [entry.paper.title for entry in bibliography.entries] == [title] * 5 + ["Aves"]
    assert bibliography.entries[-1].paper.authors == ("José Pérez",)


def test_a_file_that_ends_within_a_chinese_character_is_read(write: Write) -> None:
    content = CNKI.encode("gbk") + "潮汐".encode("gbk")[:-1]
    assert read_bibliography(write("refs.bib", content)).entries[0].key == "李明2019"


def test_a_record_in_an_old_encoding_leaves_the_rest_as_it_is(write: Write) -> None:
    pasted = "@misc{b, author={Müller, A.}, title={Größe}}\n".encode("cp1252")
    bibliography = read_bibliography(write("refs.bib", ENTRY.encode() + pasted))
    assert [entry.paper.title for entry in bibliography.entries] == ["Über 标题", "Größe"]
    assert "in line 2), read as Windows-1252" in only_message(bibliography)


def test_carriage_returns_stay_so_that_offsets_hold(write: Write) -> None:
    content = "@misc{a,\r\n title={x}}\r\n@misc{b, title={y}}"
    bibliography = read_bibliography(write("refs.bib", content))
    assert [content[e.start : e.end] for e in bibliography.entries] == [
        e.raw for e in bibliography.entries
    ]


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    message = "the bibliography does not exist: create it or correct its name"
    assert only_message(read_bibliography(tmp_path / "refs.bib")) == message


def test_a_folder_is_a_problem(tmp_path: Path) -> None:
    message = "the bibliography is a folder: name a .bib file in it"
    assert only_message(read_bibliography(tmp_path)) == message


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read every file")
def test_a_file_that_may_not_be_read_is_a_problem(write: Write) -> None:
    path = write("refs.bib", ENTRY)
    path.chmod(0)
    assert "may not be read" in only_message(read_bibliography(path))


@pytest.mark.parametrize("name", ["a" * 5000 + ".bib", "a\0b.bib"])
def test_an_impossible_name_is_a_problem(tmp_path: Path, name: str) -> None:
    assert "cannot be read" in only_message(read_bibliography(tmp_path / name))


def test_an_empty_file_is_a_problem(write: Write) -> None:
    message = "the bibliography is empty: add entries to it"
    assert only_message(read_bibliography(write("refs.bib", " \n"))) == message


def test_a_file_of_another_kind_is_a_problem(write: Write) -> None:
    message = "the bibliography holds no entry: is it a BibTeX file?"
    path = write("notes.bib", "Dear diary")
    assert only_message(read_bibliography(path)) == message
    path = write("refs.bib", bytes(range(128)) + b"\xa1\xff" * 400)
    assert only_message(read_bibliography(path)) == message
    path = write("refs.ris", "Dear diary")
    message = "the bibliography holds no entry: is it a RIS file?"
    assert only_message(read_bibliography(path)) == message
    path = write("refs.enw", "%0 Journal Article\n%T On tides\n")
    message = "EndNote's format is not read as a bibliography: export it as BibTeX"
    assert only_message(read_bibliography(path)) == message


def test_a_file_that_defines_macros_alone_is_in_order(tmp_path: Path) -> None:
    path = tmp_path / "strings.bib"
    path.write_text('@string{nat = "Nature"}\n', encoding="utf-8")
    assert read_bibliography(path).problems == ()
