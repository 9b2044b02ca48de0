from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import Entry, parse_bibliography
from cite_lsp.library.text.formulas import split_at_formulas
from cite_lsp.library.text.latex_decode import decode, decode_around_formulas, readable
from cite_lsp.paper import Paper


def entry(fields: str) -> Entry:
    (entry,) = parse_bibliography(f"@article{{key, {fields}}}", Path("refs.bib")).entries
    return entry


def paper(fields: str) -> Paper:
    return entry(fields).paper


def test_field_names_are_in_lower_case_and_blanks_are_single() -> None:
    assert dict(entry("Title = {One\n   two}, YEAR=2001").fields) == {
        "title": "One two",
        "year": "2001",
    }


def test_the_first_field_that_says_something_counts() -> None:
    assert entry("note = {}, note = {a}, note = {b}").fields["note"] == "a"


def test_an_unknown_macro_stays_as_its_name() -> None:
    assert entry("month = jan # {~} # 3").fields["month"] == "jan~3"


def test_a_missing_comma_between_fields_costs_neither() -> None:
    fields = entry("title = {One}\n  year = {2001}\n  doi = {10.1000/1}").fields
    assert dict(fields) == {"title": "One", "year": "2001", "doi": "10.1000/1"}


def test_a_quote_that_is_not_closed_ends_at_the_next_field() -> None:
    fields = entry('title = "One,\n  author = "Ada Lovelace",\n  year = 1843').fields
    assert dict(fields) == {"title": "One", "author": "Ada Lovelace", "year": "1843"}


def test_an_escaped_quote_is_an_accent() -> None:
    assert paper('title = "G\\"odel and {"}truth{"}"').title == 'Gödel and "truth"'


def test_a_paper_is_made_of_the_fields() -> None:
    assert paper(
        "title = {The {ENIAC} story}, subtitle = {A history}, author = {Goldstine, Herman},"
        "date = {1972-05}, journaltitle = {Annals \\& more}, abstract = {About\n\n it.},"
        "doi = {https://doi.org/10.1000/ABC\\_1}, url = {https://a.org/\\~{}x}, langid = {english}"
    ) == Paper(
        id="entry:key",
        title="The ENIAC story: A history",
        abstract="About it.",
        authors=("Herman Goldstine",),
        year=1972,
        venue="Annals & more",
        doi="10.1000/abc_1",
        url="https://a.org/~x",
        language="en",
    )


@pytest.mark.parametrize(
    ("written", "year"),
    [
        ("2001", 2001), ("{c. 1843}", 1843), ("{in press}", None), ("{2019a}", 2019), ("12", None),
        (r"{{\noopsort{1973b}}1998}", 1998), ("{1265}", 1265), ("{0862-03}", 862),
        ("{no 1265}", None), ("{850}", 850), ("{199?}", None), ("{201-}", None), ("{9999}", None),
    ],
)  # fmt: skip
def test_the_year_is_the_four_digits_that_can_be_one(written: str, year: int | None) -> None:
    assert paper(f"year = {written}").year == year


@pytest.mark.parametrize(
    ("fields", "language"),
    [
        ("title = {Deep}, language = {zh-CN}", "zh"),
        ("title = {Tief}, langid = {ngerman}", "de"),
        ("title = {深度学习}", "zh"),
        ("title = {Deep}", "en"),
        ("title = {Deep}, language = {something else}", "en"),
    ],
)
def test_the_language_is_that_of_the_entry_or_of_its_title(fields: str, language: str) -> None:
    assert paper(fields).language == language


@pytest.mark.parametrize(
    ("written", "abstract"),
    [
        ("摘要:本文研究潮汐。", "本文研究潮汐。"),
        ("<正>摘 要：本文研究潮汐。", "本文研究潮汐。"),
        ("〈正〉本文研究潮汐。", "本文研究潮汐。"),
        ("【摘要】目的:研究潮汐。", "目的:研究潮汐。"),
        ("[中文摘要] 本文研究潮汐。", "本文研究潮汐。"),
        ("Abstract: We study tides.", "We study tides."),
        ("ABSTRACT---We study tides.", "We study tides."),
        ("Abstract interpretation is sound.", "Abstract interpretation is sound."),
        ("摘要是论文的一部分。", "摘要是论文的一部分。"),
        ("[目的/意义]研究潮汐。", "[目的/意义]研究潮汐。"),
        ("Abstract:", "Abstract:"),
    ],
)
def test_an_abstract_is_read_without_the_word_that_says_so(written: str, abstract: str) -> None:
    assert paper(f"abstract = {{{written}}}").abstract == abstract


def test_without_authors_the_editors_stand_in() -> None:
    assert paper("editor = {Knuth, Donald}").authors == ("Donald Knuth",)


@pytest.mark.parametrize(
    ("fields", "keywords"),
    [
        (r"keywords = {dark ages, {M\"u}nster, \emph{tides}}", "dark ages, Münster, tides"),
        ("keywords = {a}, mendeley-tags = {to read}", "a; to read"),
        ("keyword = {a}", "a"),
        ("title = {Nothing}", ""),
    ],
)
def test_keywords_are_those_that_libraries_write(fields: str, keywords: str) -> None:
    assert paper(fields).keywords == keywords


