"""Citing the paper a sentence needs, without typing a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import EDITORS, Buffer, Session

Plain = types.TextEdit | types.AnnotatedTextEdit

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCE = (
    "The Transformer, a network built from attention alone, was introduced in 2017 and "
    "has been shown to be all you need."
)
LATEX = (
    "\\documentclass{article}\n\\begin{document}\n\\section{Related work}\n"
    "深 😀 Residual learning won \\citep{he2016resnet}. "
    f"{SENTENCE} A last word.\n\\bibliography{{refs}}\n\\end{{document}}\n"
)

NAMED = SENTENCE.replace("attention alone", "attention alone by Vaswani")
"""One that names its paper: sure enough to be cited without a choice."""
SURE = LATEX.replace(SENTENCE, NAMED)


def edits(action: types.CodeAction | types.Command) -> list[Plain]:
    assert isinstance(action, types.CodeAction) and action.edit is not None
    if action.edit.document_changes:
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version is not None
        return [edit for edit in change.edits if isinstance(edit, Plain)]
    assert action.edit.changes is not None
    (changes,) = action.edit.changes.values()
    return [*changes]


def after(draft: Buffer, action: types.CodeAction | types.Command) -> str:
    (edit,) = edits(action)
    return draft.after(edit)


@pytest.mark.parametrize("editor", EDITORS)
async def test_a_sentence_is_offered_its_five_best_papers(folder: Path, editor: str) -> None:
    async with Session(folder, editor) as session:
        draft = session.open("a.tex", LATEX).at("built from")
        actions = [action for action in await draft.actions() if action.title.startswith("Cite")]
        assert len(actions) == 5
        assert actions[0].title == "Cite: Vaswani et al. 2017, Attention Is All You Need"
        assert isinstance(actions[0], types.CodeAction)
        assert actions[0].kind == types.CodeActionKind.QuickFix
        cited = SENTENCE[:-1] + "~\\citep{vaswani2017attention}."
        # The draft puts a blank before its markers, so the new one gets a blank.
        cited = cited.replace("~", " ")
        assert after(draft, actions[0]) == LATEX.replace(SENTENCE, cited)


async def test_the_marker_follows_the_style_of_a_markdown_draft(session: Session) -> None:
    draft = session.open("a.md", f"# One\n\n{SENTENCE}\n").at("attention")
    (first, *_) = await draft.actions()
    expected = SENTENCE[:-1] + " [@vaswani2017attention]."
    assert after(draft, first) == f"# One\n\n{expected}\n"


async def test_chinese_prose_gets_no_blank(session: Session) -> None:
    draft = session.open("a.md", "# 引言\n\n基于深度学习的文本分类取得了进展。下一句话。\n").at(
        "深度"
    )
    first = next(a for a in await draft.actions() if "李明" in a.title)
    assert "取得了进展[@李明2021]。下一句话" in after(draft, first)


async def test_a_marker_is_offered_what_it_does_not_cite_yet(session: Session) -> None:
    draft = session.open("a.tex", LATEX).at("he2016")
    actions = [a for a in await draft.actions() if a.title.startswith("Cite")]
    assert not any(action.title.startswith("Cite: He 2016") for action in actions)
    first = next(action for action in actions if "Vaswani" in action.title)
    assert after(draft, first) == LATEX.replace(
        "{he2016resnet}", "{he2016resnet,vaswani2017attention}"
    )


@pytest.mark.parametrize(
    ("name", "begun", "completed"),
    [
        (
            "a.tex",
            r"Attention alone is used \citep{he2016resnet, vasw¦}.",
            r"\citep{he2016resnet, X}.",
        ),
        ("b.tex", r"Attention alone is used \citep{all you need¦}.", r"\citep{X}."),
        (
            "c.tex",
            r"Attention alone is used \citep{vasw¦ani2017, he2016resnet}.",
            r"\citep{X, he2016resnet}.",
        ),
        ("d.tex", r"Attention alone is used \citep{he2016resnet¦}.", r"\citep{he2016resnet,X}."),
        ("e.tex", r"Attention alone is used \citep{soon2099¦}.", r"\citep{soon2099,X}."),
        ("f.tex", r"Attention alone is used \citep{?¦}.", r"\citep{X}."),
        ("j.tex", r"Attention alone is used \citep{vasw¦ani2017 mol}.", r"\citep{X, mol}."),
        ("g.tex", r"Attention alone is used \ci¦tep[see][]{TODO}.", r"\citep[see][]{X}."),
        (
            "h.tex",
            r"Attention alone is used \citep{he2016resnet,XXX¦}.",
            r"\citep{he2016resnet,X}.",
        ),
        ("b.md", "Attention alone is used [@TODO¦].", "[@X]."),
        ("i.tex", r"Attention al¦one is used \citep{}.", r"\citep{X}."),
        ("c.md", "Attention al¦one is used [@].", "[@X]."),
        ("a.md", "Attention alone is used [@he2016resnet; @vasw¦].", "[@he2016resnet; @X]."),
        ("a.typ", "Attention alone is used @vasw¦.", "@X."),
    ],
)
async def test_a_key_that_has_been_begun_is_completed(
    session: Session, name: str, begun: str, completed: str
) -> None:
    draft = session.open(name, f"{begun}\n")
    action = next(action for action in await draft.actions() if "Attention Is" in action.title)
    whole = f"Attention alone is used {completed}\n".replace("X", "vaswani2017attention")
    assert draft.after_all(edits(action)) == whole


@pytest.mark.parametrize(
    ("name", "begun", "completed"),
    [
        ("a.tex", r"Attention al¦one is used [?].", r"Attention alone is used~\cite{X}."),
        ("b.tex", r"Attention alone is used \todo{ci¦te}.", r"Attention alone is used~\cite{X}."),
        ("c.tex", r"Attention al¦one is used \cite{TODO}.", r"Attention alone is used \cite{X}."),
        (
            "d.tex",
            r"Nets \cite{he2016resnet} and att¦ention alone are used [CITE].",
            r"Nets \cite{he2016resnet} and attention alone are used \cite{X}.",
        ),
        ("a.md", "Attention alone is used [@¦?].", "Attention alone is used [@X]."),
        ("a.typ", "Attention al¦one is used. // cite", "Attention alone is used @X."),
        ("a.org", "Attention al¦one is used (REF).", "Attention alone is used [cite:@X]."),
    ],
)
@pytest.mark.parametrize("title", ["Cite: ", "Add missing citations"])
async def test_a_note_that_asks_for_a_citation_gives_way_to_it(
    session: Session, name: str, begun: str, completed: str, title: str
) -> None:
    draft = session.open(name, f"{begun}\n")
    action = next(action for action in await draft.actions() if action.title.startswith(title))
    assert draft.after_all(edits(action)) == f"{completed}\n".replace("X", "vaswani2017attention")


@pytest.mark.parametrize(
    ("begun", "completed"),
    [
        ("is enough \\cite{¦ as they say. More.", "is enough \\cite{X} as they say. More."),
        ("is enough \\cite{known, ¦ as they say.", "is enough \\cite{known, X} as they say."),
        ("is enough \\cite{vasw¦ as they say.", "is enough \\cite{X} as they say."),
        ("is enough \\cite¦", "is enough \\cite{X}"),
        ("is enough. % \\cite{}¦", None),
        ("is enough.\n% Attention alone¦ is\nMore.", None),
        ("is enough \\citep[see¦", None),
        ("is enough \\citep[see][p.¦ as they say.", None),
    ],
)
async def test_a_citation_that_is_only_begun_is_completed(
    session: Session, begun: str, completed: str | None
) -> None:
    draft = session.open("a.tex", f"Attention {begun}\n\n\\bibliography{{refs}}\n")
    proposed = (action for action in await draft.actions() if action.title.startswith("Cite: "))
    first = next(proposed, None)
    if completed is None:
        assert first is None
        return
    assert first is not None
    whole = f"Attention {completed}\n\n\\bibliography{{refs}}\n"
    assert draft.after_all(edits(first)) == whole.replace("X", "vaswani2017attention")


@pytest.mark.parametrize(
    ("name", "begun", "completed"),
    [
        ("a.tex", "is enough \\cite{¦ as they say.", "is enough \\cite{X} as they say."),
        ("b.tex", "is eno¦ugh \\cite{ as they say.", "is enough \\cite{X} as they say."),
        ("c.tex", "is enough \\cite{a, ¦ as they say.", "is enough \\cite{a, X} as they say."),
        ("a.md", "is enough [@¦ as they say.", "is enough [@X] as they say."),
        ("b.md", "is enough @¦ as they say.", "is enough @X as they say."),
        ("c.md", "is eno¦ugh [see @ as they say.", "is enough [see @X] as they say."),
        ("d.md", "is enough {cite:p}`¦ as they say.", "is enough {cite:p}`X` as they say."),
        ("a.typ", "is enough #cite(<¦ as they say.", "is enough #cite(<X>) as they say."),
        ("b.typ", "is enough @¦ as they say.", "is enough @X as they say."),
        ("c.typ", "is eno¦ugh #cite( as they say.", "is enough #cite(<X>) as they say."),
        ("a.org", "is enough [cite:@¦ as they say.", "is enough [cite:@X] as they say."),
        ("b.org", "is eno¦ugh [cite: as they say.", "is enough [cite:@X] as they say."),
        ("c.org", "is enough cite:¦ as they say.", "is enough cite:X as they say."),
    ],
)
@pytest.mark.parametrize("title", ["Cite: ", "Add missing citations"])
async def test_what_has_been_begun_is_completed_and_closed_in_every_format(
    session: Session, name: str, begun: str, completed: str, title: str
) -> None:
    draft = session.open(name, f"Attention alone {begun}\n")
    action = next(action for action in await draft.actions() if action.title.startswith(title))
    whole = f"Attention alone {completed}\n".replace("X", "vaswani2017attention")
    assert draft.after_all(edits(action)) == whole


@pytest.mark.parametrize(
    ("name", "begun", "completed"),
    [
        ("a.md", "[@he2016resnet; @vasw¦ it is.", "[@he2016resnet; @X] it is."),
        ("a.typ", "#cite(<vasw¦ it is.", "#cite(<X>) it is."),
        ("a.org", "[cite:@vasw¦ it is.", "[cite:@X] it is."),
    ],
)
async def test_with_the_key_that_has_been_begun_its_bracket_is_closed(
    session: Session, name: str, begun: str, completed: str
) -> None:
    draft = session.open(name, f"As said {begun}\n")
    action = next(action for action in await draft.actions() if "Attention Is" in action.title)
    whole = f"As said {completed}\n".replace("X", "vaswani2017attention")
    assert draft.after_all(edits(action)) == whole


@pytest.mark.parametrize("title", ["Cite: ", "Add missing citations"])
async def test_what_a_note_names_is_offered_in_its_place(session: Session, title: str) -> None:
    draft = session.open("a.tex", "Attention alone is¦ used [cite Devlin et al. 2019].\n")
    action, *others = [action for action in await draft.actions() if action.title.startswith(title)]
    whole = "Attention alone is used~\\cite{devlin2019bert}.\n"
    assert draft.after_all(edits(action)) == whole
    assert not others
    draft = session.open("b.tex", "Attention alone is¦ used [cite Nobody 1900].\n")
    action = next(action for action in await draft.actions() if action.title.startswith(title))
    whole = "Attention alone is used~\\cite{vaswani2017attention}.\n"
    assert draft.after_all(edits(action)) == whole


@pytest.mark.parametrize(
    ("words", "cited"),
    [
        ("alone (Vaswani et al., 2017), was", r"alone \citep{vaswani2017attention}, was"),
        ("alone by Vaswani et al. (2017) was", r"alone by \citet{vaswani2017attention} was"),
        ("alone (cf. Vaswani, 2017), was", r"alone \citep[cf.][]{vaswani2017attention}, was"),
    ],
)
async def test_words_that_cite_a_paper_give_way_to_its_key(
    session: Session, words: str, cited: str
) -> None:
    text = LATEX.replace("alone, was", words)
    draft = session.open("a.tex", text).at("built from")
    first = next(action for action in await draft.actions() if "Vaswani" in action.title)
    assert after(draft, first) == text.replace(words, cited)


@pytest.mark.parametrize("title", ["Cite: ", "Add missing citations"])
async def test_words_that_cite_several_papers_give_way_to_all_their_keys(
    session: Session, title: str
) -> None:
    words = "(Devlin et al., 2019; Vaswani et al., 2017)"
    text = LATEX.replace("alone, was", f"alone {words}, was")
    draft = session.open("a.tex", text).at("built from")
    action = next(action for action in await draft.actions() if action.title.startswith(title))
    cited = r"\citep{devlin2019bert,vaswani2017attention}"
    assert after(draft, action) == text.replace(words, cited)


@pytest.mark.parametrize("before", ["", r" \citep{he2016resnet}"])
async def test_years_behind_the_same_people_give_way_to_the_keys_of_all_their_works(
    session: Session, before: str
) -> None:
    entry = "@article{{moor{0}, author={{Moor, Ann}}, title={{Terns {0}}}, year={{{0}}}}}\n"
    (session.folder / "more.bib").write_text(entry.format(2001) + entry.format(2003))
    text = LATEX.replace(SENTENCE, f"Terns{before}, as Moor (2001, 2003) showed, nest.")
    text = text.replace("{refs}", "{refs,more}").replace(r"\begin", r"\usepackage{natbib}\begin", 1)
    draft = session.open("a.tex", text).at("showed")
    actions = await draft.actions()
    (citing,) = [action for action in actions if action.title.startswith("Cite: Moor")]
    assert after(draft, citing) == text.replace("Moor (2001, 2003)", r"\citet{moor2001,moor2003}")


async def test_words_that_cite_another_work_of_the_same_people_stay_as_they_are(
    session: Session,
) -> None:
    text = LATEX.replace("alone, was", "alone (Vaswani 2011, p. 3), was")
    draft = session.open("a.tex", text).at("built from")
    first = next(action for action in await draft.actions() if "Vaswani" in action.title)
    assert after(draft, first) == text.replace(" need.", r" need \citep{vaswani2017attention}.")


async def test_words_that_cite_give_way_beside_another_citation_too(session: Session) -> None:
    text = "BERT (Devlin and Chang, 2019) follows¦ the Transformer \\citep{vaswani2017attention}.\n"
    draft = session.open("a.tex", text)
    (action,) = await draft.actions()
    assert after(draft, action).startswith("BERT \\citep{devlin2019bert} follows the")
    draft = session.open("c.tex", text.replace("2019)", "2019, Section 3)"))
    (action,) = await draft.actions()
    assert after(draft, action).startswith("BERT \\citep[Section 3]{devlin2019bert} follows the")
    draft = session.open("b.tex", text.replace("2019)", "2020)"))
    assert not await draft.actions()


async def test_a_chinese_key_that_is_there_is_not_taken_for_an_unfinished_key(
    session: Session,
) -> None:
    draft = session.open("a.md", "Attention alone is used [@李¦明2021].\n")
    titles = [action.title for action in await draft.actions()]
    assert any("Attention Is" in title for title in titles)
    assert not any(title.startswith("Cite: 李明") for title in titles)


async def test_a_marker_that_cites_everything_is_offered_nothing(session: Session) -> None:
    draft = session.open("a.tex", LATEX.replace("\\bibliography", "\\nocite{*}\n\\bibliography"))
    titles = [action.title for action in await draft.at("*}").actions()]
    assert not any(title.startswith("Cite") for title in titles)


async def test_a_sentence_whose_footnote_cites_is_left_alone(session: Session) -> None:
    cited = f"{SENTENCE}[^1]\n\n[^1]: See [@vaswani2017attention].\n"
    assert await session.open("cited.md", cited).at("built from").actions() == []
    bare = cited.replace("See [@vaswani2017attention]", "So they say")
    assert await session.open("bare.md", bare).at("built from").actions() != []


async def test_a_sentence_with_a_citation_is_left_alone(session: Session) -> None:
    assert await session.open("a.tex", LATEX).at("Residual").actions() == []


async def test_the_whole_draft_is_one_edit_whose_changes_wait_for_consent(
    session: Session,
) -> None:
    draft = session.open("a.tex", SURE).at("Residual")
    (action,) = await draft.actions(only=["source"])
    assert isinstance(action, types.CodeAction)
    assert (action.title, action.kind) == ("Add missing citations", "source.addMissingCitations")
    action = await session.client.code_action_resolve_async(action)
    assert action.edit is not None and action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit) and change.text_document.version == 1
    (edit,) = change.edits
    assert isinstance(edit, types.AnnotatedTextEdit)
    cited = NAMED.replace("Vaswani", "Vaswani \\citep{vaswani2017attention}")
    assert draft.after_all([edit]) == SURE.replace(NAMED, cited)
    assert action.edit.change_annotations is not None
    note = action.edit.change_annotations[edit.annotation_id]
    assert (note.label, note.needs_confirmation) == ("Cite Vaswani et al. 2017", True)
    assert note.description == NAMED
    kinds = [a.kind for a in await draft.at("built from").actions() if hasattr(a, "kind")]
    assert set(kinds) == {"quickfix"}, "nothing stands twice in a list of everything"


async def test_a_client_that_cannot_ask_for_consent_gets_plain_edits(folder: Path) -> None:
    async with Session(folder, "emacs") as session:
        draft = session.open("a.tex", SURE).at("Residual")
        (action,) = await draft.actions(only=["source"])
        assert isinstance(action, types.CodeAction)
        if action.edit is None:
            action = await session.client.code_action_resolve_async(action)
        assert after(draft, action).count("vaswani2017attention") == 1


async def test_a_marker_that_waits_gets_the_paper(session: Session) -> None:
    text = LATEX.replace(f"{SENTENCE[:-1]}.", f"{SENTENCE[:-1]} \\citep{{}}.")
    draft = session.open("a.tex", text).at("Residual")
    (action,) = await draft.actions(only=["source"])
    assert isinstance(action, types.CodeAction)
    resolved = await session.client.code_action_resolve_async(action)
    assert resolved.edit is not None and resolved.edit.document_changes is not None
    (change,) = resolved.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    expected = text.replace("\\citep{}", "\\citep{vaswani2017attention}")
    assert draft.after_all([edit for edit in change.edits if isinstance(edit, Plain)]) == expected


async def test_papers_that_are_cited_together_are_one_action(session: Session) -> None:
    pair = " ".join(
        f"Networks built from attention alone are all you need{word} "
        "\\citep{vaswani2017attention,devlin2019bert}."
        for word in ("", " today", " for text", " for translation")
    )
    text = LATEX.replace(SENTENCE, f"{pair} {SENTENCE}")
    draft = session.open("a.tex", text).at("was introduced")
    first, *_ = await draft.actions()
    assert first.title == "Cite: Vaswani et al. 2017, Devlin and Chang 2019"
    assert after(draft, first).count("\\citep{vaswani2017attention,devlin2019bert}") == 5


async def test_a_paper_goes_into_a_paragraph_once(session: Session) -> None:
    again = SENTENCE.replace("The Transformer", "That very Transformer")
    text = LATEX.replace(SENTENCE, f"{SENTENCE} {again}")
    draft = session.open("a.tex", text).at("Residual")
    actions = await draft.actions(end=text.index("\\bibliography"))
    action = next(action for action in actions if action.title == "Add missing citations")
    assert isinstance(action, types.CodeAction)
    resolved = await session.client.code_action_resolve_async(action)
    assert len([edit for edit in edits(resolved) if "vaswani" in edit.new_text]) == 1


async def test_a_paragraph_that_cited_a_paper_before_does_not_get_it_again(
    session: Session,
) -> None:
    cited = "So it was in 2017 \\citep{vaswani2017attention}."
    waits = f"{SENTENCE[:-1]} \\citep{{}}."
    text = LATEX.replace(SENTENCE, f"{cited} {NAMED}\n\n{NAMED}\n\n{cited} {waits}")
    draft = session.open("a.tex", text).at("Residual")
    actions = await draft.actions(end=text.index("\\bibliography"))
    action = next(action for action in actions if action.title == "Add missing citations")
    assert isinstance(action, types.CodeAction)
    resolved = await session.client.code_action_resolve_async(action)
    added = [edit for edit in edits(resolved) if "vaswani" in edit.new_text]
    places = [draft.offset(edit.range.start) for edit in added]
    waiting = text.index("{}") + 1
    assert places == [text.rindex("Vaswani") + len("Vaswani"), waiting]


async def test_all_words_that_cite_give_way_to_markers(session: Session) -> None:
    words = (
        "Words cite (Vaswani et al., 2017), and nets are deep (Devlin \\& Chang, 2019; He, 2016)"
    )
    told = f"{words}. He (2016) says the same \\citep{{vaswani2017attention}}. Again: {words}."
    text = LATEX.replace(SENTENCE, told)
    draft = session.open("a.tex", text).at("Residual")
    actions = await draft.actions(end=text.index("\\bibliography"))
    action = next(action for action in actions if action.title == "Add missing citations")
    assert isinstance(action, types.CodeAction)
    resolved = await session.client.code_action_resolve_async(action)
    markers = "\\citep{vaswani2017attention}", "\\citep{devlin2019bert,he2016resnet}"
    first, deep, said, again, deep_again = (edit.new_text.strip("~ ") for edit in edits(resolved))
    assert (first, deep) == (again, deep_again) == markers and said == "\\citet{he2016resnet}"


async def test_all_words_of_one_sentence_that_cite_give_way_at_once(session: Session) -> None:
    told = "He (2016) says the same as others (Vaswani et al., 2017)."
    draft = session.open("a.tex", LATEX.replace(SENTENCE, told)).at("says the same")
    action = next(action for action in await draft.actions() if action.title.startswith("Add"))
    texts = [edit.new_text.strip("~ ") for edit in edits(action)]
    assert texts == ["\\citet{he2016resnet}", "\\citep{vaswani2017attention}"]


async def test_a_selection_in_which_all_sentences_cite_has_words_that_cite(
    session: Session,
) -> None:
    told = "He (2016) says the same \\citep{vaswani2017attention}."
    draft = session.open("a.tex", told + "\n\\usepackage{natbib}\n").at("He")
    draft.cursor = 0
    *_, action = await draft.actions(end=len(told))
    assert action.title == "Add missing citations" and isinstance(action, types.CodeAction)
    resolved = await session.client.code_action_resolve_async(action)
    assert [edit.new_text for edit in edits(resolved)] == ["\\citet{he2016resnet}"]


async def test_a_long_selection_is_worked_out_when_it_is_chosen(session: Session) -> None:
    draft = session.open("a.tex", LATEX).at("Residual")
    actions = await draft.actions(end=LATEX.index("\\bibliography"))
    action = next(action for action in actions if action.title == "Add missing citations")
    assert isinstance(action, types.CodeAction) and action.edit is None
    resolved = await session.client.code_action_resolve_async(action)
    assert "\\citep{vaswani2017attention}" in edits(resolved)[0].new_text.strip()


async def test_an_action_chosen_after_an_edit_does_nothing(session: Session) -> None:
    draft = session.open("a.tex", LATEX).at("Residual")
    actions = await draft.actions(end=LATEX.index("\\bibliography"))
    action = next(action for action in actions if action.title == "Add missing citations")
    assert isinstance(action, types.CodeAction)
    draft.type("!")
    assert (await session.client.code_action_resolve_async(action)).edit is None
