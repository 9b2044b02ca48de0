"""Bibliographies, plain and packed, and JSON documents: lists, answers of interfaces, records."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.corpus.formats.json_lines import BrokenOffError
from cite_lsp.corpus.sources import find_files, read_whole_source
from cite_lsp.storage.compressed_files import zstd
from tests.corpus.sources_read import papers_of_source

BIBTEX = """@article{moor2011, title = {On Tides}, author = {Moor, Ada}, year = 2011}

@book{fen2012,
  title = {On Marshes},
  year = 2012
}
"""
YAML = "references:\n- id: moor2011\n  title: On Tides\n"
OPENALEX = {"id": "https://openalex.org/W1", "title": "On Tides", "authorships": []}
BETTER_BIBTEX = {
    "config": {"label": "BetterBibTeX JSON", "options": {}},
    "collections": {"AB": {"key": "AB", "name": "Shores", "items": [5]}},
    "items": [
        {
            "itemID": 5,
            "itemType": "journalArticle",
            "title": "On Tides",
            "creators": [{"firstName": "Ada", "lastName": "Moor", "creatorType": "author"}],
            "date": "2011-04",
            "citationKey": "moor2011",
        }
    ],
}
DOCUMENTS = {
    "Better BibTeX": (BETTER_BIBTEX, "entry:moor2011"),
    "OpenAlex": ({"meta": {"count": 1}, "results": [OPENALEX]}, "openalex:W1"),
    "a work of OpenAlex": (OPENALEX, "openalex:W1"),
    "Semantic Scholar": (
        {"total": 1, "data": [{"paperId": "ab12", "corpusId": 7, "title": "On Tides"}]},
        "s2:7",
    ),
    "Crossref": (
        {"status": "ok", "message": {"items": [{"DOI": "10.1000/x", "title": ["On Tides"]}]}},
        "doi:10.1000/x",
    ),
    "our own": ([{"id": "tides", "title": "On Tides", "authors": ["Ada Moor"]}], "tides"),
}


def read(path: Path) -> tuple[list[str], list[str]]:
    """Return the titles found in a file, and what was told of it."""
    messages: list[str] = []
    return [paper.title for paper in papers_of_source(path, messages.append)], messages


@pytest.mark.parametrize("indent", [None, 1], ids=["on one line", "on many"])
@pytest.mark.parametrize("source", DOCUMENTS)
def test_a_document_of_json_is_read_as_one(tmp_path: Path, source: str, indent: int | None) -> None:
    document, name = DOCUMENTS[source]
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    messages: list[str] = []
    assert [paper.id for paper in papers_of_source(path, messages.append)] == [name]
    assert messages == []
    assert find_files([tmp_path]) == [path]


@pytest.mark.parametrize(
    "other",
    [
        {"id": "ebb", "title": "On Ebb", "year": 1999},
        {"id": "ebb", "title": "On Ebb", "abstract": "It falls."},
    ],
)
def test_a_record_of_our_own_without_authors_costs_the_others_nothing(
    tmp_path: Path, other: dict[str, object]
) -> None:
    tides = {"id": "tides", "title": "On Tides", "authors": ["Ada Moor"], "year": 2011}
    path = tmp_path / "papers.json"
    path.write_text(json.dumps([tides, other], indent=1), encoding="utf-8")
    first, second = papers_of_source(path, lambda message: None)
    assert (first.id, first.authors, first.year) == ("tides", ("Ada Moor",), 2011)
    assert (second.id, second.year) == ("ebb", other.get("year"))


def test_items_of_csl_stay_such_whatever_else_they_have(tmp_path: Path) -> None:
    item = {"id": "moor", "title": "On Tides", "author": [{"family": "Moor"}], "venue": "Shores"}
    path = tmp_path / "refs.json"
    path.write_text(json.dumps([item, {"id": "b", "title": "On Ebb"}]), encoding="utf-8")
    first, _ = papers_of_source(path, lambda message: None)
    assert (first.id, first.authors) == ("entry:moor", ("Moor",))


def test_json_that_is_of_no_papers_is_passed_over_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIBTEX, encoding="utf-8")
    (tmp_path / "package.json").write_text('{\n "name": "shore"\n}\n', encoding="utf-8")
    assert find_files([tmp_path]) == [tmp_path / "refs.bib"]


@pytest.mark.parametrize("name", ["refs.bib", "refs.yaml"])
@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_packed_bibliography_is_read(tmp_path: Path, name: str, ending: str) -> None:
    text = BIBTEX if name.endswith("bib") else YAML
    packs: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".zst": zstd.compress,
    }
    pack = packs[ending]
    path = tmp_path / (name + ending)
    path.write_bytes(pack(text.encode()))
    titles, messages = read(path)
    assert titles[0] == "On Tides" and messages == []


def test_a_folder_gives_packed_bibliographies(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib.gz"
    path.write_bytes(gzip.compress(BIBTEX.encode()))
    (tmp_path / "notes.gz").write_bytes(gzip.compress(b"Dear diary,\n"))
    assert find_files([tmp_path]) == [path]


def test_a_file_of_abbreviations_holds_no_papers_and_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "strings.bib"
    path.write_text("@string{tides = {Journal of Tides}}\n", encoding="utf-8")
    assert read(path) == ([], [])


def packed(kind: str) -> bytes:
    """Return a bibliography in an archive of a kind that is not read."""
    file = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("refs.bib", BIBTEX)
    elif kind == "tar":
        with tarfile.open(fileobj=file, mode="w:gz") as tar:
            entry = tarfile.TarInfo("refs.bib")
            entry.size = len(BIBTEX)
            tar.addfile(entry, io.BytesIO(BIBTEX.encode()))
    else:
        pack = bz2.compress if kind == "bzip2" else lzma.compress
        file.write(pack(BIBTEX.encode()))
    return file.getvalue()


@pytest.mark.parametrize("name", ["refs", "papers.jsonl"])
@pytest.mark.parametrize("kind", ["zip", "tar", "bzip2", "xz"])
def test_an_archive_of_another_kind_is_reported_as_one(
    tmp_path: Path, kind: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(packed(kind))
    assert read(path) == ([], [f"{path}:1: an archive that is not read ({kind}); unpack it"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<?xml version='1.0'?>\n<rss><channel/></rss>", "XML that is neither"),
        ("<?xml version='1.0'?>\n<modsCollection></modsCollection>", "MODS, which is not read"),
        ("On tides, 2011\n", "format not recognised; export it as BibTeX"),
        ('"Authors","Title"\n"Moor, A","On tides"\n', "a table (CSV or tabs), which is not read"),
        ("PT\tAU\tBA\tTI\nJ\tMoor, A\t\tOn tides\n", "a table (CSV or tabs), which is not read"),
        ('id;"Article Title"\r\n1;On tides\r\n', "a table (CSV or tabs), which is not read"),
        ("id\ttitle\n1\tOn tides\n2\tTides\n", "a table (CSV or tabs), which is not read"),
        ("[1]李明,王红.潮汐[J].海洋学报,2019.\n", "format not recognised; export it"),
        ("\x89PNG\0\0", "no text but a binary format"),
    ],
    ids=[
        "RSS",
        "MODS",
        "a text",
        "Scopus",
        "Web of Science",
        "a table of one's own",
        "one parted by tabs",
        "references as they are printed",
        "an image",
    ],
)
def test_what_is_of_no_known_format_is_reported_with_the_format_to_use(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "export"
    path.write_text(text, encoding="utf-8")
    titles, messages = read(path)
    assert titles == [] and len(messages) == 1
    assert messages[0].startswith(f"{path}:1: {message}")


def is_cut_off(path: Path) -> bool:
    """Whether a file is said to end before its end."""
    try:
        list(read_whole_source(path, lambda message: None))
    except BrokenOffError:
        return True
    return False


RIS = "TY  - JOUR\nTI  - On tides\nER  - \n\nTY  - JOUR\nTI  - On marshes\nER  - \n"
CSL = '[{"id": "a", "title": "On Tides"},\n {"id": "b", "title": "On [old] Marshes"}]'


@pytest.mark.parametrize(
    ("name", "text", "cut"),
    [
        ("refs.bib", BIBTEX, False),
        ("refs.bib", BIBTEX[: BIBTEX.index("year = 2012")], True),
        ("refs.bib", BIBTEX[: BIBTEX.index("fen2012") + 3], True),
        ("refs.bib", BIBTEX + "@comment{jabref-meta: grouping:\n", True),
        ("refs.bib", BIBTEX.replace("Tides}", "Tides"), False),
        ("export", RIS, False),
        ("export", RIS[: RIS.index("marshes")], True),
        ("export", RIS.replace("ER  - \n", ""), False),
        ("refs.json", CSL, False),
        ("refs.json", "[]", False),
        ("refs.json", "", True),
        ("refs.bib", "\n", True),
        ("dump.jsonl", "", True),
        ("refs.json", CSL[: CSL.index("[old]") + 5], True),
        ("refs.json", CSL[: CSL.index(",\n")], True),
        ("refs.json", CSL[:-1], True),
        ("refs.json", CSL.replace('"id": "a",', '"id": "a"'), False),
        ("refs.json", '{"items": ' + CSL, True),
        ("refs.json", '{"meta": {}, "results": [{"id": "W1", "authorships": []', True),
    ],
)
def test_what_ends_in_the_middle_of_a_record_is_cut_off(
    tmp_path: Path, name: str, text: str, cut: bool
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert is_cut_off(path) == cut


def test_a_part_has_no_doi_from_the_book_around_it(tmp_path: Path) -> None:
    whole = "@proceedings{whole, title={Shores}, year={2001}, doi={10.1000/whole}}\n"
    parts = "@inproceedings{%s, title={%s}, crossref={whole}%s}\n"
    records = parts % ("ebb", "Ebb", "") + parts % ("own", "Flood", ", doi={10.1000/own}") + whole
    (tmp_path / "a.bib").write_text(records, encoding="utf-8")
    papers = list(papers_of_source(tmp_path / "a.bib", print))
    assert [paper.doi for paper in papers] == ["", "10.1000/own", "10.1000/whole"]
    assert {paper.venue for paper in papers[:2]} == {"Shores"}
