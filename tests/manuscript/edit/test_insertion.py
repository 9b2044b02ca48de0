"""A citation is written where and how the writer would have written it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript import Document, format_of, parse
from cite_lsp.manuscript.edit.fill import fill
from cite_lsp.manuscript.edit.insertion import addition, insertion, key_replacement
from cite_lsp.manuscript.edit.keys import typst_label
from cite_lsp.manuscript.edit.named import Names
from cite_lsp.manuscript.text.text_edit import TextEdit

CURSOR = "¦"


def cited(
    name: str,
    text: str,
    *keys: str,
    named: tuple[str, ...] = (),
    people: tuple[str, ...] = (),
    authors: tuple[str, ...] = (),
) -> str:
    """Return the text after the sentence at the cursor was made to cite `keys`."""
    offset = text.index(CURSOR)
    manuscript = parse(text.replace(CURSOR, ""), format_of(Path(name)) or "")
    sentence = manuscript.sentence_at(offset)
    assert sentence is not None
    names = Names(named, authors, people)
    edit = insertion(manuscript, sentence, keys or ("key",), Document.of(manuscript), names)
    return edit.applied_to(manuscript.text)


def added(name: str, text: str, key: str = "key") -> str:
    """Return the text after `key` was added to the marker at the cursor."""
    offset = text.index(CURSOR)
    manuscript = parse(text.replace(CURSOR, ""), format_of(Path(name)) or "")
    marker = manuscript.marker_at(offset)
    assert marker is not None
    return addition(manuscript, marker, [key], Document.of(manuscript)).applied_to(manuscript.text)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "It wo¦rks. Next.", r"It works~\cite{key}. Next."),
        ("a.tex", "Does it wo¦rk?! Next.", r"Does it work~\cite{key}?! Next."),
        ("a.tex", "It wo¦rks with it etc. We do.", r"It works with it etc.~\cite{key}. We do."),
        ("a.md", "It wo¦rks in the U.S. We do.", "It works in the U.S. [@key]. We do."),
        ("a.md", "It wo¦rks (for books etc.). Next.", "It works (for books etc.) [@key]. Next."),
        ("a.md", "It wo¦rks at all, or no.", "It works at all, or no [@key]."),
        ("a.tex", r"So \enquote{it wo¦rks.} Next.", r"So \enquote{it works.}~\cite{key} Next."),
        ("a.tex", r"So \emph{``it wo¦rks.''} Next.", r"So \emph{``it works.''}~\cite{key} Next."),
        ("a.tex", "“It is. It wo¦rks.” Next.", r"“It is. It works.”~\cite{key} Next."),
        ("a.tex", "(So ``it wo¦rks.'') Next.", r"(So ``it works.''~\cite{key}) Next."),
        ("a.md", 'So *"it wo¦rks."* Next.', 'So *"it works."* [@key] Next.'),
        ("a.typ", 'He said "it wo¦rks?" Next.', 'He said "it works?" @key Next.'),
        ("a.org", 'He said "it wo¦rks." Next.', 'He said "it works." [cite:@key] Next.'),
        ("a.tex", "He said ``it wo¦rks.'' Next.", r"He said ``it works.''~\cite{key} Next."),
        ("a.tex", "It wo¦rks (so they say). Next.", r"It works (so they say)~\cite{key}. Next."),
        ("a.tex", "It wo¦rks and", r"It works and~\cite{key}"),
        ("a.tex", r"It is¦ at \url{x.org}", r"It is at \url{x.org}~\cite{key}"),
        ("a.tex", r"It is¦ \verb|x|", r"It is \verb|x|~\cite{key}"),
        ("a.tex", r"\thanks{It is¦ in~\ref{x}}", r"\thanks{It is in~\ref{x}~\cite{key}}"),
        ("a.md", "It is¦ at <https://x.org>", "It is at <https://x.org> [@key]"),
        ("a.md", "It is¦ at https://x.org\n\nSo", "It is at https://x.org [@key]\n\nSo"),
        ("a.typ", 'It is¦ at #link("x.org")', 'It is at #link("x.org") @key'),
        ("a.typ", "#t([it is¦ $[0, 1)$], [b])", "#t([it is $[0, 1)$ @key], [b])"),
        ("a.org", "It is¦ at [[https://x.org]]", "It is at [[https://x.org]] [cite:@key]"),
        ("a.org", "It us¦es ~so~. Next.", "It uses ~so~ [cite:@key]. Next."),
        ("a.tex", r"\item It wo¦rks \acs{llm}", r"\item It works \acs{llm}~\cite{key}"),
        ("a.tex", r"It wo¦rks \href{x}{\emph{so}}", r"It works \href{x}{\emph{so}}~\cite{key}"),
        ("a.tex", r"\textbf{It wo¦rks \{so\}}", r"\textbf{It works \{so\}~\cite{key}}"),
        ("a.md", "- It wo¦rks [so](x.org)\n- b", "- It works [so](x.org) [@key]\n- b"),
        ("a.md", "It wo¦rks at Ek&reg;. Next.", "It works at Ek&reg; [@key]. Next."),
        ("a.md", "It wo¦rks &amp; runs;\n", "It works &amp; runs [@key];\n"),
        ("a.md", "![It wo¦rks](a.png){#a\n.b}\n", "![It works [@key]](a.png){#a\n.b}\n"),
        ("a.md", "It wo¦rks [so](x.org){.a\n.b}", "It works [so](x.org){.a\n.b} [@key]"),
        ("a.md", "It wo¦rks **[so][x]**", "It works **[so][x]** [@key]"),
        ("a.md", "It wo¦rks ![so](x.png){.a}", "It works ![so](x.png){.a} [@key]"),
        ("a.md", "One.\n\n![It wo¦rks](a.png){#a}\n", "One.\n\n![It works [@key]](a.png){#a}\n"),
        ("a.typ", '- It wo¦rks #link("x")[so]', '- It works #link("x")[so] @key'),
        ("a.typ", '- It wo¦rks #emph("so")', '- It works #emph("so") @key'),
        ("a.typ", "#block[It wo¦rks]", "#block[It works @key]"),
        ("a.org", "- It wo¦rks [[x.org][*so*]]", "- It works [[x.org][*so*]] [cite:@key]"),
        ("a.tex", "该方¦法称为“注意力”。", "该方法称为“注意力”\\cite{key}。"),
        ("a.tex", "It is “a wo¦rd” so.", "It is “a word” so~\\cite{key}."),
        ("a.org", "#+caption: It wo¦rks\n[[a.png]]", "#+caption: It works [cite:@key]\n[[a.png]]"),
        ("a.typ", "- It wo¦rks\nNext.", "- It works @key\nNext."),
        ("a.tex", "It wo¦rks and  \n\nNext.", "It works and~\\cite{key}  \n\nNext."),
        ("a.tex", "它¦为\n\\[x = y。\\]\n其中。", "它为\\cite{key}\n\\[x = y。\\]\n其中。"),
        ("a.tex", "So¦:\n\\[x = y.\\]\nNext.", "So~\\cite{key}:\n\\[x = y.\\]\nNext."),
        ("a.tex", "It wo¦rks.\\footnote{So {no}.}", "It works~\\cite{key}.\\footnote{So {no}.}"),
        ("a.tex", "It wo¦rks.\\sidenote[2]{So.}", "It works~\\cite{key}.\\sidenote[2]{So.}"),
        ("a.tex", "It wo¦rks.\\marginpar{So.}", "It works~\\cite{key}.\\marginpar{So.}"),
        ("a.tex", "It wo¦rks\\footnote{So.}.", "It works~\\cite{key}\\footnote{So.}."),
        ("a.md", "It wo¦rks.\\footnote{So.} N.", "It works [@key].\\footnote{So.} N."),
        ("a.md", "It wo¦rks[^1].", "It works [@key][^1]."),
        ("a.tex", "It wo¦rks.%\n\\footnote{So.}", "It works~\\cite{key}.%\n\\footnote{So.}"),
        ("a.tex", "It wo¦rks % but why. not\n\nSo.", "It works~\\cite{key} % but why. not\n\nSo."),
        ("a.tex", "It wo¦rks.%\n%\n\\footnote{So.}", "It works~\\cite{key}.%\n%\n\\footnote{So.}"),
        ("a.tex", "It wo¦rks % a\n% b\n % c\n\nSo.", "It works~\\cite{key} % a\n% b\n % c\n\nSo."),
        ("a.tex", r"So \url{x.org/a%20b} sa¦ys.", r"So \url{x.org/a%20b} says~\cite{key}."),
        ("a.tex", r"Type \verb|%| so¦.", r"Type \verb|%| so~\cite{key}."),
        ("a.tex", "So \\url{a%b} s¦ays % x%y\n\nN.", "So \\url{a%b} says~\\cite{key} % x%y\n\nN."),
        ("a.tex", r"It wo¦rks \nocite{*}.", r"It works \nocite{*}~\cite{key}."),
        ("a.tex", r"It wo¦rks \cite. Next.", r"It works \cite{key}. Next."),
        ("a.tex", r"It wo¦rks \citep[see][]. Next.", r"It works \citep[see][]{key}. Next."),
        ("a.tex", r"It wo¦rks in \LaTeX. Next.", r"It works in \LaTeX~\cite{key}. Next."),
        ("a.tex", "At 5\\% it wo¦rks. Next.", "At 5\\% it works~\\cite{key}. Next."),
        ("a.md", "It wo¦rks. Next.", "It works [@key]. Next."),
        ("a.md", "It wo¦rks.[^1] So.\n\n[^1]: N.\n", "It works [@key].[^1] So.\n\n[^1]: N.\n"),
        ("a.md", "It wo¦rks.^[So [it] is.] So.", "It works [@key].^[So [it] is.] So."),
        ("a.typ", "It wo¦rks.#footnote[A [b].] So.", "It works @key.#footnote[A [b].] So."),
        ("a.typ", 'It wo¦rks#footnote(n: "*")[A.]. So', 'It works @key#footnote(n: "*")[A.]. So'),
        ("a.typ", "It wo¦rks. #todo[A b.] So.", "It works @key. #todo[A b.] So."),
        ("a.org", "It wo¦rks.[fn:1] So.\n", "It works [cite:@key].[fn:1] So.\n"),
        ("a.org", "It wo¦rks.[fn:a: Note.] So.\n", "It works [cite:@key].[fn:a: Note.] So.\n"),
        ("a.md", "\\begin{a}\nIt wo¦rks\n\\end{a}", "\\begin{a}\nIt works [@key]\n\\end{a}"),
        ("a.md", "- It wo¦rks,\n- next\n", "- It works [@key],\n- next\n"),
        ("a.md", "- It wo¦rks, and\n- next\n", "- It works [@key], and\n- next\n"),
        ("a.tex", "\\item It wo¦rks; or\n\\item N", "\\item It works~\\cite{key}; or\n\\item N"),
        ("a.md", "- It *wo¦rks*\n- Next\n", "- It *works* [@key]\n- Next\n"),
        ("a.md", "It ==wo¦rks==\n", "It ==works== [@key]\n"),
        ("a.md", "It wo¦rks. ^claim-1\n\nNext.", "It works [@key]. ^claim-1\n\nNext."),
        ("a.md", "它有¦效。下一句。", "它有效[@key]。下一句。"),
        ("a.md", "他说：“它有¦效。”下一句。", "他说：“它有效。”[@key]下一句。"),
        ("a.tex", "它有¦效。下一句。", r"它有效\cite{key}。下一句。"),
        ("a.tex", "هل ه¦ي كذلك؟ نعم.", r"هل هي كذلك~\cite{key}؟ نعم."),
        ("a.md", "यह क¦हा। वह सुना।", "यह कहा [@key]। वह सुना।"),
        ("a.tex", "言葉は¦ある．文字もある．", r"言葉はある\cite{key}．文字もある．"),
        ("a.tex", "C'est vr¦ai~! Oui.", r"C'est vrai~\cite{key}~! Oui."),
        ("a.tex", r"\og C'est vr¦ai.\fg{} Puis.", r"\og C'est vrai.\fg{}~\cite{key} Puis."),
        ("a.tex", r"\glqq So is¦t es.\grqq{} Ja.", r"\glqq So ist es.\grqq{}~\cite{key} Ja."),
        ("a.tex", r"C'est \og vr¦ai \fg{}. Oui.", r"C'est \og vrai \fg{}~\cite{key}. Oui."),
        ("a.tex", r"C'est vr¦ai\,? Oui.", r"C'est vrai~\cite{key}\,? Oui."),
        ("a.tex", "Il dit : «~C'est vr¦ai.~» Oui.", r"Il dit : «~C'est vrai.~»~\cite{key} Oui."),
        ("a.md", "Il dit : « C'est vr¦ai ! » Oui.", "Il dit : « C'est vrai ! » [@key] Oui."),
        ("a.md", "Il dit «\u00a0vr¦ai\u00a0». Oui.", "Il dit «\u00a0vrai\u00a0» [@key]. Oui."),
    ],
)  # fmt: skip
def test_a_marker_goes_before_the_end_of_its_sentence(name: str, before: str, after: str) -> None:
    assert cited(name, before) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "We ta¦ke BERT to start.", r"We take BERT~\cite{key} to start."),
        ("a.tex", "We ta¦ke \\emph{BERT} now.", r"We take \emph{BERT}~\cite{key} now."),
        ("a.typ", "It wo¦rks.#footnote[By BERT.]", "It works @key.#footnote[By BERT.]"),
        ("a.typ", "I.#footnote[As BE¦RT has.]", "I.#footnote[As BERT @key has.]"),
        ("a.md", "It wo¦rks.^[By BERT.]", "It works [@key].^[By BERT.]"),
        ("a.tex", "BERT-lik¦e models work.", r"BERT-like models work~\cite{key}."),
        ("a.tex", "We ta¦ke $BERT$ to start.", r"We take $BERT$ to start~\cite{key}."),
        ("a.tex", "We tune % BERT\nthi¦s one.", "We tune % BERT\nthis one~\\cite{key}."),
        ("a.tex", "As \\textbf{so BERT did} wo¦rk.", r"As \textbf{so BERT did} work~\cite{key}."),
        ("a.tex", "Mü¦ller et al. say so.", r"Müller et al.~\cite{key} say so."),
        ("a.tex", "It i¦s by Müller et al. We do.", r"It is by Müller et al.~\cite{key}. We do."),
        ("a.tex", "Mü¦ller~\\emph{et al.} say so.", r"Müller~\emph{et al.}~\cite{key} say so."),
        ("a.tex", "Mü¦ller et al.\\ (2020) say so.", r"Müller et al.\ (2020)~\cite{key} say so."),
        ("a.tex", "Mü¦ller {\\em et al.} say so.", r"Müller {\em et al.}~\cite{key} say so."),
        ("a.tex", "Mü¦ller {\\it et al}. say so.", r"Müller {\it et al}.~\cite{key} say so."),
        ("a.tex", "Mü¦ller \\emph{et al}. say so.", r"Müller \emph{et al}.~\cite{key} say so."),
        ("a.tex", "Mü¦ller \\etal{} say so.", r"Müller \etal{}~\cite{key} say so."),
        ("a.tex", "Mü¦ller~\\etal say so.", r"Müller~\etal~\cite{key} say so."),
        ("a.tex", "So say Müller \\emph{et a¦l}.", r"So say Müller \emph{et al}~\cite{key}."),
        ("a.md", "Mü¦ller *et al*. say so.", "Müller *et al*. [@key] say so."),
        ("a.org", "Mü¦ller /et al./ say so.", "Müller /et al./ [cite:@key] say so."),
        ("a.typ", "Mü¦ller #emph[et al.] say so.", "Müller #emph[et al.] @key say so."),
        ("a.md", "So [Müller (2020)](https://a.b/c_(d)) s¦ays.",
         "So [Müller (2020)](https://a.b/c_(d)) [@key] says."),
        ("a.md", "So [the Müller way][a] is¦ so.", "So [the Müller way][a] [@key] is so."),
        ("a.org", "So [[https://a.b][Müller (2020)]] s¦ays.",
         "So [[https://a.b][Müller (2020)]] [cite:@key] says."),
        ("a.md", "Mü¦ller and his co-workers say so.",
         "Müller and his co-workers [@key] say so."),
        ("a.tex", "So it i¦s (Müller, 2020).", r"So it is (Müller, 2020~\cite{key})."),
        ("a.md", "Es is¦t so (Müller u. a. 2020; X).", "Es ist so (Müller u. a. 2020 [@key]; X)."),
        ("a.md", "Laut Müller 2020 i¦st es so.", "Laut Müller 2020 [@key] ist es so."),
        ("a.md", "(Vgl. Müller 2020, S. 3) is¦t es.", "(Vgl. Müller 2020 [@key], S. 3) ist es."),
        ("a.md", "So it i¦s [Müller, 2020].", "So it is [Müller, 2020 [@key]]."),
        ("a.md", "Müller (2019, 2020) za¦gt.", "Müller (2019, 2020) [@key] zagt."),
        ("a.md", "Müller (2019 : et plus) za¦gt.", "Müller (2019 : et plus) [@key] zagt."),
        ("a.md", "Müller (1966/2019) za¦gt.", "Müller (1966/2019) [@key] zagt."),
        ("a.md", "(Müller [1966] 2019) za¦gt.", "(Müller [1966] 2019 [@key]) zagt."),
        ("a.md", "Müller（2020，第3页）认¦为。", "Müller（2020，第3页）[@key]认为。"),
        ("a.md", "By Müller, 2020 ye¦ars passed.", "By Müller [@key], 2020 years passed."),
        ("a.md", "Müller and colleagues s¦ay.", "Müller and colleagues [@key] say."),
        ("a.md", "We ta¦ke *BERT* to start.", "We take *BERT* [@key] to start."),
        ("a.md", "Müller’s me¦thod works.", "Müller’s [@key] method works."),
        ("a.md", "Müller等人提¦出了方法。", "Müller等人[@key]提出了方法。"),
        ("a.md", "我们采¦用BERT模型。", "我们采用BERT [@key]模型。"),
        ("a.md", "As Müller (2019 und 2020) s¦agt.", "As Müller (2019 und 2020) [@key] sagt."),
        ("a.md", "So i¦t is (Müller, 2019, 2020).", "So it is (Müller, 2019, 2020 [@key])."),
    ],
)  # fmt: skip
def test_a_marker_goes_behind_what_it_names(name: str, before: str, after: str) -> None:
    assert cited(name, before, named=("Müller", "BERT")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("В работе Ивано¦ва и Петровой.", "В работе Иванова и Петровой [@key]."),
        ("Ивановс¦кий метод.", "Ивановский метод [@key]."),
        ("Иванов и Петро¦в пишут.", "Иванов и Петров [@key] пишут."),
        ("Иванов и соавто¦ры пишут.", "Иванов и соавторы [@key] пишут."),
        ("Иванов и др. (2018) пиш¦ут.", "Иванов и др. (2018) [@key] пишут."),
        ("Laut Müller, Weiß und Gr¦aß gilt es.", "Laut Müller, Weiß und Graß [@key] gilt es."),
        ("Müller u. a. (2019) zei¦gen es.", "Müller u. a. (2019) [@key] zeigen es."),
        ("Müller und Kolleg¦innen zeigen es.", "Müller und Kolleginnen [@key] zeigen es."),
        ("Müller und Mül¦ltonnen zählen.", "Müller [@key] und Mülltonnen zählen."),
        ("Según Núñez y cols. (2018) va¦le.", "Según Núñez y cols. (2018) [@key] vale."),
        ("Núñez e colaboradores mos¦tram.", "Núñez e colaboradores [@key] mostram."),
        ("Núñez et ses collègues le d¦isent.", "Núñez et ses collègues [@key] le disent."),
        ("Dvořák a Hajič navrh¦li metodu.", "Dvořák a Hajič [@key] navrhli metodu."),
        ("Dvořák a kol. navrh¦li metodu.", "Dvořák a kol. [@key] navrhli metodu."),
        ("Żółw i in. (2015) opis¦ują metodę.", "Żółw i in. (2015) [@key] opisują metodę."),
        ("Işık ve Yıldız bu¦nu gösterdi.", "Işık ve Yıldız [@key] bunu gösterdi."),
        ("Theo Nguyễn và cộng sự, đ¦úng.", "Theo Nguyễn và cộng sự [@key], đúng."),
        ("山田らは解析¦した。", "山田ら[@key]は解析した。"),
        ("山田と鈴木は解析¦した。", "山田と鈴木[@key]は解析した。"),
        ("김철수 등은 연구¦하였다.", "김철수 등 [@key]은 연구하였다."),
        ("김철수와 박영희는 연구¦하였다.", "김철수와 박영희 [@key]는 연구하였다."),
    ],
)  # fmt: skip
def test_people_are_named_in_the_way_of_other_languages(before: str, after: str) -> None:
    named = ("Иванов", "Müller", "Núñez", "Dvořák", "Żółw", "Işık", "Nguyễn", "山田", "김철수")
    people = ("Петров", "Weiß", "Graß", "Hajič", "Yıldız", "鈴木", "박영희")
    assert cited("a.md", before, named=named, people=people) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "Kipf 和 Well¦ing 提出了它。", "Kipf 和 Welling~\\cite{key} 提出了它。"),
        ("a.tex", "Kipf、Welling¦、张三等提出了它。", "Kipf、Welling、张三等\\cite{key}提出了它。"),
        ("a.tex", "T. Kipf 以及 M. Well¦ing 提出。", "T. Kipf 以及 M. Welling~\\cite{key} 提出。"),
        ("a.tex", "Kipf 教授团¦队提出了它。", "Kipf 教授团队\\cite{key}提出了它。"),
        ("a.tex", "Kipf等（2017）提¦出了它。", "Kipf等（2017）\\cite{key}提出了它。"),
        ("a.typ", "Kipf等人提出¦了它。", "Kipf等人@key 提出了它。"),
        ("a.typ", "Kipf 等人提出¦了它。", "Kipf 等人@key 提出了它。"),
        ("a.typ", "Kipf（2017）¦：它有效。", "Kipf（2017）@key：它有效。"),
        ("a.md", "Kipf、李四提出¦了它。", "Kipf [@key]、李四提出了它。"),
        ("a.tex", "Kipf, Max Welling, and \\emph{张三} s¦ay so.",
            r"Kipf, Max Welling~\cite{key}, and \emph{张三} say so."),
        ("a.tex", "Kipf, Welling, and 张三 s¦ay so.", r"Kipf, Welling, and 张三\cite{key} say so."),
        ("a.tex", "Kipf \\& Welling s¦ay so.", r"Kipf \& Welling~\cite{key} say so."),
        ("a.tex", "Kipf and Wellingborough s¦ay so.",
            r"Kipf~\cite{key} and Wellingborough say so."),
        ("a.tex", "Kipf%s s¦ay so." % ("*" * 500), "Kipf%s~\\cite{key} say so." % ("*" * 500)),
    ],
)  # fmt: skip
def test_a_marker_goes_behind_the_last_of_the_people_listed(
    name: str, before: str, after: str
) -> None:
    assert cited(name, before, named=("Kipf",), people=("Welling", "张三")) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", r"It wo¦rks \citep{a}.", r"It works \citep{a,key}."),
        ("a.tex", r"It wo¦rks \citep{a}. So BERT.", r"It works \citep{a,key}. So BERT."),
        ("a.tex", r"I\citep{a} so¦, BERT has it.", r"I\citep{a} so, BERT\citep{key} has it."),
        ("a.tex", r"So BERT \citep[see][]{a} wo¦rks.", r"So BERT \citep[see][]{a,key} works."),
        ("a.tex", r"It \citep{} wo¦rks.", r"It \citep{key} works."),
        ("a.md", "It wo¦rks [@a].", "It works [@a; @key]."),
        ("a.md", "它有¦效[@a]。", "它有效[@a; @key]。"),
    ],
)  # fmt: skip
def test_a_marker_that_stands_there_gets_the_key(name: str, before: str, after: str) -> None:
    assert cited(name, before, named=("BERT",)) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", r"It wo¦rks [?].", r"It works [?]~\cite{key}."),
        ("a.tex", "It wo¦rks % cite\n", "It works~\\cite{key} % cite\n"),
        ("a.tex", r"It works.\footnote{¦% cite", r"It works.\footnote{~\cite{key}% cite"),
        ("a.md", "It wo¦rks [citation needed].", "It works [citation needed] [@key]."),
    ],
)  # fmt: skip
def test_a_note_that_asks_for_a_citation_takes_no_key(name: str, before: str, after: str) -> None:
    assert cited(name, before) == after


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", r"It wo¦rks \citep{a,key}."),
        ("a.tex", r"It works \cit¦ep{key}."),
        ("a.tex", r"It works \cit¦es{key}{a}."),
        ("a.tex", r"We take BERT~\citep{key} to sta¦rt."),
        ("a.md", "It wo¦rks [@a; @key]."),
        ("a.md", "It works [@k¦ey; @a]."),
        ("a.md", "As @k¦ey said."),
        ("a.md", "As @¦a [@key] said."),
        ("a.md", "Say ¦{cite:p}`a,key`."),
        ("a.typ", "It wo¦rks @a @key."),
        ("a.typ", "It works @key @¦a."),
        ("a.org", "It works [cite:@k¦ey;@a]."),
    ],
)  # fmt: skip
def test_a_key_that_a_marker_holds_is_not_written_again(name: str, text: str) -> None:
    manuscript = parse(text.replace(CURSOR, ""), format_of(Path(name)) or "")
    inside = manuscript.marker_at(text.index(CURSOR)) is not None
    after = added(name, text) if inside else cited(name, text, named=("BERT",))
    assert after == manuscript.text


def test_of_several_keys_those_that_are_lacking_are_written_once() -> None:
    assert cited("a.tex", r"It wo¦rks \citep{a}.", "b", "a", "b") == r"It works \citep{a,b}."


@pytest.mark.parametrize(
    ("name", "draft", "marker"),
    [
        ("a.tex", r"A \citep{a}. B \citep{b}. C~\cite{c}.", r" \citep{key}"),
        ("a.tex", r"A~\parencite[3]{a}. B\footcite{b}. C~\parencite{b}.", r"~\parencite{key}"),
        ("a.tex", r"A\footcite{a}.", r"\footcite{key}"),
        ("a.tex", r"A~\autocites{a}{b}.", r"~\autocite{key}"),
        ("a.tex", r"\citet{a} say. \citet{b} too. \nocite{c}", r"~\citep{key}"),
        ("a.tex", r"\textcite{a} say.", r"~\parencite{key}"),
        ("a.tex", r"\usepackage[numbers]{natbib}", r"~\citep{key}"),
        ("a.tex", r"\usepackage[style=apa]{biblatex}", r"~\autocite{key}"),
        ("a.tex", r"\usepackage{amsmath}", r"~\cite{key}"),
        ("a.tex", r"\usepackage{amsmath, natbib}", r"~\citep{key}"),
        ("a.tex", r"\usepackage[authordate]{biblatex-chicago}", r"~\autocite{key}"),
        ("a.tex", "\\usepackage[\n  style=apa, % [x]\n]{biblatex}", r"~\autocite{key}"),
        ("a.tex", "% \\usepackage{natbib}\n\\usepackage{cite}", r"~\cite{key}"),
        ("a.md", "A [@a]. @b say.", " [@key]"),
        ("a.md", "@b say.", " [@key]"),
        ("a.md", "A [[@a]]. B [[@b|Doe (2020)]]. C [@c].", " [[@key]]"),
        ("a.md", r"A \citep{a}.", r" \citep{key}"),
        ("a.md", "A {cite:p}`a`.", " {cite:p}`key`"),
        ("a.md", "A :cite:`a`.", " :cite:`key`"),
    ],
)
def test_the_marker_is_the_kind_the_draft_uses_most(name: str, draft: str, marker: str) -> None:
    assert cited(name, f"{draft}\n\nIt wo¦rks.") == f"{draft}\n\nIt works{marker}."


@pytest.mark.parametrize(
    ("draft", "marker"),
    [
        (r"\newcommand{\jcite}[2]{(\cite[#1]{#2})} A \jcite{5}{a}.", r"~\cite{key}"),
        (r"\newcommand{\jcite}[2]{\cite{#1}, #2} A \jcite{a}{5}.", r"~\cite{key}"),
        (r"\def\jcite#1#2{\cite[#1]{#2}} \jcite{5}{a} \jcite{5}{b} \citep{c}.", r" \citep{key}"),
        (r"\newcommand{\jcite}[2][]{\cite[#1]{#2}} A~\jcite[5]{a}.", r"~\jcite{key}"),
        (r"A \volcite{2}{a}.", r"~\autocite{key}"),
        (r"A \pvolcites{2}{a}{3}{b}.", r"~\parencite{key}"),
        (r"A.\fvolcite{2}{a}", r"\footcite{key}"),
        (r"\textcites{a}{b} say.", r"~\parencite{key}"),
    ],
)  # fmt: skip
def test_a_command_that_takes_more_than_keys_is_not_written(draft: str, marker: str) -> None:
    assert cited("a.tex", f"{draft}\n\nIt wo¦rks.") == f"{draft}\n\nIt works{marker}."


@pytest.mark.parametrize(
    ("name", "draft", "marker"),
    [
        ("a.tex", r"A (\cite{a}). B (\cite{b}). C \cite{c}.", r" \cite{key}"),
        ("a.tex", r"A\,\cite{a}. B\,\cite{b}.", r"\,\cite{key}"),
        ("a.tex", r"A$^2$\cite{a}. \emph{B}\cite{b}. C~\cite{c}.", r"\cite{key}"),
        ("a.md", "A ([@a]). B ([@b]).", " [@key]"),
        ("a.md", r"A (\citep{a}).", r" \citep{key}"),
        ("a.org", "A (citep:&a).", " citep:&key"),
    ],
)
def test_what_opens_a_bracket_is_not_what_parts_a_marker_from_its_word(
    name: str, draft: str, marker: str
) -> None:
    assert cited(name, f"{draft}\n\nIt wo¦rks.") == f"{draft}\n\nIt works{marker}."


NOTES = r"A\footcite{b} b.\footcite{a} C.''\footcite[12]{b} D, \footcite{b} too.\footcite{c}"
UPPER = r"A,\upcite{a} b。\upcite{a}C．\upcite{a}"
PANDOC = "A.[@a] B?[@b] C [@c] d."


@pytest.mark.parametrize(
    ("name", "draft", "before", "after"),
    [
        ("a.tex", NOTES, "It wo¦rks. Next.", r"It works.\footcite{key} Next."),
        ("a.tex", NOTES, "It wo¦rks?! Next.", r"It works?!\footcite{key} Next."),
        ("a.tex", NOTES, "``It wo¦rks.'' Next.", r"``It works.''\footcite{key} Next."),
        ("a.tex", NOTES, r"\emph{It wo¦rks.} Next.", r"\emph{It works.\footcite{key}} Next."),
        ("a.tex", NOTES, r"So \enquote{it wo¦rks.} Next.",
         r"So \enquote{it works.}\footcite{key} Next."),
        ("a.tex", NOTES, r"\enquote{So {\em is}. It wo¦rks.} Next.",
         r"\enquote{So {\em is}. It works.}\footcite{key} Next."),
        ("a.tex", NOTES, r"\footnote{It wo¦rks.}", r"\footnote{It works~\parencite{key}.}"),
        ("a.tex", NOTES, r"It wo¦rks.\footnote{N.}", r"It works.\footcite{key}\footnote{N.}"),
        ("a.tex", NOTES, r"It wo¦rks.\footcite{a} N.", r"It works.\footcite{a,key} N."),
        ("a.tex", NOTES, r"It wo¦rks\footcite{a}. N.", r"It works\footcite{a,key}. N."),
        ("a.tex", NOTES, "It wo¦rks and", r"It works and\footcite{key}"),
        ("a.tex", NOTES, "As BERT, it wo¦rks.", r"As BERT,\footcite{key} it works."),
        ("a.tex", NOTES, "As BERT.5 it wo¦rks.", r"As BERT\footcite{key}.5 it works."),
        ("a.tex", UPPER, "它有¦效。下一句。", r"它有效。\upcite{key}下一句。"),
        ("a.tex", r"A.\cite{a} B.\cite{b}", "It wo¦rks. Next.", r"It works.\cite{key} Next."),
        ("a.md", PANDOC, "*It wo¦rks.* Next.", "*It works.*[@key] Next."),
        ("a.typ", "A.@a B.@b", "It wo¦rks. Next.", "It works.@key Next."),
    ],
)  # fmt: skip
def test_a_marker_goes_behind_the_full_stop_where_the_others_do(
    name: str, draft: str, before: str, after: str
) -> None:
    assert cited(name, f"{draft}\n\n{before}", named=("BERT",)) == f"{draft}\n\n{after}"


HARVARD = "\\usepackage{natbib}\n\\bibliographystyle{plainnat}\n"
AUTHORYEAR = "\\usepackage[\n  style=authoryear-comp,\n]{biblatex}\n"


@pytest.mark.parametrize(
    ("name", "preamble", "before", "after"),
    [
        ("a.tex", HARVARD, "As Doe sho¦ws, it is.", r"As Doe~\citeyearpar{key} shows, it is."),
        ("a.tex", HARVARD, "As Doe et al.\\ sho¦w.", r"As Doe et al.~\citeyearpar{key}\ show."),
        ("a.tex", HARVARD, "In Doe's wo¦rk.", r"In Doe's~\citeyearpar{key} work."),
        ("a.tex", HARVARD, "So say Doe and R¦oe.", r"So say Doe and Roe~\citeyearpar{key}."),
        ("a.tex", HARVARD, "As DOE2 sho¦ws.", r"As DOE2~\citep{key} shows."),
        ("a.tex", HARVARD, "As Doe (2019) sho¦ws.", r"As Doe (2019)~\citep{key} shows."),
        ("a.tex", HARVARD, r"As Doe~\citep sho¦ws.", r"As Doe~\citep{key} shows."),
        ("a.tex", HARVARD.replace("{nat", "[numbers]{nat"), "As Doe sh¦ows.",
         r"As Doe~\citep{key} shows."),
        ("a.tex", HARVARD.replace("nnat", ""), "As Doe sh¦ows.", r"As Doe~\citep{key} shows."),
        ("a.tex", "\\usepackage[review]{acl}\nA~\\citep{a}. ", "As Doe sh¦ows.",
         r"As Doe~\citeyearpar{key} shows."),
        ("a.tex", "\\documentclass[authoryear]{elsarticle}\nA~\\citep{a}. ", "As Doe sh¦ows.",
         r"As Doe~\citeyearpar{key} shows."),
        ("a.tex", "\\documentclass{elsarticle}\nA~\\citep{a}. ", "As Doe sh¦ows.",
         r"As Doe~\citep{key} shows."),
        ("a.tex", AUTHORYEAR, "As Doe sho¦ws.", r"As Doe~\parencite*{key} shows."),
        ("a.tex", AUTHORYEAR + r"A~\citep{a}.", "As Doe i¦s.", r"As Doe~\parencite*{key} is."),
        ("a.tex", AUTHORYEAR + r"A.\footcite{a}", "As Doe i¦s.", r"As Doe\footcite{key} is."),
        ("a.tex", AUTHORYEAR + r"A\footcite{a}.", "As Doe i¦s.", r"As Doe\footcite{key} is."),
        ("a.tex", "\\usepackage{biblatex}\n", "As Doe sho¦ws.", r"As Doe~\autocite{key} shows."),
        ("a.md", "", "As Doe sho¦ws, it is so.", "As Doe [-@key] shows, it is so."),
        ("a.md", "", "如Doe等人所述，它有¦效。", "如Doe等人[-@key]所述，它有效。"),
        ("a.md", PANDOC, "As Doe sho¦ws.", "As Doe[@key] shows."),
        ("a.md", "---\ncsl: chicago-note.csl\n---", "As Doe sho¦ws.", "As Doe [@key] shows."),
        ("a.md", "A {cite:p}`a`. ", "As Doe sho¦ws.", "As Doe {cite:p}`key` shows."),
        ("a.org", "", "As Doe sho¦ws.", "As Doe [cite/na:@key] shows."),
        ("a.typ", "", "As Doe sho¦ws.", "As Doe @key shows."),
    ],
)  # fmt: skip
def test_a_marker_behind_people_does_not_name_them_again(
    name: str, preamble: str, before: str, after: str
) -> None:
    named = {"named": ("Doe", "DOE2"), "authors": ("Doe",), "people": ("Roe",)}
    assert cited(name, f"{preamble}\n\n{before}", **named) == f"{preamble}\n\n{after}"


VGL = r"A.\footnote{Vgl. \cite[12]{a}.} B, c.\footnote{\cite{b}; siehe \cite{c}.} D \textcite{e}."
INLINE = "A.^[@a.] B.^[See @b, p. 3; also @c.]"
FRENCH = r"A~\footnote{\cite{a}}. B~\footnote{Cf. \cite{b}}."


@pytest.mark.parametrize(
    ("name", "draft", "before", "after"),
    [
        ("a.tex", VGL, "It wo¦rks. Next.", r"It works.\footnote{\cite{key}.} Next."),
        ("a.tex", VGL, "``It wo¦rks.'' Next.", r"``It works.''\footnote{\cite{key}.} Next."),
        ("a.tex", VGL, "As BERT, it wo¦rks.", r"As BERT,\footnote{\cite{key}.} it works."),
        ("a.tex", VGL, r"A.\footnote{It is¦ so.}", r"A.\footnote{It is so \cite{key}.}"),
        ("a.tex", FRENCH, "It wo¦rks. Next.", r"It works~\footnote{\cite{key}}. Next."),
        ("a.tex", r"A.\endnote{\cite{a}.}", "It wo¦rks.", r"It works.\endnote{\cite{key}.}"),
        ("a.tex", r"A.\footnote{\cite{a}} B\footcite{b}.", "It¦ is.", r"It is\footcite{key}."),
        ("a.tex", r"A~\cite{a}. B.\footnote{\cite{b}.}", "It wo¦rks.", r"It works~\cite{key}."),
        ("a.tex", r"A.\footnote{\fullcite{a}.}", "It i¦s.", r"It is.\footnote{\fullcite{key}.}"),
        ("a.tex", r"A.\footfullcite{a}", "It wo¦rks.", r"It works.\footfullcite{key}"),
        ("a.tex", r"A.\footnote{A long remark on what others have to say of it \cite{b}.}",
         "It wo¦rks.", r"It works \cite{key}."),
        ("a.tex", r"\author{A\thanks{\cite{b}.}}", "It wo¦rks.", r"It works~\cite{key}."),
        ("a.md", "A.^[[@a].]", "It wo¦rks. Next.", "It works.^[[@key].] Next."),
        ("a.md", INLINE, "It wo¦rks. Next.", "It works.^[[@key].] Next."),
        ("a.md", "A @b.^[As @a says.]", "It wo¦rks.", "It works [@key]."),
        ("a.typ", "A.#footnote[@a] B.#footnote[@b]", "It wo¦rks.", "It works.#footnote[@key]"),
        ("a.typ", "A.#footnote[See @a.]", "It wo¦rks. Next.", "It works.#footnote[@key.] Next."),
        ("a.org", "A.[fn:: [cite:@a].]", "It wo¦rks.", "It works.[fn:: [cite:@key].]"),
    ],
)  # fmt: skip
def test_a_draft_that_cites_in_footnotes_gets_one_around_a_new_marker(
    name: str, draft: str, before: str, after: str
) -> None:
    assert cited(name, f"{draft}\n\n{before}", named=("BERT",)) == f"{draft}\n\n{after}"


def test_a_footnote_around_a_new_marker_stands_where_others_are_referred_to() -> None:
    notes = "\n\n[^1]: Siehe [@a]."
    assert cited("a.md", f"A.[^1] It wo¦rks.{notes}") == f"A.[^1] It works.^[[@key].]{notes}"
    notes = "\n\n[fn:1] [cite:@a]."
    assert (
        cited("a.org", f"A.[fn:1] It¦ is.{notes}") == f"A.[fn:1] It is.[fn:: [cite:@key].]{notes}"
    )


def test_a_footnote_is_cited_in_as_the_others_are() -> None:
    notes = r"B.\footnote{So, \citealt{b}.}" + r"A\footnote{Or \cite{a}.}" * 3
    draft = rf"A~\citep{{a}}, b~\citep{{b}}, c~\citep{{c}}, d~\citep{{d}}. {notes}"
    assert cited("a.tex", rf"{draft} E.\footnote{{It is¦ so.}}").endswith(r"is so \cite{key}.}")
    assert cited("a.tex", rf"{draft} It is¦ so.").endswith(r"is so~\citep{key}.")


@pytest.mark.parametrize(
    "draft",
    [
        r"As Li et al.\cite{a} say.",
        r"A\cite{a}. B\cite{b}. C.\cite{c}",
        r"甲。\cite{a}认为乙。\cite{a}指出丙\cite{b}。",
        r"A\,\cite{a} b\,\cite{b}, c\,\cite{c} d.",
        r"A \cite{a},\cite{b} b.",
        r"A (\cite{a}). B.\footcite{a} C \cite{a} d.",
    ],
)
def test_the_stop_of_an_abbreviation_and_one_between_markers_show_no_habit(draft: str) -> None:
    assert cited("a.tex", f"{draft}\n\nIt wo¦rks.").endswith(r"\cite{key}.")


def test_the_style_is_that_of_all_files_of_the_draft() -> None:
    chapter = parse("It works.", "latex")
    other = parse(r"A \citep{a, b}. B \citep{b}.", "latex")
    edit = insertion(chapter, chapter.sentences[0], ["x", "y"], Document.of(other, chapter))
    assert edit == TextEdit.insertion(len("It works"), r" \citep{x, y}")


def test_several_keys_and_odd_keys() -> None:
    assert cited("a.tex", "It wo¦rks.", "a", "b") == r"It works~\cite{a,b}."
    assert cited("a.md", "It wo¦rks.", "a", "b") == "It works [@a; @b]."
    assert cited("a.md", "It wo¦rks.", "DBLP:a/b-c") == "It works [@DBLP:a/b-c]."
    assert cited("a.md", "It wo¦rks.", "odd,key") == "It works [@{odd,key}]."
    assert cited("a.md", "它有¦效。", "李明2021") == "它有效[@李明2021]。"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", r"A \citep[see][3]{a¦}.", r"A \citep[see][3]{key,a}."),
        ("a.tex", r"A \citep[see][]{a¦}.", r"A \citep[see][]{a,key}."),
        ("a.tex", r"A \cites[2]{a}[3]{b¦}.", r"A \cites[2]{a}[3]{key,b}."),
        ("a.tex", r"A \cites[2]{a}[3]{¦}.", r"A \cites[2]{a}[3]{key}."),
        ("a.tex", r"A \cite[3]{a,*b¦}.", r"A \cite[3]{a,*b,key}."),
        ("a.tex", r"A \cite{a, b¦} and \cite{c, d}.", r"A \cite{a, b, key} and \cite{c, d}."),
        ("a.tex", r"A \cite{¦}.", r"A \cite{key}."),
        ("a.tex", r"A \cite{\ours¦}.", r"A \cite{\ours,key}."),
        ("a.tex", r"A \cite{\ours,¦}.", r"A \cite{\ours,key}."),
        ("a.tex", r"A \cite{a, \ours¦}.", r"A \cite{a,key, \ours}."),
        ("a.tex", "A \\cite{a¦\n\nB", "A \\cite{a,key\n\nB"),
        ("a.tex", "A \\cite{a¦,\n  b}", "A \\cite{a,\n  b,key}"),
        ("a.md", "A [see @a¦, p. 3].", "A [see @a, p. 3; @key]."),
        ("a.md", "A [@a¦; @b].", "A [@a; @b; @key]."),
        ("a.md", "A [@¦].", "A [@key]."),
        ("a.md", "A [@a; @¦].", "A [@a; @key]."),
        ("a.md", "A [see @¦, p. 3].", "A [see @key, p. 3]."),
        ("a.md", "A [-@¦].", "A [-@key]."),
        ("a.md", "A [see @¦; @a, p. 3].", "A [see @key; @a, p. 3]."),
        ("a.md", "A [@a¦;].", "A [@a; @key]."),
        ("a.md", "A [@a¦; ; @b].", "A [@a; @key; @b]."),
        ("a.org", "A [cite:see @¦ p. 3].", "A [cite:see @key p. 3]."),
        ("a.org", "A [cite:@¦;@a].", "A [cite:@key;@a]."),
        ("a.org", "A [cite:@a;¦].", "A [cite:@a;@key]."),
        ("a.tex", r"A \cite{a¦,}.", r"A \cite{a,key}."),
        ("a.tex", r"A \cite{,a¦}.", r"A \cite{key,a}."),
        ("a.tex", r"A \cite{a¦, , b}.", r"A \cite{a, key, b}."),
        ("a.tex", r"A \cite[3]{a¦,}.", r"A \cite[3]{a,key}."),
        ("a.tex", "A \\cite{a¦,% b\n}.", "A \\cite{a,key% b\n}."),
        ("a.md", "A {cite:p}`a¦,`.", "A {cite:p}`a,key`."),
        ("a.org", "A [cite:@¦].", "A [cite:@key]."),
        ("a.md", "As @a¦ says.", "As @a [@key] says."),
        ("a.md", "A [[@a¦]].", "A [[@a]] [[@key]]."),
        ("a.md", "A [[@key]] [[@a¦]].", "A [[@key]] [[@a]]."),
        ("a.md", "A {cite:p}`a¦`.", "A {cite:p}`a,key`."),
        ("a.md", "A {cite:p}`{see}a¦{p. 3}`.", "A {cite:p}`{see}a{p. 3},key`."),
        ("a.md", "---\nnocite: |\n  @a¦, @b\n---\n", "---\nnocite: |\n  @a, @b, @key\n---\n"),
        ("a.typ", "A #cite(<¦>).", "A #cite(<key>)."),
        ("a.typ", "A #cite(<a¦>).", "A #cite(<a>) @key."),
        ("a.typ", "Shown in @¦a\n\n@key says.", "Shown in @a @key\n\n@key says."),
        ("a.typ", "Shown in @¦a\r\n \r\n@key.", "Shown in @a @key\r\n \r\n@key."),
    ],
)
def test_a_key_is_added_behind_those_that_stand_there(name: str, before: str, after: str) -> None:
    assert added(name, before) == after


def test_a_key_does_not_grow_into_the_word_behind_it() -> None:
    assert added("a.typ", "如#cite(<¦a>)所示。") == "如#cite(<a>) @key 所示。"
    assert added("a.typ", "如#cite(<¦a>)：所示。") == "如#cite(<a>) @key：所示。"
    assert added("a.typ", "如#cite(<¦a>)所示。", "a/b") == '如#cite(<a>) #cite(label("a/b"))所示。'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("_So it wo¦rks._ Next.", "_So it works #cite(<key>)._ Next."),
        ("_So it wo¦rks #cite(<a>)._ Next.", "_So it works #cite(<a>) #cite(<key>)._ Next."),
        ("*So it wo¦rks.* Next.", "*So it works @key.* Next."),
    ],
)
def test_a_key_of_typst_does_not_go_on_with_the_end_of_emphasis(before: str, after: str) -> None:
    assert cited("a.typ", before) == after


def test_keys_go_between_the_brackets_of_an_empty_call_of_typst() -> None:
    manuscript = parse("A #cite( ) B.", "typst")
    (marker,) = manuscript.markers
    written = addition(manuscript, marker, ["a", "b"], Document.of(manuscript)).applied_to(
        manuscript.text
    )
    assert written == "A #cite( <a>) #cite(<b>) B."


def test_what_cannot_stand_between_the_signs_of_a_label_takes_their_place() -> None:
    manuscript = parse("A #cite(<old>).", "typst")
    (place,) = manuscript.markers[0].keys
    assert key_replacement(manuscript, place, "a/b") == TextEdit(8, 13, 'label("a/b")')
    assert key_replacement(manuscript, place, "new") == TextEdit(9, 12, "new")


def test_a_word_behind_a_key_stays_where_the_key_changes() -> None:
    manuscript = parse("A [[cite:old mol]].", "org")
    place = manuscript.markers[0].keys[0]
    assert key_replacement(manuscript, place, "new") == TextEdit(9, 12, "new")


def test_what_no_label_can_hold_is_written_beside_an_empty_one() -> None:
    assert added("a.typ", "A #cite(<¦>).", "a/b") == 'A #cite(<>) #cite(label("a/b")).'


CLOSINGS = re.compile(r"(?:[*_}]|\](?:\([^\n]*\)|\[[^\n]*\])?(?:\{[^\n]*\})?)*")
"""What closes an emphasis, a group or a link behind the last word of a sentence."""


@given(
    st.sampled_from(["latex", "markdown"]),
    st.text(alphabet="ab .。\\{}%[]@^\n~“”\"'$`:;(),cite", max_size=60),
)
def test_an_insertion_stays_with_its_sentence(format: str, text: str) -> None:
    manuscript = parse(text, format)
    document = Document.of(manuscript)
    for sentence in manuscript.sentences:
        edit = insertion(manuscript, sentence, ["key"], document)
        assert sentence.start <= edit.start == edit.end
        assert CLOSINGS.fullmatch(manuscript.text[sentence.end : max(edit.start, sentence.end)])
        assert "key" in edit.text
    for marker in manuscript.markers:
        edit = addition(manuscript, marker, ["key"], document)
        assert marker.start <= edit.start == edit.end <= marker.end
        assert "key" in edit.text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (r"一\textsuperscript{\cite{a}}。二¦。",
         r"一\textsuperscript{\cite{a}}。二\textsuperscript{\cite{key}}。"),
        (r"One.$^{\cite{a}}$ Tw¦o.", r"One.$^{\cite{a}}$ Two.$^{\cite{key}}$"),
        (r"一$^{\cite{a}}$。二$^{\cite{b}}$，三¦$^{\cite{c}}$。",
         r"一$^{\cite{a}}$。二$^{\cite{b}}$，三$^{\cite{c,key}}$。"),
        (r"M\textsuperscript{1} so~\cite{a}. Tw¦o.",
         r"M\textsuperscript{1} so~\cite{a}. Two~\cite{key}."),
    ],
)  # fmt: skip
def test_a_marker_is_raised_where_those_of_the_draft_are(text: str, after: str) -> None:
    assert cited("a.tex", text) == after


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("#cite(<>)", "#cite(<a>) @b"),
        ('#cite("")', "#cite(<a>) @b"),
        ('#cite(label(""))', '#cite(label("a")) @b'),
        ('#cite("", form: "prose")', '#cite(<a>, form: "prose") @b'),
    ],
)
def test_the_first_key_goes_into_an_empty_call_and_others_behind_it(call: str, after: str) -> None:
    manuscript = parse(f"So {call}.", "typst")
    edit = fill(manuscript, manuscript.markers[0], ["a", "b"], Document.of(manuscript))
    assert edit.applied_to(manuscript.text) == f"So {after}."


def test_a_key_is_nothing_but_a_text_in_typst() -> None:
    assert typst_label('a") #read("/etc/passwd') == r'label("a\") #read(\"/etc/passwd")'
    assert typst_label("a\\") == r'label("a\\")'


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        (r"So it is \cite{,}.", r"So it is \cite{a,b}."),
        (r"So it is \cite{ , , }.", r"So it is \cite{a,b}."),
        ("So it is \\cite{%\n}.", "So it is \\cite{a,b%\n}."),
        (r"So it is \cite{ }.", r"So it is \cite{a,b }."),
        (r"So it is \cite{\mykey}.", r"So it is \cite{\mykey,a,b}."),
    ],
)
def test_keys_go_into_a_list_that_has_none_and_leave_no_hole(text: str, filled: str) -> None:
    manuscript = parse(text, "latex")
    edit = fill(manuscript, manuscript.markers[0], ["a", "b"], Document.of(manuscript))
    assert edit.applied_to(text) == filled