@pytest.mark.parametrize(
    ("written", "venue"),
    [
        (r"{\mnras}", "MNRAS"),
        (r"{{\pasp}}", "PASP"),
        (r"{\apj{}}", "ApJ"),
        (r'"\aap"', "A&A"),
        (r"{\jmud}", "jmud"),
        (r"{\textit{Mud} \apj}", "Mud"),
        (r"{\LaTeX}", "LaTeX"),
    ],
)
def test_a_macro_that_is_all_of_the_journal_is_named(written: str, venue: str) -> None:
    assert paper(f"Journal = {written}").venue == venue


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("10.1000/AB(95)", "10.1000/ab(95)"),
        ("https://doi.org/10.1000/a(95)12.", "10.1000/a(95)12"),
        ("(10.1000/a).", "10.1000/a"),
        ("(10.1000/a(95)).", "10.1000/a(95)"),
    ],
)
def test_a_parenthesis_that_closes_one_belongs_to_the_doi(written: str, doi: str) -> None:
    assert paper(f"doi = {{{written}}}").doi == doi


@pytest.mark.parametrize(
    "written",
    [
        "10.1002%2F(SICI)1097-4571(1998)49:7%3C605::AID-ASI4%3E3.0.CO;2-P",
        "https://doi.org/10.1002/%28SICI%291097-4571%281998%2949%3A7%3c605%3A%3AAID-ASI4%3e3.0.CO%3B2-P",
        r"10.1002\%2F(SICI)1097-4571(1998)49:7<605::AID-ASI4>3.0.CO;2-P",
    ],
)
def test_a_doi_is_known_as_addresses_spell_it(written: str) -> None:
    assert paper(f"doi = {{{written}}}").doi == (
        "10.1002/(sici)1097-4571(1998)49:7<605::aid-asi4>3.0.co;2-p"
    )


def test_a_percent_sign_that_spells_nothing_stays_in_the_doi() -> None:
    assert paper("doi = {10.1000/100%25abc%zz}").doi == "10.1000/100%abc%zz"


@pytest.mark.parametrize(
    ("title", "whole"),
    [("Main", "Main: Sub"), ("Main:", "Main: Sub"), ("Who?", "Who? Sub"), ("", "")],
)
def test_a_subtitle_goes_on_behind_the_title(title: str, whole: str) -> None:
    assert paper(f"title = {{{title}}}, subtitle = {{Sub}}").title == whole


@pytest.mark.parametrize(
    "written", ["<24>", "$<$24$>$", r"{\textless}24{\textgreater}", r"\&lt;24\&gt;"]
)
def test_pointed_brackets_in_a_doi_are_read_however_they_are_set(written: str) -> None:
    assert paper(f"doi = {{10.1002/(SICI)10(99)18:1/2{written}3.CO}}").doi.endswith("2<24>3.co")


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("The <i>h</i>-index in Q\\&amp;A of CO<sub>2</sub>", "The h-index in Q&A of CO2"),
        ("<p>Tides<br/>and marshes</p>", "Tides and marshes"),
        (
            "<jats:title>Aim</jats:title>\n <jats:p>To <jats:italic>see</jats:italic>.</jats:p>"
            "<jats:p>And more.</jats:p>",
            "Aim To see. And more.",
        ),
        ("{\\textless}i{\\textgreater}In vivo{\\textless}/i{\\textgreater} {\\&}", "In vivo &"),
        (r"\textlessi\textgreaterIn vivo\textless/i\textgreater{} now", "In vivo now"),
        ('At <mml:math xmlns:mml="http://x"><mml:mi>z</mml:mi></mml:math>=1&#8211;2', "At z=1–2"),
        ("Where p<b and c>d; R&D; AT&T", "Where p<b and c>d; R&D; AT&T"),
    ],
)
def test_what_publishers_mark_up_is_shown_by_its_meaning(written: str, title: str) -> None:
    assert paper(f"title = {{{written}}}").title == title


@pytest.mark.parametrize(
    "howpublished",
    [
        r"\url{https://example.org/a\_b}",
        r"Code at \href{https://example.org/a_b}{here}",
        "https://example.org/a_b.",
    ],
)
def test_the_address_under_which_something_was_published_is_its_address(howpublished: str) -> None:
    assert (
        paper(f"title = {{T}}, howpublished = {{{howpublished}}}").url == "https://example.org/a_b"
    )


@pytest.mark.parametrize(
    "tilde",
    ["~", r"\~{}", r"{\~{}}", r"{\textasciitilde}", r"\textasciitilde ", r"$\sim$", r"{$\sim$}"],
)
def test_a_tilde_in_an_address_is_read_however_it_is_set(tilde: str) -> None:
    written = rf"http://example.org/{tilde}doe/a{{\textunderscore}}b"
    assert paper(f"url = {{{written}}}").url == "http://example.org/~doe/a_b"


