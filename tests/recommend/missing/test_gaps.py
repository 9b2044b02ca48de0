"""Sentences that lack a citation, with the papers for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.cancelling import Cancelled
from cite_lsp.manuscript import Context
from cite_lsp.manuscript.model import Mention
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.missing.confidence import SIGNS, shipped_confidence
from cite_lsp.recommend.missing.dismissed import Dismissals
from cite_lsp.recommend.missing.gaps import (
    CERTAIN,
    Gap,
    GapOptions,
    Level,
    co_cited,
    context_for,
    find_gaps,
    surest_first,
)

NEEDY = "In recent years, word vectors have been learned from large corpora (Li and Byron, 2013)"
DRAFT = rf"""\documentclass{{article}}
\begin{{document}}
\section{{Related work}}
Our own method comes first. {NEEDY}. Gulls nest on cliffs \cite{{gulls}}.
\begin{{figure}}\caption{{{NEEDY}.}}\end{{figure}}
\bibliography{{papers}}
\end{{document}}
"""


@pytest.fixture
def recommender(desk: Path) -> DraftRecommender:
    return DraftRecommender(DraftReader(FilesOnDisk().read))


def gaps(
    recommender: DraftRecommender, desk: Path, text: str = DRAFT, **options: object
) -> list[Gap]:
    path = desk / "draft.tex"
    path.write_text(text, encoding="utf-8")
    recommender.prepare(path)
    callbacks = {name: options.pop(name, None) for name in ("cancelled", "progress")}
    result = find_gaps(
        recommender,
        recommender.draft(path),
        options=GapOptions(**options),  # type: ignore[arg-type]
        **callbacks,  # type: ignore[arg-type]
    )
    return list(result)


def test_what_leans_on_others_is_found_and_nothing_else(
    recommender: DraftRecommender, desk: Path
) -> None:
    (gap,) = gaps(recommender, desk)
    assert gap.sentence.text == f"{NEEDY}."
    assert gap.recommendations[0].key == "vectors"
    assert gap.chosen == gap.recommendations[:1]
    assert gap.confidence == shipped_confidence()(gap.signs[0])


def test_where_a_sentence_names_a_work_no_other_is_offered(
    recommender: DraftRecommender, desk: Path
) -> None:
    for named in ("Reed and Fen, 2013", "Li and Byron, 2003"):
        text = DRAFT.replace("Li and Byron, 2013", named)
        assert gaps(recommender, desk, text, level=Level(0.15, 0.0)) == []
    text = DRAFT.replace("Li and Byron, 2013", "Byron, 2014")
    (gap,) = gaps(recommender, desk, text, level=Level(0.15, 0.0))
    assert gap.recommendations[0].key == "vectors"


@pytest.mark.parametrize(
    "sentence",
    [
        "Möwen brüten nach Vogel (1953) zweimal im Jahr",
        "Les goélands nichent selon Vogel (1953) deux fois par an",
        "Las gaviotas anidan dos veces al año (Vogel, 1953)",
        "We were there for a week in summer [Vogel, 1953]",
    ],
)
def test_a_work_of_the_library_that_is_named_is_certain_in_any_language(
    recommender: DraftRecommender, desk: Path, sentence: str
) -> None:
    text = DRAFT.replace(NEEDY, sentence)
    (gap,) = gaps(recommender, desk, text, level=Level(0.99, CERTAIN))
    assert [paper.key for paper in gap.chosen] == ["gulls"]
    again = "@article{again, title={Gulls}, author={Vogel, Nikolaas}, year={1953}}"
    with (desk / "papers.bib").open("a", encoding="utf-8") as file:
        file.write(again)
    (gap,) = gaps(recommender, desk, text, level=Level(0.99, 0.0))
    assert gap.confidence < CERTAIN  # it may be either of two


def test_each_work_that_words_cite_is_found_beside_citations_too(
    recommender: DraftRecommender, desk: Path
) -> None:
    both = "Parsers have become fast (Smith, 2014), and gulls nest (Vogel, 1953)"
    text = DRAFT.replace(NEEDY, both)
    (gap,) = gaps(recommender, desk, text, level=Level(0.99, CERTAIN))
    assert gap.in_words and [paper.key for paper in gap.chosen] == ["parsing", "gulls"]
    for cited, lacking in (("parsing", "gulls"), ("gulls", "parsing")):
        text = DRAFT.replace(NEEDY, f"{both} \\cite{{{cited}}}")
        (gap,) = gaps(recommender, desk, text, level=Level(0.99, CERTAIN))
        assert gap.in_words and [paper.key for paper in gap.recommendations] == [lacking]
    text = DRAFT.replace(NEEDY, f"{both} \\cite{{parsing,gulls}}")
    assert gaps(recommender, desk, text, level=Level(0.99, CERTAIN)) == []


def test_few_words_that_cite_are_found_but_not_where_no_citation_is_wanted(
    recommender: DraftRecommender, desk: Path
) -> None:
    text = DRAFT.replace(NEEDY, "Parsers help (Smith, 2014)")
    (gap,) = gaps(recommender, desk, text, level=Level(0.99, CERTAIN))
    assert [paper.key for paper in gap.chosen] == ["parsing"]
    text = DRAFT.replace(f"caption{{{NEEDY}.}}", "caption{Parsers help (Smith, 2014).}")
    assert gaps(recommender, desk, text, level=Level(0.99, CERTAIN)) == []


def test_another_version_of_a_cited_work_is_not_what_words_cite(
    recommender: DraftRecommender, desk: Path
) -> None:
    again = "@article{again, title={Gulls}, author={Vogel, Nikolaas}, year={1954}}"
    with (desk / "papers.bib").open("a", encoding="utf-8") as file:
        file.write(again)
    text = DRAFT.replace(NEEDY, "So it was found there (Vogel, 1953), as one reads \\cite{again}")
    assert gaps(recommender, desk, text, level=Level(0.99, CERTAIN)) == []


def test_the_level_decides(recommender: DraftRecommender, desk: Path) -> None:
    assert gaps(recommender, desk, level=Level(1.0, 0.0)) == []
    assert gaps(recommender, desk, level=Level(0.0, 1.0)) == []
    assert len(gaps(recommender, desk, level=Level(0.0, 0.0))) == 2


def test_of_the_papers_found_the_surest_comes_first(
    recommender: DraftRecommender, desk: Path
) -> None:
    text = DRAFT.replace(" (Li and Byron, 2013)", "")
    _, gap = gaps(recommender, desk, text, level=Level(0.0, 0.0))
    assert len(gap.signs) == len(gap.recommendations) > 1
    score, level = SIGNS.index("score"), Level(0.0, -99.0)
    _, least = gaps(recommender, desk, text, level=level, sureness=lambda it: -it[score])
    assert least.recommendations[-1].key == "vectors"
    draft = recommender.draft(desk / "draft.tex")
    context = context_for(draft, gap.sentence)
    mixed = least.recommendations
    assert surest_first(recommender, draft, context, mixed) == gap.recommendations


def test_a_retracted_paper_is_no_citation_that_is_missing(
    recommender: DraftRecommender, desk: Path
) -> None:
    papers = desk / "papers.bib"
    text = papers.read_text(encoding="utf-8")
    key = text.index("{vectors,") + len("{vectors,")
    papers.write_text(f"{text[:key]} pubstate = {{retracted}},{text[key:]}", encoding="utf-8")
    result = gaps(recommender, desk, level=Level(0.0, 0.0))
    assert result and "vectors" not in {
        recommendation.key for gap in result for recommendation in gap.recommendations
    }


def test_equally_sure_papers_stay_as_found_those_of_the_library_first(
    recommender: DraftRecommender, desk: Path
) -> None:
    (gap,) = gaps(recommender, desk, level=Level(0.15, 0.0), sureness=lambda signs: 0.5)
    draft = recommender.draft(desk / "draft.tex")
    recommendations = recommender.recommend_for(
        draft, context_for(draft, gap.sentence), limit=5, adapted=False
    )
    assert [recommendation.key for recommendation in gap.recommendations] == [
        recommendation.key for recommendation in recommendations
    ]


@pytest.mark.parametrize(
    "comment", ["% cite-lsp: off", "% cite-lsp: off-next-line missing-citation"]
)
def test_a_comment_silences(recommender: DraftRecommender, desk: Path, comment: str) -> None:
    silenced = DRAFT.replace("work}\n", f"work}}\n{comment}\n")
    assert gaps(recommender, desk, silenced) == []


def test_a_region_that_is_silenced_ends(recommender: DraftRecommender, desk: Path) -> None:
    silenced = DRAFT.replace("work}\n", "work}\n% cite-lsp: off\n% cite-lsp: on\n")
    assert len(gaps(recommender, desk, silenced)) == 1


def test_an_empty_marker_waits_for_its_papers(recommender: DraftRecommender, desk: Path) -> None:
    text = DRAFT.replace("method comes first.", r"method for word vectors comes first \cite{}.")
    first, _ = gaps(recommender, desk, text)
    assert first.marker is not None and first.worthiness == 1.0


def test_so_does_each_that_stands_beside_other_citations_in_a_sentence(
    recommender: DraftRecommender, desk: Path
) -> None:
    nests = r"Gulls nest \cite{gulls} while word vectors from large corpora \cite{TODO} and"
    text = DRAFT.replace(r"Gulls nest on cliffs \cite{gulls}", rf"{nests} fast parsing win [?]")
    _, vectors, parsing = gaps(recommender, desk, text, level=Level(0.15, 0.0))
    assert vectors.sentence == parsing.sentence
    assert [
        text[gap.marker.start : gap.marker.end] for gap in (vectors, parsing) if gap.marker
    ] == [
        r"\cite{TODO}",
        "[?]",
    ]
    assert vectors.recommendations[0].key == "vectors"
    assert "vectors" not in [recommendation.key for recommendation in parsing.recommendations]
    assert "gulls" not in [recommendation.key for recommendation in vectors.recommendations]


@pytest.mark.parametrize("waiting", [r"\cite{}", r"\cite{TODO}", "[?]"])
def test_one_in_a_footnote_waits_there_and_not_in_the_sentence_around_it_too(
    recommender: DraftRecommender, desk: Path, waiting: str
) -> None:
    note = rf"\footnote{{Word vectors come from large corpora {waiting}.}}"
    text = DRAFT.replace(f"{NEEDY}.", f"{NEEDY}.{note}", 1)
    result = gaps(recommender, desk, text, level=Level(0.1, 0.0))
    (own,) = [gap for gap in result if gap.marker]
    assert own.sentence.text.startswith("Word vectors")
    (around,) = [gap for gap in result if gap.sentence.text.startswith(NEEDY)]
    assert around.marker is None


def test_a_note_that_names_a_paper_waits_for_that_one(
    recommender: DraftRecommender, desk: Path
) -> None:
    text = DRAFT.replace(f"{NEEDY}.", f"{NEEDY} [cite Vogel 1953].", 1)
    (gap,) = gaps(recommender, desk, text, level=Level(0.1, 0.0))
    assert [recommendation.key for recommendation in gap.recommendations] == ["gulls"]


def test_a_macro_is_a_key_and_so_is_one_that_the_library_has(
    recommender: DraftRecommender, desk: Path
) -> None:
    assert gaps(recommender, desk, DRAFT.replace(f"{NEEDY}.", rf"{NEEDY} \cite{{\ours}}.", 1)) == []
    papers = desk / "papers.bib"
    papers.write_text(papers.read_text(encoding="utf-8") + "@misc{todo, title = {To Do}}\n")
    assert gaps(recommender, desk, DRAFT.replace(f"{NEEDY}.", rf"{NEEDY} \cite{{todo}}.", 1)) == []


def test_what_was_dismissed_is_passed_over(recommender: DraftRecommender, desk: Path) -> None:
    dismissed = Dismissals(desk)
    dismissed.dismiss(f"{NEEDY}.", "vectors")
    result = gaps(recommender, desk, dismissed=dismissed, level=Level(0.15, 0.0))
    assert "vectors" not in [
        recommendation.key for gap in result for recommendation in gap.recommendations
    ]


def test_papers_that_the_draft_cites_together_are_offered_together(
    recommender: DraftRecommender, desk: Path
) -> None:
    company = " ".join(
        f"Word vectors from large corpora are useful{word} \\cite{{vectors,parsing}}."
        for word in ("", " today", " in practice", " in parsing")
    )
    text = DRAFT.replace("Gulls nest", rf"{company} Gulls nest")
    (gap,) = gaps(recommender, desk, text)
    assert {recommendation.key for recommendation in gap.chosen} == {"vectors", "parsing"}


@pytest.mark.parametrize(
    ("scores", "size"), [((0.5, 0.5), 3), ((0.49, 0.9), 0), ((0.9, 0.49), 2), ((1.0,) * 9, 3)]
)
def test_a_set_grows_by_what_is_likely_enough_up_to_three_papers(
    recommender: DraftRecommender,
    desk: Path,
    monkeypatch: pytest.MonkeyPatch,
    scores: tuple[float, ...],
    size: int,
) -> None:
    gaps(recommender, desk)
    draft = recommender.draft(desk / "draft.tex")
    result = [Recommendation(entry.paper, 1.0, entry) for entry in draft.library.entries]
    together = Mention(tuple(gap.key for gap in result), "", "", 0, "")
    (place,) = gaps(recommender, desk)
    context = evolve(context_for(draft, place.sentence), mentions=(together,), marker_cited=())

    def next_one(draft: Draft, context: Context, **options: object) -> list[Recommendation]:
        chosen = len(context.marker_cited)
        return [evolve(result[chosen], score=scores[chosen - 1])]

    monkeypatch.setattr(recommender, "recommend_for", next_one)
    assert len(result) > 3
    assert co_cited(recommender, draft, context, result) == tuple(result[:size])


def test_a_paper_alone_is_no_set(recommender: DraftRecommender, desk: Path) -> None:
    (gap,) = gaps(recommender, desk)
    draft = recommender.draft(desk / "draft.tex")
    context = evolve(context_for(draft, gap.sentence), mentions=())
    assert co_cited(recommender, draft, context, gap.recommendations) == ()


def test_progress_is_reported_and_a_search_can_be_stopped(
    recommender: DraftRecommender, desk: Path
) -> None:
    steps: list[tuple[int, int]] = []
    gaps(recommender, desk, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(0, 1), (1, 1)]
    with pytest.raises(Cancelled):
        gaps(recommender, desk, cancelled=lambda: True)
