"""The sentences of real drafts, with what they cited."""

from __future__ import annotations

from pathlib import Path

from cite_lsp.train.data.labelled_sentences import read_drafts

TEXT = r"""
\documentclass{article}
\begin{document}
\section{Introduction}
Gulls have long been known to nest on cliffs \cite{ma2013}.
We describe the beaches of the north here.
As it was shown in \cite{ma2013}. Nobody asked the terns about the flat sand at all \nocite{all}.
\begin{figure}\caption{The gulls of the north, as they were seen by Ma \cite{ma2013}.}\end{figure}
\section*{Acknowledgements}
We thank all of the readers for the great patience that they had.
\end{document}
"""


def draft(folder: Path, text: str = TEXT) -> Path:
    path = folder / "main.tex"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_sentence_that_is_checked_is_there_with_whether_it_cited(tmp_path: Path) -> None:
    rows = read_drafts({"gulls": [draft(tmp_path)]}, {})
    cited = {" ".join(row.passage.sentence.split()): row.cited for row in rows}
    assert cited == {
        "Gulls have long been known to nest on cliffs.": True,
        "We describe the beaches of the north here.": False,
        "As it was shown.": True,
        "Nobody asked the terns about the flat sand at all.": False,
    }
    assert {(row.document, row.language, row.whole) for row in rows} == {("gulls", "en", True)}


def test_neighbours_are_without_the_traces_of_markers_too(tmp_path: Path) -> None:
    rows = read_drafts({"gulls": [draft(tmp_path)]}, {})
    before, after = rows[1].passage.previous, rows[1].passage.next
    assert (before.rstrip(" ."), after.rstrip(" .")) == (
        "Gulls have long been known to nest on cliffs",
        "As it was shown",
    )


def test_a_draft_is_in_the_language_that_is_known_of_it(tmp_path: Path) -> None:
    files = [draft(tmp_path)]
    rows = read_drafts({"gulls": files, "terns": files}, {"gulls": "fr"})
    assert {(row.document, row.language) for row in rows} == {("gulls", "fr"), ("terns", "en")}


def test_a_text_that_cites_nothing_teaches_nothing(tmp_path: Path) -> None:
    text = TEXT.replace(r"\cite{ma2013}", "")
    assert read_drafts({"letter": [draft(tmp_path, text)]}, {}) == []


def test_what_stands_in_two_files_counts_once(tmp_path: Path) -> None:
    first = draft(tmp_path)
    second = first.with_name("copy.tex")
    second.write_text(TEXT, encoding="utf-8")
    once, twice = read_drafts({"a": [first]}, {}), read_drafts({"a": [first, second]}, {})
    assert len(once) == len(twice)
