"""Completion, as a writer meets it in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import Buffer, Session, inserted

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALL_KEYS = {
    "vaswani2017attention",
    "devlin2019bert",
    "he2016resnet",
    "DBLP:books/lib/Knuth86a",
    "müller2020",
    "李明2021",
}
PREAMBLE = "\\documentclass{article}\n\\begin{document}\n"
END = "\n\\bibliography{refs}\n\\end{document}\n"


def latex(text: str) -> str:
    return PREAMBLE + text + END


async def test_an_empty_citation_lists_the_library_best_first(editor_session: Session) -> None:
    session = editor_session
    draft = session.open("a.tex", latex(r"Attention replaced recurrence entirely \cite{¦}."))
    completions = await draft.complete()
    assert completions is not None and completions.is_incomplete
    assert {inserted(item) for item in completions.items} == ALL_KEYS
    assert inserted(completions.items[0]) == "vaswani2017attention"
    ranks = [item.sort_text or "" for item in completions.items]
    assert ranks == sorted(ranks)


async def test_markdown_citations_are_completed(session: Session) -> None:
    for text in ("See [@¦].", "See [see @he2016resnet; @¦].", "See @¦"):
        draft = session.open("a.md", f"---\nbibliography: refs.bib\n---\n\n{text}\n")
        assert set(await draft.keys()) >= ALL_KEYS - {"he2016resnet"}


@pytest.mark.parametrize("text", ["See [see ¦].", "See [@he2016resnet, ¦]."])
async def test_a_blank_that_may_go_on_otherwise_opens_no_list(session: Session, text: str) -> None:
    draft = session.open("a.md", f"---\nbibliography: refs.bib\n---\n\n{text}\n")
    assert "@vaswani2017attention" in await draft.keys()
    assert await draft.complete(types.CompletionTriggerKind.TriggerCharacter) is None
    draft.type("Vas")
    assert await draft.complete() is None
    by_itself = types.CompletionTriggerKind.TriggerForIncompleteCompletions
    completions = await draft.complete(by_itself)
    assert completions is not None
    assert [inserted(item) for item in completions.items] == ["@vaswani2017attention"]


@pytest.mark.parametrize(
    "place",
    [r"\cite[as \citealp{¦} says]{he2016resnet}", r"\newcommand{\x}{X~\cite{he2016resnet, ¦}}"],
)
async def test_notes_and_definitions_are_completed(session: Session, place: str) -> None:
    draft = session.open("a.tex", latex(f"As in {place}."))
    assert "vaswani2017attention" in await draft.keys()


async def test_what_a_package_of_the_draft_defines_is_completed(session: Session) -> None:
    package = session.folder / "mymacros.sty"
    package.write_text("\\newcommand{\\fc}[2][]{\\footcite[#1]{#2}}\n", "utf-8")
    text = "\\usepackage{mymacros}\n" + latex(r"As in \fc[3]{¦}.")
    draft = session.open("a.tex", text)
    assert set(await draft.keys()) == ALL_KEYS
    package.write_text("% Nothing.\n", "utf-8")
    assert await draft.complete() is None


async def test_nothing_is_offered_where_nothing_is_cited(session: Session) -> None:
    assert await session.open("a.tex", latex("Words, \\emph{¦}.")).complete() is None
    assert await session.open("a.md", "Write to me@¦example.org").complete() is None


async def accepted(draft: Buffer, key: str) -> types.TextEdit:
    """Return the edit that accepting the item of a key makes."""
    completions = await draft.complete()
    assert completions is not None
    edit = next(item.text_edit for item in completions.items if inserted(item) == key)
    assert edit is not None
    span = edit.replace if isinstance(edit, types.InsertReplaceEdit) else edit.range
    return types.TextEdit(span, edit.new_text)


async def test_authors_title_words_and_years_find_an_entry(session: Session) -> None:
    expected = {
        "vaswani": "vaswani2017attention",
        "all you need": "vaswani2017attention",
        "residual HE": "he2016resnet",
        "1986": "DBLP:books/lib/Knuth86a",
        "muller": "müller2020",
        "文本分类": "李明2021",
    }
    for typed, key in expected.items():
        draft = session.open("a.tex", latex(rf"As shown \cite{{{typed}¦}}."))
        assert await draft.keys() == [key]


@pytest.mark.parametrize(
    ("field", "address"),
    [
        ("doi = {10.1038/S41586-020-2649-2}", "https://doi.org/10.1038/s41586-020-2649-2"),
        ("pmid = {32939066}", "https://pubmed.ncbi.nlm.nih.gov/32939066/"),
        (r"url = {https://openreview.net/forum?id=a\_B1}", "https://openreview.net/pdf?id=a_B1"),
    ],
)
async def test_a_pasted_address_gives_way_to_the_key_of_its_entry(
    session: Session, field: str, address: str
) -> None:
    numbered = f"@article{{numbered, title = {{Some Work}}, {field}}}"
    (session.folder / "more.bib").write_text(numbered, encoding="utf-8")
    text = latex(rf"As in \cite{{{address}¦}}.").replace("{refs}", "{refs,more}")
    draft = session.open("a.tex", text)
    completions = await draft.complete()
    assert completions is not None
    (item,) = completions.items
    assert (item.filter_text or "").startswith(address)  # or editors would hide it
    assert isinstance(item.text_edit, types.InsertReplaceEdit)
    edit = types.TextEdit(item.text_edit.replace, inserted(item))
    assert r"As in \cite{numbered}." in draft.after(edit)


async def test_several_words_find_an_entry_in_brackets_of_markdown(session: Session) -> None:
    for typed in ("vaswani 2017", "Vaswani et al. 2017", "attention all", "muller "):
        draft = session.open("a.md", f"---\nbibliography: refs.bib\n---\n\nSee [@{typed}¦].\n")
        (key,) = await draft.keys()
        assert draft.after(await accepted(draft, key)).endswith(f"See [@{key}].\n")
    locator = "---\nbibliography: refs.bib\n---\n\nSee [@he2016resnet residual¦].\n"
    assert await session.open("a.md", locator).complete() is None


async def test_a_work_is_found_behind_a_sign_outside_of_brackets(session: Session) -> None:
    draft = session.open("a.md", "---\nbibliography: refs.bib\n---\n\nAs ¦ say.\n")
    for part in ("@Vas", "wani et al", ".", " ", "(20", "17"):
        draft.type(part)
        edit = await accepted(draft, "vaswani2017attention")
        assert draft.after(edit).endswith("As @vaswani2017attention say.\n")
    draft.type(") and by @he2016resnet et al. ")
    assert await draft.complete() is None


@pytest.mark.parametrize(
    ("name", "typed", "after"),
    [
        ("a.md", "[@he2016resnet; Vaswani et al., 2017¦]", "[@he2016resnet; @X]"),
        (
            "a.md",
            "[@he2016resnet; see also Vas¦wani, 2017, p. 3]",
            "[@he2016resnet; see also @X, p. 3]",
        ),
        ("a.md", "[see Vaswani¦; @he2016resnet]", "[see @X; @he2016resnet]"),
        ("a.org", "[cite:@he2016resnet;see Vaswani¦ 2017]", "[cite:@he2016resnet;see @X]"),
    ],
)
async def test_a_work_that_is_written_out_beside_keys_becomes_one(
    session: Session, name: str, typed: str, after: str
) -> None:
    head = "#+bibliography: refs.bib" if name == "a.org" else "---\nbibliography: refs.bib\n---"
    draft = session.open(name, f"{head}\n\nWe know {typed} of it.\n")
    whole = f"{head}\n\nWe know {after.replace('X', 'vaswani2017attention')} of it.\n"
    assert draft.after(await accepted(draft, "@vaswani2017attention")) == whole
    (action,) = [action for action in await draft.actions() if action.title.startswith("Cite")]
    assert isinstance(action, types.CodeAction) and action.edit and action.edit.document_changes
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    (edit,) = change.edits
    assert isinstance(edit, types.TextEdit) and draft.after(edit) == whole


@pytest.mark.parametrize("end", ["} of it.", "", " of it."])
async def test_commas_that_lack_between_keys_are_put_in(session: Session, end: str) -> None:
    text = f"We know \\cite{{he2016resnet devlin2019bert vas¦{end}\n\n\\bibliography{{refs}}\n"
    draft = session.open("a.tex", text)
    completions = await draft.complete()
    assert completions is not None
    (item,) = completions.items
    edit = await accepted(draft, "vaswani2017attention")
    keys = "{he2016resnet, devlin2019bert, vaswani2017attention"
    expected = f"We know \\cite{keys}{end}\n\n\\bibliography{{refs}}\n"
    assert draft.after_all([*(item.additional_text_edits or ()), edit]) == expected


@pytest.mark.parametrize("typed", ["; see¦", ", Vaswani¦", "; Vaswani, 2017, chap¦"])
async def test_what_is_said_with_a_key_is_no_work(session: Session, typed: str) -> None:
    text = f"---\nbibliography: refs.bib\n---\n\nWe know [@he2016resnet{typed}].\n"
    assert await session.open("a.md", text).complete() is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_accepting_replaces_exactly_what_was_typed(folder: Path, encoding: str) -> None:
    async with Session(folder, encodings=(encoding,)) as session:
        for key in ("DBLP:books/lib/Knuth86a", "müller2020", "李明2021"):
            text = latex(r"深度学习 😀 e̊\cite{he2016resnet, " + key[:3] + "¦} 之后 😀 stays.")
            draft = session.open("a.tex", text)
            completions = await draft.complete()
            assert completions is not None
            item = next(item for item in completions.items if inserted(item) == key)
            assert isinstance(item.text_edit, types.InsertReplaceEdit)
            edit = types.TextEdit(item.text_edit.replace, key)
            assert draft.after(edit) == text.replace(key[:3] + "¦", key)


@pytest.mark.parametrize(
    ("name", "typed", "after"),
    [
        ("a.md", "[@zorn¦]", "[@{zorn(86)a}]"),
        ("a.md", "[@{zorn¦]", "[@{zorn(86)a}]"),
        ("a.md", "\\cite{zorn¦}", "\\cite{zorn(86)a}"),
        ("a.typ", "@zorn¦", '#cite(label("zorn(86)a"))'),
        ("a.typ", "#cite(<zorn¦>, form: none)", '#cite(label("zorn(86)a"), form: none)'),
        ("a.typ", "#cite(<zo¦rn>)", '#cite(label("zorn(86)a"))'),
        ("a.typ", "#cite(<zorn¦)", '#cite(label("zorn(86)a"))'),
        ("a.typ", "#cite(<li2020.¦>)", "#cite(<li2020>)"),
        ("a.typ", '#cite(label("zorn¦"))', '#cite(label("zorn(86)a"))'),
        ("a.typ", "#cite(zorn¦)", '#cite(label("zorn(86)a"))'),
        ("a.typ", "#cite(li2020¦", "#cite(<li2020>"),
        ("a.typ", '#cite("li2020¦', "#cite(<li2020>"),
        ("a.typ", '#cite("li2020¦")', "#cite(<li2020>)"),
        ("a.typ", '#cite("zorn¦", form: none)', '#cite(label("zorn(86)a"), form: none)'),
        ("a.typ", '#cite("x", "li2020¦")', '#cite("x", "li2020")'),
        ("a.typ", "#cite(label(li2020¦", '#cite(label("li2020")'),
        ("a.typ", "#cite(label(li2020¦))", '#cite(label("li2020"))'),
        ("a.typ", "#cite( li2020¦ )", "#cite( <li2020> )"),
        ("a.md", "[@li2020¦@x]", "[@li2020; @x]"),
        ("a.md", "[see @x; -@zorn¦-@y, p. 3]", "[see @x; -@{zorn(86)a}; -@y, p. 3]"),
        ("a.md", "as @li2020¦@x say", "as @li2020 @x say"),
        ("a.typ", "@li2020¦@x.y-z", "@li2020 @x.y-z"),
        ("a.org", "[cite:@li2020¦@x]", "[cite:@li2020;@x]"),
        ("a.tex", "\\cite{li2020，zorn¦}", "\\cite{li2020,zorn(86)a}"),
        ("a.tex", "\\cite{li2020、zorn¦}", "\\cite{li2020,zorn(86)a}"),
        ("a.tex", "\\cite{li2020; zorn¦}", "\\cite{li2020, zorn(86)a}"),
        ("a.tex", "\\cite{li2020;zo¦}", "\\cite{li2020,zorn(86)a}"),
        ("a.tex", "\\cite{zo¦; li2020}", "\\cite{zorn(86)a; li2020}"),
        ("a.tex", "\\cite{li2020 zo¦}", "\\cite{li2020, zorn(86)a}"),
        ("a.tex", "\\cite{li2020 zo¦, x}", "\\cite{li2020, zorn(86)a, x}"),
        ("a.tex", "\\cite{li2020 zo¦ and so on.", "\\cite{li2020, zorn(86)a and so on."),
        ("a.tex", "\\cite{Z\\'orn¦}", "\\cite{zorn(86)a}"),
        ("a.tex", "\\cite{li2020, Z\\'{o}rn¦, x}", "\\cite{li2020, zorn(86)a, x}"),
        ("a.tex", "\\cite{Z{\\'o}rn¦}", "\\cite{zorn(86)a}"),
        ("a.tex", "\\cite{\\v{Z}orn¦}", "\\cite{zorn(86)a}"),
        ("a.tex", "\\cite{li2020;zo¦ and so on.", "\\cite{li2020,zorn(86)a and so on."),
        ("a.md", "{cite:p}`li2020;zorn¦`", "{cite:p}`li2020;zorn(86)a`"),
        ("a.md", "[see @li2020, zorn @zo¦]", "[see @li2020, zorn @{zorn(86)a}]"),
        ("a.md", "[see @li2020, @zorn¦]", "[see @li2020; @{zorn(86)a}]"),
        ("a.md", "[see @li2020, -@zorn¦", "[see @li2020; -@{zorn(86)a}"),
        ("a.md", "^[See @li2020, @zorn¦]", "^[See @li2020, @{zorn(86)a}]"),
        ("a.org", "[cite:@li2020,@zorn¦]", "[cite:@li2020;@zorn(86)a]"),
        ("a.org", "[cite:@li2020;zo¦", "[cite:@li2020;@zorn(86)a"),
        ("a.org", "[cite/t:see @li2020 p. 3; zo¦]", "[cite/t:see @li2020 p. 3; @zorn(86)a]"),
        ("a.org", "[cite:@li2020; zo¦@x]", "[cite:@li2020; @zorn(86)a;@x]"),
        ("a.org", "[cite:@li2020,\n@zorn¦]", "[cite:@li2020;\n@zorn(86)a]"),
    ],
)
async def test_a_key_is_spelled_as_the_format_reads_it(
    folder: Path, name: str, typed: str, after: str
) -> None:
    (folder / "odd.bib").write_text(
        "@book{zorn(86)a, title={T}, author={Zorn, D.}}\n@book{li2020, title={U}}\n"
    )
    async with Session(folder, options={"bibliography": ["odd.bib"]}) as session:
        draft = session.open(name, f"So it is, see {typed}")
        completions = await draft.complete()
        assert completions is not None
        (item,) = completions.items
        edit = item.text_edit
        assert edit is not None
        span = edit.replace if isinstance(edit, types.InsertReplaceEdit) else edit.range
        edits = [types.TextEdit(span, edit.new_text), *(item.additional_text_edits or ())]
        assert draft.after_all(edits) == f"So it is, see {after}"


@pytest.mark.parametrize(
    ("typed", "sign"),
    [
        ("[cite:¦]", "@"),
        ("[cite:he2016¦]", "@"),
        ("[cite:@li2020;¦]", "@"),
        ("[cite/t:@¦]", ""),
        ("cite:¦", ""),
        ("[[cite:¦", ""),
    ],
)
async def test_behind_the_colon_of_org_a_key_comes_with_its_sign(
    session: Session, typed: str, sign: str
) -> None:
    keys = await session.open("a.org", f"#+bibliography: refs.bib\n\nSo {typed} it is.\n").keys()
    assert f"{sign}he2016resnet" in keys


async def test_a_key_under_the_cursor_is_replaced_and_the_text_behind_it_is_not(
    editor_session: Session,
) -> None:
    session = editor_session
    draft = session.open("a.tex", latex(r"A \cite{vas¦wani2017,he2016resnet} b."))
    completions = await draft.complete()
    assert completions is not None
    edit = completions.items[0].text_edit
    if isinstance(edit, types.InsertReplaceEdit):
        assert draft.after(types.TextEdit(edit.insert, "X")) == latex(
            r"A \cite{Xwani2017,he2016resnet} b."
        )
        edit = types.TextEdit(edit.replace, edit.new_text)
    assert edit is not None
    assert draft.after(edit) == latex(r"A \cite{vaswani2017attention,he2016resnet} b.")


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        (r"A \cite{devl¦he2016resnet}.", r"A \cite{devlin2019bert,he2016resnet}."),
        (r"A \cite{¦he2016resnet}.", r"A \cite{devlin2019bert,he2016resnet}."),
        (
            r"\cite{müller2020, devl¦he2016resnet} \cite{müller2020, he2016resnet}.",
            r"\cite{müller2020, devlin2019bert, he2016resnet} \cite{müller2020, he2016resnet}.",
        ),
        (
            r"A \cite{müller2020,devl¦ he2016resnet}.",
            r"A \cite{müller2020,devlin2019bert, he2016resnet}.",
        ),
        (r"A \cite{devl¦unknown}.", r"A \cite{devlin2019bert}."),
    ],
)
async def test_what_is_typed_before_a_key_of_the_library_leaves_that_where_it_is(
    editor_session: Session, typed: str, after: str
) -> None:
    draft = editor_session.open("a.tex", latex(typed))
    completions = await draft.complete()
    assert completions is not None
    edits = [item.text_edit for item in completions.items]
    texts = [
        draft.after(types.TextEdit(edit.replace, edit.new_text))
        if isinstance(edit, types.InsertReplaceEdit)
        else draft.after(edit)
        for edit in edits
        if edit is not None
    ]
    assert latex(after) in texts
    assert not any("he2016resnet,he2016resnet" in text.replace(" ", "") for text in texts)


@pytest.mark.parametrize("label", ["<devl¦he2016resnet>", 'label("devl¦he2016resnet")'])
async def test_in_a_label_of_typst_which_holds_a_single_key_the_other_key_is_replaced(
    session: Session, label: str
) -> None:
    head = '#bibliography("refs.bib")\n\n'
    draft = session.open("a.typ", f"{head}As in #cite({label}).\n")
    completions = await draft.complete()
    assert completions is not None
    (item,) = completions.items
    assert isinstance(item.text_edit, types.InsertReplaceEdit)
    edit = types.TextEdit(item.text_edit.replace, item.text_edit.new_text)
    written = label.replace("devl¦he2016resnet", "devlin2019bert")
    assert draft.after(edit) == f"{head}As in #cite({written}).\n"


@pytest.mark.parametrize(
    ("name", "typed", "after"),
    [
        ("a.typ", "如@devl¦所示。", "如@devlin2019bert 所示。"),
        ("b.typ", "如@¦所示。", "如@devlin2019bert 所示。"),
        ("c.typ", "如@devl¦，所示。", "如@devlin2019bert，所示。"),
        ("a.md", "如 @devl¦所示。", "如 @devlin2019bert 所示。"),
        ("b.md", "例如，@devl¦所示。", "例如，@devlin2019bert 所示。"),
        ("c.md", "如 @李¦明2021。", "如 @李明2021。"),
    ],
)
async def test_a_word_behind_a_key_is_neither_eaten_nor_read_as_part_of_it(
    session: Session, name: str, typed: str, after: str
) -> None:
    named = (
        '#bibliography("refs.bib")' if name.endswith("typ") else "---\nbibliography: refs.bib\n---"
    )
    draft = session.open(name, f"{named}\n\n{typed}\n")
    completions = await draft.complete()
    assert completions is not None
    edits = [item.text_edit for item in completions.items]
    texts = [
        draft.after(types.TextEdit(edit.replace, edit.new_text))
        for edit in edits
        if isinstance(edit, types.InsertReplaceEdit)
    ]
    assert f"{named}\n\n{after}\n" in texts


async def test_an_unfinished_citation_does_not_swallow_the_sentence(folder: Path) -> None:
    async with Session(folder, "emacs") as session:
        draft = session.open("a.tex", latex("A \\cite{vasw¦\nThe next line."))
        completions = await draft.complete()
        assert completions is not None and isinstance(
            completions.items[0].text_edit, types.TextEdit
        )
        assert draft.after(completions.items[0].text_edit) == latex(
            "A \\cite{vaswani2017attention\nThe next line."
        )


async def test_items_survive_the_filters_of_editors(editor_session: Session) -> None:
    session = editor_session
    draft = session.open("a.tex", latex(r"As shown \cite{all you¦}."))
    completions = await draft.complete()
    assert completions is not None
    for item in completions.items:
        assert (item.filter_text or "").startswith("all you ")
        assert "vaswani2017attention" in (item.filter_text or "")


async def test_the_label_names_the_paper_for_clients_without_label_details(folder: Path) -> None:
    async with Session(folder, "neovim@v0.7") as session:
        completions = await session.open("a.tex", latex(r"As shown \cite{all you¦}.")).complete()
        assert completions is not None
        label = completions.items[0].label
        assert label == "vaswani2017attention  Vaswani et al. 2017, Attention Is All You Need"


async def test_the_label_is_the_key_for_clients_with_label_details(folder: Path) -> None:
    session = Session(folder)
    assert session.capabilities.text_document is not None
    completion = session.capabilities.text_document.completion
    assert completion is not None and completion.completion_item is not None
    completion.completion_item.label_details_support = True
    async with session:
        completions = await session.open("a.tex", latex(r"As shown \cite{all you¦}.")).complete()
        assert completions is not None
        item = completions.items[0]
        assert item.label == "vaswani2017attention"
        assert item.label_details == types.CompletionItemLabelDetails(
            detail=" Vaswani et al. 2017", description="Attention Is All You Need"
        )


async def test_completions_follow_the_edits(session: Session) -> None:
    draft = session.open("a.tex", latex("深 😀 As shown¦."))
    assert await draft.complete() is None
    draft.type(r" \cite{")
    assert set(await draft.keys()) == ALL_KEYS
    for letter in "knuth":
        draft.type(letter)
    assert await draft.keys() == ["DBLP:books/lib/Knuth86a"]
    draft.replace(draft.cursor - 5, draft.cursor, "deep")
    assert set(await draft.keys()) == {"he2016resnet", "devlin2019bert"}


async def test_entries_added_on_disk_are_offered(session: Session) -> None:
    draft = session.open("a.tex", latex(r"As shown \cite{zhou¦}."))
    assert await draft.keys() == []
    with (session.folder / "refs.bib").open("a", encoding="utf-8") as file:
        file.write("@article{zhou2024, title={New}, author={Zhou, X}, year={2024}}\n")
    assert await draft.keys() == ["zhou2024"]


async def test_the_list_is_as_short_as_the_setting_says(folder: Path) -> None:
    async with Session(folder, options={"completion": {"limit": 2}}) as session:
        assert len(await session.open("a.tex", latex(r"As \cite{¦}.")).keys()) == 2


async def test_a_finished_key_opens_no_list_by_itself(session: Session) -> None:
    draft = session.open("a.tex", latex(r"As shown \cite{he2016resnet¦}."))
    assert await draft.keys() == ["he2016resnet"]
    by_itself = types.CompletionTriggerKind.TriggerForIncompleteCompletions
    completions = await draft.complete(by_itself)
    assert completions is not None and not completions.items


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "---\nbibliography: refs.bib\n---\n\nSo says @he2016resnet.¦\n"),
        ("a.typ", '#bibliography("refs.bib")\n\nSo says @he2016resnet.¦\n'),
        ("a.org", "#+bibliography: refs.bib\n\nSo says [cite:@he2016resnet.¦\n"),
    ],
)
async def test_nor_does_the_full_stop_behind_it(session: Session, name: str, text: str) -> None:
    draft = session.open(name, text)
    by_itself = types.CompletionTriggerKind.TriggerForIncompleteCompletions
    completions = await draft.complete(by_itself)
    assert completions is not None and not completions.items


async def test_an_unsaved_buffer_cites_from_its_workspace(folder: Path) -> None:
    async with Session(folder) as session:
        item = types.TextDocumentItem("untitled:Untitled-1", "markdown", 1, "See [@he2016]")
        session.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        completions = await session.client.text_document_completion_async(
            types.CompletionParams(
                types.TextDocumentIdentifier("untitled:Untitled-1"), types.Position(0, 12)
            )
        )
        assert isinstance(completions, types.CompletionList)
        assert [inserted(item) for item in completions.items] == ["he2016resnet"]
