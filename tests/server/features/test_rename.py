"""Renaming a key in every file at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from cite_lsp.library.csl.json import parse_csl_json
from cite_lsp.library.csl.yaml import parse_yaml
from tests.rules.test_examine import EMBEDDED
from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session
from tests.server.features.test_find_references import CHAPTER, CHILD, MAIN, NOTES, write

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def rename(buffer: Buffer, new: str) -> dict[str, list[types.TextEdit]]:
    """Return the edits by file name."""
    edit = await buffer.session.client.text_document_rename_async(
        types.RenameParams(buffer.identifier, buffer.position(), new)
    )
    assert edit is not None
    if edit.document_changes is None:
        return {Path(uri).name: list(edits) for uri, edits in (edit.changes or {}).items()}
    edits = {}
    for change in edit.document_changes:
        assert isinstance(change, types.TextDocumentEdit)
        uri = change.text_document.uri
        versions = {opened.uri: opened.version for opened in buffer.session.buffers}
        assert change.text_document.version == versions.get(uri)
        edits[Path(uri).name] = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
    return edits


def edited(session: Session, text: str, edits: list[types.TextEdit]) -> str:
    buffer = Buffer.__new__(Buffer)
    buffer.session, buffer.text = session, text.replace("¦", "")
    return buffer.after_all(edits)


async def test_every_file_is_renamed_and_nothing_else_in_it(editor_session: Session) -> None:
    session = editor_session
    write(session.folder)
    edits = await rename(session.open("main.tex", MAIN), "li2021:分类")
    before = {
        "main.tex": MAIN,
        "chapter.tex": CHAPTER,
        "notes.md": NOTES,
        "refs.bib": BIBLIOGRAPHY + CHILD,
    }
    assert edits.keys() == before.keys()
    for name, text in before.items():
        after = edited(session, text, edits[name])
        assert after == text.replace("¦", "").replace("李明2021", "li2021:分类")


async def test_unsaved_text_is_renamed_as_it_stands_in_the_editor(session: Session) -> None:
    write(session.folder)
    notes = session.open("notes.md", NOTES)
    notes.at("见 ").type("again [@李明2021] ")
    bib = session.open("refs.bib", "% new first line\n" + BIBLIOGRAPHY)
    edits = await rename(bib.at("@article{李明"), "li2021")
    assert notes.after_all(edits["notes.md"]) == notes.text.replace("李明2021", "li2021")
    assert bib.after_all(edits["refs.bib"]) == bib.text.replace("李明2021", "li2021")


async def test_a_file_that_a_link_leads_to_as_well_is_edited_once(session: Session) -> None:
    paper, link = session.folder / "paper", session.folder / "link"
    paper.mkdir()
    write(paper)
    link.symlink_to(paper)
    draft = session.open("link/main.tex", MAIN)
    edit = await session.client.text_document_rename_async(
        types.RenameParams(draft.identifier, draft.position(), "li2021")
    )
    assert edit is not None and edit.document_changes is not None
    changes = [
        change for change in edit.document_changes if isinstance(change, types.TextDocumentEdit)
    ]
    names = sorted(Path(to_fs_path(change.text_document.uri) or "").name for change in changes)
    assert names == ["chapter.tex", "main.tex", "notes.md", "refs.bib"]


async def test_a_key_in_other_capitals_is_the_same_key(session: Session) -> None:
    bib = BIBLIOGRAPHY + "@inbook{part, crossref = {He2016ResNet}, title = {Part}}\n"
    (session.folder / "refs.bib").write_text(bib, encoding="utf-8")
    (session.folder / "closed.tex").write_text("\\cite{HE2016resnet}\n\\bibliography{refs}\n")
    draft = session.open("a.tex", "As in \\cite{He2016¦resnet}.\n\\bibliography{refs}\n")
    edits = await rename(draft, "residual")
    assert draft.after_all(edits["a.tex"]).startswith("As in \\cite{residual}.")
    assert edits.keys() == {"a.tex", "closed.tex", "refs.bib"}
    after = edited(session, bib, edits["refs.bib"])
    assert "{residual," in after and "crossref = {residual}" in after


async def test_capitals_tell_keys_apart_that_both_have_an_entry(session: Session) -> None:
    both = BIBLIOGRAPHY + "@misc{HE2016resnet, title = {Another}}\n"
    (session.folder / "refs.bib").write_text(both, encoding="utf-8")
    text = "\\cite{he2016¦resnet} and \\cite{HE2016resnet}.\n\\bibliography{refs}\n"
    draft = session.open("a.tex", text)
    edits = await rename(draft, "residual")
    after = "\\cite{residual} and \\cite{HE2016resnet}.\n\\bibliography{refs}\n"
    assert draft.after_all(edits["a.tex"]) == after


@pytest.mark.parametrize(
    "place",
    [
        "\\cite[as \\citealp{he2016resnet} says]{müller2020}",
        "\\newcommand{\\resnet}{ResNet~\\cite{he2016resnet}}",
        "\\def\\resnet{ResNet~\\cite[3]{he2016resnet}}",
        "\\defcitealias{he2016resnet}{Paper I}",
    ],
)
async def test_a_key_is_renamed_where_no_prose_is_around_it(session: Session, place: str) -> None:
    text = f"\\cite{{he2016¦resnet}}\n{place}\n% \\cite{{he2016resnet}}\n\\bibliography{{refs}}\n"
    draft = session.open("a.tex", text)
    edits = await rename(draft, "residual")
    renamed = place.replace("he2016resnet", "residual")
    expected = f"\\cite{{residual}}\n{renamed}\n% \\cite{{he2016resnet}}\n\\bibliography{{refs}}\n"
    assert draft.after_all(edits["a.tex"]) == expected


async def test_a_key_that_pandoc_reads_in_braces_only_gets_them(session: Session) -> None:
    draft = session.open(
        "notes.md", "---\nbibliography: refs.bib\n---\n\nSee @he2016resnet¦ now.\n"
    )
    edits = await rename(draft, "he--2016")
    assert "@{he--2016} now" in draft.after_all(edits["notes.md"])


async def test_what_can_be_renamed_is_said_before(session: Session) -> None:
    draft = session.open("a.tex", "As in \\cite{he20¦16resnet}.\n")

    async def prepare() -> object:
        return await session.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(draft.identifier, draft.position())
        )

    placeholder = await prepare()
    assert isinstance(placeholder, types.PrepareRenamePlaceholder)
    assert placeholder.placeholder == draft.words(placeholder.range) == "he2016resnet"
    draft.at("As")
    assert not await prepare()


async def test_the_star_that_cites_everything_is_no_key_to_rename(session: Session) -> None:
    draft = session.open("a.tex", "\\nocite{*¦}\n\\bibliography{refs}\n")
    parameters = types.PrepareRenameParams(draft.identifier, draft.position())
    assert await session.client.text_document_prepare_rename_async(parameters) is None
    with pytest.raises(JsonRpcException, match="no key"):
        await rename(draft, "all")


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("with blank", "' '"),
        ("with,comma", "','"),
        ("per%cent", "'%'"),
        ("br{ace", "'{'"),
        ("", "empty"),
        ("devlin2019bert", "exists already"),
        ("Devlin2019BERT", "exists already"),
    ],
)
async def test_keys_that_cannot_be_are_refused(session: Session, new: str, said: str) -> None:
    draft = session.open("a.tex", "As in \\cite{he2016¦resnet}.\n")
    with pytest.raises(JsonRpcException, match=said):
        await rename(draft, new)


async def test_a_key_of_a_tex_file_is_a_key_that_tex_reads_whatever_its_entry(
    session: Session,
) -> None:
    draft = session.open("a.tex", "As in \\cite{nobody¦}.\n")
    with pytest.raises(JsonRpcException, match="cannot hold '%'"):
        await rename(draft, "per%cent")


async def test_only_an_entry_in_bibtex_keeps_a_markdown_key_from_its_signs(
    session: Session,
) -> None:
    text = "---\nbibliography: {}\n---\n\nSee @he2016resnet¦ now.\n"
    with pytest.raises(JsonRpcException, match="cannot hold '='"):
        await rename(session.open("bib.md", text.format("refs.bib")), "he=2016")
    (session.folder / "refs.json").write_text('[{"id": "he2016resnet", "title": "T"}]')
    draft = session.open("json.md", text.format("refs.json"))
    edits = await rename(draft, "he=2016")
    assert "See @{he=2016} now" in draft.after_all(edits["json.md"])


@pytest.mark.parametrize(
    ("name", "bibliography", "new", "after"),
    [
        ("refs.json", '[{"id": 12, "title": "T"}]', "he2016", '"id": "he2016",'),
        ("refs.json", '[{"id": "12", "title": "T"}]', "he2016", '"id": "he2016",'),
        ("refs.json", '[{"id": "12", "title": "T"}]', 'say"ing', '"id": "say\\"ing",'),
        ("refs.yaml", "references:\n- id: 12\n  title: T\n", "O'Neil", "id: O'Neil\n"),
        ("refs.yaml", "references:\n- id: '12'\n  title: T\n", "O'Neil", "id: 'O''Neil'\n"),
        ("refs.yaml", 'references:\n- id: "12"\n  title: T\n', "a\\b", 'id: "a\\\\b"\n'),
        ("refs.yaml", "references:\n- id: 12\n  title: T\n", "no", 'id: "no"\n'),
        ("refs.yaml", "references:\n- {id: 12, title: T}\n", "a,b", '{id: "a,b", title: T}'),
        ("refs.yaml", "12:\n  title: T\n", "#he", '"#he":\n'),
    ],
)
async def test_an_item_of_json_or_yaml_is_read_by_its_new_key(
    session: Session, name: str, bibliography: str, new: str, after: str
) -> None:
    (session.folder / name).write_text(bibliography)
    draft = session.open("a.md", f"---\nbibliography: {name}\n---\n\nSee [@12¦].\n")
    edits = await rename(draft, new)
    text = edited(session, bibliography, edits[name])
    assert after in text
    read = parse_csl_json if name == "refs.json" else parse_yaml
    assert [entry.key for entry in read(text, Path(name)).entries] == [new]


async def test_a_further_key_of_an_entry_is_taken_and_is_renamed_alone(session: Session) -> None:
    (session.folder / "refs.bib").write_text("@misc{new, title={T}, ids={old, x}}\n")
    draft = session.open("a.tex", "\\bibliography{refs} \\cite{old} \\cite{new¦}\n")
    with pytest.raises(JsonRpcException, match='"old" exists already'):
        await rename(draft, "old")
    edits = await rename(draft.at("{old"), "former")
    assert edited(session, draft.text, edits["a.tex"]).endswith("\\cite{former} \\cite{new}\n")
    assert [edit.range.start.character for edit in edits["refs.bib"]] == [27]


async def test_a_cited_key_without_an_entry_is_renamed_too(session: Session) -> None:
    draft = session.open("a.tex", "As in \\cite{nobody¦} and \\citet{nobody}.\n")
    edits = await rename(draft, "somebody")
    assert draft.after_all(edits["a.tex"]) == draft.text.replace("nobody", "somebody")


@pytest.mark.parametrize("place", ["\\cite{k1", "@article{k1"])
async def test_a_key_is_renamed_with_its_record_in_the_draft_itself(
    session: Session, place: str
) -> None:
    draft = session.open("main.tex", EMBEDDED).at(place)
    edits = await rename(draft, "nettles")
    assert edits.keys() == {"main.tex"}
    assert draft.after_all(edits["main.tex"]) == draft.text.replace("k1", "nettles")


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        (
            "a.typ",
            "深 😀 @he2016¦resnet and #cite(<he2016resnet>), @he2016resnet[p. 3].\n"
            '#bibliography("refs.bib")\n// @he2016resnet\n',
            "深 😀 @he::2016 and #cite(<he::2016>), @he::2016[p. 3].\n"
            '#bibliography("refs.bib")\n// @he2016resnet\n',
        ),
        (
            "a.org",
            "深 😀 [cite:@he2016¦resnet; see @müller2020 p. 3] and [cite/t:@he2016resnet].\n"
            "#+bibliography: refs.bib\n# [cite:@he2016resnet]\n",
            "深 😀 [cite:@he::2016; see @müller2020 p. 3] and [cite/t:@he::2016].\n"
            "#+bibliography: refs.bib\n# [cite:@he2016resnet]\n",
        ),
    ],
)
async def test_keys_in_typst_and_org_are_renamed_with_their_entry(
    editor_session: Session, name: str, text: str, after: str
) -> None:
    session = editor_session
    draft = session.open(name, text)
    edits = await rename(draft, "he::2016")
    assert draft.after_all(edits[name]) == after
    assert "@inproceedings{he::2016," in edited(session, BIBLIOGRAPHY, edits["refs.bib"])


@pytest.mark.parametrize("name", ["b.typ", "b.org"])
async def test_closed_typst_and_org_files_are_renamed_with_an_open_draft(
    session: Session, name: str
) -> None:
    text = {
        "b.typ": 'Seen @he2016resnet.\n#bibliography("refs.bib")\n',
        "b.org": "Seen [cite:@he2016resnet].\n#+bibliography: refs.bib\n",
    }[name]
    (session.folder / name).write_text(text)
    edits = await rename(session.open("a.tex", "\\cite{he2016¦resnet}\\bibliography{refs}\n"), "he")
    assert edited(session, text, edits[name]) == text.replace("he2016resnet", "he")


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("a.typ", "a b"),
        ("a.typ", "a/b"),
        ("a.typ", "a."),
        ("a.typ", "a:b:"),
        ("a.org", "a;b"),
        ("link.org", "a."),
    ],
)
async def test_keys_that_typst_or_org_cannot_hold_are_refused(
    session: Session, name: str, new: str
) -> None:
    text = {
        "a.typ": 'See @he2016¦resnet.\n#bibliography("refs.bib")\n',
        "a.org": "See [cite:@he2016¦resnet].\n#+bibliography: refs.bib\n",
        "link.org": "See cite:he2016¦resnet now.\n#+bibliography: refs.bib\n",
    }[name]
    with pytest.raises(JsonRpcException, match="cannot hold"):
        await rename(session.open(name, text), new)
