"""Of a citation that is not closed, the words up to the cursor are typed, and are no prose."""

from __future__ import annotations

import pytest
from attrs import evolve

from cite_lsp.manuscript import Context, Document, context_of_site, parse
from cite_lsp.manuscript.draft.context import closed_at
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.draft.sites import site_at
from tests.manuscript.draft.test_edited_part import read

ABOVE = r"""\section{Above}

Far above \cite{x} stands a sentence.

\section{Words}

A sentence is above \cite{a}, and one more.

Some vectors find \citep[see][p.~3]{b} what words miss \citep{"""
BELOW = r""" while the rest of the line was there \cite{c}.

A paragraph follows \cite{d}.

\section{Below}

Far below is \cite{y}."""
TYPED = ("retrieval", "retrieval of galaxies and", "known,Dense passage retrieval", "a et al. 2")


def context(manuscript: Manuscript, offset: int) -> Context:
    site = site_at(manuscript, offset)
    assert site is not None
    other = parse(r"\cite{z} Another file.", "latex")
    context = context_of_site(manuscript, site, Document((other, manuscript)))
    return evolve(context, marker_cited=())


@pytest.mark.parametrize("below", ["", BELOW, "\n" + BELOW])
@pytest.mark.parametrize("typed", [typed for typed in TYPED if "," not in typed])
def test_the_context_is_that_of_the_closed_citation(typed: str, below: str) -> None:
    written = ABOVE + typed
    for end in range(len(ABOVE), len(written) + 1):
        text = written[:end]
        closed = context(parse(f"{text}}}{below}", "latex"), end)
        assert context(parse(text + below, "latex"), end).sentence == closed.sentence
        assert context(parse(text + below, "latex"), end).mentions == closed.mentions


@pytest.mark.parametrize("below", ["", BELOW])
@pytest.mark.parametrize("typed", TYPED)
def test_letter_by_letter_it_reads_as_from_scratch(typed: str, below: str) -> None:
    before, written = parse(ABOVE + below, "latex"), ABOVE + typed
    for end in range(len(ABOVE) + 1, len(written) + 1):
        text = written[:end] + below
        before = parse(text, "latex", before=before)
        whole = parse(text, "latex")
        assert context(before, end) == context(whole, end)
        sites = site_at(before, end), site_at(whole, end)
        assert sites[0] is not None and sites[1] is not None
        closed, expected = closed_at(before, sites[0]), closed_at(whole, sites[1])
        assert (closed is None) == (expected is None)
        if closed is not None and expected is not None:
            assert read(closed) == read(expected)
            unread = Manuscript(text, "latex", closed.layout)
            assert read(closed)[2:] == read(unread)[2:]


@pytest.mark.parametrize("below", ["", BELOW, "\n" + BELOW])
def test_the_context_is_the_same_for_every_letter(below: str) -> None:
    written = ABOVE + "retrieval of galaxies and"
    places = range(len(ABOVE) + 1, len(written) + 1)
    first, *others = (context(parse(written[:end] + below, "latex"), end) for end in places)
    assert all(other == first for other in others)
