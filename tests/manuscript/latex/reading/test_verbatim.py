r"""Code in a LaTeX draft: nothing in it cites, and nothing of it is a sentence."""

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.draft.sites import site_at
from tests.manuscript.cited import markers

TEXT = "{}\n\\begin{{document}}\nTerns sing. {} Gulls \\cite{{a}} nest.\n\\end{{document}}"


def keys(text: str) -> list[str]:
    return [key.text for marker in markers(text, "latex") for key in marker.keys]


@pytest.mark.parametrize(
    ("definition", "environment"),
    [
        (r"\lstnewenvironment{sql}[1][]{\lstset{#1}}{}", "sql"),
        (r"\newminted{sql}{linenos}", "sqlcode"),
        (r"\newminted{sql}{linenos}", "sqlcode*"),
        (r"\newminted[sql-code]{sql}{}", "sql-code"),
        (r"\newtcblisting{sql}{listing only}", "sql"),
        (r"\newtcblisting[auto counter]{sql}[2][]{#1}", "sql"),
        (r"\DeclareTCBListing{sql}{ O{} m }{listing only}", "sql"),
        (r"\NewTCBListing[init]{sql2}{ m }{listing only}", "sql2"),
        (r"\DefineVerbatimEnvironment{sql}{Verbatim}{fontsize=\small}", "sql"),
        (r"\newenvironment{sql}{\small\verbatim}{\endverbatim}", "sql"),
        (r"\newenvironment{sql}{\VerbatimEnvironment\begin{minted}{sql}}{\end{minted}}", "sql"),
        (r"\let\sql\verbatim \let\endsql\endverbatim", "sql"),
        (r"\newenvironment{sql}{\comment}{\endcomment}", "sql"),
        (r"\NewEnviron{sql}{}", "sql"),
        (r"\excludeversion{sql}", "sql"),
        (r"\excludecomment{sql_x}", "sql_x"),
        ("", "tcblisting"),
        ("", "spverbatim"),
        ("", "boxedverbatim"),
    ],
)
def test_an_environment_of_code_is_read_as_it_stands(definition: str, environment: str) -> None:
    code = f"\\begin{{{environment}}}{{}}\nSo \\cite{{x}}. It is.\n\\end{{{environment}}}\n"
    text = TEXT.format(definition, code)
    assert keys(text) == ["a"]
    manuscript = parse(text, "latex")
    assert [sentence.text for sentence in manuscript.sentences] == ["Terns sing.", "Gulls nest."]
    assert manuscript.in_code(text.index("{x}"))


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        (r"\newmintinline{sql}{}", r"\sqlinline{\cite{x}} \sqlinline|\cite{x}|"),
        (r"\newmintinline[q]{sql}{}", r"\q[escapeinside]!\cite{x}!"),
        (r"\newmint{sql}{}", r"\sql|\cite{x}|"),
        (r"\CustomVerbatimCommand{\vb}{Verb}{}", r"\vb+\cite{x}+"),
        (r"\newcommand{\code}{\lstinline[language=SQL]}", r"\code|\cite{x}|"),
        (r"\newcommand{\code}[1]{\texttt{\detokenize{#1}}}", r"\code{\cite{x}}"),
        (r"\NewDocumentCommand{\code}{v}{\texttt{#1}}", r"\code|\cite{x}| \code{\cite{x}}"),
        (r"\let\code\lstinline", r"\code{\cite{x}}"),
        ("", r"\Verb+\cite{x}+ \Verb*|\cite{x}| \Verb{\cite{x}}"),
        ("", r"\lstinline{\cite{x} \cite{y}} \mintinline{tex}{\cite{x}}"),
        ("", r"\path|\cite{x}| \path{\cite{x}} \url!\cite{x}!"),
        ("", "\\detokenize{\\cite{x}\n\\cite{y}} \\string\\cite{x}"),
        ("", r"\mint[linenos]{tex}|\cite{x}| \SaveVerb{name}|\cite{x}|"),
        (r"\MakeShortVerb{\|}", r"|\cite{x}| or |\cite{y}|"),
        (r"\MakeShortVerb|", r"|\cite{x}|"),
        (r"\MakeShortVerb*\"", r'"\cite{x}"'),
        (r"\DefineShortVerb[fontsize=\small]{\!}", r"!\cite{x}!"),
        (r"\lstMakeShortInline[language=SQL]!", r"!\cite{x}!"),
    ],
)
def test_code_in_a_line_is_read_as_it_stands(definition: str, code: str) -> None:
    assert keys(TEXT.format(definition, code)) == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        r"It is |\cite{a}| here. \MakeShortVerb{\|}",
        r"\MakeShortVerb{\|}\DeleteShortVerb{\|} |\cite{a}|",
        r"\MakeShortVerb{\|} $\|x\|$ \cite{a} $\|y\|$",
        "\\MakeShortVerb{\\|} One | bar.\n\\cite{a}",
        r"%\MakeShortVerb{\|}" + "\n|\\cite{a}|",
        r"\NewEnviron{box}{\fbox{\BODY}}\begin{box}\cite{a}\end{box}",
        r"\includecomment{comment}\begin{comment}\cite{a}\end{comment}",
        r"\newcommand{\comment}[1]{#1} \comment{\cite{a}} \endcomment",
        r"\newenvironment{verbatim}{\itshape}{}\cite{a}",
    ],
)
def test_what_is_no_code_is_read(text: str) -> None:
    assert keys(text) == ["a"]


def test_a_short_form_of_the_preamble_holds_in_the_chapters() -> None:
    before = parse(r"\MakeShortVerb{\|}\lstnewenvironment{sql}{}{}", "latex").cite_commands
    text = "|\\cite{x}| \\cite{a} \\begin{sql}\n\\cite{y}\n\\end{sql}"
    (marker,) = parse(text, "latex", before).markers
    assert marker.keys[0].text == "a"


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (r"\begin{lstlisting}[language=C, caption={Of terns, by \cite{a}}, label=l]", "lstlisting"),
        (r"\begin{lstlisting}[caption=Of terns by \cite{a}]", "lstlisting"),
        (r"\begin{tcblisting}{title={Of terns, by \cite{a}}, listing only}", "tcblisting"),
        (r"\newtcblisting{box}[1][]{} \begin{box}[title=Of terns by \cite{a}]", "box"),
        (r"\begin{Verbatim}[label={By \cite{a}}]", "Verbatim"),
    ],
)
def test_the_options_of_code_are_text(begin: str, end: str) -> None:
    text = f"Gulls sing. {begin}\nx = \\cite{{x}}\n\\end{{{end}}}\nThey nest."
    assert keys(text) == ["a"]
    sentences = [sentence.text for sentence in parse(text, "latex").sentences]
    assert sentences[0] == "Gulls sing." and sentences[-1] == "They nest."
    assert "x =" not in " ".join(sentences)


def test_a_caption_of_code_is_a_sentence() -> None:
    options = r"label=l, caption={Of terns \cite{}}, language=C"
    text = f"\\begin{{lstlisting}}[{options}]\nx\n\\end{{lstlisting}}"
    manuscript = parse(text, "latex")
    assert [sentence.text for sentence in manuscript.sentences] == ["Of terns"]
    assert site_at(manuscript, text.index("{}") + 1) is not None


def test_a_bracket_in_verbatim_is_code() -> None:
    assert keys("\\begin{verbatim}[\\cite{x}]\n\\end{verbatim}\\cite{a}") == ["a"]
