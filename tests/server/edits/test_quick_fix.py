"""Actions that settle diagnostics."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def fixed(buffer: Buffer, title: str) -> str:
    """Return the text after the action with a title."""
    actions = {action.title: action for action in await buffer.actions(["quickfix"])}
    action = actions[title]
    assert isinstance(action, types.CodeAction) and action.edit is not None
    (change,) = action.edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == buffer.uri
    assert change.text_document.version == buffer.version
    return buffer.after_all([edit for edit in change.edits if isinstance(edit, types.TextEdit)])


async def test_a_misspelled_key_is_replaced_by_the_nearest_key(session: Session) -> None:
    draft = session.open("a.tex", "深 😀 \\cite{he2016resnte¦, müller2020}.\n")
    after = await fixed(draft, "Change to “he2016resnet”")
    assert after == draft.text.replace("resnte", "resnet")
    (preferred,) = [
        action
        for action in await draft.actions(["quickfix"])
        if isinstance(action, types.CodeAction) and action.is_preferred
    ]
    assert preferred.diagnostics and preferred.diagnostics[0].code == "unknown-key"


@pytest.mark.parametrize(
    ("name", "cited", "after"),
    [
        ("odd.md", "See [@oneil20¦16].", "See [@{o'neil2016}]."),
        ("odd.md", "See @{oneil20¦16} now.", "See @{o'neil2016} now."),
        ("odd.typ", "See @oneil20¦16 now.", 'See #cite(label("o\'neil2016")) now.'),
        ("odd.org", "See [cite:@oneil20¦16].", "See [cite:@o'neil2016]."),
    ],
)
async def test_a_key_with_odd_signs_is_written_as_the_format_reads_it(
    session: Session, name: str, cited: str, after: str
) -> None:
    (session.folder / "odd.bib").write_text("@misc{o'neil2016, title={T}}\n")
    named = {
        "odd.md": "---\nbibliography: odd.bib\n---\n\n{}\n",
        "odd.typ": '#bibliography("odd.bib")\n{}\n',
        "odd.org": "#+bibliography: odd.bib\n{}\n",
    }[name]
    draft = session.open(name, named.format(cited))
    assert await fixed(draft, "Change to “o'neil2016”") == named.format(after)


async def test_a_crossref_is_put_right(session: Session) -> None:
    record = "@inbook{part, crossref = {he2016resne}, title = {P}}\n"
    bib = session.open("refs.bib", BIBLIOGRAPHY + record).at("he2016resne")
    bib.cursor = bib.text.rindex("he2016resne") + 4
    assert "{he2016resnet}, title = {P}" in await fixed(bib, "Change to “he2016resnet”")


async def test_a_duplicate_is_renamed_or_removed(session: Session) -> None:
    bib = session.open(
        "refs.bib", BIBLIOGRAPHY + "@misc{he2016resnet,\n  title = {Other}\n}\n% end"
    )
    bib.at("@misc{he2016")
    assert await fixed(bib, "Remove this entry") == BIBLIOGRAPHY + "% end"
    after = await fixed(bib, "Rename this entry to “he2016resneta”")
    assert after.endswith("@misc{he2016resneta,\n  title = {Other}\n}\n% end")


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
async def test_what_is_removed_leaves_a_single_blank_line(
    session: Session, line_break: str
) -> None:
    first, same, other = "@misc{a, title={T}}\n", "@misc{a, note={N}}\n", "@misc{b, title={U}}\n"
    text = "\n".join([first, same, other]).replace("\n", line_break)
    bib = session.open("blank.bib", text)
    bib.cursor = len(first.replace("\n", line_break) + line_break) + 6
    after = await fixed(bib, "Remove this entry")
    assert after == "\n".join([first, other]).replace("\n", line_break)


async def test_what_is_removed_from_close_behind_an_entry_leaves_the_blank_line(
    session: Session,
) -> None:
    first, same, other = "@misc{a, title={T}}\n", "@misc{a, note={N}}\n", "\n@misc{b, title={U}}\n"
    bib = session.open("close.bib", first + same + other)
    bib.cursor = len(first) + 6
    assert await fixed(bib, "Remove this entry") == first + other


@pytest.mark.parametrize("item", ["- id: a\n  title: U\n", "-\n  id: a\n", "  - id: a\n"])
@pytest.mark.parametrize("other", ["- id: b\n", ""])
async def test_an_item_of_references_is_removed_with_its_dash(
    session: Session, item: str, other: str
) -> None:
    indent = item[: item.index("-")]
    top, end = (
        f"---\nreferences:\n{indent}- id: a\n",
        f"{indent if other else ''}{other}---\nBy @a.\n",
    )
    draft = session.open("list.md", top + item + end)
    draft.cursor = len(top) + item.index("id: a") + 4
    assert await fixed(draft, "Remove this entry") == top + end


async def test_an_item_of_a_list_in_a_single_line_is_not_taken_from_between_its_commas(
    session: Session,
) -> None:
    draft = session.open("row.md", "---\nreferences: [{id: a}, {id: ¦a}, {id: b}]\n---\nBy @a.\n")
    titles = [action.title for action in await draft.actions()]
    assert "Rename this entry to “aa”" in titles
    assert "Remove this entry" not in titles


async def test_a_duplicate_is_not_renamed_to_a_key_that_comes_later(session: Session) -> None:
    later = "@misc{he2016resnetA,\n  title = {Later}\n}\n"
    duplicate = "@misc{he2016resnet,\n  title = {Other}\n}\n"
    bib = session.open("later.bib", BIBLIOGRAPHY + duplicate + later)
    bib.cursor = len(BIBLIOGRAPHY) + 8
    after = await fixed(bib, "Rename this entry to “he2016resnetb”")
    assert "@misc{he2016resnetb,\n  title = {Other}" in after


async def test_a_missing_brace_and_a_missing_comma_are_added(session: Session) -> None:
    bib = session.open("refs.bib", "@misc{open,\n  title = {T}\n\n" + BIBLIOGRAPHY)
    after = await fixed(bib.at("@misc{op"), "Add “}”")
    assert after == "@misc{open,\n  title = {T}\n}\n\n" + BIBLIOGRAPHY
    text = "@misc{open,\r\n  title = {T}\r\n\r\n@misc{k,\r\n  title = {T}\r\n}\r\n"
    bib = session.open("a.bib", text)
    after = await fixed(bib.at("@misc{op"), "Add “}”")
    assert after == text.replace("\r\n\r\n", "\r\n}\r\n\r\n")
    bib = session.open("b.bib", "@misc{key\n  title = {T}\n}\n")
    assert await fixed(bib.at("@misc{k"), "Add “,”") == "@misc{key,\n  title = {T}\n}\n"


async def test_a_semicolon_behind_a_key_becomes_a_comma(session: Session) -> None:
    bib = session.open("b.bib", "@misc{key; title = {T}}\n")
    assert await fixed(bib.at("@misc{k"), "Change to “,”") == "@misc{key, title = {T}}\n"


async def test_full_width_commas_are_changed(session: Session) -> None:
    text = "@misc{张三2020，\n  title = {网，络}，\r\n  year = {2020}\n}\n"
    bib = session.open("wide.bib", text)
    after = await fixed(bib.at("@misc{张"), "Change to “,”")
    assert after == text.replace("2020，", "2020,")
    after = await fixed(bib.at("titl"), "Change to “,”")
    assert after == text.replace("}，", "},")


async def test_a_rule_is_silenced_in_the_language_of_the_file(session: Session) -> None:
    draft = session.open("a.tex", "\\cite{nobody¦}")
    after = await fixed(draft, "Turn off “unknown-key” in this file")
    assert after == "\\cite{nobody}\n% cite-lsp: off unknown-key\n"
    draft = session.open("a.md", "[@nobody¦]\n")
    after = await fixed(draft, "Turn off “unknown-key” in this file")
    assert after == "[@nobody]\n<!-- cite-lsp: off unknown-key -->\n"
    draft = session.open("b.md", "[@nobody¦]\r\n[@nobody]")
    after = await fixed(draft, "Turn off “unknown-key” in this file")
    assert after.endswith("\r\n[@nobody]\r\n<!-- cite-lsp: off unknown-key -->\r\n")


async def test_a_missing_bibliography_is_created(session: Session) -> None:
    draft = session.open("a.tex", "\\documentclass{article}\n\\bibliography{ne¦w}\n")
    action = next(action for action in await draft.actions() if action.title == "Create new.bib")
    assert isinstance(action, types.CodeAction) and action.edit is not None
    (create,) = action.edit.document_changes or []
    assert isinstance(create, types.CreateFile)
    assert create.uri == (session.folder / "new.bib").as_uri()
    assert create.options == types.CreateFileOptions(ignore_if_exists=True)


async def test_no_file_is_created_in_an_editor_that_cannot(editor_session: Session) -> None:
    workspace = editor_session.capabilities.workspace
    edits = workspace.workspace_edit if workspace else None
    can = types.ResourceOperationKind.Create in ((edits and edits.resource_operations) or ())
    draft = editor_session.open("a.tex", "\\bibliography{ne¦w}\n")
    titles = [action.title for action in await draft.actions()]
    assert ("Create new.bib" in titles) == can
