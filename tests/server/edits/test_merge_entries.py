"""Two entries of one work become one, which the drafts cite."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.server.edits.merge_entries import merge
from tests.server.desk import Desk
from tests.server.editor_session import Session

DUPLICATES = """@misc{moor, title = {On Fens}, author = {Moor, Ada}, year = 2001}

@misc{moor2001,
  title = {On {Fens}},
  author = {Moor, A.},
  year = {2001},
  note = {Read it}
}

@misc{li, title = {After Moor}, related = {moor}}
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_two_entries_of_one_work_become_one_that_the_drafts_cite(session: Session) -> None:
    draft = session.open("a.tex", "\\cite{moor} \\cite{moor, moor2001}\n\\bibliography{fens}\n")
    notes = session.open(
        "b.md", "---\nbibliography: fens.bib\n---\n\n[@moor2001, p. 3; @moor; @li]\n"
    )
    bib = session.open("fens.bib", DUPLICATES).at("moor2001")
    actions = {action.title: action for action in await bib.actions(["quickfix"])}
    action = actions["Merge “moor2001” into “moor”, here and in the drafts"]
    assert isinstance(action, types.CodeAction) and action.edit is not None
    after = {}
    for change in action.edit.document_changes or []:
        assert isinstance(change, types.TextDocumentEdit)
        (buffer,) = (
            document for document in (draft, notes, bib) if document.uri == change.text_document.uri
        )
        edits = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
        after[buffer.uri] = buffer.after_all(edits)
    assert after[draft.uri] == "\\cite{moor} \\cite{moor}\n\\bibliography{fens}\n"
    assert after[notes.uri] == notes.text.replace("moor2001", "moor")
    assert after[bib.uri] == (
        "@misc{moor,\n  title = {On {Fens}},\n  author = {Moor, A.},\n  year = {2001},\n"
        "  note = {Read it}\n}\n\n@misc{li, title = {After Moor}, related = {moor}}\n"
    )


def merged(desk: Desk, first: int, second: int) -> tuple[str, str]:
    """Return the key of two entries of a .bib file that become one, and the file after that."""
    request = desk.request()
    entries = request.bibliography().entries
    done = merge(request, entries[first], entries[second])
    assert done is not None and done[1].changes is not None
    text = request.buffer.text
    for edit in reversed(done[1].changes[desk.path.as_uri()]):
        start, end = request.offset(edit.range.start), request.offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return done[0], text


@pytest.mark.parametrize("cited", ["moor", "moor2001"])
def test_the_key_that_is_cited_more_stays_whichever_entry_is_meant(
    tmp_path: Path, cited: str
) -> None:
    draft = f"\\cite{{moor, moor2001}} \\cite{{{cited}}}\\bibliography{{fens}}"
    (tmp_path / "a.tex").write_text(draft, encoding="utf-8")
    desk = Desk(tmp_path / "fens.bib", DUPLICATES)
    for first, second in ((0, 1), (1, 0)):
        key, text = merged(desk, first, second)
        assert key == cited
        assert text.count("@misc") == 2 and f"@misc{{{cited},\n  title = {{On {{Fens}}}}" in text
        assert f"related = {{{cited}}}" in text


def test_without_a_draft_the_key_of_the_fuller_entry_stays(tmp_path: Path) -> None:
    assert merged(Desk(tmp_path / "fens.bib", DUPLICATES), 0, 1)[0] == "moor2001"