@pytest.mark.parametrize(
    "fields", ["eprint = {1706.03762}, archivePrefix = {arXiv}", "eprint = {arXiv:1706.03762v2}"]
)
def test_an_arxiv_number_is_an_address(fields: str) -> None:
    assert paper(fields).url == "https://arxiv.org/abs/1706.03762"


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r'{\"o} \"{o} \"o', "ö ö ö"),
        (r"{\'e} \'{\i} {\'{\i}} \`a \^{\j}", "é í í à ĵ"),
        (r"\c{c} \c c \v{s} \H{o} {\H o} \k{a}", "ç ç š ő ő ą"),
        (r"\u{g} \r{u} \d{h} \={a} \.z", "ğ ů ḥ ā ż"),
        (r"Stra{\ss}e Stra\ss e \o{} {\L}\'od\'z \AA{}s", "Straße Straße ø Łódź Ås"),
        (r"\'{\ae}", "ǽ"),
        (r"Ho\v{r}ava \~{n} ma\~nana", "Hořava ñ mañana"),
        (r"a--b---c \textendash{} ``q'' 50\% \& \$5 \_ \{x\}", "a–b—c – “q” 50% & $5 _ {x}"),
        (r"\emph{x} \textbf{\textit{y}} {\em z} \unknown{w}", "x y z w"),
        ("A~B  C\n D", "A B C D"),
        (r"$H \to \gamma\gamma$ at $\sqrt{s} = 13\,\mathrm{TeV}$", "H → γγ at √s = 13 TeV"),
        (r"$x^2$ and $\alpha_s$", "x^2 and α_s"),
        (r"{\(\Delta\)}-coloring in {\(O(\log n)\)}", "Δ-coloring in O(log n)"),
        (r"spin-$\frac{1}{2}$ and $\frac12 \dfrac\alpha{2\pi}$", "spin-1/2 and 1/2 α/2π"),
        (r"\url{http://a.org/b_c} \href{http://a.org}{here}", "http://a.org/b_c here"),
        ("unbalanced { brace } } \\", "unbalanced brace \\"),
        (r"11th $\{$USENIX$\}$ Symposium", "11th USENIX Symposium"),
        (r"11th \{{USENIX}\} Symposium on \{UV\} light", "11th USENIX Symposium on UV light"),
        (r"{L}{\textbackslash}'evy {Flights}", "Lévy Flights"),
        (r'{{Schr}}{\textbackslash}"\{o\}dinger', "Schrödinger"),
        (r"{\textbackslash}operatorname\{log\} n", r"\operatorname{log} n"),
        (r"CO\{sub 2\} and \{0, 1\} \textbackslash x", "CO2 and {0, 1} \\x"),
        (r"{CO}$_2$, PM$_{2.5}$, NO$_x$ and $^{13}$C", "CO2, PM2.5, NOx and 13C"),
        (r"10$^3$, $x_i$, \$_2$ and $_\beta$", "10^3, x_i, $_2 and _β"),
        ("plain text", "plain text"),
        ("深度学习", "深度学习"),
        (r"Nguy{\~{\^e}}n Vi\d{\^{e}}t, Tr\`\^an, Ph\h{a}n", "Nguyễn Việt, Trần, Phản"),
        (r"Ng\^o {\'{\uhorn}}ng", "Ngô ứng"),
        (r"\texorpdfstring{$\alpha_{s}$}{alpha} decay", "alpha decay"),
        (r"\foreignlanguage{german}{{\"U}ber} Wasser\footnote{Errata}", "Über Wasser"),
        (r"37\,{\textcelsius} and {\textonequarter}", "37 °C and ¼"),
    ],
)  # fmt: skip
def test_latex_is_decoded_to_what_a_reader_sees(latex: str, text: str) -> None:
    assert decode(latex) == text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Memory in $O(n^2)$", "Memory in O(n^2)"),
        (r"$pp\to t\bar{t}$ at $ s = $ 8 TeV: \emph{new} Schr\"odinger",
         "pp→ tt at s = 8 TeV: new Schrödinger"),
        ("Li$_2$2 and $n$2", "Li22 and $n$2"),
        (r"R\&D at \(x\)", "R&D at x"),
        ("From $5 to $10 for ~ 3 Ca$h", "From $5 to $10 for ~ 3 Ca$h"),
        (r"$x$ for \$5 or $5", "x for $5 or $5"),
        ("A {set} -- of ``braces''", "A {set} -- of ``braces''"),
    ],
)  # fmt: skip
def test_a_title_is_read_as_latex_where_it_is(written: str, shown: str) -> None:
    assert readable(written) == shown


@given(st.text(alphabet="\\$ ^_x5(){}", max_size=40))
def test_the_formulas_of_any_text_are_parts_of_it(text: str) -> None:
    assert "".join(piece for piece, _ in split_at_formulas(text)) == text
    for read in (readable(text), decode_around_formulas(text)):
        assert "\ue000" not in read


@given(st.text(alphabet="\\{}$~\"'`^=.-cvHuikßaé张 \n&%", max_size=60))
def test_any_text_is_decoded_without_an_exception(text: str) -> None:
    decoded = decode(text)
    assert "\n" not in decoded and decoded == decoded.strip()
