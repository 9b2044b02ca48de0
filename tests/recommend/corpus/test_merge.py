"""What corpora add to a library: what is merged, what it is called, what is remembered."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import EncoderError
from cite_lsp.encode.encoder import Encoder
from cite_lsp.library import Library, parse_bibliography
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.keys import CorpusKeys
from cite_lsp.recommend.corpus.known_works import KnownWorks
from cite_lsp.recommend.corpus.merge import CorpusMerger, CorpusQuery
from cite_lsp.recommend.corpus.ranking import Candidate
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.shores import TopicEncoder

ROOT = Path("draft.tex")
CONTEXT = Context(left="Predicting the tide is old, as tables show", right="and gauges confirm.")
PAPERS = [
    Paper("t1", "Tide tables of the north", authors=("Ann Moor",), year=2001, doi="10.1000/t1"),
    Paper("t2", "Tide tables of the south", authors=("Ann Moor",), year=2001),
    Paper("t3", "A tide gauge", authors=("Bo Holm",), year=2005),
    Paper("m1", "Marsh plants", authors=("Cy Reed",), year=2003),
]
LIBRARY = "@article{moor1999dunes, title={Dunes}, author={Moor, Ann}, year=1999}\n"


def library(text: str = LIBRARY) -> Library:
    return Library((parse_bibliography(text, Path("a.bib")),))


def no_encoder(name: str) -> Encoder:
    raise EncoderError(f"no encoder named {name!r}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    build_corpus(tmp_path / "shores", PAPERS, TopicEncoder())
    return tmp_path


def merger_of(root: Path, names: Sequence[str] | None = None) -> CorpusMerger:
    corpora = Corpora(names, root=root, load_encoder=no_encoder)
    merger = CorpusMerger(corpora, CorpusKeys(corpora))
    merger.prepare(library(), [], TopicEncoder())
    return merger


def joined(
    merger: CorpusMerger,
    own: Library,
    from_library: Sequence[Recommendation] = (),
    **options: object,
) -> tuple[Recommendation, ...]:
    typed, limit = str(options.get("typed", "")), int(str(options.get("limit", 10)))
    return merger.join(CorpusQuery(own, ROOT, CONTEXT, typed), tuple(from_library), limit=limit)


def test_papers_get_keys_in_the_style_of_the_library_and_no_key_twice(root: Path) -> None:
    recommendations = joined(merger_of(root), library())
    assert {recommendation.paper.id: recommendation.key for recommendation in recommendations} == {
        "t1": "moor2001tide",
        "t2": "moor2001tide2",
        "t3": "holm2005tide",
        "m1": "reed2003marsh",
    }
    assert {recommendation.corpus for recommendation in recommendations} == {"shores"}


def test_a_paper_keeps_its_key_however_the_next_list_is_ordered(root: Path) -> None:
    merger = merger_of(root)
    before = {
        recommendation.paper.id: recommendation.key for recommendation in joined(merger, library())
    }
    only = joined(merger, library(), typed="south")
    assert [(recommendation.paper.id, recommendation.key) for recommendation in only] == [
        ("t2", before["t2"])
    ]
    remembered = merger.keys.recommended_as(library(), ROOT, before["t2"])
    assert remembered is not None and remembered.paper.id == "t2"


def test_what_speaks_for_a_paper_does_not_depend_on_what_is_typed(root: Path) -> None:
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    corpora.prepare(TopicEncoder())
    (corpus,) = corpora.opened()
    cited = corpora.rows_of(corpus, PAPERS[:1])
    listed = corpus.recommend(CONTEXT, "", limit=10, cited=cited)
    (typed,) = corpus.recommend(CONTEXT, "south", limit=10, cited=cited)
    assert {reason.kind for reason in typed.reasons} >= {"sentence", "words", "co-cited"}
    assert typed in listed


@pytest.mark.parametrize(
    "changed",
    [{}, {"abstract": "Of gauges."}, {"language": "zh"}, {"translation": "Tide"}, {"year": 1990}],
)
@pytest.mark.parametrize("typed", ["", "tide"])
def test_a_list_is_cached_for_what_it_depends_on(
    root: Path, monkeypatch: pytest.MonkeyPatch, typed: str, changed: dict[str, Any]
) -> None:
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    corpora.prepare(TopicEncoder())
    (corpus,) = corpora.opened()
    ranked_contexts: list[Context] = []
    rank = CorpusRecommender.rank

    def counted(self: CorpusRecommender, context: Context, **options: Any) -> list[Candidate]:  # noqa: ANN401
        ranked_contexts.append(context)
        return rank(self, context, **options)

    monkeypatch.setattr(CorpusRecommender, "rank", counted)
    other = evolve(CONTEXT, **changed)
    for context in (CONTEXT, other, CONTEXT, other):
        corpus.recommend(context, typed, limit=10)
    assert ranked_contexts == ([CONTEXT, other] if changed else [CONTEXT])


def test_a_key_is_understood_though_it_was_offered_in_another_session(root: Path) -> None:
    recommendation = merger_of(root).keys.recommended_as(library(), ROOT, "holm2005tide")
    assert recommendation is not None and recommendation.paper.id == "t3"
    assert merger_of(root).keys.recommended_as(library(), ROOT, "holm2005tid") is None


@pytest.mark.parametrize("typed", ["10.1000/T1", "https://doi.org/10.1000/t1", "doi:10.1000/t1"])
def test_a_pasted_number_finds_its_paper_alone(root: Path, typed: str) -> None:
    merger = merger_of(root)
    (recommendation,) = joined(merger, library(), typed=typed)
    assert (recommendation.paper.id, recommendation.key) == ("t1", "moor2001tide")
    assert [result.paper.id for result in merger.search(typed, [library()], 10)] == ["t1"]


def test_a_pasted_number_finds_an_entry_that_does_not_tell_it(root: Path) -> None:
    own = library("@article{mine, title={Tide tables of the north}, author={Moor, Ann}}")
    (recommendation,) = joined(merger_of(root), own, typed="10.1000/t1")
    assert (recommendation.key, recommendation.corpus) == ("mine", "")


@pytest.mark.parametrize(
    "entry",
    [
        "@article{mine, title={Another spelling}, doi={10.1000/T1}}",
        "@article{mine, title={{Tide} Tables of the North}, author={Moor, A.}}",
    ],
)
def test_what_the_library_has_is_not_offered_again(root: Path, entry: str) -> None:
    own = library(entry)
    recommendations = joined(merger_of(root), own)
    assert "t1" not in [recommendation.paper.id for recommendation in recommendations]
    typed = joined(merger_of(root), own, typed="north")
    assert [(recommendation.key, recommendation.entry is not None) for recommendation in typed] == [
        ("mine", True)
    ]


def test_the_library_comes_first_and_corpora_still_have_their_places(root: Path) -> None:
    entries = "".join(f"@misc{{k{n}, title={{Title {n}}}}}\n" for n in range(10))
    own = library(entries)
    shown = [Recommendation(entry.paper, 0.5, entry) for entry in own.entries]
    recommendations = joined(merger_of(root), own, shown, limit=5)
    assert [recommendation.corpus for recommendation in recommendations] == [
        "",
        "",
        "",
        "shores",
        "shores",
    ]
    assert [
        recommendation.corpus for recommendation in joined(merger_of(root), own, shown, limit=1)
    ] == [""]


@pytest.mark.parametrize(
    ("ours", "places"),
    [
        (20, "llllllcccc" + 14 * "l"),
        (2, "llcccc"),
        (7, "llllllccccl"),
        (0, "cccc"),
    ],
)
def test_papers_of_corpora_are_among_the_first_ten(root: Path, ours: int, places: str) -> None:
    entries = "".join(f"@misc{{k{n}, title={{Title {n}}}}}\n" for n in range(ours))
    own = library(entries)
    shown = [Recommendation(entry.paper, 0.5, entry) for entry in own.entries]
    recommendations = joined(merger_of(root), own, shown, limit=50)
    assert "".join("c" if paper.corpus else "l" for paper in recommendations) == places
    keys = [paper.key for paper in recommendations if not paper.corpus]
    assert keys == [entry.key for entry in own.entries]


def test_a_paper_of_two_corpora_stands_there_once(root: Path) -> None:
    shutil.copytree(root / "shores", root / "again")
    recommendations = joined(merger_of(root), library())
    assert len(recommendations) == len(PAPERS)
    assert len(joined(merger_of(root, ["again"]), library())) == len(PAPERS)
    assert joined(merger_of(root, ["gone"]), library()) == ()


@pytest.mark.parametrize("typed", ["holm2005tide", "holm2005t", "holm-etal-2005"])
def test_a_key_that_is_being_typed_finds_its_paper(root: Path, typed: str) -> None:
    assert [
        recommendation.key for recommendation in joined(merger_of(root), library(), typed=typed)
    ] == ["holm2005tide"]


def test_a_key_that_holds_what_its_paper_does_not_is_found_by_its_beginning(
    tmp_path: Path,
) -> None:
    paper = Paper("w", "A guide to tides", authors=("World Health Organization",), year=2020)
    build_corpus(tmp_path / "shores", [*PAPERS, paper], TopicEncoder())
    for typed in ("who", "WHO20"):
        recommendations = joined(merger_of(tmp_path), library(), typed=typed)
        assert [recommendation.key for recommendation in recommendations] == ["who2020guide"]
    assert joined(merger_of(tmp_path), library(), typed="whom") == ()


def test_nobody_waits_for_a_cancelled_answer(root: Path) -> None:
    with pytest.raises(Cancelled):
        query = CorpusQuery(library(), ROOT, CONTEXT)
        merger_of(root).join(query, (), limit=5, cancelled=lambda: True)


def test_papers_of_the_library_are_completed_by_what_corpora_know(tmp_path: Path) -> None:
    gone = evolve(PAPERS[0], retracted=True)
    changed = evolve(PAPERS[1], abstract="High water and low water.")
    build_corpus(tmp_path / "shores", [gone, changed, *PAPERS[2:]], TopicEncoder())
    own = library(
        LIBRARY
        + "@article{north, title={Tide tables of the north}, author={Moor, Ann}, year=2001}\n"
        + "@article{south, title={Tide tables of the south}, author={Moor, Ann}, year=1999}\n"
        + "@article{gauge, title={A tide gauge}, author={Holm, Bo}, year=2005}\n"
    )
    merger = merger_of(tmp_path)
    papers = KnownWorks(merger.corpora).completed(own)
    assert papers == {
        1: evolve(own.entries[1].paper, retracted=True),
        2: evolve(own.entries[2].paper, abstract=changed.abstract),
    }
    entries = [
        recommendation
        for recommendation in joined(merger, own, typed="north tables")
        if recommendation.entry
    ]
    assert [(recommendation.key, recommendation.paper) for recommendation in entries] == [
        ("north", papers[1])
    ]
