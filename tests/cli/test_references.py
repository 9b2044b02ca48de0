"""`references`: what a draft as a whole should cite and does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import parse_bibliography
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]

DRAFT = """---
title: How salt marshes keep pace with the sea
bibliography: refs.bib
---
# Wetlands

Tidal marshes grow where silt settles between the stems of plants [@marsh].

# Storms

Storms take from the edge of a marsh what tides have brought to its middle over many years.
"""
CORPUS = [
    ("marsh", "Silt and the Growth of Tidal Marshes", []),
    ("storm", "Storm Erosion at the Edge of Salt Marshes", []),
    ("plants", "Plants that Catch Silt in Tidal Marshes", ["marsh"]),
    *(
        (f"study{n}", f"Tidal Marshes and Silt, a Study of Estuary {n}", ["marsh", "storm"])
        for n in range(1, 5)
    ),
    ("violin", "Varnish of Old Violins", []),
]


@pytest.fixture
def wetlands(desk: Path, command: Command) -> Path:
    """The draft on the desk, and a corpus whose papers say what they cite."""
    (desk / "wet.md").write_text(DRAFT, encoding="utf-8")
    records = [
        {"id": key, "title": title, "authors": [f"Bo {key.title()}"], "year": 2011}
        | {"references": cited}
        for key, title, cited in CORPUS
    ]
    records[0]["authors"] = ["Ada Moor"]
    (desk / "wet.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert command("index", "wet.jsonl", "--corpus", "wet").status == 0
    return desk


def test_what_the_nearest_papers_cite_is_listed_with_reason_place_and_commands(
    command: Command, wetlands: Path
) -> None:
    outcome = command("references", "wet.md", "--json")
    document = outcome.json
    papers = {paper["id"]: paper for group in document["groups"] for paper in group["papers"]}
    assert "marsh" not in papers, "the draft cites it"
    storm = papers["storm"]
    assert (storm["inLibrary"], storm["corpus"]) == (False, "wet")
    assert any("cited together with Moor 2011, which you cite" in r for r in storm["reasons"])
    assert any(reason.startswith("cited by 4 of the ") for reason in storm["reasons"])
    assert storm["place"]["section"] == "Storms"
    assert storm["place"]["sentence"].startswith("Storms take from the edge")
    lines = DRAFT.splitlines()
    assert lines[storm["place"]["line"]].startswith("Storms take")
    uri = (wetlands / "wet.md").as_uri()
    assert storm["add"] == {"command": "citeLsp.addEntry", "arguments": [uri, storm["key"]]}
    position = {"line": storm["place"]["line"], "character": storm["place"]["character"]}
    arguments = [uri, position, storm["key"]]
    assert storm["cite"] == {"command": "citeLsp.insert", "arguments": arguments}
    completeness = document["completeness"]
    assert (completeness["cited"], completeness["of"]) == (1, 2)
    assert [paper["id"] for paper in completeness["missing"]] == ["storm"]
    assert completeness["missing"][0]["citedBy"] == 4
    why = f"cited by 4 of the {completeness['nearest']} papers nearest to this draft"
    assert completeness["missing"][0]["reasons"] == [why]

    text = command("references", "wet.md", "-k", "3").out
    assert f"  {storm['key']}  Storm 2011, Storm Erosion at the Edge of Salt Marshes\n" in text
    assert "wet.md:11, Storms: Storms take from the edge" in text
    assert "1 of the 2 papers that at least" in text

    entries = parse_bibliography(
        command("references", "wet.md", "--bibtex").out, wetlands / "new.bib"
    ).entries
    keys = {entry.key for entry in entries}
    assert storm["key"] in keys and not keys & {"marsh", "gulls"}


def test_without_a_corpus_the_library_has_what_the_draft_lacks(
    command: Command, desk: Path
) -> None:
    (desk / "wet.md").write_text(DRAFT.replace("[@marsh]", "[@gulls]"), encoding="utf-8")
    outcome = command("references", "wet.md", "--json")
    papers = [paper for group in outcome.json["groups"] for paper in group["papers"]]
    (marsh,) = papers  # the two others have nothing to do with marshes, and no reason
    assert marsh["key"] == "marsh" and marsh["inLibrary"] and marsh["add"] is None
    assert marsh["reasons"]
    assert marsh["place"]["section"] == "Wetlands"
    assert outcome.json["completeness"]["of"] == 0
    outcome = command("references", "wet.md", "--bibtex")
    assert (outcome.status, outcome.out) == (0, "")
    assert "wet.md: no entry to add: the library has each of the papers listed\n" in outcome.err


def test_a_page_holds_all_that_it_needs_and_text_stays_text(command: Command, desk: Path) -> None:
    bad = DRAFT.replace("How salt", "<script>alert(1)</script> How salt").replace("[@marsh]", "")
    (desk / "wet.md").write_text(bad, encoding="utf-8")
    outcome = command("references", "wet.md", "-k", "3", "--html", "out.html")
    assert (outcome.status, outcome.out) == (0, "")
    page = (desk / "out.html").read_text(encoding="utf-8")
    assert page.count("<circle ") == 1 and "Silt and the Growth of Tidal Marshes" in page
    assert "<script" not in page and "http://" not in page and "https://" not in page
    assert "src=" not in page and "url(" not in page


def test_a_page_names_the_file_of_a_place_and_the_number_of_a_paper(
    command: Command, desk: Path
) -> None:
    refs = (desk / "refs.bib").read_text(encoding="utf-8")
    (desk / "refs.bib").write_text(
        refs.replace("@article{marsh,", "@article{marsh,doi={10.1000/m},")
    )
    (desk / "parts").mkdir()
    chapter = "\\section{Wetlands}\nMarshes grow where silt settles between plants.\n"
    (desk / "parts" / "wet lands.tex").write_text(chapter, encoding="utf-8")
    main = "\\begin{document}\\input{parts/wet lands}\\bibliography{refs}\\end{document}\n"
    (desk / "main.tex").write_text(main, encoding="utf-8")
    assert command("references", "main.tex", "--html", "out.html").status == 0
    page = (desk / "out.html").read_text(encoding="utf-8")
    assert (
        "Place: Wetlands, parts/wet lands.tex, line 2<" in page
        and "doi:10.1000/m, in the library" in page
    )
    assert command("references", "parts/wet lands.tex", "--html", "out.html").status == 0
    assert "Place: Wetlands, line 2<" in (desk / "out.html").read_text(encoding="utf-8")


def test_a_page_takes_the_place_of_nothing_that_is_read(command: Command, desk: Path) -> None:
    (desk / "wet.md").write_text(DRAFT, encoding="utf-8")
    (desk / "page.html").symlink_to("wet.md")
    before = {path.name: path.read_bytes() for path in desk.iterdir()}
    for output in ("wet.md", "refs.bib", "page.html"):
        error = command("references", "wet.md", "--html", output).error
        assert error.startswith(f"{output}: is read by this command, which would overwrite it")
    assert {path.name: path.read_bytes() for path in desk.iterdir()} == before
    error = command("references", "wet.md", "--html", "gone/page.html").error
    assert error.startswith("gone/page.html: cannot be written (No such file")


def test_where_nothing_is_left_to_cite_one_line_says_so(command: Command, desk: Path) -> None:
    keys = "; ".join(f"@{key}" for key in ("marsh", "gulls", "transformer", "vectors"))
    (desk / "wet.md").write_text(DRAFT.replace("@marsh", keys), encoding="utf-8")
    outcome = command("references", "wet.md", "--json")
    assert outcome.status == 0 and outcome.json["groups"] == []
    assert "it cites every entry of its bibliographies, and no corpus takes part" in outcome.err
    bare = desk.parent / "elsewhere" / "bare.tex"
    bare.parent.mkdir()
    bare.write_text("Marshes grow where silt settles.\n", encoding="utf-8")
    assert "nothing to choose from" in command("references", bare).error


def test_what_is_no_draft_is_refused(command: Command, desk: Path) -> None:
    assert command("references", "gone.md").error == "gone.md: no such file"
    assert command("references", "refs.bib").error.startswith("refs.bib: cannot be read as a draft")
    address = "milvus+https://somewhere:1/papers"
    refused = command("references", "draft.tex", "--corpus", address).misuse
    assert "only corpora on this machine" in refused


def test_how_others_cite_a_paper_is_quoted_beside_the_reasons(
    command: Command, wetlands: Path
) -> None:
    contexts = [
        {"citing_id": f"study{number}", "left": left, "right": right, "cited": ["storm"]}
        for number, left, right in (
            (1, "The price of cotton rose again", "in that year."),
            (2, "First. Storms take mud from the edge of a marsh", "over years. Then more."),
        )
    ]
    (wetlands / "contexts.jsonl").write_text("\n".join(map(json.dumps, contexts)))
    indexed = command("index", "wet.jsonl", "contexts.jsonl", "--corpus", "wet")
    assert indexed.status == 0
    quoted = {
        "sentence": "Storms take mud from the edge of a marsh […] over years.",
        "name": "Study2 2011",
        "title": "Tidal Marshes and Silt, a Study of Estuary 2",
        "year": 2011,
        "corpus": "wet",
    }
    document = command("references", "wet.md", "--json").json
    papers = {paper["id"]: paper for group in document["groups"] for paper in group["papers"]}
    assert papers["storm"]["citedElsewhere"] == quoted
    assert papers["plants"]["citedElsewhere"] is None
    line = f"Cited elsewhere: “{quoted['sentence']}” (Study2 2011, {quoted['title']})\n"
    assert f"      {line}" in command("references", "wet.md").out

    assert command("references", "wet.md", "--html", "out.html").status == 0
    page = (wetlands / "out.html").read_text(encoding="utf-8")
    assert f'<div class="about">{line.strip()}</div>' in page

    places = command("suggest", "wet.md:11", "--json").json["places"]
    items = {item["paper"]["id"]: item for item in places[0]["recommendations"]}
    assert items["storm"]["cited_elsewhere"] == quoted
    assert [name for name, item in items.items() if "cited_elsewhere" in item] == ["storm"]
    assert f"      {line}" in command("suggest", "wet.md:11").out
