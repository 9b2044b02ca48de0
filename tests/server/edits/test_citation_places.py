"""Where a citation goes in an open draft, and the edit that puts it there."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.server.edits.citation_places import (
    CitationPlace,
    cite_all,
    place_at,
    places_in,
    sentences_between,
)
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.request import Request
from tests.server.desk import Desk

DRAFT = (
    "Gulls bring rain. Terns follow them \\cite{he2016resnet}. Nets are deep \\cite{}.\n"
    "\\nocite{*}\\bibliography{refs}\n"
)
NET = Recommendation(Paper("devlin2019bert", "BERT"), 0.5)


@pytest.fixture
def draft_request(folder: Path) -> Request:
    return Desk(folder / "a.tex", DRAFT).request()


def place(request: Request, words: str, *, cited: bool = False) -> CitationPlace | None:
    return place_at(request, DRAFT.index(words), cited=cited)


def after(request: Request, edits: list[types.TextEdit]) -> str:
    text = request.buffer.text
    for edit in sorted(edits, key=lambda edit: request.offset(edit.range.start), reverse=True):
        start, end = request.offset(edit.range.start), request.offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


def test_a_sentence_that_cites_nothing_gets_a_marker_at_its_end(draft_request: Request) -> None:
    citation_place = place(draft_request, "bring")
    assert (
        citation_place is not None
        and citation_place.marker is None
        and citation_place.cited == frozenset()
    )
    assert citation_place.text == "Gulls bring rain."
    edit = citation_place.edit(["müller2020"])
    assert "Gulls bring rain \\cite{müller2020}. Terns" in edit.applied_to(DRAFT)


def test_a_marker_takes_the_key_whether_it_is_pointed_at_or_waits_in_the_sentence(
    draft_request: Request,
) -> None:
    for words in ("Nets", "cite{}"):
        citation_place = place(draft_request, words)
        assert citation_place is not None and citation_place.marker is not None
        assert citation_place.offset == DRAFT.index("\\cite{}")
        edit = citation_place.edit(["devlin2019bert"])
        assert "deep \\cite{devlin2019bert}." in edit.applied_to(DRAFT)


def test_a_sentence_that_cites_is_a_place_only_where_that_is_wanted(draft_request: Request) -> None:
    assert place(draft_request, "follow") is None
    citation_place = place(draft_request, "follow", cited=True)
    assert citation_place is not None and citation_place.cited == {"he2016resnet"}


def test_what_cites_everything_is_no_place(draft_request: Request) -> None:
    assert place(draft_request, "*}") is None


def test_a_key_that_stands_in_for_another_gives_way(folder: Path) -> None:
    text = "Nets are deep \\cite{TODO}.\\bibliography{refs}\n"
    request = Desk(folder / "a.tex", text).request()
    citation_place = place_at(request, text.index("TODO"))
    assert citation_place is not None and citation_place.placeholder_key is not None
    edit = citation_place.edit(["devlin2019bert"])
    assert edit.applied_to(text) == text.replace("TODO", "devlin2019bert")


def test_each_marker_that_waits_in_a_sentence_is_a_place(folder: Path) -> None:
    text = "Nets \\cite{} and gulls \\cite{}. Rain.\\bibliography{refs}\n"
    draft = Desk(folder / "a.tex", text).request().draft()
    first, second = draft.manuscript.sentences[:2]
    assert len(places_in(draft, first)) == 2
    (only,) = places_in(draft, second)
    assert only.marker is None and only.text.startswith("Rain.")


def test_sentences_are_between_two_offsets_that_touch_them(draft_request: Request) -> None:
    draft = draft_request.draft()
    offset = DRAFT.index("follow")
    assert len(sentences_between(draft, offset, offset)) == 1
    assert len(sentences_between(draft, 0, offset)) == 2


def test_in_a_footnote_the_sentences_are_its_own(folder: Path) -> None:
    text = "Gulls bring rain.\\footnote{Terns fish. Auks dive.} Nets are deep.\n"
    draft = Desk(folder / "a.tex", text).request().draft()
    terns, dive, deep = map(text.index, ("Terns", "dive", "deep"))
    touched = [[it.text for it in sentences_between(draft, terns, end)] for end in (terns, dive)]
    assert touched == [["Terns fish."], ["Terns fish.", "Auks dive."]]
    assert len(sentences_between(draft, dive, deep)) == 3


def test_between_two_sentences_without_a_blank_the_second_one_is_meant(folder: Path) -> None:
    text = "海鸥带来雨。燕鸥捕鱼。\n"
    draft = Desk(folder / "a.tex", text).request().draft()
    offset = text.index("燕")
    assert [it.text for it in sentences_between(draft, offset, offset)] == ["燕鸥捕鱼。"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "Gulls bring rain. % Terns he¦re\nSo."),
        ("a.tex", "Gulls bring rain. \\iffalse Terns he¦re. \\fi So."),
        ("a.tex", "Gulls bring rain.\n\\if0\nTerns he¦re.\n\\fi\nSo."),
        ("a.tex", "Gulls bring rain.\n\\begin{comment}\nTerns he¦re.\n\\end{comment}\nSo."),
        ("a.md", "Gulls bring rain. <!-- Terns he¦re. --> So."),
        ("a.md", "Gulls bring rain. {>> Terns he¦re. <<} So."),
        ("a.md", "Gulls bring rain. %% Terns he¦re. %% So."),
        ("a.typ", "Gulls bring rain. // Terns he¦re\nSo."),
        ("a.typ", "Gulls bring rain. /* Terns /* */ he¦re. */ So."),
        ("a.typ", "Gulls bring rain. /* Terns here.¦"),
        ("a.org", "Gulls bring rain. @@comment: Terns he¦re.@@ So."),
        ("a.org", "Gulls bring rain.\n# Terns he¦re.\nSo."),
        ("a.org", "Gulls bring rain.\n#+begin_comment\nTerns he¦re.\n#+end_comment\nSo."),
    ],
)
def test_in_a_comment_no_citation_goes_anywhere(folder: Path, name: str, text: str) -> None:
    request = Desk(folder / name, text.replace("¦", "")).request()
    offset = text.index("¦")
    assert place_at(request, offset) is None
    assert sentences_between(request.draft(), offset, offset) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "Gulls bring \\iffalse no \\fi ra¦in."),
        ("a.md", "Gulls bring <!-- no --> ra¦in."),
        ("a.typ", "Gulls bring /* no */ ra¦in."),
        ("a.org", "Gulls bring @@comment: no@@ ra¦in."),
    ],
)
def test_behind_a_comment_the_sentence_goes_on(folder: Path, name: str, text: str) -> None:
    request = Desk(folder / name, text.replace("¦", "")).request()
    place = place_at(request, text.index("¦"))
    assert place is not None and place.text == "Gulls bring rain."


def test_several_places_are_one_edit_and_none_is_none(draft_request: Request) -> None:
    gulls, nets = place(draft_request, "bring"), place(draft_request, "Nets")
    assert gulls is not None and nets is not None
    whole = cite_all(draft_request, [(gulls, [NET]), (nets, [NET])])
    assert whole is not None and whole.changes is not None
    text = after(draft_request, list(whole.changes[draft_request.buffer.uri]))
    assert text.count("\\cite{devlin2019bert}") == 2
    assert cite_all(draft_request, []) is None


def test_changes_wait_for_consent_where_the_client_can_ask(folder: Path) -> None:
    asking = ClientAbilities(versioned_edits=True, change_annotations=True)
    request = Desk(folder / "a.tex", DRAFT).request(client=asking)
    gulls = place(request, "bring")
    assert gulls is not None
    whole = cite_all(request, [(gulls, [NET])], confirm=True)
    assert whole is not None and whole.change_annotations is not None
    (annotation,) = whole.change_annotations.values()
    assert annotation.needs_confirmation and annotation.description == "Gulls bring rain."
