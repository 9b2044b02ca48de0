"""Names, addresses and thanks lack no citation, in whatever way a draft has them."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.manuscript.lint.exempt_lines import is_name, is_prose, is_statement

PROSE = "Tides shape the marshes of the north in ways that few have measured."
LATEX = {
    "revtex": r"""\title{A long title on the tides of northern marshes}
\author{Ada Moor}\email{ada.moor@uni.example.org}
\affiliation{Department of Tidal Physics, University of the Northern Marshes, Reedham}
\altaffiliation[Also at ]{Institute of Salt, Saltburn by the Sea}
\collaboration{The Marsh and Tide Collaboration of the North}
\date{Received the third of May in a rainy year}
\begin{abstract}Some words of an abstract that are not looked at.\end{abstract}
\maketitle
""",
    "elsarticle": r"""\begin{frontmatter}
\title{A long title on the tides of northern marshes}
\author[a]{Ada Moor\corref{c}}
\ead{ada@example.org}
\cortext[c]{Corresponding author for all that concerns the tides}
\affiliation[a]{organization={Department of Tidal Physics, University}, city={Reedham}}
\address[b]{Institute of Salt, Saltburn by the Sea, North Yorkshire}
Highlights of the tides and of the reeds
\begin{keyword}tides \sep marshes \sep salt and other things\end{keyword}
\end{frontmatter}
""",
    "IEEEtran": r"""\title{A long title}
\author{\IEEEauthorblockN{Ada Moor and Jo Kim}
\IEEEauthorblockA{Department of Tidal Physics\\University of the Marshes\\Reedham, Norfolk}}
\IEEEauthorblockA{Institute of Salt\\Saltburn by the Sea, North Yorkshire}

\section{Introduction}
""",
    "acmart": r"""\title{A long title on the tides of northern marshes}
\author{Ada Moor}
\authornote{Both of them contributed in the same way to this research.}
\affiliation{\institution{University of the Northern Marshes}\city{Reedham}}
\acmConference[TIDES '30]{The Conference on Tides and Marshes}{May 2030}{Reedham, Norfolk}

\section{Introduction}
""",
    "llncs": r"""\title{A long title on tides}
\titlerunning{A shorter title on the tides of the north}
\author{Ada Moor\inst{1} \and Jo Kim\inst{2}}
\institute{Department of Tidal Physics, Reedham\\ \email{ada@example.org} \and Institute of Salt}
\maketitle
""",
    "icml": r"""\twocolumn[
\icmltitle{A long title on the tides of northern marshes}
\begin{icmlauthorlist}
\icmlauthor{Ada Moor}{uni}
\icmlauthor{Jo Kim of the Salt}{salt}
\end{icmlauthorlist}
\icmlaffiliation{uni}{Department of Tidal Physics, University of the Marshes, Reedham}
\icmlcorrespondingauthor{Ada Moor}{ada@example.org}
]

\printAffiliationsAndNotice{\icmlEqualContribution and some more words}

""",
    "copernicus": r"""\title{A long title}
\Author[1]{Ada}{Moor}
\Author[2,*]{Jo Long Name}{Kim of the Salt}
\affil[1]{Department of Tidal Physics, University of the Marshes, Reedham}
\correspondence{Ada Moor, who is to be found in the reeds}
\runningtitle{A shorter title on the tides of the north}

\section{Introduction}
""",
    "aastex": r"""\author{Ada Moor\altaffilmark{1}}
\altaffiltext{1}{Department of Tidal Physics, University of the Marshes, Reedham}
\correspondingauthor{Ada Moor from the north of England}

\section{Introduction}
""",
    "amsart": r"""\author{Ada Moor}
\address{Department of Tidal Physics, University of the Marshes, Reedham}
\curraddr{Institute of Salt, Saltburn by the Sea, North Yorkshire}
\thanks{The first of the authors was supported by a grant.}
\subjclass[2020]{Primary 00A00, with words of a class; Secondary 11B11}
\dedicatory{To the memory of all who drowned in the marsh}

\section{Introduction}
""",
    "by hand": r"""\begin{center}{\Large A Long Title on the Tides of Northern Marshes}

Ada Moor, Jo Kim, and Wei Li

Department of Tidal Physics, University of the Marshes, Reedham, Norfolk

\texttt{ada.moor@example.org}
\end{center}

This thesis is submitted in partial fulfilment of the requirements for the degree of Doctor.

""",
}
MARKDOWN = {
    "yaml": """---
title: A long title on the tides
author:
  - name: Ada Moor of the Northern Marshes
    affiliation: Department of Tidal Physics, University of the Marshes
---

# Introduction

""",
    "below the title": """# A Long Title on the Tides of Northern Marshes

Ada Moor^1^, Jo Kim^2,\\*^, Wei Li^1^ and Noor de Vries^3^

^1^ Department of Tidal Physics, University of the Marshes, Reedham, Norfolk

\\* Corresponding author: ada.moor@example.org

Key words: tides, marshes, the salt of the north, reeds

# Introduction

""",
    "under headings": """# Title

Some long title about the tides of northern marshes

# Authors

Ada Moor, who is from the north, and Jo Kim

# Introduction

""",
}
TYPST = {
    "template": """#import "@preview/charged-ieee:0.1.0": ieee
#show: ieee.with(
  title: [A long title on the tides of northern marshes],
  authors: (
    (
      name: "Ada Moor",
      department: [Department of Tidal Physics],
      organization: [University of the Northern Marshes, Reedham],
      location: [Reedham, Norfolk, in the East of England],
    ),
  ),
)
""",
    "function": """#article(
  authors: ((name: [Ada Moor], department: [Department of Tidal Physics of the Marshes]),),
)
""",
}
ORG = {
    "keywords": """#+TITLE: A long title on the tides of northern marshes
