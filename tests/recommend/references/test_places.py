"""The sentence of a draft that should cite a paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.paper import Paper
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.recommend.references.places import places_for
from tests.recommend.shores import TopicEncoder

MAIN = Path("/shores/main.tex")
CHAPTER = Path("/shores/birds.tex")
TEXTS = {
    MAIN: r"""\documentclass{article}
\begin{document}
\section{Water}
The tide comes twice a day to every shore of the world.
It is the marsh that grows by what it brings \cite{moor}.
\input{birds}
\section{Acknowledgements}
We thank the gull and the dune for their patience with us.
\end{document}
""",
    CHAPTER: "\\section{Birds}\nEvery gull is said to nest where the dune is high and dry.\n",
}
GULL, TIDE = Paper("gull", "The gull"), Paper("tide", "The tide")


def nothing(number: int) -> frozenset[str]:
    return frozenset()


@pytest.fixture
def draft() -> Draft:
    return DraftReader(TEXTS.get).draft(MAIN)


@pytest.mark.parametrize("encoder", [TopicEncoder(), None], ids=["by meaning", "by words"])
def test_a_paper_goes_to_the_nearest_sentence_of_any_file(
    draft: Draft, encoder: TopicEncoder | None
) -> None:
    gull, tide = places_for(draft, [GULL, TIDE], encoder, nothing)
    assert gull is not None and tide is not None
    assert (gull.path, gull.section) == (CHAPTER, "Birds")
    assert gull.sentence.text.startswith("Every gull")
    assert (tide.path, tide.section) == (MAIN, "Water")


def test_a_sentence_that_cites_what_is_cited_beside_it_comes_first() -> None:
    gulls = "One gull nests above the shore.\nAnother gull nests above the shore \\cite{moor}.\n"
    draft = DraftReader({MAIN: f"\\section{{Birds}}\n{gulls}"}.get).draft(MAIN)
    (plain,) = places_for(draft, [GULL], TopicEncoder(), nothing)
    (beside,) = places_for(draft, [GULL], TopicEncoder(), lambda number: frozenset(["moor"]))
    assert plain is not None and plain.sentence.text.startswith("One gull")
    assert beside is not None and beside.sentence.text.startswith("Another gull")


def test_a_draft_without_prose_has_no_place() -> None:
    empty = DraftReader({MAIN: "\\documentclass{article}"}.get).draft(MAIN)
    assert places_for(empty, [GULL, TIDE], None, nothing) == [None, None]


def test_of_many_sentences_only_those_with_its_words_are_compared_by_meaning() -> None:
    many = "\n\n".join(f"The reed of number {number} stands in the water." for number in range(200))
    text = f"\\section{{Reeds}}\n{many}\n\nOne gull of the shore is said to be seen here.\n"
    long = DraftReader({MAIN: text}.get).draft(MAIN)

    class Counting(TopicEncoder):
        def encode(self, texts, *, cancelled=None):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            compared.append(len(texts))
            return super().encode(texts)

    compared: list[int] = []
    (place,) = places_for(long, [GULL], Counting(), nothing)
    assert place is not None and place.sentence.text.startswith("One gull")
    assert max(compared) < 20


def test_looking_for_places_ends_when_it_is_cancelled(draft: Draft) -> None:
    with pytest.raises(Cancelled):
        places_for(draft, [GULL], None, nothing, cancelled=lambda: True)
