"""Sources that come and go: folders and globs are searched again, and nothing is lost unsaid."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.paths import corpora_folder
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.search.indexing.checksums import write_checksums
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def index(command: Command) -> Callable[..., Outcome]:
    """Runs `index` with the fast encoder."""
    return lambda *arguments: command("index", "--encoder", "static", *arguments)


@pytest.fixture
def shores(desk: Path) -> Path:
    """A folder of two files."""
    (desk / "shores").mkdir()
    write(desk / "shores" / "one.jsonl", "gulls", "marsh")
    write(desk / "shores" / "two.jsonl", "tides", "ebb", "dunes")
    return desk / "shores"


def write(path: Path, *names: str) -> None:
    rows = [{"id": name, "title": f"All about {name} of the shore"} for name in names]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def ids() -> set[str]:
    return {paper.id for paper in CorpusIndex(corpora_folder() / "papers").papers}


def manifest() -> dict[str, Any]:
    version = current_version(corpora_folder() / "papers")
    assert version is not None
    manifest: dict[str, Any] = json.loads((version / "manifest.json").read_text())
    return manifest


def sources() -> set[str]:
    """The names of the files that the corpus is made from."""
    return {Path(source).name for source in manifest()["sources"]}


@pytest.mark.parametrize("source", ["*.jsonl", "../year [2020]/*.jsonl", "[o]*.jsonl"])
def test_the_brackets_of_a_folder_are_no_pattern(
    index: Command, desk: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    folder = desk / "year [2020]"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(folder / "one.jsonl", "gulls")
    assert index(source).status == 0
    write(folder / "other.jsonl", "tides")
    (folder / "one.jsonl").unlink()
    outcome = index()
    assert "one.jsonl: gone" in outcome.err and "matches no file" not in outcome.err
    assert ids() == {"tides"}
    assert index(source).status == 0 and len(manifest()["searched"]) == 1


@pytest.mark.parametrize("named", [[], ["shores"]], ids=["not named again", "named again"])
@pytest.mark.parametrize("source", ["shores", "sh*/*.jsonl", "shores/../shores"])
def test_a_folder_or_glob_gains_new_files_and_loses_those_that_are_gone(
    index: Command, shores: Path, source: str, named: list[str]
) -> None:
    index(source)
    (shores / "two.jsonl").unlink()
    write(shores / "three.jsonl", "cliffs")
    outcome = index(*(named and [source]))
    assert (ids(), sources()) == ({"gulls", "marsh", "cliffs"}, {"one.jsonl", "three.jsonl"})
    assert f"{shores / 'two.jsonl'}: gone, and with it what no other source has" in outcome.err
    assert "from 2 files," in outcome.out


def test_what_another_source_has_of_a_file_that_is_gone_stays(index: Command, shores: Path) -> None:
    write(shores.parent / "other.jsonl", "tides")
    index("shores", "other.jsonl")
    (shores / "two.jsonl").unlink()
    index()
    assert ids() == {"gulls", "marsh", "tides"}


def test_a_folder_that_is_not_named_is_left_alone(index: Command, shores: Path) -> None:
    index("shores")
    (shores / "two.jsonl").unlink()
    write(shores.parent / "other.jsonl", "cliffs")
    index("other.jsonl")
    assert ids() == {"gulls", "marsh", "tides", "ebb", "dunes", "cliffs"}
    index()
    assert ids() == {"gulls", "marsh", "cliffs"}


def test_what_the_corpus_has_of_a_missing_file_stays_until_it_is_replaced(
    index: Command, shores: Path
) -> None:
    index("shores/one.jsonl", "shores/two.jsonl")
    (shores / "two.jsonl").unlink()
    outcome = index()
    assert outcome.err.count("two.jsonl: no such file any more; what the corpus has of it is") == 1
    assert len(ids()) == 5
    assert "two.jsonl: no such file any more; what the corpus has of it goes" in (
        index("--replace").err
    )
    assert (ids(), sources()) == ({"gulls", "marsh"}, {"one.jsonl"})


@pytest.mark.parametrize("emptied", [True, False], ids=["emptied", "moved"])
def test_what_the_corpus_has_of_a_missing_folder_stays(
    index: Command, shores: Path, emptied: bool
) -> None:
    index("shores", "dump.jsonl")
    if emptied:
        for path in shores.iterdir():
            path.unlink()
    else:
        shores.rename(shores.with_name("elsewhere"))
    outcome = index()
    fault = "holds no papers" if emptied else "no such file or folder"
    assert f"{shores}: {fault}" in outcome.err
    assert "what the corpus has of it is kept, --replace forgets it\n" in outcome.err
    assert len(ids()) == 9
    index("--replace")
    assert (len(ids()), manifest()["searched"]) == (4, [])


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_to_a_disk_that_is_not_there_is_a_missing_file(index: Command, shores: Path) -> None:
    (shores / "two.jsonl").rename(shores.with_name("disk"))
    (shores / "two.jsonl").symlink_to(shores.with_name("disk"))
    index("shores")
    shores.with_name("disk").unlink()
    assert "two.jsonl: no such file any more" in index().err
    assert len(ids()) == 5


def test_a_file_is_one_source_however_it_is_named(index: Command, shores: Path) -> None:
    index("shores/one.jsonl")
    index("shores/../shores/one.jsonl", shores / "one.jsonl")
    assert manifest()["sources"] == [str(shores / "one.jsonl")]


def test_a_file_that_was_noted_under_two_names_becomes_one(index: Command, shores: Path) -> None:
    index("shores/one.jsonl")
    version = current_version(corpora_folder() / "papers")
    assert version is not None
    record = manifest() | {"sources": [str(shores.parent / "shores/../shores/one.jsonl")]}
    (version / "manifest.json").write_text(json.dumps(record))
    write_checksums(version)
    write(shores / "one.jsonl", "gulls")
    index("shores/one.jsonl")
    assert (ids(), manifest()["sources"]) == ({"gulls"}, [str(shores / "one.jsonl")])


def test_a_file_below_a_folder_that_was_named_by_itself_is_read_with_it(
    index: Command, shores: Path
) -> None:
    write(shores / "papers.txt", "cliffs")
    index("shores", "shores/papers.txt")
    write(shores / "papers.txt", "sand")
    index("shores")
    assert ids() == {"gulls", "marsh", "tides", "ebb", "dunes", "sand"}
    index("--replace")
    assert "sand" in ids()


def test_a_file_of_nothing_is_no_source_of_a_corpus(
    command: Command, index: Command, desk: Path
) -> None:
    (desk / "words.txt").write_text("Nothing but words.\n", encoding="utf-8")
    assert index("words.txt").status == 1
    assert index("dump.jsonl").status == 0
    before = command("corpora", "--json").json
    outcome = index("words.txt")
    assert "words.txt" in outcome.error and outcome.error.endswith("; the corpus stays as it was")
    assert command("corpora", "--json").json == before

    write(desk / "more.jsonl", "terns")
    outcome = index("words.txt", "more.jsonl", "refs.bib")
    assert outcome.status == 1 and outcome.err.splitlines()[-1].endswith(
        "; it is no source of the corpus"
    )
    sources = CorpusIndex(corpora_folder() / "papers").manifest.sources
    assert [Path(name).name for name in sources] == ["dump.jsonl", "more.jsonl", "refs.bib"]
    assert "terns" in ids()
    write(desk / "more.jsonl", "kites")
    assert index("more.jsonl").status == 0
    assert "terns" not in ids() and "kites" in ids(), "it was noted by its own number"


def test_an_empty_file_among_others_of_a_folder_is_no_error(index: Command, desk: Path) -> None:
    (desk / "lab").mkdir()
    (desk / "lab" / "none.ris").write_text("TY  - JOUR\nER  - \n", encoding="utf-8")
    write(desk / "lab" / "more.jsonl", "terns")
    assert index("lab").status == 0
