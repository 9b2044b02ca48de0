r"""Every citing command of the packages that writers use, and the commands they name themselves."""

import pytest

from cite_lsp.manuscript import named_commands, parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.latex.commands.citation_commands import definitions

LATEX = "cite nocite"
NATBIB = """citet citep citet* citep* Citet Citep Citet* Citep* citealt citealp citealt* citealp*
Citealt Citealp Citealt* Citealp* citeauthor citeauthor* Citeauthor Citeauthor* citefullauthor
Citefullauthor citeyear citeyearpar citenum citetalias citepalias shortcites"""
BIBLATEX = """cite Cite cite* parencite Parencite parencite* footcite footcitetext Footcite
Footcitetext textcite Textcite smartcite Smartcite supercite autocite Autocite autocite* Autocite*
citeauthor Citeauthor citeauthor* Citeauthor* citetitle citetitle* citeyear citeyear* citedate
citedate* citeurl fullcite footfullcite notecite Notecite pnotecite Pnotecite fnotecite Fnotecite
avolcite Avolcite volcite Volcite pvolcite Pvolcite fvolcite ftvolcite Fvolcite svolcite Svolcite
tvolcite Tvolcite citefield citelist citename nocite"""
BIBLATEX_MANY = """cites Cites parencites Parencites footcites footcitetexts Footcites
Footcitetexts smartcites Smartcites textcites Textcites supercites autocites Autocites"""
VOLUMES_MANY = "volcites Volcites pvolcites fvolcites svolcites tvolcites avolcites Avolcites"
APACITE = """cite citeNP citeA citeauthor citeyear citeyearNP fullcite fullciteNP fullciteA
fullciteauthor shortcite shortciteNP shortciteA shortciteauthor nocitemeta maskcite
maskciteNP maskciteauthor maskciteyear maskfullcite maskshortcite maskciteyearNP"""
JURABIB = """cite citetitle fullcite footcite footcitetitle footfullcite citefield
citealt citealt* citealp citealp* citet citet* citep citep* citeauthor citeyear citeyearpar Footcite
footcite* cite* fullcite*"""
OTHERS = """bibentry citeonline upcite onlinecite citenum
 citeasnoun citeaffixed possessivecite citeNN citeN citen newcite"""
CSQUOTES = "textcquote textcquote* blockcquote blockcquote*"
CSQUOTES_LANGUAGE = """foreigntextcquote foreigntextcquote* hyphentextcquote hyphentextcquote*
foreignblockcquote hyphenblockcquote hybridblockcquote"""

VOLUMES = [name for name in BIBLATEX.split() if "volcite" in name.lower()]
ONE_LIST = sorted(
    {*LATEX.split(), *NATBIB.split(), *BIBLATEX.split(), *APACITE.split(), *JURABIB.split()}
    | {*BIBLATEX_MANY.split(), *OTHERS.split(), *CSQUOTES.split()} - {*VOLUMES}
)


def read(text: str) -> list[tuple[str, list[str]]]:
    markers = parse(text, "latex").markers
    for marker in markers:
        for key in marker.keys:
            assert text[key.start : key.end] == key.text
    return [(marker.command, [key.text for key in marker.keys]) for marker in markers]


@pytest.mark.parametrize("name", [name for name in ONE_LIST if name not in VOLUMES])
def test_a_citing_command_gives_its_keys(name: str) -> None:
    assert read(rf"So \{name}{{a, b}} says.") == [(name, ["a", "b"])]
    assert read(f"So \\{name}[see][p. 3]%\n  {{a,% no\n b}} says.") == [(name, ["a", "b"])]
    assert read(rf"So \{name}{{att") == [(name, ["att"])]


