"""Records that BibTeX and biber reject are problems, each with its line, and read all the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography

PATH = Path("refs.bib")
REST = "author = {Reed, Ida},\n  year = 1999"
BROKEN = {
    "quotes in quotes": ('title = "The "wet" lands",', "holds a quote outside of braces"),
    "a command that is a quote": ('title = "\\"Uber Land",', "holds a quote outside of braces"),
    "an unclosed quote": ('title = "Wet lands,', "the quote of .* is not closed"),
    "a brace too many in quotes": ('title = "Wet} lands",', ""),
    "no equals sign": ("title {Wet lands},", 'no "=" after the field "title"'),
    "a colon for it": ("title: {Wet lands},", 'no "=" after the field "title:"'),
    "two equals signs": ("title == {Wet lands},", "no value that can be read"),
    "no value": ("title = ,", 'the field "title" of "reed" has no value'),
    "no value behind #": ('title = "Wet" # ,', "has no value"),
    "words without braces": ("title = Wet lands,", "stands without delimiters"),
    "a number with a letter": ("volume = 12b,", "write {12b}"),
    "a range without braces": ("pages = 12-34,", "write {12-34}"),
    "single quotes": ("title = 'Wet lands',", "no value that can be read"),
    "stray words": ("to be checked,", '"to be checked" in a record of "reed" is no field'),
    "a name of two words": ("short title = {Wet lands},", "is no field"),
    "a name that is a number": ("2title = {Wet lands},", "has no name"),
    "a value without a name": ("{Wet lands},", "has no name"),
    "a semicolon for the comma": ("title = {Wet lands};", '";" stands for the comma'),
    "a full stop for the comma": ("title = {Wet lands}.", r'"\." stands for the comma'),
    "two values": ("title = {Wet} {lands},", "has two values"),
    "text behind a value": ("title = {Wet lands} (sic),", "text stands behind the value"),
    "two commas": ("title = {Wet lands},,", "two commas in a row"),
}
SOUND = [
    'title = "A {"}wet{"} {\\"U}berland" # { and } # jan,',
    "title = {Wet lands}, note = {a = {b}, c = \"d\", e {f}; g},",
    "title=wetlands,month=jan,volume=12 ,",
    "título = {Wet}, date-added = {x}, bdsk-url-1 = {y}, a+b:c/d.e = {z},",
    "title = {" + "{" * 9 + "Wet" + "}" * 9 + "},",
    'title = "' + "{" * 9 + "Wet" + "}" * 9 + '",',
    "title = {Wet\n\n  lands},\n\n",
    "",
]  # fmt: skip


def record(field: str, key: str = "reed") -> str:
    return f"@article{{{key},\n  {field}\n  {REST}\n}}\n"


@pytest.mark.parametrize("field, message", BROKEN.values(), ids=BROKEN)
def test_a_record_that_bibtex_and_biber_reject_is_a_problem(field: str, message: str) -> None:
    text = "@book{before, title = {B}}\n" + record(field) + "@book{after, title = {A}}\n"
    bibliography = parse_bibliography(text, PATH)
    (problem,) = bibliography.problems
    assert re.search(message, problem.message) and ": " in problem.message
    assert problem.line == 3
    assert [entry.key for entry in bibliography.entries] == ["before", "reed", "after"]
    fields = bibliography.entries[1].fields
    assert (fields["author"], fields["year"]) == ("Reed, Ida", "1999")


@pytest.mark.parametrize("field", SOUND)
def test_what_they_accept_is_none(field: str) -> None:
    for text in (record(field), record(field)[:-3] + ",}", record(field).replace("\n", "\r\n")):
        assert parse_bibliography(text, PATH).problems == ()
    in_parentheses = f"@article(reed, {field} {REST})"
    assert parse_bibliography(in_parentheses, PATH).problems == ()


def test_what_only_one_of_them_rejects_is_none() -> None:
    for text in (
        record("% title = {Wet lands},"),
        record("title = {Wet lands}, % sic"),
        record("", key="o'reed"),
        "@article{reed}",
    ):
        assert parse_bibliography(text, PATH).problems == ()


def test_a_key_with_a_comma_is_a_problem() -> None:
    (problem,) = parse_bibliography(record("", key="Reed,Fen:1999"), PATH).problems
    assert 'the key "Reed,Fen:1999" holds a comma' in problem.message


@pytest.mark.parametrize(
    "head", ["@article reed,", "@article\nreed,", "@article[reed,", "@article<reed,"]
)
def test_a_record_without_its_brace_among_good_ones_is_a_problem(head: str) -> None:
    text = f"@book{{a, title = {{A}}}}\n{head} title = {{Wet lands}}}}\n@book{{b, title = {{B}}}}\n"
    bibliography = parse_bibliography(text, PATH)
    (problem,) = bibliography.problems
    assert (problem.line, problem.message[:41]) == (2, 'the record "@article" has no "{": add it ')
    assert [entry.key for entry in bibliography.entries] == ["a", "b"]


@pytest.mark.parametrize(
    "definition, message",
    [
        ("@string{mud = Journal of Mud}", "stands without delimiters"),
        ('@string{mud = "a" {b}}', "has two values"),
        ('@string{mud = "Mud" #}', "has no value"),
    ],
)
def test_so_is_a_definition_that_they_reject(definition: str, message: str) -> None:
    (problem,) = parse_bibliography(f"@book{{a, title = {{A}}}}\n{definition}\n", PATH).problems
    assert message in problem.message and problem.line == 2
    sound = '@string{a = "b" # c}\n@string(d = {e})\n@string{f = 1, g = {h},}\n'
    assert parse_bibliography(sound, PATH).problems == ()


def test_a_record_that_is_not_closed_is_reported_once() -> None:
    text = '@article{a, title = "Wet lands, year = 1999\n\n@book{b, title = {B}}\n'
    (problem,) = parse_bibliography(text, PATH).problems
    assert 'the entry "a" is not closed' in problem.message


@pytest.mark.skipif(
    shutil.which("bibtex") is None or shutil.which("biber") is None,
    reason="pandoc or LaTeX is missing",
)
def test_bibtex_and_biber_agree(tmp_path: Path) -> None:
    broken = [record(field, key=f"k{number}") for number, (field, _) in enumerate(BROKEN.values())]
    sound = [record(field, key=f"s{number}") for number, field in enumerate(SOUND)]
    aux = "\\relax\n\\citation{*}\n\\bibstyle{plain}\n\\bibdata{x}\n"
    (tmp_path / "x.aux").write_text(aux, encoding="utf-8")
    for text, fails in (*((text, True) for text in broken), ("\n".join(sound), False)):
        (tmp_path / "x.bib").write_text(text, encoding="utf-8")
        assert (" error message" in run(tmp_path, "bibtex", "x")) == fails, text
    assert "ERROR" not in run(tmp_path, "biber", "--tool", "--nolog", "x.bib")


def run(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
