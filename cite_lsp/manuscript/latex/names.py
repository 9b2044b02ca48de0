"""Which LaTeX names mean what to a scan, and the pattern that stops at them."""

from __future__ import annotations

import re
from functools import lru_cache

from cite_lsp.manuscript.citation_commands import NAMES_WITHOUT_CITE
from cite_lsp.manuscript.tables import CELL_COMMANDS

LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
    "addpart": 1,
    "addchap": 2,
    "addsec": 3,
}
VERBATIM = frozenset(
    """verbatim Verbatim BVerbatim LVerbatim SaveVerbatim lstlisting minted comment filecontents
    luacode pycode pyconsole sagesilent sageblock verbatimtab""".split()
)
FORMULA = frozenset(
    """equation align gather multline flalign alignat eqnarray math displaymath dmath xalignat
    subequations IEEEeqnarray""".split()
)
FIGURE = frozenset(
    """tabular tabularx tabulary longtable supertabular array tabbing tikzpicture pgfpicture axis
    tikzcd algorithmic algorithm2e forest picture thebibliography biblist bibdiv xy CD prooftree
    NiceTabular tblr longtblr circuitikz xltabular""".split()
)
NOTES = "footnote footnotetext thanks marginpar sidenote marginnote endnote tablenote".split()
FRONT = """author date affil affiliation address email institute keywords thispagestyle
    titlerunning authorrunning newtheorem DeclareMathOperator
    hypersetup lstset tikzset graphicspath""".split()
TITLED = frozenset("frame block alertblock exampleblock".split())
"""The environments of beamer whose title stands in braces behind their name."""
TITLES = "frametitle framesubtitle".split()
SETTING = "setlength addtolength setcounter addtocounter".split()
DEFINING = {
    **dict.fromkeys(
        """newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd
        renewrobustcmd SetCiteCommand AtEveryCite AtEveryCitekey AtNextCite DeclareAcronym
        newglossaryentry acrodef acrodefplural newacro""".split(),
        1,
    ),
    **dict.fromkeys(
        """newenvironment renewenvironment NewDocumentCommand RenewDocumentCommand
        ProvideDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand
        newacronym newabbreviation longnewglossaryentry""".split(),
        2,
    ),
    "NewDocumentEnvironment": 3,
    "DeclareCiteCommand": 4,
    "DeclareMultiCiteCommand": 3,
}
INPUTS = "input include subfile subfileinclude loadglsentries InputIfFileExists".split()
IMPORTS = "import subimport includefrom inputfrom subinputfrom subincludefrom".split()
BIBLIOGRAPHIES = """addbibresource addglobalbib addsectionbib bibliography nobibliography
    defaultbibliography putbib""".split()
BORDERS = "par maketitle newpage clearpage tableofcontents appendix printbibliography".split()


@lru_cache(maxsize=16)
def stopping_pattern(
    extra: frozenset[str], bibliographies: frozenset[str] = frozenset()
) -> re.Pattern[str]:
    """Return the pattern of a scan's stops.

    `extra` are citing names that the draft defines, `bibliographies` are names of commands that
    name bibliographies.

    Its group is "name" at a command listed here, "cite" at one that may cite, "display" at a
    displayed formula, "chunk" at the head of code in R (Sweave, knitr), and none at a comment or an
    escaped character.
    """
    names = {
        *LEVELS, *NOTES, *FRONT, *DEFINING, *INPUTS, *IMPORTS, *BIBLIOGRAPHIES, *BORDERS,
        *SETTING, *TITLES, *CELL_COMMANDS, *bibliographies,
        *"begin end item def gdef edef xdef let verb lstinline mintinline url path href".split(),
        *"nolinkurl caption captionof subcaption bicaption tablecaption title abstract".split(),
        *"cabstract eabstract documentclass bibitem harvarditem bib iffalse acro".split(),
        "newrefsection",
    }  # fmt: skip
    known = "|".join(sorted(names, key=len, reverse=True))
    own = "".join(rf"|{re.escape(name)}" for name in sorted(extra, key=len, reverse=True))
    return re.compile(
        rf"""[\\%<](?:(?<=%)[^\n]*|(?<=<)(?<![^\n]<)(?P<chunk><[^\n]*>>=)|(?<=\\)(?:
            [\\%{{}}]
          | (?P<display>\[)
          | (?P<name>{known})(?![A-Za-z@])\*?
          | (?P<cite>(?:[A-Za-z@]*(?i:cite)[A-Za-z@]*|{NAMES_WITHOUT_CITE}{own})(?![A-Za-z@])\*?)
        ))""",
        re.VERBOSE,
    )
