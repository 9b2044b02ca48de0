"""`index`, `search` and `corpora`: from files to a corpus to papers."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.cli.corpora_command import size_of
from cite_lsp.cli.indexing import source_files
from cite_lsp.cli.printing.output import REPORTED
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.installation import how_to_install
from cite_lsp.storage.compressed_files import zstd
from tests.cli.conftest import RECORDS, TITLES, Outcome
from tests.corpus.pdf_files import pdf

Command = Callable[..., Outcome]


def test_of_many_authors_the_first_are_printed(command: Command, desk: Path) -> None:
    for names, printed in (("A, B and C, D and E, F", "B A, D C, F E 2001"), ("A, B", "B A 2001")):
        (desk / "some.bib").write_text(
            f"@misc{{some, title = {{Gulls}}, author = {{{names}}}, year = 2001}}\n"
        )
        assert f"     {printed}  [some]\n" in command("search", "gulls", "-b", "some.bib").out
    text = (desk / "some.bib").read_text().replace("A, B", "A, B and C, D and E, F and G, H")
    (desk / "some.bib").write_text(text)
    assert "B A, D C, F E et al. 2001" in command("search", "gulls", "-b", "some.bib").out
    (desk / "some.bib").write_text(
        text.replace("A, B and C, D and E, F and G, H", "A, B and others")
    )
    assert "     B A et al. 2001  [some]\n" in command("search", "gulls", "-b", "some.bib").out


def test_a_bibliography_becomes_a_corpus(command: Command, desk: Path) -> None:
    outcome = command("index", "refs.bib", "--json")
    assert outcome.status == 0
    summary = outcome.json
    assert summary.pop("seconds") >= 0
    assert summary == {
        "corpus": "papers",
        "papers": 4,
        "with_abstract": 0,
        "files": 1,
        "bad_records": 0,
        "encoder": "all-MiniLM-L6-v2",
        "folder": str(desk.parent / "home" / "corpora" / "papers"),
    }


def test_records_are_read_plain_and_compressed_and_a_bad_one_is_reported(
    command: Command, desk: Path
) -> None:
    lines = [json.dumps(record) for record in RECORDS]
    text = "\n".join([*lines[:2], "{oops", *lines[2:], '{"id": "nameless"}']).encode()
    for name, data in {
        "plain.jsonl": text,
        "packed.jsonl.gz": gzip.compress(text),
        "packed.jsonl.zst": zstd.compress(text),
    }.items():
        (desk / name).write_bytes(data)
        outcome = command("index", name, "--corpus", "dump", "--json")
        assert outcome.status == 0
        assert (outcome.json["papers"], outcome.json["bad_records"]) == (4, 2)
        assert f"{name}:3: not JSON" in outcome.err
        assert f"{name}:6: a paper needs `id` and `title`" in outcome.err


def test_a_folder_is_searched_through_and_its_papers_merged(command: Command, desk: Path) -> None:
    outcome = command("index", desk, "--json")
    # refs.bib and dump.jsonl hold the same four titles, of which one in the same year.
    assert (outcome.json["papers"], outcome.json["files"]) == (7, 2)


def test_a_glob_that_the_shell_left_alone_is_expanded(command: Command, desk: Path) -> None:
    assert command("index", "d*.jsonl", "--json").json["papers"] == 4
    assert "matches no file; check the pattern" in command("index", "x*.jsonl").error


def test_of_many_bad_records_the_first_are_named_and_all_are_counted(
    command: Command, desk: Path
) -> None:
    (desk / "bad.jsonl").write_text('{"id": 1, "title": "Good"}\n' + "oops\n" * 50)
    outcome = command("index", "bad.jsonl", "--json")
    assert outcome.json["bad_records"] == 50
    assert outcome.err.count("not JSON") == REPORTED + 1
    *_, last = outcome.err.splitlines()
    assert last.startswith("… and 30 more, the last: ") and "bad.jsonl:51: not JSON" in last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.bib"], "nowhere.bib: no such file or folder; check the path"),
        (["refs.bib", "--encoder", "missing"], "no encoder named 'missing'"),
        (["draft.tex"], "the sources hold no papers; nothing was indexed"),
    ],
)
def test_what_cannot_be_indexed_is_one_line(
    command: Command, arguments: list[str], message: str
) -> None:
    assert message in command("index", *arguments).error
    assert command("corpora", "--json").json["corpora"] == []


def test_without_its_cluster_nothing_is_read_first(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    outcome = command("index", "dump.jsonl", "--ray", "head:6379")
    assert outcome.error == f"--ray needs Ray; {how_to_install('cluster')}"
    assert "reading" not in outcome.err


def test_a_source_without_a_name_is_not_the_folder_one_stands_in(command: Command) -> None:
    assert command("index", "").misuse == "a SOURCE is empty; name a file, a folder or a glob"
    assert command("corpora", "--json").json["corpora"] == []


@pytest.mark.parametrize("name", ["../escape", "..", ""])
def test_a_corpus_needs_a_name_that_a_folder_can_have(command: Command, name: str) -> None:
    outcome = command("index", "refs.bib", "--corpus", name)
    assert outcome.misuse == f"--corpus {name!r}: not a name; use letters and digits"


def test_one_of_a_kind_is_reported_in_the_singular(command: Command, desk: Path) -> None:
    (desk / "one.jsonl").write_text(json.dumps({"id": "z", "title": "Gulls"}) + "\noops\n")
    built = command("index", "one.jsonl", "--encoder", "static")
    assert built.out.startswith("papers: 1 paper (0 with an abstract) from 1 file, 1 bad record, ")
    assert "\n1 record read; " in built.err
    assert re.match(r"papers: 1 paper, encoder static, [\d.]+ kB, ", command("corpora").out)
    assert command("corpora", "check").out.startswith("papers: whole, 1 paper")
    exported = command("corpora", "export", "papers", "--out", "out").out
    assert exported == "papers: 1 paper, 0 citations, 0 contexts, in out\n"


def test_the_summary_is_a_line_for_people_too(command: Command) -> None:
    outcome = command("index", "dump.jsonl")
    assert outcome.out.startswith(
        "papers: 4 papers (0 with an abstract) from 1 file, 0 bad records"
    )
    assert outcome.out.count("\n") == 1


def test_what_was_indexed_is_found_by_words_and_by_meaning(command: Command) -> None:
    command("index", "dump.jsonl")
    outcome = command("search", "herring gull", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    first = outcome.json["papers"][0]
    assert outcome.json["query"] == "herring gull"
    assert (first["key"], first["title"]) == ("d:gulls", TITLES["gulls"])
    assert (first["corpus"], first["authors"], first["year"]) == ("papers", ["Ada Moor"], 2004)
    expected = command("search", "neural machine translation", "--json", "-k", "1")
    assert [paper["key"] for paper in expected.json["papers"]] == ["d:transformer"]
    assert f"  1. {TITLES['gulls']}\n" in command("search", "herring gull").out


def test_several_corpora_are_searched_together_or_one_alone(command: Command, desk: Path) -> None:
    command("index", "dump.jsonl", "--corpus", "first")
    (desk / "other.jsonl").write_text('{"id": "o", "title": "Gulls of another shore"}')
    command("index", "other.jsonl", "--corpus", "second")
    both = command("search", "gull", "--json").json["papers"]
    assert {paper["corpus"] for paper in both} == {"first", "second"}
    papers = command("search", "gull", "--json", "--corpus", "second").json["papers"]
    assert [paper["key"] for paper in papers] == ["o"]
    listed = command("corpora", "--json").json["corpora"]
    assert [(corpus["name"], corpus["papers"]) for corpus in listed] == [
        ("first", 4),
        ("second", 1),
    ]
    assert command("corpora").out.startswith("first: 4 papers, encoder all-MiniLM-L6-v2, ")


def test_a_corpus_whose_encoder_is_gone_is_searched_by_words(command: Command, desk: Path) -> None:
    command("index", "dump.jsonl")
    path = next((desk.parent / "home" / "corpora").glob("papers/version-*/manifest.json"))
    record = json.loads(path.read_text())
    for changed, message in (
        ({"encoder": "gone", "checkpoint": "other"}, "no encoder named 'gone'"),
        ({"checkpoint": "other"}, "has changed since"),
    ):
        path.write_text(json.dumps(record | changed))
        outcome = command("search", "herring gull", "--json")
        assert [paper["key"] for paper in outcome.json["papers"]] == ["d:gulls"]
        assert message in outcome.err and "searching by words only" in outcome.err


def test_a_bibliography_is_searched_without_an_index(command: Command) -> None:
    outcome = command("search", "herring gull", "-b", "refs.bib", "--json", "-k", "2")
    assert [paper["key"] for paper in outcome.json["papers"]][0] == "gulls"
    assert len(outcome.json["papers"]) == 2


def test_an_entry_without_a_title_is_listed_by_the_rest(command: Command, desk: Path) -> None:
    (desk / "untitled.bib").write_text("@misc{moor, author = {Moor, Ada}, year = 2001}\n")
    outcome = command("search", "Moor", "-b", "untitled.bib")
    assert outcome.out.splitlines() == ["  1. (no title)", "     Ada Moor 2001  [moor]"]


@pytest.mark.parametrize("query", ["Ronneberger", "ronneberger 2015", "刘洋", "劉洋", "liuyang"])
def test_entries_by_the_authors_of_the_query_stand_first(
    command: Command, desk: Path, query: str
) -> None:
    (desk / "named.bib").write_text(
        "@book{a, title={Deep Learning}, author={Goodfellow, Ian}, year={2016}}\n"
        "@article{b, title={Deep learning}, author={LeCun, Yann}, year={2015}}\n"
        "@article{c, title={U-Net}, author={Fischer, Olaf and Ronneberger, O.}, year={2015}}\n"
        "@article{d, title={肺结节分割方法研究}, author={刘, 洋}, year={2019}}\n",
        encoding="utf-8",
    )
    papers = command("search", query, "-b", "named.bib", "--json").json["papers"]
    assert papers[0]["key"] == ("c" if query.isascii() and query != "liuyang" else "d")
    assert len(papers) == 4


def test_papers_that_match_the_whole_query_stand_first(command: Command, desk: Path) -> None:
    things = ("mud", "sand", "clay", "loam", "gravel", "sediment", "peat", "soil")
    rows = [
        {"id": f"m:{number}", "title": f"How {thing} settles, part {part}", "year": 2003}
        for number, (thing, part) in enumerate((thing, part) for thing in things for part in "123")
    ]
    rows.append(
        {"id": "named", "title": "The price of cotton", "authors": ["Bo Silt"], "year": 2003}
    )
    (desk / "dump.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command("index", "dump.jsonl")
    papers = command("search", "silt 2003", "-k", "3", "--json").json["papers"]
    assert [paper["key"] for paper in papers][0] == "named" and len(papers) == 3
    assert command("search", "Silt 20", "-k", "1", "--json").json["papers"][0]["key"] == "named"
    sentence = "how mud and other sediment settles"
    assert len(command("search", sentence, "--json").json["papers"]) == 10


@pytest.mark.parametrize(
    "query", ["10.1000/Gulls", "https://doi.org/10.1000/gulls", "2001.00001v2"]
)
@pytest.mark.parametrize("where", [("-b", "numbered.bib"), ("--corpus", "numbered")])
def test_a_number_asks_for_its_paper_alone(
    command: Command, desk: Path, where: tuple[str, str], query: str
) -> None:
    (desk / "numbered.bib").write_text(
        "@misc{other, title = {Gulls of 10 shores}, author = {A, B}, doi = {10.1000/gulls2}}\n"
        "@misc{this, title = {Terns}, author = {C, D}, doi = {10.1000/gulls},"
        " eprint = {2001.00001}, archiveprefix = {arXiv}}\n"
    )
    assert command("index", "numbered.bib", "--corpus", "numbered").status == 0
    papers = command("search", query, *where, "--json").json["papers"]
    assert [paper["title"] for paper in papers] == ["Terns"]
    unknown = command("search", query.replace("00", "07"), *where)
    assert (unknown.status, unknown.out) == (0, "nothing found\n")


def test_what_cannot_be_searched_is_one_line(command: Command, desk: Path) -> None:
    error = command("search", "tides").error
    assert "no corpus has been indexed; build one with" in error
    assert "or name a bibliography with -b" in error
    assert "no corpus of that name" in command("search", "tides", "--corpus", "gone").error
    assert "the bibliography does not exist" in command("search", "x", "-b", "gone.bib").error
    assert "the query is empty" in command("search", " ", "-b", "refs.bib").misuse


def test_a_damaged_corpus_is_reported(command: Command, desk: Path) -> None:
    assert command("corpora").out.startswith("no corpora in ")
    command("index", "dump.jsonl")
    next((desk.parent / "home" / "corpora").glob("papers/version-*/starts.npy")).write_bytes(b"")
    assert "the corpus is damaged" in command("search", "tides").error
    listed = command("corpora", "--json")
    assert (listed.status, listed.json["corpora"]) == (1, [])
    assert "index its sources again" in listed.json["damaged"][0]
    assert command("corpora").out.startswith("damaged: ")
    command("index", "dump.jsonl", "--corpus", "whole")
    others = command("search", "tides", "--json")
    assert others.json["papers"]
    assert "the corpus is damaged" in others.err
    assert "the corpus is damaged" in command("search", "tides", "--corpus", "papers").error
    assert command("corpora", "check").status == 1
    assert command("index", "dump.jsonl").status == 0
    assert command("corpora").status == 0


@pytest.mark.parametrize(
    "arguments", [["search", "tides", "--corpus", "links"], ["corpora", "check", "links"]]
)
def test_a_corpus_whose_first_build_came_to_nothing_is_not_called_damaged(
    command: Command, desk: Path, arguments: list[str]
) -> None:
    (desk / "links.tsv").write_text("d:marsh\td:gulls\n", encoding="utf-8")
    assert "no papers" in command("index", "links.tsv", "--corpus", "links").error
    assert command(*arguments).error.startswith("links: not built to the end; give its `cite-lsp")


def test_sources_are_read_again_without_being_named(command: Command, desk: Path) -> None:
    assert command("index").misuse == "papers: there is no such corpus to update; name a SOURCE"
    command("index", "dump.jsonl")
    (desk / "dump.jsonl").write_text('{"id": "o", "title": "Gulls of another shore"}')
    outcome = command("index", "--json")
    assert (outcome.status, outcome.json["papers"]) == (0, 1)
    assert "MB on disk" in outcome.err
    (desk / "dump.jsonl").unlink()
    assert "none of its sources exists any more" in command("index").error


@pytest.mark.parametrize("damage", ["archive", "text", "xml", "bib", "ris", "json"])
def test_a_dump_that_is_cut_off_takes_no_paper_away(
    command: Command, desk: Path, damage: str
) -> None:
    noise = random.Random(1).random
    rows = [{"id": f"p{n}", "title": f"Tides of the shore {n} {noise()}"} for n in range(200)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    name = {"archive": "many.jsonl.gz", "text": "many.jsonl"}.get(damage, f"many.{damage}")
    if damage == "archive":
        data = gzip.compress(data)
    elif damage == "bib":
        entries = (f"@article{{{r['id']},\n  title = {{{r['title']}}},\n}}\n" for r in rows)
        data = "".join(entries).encode()
    elif damage == "ris":
        data = "".join(f"TY  - JOUR\nTI  - {r['title']}\nER  - \n\n" for r in rows).encode()
    elif damage == "json":
        data = json.dumps(rows, indent=1).encode()
    elif damage == "xml":
        papers = "".join(
            f'<article key="{r["id"]}"><title>{r["title"]}</title></article>' for r in rows
        )
        data = f"<dblp>{papers}</dblp>".encode()
    (desk / name).write_bytes(data)
    assert (
        command("index", name, "dump.jsonl", "--encoder", "static", "--json").json["papers"] == 204
    )
    (desk / name).write_bytes(data[: len(data) // 2])
    outcome = command("index", name, "--json")
    assert (outcome.status, outcome.json["papers"]) == (1, 204)
    *_, last = outcome.err.splitlines()
    assert last.startswith("cite-lsp: ") and name in last
    assert last.endswith("the corpus keeps what it had of this file")
    outcome = command("index", name, "--replace")
    assert outcome.error.endswith("the corpus stays as it was")
    assert command("corpora", "--json").json["corpora"][0]["papers"] == 204
    (desk / "new").mkdir()
    (desk / "new" / name).write_bytes(data[: len(data) // 2])
    outcome = command("index", f"new/{name}", "--corpus", "other", "--encoder", "static", "--json")
    assert (outcome.status, 0 < outcome.json["papers"] < 200) == (1, True)
    assert outcome.err.splitlines()[-1].endswith("the corpus has what could be read of this file")


def test_without_pypdf_papers_from_pdf_stay(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pypdf")
    lines = [(20.0, 700.0, "Tides of the Shore"), (10.0, 600.0, "Marshes grow where silt settles.")]
    (desk / "paper.pdf").write_bytes(pdf([lines]))
    assert command("index", "paper.pdf", "--json").json["papers"] == 1
    monkeypatch.setitem(sys.modules, "pypdf", None)
    outcome = command("index", "--json")
    assert (outcome.status, outcome.json["papers"]) == (1, 1)
    assert "needs pypdf" in outcome.err.splitlines()[-1]


def test_several_bibliographies_are_searched_together(command: Command, desk: Path) -> None:
    (desk / "more.bib").write_text("@book{herons, title = {What Herons Eat Near the Shore}}")
    outcome = command("search", "-b", "refs.bib", "-b", "more.bib", "birds of the shore", "--json")
    assert {"gulls", "herons"} <= {paper["key"] for paper in outcome.json["papers"]}


def test_a_paper_of_several_corpora_is_found_once(command: Command, desk: Path) -> None:
    rows = [
        {"id": "1", "title": "Tides of the shore", "authors": ["Ada Moor"], "year": 2001},
        {"id": "2", "title": "What herons eat", "doi": "10.1000/herons"},
    ]
    others = [
        {"id": "2", "title": "Tides of the Shore", "authors": ["A. Moor"], "year": 2000},
        {"id": "x:9", "title": "What herons eat: a survey", "doi": "10.1000/HERONS"},
        {"id": "1", "title": "Tides of the shore", "authors": ["Bo Fen"], "year": 2011},
    ]
    for name, records in (("one", rows), ("two", others)):
        (desk / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))
        command("index", f"{name}.jsonl", "--corpus", name, "--encoder", "static")
    papers = command("search", "tides of the shore", "what herons eat", "--json").json["papers"]
    assert sorted(paper["title"].lower()[:13] for paper in papers) == [
        "tides of the ",
        "tides of the ",
        "what herons e",
    ]
    assert {"Bo Fen"} < {name for paper in papers for name in paper.get("authors", ())}


def test_other_sources_stay_unless_they_are_replaced(command: Command) -> None:
    command("index", "dump.jsonl")
    assert command("index", "refs.bib", "--json").json["papers"] == 7
    assert command("index", "refs.bib", "--replace", "--json").json["papers"] == 4


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no kill -9")
def test_a_build_that_is_killed_is_done_by_the_next_one(command: Command, desk: Path) -> None:
    rows = [json.dumps({"id": n, "title": f"Tides of the shore {n}"}) for n in range(2000)]
    (desk / "many.jsonl").write_text("\n".join(rows), encoding="utf-8")
    line = [sys.executable, "-m", "cite_lsp", "index", "many.jsonl", "--max-tokens", "8"]
    home = desk.parent / "home" / "corpora" / "papers"
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as build:
        while build.poll() is None and not any(home.glob("version-1/encoded-*.s16")):
            time.sleep(0.02)
        build.send_signal(signal.SIGKILL)
    assert build.returncode == -signal.SIGKILL
    assert command("corpora", "--json").json["corpora"] == []
    outcome = command("index", "many.jsonl", "--max-tokens", "8", "--json")
    assert outcome.json["papers"] == 2000
    assert command("corpora", "check").status == 0
    assert not (home / "incoming.jsonl").exists()


def test_a_corpus_is_checked(command: Command, desk: Path) -> None:
    assert "no corpus has been indexed" in command("corpora", "check").error
    command("index", "dump.jsonl")
    outcome = command("corpora", "check", "--json")
    assert outcome.status == 0
    assert outcome.json == {
        "corpora": [{"name": "papers", "papers": 4, "recall": 1.0, "faults": []}],
        "remote": [],
    }
    assert command("corpora", "check", "papers").out == "papers: whole, 4 papers, recall@10 1.000\n"
    path = next((desk.parent / "home" / "corpora").glob("papers/version-*/years.npy"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    outcome = command("corpora", "check")
    assert outcome.status == 1 and "years.npy has changed" in outcome.out
    missing = command("corpora", "check", "gone")
    assert missing.status == 1 and "gone: no corpus of that name" in missing.error


def test_a_pattern_in_a_name_that_exists_is_that_file(desk: Path) -> None:
    (desk / "a[1].bib").write_text("x")
    assert source_files.expand(["a[1].bib", "refs.bib"]) == [Path("a[1].bib"), Path("refs.bib")]


def test_the_encoder_is_reported_and_another_takes_its_place(command: Command, desk: Path) -> None:
    outcome = command("index", "dump.jsonl", "--json")
    assert outcome.json["encoder"] == "all-MiniLM-L6-v2"
    assert "encoder all-MiniLM-L6-v2: the accurate one" in outcome.err
    outcome = command("index", "dump.jsonl", "--encoder", "static", "--json")
    assert outcome.json["encoder"] == "static"
    assert "encoder static" in outcome.err and "as --encoder says" in outcome.err
    assert command("search", "sea birds", "--json").json["papers"][0]["key"] == "d:gulls"
    outcome = command("index", "--json")
    assert outcome.json["encoder"] == "static"
    assert "as the corpus has it" in outcome.err
    assert command("index", "--encoder", "default", "--json").json["encoder"] == "all-MiniLM-L6-v2"


def manifest(desk: Path) -> Path:
    """The manifest of the one corpus."""
    return next((desk.parent / "home" / "corpora").glob("*/version-*/manifest.json"))


def test_the_cut_stays_until_another_is_named(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("index", "dump.jsonl", "--max-tokens", "64")
    record = json.loads(manifest(desk).read_text())
    assert record["max_tokens"] == 64
    with monkeypatch.context() as patch:
        patch.setattr(OnnxEncoder, "encode", None)  # nothing is embedded again
        outcome = command("index", "--json")
    assert outcome.status == 0
    after = json.loads(manifest(desk).read_text())
    assert (after["fingerprint"], after["max_tokens"]) == (record["fingerprint"], 64)
    assert command("index", "--max-tokens", "128", "--json").status == 0
    assert json.loads(manifest(desk).read_text())["fingerprint"].endswith("-128")


def test_programs_read_the_progress_as_json(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    monkeypatch.setattr(os, "nice", steps.append)
    outcome = command("index", "dump.jsonl", "--json", "--json-progress")
    assert steps == [10]  # it gives way to the editor
    reports = [json.loads(line) for line in outcome.err.splitlines() if line.startswith("{")]
    assert {"stage": "encoding", "done": 4, "total": 4} in reports
    assert [report["stage"] for report in reports][0] == "reading"


def test_the_words_in_which_papers_are_cited_are_placed(command: Command, desk: Path) -> None:
    row = {
        "citing_id": "d:gulls",
        "left": "Marshes grow where there is sediment",
        "right": "to settle.",
        "cited": ["d:marsh"],
    }
    (desk / "contexts.jsonl").write_text(json.dumps(row) + "\n")
    sources = ("dump.jsonl", "contexts.jsonl")
    outcome = command("index", *sources, "--corpus", "shores", "--json", "--json-progress")
    reports = [json.loads(line) for line in outcome.err.splitlines() if line.startswith("{")]
    assert (outcome.status, reports[-1]) == (0, {"stage": "contexts", "done": 1, "total": 1})
    (placed,) = Path(outcome.json["folder"]).glob("*/references/placed.safetensors")
    assert placed.stat().st_size > 384
    assert command("corpora", "check", "shores").status == 0
    content = placed.read_bytes()
    placed.write_bytes(content[:-1])
    assert "placed.safetensors has changed" in command("corpora", "check", "shores").out
    placed.write_bytes(content)
    for contexts in Path(outcome.json["folder"]).glob("*/references/contexts.jsonl"):
        contexts.write_text("damaged\n")
    mended = command("index", "dump.jsonl", "--corpus", "shores")
    assert mended.status == 0 and "contexts.jsonl has changed since it was written" in mended.err
    assert "all its sources are read now" in mended.err
    assert command("corpora", "check", "shores").status == 0
    (desk / "contexts.jsonl").write_text('{"citing_id": "d:gulls", "refs": ["d:marsh"]}\n')
    outcome = command("index", *sources, "--corpus", "shores", "--json", "--json-progress")
    assert outcome.status == 0 and '"contexts"' not in outcome.err
    assert not list(Path(outcome.json["folder"]).glob("*/references/placed.safetensors"))


def test_what_papers_cite_is_indexed_listed_and_exported(command: Command, desk: Path) -> None:
    (desk / "edges.tsv").write_text("d:gulls\td:marsh\nd:gulls\td:vectors\nd:gulls\td:gone\n")
    assert command("index", "dump.jsonl", "edges.tsv", "--corpus", "shores").status == 0
    assert "4 papers, 2 citations" in command("corpora").out
    assert command("corpora", "--json").json["corpora"][0]["citations"] == 2
    assert command("corpora", "check", "shores").status == 0
    outcome = command("corpora", "export", "shores", "--out", "out")
    assert outcome.out == "shores: 4 papers, 2 citations, 0 contexts, in out\n"
    edges = {line.split("\t")[1] for line in (desk / "out" / "edges.tsv").read_text().splitlines()}
    assert edges == {"d:marsh", "d:vectors"}
    assert "corpora export NAME --out DIR" in command("corpora", "export", "shores").misuse
    assert "no corpus of that name" in command("corpora", "export", "gone", "--out", "o").error
    remote = command("corpora", "export", "milvus+http://h:1/science", "--out", "o").error
    assert "http://h:1/science: only a corpus of this machine can be exported" in remote
    assert "`corpora export` writes to" in command("corpora", "list", "--out", "o").misuse


def test_an_export_overwrites_nothing(command: Command, desk: Path) -> None:
    source = desk / "edges.tsv"
    source.write_text("d:gulls\td:marsh\nd:gulls\td:gone\n")
    command("index", "dump.jsonl", "edges.tsv", "--encoder", "static")
    message = "is there already and is not overwritten; choose another folder, or remove it"
    error = command("corpora", "export", "papers", "--out", ".").error
    assert error == f"edges.tsv: {message}"
    assert source.read_text().count("\n") == 2
    assert not (desk / "papers.jsonl").exists()
    assert command("corpora", "export", "papers", "--out", "out").status == 0
    for name in ("contexts.jsonl", "papers.jsonl"):
        (desk / "out" / name).write_text("mine\n")
        error = command("corpora", "export", "papers", "--out", "out").error
        assert error.endswith(message) and (desk / "out" / name).read_text() == "mine\n"


def test_the_size_of_a_corpus_is_reported_while_a_build_takes_its_files_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "version-1").mkdir()
    (tmp_path / "current").write_bytes(b"version-2")
    listed = os.scandir

    def without_the_old_one(path: Any) -> Any:  # noqa: ANN401 - as inherited
        if Path(path).name == "version-1":
            raise FileNotFoundError(path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", without_the_old_one)
    assert size_of(tmp_path) == len("version-2")


@pytest.mark.parametrize("name", ["refs.bib", "refs.ris"])
def test_a_text_in_an_old_encoding_is_reported_and_no_bad_record(
    command: Command, desk: Path, name: str
) -> None:
    text = "@misc{a, title={Über Salz}}"
    if name.endswith("ris"):
        text = "TY  - JOUR\nTI  - Über Salz\nER  - \n"
    (desk / name).write_bytes(text.encode("cp1252"))
    outcome = command("index", name, "--json")
    assert (outcome.json["papers"], outcome.json["bad_records"]) == (1, 0)
    assert "read as Windows-1252: save it as UTF-8" in outcome.err


def test_one_paper_is_no_papers(command: Command, desk: Path) -> None:
    (desk / "one.jsonl").write_text('{"id": "d:one", "title": "On tidal marshes"}\nno record\n')
    built = command("index", "one.jsonl")
    assert built.out.startswith("papers: 1 paper (0 with an abstract) from 1 file, 1 bad record, ")
    assert command("corpora").out.startswith("papers: 1 paper, ")
    assert command("corpora", "check").out.startswith("papers: whole, 1 paper, ")


@pytest.mark.parametrize("where", [("-b", "refs.bib"), ()])
def test_it_is_said_where_no_paper_has_the_words(command: Command, where: tuple[str, ...]) -> None:
    assert command("index", "dump.jsonl").status == 0
    first, *papers = command("search", "zzzqqq", *where).out.splitlines()
    assert first == "no paper has the words “zzzqqq”; these are only nearest in meaning:"
    assert papers
    answer = command("search", "zzzqqq", *where, "--json").json
    assert answer["matched_by"] == "meaning" and answer["note"] == first and answer["papers"]
    for query in ("marsh", "how do tidal flats grow", "Moor 2001", "translate"):
        assert "nearest in meaning" not in command("search", query, *where).out
        answer = command("search", query, *where, "--json").json
        assert answer["matched_by"] == "words" and "note" not in answer