#+AUTHOR: Ada Moor of the Department of Tidal Physics, Reedham
#+SUBTITLE: with some words on salt and on the reeds
#+DATE: the third of May in a rainy year

""",
}


def left(text: str, format: str) -> list[str]:
    manuscript = parse(text, format)
    return [
        sentence.text for sentence in manuscript.sentences if not is_exempt(manuscript, sentence)
    ]


@pytest.mark.parametrize("name", LATEX)
def test_what_classes_print_above_the_text_is_left_alone(name: str) -> None:
    start = "\\documentclass{" + name + "}\n\\begin{document}\n"
    assert left(f"{start}{LATEX[name]}{PROSE}\n\\end{{document}}\n", "latex") == [PROSE]


@pytest.mark.parametrize(
    ("format", "above"),
    [
        *(("markdown", text) for text in MARKDOWN.values()),
        *(("typst", text) for text in TYPST.values()),
        *(("org", text) for text in ORG.values()),
    ],
)
def test_so_it_is_in_other_formats(format: str, above: str) -> None:
    assert left(above + PROSE + "\n", format) == [PROSE]


def test_the_text_of_a_letter_begins_without_a_heading_and_is_read() -> None:
    text = f"\\begin{{document}}\n\\title{{On tides}}\n\n{PROSE}\n\n{PROSE}\n\\section{{End}}"
    assert left(text, "latex") == [PROSE, PROSE]


def test_notes_under_a_heading_are_read_without_a_full_stop() -> None:
    note = "tides shape the marshes of the north in many ways"
    assert left(f"# Introduction\n\n- {note}\n", "markdown") == [note]


def test_a_title_that_is_printed_below_a_heading_hides_no_text() -> None:
    text = f"\\begin{{document}}\n\\section{{One}}\n{PROSE}\n\\maketitle\n{PROSE}\n"
    assert left(text, "latex") == [PROSE, PROSE]


@pytest.mark.parametrize(
    "text",
    [
        "We thank Jo Kim for many talks on the salt of the marshes.",
        "The first author would like to thank all who waded with her.",
        "I am deeply grateful to Noor de Vries.",
        "We gratefully acknowledge the computing time and support of the Reed Centre.",
        "This work was supported in part by the Reed Foundation under grant 12.",
        "Financial support was provided by the Reed Foundation.",
        "The authors declare that they have no competing interests.",
        "A.M. and J.K. conceived the study and wrote the manuscript.",
        "AM designed the survey; JK analysed the cores.",
        "The data and code of this study are available from the first author.",
        "All cores are available from the first author upon reasonable request.",
        "These authors contributed equally to this work.",
        "*Corresponding author: Ada Moor",
        "Write to ada.moor@example.org for the cores.",
        "Ada Moor (0000-0002-1825-0097) waded most.",
        "Key words: tides, marshes, salt",
        "关键词：潮汐，盐沼",
        "A dissertation submitted in partial fulfillment of the requirements for a degree",
    ],
)
def test_who_wrote_paid_and_helped_is_no_claim_that_needs_a_citation(text: str) -> None:
    assert is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "We acknowledge that other marshes differ from those in the north.",
        "This work is supported by what was seen in the reeds.",
        "This hypothesis was supported by the Reedham survey.",
        "Data on tides are available for all harbours of the coast since 1950.",
        "Keyword-based methods find the marshes by their names.",
        "Thanks to new sensors, tides are measured in every harbour.",
        "The server logs in as http://user:secret@host.example.org:80/tides when asked.",
        "The processor ran at 3 GHz (i7@3.50GHz) in all of these runs.",
        "Tides were reviewed and supervised learning was applied to them.",
    ],
)
def test_what_only_sounds_like_it_is_read(text: str) -> None:
    assert not is_statement(text) and is_prose(text)


def test_a_name_is_made_of_words_with_capitals_and_the_small_ones_between_them() -> None:
    for text in (
        "Ada Moor, Jo Kim, and Wei Li",
        "Departamento de Física, Universidade de São Paulo",
        "上海大学水利学院",
    ):
        assert is_name(text) and not is_prose(text)
    for text in ("Die Gezeiten formen die Marschen", PROSE, "潮汐塑造了大学附近的盐沼。"):
        assert not is_name(text)
