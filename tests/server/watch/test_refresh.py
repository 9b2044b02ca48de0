"""The client asks again for what is drawn into a document once that has changed without an edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.server.app import create_server
from cite_lsp.server.config.options import Options, read_options
from cite_lsp.server.rpc.capabilities import Client
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.watch.refresh import RedrawRequests, fingerprint_of_drawn
from tests.server.desk import Desk
from tests.server.wire import Wire

DRAFT, BIBLIOGRAPHY = "file:///a.tex", "file:///refs.bib"


@pytest.fixture
def server() -> Iterator[CiteServer]:
    server = create_server()
    server.client = Client(inlay_hint_refresh=True, code_lens_refresh=True)
    yield server
    server.close()


@pytest.fixture
def wire(server: CiteServer) -> Wire:
    wire = Wire()
    server.protocol.set_writer(wire)
    return wire


@pytest.mark.parametrize(
    ("uri", "asked"),
    [(DRAFT, "workspace/inlayHint/refresh"), (BIBLIOGRAPHY, "workspace/codeLens/refresh")],
)
def test_what_has_changed_is_asked_for_again(
    server: CiteServer, wire: Wire, uri: str, asked: str
) -> None:
    redraw = RedrawRequests(server)
    for drawn in (1, 1, 2, 2):
        redraw.seen(uri, drawn, own_edit=False)
    assert [message["method"] for message in wire.sent] == [asked]


def test_after_its_own_edit_the_client_asks_by_itself(server: CiteServer, wire: Wire) -> None:
    redraw = RedrawRequests(server)
    redraw.seen(DRAFT, 1, own_edit=True)
    redraw.seen(DRAFT, 2, own_edit=True)
    redraw.seen(DRAFT, 2, own_edit=False)
    assert wire.sent == []


def test_what_was_closed_or_not_drawn_is_forgotten(server: CiteServer, wire: Wire) -> None:
    redraw = RedrawRequests(server)
    redraw.seen(DRAFT, 1, own_edit=False)
    redraw.forget(DRAFT)
    redraw.seen(DRAFT, 2, own_edit=False)
    redraw.seen(DRAFT, None, own_edit=False)
    redraw.seen(DRAFT, 3, own_edit=False)
    assert wire.sent == []


def test_a_client_that_cannot_ask_again_is_not_told(server: CiteServer, wire: Wire) -> None:
    server.client = Client()
    redraw = RedrawRequests(server)
    for uri in (DRAFT, BIBLIOGRAPHY):
        redraw.seen(uri, 1, own_edit=False)
        redraw.seen(uri, 2, own_edit=False)
    assert wire.sent == []


@pytest.mark.parametrize("name", ["a.tex", "refs.bib"])
def test_nothing_is_drawn_where_the_settings_show_nothing(folder: Path, name: str) -> None:
    hidden = {"inlayHints": {"enabled": False}, "codeLens": {"enabled": False}}
    assert fingerprint_of_drawn(Desk(folder / name, "").request(options=options(hidden))) is None


def test_the_hints_of_a_draft_change_with_its_bibliography(folder: Path) -> None:
    refs = folder / "refs.bib"
    library = refs.read_text(encoding="utf-8")
    desk = Desk(folder / "a.tex", "\\cite{he2016resnet}\\bibliography{refs}")
    shown = options({"inlayHints": {"enabled": True}})
    before = fingerprint_of_drawn(desk.request(options=shown))
    longer, other = f"{library}\n@misc{{x, title={{X}}}}", library.replace("He, Kai", "Hu, Kai")
    desk.store.open(types.TextDocumentItem(refs.as_uri(), "bibtex", 1, longer))
    assert fingerprint_of_drawn(desk.request(options=shown)) == before
    desk.store.open(types.TextDocumentItem(refs.as_uri(), "bibtex", 2, other))
    assert fingerprint_of_drawn(desk.request(options=shown)) not in (None, before)


def test_the_lenses_of_a_bibliography_change_with_the_drafts(folder: Path) -> None:
    draft, refs = folder / "a.tex", folder / "refs.bib"
    draft.write_text("\\cite{he2016resnet}\\bibliography{refs}", encoding="utf-8")
    request = Desk(refs, refs.read_text(encoding="utf-8")).request
    shown = options({"codeLens": {"enabled": True}})
    before = fingerprint_of_drawn(request(options=shown))
    draft.write_text("\\cite{müller2020}\\bibliography{refs}", encoding="utf-8")
    assert fingerprint_of_drawn(request(options=shown)) not in (None, before)


def options(values: object) -> Options:
    read, complaints = read_options(("x", values))
    assert not complaints
    return read
