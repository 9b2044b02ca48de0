"""What writers leave where a citation is still to come asks for one, and gives way to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.manuscript import Document, Manuscript, format_of, parse
from cite_lsp.manuscript.edit.fill import fill
from cite_lsp.manuscript.model import PLACEHOLDER, Marker
from cite_lsp.manuscript.placeholders.placeholder_words import is_placeholder_key
from cite_lsp.manuscript.placeholders.placeholders import work_named_by


def notes(manuscript: Manuscript) -> list[Marker]:
    return [marker for marker in manuscript.markers if marker.command == PLACEHOLDER]


@pytest.mark.parametrize(
    "note",
    [
        *("[?]", "[??]", "(??)", "(?)", "[CITE]", "[cite]", "(CITE)", "(cite)", "[REF]", "(REF)"),
        *("[ref]", "[refs?]", "(ref?)", "[citation needed]", "(citation needed)", "[source?]"),
        *("[TODO: cite]", "[add ref here]", "[citation\nneeded]", "[insert citations here!]"),
        *("[Quelle fehlt]", "[réf. nécessaire]", "[cita requerida]", "[источник?]", "[출처 필요]"),
        *("[źródło]", "[brak źródła]", "[doplnit zdroj]", "[kaynak belirtilmeli]", "[bron nodig]"),
        *("[cần dẫn nguồn]", "[källa behövs]", "[carece de fontes]", "[источник не указан]"),
        *(
            "【引用】",
            "［？］",
            "（引用）",
            "【待补引用】",
            "[此处需要引用]",
            "【文献待补】",
            "[要出典]",
            "【这里应该有引用】",
            "【找一篇文献】",
        ),
    ],
)
@pytest.mark.parametrize("format", ["latex", "markdown", "typst", "org"])
def test_a_note_in_brackets_reads_as_a_marker(note: str, format: str) -> None:
    text = f"The nests of gulls lie on cliffs {note}. More follows."
    manuscript = parse(text, format)
    assert [text[note.start : note.end] for note in notes(manuscript)] == [note]
    first, _ = manuscript.sentences
    assert first.text == "The nests of gulls lie on cliffs."
    assert first.markers == manuscript.markers


@pytest.mark.parametrize(
    ("format", "note"),
    [
        ("latex", r"\todo{cite}"),
        ("latex", r"\todo[inline]{add citation}"),
        ("latex", r"\textcolor{red}{CITE}"),
        ("latex", r"\textcolor{red}{[CITE]}"),
        ("latex", r"\hl{[?]}"),
        ("latex", r"\citationneeded{}"),
        ("latex", r"\textsuperscript{[citation needed]}"),
        ("latex", r"\textbf{[?]}"),
        ("markdown", "<sup>[citation needed]</sup>"),
        ("markdown", '<span style="color: red">[?]</span>'),
        ("markdown", "{{citation needed}}"),
        ("latex", r"\needcite"),
        ("latex", r"\needcite{}"),
        ("latex", r"\citeneeded{}"),
        ("latex", "% cite"),
        ("latex", "%% TODO: cite"),
        ("markdown", "[@?]"),
        ("markdown", "**[CITE]**"),
        ("markdown", "==[cite]=="),
        ("markdown", "<!-- citation needed -->"),
        ("markdown", "%% cite %%"),
        ("typst", "#todo[cite]"),
        ("typst", "#text(red)[CITE]"),
        ("typst", "/* cite */"),
        ("typst", "// cite"),
        ("org", "[cite:?]"),
        ("org", "*[CITE]*"),
    ],
)
def test_so_does_one_in_markup_or_in_a_comment(format: str, note: str) -> None:
    text = f"The nests of gulls lie on cliffs {note}\nand by the shore."
    manuscript = parse(text, format)
    (marker,) = manuscript.markers
    assert not marker.keys and text[marker.start : marker.end] == note
    (sentence,) = manuscript.sentences
    assert sentence.text == "The nests of gulls lie on cliffs and by the shore."


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("latex", r"Of \url{https://example.org/a%20b} one may say more \todo{cite}."),
        ("latex", "Of \\verb|5%| and of others one may say more. % cite"),
        ("typst", 'Of #link("example.org//a")[them] one may say more #todo[cite].'),
        ("typst", "Of `a // b` one may say more. // cite"),
    ],
)
def test_behind_an_address_or_code_with_the_sign_of_a_comment_a_note_is_none_of_it(
    format: str, text: str
) -> None:
    manuscript = parse(text, format)
    assert len(notes(manuscript)) == 1


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("latex", "The Research Evaluation Fund (REF) pays."),
        ("latex", "The REF pays, as it is called (REF)."),
        ("latex", "As said in [the source], the list (references) is long (citations)."),
        ("latex", "He was born in 1643 (?), or so says Johannes (?)."),
        ("latex", "It may be (?) so."),
        ("latex", "By theorem (?), and by Eq.~(??), it is."),
        ("markdown", "Usando la proposición (?), es la expresión (?)."),
        ("latex", "Of $[?]$ and \\verb|a [?]| and \\texttt{a [?]} and Joh[?]n."),
        ("latex", "\\begin{itemize}\n\\item [?] one\n\\item[?] two\n\\end{itemize}"),
        ("latex", "\\begin{verbatim}\none [?] two\n\\end{verbatim}"),
        ("latex", "Of \\foo[ref]{x} and \\cite[ref]{key} and \\section[ref]{One}"),
        ("latex", "\\newcommand{\\cn}{[citation needed]} One."),
        ("latex", "\\usepackage{natbib} % citations\n\\noindent % ref\nGulls nest."),
        ("latex", "Gulls.\n\n\\section{One}\\label{sec:ref} % ref\nTwo."),
        ("latex", "As foo(REF) and values[ref] say."),
        ("latex", "One.\n% References\nTwo % by 50\\% cite\nthree."),
        ("latex", "One % two \\todo{cite} [?]\nthree 50\\% cite\nfour."),
        ("markdown", "As in [ref].\n\n[ref]: http://example.org"),
        ("markdown", "As in [ref](http://example.org), [one][ref], [ref][] and [[ref]]."),
        ("markdown", "As in [References].\n\n# References\n"),
        ("markdown", "One `[?]` and\n\n```\ntwo [?]\n```\n"),
        ("markdown", "As shown (@) and (by @)."),
        ("markdown", "- [?] one\n- [?] two\n* [cite] three\n"),
        ("markdown", "[?] at the beginning.\n\n[?]: and a footnote.\n"),
        ("markdown", "<!-- references -->\n\nOne."),
        ("typst", 'Of #strong[ref] and #link("a")[ref].\n#let one = [cite]'),
        ("typst", "Of `[?]` and $[?]$ and https://cite"),
        ("org", "Of ~[?]~ and =(CITE)= and [[cite][this]].\n# references"),
        ("org", "#+begin_src\none [?]\n#+end_src"),
    ],
)
def test_what_belongs_to_the_text_is_no_note(format: str, text: str) -> None:
    assert notes(parse(text, format)) == []


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("[CITE Doe 2020]", "Doe 2020"),
        ("[cite Doe et al., 2020]", "Doe 2020"),
        ("[REF: gulls]", "gulls"),
        ("[add a reference for the gull paper]", "gull"),
        ("[cite the original paper]", ""),
        (r"\todo{cite Doe 2020}", "Doe 2020"),
        ("% TODO cite Doe", "Doe"),
        ("【引用：李明 2021】", "李明 2021"),
        ("[?]", ""),
    ],
)
def test_a_note_may_name_what_is_to_be_cited(note: str, words: str) -> None:
    text = f"Gulls nest on cliffs {note}\nand by the shore."
    (marker,) = parse(text, "latex").markers
    assert text[marker.start : marker.end] == note
    assert work_named_by(text, marker) == words


@pytest.mark.parametrize(
    "note",
    [
        *("[ref 12]", "[REF 12]", "[cite: 1, 2]", "[cite as: Doe]", "[cite this article]"),
        *("[reference group]", "[citation analysis]", "[refs to the past]", "(cite Doe)"),
        *("% cite as Doe does", "% cite Doe", "% TODO: cite fewer papers", "% TODO cite properly"),
        *(r"\todo{add reference to Table 2}", r"\todo{cite journal version instead}"),
        *("[cite omitted]", "[Reference: Doe]", "[Find Reference Manager]", "% TODO: ref Fig. 3"),
        *("【引用格式】", "【引用：本文】", "【引用次数】"),
    ],
)
def test_not_every_word_behind_a_citation_names_one(note: str) -> None:
    assert notes(parse(f"Gulls nest on cliffs {note}\nand by the shore.", "latex")) == []


@pytest.mark.parametrize(
    ("key", "stands"),
    [
        *((text, True) for text in ("?", "TODO", "xxx", "？", "待补", "待补充", "待定", "待引用")),
        *((text, True) for text in ("引用", "参考文献", "某文献", "需要引用", "文献待补", "待查")),
        *((text, False) for text in ("李明2021", "某甲2020", "文献计量学", "引用分析2019", "有")),
    ],
)
def test_a_key_may_stand_in_for_another(key: str, stands: bool) -> None:
    assert is_placeholder_key(key) == stands


def filled(name: str, text: str, *keys: str) -> str:
    """Return the text after the first marker that waits in it was made to cite `keys`."""
    manuscript = parse(text, format_of(Path(name)) or "")
    for marker in manuscript.markers:
        stand_in = next((key for key in marker.keys if is_placeholder_key(key.text)), None)
        if stand_in or not marker.keys:
            document = Document.of(manuscript)
            edit = fill(manuscript, marker, keys or ("key",), document, stand_in)
            return edit.applied_to(text)
    raise AssertionError("nothing waits")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "It works [?]. Next.", r"It works~\cite{key}. Next."),
        ("a.tex", "It works[?]. Next.", r"It works~\cite{key}. Next."),
        ("a.tex", "It works. [CITE] Next.", r"It works~\cite{key}. Next."),
        ("a.md", "It works with books etc. [?]", "It works with books etc. [@key]."),
        ("a.tex", "It works. % cite\nNext.", "It works~\\cite{key}.\nNext."),
        ("a.tex", "It works.\n% TODO cite\nNext.", "It works~\\cite{key}.\nNext."),
        ("a.tex", "It works. % cite\r\nNext.", "It works~\\cite{key}.\r\nNext."),
        ("a.typ", "It works. // cite\r\nNext.", "It works @key.\r\nNext."),
        ("a.tex", "It works % cite\nand more.", "It works~\\cite{key}\nand more."),
        ("a.tex", "It works. % see 3.\n[CITE] Next.", "It works. % see 3.\n\\cite{key} Next."),
        ("a.tex", "It works. % so.\n% cite\nNext.", "It works. % so.\n\\cite{key}\nNext."),
        ("a.typ", "It works. // so.\n// cite\nNext.", "It works. // so.\n@key\nNext."),
        ("a.tex", r"Li et al.\ [CITE] show it.", r"Li et al.\ \cite{key} show it."),
        ("a.tex", r"It works\,[?] well.", r"It works\,\cite{key} well."),
        ("a.tex", r"It works.\footnote{ [?] } So.", r"It works.\footnote{ \cite{key} } So."),
        ("a.tex", "As ``[CITE]'' has it.", r"As ``\cite{key}'' has it."),
        ("a.md", "It works, **[CITE] as known**.", "It works, **[@key] as known**."),
        ("a.md", "It **works**[?] so.", "It **works** [@key] so."),
        ("a.tex", "It works\n[?] well.", "It works\n\\cite{key} well."),
        ("a.tex", "It works (see [?]).", r"It works (see~\cite{key})."),
        ("a.tex", "It works ([?]).", r"It works (\cite{key})."),
        ("a.tex", "Li et al. [CITE] show it.", r"Li et al.~\cite{key} show it."),
        ("a.tex", r"One.\footcite{a} It works [?]. Next.", "One.\\footcite{a} It works.X Next."),
        ("a.tex", r"One.\footcite{a} It works.[?] Next.", "One.\\footcite{a} It works.X Next."),
        ("a.tex", r"One \citep{a}. It works~\todo{cite}!", r"One \citep{a}. It works \citep{key}!"),
        ("a.tex", r"It works \cite[see][3]{TODO}.", r"It works \cite[see][3]{key}."),
        ("a.tex", r"It works \cite{a, ?,b}.", r"It works \cite{a, key,b}."),
        ("a.tex", r"It works.\footnote{[?]} Next.", r"It works.\footnote{\cite{key}} Next."),
        ("a.tex", r"It works \textbf{[CITE]}.", r"It works~\cite{key}."),
        ("a.md", "It works **[CITE]**.", "It works [@key]."),
        ("a.md", "It works<sup>[CITE]</sup>.", "It works [@key]."),
        ("a.md", "It works.[^1]\n\n[^1]: [?]\n", "It works.[^1]\n\n[^1]: [@key]\n"),
        ("a.md", "It works. <!-- cite -->\n", "It works [@key].\n"),
        ("a.md", "这样有效【引用】，并且快。", "这样有效[@key]，并且快。"),
        ("a.md", "It works [@TODO, p. 3].", "It works [@key, p. 3]."),
        ("a.typ", "It works #todo[cite].", "It works @key."),
        ("a.typ", "这样有效【引用】并且快。", "这样有效@key 并且快。"),
        ("a.typ", "It works @TODO.", "It works @key."),
        ("a.org", "It works [?].", "It works [cite:@key]."),
        ("a.org", "It works [cite:@TODO].", "It works [cite:@key]."),
    ],
)
def test_the_citation_comes_in_the_place_of_the_note(name: str, before: str, after: str) -> None:
    assert filled(name, before) == after.replace("X", r"\footcite{key}")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", r"It works \cite{TODO}.", r"It works \cite{one,two}."),
        ("a.tex", r"It works \cite[3]{TODO}.", r"It works \cite[3]{two,one}."),
        ("a.tex", r"It works [?].", r"It works~\cite{one,two}."),
        ("a.md", "It works [@TODO, p. 3].", "It works [@one, p. 3; @two]."),
        ("a.md", "It works [?].", "It works [@one; @two]."),
        ("a.typ", "It works #cite(<TODO>).", "It works #cite(<one>) @two."),
    ],
)
def test_several_come_together(name: str, before: str, after: str) -> None:
    assert filled(name, before, "one", "two") == after


def test_a_note_in_a_chapter_becomes_a_marker_as_the_rest_of_the_draft_has_them() -> None:
    main, chapter = parse(r"One \citep{a}.", "latex"), parse("It works [?].", "latex")
    (marker,) = chapter.markers
    edit = fill(chapter, marker, ["key"], Document.of(main, chapter))
    assert edit.text == r" \citep{key}"


def test_odd_keys_are_written_as_their_format_wants_them() -> None:
    assert filled("a.typ", "It works @TODO.", "a/b") == 'It works #cite(label("a/b")).'
    assert filled("a.md", "It works [@TODO].", "a(b)") == "It works [@{a(b)}]."


def test_a_long_note_in_chinese_is_read_as_fast_as_a_short_one() -> None:
    assert notes(parse("研究【" + "需要" * 28 + "引用吗】表明。", "latex")) == []
