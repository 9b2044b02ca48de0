"""A preprint becomes what a corpus knows to be published."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.server.edits.quick_fix import preprint_updates
from cite_lsp.server.session.request import Request
from tests.recommend.shores import TopicEncoder
from tests.server.desk import Desk

PAPERS = [
    Paper("1", "Gulls Lead to Rain", authors=("Anna Moor",), year=2020, venue="Birds"),
    Paper("2", "Storms in Spring", authors=("Anna Moor",), year=2021, venue="Storms"),
]
PREPRINT = (
    "@misc{{{key}, title = {{{title}}}, author = {{Moor, Anna}}, year = {{2019}},\n"
    "  eprint = {{1901.0000{number}}}, archiveprefix = {{arXiv}}}}\n"
)
GULLS = PREPRINT.format(key="gulls", title=PAPERS[0].title, number=1)
STORMS = PREPRINT.format(key="storms", title=PAPERS[1].title, number=2)
BOOK = "@book{book, title = {Birds of the Sea}, author = {Li, Wei}, year = {1999}}\n"


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    build_corpus(tmp_path / "home" / "corpora" / "birds", PAPERS, TopicEncoder())


def updates(request: Request, words: str) -> dict[str, list[str]]:
    """Return the texts that the actions at some words put in, by title."""
    actions = preprint_updates(request, request.buffer.text.index(words))
    by_title = {}
    for action in actions:
        assert action.edit is not None and action.edit.changes is not None
        (edits,) = action.edit.changes.values()
        by_title[action.title] = [edit.new_text for edit in edits]
    return by_title


def test_the_entry_at_the_cursor_is_updated_or_all_of_the_file(tmp_path: Path) -> None:
    request = Desk(tmp_path / "refs.bib", GULLS + BOOK + STORMS, corpora=None).request()
    single, all_of_them = updates(request, "storms").items()
    assert single[0] == "Update “storms” to Storms, 2021"
    assert all_of_them[0] == "Update all 2 preprints to their published versions"
    assert len(single[1]) == 1 and "@article{storms," in single[1][0]
    assert [text.partition(",")[0] for text in all_of_them[1]] == [
        "@article{gulls",
        "@article{storms",
    ]


def test_a_single_preprint_is_updated_by_a_single_action(tmp_path: Path) -> None:
    request = Desk(tmp_path / "refs.bib", GULLS + BOOK, corpora=None).request()
    assert list(updates(request, "gulls")) == ["Update “gulls” to Birds, 2020"]
    assert updates(request, "book") == {}


def test_the_entry_of_a_key_that_a_draft_cites_is_updated_in_its_file(tmp_path: Path) -> None:
    refs = tmp_path / "refs.bib"
    refs.write_text(GULLS + STORMS, encoding="utf-8")
    text = "Rain \\cite{gulls, unheard}.\\bibliography{refs}"
    request = Desk(tmp_path / "a.tex", text, corpora=None).request()
    (action,) = preprint_updates(request, text.index("gulls"))
    assert action.title == "Update “gulls” to Birds, 2020"
    assert action.edit is not None and list(action.edit.changes or ()) == [refs.as_uri()]
    assert updates(request, "unheard") == updates(request, "Rain") == {}


def test_without_a_corpus_nothing_is_known_to_be_published(tmp_path: Path) -> None:
    request = Desk(tmp_path / "refs.bib", GULLS, corpora=()).request()
    assert updates(request, "gulls") == {}
