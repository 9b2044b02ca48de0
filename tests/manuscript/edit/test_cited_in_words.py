"""A citation that is written out in words gives way to a marker that prints the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.manuscript import Document, format_of, parse
from cite_lsp.manuscript.edit.cited_in_words import (
    CitedWork,
    all_replacements_of_words,
    may_cite_in_words,
    replacement_of_words,
)
from cite_lsp.manuscript.text.text_edit import apply_edits

NATBIB = "\\usepackage{natbib}\n"
BIBLATEX = "\\usepackage{biblatex}\n"


def cited(name: str, text: str, *people: str, year: int = 2020, preamble: str = "") -> str | None:
    """Return the text once the sentence at the cursor cites a paper, None where no words do."""
    work = CitedWork("key", people or ("Doe", "Roe", "Moe"), year)
    after = replaced(name, preamble + text, [work])
    return None if after is None else after.removeprefix(preamble)


def replaced(name: str, text: str, works: list[CitedWork]) -> str | None:
    """Return the text once the sentence at the cursor cites all works, None where no words do."""
    manuscript = parse(text.replace("¦", ""), format_of(Path(name)) or "")
    sentence = manuscript.sentence_at(text.index("¦"))
    assert sentence is not None
    replacement = replacement_of_words(manuscript, sentence, works, Document.of(manuscript))
    return replacement.applied_to(manuscript.text) if replacement is not None else None


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "So it i¦s (Doe et al., 2020). Next.", r"So it is~\cite{key}. Next."),
        ("a.tex", "BERT (Doe~\\emph{et al.}, 2020a) i¦s.", r"BERT~\cite{key} is."),
        ("a.tex", "BERT (Doe et al.\\ 2020) i¦s.", r"BERT~\cite{key} is."),
        ("a.tex", "A\n(Doe, Roe, \\& Moe, 2020) i¦s.", "A\n\\cite{key} is."),
        ("a.md", "It i¦s so (Doe, Roe, and Moe 2020).", "It is so [@key]."),
        ("a.md", "It i¦s so (Doe et al., Moe 2020).", "It is so [@key]."),
        ("a.md", "It i¦s so (Doe et al., Roe and Moe, 2020).", "It is so [@key]."),
        ("a.md", "Es is¦t so (Doe u. a. 2020).", "Es ist so [@key]."),
        ("a.md", "It i¦s so (Doe et al., 2020; Fox, 2001).", "It is so [@key] (Fox, 2001)."),
        ("a.md", "It i¦s so (Fox, 2001; Doe et al., 2020).", "It is so [@key] (Fox, 2001)."),
        ("a.md", "因此有¦效（Doe等，2020）。", "因此有效[@key]。"),
        ("a.typ", "So it i¦s (Doe & Roe, 2020).", "So it is @key."),
        ("a.org", "So it i¦s (Doe, 2020).", "So it is [cite:@key]."),
        ("a.tex", "So it i¦s [Doe et al., 2020].", r"So it is~\cite{key}."),
        ("a.md", "So it i¦s [Doe et al., 2020; Fox, 2001].", "So it is [@key] [Fox, 2001]."),
        ("a.typ", "So it i¦s [Doe & Roe, 2020].", "So it is @key."),
        ("a.org", "So it i¦s [Doe, 2020].", "So it is [cite:@key]."),
        ("a.md", "C’est ain¦si (Doe et autres, 2020).", "C’est ainsi [@key]."),
    ],
)  # fmt: skip
def test_a_marker_takes_the_place_of_parentheses(name: str, before: str, after: str) -> None:
    assert cited(name, before) == after


@pytest.mark.parametrize(
    ("name", "preamble", "before", "after"),
    [
        ("a.tex", NATBIB, "Doe et al. (2020) s¦ay so.", r"\citet{key} say so."),
        ("a.tex", NATBIB, "As Doe, Roe and Moe~(2020a) s¦ay.", r"As \citet{key} say."),
        ("a.tex", BIBLATEX, "Doe \\& Roe (2020) s¦ay so.", r"\textcite{key} say so."),
        ("a.tex", "", "So \\citep{a}. Doe (2020) sa¦ys.", r"So \citep{a}. \citet{key} says."),
        ("a.md", "", "Doe et al. (2020) s¦ay so.", "@key say so."),
        ("a.typ", "", "Doe (2020) s¦ays so.", '#cite(<key>, form: "prose") says so.'),
        ("a.org", "", "Doe (2020) s¦ays so.", "[cite/t:@key] says so."),
        ("a.tex", BIBLATEX, "Laut Doe 2020 i¦st es so.", r"Laut \textcite{key} ist es so."),
        ("a.md", "", "As Doe et al. 2020 s¦ay.", "As @key say."),
        ("a.md", "", "As *Doe et al.* (2020) s¦ay.", "As @key say."),
        ("a.tex", NATBIB, "As \\emph{Doe et al.} (2020) s¦ay.", r"As \citet{key} say."),
        ("a.tex", NATBIB, "As Doe et al. [2020] s¦ay.", r"As \citet{key} say."),
        ("a.md", "", "As Doe et al. [2020, p. 3] s¦ay.", "As @key [p. 3] say."),
        ("a.md", "", "So {cite:p}`a`. Doe (2020) sa¦ys.", "So {cite:p}`a`. {cite:t}`key` says."),
        ("a.org", "", "So citep:a. Doe (2020) sa¦ys.", "So citep:a. citet:key says."),
        ("a.md", "", "So {% cite a %}. Doe (2020) ha¦s.", "So {% cite a %}. {% citet key %} has."),
        ("a.md", "", "Según Doe y otros (2020): e¦s así.", "Según @key: es así."),
        ("a.tex", NATBIB, "As Doe {\\em et al}. [2020] s¦ay.", r"As \citet{key} say."),
        ("a.tex", NATBIB, "As Doe {\\it et~al.} (2020) s¦ay.", r"As \citet{key} say."),
        ("a.tex", NATBIB, "As Doe \\emph{et al}.~(2020) s¦ay.", r"As \citet{key} say."),
        ("a.tex", NATBIB, "As Doe \\etal\\ (2020) s¦ay.", r"As \citet{key} say."),
        ("a.tex", NATBIB, "As Doe~\\etal{} (2020) s¦ay.", r"As \citet{key} say."),
        ("a.tex", NATBIB, "As Doe and co-workers (2020) s¦ay.", r"As \citet{key} say."),
        ("a.md", "", "As Doe *et al*. (2020) s¦ay.", "As @key say."),
        ("a.org", "", "As Doe /et al./ (2020) s¦ay.", "As [cite/t:@key] say."),
        ("a.typ", "", "As Doe #emph[et al.] (2020) s¦ay.",
         'As #cite(<key>, form: "prose") say.'),
    ],
)  # fmt: skip
def test_a_marker_that_prints_names_takes_the_place_of_names_and_a_year(
    name: str, preamble: str, before: str, after: str
) -> None:
    assert cited(name, before, preamble=preamble) == after


@pytest.mark.parametrize(
    ("name", "preamble", "before", "after"),
    [
        ("a.tex", NATBIB, "Doe's (2020) wo¦rk.", "Doe's \\citeyearpar{key} work."),
        ("a.tex", BIBLATEX, "Doe’s (2020, p. 3) wo¦rk.", "Doe’s \\parencite*[p. 3]{key} work."),
        ("a.tex", "", "Doe's (2020) wo¦rk.", None),
        ("a.tex", "\\usepackage[numbers]{natbib}\n", "Doe's (2020) wo¦rk.", None),
        ("a.md", "", "Doe et al.'s (2020) wo¦rk.", "Doe et al.'s [-@key] work."),
        ("a.md", "", "Doe’s (2020) mod¦el.", "Doe’s [-@key] model."),
        ("a.typ", "", "Doe's (2020) wo¦rk.", 'Doe\'s (#cite(<key>, form: "year")) work.'),
        ("a.org", "", "Does' (2020, p. 3) wo¦rk.", "Does' [cite/na:@key p. 3] work."),
    ],
)
def test_a_year_takes_the_place_of_one_behind_the_name_of_an_owner(
    name: str, preamble: str, before: str, after: str | None
) -> None:
    person = "Does" if "Does" in before else "Doe"
    assert cited(name, before, person, "Roe", preamble=preamble) == after


def test_an_organisation_may_be_cited_by_its_initials() -> None:
    name = "Intergovernmental Panel on Climate Change"
    assert cited("a.md", "It i¦s so (IPCC, 2020).", name) == "It is so [@key]."
    assert cited("a.md", "It i¦s so (ipcc, 2020).", name) is None


@pytest.mark.parametrize(
    "written", ['M\\"oller', 'M{\\"o}ller', 'M{\\"{o}}ller', "Moller", "Moeller", "Möller"]
)
def test_a_letter_with_an_accent_may_be_written_without_it(written: str) -> None:
    text = f"It i¦s so ({written} and Bj{{\\o}}rk-Sk\\v{{c}}a, 2020)."
    assert cited("a.tex", text, "Möller", "Bjørk-Skča") == r"It is so~\cite{key}."


@pytest.mark.parametrize(
    ("name", "preamble", "before", "after"),
    [
        ("a.tex", NATBIB, "It i¦s so (\\eg Doe 2020).", r"It is so~\citep[\eg][]{key}."),
        ("a.tex", NATBIB, "It i¦s so (see Doe, 2020, p. 3).", r"It is so~\citep[see][p. 3]{key}."),
        ("a.tex", NATBIB, "It i¦s so (Doe~2020, pp.~3--5).", r"It is so~\citep[pp.~3--5]{key}."),
        ("a.tex", NATBIB, "It i¦s so (cf. Doe 2020).", r"It is so~\citep[cf.][]{key}."),
        ("a.tex", BIBLATEX, "So i¦t is (see,\ne.g., Doe 2020: 15).",
         r"So it is~\autocite[see, e.g.,][15]{key}."),
        ("a.tex", "", "It i¦s so (Doe, 2020, Section 3.1).", r"It is so~\cite[Section 3.1]{key}."),
        ("a.tex", NATBIB, "As Doe (2020, p.~3) s¦ays.", r"As \citet[p.~3]{key} says."),
        ("a.md", "", "It i¦s so (see Doe, 2020, p. 3).", "It is so [see @key, p. 3]."),
        ("a.md", "", "因此有¦效（参见 Doe, 2020，第3页）。", "因此有效[参见 @key, 第3页]。"),
        ("a.md", "", "因此有¦效（见Doe等，2020：15–17）。", "因此有效[见 @key, 15–17]。"),
        ("a.tex", NATBIB, "因此有¦效（详见Doe，2020，第3章，表2）。",
         r"因此有效\citep[详见][第3章，表2]{key}。"),
        ("a.tex", NATBIB, "因此有¦效（例如：Doe等人，2020；Fox，2001）。",
         r"因此有效\citep[例如：][]{key}（Fox，2001）。"),
        ("a.md", "", "It i¦s so (for a review, see also Doe & Roe 2020).",
         "It is so [for a review, see also @key]."),
        ("a.md", "", "It i¦s so (Doe, 2020, ch. 2, pp. 3–5; Fox, 2001).",
         "It is so [@key, ch. 2, pp. 3–5] (Fox, 2001)."),
        ("a.md", "", "It i¦s so (see Doe, 2020; Fox, 2001).", "It is so [see @key] (Fox, 2001)."),
        ("a.md", "", "It i¦s so (Doe, 2020, Fox, 2001).", "It is so [@key] (Fox, 2001)."),
        ("a.md", "", "It i¦s so (Doe, 2020, Section 3).", "It is so [@key, Section 3]."),
        ("a.tex", NATBIB, "It i¦s so (Doe, 2020: e105).", r"It is so~\citep[e105]{key}."),
        ("a.tex", NATBIB, "So Doe et al., (2020) s¦ay.", r"So \citet{key} say."),
        ("a.md", "", "It i¦s so (see Fox, 2001; Doe, 2020).", "It is so [@key] (see Fox, 2001)."),
        ("a.md", "", "It i¦s so (Doe 2020 and references therein).",
         "It is so [@key, and references therein]."),
        ("a.md", "", "Es is¦t so (vgl. Doe 2020, S. 12 f.).", "Es ist so [vgl. @key, S. 12 f.]."),
        ("a.md", "", "E¦s así (véase también Doe, 2020).", "Es así [véase también @key]."),
        ("a.md", "", "Es is¦t so (vgl. dazu auch Doe/Roe 2020, 13f.).",
         "Es ist so [vgl. dazu auch @key, 13f.]."),
        ("a.md", "", "Es is¦t so (so bereits Doe 2020, Rn. 3).",
         "Es ist so [so bereits @key, Rn. 3]."),
        ("a.md", "", "Doe (2020 : 3-5) l’a d¦it.", "@key [3-5] l’a dit."),
        ("a.md", "", "C’est ain¦si (d’après Doe 2020, p. 3 sq.).",
         "C’est ainsi [d’après @key, p. 3 sq.]."),
        ("a.tex", NATBIB, "It i¦s so (as shown by Doe 2020, 45--47).",
         r"It is so~\citep[as shown by][45--47]{key}."),
        ("a.md", "", "As Doe et al. (2020, p. 3) s¦ay.", "As @key [p. 3] say."),
        ("a.typ", "", "It i¦s so (Doe, 2020, p. 3).", "It is so @key[p. 3]."),
        ("a.typ", "", "Doe (2020, p. 3) s¦ays.",
         '#cite(<key>, form: "prose", supplement: [p. 3]) says.'),
        ("a.org", "", "It i¦s so (see Doe, 2020, p. 3).", "It is so [cite:see @key p. 3]."),
        ("a.org", "", "Doe (2020, p. 3) s¦ays.", "[cite/t:@key p. 3] says."),
    ],
)  # fmt: skip
def test_what_is_said_with_a_citation_goes_into_its_marker(
    name: str, preamble: str, before: str, after: str
) -> None:
    assert cited(name, before, preamble=preamble) == after


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "Doe et al. (2020) s¦ay so \\cite."),
        ("a.md", "It i¦s so (Doe et al., 2019)."),
        ("a.md", "It i¦s so (Roe et al., 2020)."),
        ("a.md", "It i¦s so (McDoe, 2020)."),
        ("a.md", "By Doe, 2020 ye¦ars passed."),
        ("a.md", "Doe 2020–2022 i¦s a project."),
        ("a.md", "It i¦s so (Doe 2020 has more)."),
        ("a.md", "As *one says, Doe et al.* (2020), i¦s."),
        ("a.tex", NATBIB + "As \\emph{one says, Doe et al.} (2020), i¦s."),
        ("a.md", "It i¦s so (Doe, 2020, 2021)."),
        ("a.md", "It i¦s so (Doe 2020; 2021)."),
        ("a.md", "Es is¦t so (Doe 2020; dies. 2021)."),
        ("a.md", "It i¦s so (Doe [2020] 2021)."),
        ("a.md", "It i¦s so (van Doe 2020)."),
        ("a.md", "It i¦s so (see van Doe 2020)."),
        ("a.md", "It i¦s so (see Fox and Doe 2020)."),
        ("a.md", "It i¦s so (Doe, 2020, but not all of it)."),
        ("a.md", "It i¦s so (Doe, 2020a; Doe, 2020b)."),
        ("a.md", "Doe (2020, but also later) s¦ays."),
        ("a.tex", "It i¦s so (see Doe, 2020)."),
        ("a.typ", "It i¦s so (see Doe, 2020)."),
        ("a.tex", "It i¦s so.\\footnote{By others (Doe, 2020).}"),
        ("a.tex", "It i¦s so % (Doe, 2020)\nstill."),
        ("a.md", "It i¦s `(Doe, 2020)` here."),
        ("a.md", "It i¦s in [Doe, 2020](https://example.org)."),
        ("a.md", "It i¦s in [Doe, 2020][doe].\n\n[doe]: https://example.org"),
        ("a.md", "It i¦s in [[Doe, 2020]]."),
        ("a.md", "It i¦s so ^[Doe, 2020]."),
        ("a.md", "Doe [2020](https://example.org) s¦ays."),
        ("a.md", "So [Doe (2020)](https://example.org) s¦ays."),
        ("a.md", "[Doe (2020)](https://example.org) s¦ays."),
        ("a.md", "It i¦s [so, as Doe (2020) says][doe].\n\n[doe]: https://example.org"),
        ("a.org", "It i¦s in [[file:a.pdf][what Doe (2020) says]]."),
        ("a.org", "It i¦s in [[file:a.pdf][a file (Doe, 2020)]]."),
        ("a.org", "It i¦s in [[file:a.pdf][Doe, 2020]]."),
        ("a.typ", 'It i¦s in #link("https://example.org")[Doe, 2020].'),
        ("a.tex", "It i¦s \\textcite[Doe, 2020]{other} here."),
    ],
)
def test_what_names_another_paper_or_says_more_stays(name: str, text: str) -> None:
    assert cited(name, text) is None


@pytest.mark.parametrize(
    ("name", "preamble", "before", "after"),
    [
        ("a.tex", NATBIB, "So Doe (2020) and Fox (2001) say (Doe 2020; Fox 2001) \\citep{other}.",
         r"So \citet{doe} and \citet{fox} say \citep{doe,fox} \citep{other}."),
        ("a.md", "", "So Doe (2020) says [@other], and so it is (Fox 2001; Doe 2020).",
         "So @doe says [@other], and so it is [@fox; @doe]."),
        ("a.typ", "", "So Doe (2020) says @other, and so it is (Fox 2001).",
         'So #cite(<doe>, form: "prose") says @other, and so it is @fox.'),
        ("a.org", "", "So Doe (2020) says [cite:@other], and so it is (Fox 2001).",
         "So [cite/t:@doe] says [cite:@other], and so it is [cite:@fox]."),
    ],
)  # fmt: skip
def test_all_words_that_cite_are_found(name: str, preamble: str, before: str, after: str) -> None:
    manuscript = parse(preamble + before, str(format_of(Path(name))))
    sentence = manuscript.sentences[-1]
    works = [CitedWork("doe", ("Doe",), 2020), CitedWork("fox", ("Fox",), 2001)]
    in_words = all_replacements_of_words(manuscript, sentence, works, Document.of(manuscript))
    assert apply_edits(manuscript.text, [words.edit for words in in_words]) == preamble + after


@pytest.mark.parametrize(
    ("sentence", "has"),
    [
        ("So it is (Doe, 2020).", True),
        ("So it is (see Doe, 2020, pp. 3–5; Fox, 2001).", True),
        ("So Doe (2020: 15) says.", True),
        ("So it was in 2020 (and later).", False),
        ("So it is (in short).", False),
    ],
)
def test_a_sentence_without_a_year_in_parentheses_is_not_looked_at(
    sentence: str, has: bool
) -> None:
    assert may_cite_in_words(sentence) is has


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "It i¦s so (Doe et al., 2020; Fox, 2001).", r"It is so~\cite{doe,fox}."),
        ("a.tex", "It i¦s so (Doe et al. 2020, Fox 2001).", r"It is so~\cite{doe,fox}."),
        ("a.md", "It i¦s so (see Doe, 2020a, Fox, 2001).", "It is so [see @doe; @fox]."),
        ("a.md", "It i¦s so [Doe, 2020, and Fox, 2001].", "It is so [@doe; @fox]."),
        ("a.tex", "It i¦s so (Doe 2020 \\& Fox 2001).", r"It is so~\cite{doe,fox}."),
        ("a.md", "It i¦s so (Fox, 2001; Doe et al., 2020).", "It is so [@fox; @doe]."),
        ("a.md", "It i¦s so (Fox 2001; Elm 1999; Doe 2020).", "It is so [@fox; @doe] (Elm 1999)."),
        ("a.typ", "It i¦s so (Doe, 2020; Fox, 2001).", "It is so @doe @fox."),
        ("a.org", "It i¦s so (Doe, 2020; Fox, 2001).", "It is so [cite:@doe;@fox]."),
        ("a.md", "因此有¦效（Doe等，2020；Fox，2001）。", "因此有效[@doe; @fox]。"),
        ("a.md", "It i¦s so (Doe, 2020; see Fox, 2001).", "It is so [@doe; see @fox]."),
        ("a.md", "Es is¦t so (vgl. Doe 2020, S. 3; Fox 2001, 4f.; ders. 2002).", None),
        ("a.md", "Es is¦t so (vgl. Doe 2020, S. 3; Fox 2001, 4f.).",
         "Es ist so [vgl. @doe, S. 3; @fox, 4f.]."),
        ("a.org", "It i¦s so (see Doe, 2020; Fox, 2001, p. 4).",
         "It is so [cite:see @doe;@fox p. 4]."),
        ("a.typ", "It i¦s so (Doe, 2020, p. 3; Fox, 2001).", "It is so @doe[p. 3] @fox."),
        ("a.tex", "\\autocite{a} It i¦s so (see Doe, 2020; Fox, 2001, p. 4).",
         r"\autocite{a} It is so~\autocites[see][]{doe}[p. 4]{fox}."),
        ("a.tex", "\\citep{a} It i¦s so (see Doe, 2020; Fox, 2001, p. 4).",
         r"\citep{a} It is so~\citep[see][p. 4]{doe,fox}."),
        ("a.tex", "\\citep{a} It i¦s so (Doe, 2020, p. 4; Fox, 2001).", None),
        ("a.tex", "\\cite{a} It i¦s so (Doe, 2020, p. 4; Fox, 2001).", None),
        ("a.md", "It i¦s so (Doe, 2020; Fox, 2002).", None),
        ("a.md", "It i¦s so (Doe, 2020), or not (Fox, 2001).", None),
    ],
)  # fmt: skip
def test_a_marker_takes_the_place_of_several_works_in_parentheses(
    name: str, before: str, after: str | None
) -> None:
    works = [CitedWork("doe", ("Doe",), 2020), CitedWork("fox", ("Fox",), 2001)]
    assert replaced(name, before, works) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "So \\citep{a}. Doe (2020, 2021) sa¦ys.", r"So \citep{a}. \citet{x,y} says."),
        ("a.tex", "So \\citep{a}. Doe (2020 and 2021, p. 3) sa¦ys.",
         r"So \citep{a}. \citet[p. 3]{x,y} says."),
        ("a.tex", "So \\citep{a}. Doe (2020, p. 3; 2021) sa¦ys.", None),
        ("a.tex", "So \\citep{a}. So i¦t is (Doe, 2020, 2021).",
         r"So \citep{a}. So it is \citep{x,y}."),
        ("a.md", "It i¦s so (Doe et al., 2020; 2021).", "It is so [@x; @y]."),
        ("a.md", "It i¦s so (see Doe, 2020, p. 3, 2021; Fox, 2001).",
         "It is so [see @x, p. 3; @y] (Fox, 2001)."),
        ("a.md", "Es is¦t so (Doe 2020 und 2021).", "Es ist so [@x; @y]."),
        ("a.md", "It i¦s so (Doe, 2020a, 2021b).", "It is so [@x; @y]."),
        ("a.md", "It i¦s so (Doe, 2020, 2021, 2022).", None),
        ("a.md", "Doe (2020, 2021) sa¦ys.", "@x [-@y] says."),
        ("a.md", "Doe (2020, p. 3; 2021, p. 4) sa¦ys.", "@x [p. 3; -@y, p. 4] says."),
        ("a.typ", "It i¦s so (Doe, 2020, 2021).", "It is so @x @y."),
        (
            "a.typ",
            "Doe (2020, 2021, p. 3) sa¦ys.",
            '#cite(<x>, form: "author") (#cite(<x>, form: "year"), #cite(<y>, form: "year"), p. 3)'
            " says.",
        ),
        ("a.org", "Doe (2020, 2021) sa¦ys.", "[cite/t:@x;@y] says."),
        ("a.org", "Doe (2020, p. 2, 2021, p. 3) sa¦ys.", "[cite/t:@x p. 2;@y p. 3] says."),
        ("a.org", "Doe (2020, p. 2; 2021) sa¦ys.", "[cite/t:@x p. 2;@y] says."),
        ("a.org", "So citep:a. Doe (2020, p. 2, 2021) sa¦ys.", None),
        ("a.tex", "So \\parencite{a}. Doe (2020, p. 2, 2021, p. 3) sa¦ys.",
         r"So \parencite{a}. \textcites[p. 2]{x}[p. 3]{y} says."),
        ("a.md", "So {cite:p}`a`. Doe (2020, 2021) sa¦ys.", "So {cite:p}`a`. {cite:t}`x,y` says."),
    ],
)  # fmt: skip
def test_a_marker_takes_the_place_of_several_years_of_the_same_people(
    name: str, before: str, after: str | None
) -> None:
    works = [CitedWork("x", ("Doe", "Roe"), 2020), CitedWork("y", ("Doe",), 2021)]
    assert replaced(name, before, works) == after


def test_letters_tell_works_of_the_same_people_and_year_apart() -> None:
    works = [CitedWork("x", ("Doe",), 2020), CitedWork("y", ("Doe",), 2020)]
    for words in ("Doe, 2020a, b", "Doe 2020a; Doe 2020b", "Doe 2020a, 2020b"):
        assert replaced("a.md", f"It i¦s so ({words}).", works) == "It is so [@x; @y]."
    assert replaced("a.md", "It i¦s so (Doe 2020a).", works) is None


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tex", "It i¦s so (\\cite{a}; Doe, 2020).", r"It is so (\cite{a,key})."),
        ("a.tex", "It i¦s so (Doe, 2020; \\cite{a}).", r"It is so (\cite{a,key})."),
        ("a.tex", "It i¦s so (see \\citealp[12]{a}; Doe, 2020; Fox, 2001).",
         r"It is so (see \citealp[12]{key,a}; Fox, 2001)."),
        ("a.tex", "It i¦s so (\\citep{a}; Doe, 2020, p. 3).",
         r"It is so~\citep[p. 3]{key} (\citep{a})."),
        ("a.tex", "It i¦s so \\citep{a} (see \\citet{b}; Doe, 2020).",
         r"It is so \citep{a} \citep{key} (see \citet{b})."),
        ("a.tex", "It i¦s so \\citep{a} (\\citep{b} and more; Doe, 2020).",
         r"It is so \citep{a} \citep{key} (\citep{b} and more)."),
        ("a.md", "It i¦s so ([@a]; Doe, 2020).", "It is so ([@a; @key])."),
        ("a.md", "It i¦s so [@a; Doe, 2020].", "It is so [@a; @key]."),
        ("a.org", "It i¦s so [cite:@a; Doe, 2020].", "It is so [cite:@a; @key]."),
        ("a.typ", "It i¦s so (@a; Doe, 2020).", "It is so (@a @key)."),
    ],
)  # fmt: skip
def test_a_marker_in_the_same_parentheses_gets_the_key(name: str, before: str, after: str) -> None:
    assert cited(name, before) == after


def test_a_long_list_of_pages_is_read_one_way() -> None:
    pages = ", ".join(["1234"] * 40)  # it took 4 to the power of 40 steps
    assert cited("a.md", f"It i¦s so (Doe, 2020, {pages} of it).") is None


def test_words_give_way_to_a_footnote_where_a_draft_cites_in_footnotes() -> None:
    notes = BIBLATEX + r"A.\footnote{Vgl. \cite{a}.} "
    assert cited("a.tex", "It i¦s so (Doe 2020).", "Doe", preamble=notes) == (
        r"It is so.\footnote{\cite{key}.}"
    )
    assert cited("a.tex", "It i¦s so (Doe 2020, S. 3).", "Doe", preamble=notes) == (
        r"It is so.\footnote{\cite[S. 3]{key}.}"
    )