@pytest.mark.parametrize("name", BIBLATEX_MANY.split())
def test_a_command_of_many_lists_gives_all_of_them(name: str) -> None:
    text = rf"So \{name}(see)(passim)[vgl.][p. 3]{{a}}[4]{{b,c}}{{d}} says {{e}}."
    assert read(text) == [(name, ["a", "b", "c", "d"])]
    assert read(f"\\{name}\n  [see]{{a}}%\n  [4]{{b}}\n") == [(name, ["a", "b"])]


@pytest.mark.parametrize(
    ("keys", "read_keys"),
    [
        (r"\ours", []),
        (r"\ours, a", ["a"]),
        (r"a,\ours{},b", ["a", "b"]),
        (r"a,\pre:ours", ["a"]),
        ("a,\n  \\ours\n", ["a"]),
    ],
)
def test_keys_stand_beside_macros_that_stand_for_others(keys: str, read_keys: list[str]) -> None:
    (marker,) = parse(rf"So \cite{{{keys}}} says.", "latex").markers
    assert [key.text for key in marker.keys] == read_keys
    assert marker.closed and marker.end == len(rf"So \cite{{{keys}}}")


def test_a_macro_in_prose_behind_a_brace_that_nothing_closes_is_no_key() -> None:
    assert read(r"\emph{So \cite{a and \LaTeX} says.") == [("cite", ["a and"])]


@pytest.mark.parametrize("name", VOLUMES)
def test_a_volume_is_no_key(name: str) -> None:
    assert read(rf"\{name}[see]{{2}}[3]{{a}} x") == [(name, ["a"])]


@pytest.mark.parametrize("name", VOLUMES_MANY.split())
def test_volumes_of_many_lists_are_no_keys(name: str) -> None:
    assert read(rf"\{name}(x)(y)[see]{{2}}[3]{{a}}{{4}}{{b}} x") == [(name, ["a", "b"])]


@pytest.mark.parametrize("name", CSQUOTES_LANGUAGE.split())
def test_the_language_of_a_quotation_is_no_key(name: str) -> None:
    assert read(rf"\{name}{{german}}[p. 3]{{a}}[.]{{Wort}}") == [(name, ["a"])]


@pytest.mark.parametrize("name", ["displaycquote", "foreigndisplaycquote", "hyphendisplaycquote"])
def test_an_environment_of_csquotes_cites(name: str) -> None:
    language = "{german}" if "display" != name[:7] else ""
    text = rf"\begin{{{name}}}{language}[p. 3]{{a}}Words.\end{{{name}}}"
    assert [keys for _, keys in read(text)] == [["a"]]


def test_apacite_takes_its_words_before_in_angle_brackets() -> None:
    assert read(r"\citeA<see>[p. 3]{a} \cite<e.g.,>{b}") == [("citeA", ["a"]), ("cite", ["b"])]


def test_jurabib_takes_a_short_title_before_the_pages() -> None:
    assert read(r"\cite[Author][12]{a} \footcite[][3]{b}") == [("cite", ["a"]), ("footcite", ["b"])]


@pytest.mark.parametrize(
    "definition",
    [
        "\\DeclareRobustCommand\\citet\n {\\begingroup\\NAT@swafalse\\@ifstar{\\NAT@citetp}{}}",
        r"\def\cite#1{\csname b#1\endcsname}",
        r"\NewDocumentCommand \cite { m } { \__csl_cite:n {#1} }",
        r"\let\nocite\@gobble",
        r"\def\include#1{\@cite{#1}}",
        r"\def\cite{" + r"\relax" * 1000 + r"\@ifnextchar[{}{}}",
    ],
)
def test_the_internals_of_a_package_tell_nothing(definition: str) -> None:
    assert definitions(definition, {}, package=True) == {}


