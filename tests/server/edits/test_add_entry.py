"""The record that is written for an entry from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.library import LibraryCache, parse_bibliography
from cite_lsp.library.entries import Entry
from cite_lsp.server.edits.add_entry import record
from cite_lsp.server.render.citeproc import ReferenceFormatter
from tests.rules.test_examine import EMBEDDED
from tests.server.editor_session import Buffer, Session

ITEM = """[{"id": "doe2020", "type": "article-journal", "title": "Salt & Pepper_s",
 "DOI": "10.1/a_b",
 "author": [{"family": "Doe", "given": "Jane"}], "container-title": "Spices", "volume": 3,
 "issued": {"date-parts": [[2020]]}}]"""


async def added(draft: Buffer, title: str) -> types.WorkspaceEdit:
    """Return the edit of the action with that title."""
    (action,) = [action for action in await draft.actions() if action.title == title]
    assert isinstance(action, types.CodeAction) and action.edit is not None
    return action.edit


def edits_to(path: Path, edit: types.WorkspaceEdit) -> list[types.TextEdit]:
    return [
        edit
        for change in edit.document_changes or ()
        if isinstance(change, types.TextDocumentEdit) and change.text_document.uri == path.as_uri()
        for edit in change.edits
        if isinstance(edit, types.TextEdit)
    ]


def csl(folder: Path) -> Entry:
    (folder / "refs.json").write_text(ITEM, encoding="utf-8")
    (entry,) = LibraryCache().load([folder / "refs.json"]).entries
    return entry


def test_a_bibtex_record_is_copied_as_it_is_written(tmp_path: Path) -> None:
    raw = "@misc{a,\n  title  = {T {\\'o}},\n}"
    (entry,) = parse_bibliography(raw, tmp_path / "a.bib").entries
    assert record(entry) == raw


def test_what_a_record_takes_from_elsewhere_is_written_out(tmp_path: Path) -> None:
    text = "@string{acl = {ACL}}\n@book{b, title={B}, year=2001}\n"
    text += "@inbook{a, crossref={b}, title={T}, publisher=acl # { Press}}\n"
    _, entry = parse_bibliography(text, tmp_path / "a.bib").entries
    (alone,) = parse_bibliography(record(entry), tmp_path / "b.bib").entries
    assert alone.fields["publisher"] == "ACL Press"
    assert alone.fields["year"] == "2001" and "crossref" not in alone.fields


STRINGS = """@string{journal = "Journal of "}
@string{JMLR = journal # {Machine {L}earning Research}}
@string{jan = {Januar}}
@string{mar = {Marine Review}}
"""


@pytest.mark.parametrize(
    ("written", "copied"),
    [
        ("journal = jmlr", "journal = {Journal of Machine {L}earning Research}"),
        (
            "Journal=Jmlr,\n year=2019",
            "Journal={Journal of Machine {L}earning Research},\n year=2019",
        ),
        (
            'journal = "The " # jmlr # { \\#1, jmlr}',
            'journal = "The " # {Journal of Machine {L}earning Research} # { \\#1, jmlr}',
        ),
        ("note = {in jmlr}, title = {jmlr = jmlr}", "note = {in jmlr}, title = {jmlr = jmlr}"),
        ("journal = elsewhere", "journal = elsewhere"),
        ("month = jan, day = 3", "month = jan, day = 3"),
        ('month = "1~" # feb # mar', 'month = "1~" # feb # mar'),
        ("journal = mar, month = MAR", "journal = {Marine Review}, month = MAR"),
    ],
)
@pytest.mark.parametrize("frame", ["@article{zed2019, %s}", "@article(zed2019,\n\t%s\n)"])
def test_the_macros_of_its_file_are_written_out_and_nothing_else_is_touched(
    tmp_path: Path, frame: str, written: str, copied: str
) -> None:
    (entry,) = parse_bibliography(STRINGS + frame % written, tmp_path / "all.bib").entries
    assert record(entry) == frame % copied


def test_a_month_that_is_written_out_stays_a_name_that_styles_know(tmp_path: Path) -> None:
    text = "@book{b, title={B}}\n@inbook{a, crossref={b}, month=feb, note={feb}}\n"
    _, entry = parse_bibliography(text, tmp_path / "a.bib").entries
    assert "  month = feb,\n  note = {feb},\n" in record(entry)


async def test_a_copied_entry_says_the_same_in_a_file_without_its_macros(tmp_path: Path) -> None:
    (tmp_path / "all.bib").write_text(
        '@string{jmlr = "Journal of Machine Learning Research"}\n'
        "@article{zed2019, title = {Zed}, journal = jmlr, month = jan}\n"
    )
    own = "@string{jmlr = {Another Journal}}\n@misc{own, title = {Own}}\n"
    (tmp_path / "new.bib").write_text(own)
    async with Session(tmp_path, options={"bibliography": ["all.bib"]}) as session:
        draft = session.open("a.tex", "As in \\cite{zed20¦19}.\n\\bibliography{new}\n")
        (edit,) = edits_to(tmp_path / "new.bib", await added(draft, "Add “zed2019” to new.bib"))
        new = parse_bibliography(own + edit.new_text, tmp_path / "new.bib").entries[-1]
        assert new.fields["journal"] == "Journal of Machine Learning Research"
        assert "month = jan" in edit.new_text


async def test_an_entry_is_added_to_the_bibliography_within_the_draft(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text(ITEM, encoding="utf-8")
    async with Session(tmp_path, options={"bibliography": ["all.json"]}) as session:
        draft = session.open("main.tex", EMBEDDED.replace("nobody", "doe2020")).at("doe20")
        edits = edits_to(draft.path, await added(draft, "Add “doe2020” to main.tex"))
        after = draft.after_all(edits)
        assert await draft.at("\\cite{k1").actions(["quickfix"]) == [], "it has its entry"
    body, _, rest = after.partition("\\end{filecontents*}")
    assert [entry.key for entry in parse_bibliography(body, draft.path).entries] == [
        "k1",
        "doe2020",
    ]
    assert rest == draft.text.partition("\\end{filecontents*}")[2]


async def test_an_item_of_csl_is_added_as_the_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "all.json").write_text(ITEM, encoding="utf-8")
    bibliography = "@article{own,\n  author = {Moor, Ada},\n  journal = {J},\n  year = 2001\n}\n"
    (tmp_path / "refs.bib").write_text(bibliography, encoding="utf-8")
    async with Session(tmp_path, options={"bibliography": ["all.json"]}) as session:
        session.open("a.tex", "\\bibliography{refs}\n\\cite{doe2020}\n")
        arguments = [(tmp_path / "a.tex").as_uri(), "doe2020"]
        command = types.ExecuteCommandParams("citeLsp.addEntry", arguments)
        assert await session.client.workspace_execute_command_async(command) is True
        written = str(session.applied[0])
    assert "author = {Doe, Jane}" in written and "journal = {Spices}" in written
    assert "year = 2020" in written and "volume = 3" in written
    assert "journaltitle" not in written and "date =" not in written


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("own.json", '[\n  {"id": "own", "type": "book", "title": "T"}\n]\n'),
        ("own.yml", "own:\n  type: book\n  title: T\n"),
    ],
)
async def test_a_record_is_added_whole_to_a_file_in_another_format(
    tmp_path: Path, name: str, own: str
) -> None:
    (tmp_path / "all.bib").write_text(
        "@article{zed2019, title = {Zed}, journal = {Letters}, volume = {12}, number = {3},\n"
        "  pages = {770--778}, publisher = {Mud}, doi = {10.1000/zed}, year = 2019}\n"
    )
    (tmp_path / name).write_text(own)
    async with Session(tmp_path, options={"bibliography": ["all.bib"]}) as session:
        text = f"---\nbibliography: {name}\n---\n\nAs @zed20¦19 says.\n"
        (edit,) = edits_to(
            tmp_path / name, await added(session.open("a.md", text), f"Add “zed2019” to {name}")
        )
    for said in ("12", "3", "770-778", "Mud", "10.1000/zed", "Letters"):
        assert said in edit.new_text


def test_entries_of_other_formats_are_printed_in_a_style(tmp_path: Path) -> None:
    text = ReferenceFormatter().format(csl(tmp_path), "apa", tmp_path, markdown=False)
    assert text.startswith("Doe, J. (2020). Salt & Pepper_s. Spices, 3.")


async def test_that_an_entry_cannot_be_written_is_shown_to_a_writer_who_wants_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "all.bib").write_text("@misc{zed2019, title={Zed}}\n@misc{yam2020, title={Yam}}\n")
    (tmp_path / "own.json").write_text("{}")
    automatic = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Automatic)
    async with Session(tmp_path, options={"bibliography": ["all.bib"]}) as session:
        draft = session.open("a.md", "---\nbibliography: own.json\n---\nSee [@zed20¦19].\n")
        place = types.Range(draft.position(), draft.position())
        await session.client.text_document_code_action_async(
            types.CodeActionParams(draft.identifier, place, automatic)
        )
        assert not session.client.messages
        for key in ("zed2019", "yam2020"):
            written = await session.client.workspace_execute_command_async(
                types.ExecuteCommandParams("citeLsp.addEntry", arguments=[draft.uri, key])
            )
            assert written is False
        assert [message.message for message in session.client.messages] == [
            "own.json: it is no list of CSL items; no entry is added there: let addEntriesTo name "
            "another file"
        ]
