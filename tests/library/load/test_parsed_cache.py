"""A large bibliography is parsed once; the next start finds it parsed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, EntryMatcher, Library, read_bibliography
from cite_lsp.library.load import parsed_cache
from cite_lsp.library.match import match

Write = Callable[..., Path]
BIB = """\
@string{ieee = "IEEE"}
@inproceedings{part, title = {Pärt}, crossref = {whole}, publisher = ieee}
@proceedings{whole, title = {Whole}}
@misc{twice, title={x}}
@misc{twice, title={y}
"""
YAML = "- id: a\n  title: A\n- id: 'b'\n  title: B: no\n- id: c\n  title: C\n"
JSON = '[{"id": "a", "title": "A"},\n {"id": "\\u00e9"} {"title": "no"}]'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(parsed_cache, "WORTHWHILE", 1)
    return tmp_path / "home"


def content(bibliography: Bibliography) -> list[object]:
    entries = [
        (e.key, e.kind, e.start, e.key_start, e.key_end, e.line, e.raw, dict(e.fields), e.source)
        for e in bibliography.entries
    ]
    return [entries, bibliography.problems]


def cached_files(home: Path) -> list[Path]:
    return sorted((home / "cache" / "libraries").glob("parse-*"))


@pytest.mark.parametrize(("name", "text"), [("a.bib", BIB), ("a.yaml", YAML), ("a.json", JSON)])
def test_the_next_start_reads_the_same_without_parsing(
    write: Write, home: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    path = write(name, text)
    first = read_bibliography(path)
    assert first.entries and first.problems and len(cached_files(home)) == 1
    parsers = ("bibtex.scanner.BibtexScan.run", "csl.json.parse_csl_json", "csl.yaml.parse_yaml")
    for module in parsers:
        monkeypatch.setattr(f"cite_lsp.library.{module}", None)
    assert content(read_bibliography(path)) == content(first)


@pytest.mark.parametrize("fields", ["ids = {old}", "IDS={older, old}"])
def test_further_keys_are_found_in_what_an_earlier_start_parsed(write: Write, fields: str) -> None:
    path = write("a.bib", f"@misc{{a, title = {{T}}}}\n@misc{{b, {fields}}}\n")
    for _ in range(2):
        entry = Library((read_bibliography(path),)).get("old")
        assert entry is not None and entry.key == "b"


def test_a_cache_that_may_only_be_read_is_read(
    write: Write, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    path = write("a.bib", BIB)
    first = read_bibliography(path)
    monkeypatch.setattr("os.utime", refuse)
    monkeypatch.setattr("cite_lsp.library.bibtex.scanner.BibtexScan.run", None)
    assert content(read_bibliography(path)) == content(first)


def test_a_changed_file_is_not_read_from_the_cache(write: Write) -> None:
    read_bibliography(write("a.bib", BIB))
    assert [e.key for e in read_bibliography(write("a.bib", "@misc{new, title={N}}")).entries] == [
        "new"
    ]


def test_the_same_content_elsewhere_has_the_path_it_stands_in(write: Write) -> None:
    read_bibliography(write("a.bib", BIB))
    bibliography = read_bibliography(write("b.bib", BIB))
    assert {entry.path.name for entry in bibliography.entries} == {"b.bib"}
    assert {problem.path.name for problem in bibliography.problems} == {"b.bib"}


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 cut off", bytes(2000)])
def test_a_damaged_file_of_the_cache_is_made_again(write: Write, home: Path, damage: bytes) -> None:
    path = write("a.bib", BIB)
    first = content(read_bibliography(path))
    (file,) = cached_files(home)
    sound = file.stat().st_size
    for broken in (damage, file.read_bytes()[: sound // 2]):
        file.write_bytes(broken)
        assert content(read_bibliography(path)) == first
        assert cached_files(home) == [file] and file.stat().st_size == sound


def test_a_cache_that_cannot_be_written_is_done_without(write: Write, home: Path) -> None:
    home.mkdir()
    (home / "cache").write_text("a file where the folder should be")
    assert read_bibliography(write("a.bib", BIB)).entries


def test_the_words_that_are_matched_are_stored_too(
    write: Write, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "_CACHED_FROM", 1)
    entries = read_bibliography(write("a.bib", BIB)).entries
    assert EntryMatcher(entries).match("part") == [0]
    monkeypatch.setattr(match, "matched_text", None)
    assert EntryMatcher(entries).match("part") == [0]
    for file in (home / "cache" / "libraries").glob("words-*"):
        file.write_bytes(b"damaged")
    monkeypatch.undo()
    assert EntryMatcher(entries).match("part") == [0]