@pytest.mark.parametrize(
    "definition",
    [
        r"\DeclareRobustCommand{\cite}{\@ifnextchar[{\@tempswatrue\@citex}{\@tempswafalse\@citex[]}}",
        r"\def\cite{\@ifstar{\cite@starred}{\cite@plain}}",
        r"\def\cite#1{[\csname number@#1\endcsname]}",
        r"\long\def\cite[#1]#2{\oldcite[see #1]{#2}}",
        r"\renewcommand*\cite[2][]{(\oldcite[#1]{#2})}",
        r"\renewcommand{\cite}[1]{}",
        r"\newcommand{\cite}[1]{[\ref{#1}]}",
        r"\RenewDocumentCommand{\cite}{s t+ O{} +m}{\oldcite[#3]{#4}}",
        r"\let\cite\undefined",
        r"\let\cite\@gobble",
        r"\LetLtxMacro{\cite}{\parencite}",
        r"\NewCommandCopy\oldcite\cite \renewrobustcmd{\cite}{\unskip\oldcite}",
        r"\patchcmd{\cite}{[}{(}{}{} \pretocmd\cite{\unskip}{}{} \apptocmd\cite{x}{}{}",
    ],
)
def test_whatever_a_draft_does_to_a_standard_command_it_cites(definition: str) -> None:
    assert read(f"{definition}\nTerns sing \\cite{{a}}.") == [("cite", ["a"])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\newcommand{\both}[2]{\citep{#1} or \citep{#2}} \both{a}{b, c}", ["a", "b", "c"]),
        (r"\newcommand{\both}[3]{\cite{#1,#3}, #2} \both{a}{word}{c}", ["a", "c"]),
        (r"\newcommand{\both}[2]{\autocites{#1}[3]{#2}} \both{a}{b}", ["a", "b"]),
        (r"\newcommand{\quo}[3][]{``#2'' \cite[#1]{#3}} \quo[9]{word}{a}", ["a"]),
        (r"\newcommandx{\ct}[3][1=,2=]{\cite[#1][#2]{#3}} \ct[x][y]{a}", ["a"]),
        (r"\apud[p.~3]{a}{b}", ["a", "b"]),
        (r"\newcommand{\low}[1]{\cite{\lowercase{#1}}} \low{a}", ["a"]),
        (r"\newcommand{\gull}[1]{\cite{gull#1}} \gull{2001}", []),
        (r"\newcommand{\rfccite}[1]{\cite{rfc:#1}} \rfccite{793}", []),
        (r"\newcommand{\kcite}{\@ifnextchar[{\kcite@}{\kcite@[]}} \kcite[x]{a}", ["a"]),
        ("%\\newcommand{\\kcite}[1]{}\n\\kcite{a}", ["a"]),
        (r"\LetLtxMacro{\kc}{\cite} \kc{a}", ["a"]),
    ],
)
def test_the_arguments_of_a_draft_s_own_command_that_are_keys(
    text: str, expected: list[str]
) -> None:
    assert [key for _, keys in read(text) for key in keys] == expected


@pytest.mark.parametrize(
    "text",
    [
        r"\externalcitedocument[S-]{supplement}",
        r"\RegisterCiteDelims{(}{)} \citebrackets{[}{]} \mycitedelims{<}{>}",
        r"\mciteErrorOnUnknownfalse{x} \mcitedefaultmidpunct{; } \mcitethebibliography{9}",
        r"\let\descitem\item \descitem{word} \publicitem{word}",
        r"\newcommand{\descitem}[1]{\item[#1]} \descitem{word}",
        r"\citenamefont{Gull} \thecitenum{x} \citeerror{x} \excitement{x}",
        r"\mycolouredcitebox{--}",
    ],
)
def test_a_name_with_cite_in_it_is_not_enough(text: str) -> None:
    assert read(text) == []


def test_mcite_cites() -> None:
    assert read(r"So \mcite{a, *b}.") == [("mcite", ["a", "b"])]


def test_a_command_that_the_settings_name_cites() -> None:
    text = r"\see{a} \Quelle*[3]{b} \belegt{c}"
    assert read(text) == []
    commands = named_commands(["\\see", "Quelle*", " belegt ", "no good", ""])
    assert set(commands) == {"see", "Quelle", "belegt"}
    markers = parse(text, "latex", commands).markers
    assert [key.text for marker in markers for key in marker.keys] == ["a", "b", "c"]
    assert site_at(parse(text.replace("{a}", "{}"), "latex", commands), 5) is not None


def test_a_bibitem_that_wraps_keeps_its_key() -> None:
    text = (
        "\\begin{thebibliography}{9}\n\\bibitem[{Smith(2020)}]{smith}\n  A. Smith,\n"
        "  \\emph{Title}.\n\n\\bibitem%\n  {b} B.\n\\bibitem\n[x]\n{c} C.\n\\end{thebibliography}"
    )
    items = parse(text, "latex").items
    assert [(item.key.text, item.text) for item in items] == [
        ("smith", "A. Smith, Title."),
        ("b", "B."),
        ("c", "C."),
    ]


@pytest.mark.parametrize(
    "broken",
    [r"\cite{a", r"\cite[", r"\citep[see]{", r"\autocites(", r"\section{Half", r"\footnote{Half",
     r"\begin{", r"\newcommand{\x", r"\newcommand{\x}[1]{\cite{#1}", r"\input{", r"\cite{a,", "$x",
     r"\textcquote[1]{", r"\bibitem{", r"\title{Half", r"\volcite{2", r"\citefield{a}{", "\\", "{"],
)  # fmt: skip
def test_a_half_typed_command_leaves_the_rest_alone(broken: str) -> None:
    text = (
        f"\\section{{One}} First \\cite{{one}}.\n\n{broken}\n\nThen \\citep{{two}} says.\n"
        "\\section{Two} Last \\citet[3]{three}."
    )
    manuscript = parse(text, "latex")
    keys = [key.text for marker in manuscript.markers for key in marker.keys]
    assert [key for key in keys if key in ("one", "two", "three")] == ["one", "two", "three"]
    assert [s.title for s in manuscript.sections if s.title in ("One", "Two")] == ["One", "Two"]
    assert "Then says." in [sentence.text for sentence in manuscript.sentences]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (r"\cite[so \citealp[3]{a} says][and \citet{b, c}]{d} x", ["a", "b", "c"]),
        (r"\newcommand{\x}[1][o]{X~\cite[#1]{a} % \cite{b}" + "\n}", ["a"]),
        (r"\newcommand{\x}[1]{\cite{#1} \cite{a#1}}", []),
        (r"\def\x{X~\cite{a}} \cite{b}", ["a"]),
        (r"\DeclareRobustCommand{\x}{\\cite{a} \parencites{b}{c}}", ["b", "c"]),
        (r"\section[Terns \cite{a}]{Of terns \cite{b}} x", ["a"]),
        (r"\caption[Terns {\citep[p.~3]{a, b}}]{Of terns \cite{c}.}", ["a", "b"]),
        (r"\section[Terns \cite{a}] without a title", []),
    ],
)
def test_what_stands_in_definitions_notes_and_short_titles_is_read_aside(
    text: str, keys: list[str]
) -> None:
    manuscript = parse(text, "latex")
    marker_keys = [key for marker in manuscript.markers_outside_prose for key in marker.keys]
    assert (
        [text[key.start : key.end] for key in marker_keys]
        == [key.text for key in marker_keys]
        == keys
    )
    inside = {(marker.start, marker.end) for marker in manuscript.markers_outside_prose}
    assert not inside & {(marker.start, marker.end) for marker in manuscript.markers}


def test_an_alias_names_its_key_and_is_no_place_in_the_prose() -> None:
    manuscript = parse(r"So. \defcitealias{a}{Paper I} It is.", "latex")
    (marker,) = manuscript.markers
    assert marker.keys[0].text == "a" and marker.silent and not manuscript.cited
    assert [sentence.text for sentence in manuscript.sentences] == ["So.", "It is."]
