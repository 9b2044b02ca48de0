"""Keys that fields of a .bib file and preambles name: they are used, found and renamed."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.rules.test_examine import reported
from tests.server.editor_session import Session
from tests.server.features.test_rename import rename

pytestmark = pytest.mark.asyncio(loop_scope="session")

BIB = r"""@article{seen, title={Seen}, note={See also \cite[p.~2]{noted} and \textcite{lost}},
  abstract={As \cite{elsewhere} says.}}
@article{noted, title={Noted}, author={Reed, Ida}}
@xdata{people, author={Fen, Bo and Roe, Ann}}
@book{piece, author={xdata=people-author-1}, title={Piece}}
@set{pair, entryset={noted, piece}}
"""
DRAFT = r"""\documentclass{article}
\usepackage{biblatex}
\addbibresource{lib.bib}
\defbibentryset{both}{seen,piece}
\addtocategory{old}{noted}
\begin{document}
\cite{both} \cite{¦}
\end{document}
"""


def write(session: Session) -> None:
    (session.folder / "lib.bib").write_text(BIB, encoding="utf-8")
    (session.folder / "a.tex").write_text(DRAFT.replace("¦", ""), encoding="utf-8")


async def test_what_a_printed_field_cites_is_used_or_unknown(session: Session) -> None:
    write(session)
    bib = session.open("lib.bib", BIB)
    unknown = [words for rule, words, _ in await reported(bib) if rule == "unknown-key"]
    assert unknown == ["lost"]
    places = await references(session, "lib.bib", BIB.replace("@article{no", "@article{no¦"))
    assert places == [("a.tex", 4), ("lib.bib", 0), ("lib.bib", 2), ("lib.bib", 5)]


async def references(session: Session, name: str, text: str) -> list[tuple[str, int]]:
    buffer = session.open(name, text)
    locations = await session.client.text_document_references_async(
        types.ReferenceParams(
            types.ReferenceContext(include_declaration=True), buffer.identifier, buffer.position()
        )
    )
    return sorted(
        (location.uri.rpartition("/")[2], location.range.start.line) for location in locations or []
    )


async def test_such_keys_are_renamed(session: Session) -> None:
    write(session)
    edits = await rename(session.open("lib.bib", BIB.replace("{peop", "{peop¦")), "folk")
    assert [edit.range.start.line for edit in edits["lib.bib"]] == [3, 4]
    edits = await rename(session.open("lib.bib", BIB.replace("@book{pi", "@book{pi¦")), "part")
    assert {name: len(own) for name, own in edits.items()} == {"lib.bib": 2, "a.tex": 1}


async def test_a_set_shows_its_members_and_data_is_not_offered(session: Session) -> None:
    write(session)
    draft = session.open("a.tex", DRAFT.replace("¦", "").replace("\\cite{bo", "\\cite{bo¦"))
    hover = await session.client.text_document_hover_async(
        types.HoverParams(draft.identifier, draft.position())
    )
    assert hover is not None
    text = str(hover.contents)
    assert text.index("Seen") < text.index("Piece")
    keys = await session.open("a.tex", DRAFT).keys()
    assert sorted(keys) == ["both", "pair", "seen"]
    assert [rule for rule, _, _ in await reported(draft)] == ["empty-citation"]
