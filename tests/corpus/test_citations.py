"""Who cites whom, as each source says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.corpus.citations import CitationContext, PaperCitations, split_context
from cite_lsp.corpus.sources import find_files, read_source
from cite_lsp.paper import Paper
from tests.corpus.test_readers import CROSSREF, DBLP, OPENALEX, PUBMED, S2_CITATION

LINK = S2_CITATION | {
    "citationid": 9,
    "contexts": ["As shown by Vaswani et al. [12], attention is enough.", "No marker here"],
    "intents": [["methodology"], None],
    "isinfluential": False,
}
CITING = {
    "openalex": (
        OPENALEX | {"referenced_works": ["https://openalex.org/W1", "https://openalex.org/W2"]},
        ("id openalex:W1", "id openalex:W2"),
    ),
    "crossref": (
        CROSSREF | {"reference": [{"key": "a", "DOI": "10.1000/ABC"}, {"unstructured": "Moor"}]},
        ("doi 10.1000/abc",),
    ),
    "our own": ({"id": "a", "title": "A", "references": ["b", "c", "b"]}, ("id b", "id c")),
    "our own, by numbers": (
        {"id": 1, "title": "A", "references": [2, "3", None]},
        ("id 2", "id 3"),
    ),
}
REFERENCES = """<ReferenceList><Title>References</Title><Reference><Citation>One.</Citation>
<ArticleIdList><ArticleId IdType="pubmed">123</ArticleId><ArticleId IdType="doi">10.1/a</ArticleId>
</ArticleIdList></Reference><ReferenceList><Reference><ArticleIdList>
<ArticleId IdType="doi">10.1000/B</ArticleId></ArticleIdList></Reference></ReferenceList>
<Reference><Citation>Without a number.</Citation></Reference></ReferenceList></PubmedData>"""


def items_in(tmp_path: Path, content: str, name: str = "dump") -> tuple[list[Any], list[str]]:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    messages: list[str] = []
    return list(read_source(path, messages.append)), messages


@pytest.mark.parametrize("source", CITING)
def test_a_work_says_what_it_cites(tmp_path: Path, source: str) -> None:
    record, cited = CITING[source]
    items_read, messages = items_in(tmp_path, json.dumps(record) + "\n")
    assert not messages
    paper, cites = items_read
    assert isinstance(paper, Paper)
    assert cites == PaperCitations(f"id {paper.id}", cited)


def test_crossref_in_one_document_says_it_too(tmp_path: Path) -> None:
    items_read, _ = items_in(tmp_path, json.dumps({"items": [CITING["crossref"][0]]}))
    assert items_read[1] == PaperCitations("id doi:10.1000/xyz", ("doi 10.1000/abc",))


def test_a_citation_of_semantic_scholar_comes_with_the_words_around_it(tmp_path: Path) -> None:
    (cites,), messages = items_in(tmp_path, json.dumps(LINK) + "\n")
    assert not messages
    assert (cites.citing, cites.cited) == ("id s2:1", ("id s2:2",))
    assert cites.contexts == (
        CitationContext("As shown by Vaswani et al.", ", attention is enough.", ("methodology",)),
        CitationContext("No marker here"),
    )
    empty = S2_CITATION | {"contexts": None, "intents": None}
    assert items_in(tmp_path, json.dumps(empty) + "\n")[0] == [
        PaperCitations("id s2:1", ("id s2:2",))
    ]
    lost = S2_CITATION | {"citedcorpusid": None}
    assert items_in(tmp_path, json.dumps(lost) + "\n") == ([], [])


def test_pubmed_names_what_it_cites_by_number_or_doi(tmp_path: Path) -> None:
    items_read, messages = items_in(tmp_path, PUBMED.replace("</PubmedData>", REFERENCES))
    assert not messages
    assert items_read[1] == PaperCitations("id pmid:30049270", ("id pmid:123", "doi 10.1000/b"))


def test_dblp_names_what_it_cites_by_key_where_it_knows(tmp_path: Path) -> None:
    cite = "<cite>...</cite><cite label='B'>conf/x/Lee99</cite>"
    items_read, _ = items_in(tmp_path, DBLP.replace("<year>2001", f"{cite}<year>2001"))
    assert items_read[1] == PaperCitations(
        "id DBLP:journals/tods/Muller01", ("id DBLP:conf/x/Lee99",)
    )
    assert [type(work).__name__ for work in items_read] == ["Paper", "PaperCitations", "Paper"]


def test_lines_of_two_ids_are_a_citation_graph(tmp_path: Path) -> None:
    items_read, messages = items_in(
        tmp_path, "acl:A\tacl:B\taan\nacl:A\tacl:C\taan\nacl:D\tacl:A\n"
    )
    assert not messages
    assert items_read == [
        PaperCitations("id acl:A", ("id acl:B", "id acl:C")),
        PaperCitations("id acl:D", ("id acl:A",)),
    ]


def test_lists_of_references_and_contexts_are_sources_as_well(tmp_path: Path) -> None:
    rows = [
        {"citing_id": "a", "year": 2011, "refs": ["b", "c"]},
        {"context_id": "1", "citing_id": "a", "left": "As in", "right": "below", "cited": ["b"]},
        {"context_id": "2", "citing_id": "a", "left": "x", "right": "", "cited": []},
        {"citing_id": 1, "refs": [2, 3]},
    ]
    items_read, messages = items_in(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    assert not messages
    assert items_read == [
        PaperCitations("id a", ("id b", "id c")),
        PaperCitations("id a", ("id b",), (CitationContext("As in", "below"),)),
        PaperCitations("id 1", ("id 2", "id 3")),
    ]


def test_a_folder_of_a_dump_has_its_citations_too(tmp_path: Path) -> None:
    (tmp_path / "edges.tsv").write_text("a\tb\n")
    (tmp_path / "notes.tsv").write_text("a heading of words\tand another\n")
    (tmp_path / "links.json").write_text(json.dumps(LINK) + "\n")
    assert [path.name for path in find_files([tmp_path])] == ["edges.tsv", "links.json"]


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("Tides rise [3, 4].", "Tides rise", "."),
        ("Tides (Moor and Fen, 2001a; Lee 2003) rise", "Tides", "rise"),
        ("Tides\n rise (twice a day)", "Tides rise (twice a day)", ""),
    ],
)
def test_the_marker_of_a_passage_is_where_it_is_cut(text: str, left: str, right: str) -> None:
    assert split_context(text) == CitationContext(left, right)
