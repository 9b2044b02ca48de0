from __future__ import annotations

from pathlib import Path

from cite_lsp.library.formats.bibitem import bibitems, printed_text
from cite_lsp.manuscript import parse

DRAFT = r"""\documentclass{article}
\begin{document}
Text \cite{hastings2012}.
\begin{thebibliography}{9}
\bibitem[{Boole and Hastings(2012)Boole, Hastings, and M\"uller}]{hastings2012}
Boole, C., Hastings, A., May 2012. {Quantifying limits}. \emph{Journal}~9, 2527--2539.

\bibitem{plain:1999} K.~G{\"o}del, Collected works, pp. 1900--1950, Oxford, 1999.
\end{thebibliography}
\end{document}
"""


def test_the_items_of_a_draft_are_entries_with_their_positions() -> None:
    entries = bibitems(parse(DRAFT, "latex"), Path("paper.tex")).entries
    assert [(e.key, e.kind, e.line) for e in entries] == [
        ("hastings2012", "bibitem", 5),
        ("plain:1999", "bibitem", 8),
    ]
    for entry in entries:
        assert DRAFT[entry.key_start : entry.key_end] == entry.key
        assert DRAFT[entry.start : entry.end] == entry.raw


def test_what_follows_the_people_of_an_item_is_its_title() -> None:
    first, second = bibitems(parse(DRAFT, "latex"), Path("paper.tex")).entries
    assert first.paper.title == "Quantifying limits. Journal 9, 2527–2539."
    assert second.paper.title == "Collected works, pp. 1900–1950, Oxford, 1999."


def test_people_and_year_come_from_the_natbib_label_or_the_text() -> None:
    first, second = bibitems(parse(DRAFT, "latex"), Path("paper.tex")).entries
    assert (first.paper.authors, first.paper.year) == (("Boole", "Hastings", "Müller"), 2012)
    assert (second.paper.authors, second.paper.year) == (("K. Gödel",), 1999)


def test_items_of_the_chinese_standard_have_people_year_and_title() -> None:
    text = (
        "\\begin{thebibliography}{1}\n"
        "\\bibitem[{{张三} 等}(2019){{张三} 和 {李四}}]{a}\n张三, 李四.\n"
        "\\newblock 某方法\\allowbreak[D].\n\\newblock 北京: 清华大学, 2019.\n"
        "\\bibitem{b} Zhang S, Li W, et al. Deep nets[J]. Nature, 2018, 521: 436.\n"
        "\\end{thebibliography}"
    )
    first, second = (entry.paper for entry in bibitems(parse(text, "latex"), Path("a.tex")).entries)
    assert (first.title, first.authors, first.year) == ("某方法", ("张三", "李四"), 2019)
    assert (second.title, second.authors) == ("Deep nets", ("S Zhang", "W Li"))
    assert (second.year, second.venue, second.more_authors) == (2018, "Nature", True)


AMSREFS = r"""Text \cite{knuth:TeX}, as \cite{kohn} has it.
\begin{bibdiv}
\begin{biblist}
\bib{knuth:TeX}{book}{
  author={Knuth, Donald E.},
  author={M{\"u}ller, J{\"o}rg},
  title={The {\TeX}book},
  publisher={Addison-Wesley},
  date={1984},
}
\bib*{kohn}{article}{author={Kohn, W.}, title={Orbitals}, journal={Phys. Rev.}, volume={3}}
\end{biblist}
\end{bibdiv}
Not so \bib{one} and \bib.
"""


def test_the_entries_of_amsrefs_are_read_by_their_fields() -> None:
    entries = bibitems(parse(AMSREFS, "latex"), Path("paper.tex")).entries
    assert [(entry.key, entry.line) for entry in entries] == [("knuth:TeX", 4), ("kohn", 11)]
    for entry in entries:
        assert AMSREFS[entry.key_start : entry.key_end] == entry.key
        assert entry.raw.startswith("\\bib") and entry.raw.endswith("}")
    first, second = (entry.paper for entry in entries)
    assert (first.title, first.year, first.venue) == ("The TeXbook", 1984, "Addison-Wesley")
    assert first.authors == ("Donald E. Knuth", "Jörg Müller")
    assert (second.title, second.venue) == ("Orbitals", "Phys. Rev.")
    assert second.authors == ("W. Kohn",)
    sentences = [sentence.text for sentence in parse(AMSREFS, "latex").sentences]
    assert not any("Orbitals" in text or "Addison" in text for text in sentences)


HARVARD = r"""Text \cite{kohn}.
\begin{thebibliography}{xx}
\harvarditem[Kohn et al.]{Kohn, Sham \& Müller}{1965a}{kohn}
Kohn, W. \& Sham, L.~J.  \harvardyearleft 1965\harvardyearright , `Orbitals', {\em Phys.}

\harvarditem{Roe}{1999}{roe} Roe, R., A thing.
\end{thebibliography}
"""


def test_the_entries_of_harvard_are_read_with_their_people_and_year() -> None:
    entries = bibitems(parse(HARVARD, "latex"), Path("paper.tex")).entries
    assert [(entry.key, entry.line) for entry in entries] == [("kohn", 3), ("roe", 6)]
    for entry in entries:
        assert HARVARD[entry.key_start : entry.key_end] == entry.key
    first, second = (entry.paper for entry in entries)
    assert (first.authors, first.year) == (("Kohn", "Sham", "Müller"), 1965)
    assert "Orbitals" in first.title
    assert (second.authors, second.year, second.title) == (("Roe",), 1999, "Roe, R., A thing.")


def test_an_item_of_revtex_is_shown_as_it_is_printed() -> None:
    text = r"""
\bibitem [{\citenamefont {Ude}\ and\ \citenamefont {Berg}(2015)}]{ude2015}%
  \BibitemOpen
  \bibfield  {author} {\bibinfo {author} {\bibfnamefont {A.}~\bibnamefont {Ude}},\ }\bibfield
  {title} {\bibinfo {title} {On cold drops},\ }\href
  {https://doi.org/10.1000/drops(15)} {\bibinfo {journal} {J. Drops} \textbf {\bibinfo {volume} {7}}
  (\bibinfo {year} {2015})},\ \Eprint {https://arxiv.org/abs/1501.00001} {arXiv:1501.00001}
  \BibitemShut {NoStop}%
"""
    (item,) = bibitems(parse(text, "latex"), Path("a.tex")).entries
    paper = item.paper
    assert paper.title == "On cold drops, J. Drops 7 (2015), arXiv:1501.00001"
    assert printed_text(item.raw) == f"A. Ude, {paper.title}"
    assert (paper.doi, paper.url) == ("10.1000/drops(15)", "https://arxiv.org/abs/1501.00001")


def test_a_comment_is_no_part_of_an_item_and_a_percent_sign_in_an_address_is() -> None:
    text = "\\bibitem{a} % of mine\nA thing, \\url{http://a.org/b%20c}, 5\\% of it.\n"
    (item,) = bibitems(parse(text, "latex"), Path("a.tex")).entries
    assert item.paper.title == "A thing, http://a.org/b%20c, 5% of it."


def test_others_in_the_label_of_an_item_are_more_authors() -> None:
    text = r"""
\begin{thebibliography}{9}
\bibitem[Aad et~al.(2012)]{aad} Aad, G., et~al., On tides.
\bibitem[Aad(2013)]{alone} Aad, G., On gulls.
\end{thebibliography}
"""
    entries = bibitems(parse(text, "latex"), Path("a.tex")).entries
    assert [entry.paper.authors for entry in entries] == [("Aad",), ("Aad",)]
    assert [entry.paper.more_authors for entry in entries] == [True, False]
