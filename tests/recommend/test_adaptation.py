"""What the ranking learns from the draft that is being written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.model import Cancelled
from cite_lsp.library import DiskReader
from cite_lsp.manuscript import Context, Mention, parse
from cite_lsp.recommend.adaptation import (
    FEWEST,
    OBSERVED,
    PRIOR,
    Observation,
    again_columns,
    fit_weights,
    named,
    sample_markers,
    told_by,
)
from cite_lsp.recommend.draft_recommender import DraftRecommender
from cite_lsp.recommend.experience import Experience
from cite_lsp.recommend.pool import Pool
from cite_lsp.recommend.recommender import Recommender


def observation(right: int, times: tuple[float, ...], logits: tuple[float, ...]) -> Observation:
    marks = np.zeros(len(times), dtype=bool)
    marks[right] = True
    return Observation(
        np.array(logits, dtype=np.float32), again_columns(np.array(times, np.float32)), marks
    )


def objective(weights: np.ndarray, observations: list[Observation]) -> float:
    total = -PRIOR * float(weights @ weights)
    for one in observations:
        mass = np.exp((one.logits + one.columns @ weights).astype(np.float64))
        total += float(np.log(mass[one.right].sum() / mass.sum()))
    return total


def test_a_writer_who_cites_again_is_believed_to_do_so_again() -> None:
    again = [observation(0, (3, 0, 0), (0, 1, 1)) for _ in range(20)]
    anew = [observation(1, (3, 0, 0), (1, 0, 0)) for _ in range(20)]
    assert fit_weights(again).min() > 0.3
    assert fit_weights(anew).max() < -0.3


def test_the_weights_are_where_the_objective_is_highest() -> None:
    dice = np.random.default_rng(5)
    seen = [
        observation(
            int(dice.integers(6)),
            tuple(dice.integers(0, 4, 6).tolist()),
            tuple(dice.normal(size=6).tolist()),
        )
        for _ in range(30)
    ]
    found = fit_weights(seen).astype(np.float64)
    best = objective(found, seen)
    for step in (0.02, -0.02):
        for axis in np.eye(2):
            assert objective(found + step * axis, seen) < best


def test_too_few_markers_tell_nothing() -> None:
    few = [observation(0, (3, 0), (0, 1)) for _ in range(FEWEST - 1)]
    assert not fit_weights(few).any()
    assert fit_weights([*few, few[0]]).any()
    assert not fit_weights([]).any()
    undecided = [observation(0, (3,), (0,)) for _ in range(20)]  # nothing else to choose from
    assert not fit_weights(undecided).any()


def test_logits_of_any_size_are_taken() -> None:
    far = [observation(0, (3, 0), (-900, 900)) for _ in range(10)]
    assert np.isfinite(fit_weights(far)).all()


def test_only_markers_that_a_context_sees_tell_it_something() -> None:
    mentions = [Mention((f"k{place}",), f"text {place}", "", place, "") for place in range(60)]
    asked = {named(mention): observation(0, (1, 0), (0, 0)) for mention in mentions}
    above = Context(left="", right="", mentions=tuple(mentions[:7]), order=7)
    assert told_by(above, asked) == [asked[named(mention)] for mention in mentions[:7]]
    everywhere = Context(left="", right="", mentions=tuple(mentions), order=60)
    assert told_by(everywhere, asked)[-1] is asked[named(mentions[-1])]
    assert len(told_by(everywhere, asked)) == OBSERVED
    assert told_by(everywhere, {}) == []


def test_the_sample_stays_as_the_draft_grows() -> None:
    lines = [rf"Finding number {place} is known \cite{{k{place}}}." for place in range(90)]
    short = parse("\n".join(lines[:80]), "latex")
    long = parse(
        "\n".join(["A new beginning \\cite{new}. \\nocite{silent} \\cite{}", *lines]), "latex"
    )
    before, counted = sample_markers([short])
    after, counted_after = sample_markers([long])
    names = {name for name, _, _ in before}
    assert len(names) == OBSERVED and counted == 80 and counted_after == 91
    assert len(names & {name for name, _, _ in after}) >= OBSERVED - 10


def test_papers_that_the_draft_cites_rise_with_a_writer_who_cites_again(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    mention = Mention(("gulls",), "Gulls nest on cliffs", "", 0, "")
    context = Context(left="A finding", right=".", mentions=(mention,), order=1)
    plain = Recommender(embedded, encoder).rank(context)
    told = {named(mention): observation(0, (3, 0, 0), (0, 1, 1))}
    few = Recommender(embedded, encoder, observations=told).rank(context)
    assert few.scores.tolist() == plain.scores.tolist()  # one marker is not believed
    mentions = tuple(
        Mention(("gulls",), f"Gulls nest on {cliff} cliffs", "", place, "")
        for place, cliff in enumerate("abcdefghijklmnopqrstuvwxyz")
    )
    context = Context(left="A finding", right=".", mentions=mentions, order=30)
    told = {named(one): observation(0, (3, 0, 0), (0, 1, 1)) for one in mentions}
    row = embedded.rows(["gulls"])[0]

    def score(recommender: Recommender) -> float:
        ranking = recommender.rank(context)
        assert ranking.scores.sum() == pytest.approx(1, abs=1e-4)
        return float(ranking.scores[ranking.rows.tolist().index(row)])

    adapted = Recommender(embedded, encoder, observations=told)
    assert score(adapted) > score(Recommender(embedded, encoder))


DRAFT = "\n".join(
    [
        r"\documentclass{article}\begin{document}",
        *(rf"In case {place} gulls nest on cliffs \cite{{gulls}}." for place in range(8)),
        r"\bibliography{papers}\end{document}",
    ]
)


def test_a_draft_is_asked_once_and_again_where_it_has_changed(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk / "draft.tex"
    path.write_text(DRAFT, encoding="utf-8")
    recommender = DraftRecommender(read=DiskReader())
    asked: list[str] = []
    observe = Recommender.observe

    def counted(self: Recommender, context: Context, cited: tuple[str, ...]) -> Observation:
        asked.append(context.left)
        assert context.marker_cited == () and cited == ("gulls",)
        return observe(self, context, cited)

    monkeypatch.setattr(Recommender, "observe", counted)
    recommender.prepare(path)
    assert len(asked) == 8
    recommender.prepare(path)
    assert len(asked) == 8
    path.write_text(DRAFT.replace("In case 7 gulls", "In case 7 all gulls"), encoding="utf-8")
    recommender.prepare(path)
    assert len(asked) == 9 and "all gulls" in asked[-1]
    path.write_text(DRAFT.replace("In case 0", r"First \cite{marsh}. In case 0"), encoding="utf-8")
    with pytest.raises(AssertionError):  # of marsh: the draft has grown by more than a tenth
        recommender.prepare(path)
    assert len(asked) > 10


def test_what_was_asked_of_a_library_without_papers_is_not_believed(desk: Path) -> None:
    path, papers = desk / "draft.tex", desk / "papers.bib"
    path.write_text(DRAFT, encoding="utf-8")
    entries = papers.read_text(encoding="utf-8")
    papers.write_text("", encoding="utf-8")
    recommender = DraftRecommender(read=DiskReader())
    recommender.prepare(path)
    assert recommender.recommend(path, DRAFT.index("In case 7")) == ()
    papers.write_text(entries, encoding="utf-8")
    recommender.prepare(path)
    first, *_ = recommender.recommend(path, DRAFT.index("In case 7"))
    fresh = DraftRecommender(read=DiskReader())
    fresh.prepare(path)
    again, *_ = fresh.recommend(path, DRAFT.index("In case 7"))
    assert first.key == again.key == "gulls"
    assert first.score == pytest.approx(again.score)


def test_who_asks_no_longer_is_not_kept_waiting(desk: Path) -> None:
    path = desk / "draft.tex"
    path.write_text(DRAFT, encoding="utf-8")
    recommender = DraftRecommender(read=DiskReader())
    recommender.load_encoder()
    recommender.pool(recommender.draft(path).library)
    with pytest.raises(Cancelled):
        recommender.prepare(path, cancelled=lambda: True)
    assert recommender.recommend(path, DRAFT.index("gulls nest"))


def test_a_sentence_without_a_marker_is_asked_as_before(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk / "draft.tex"
    text = DRAFT.replace(r"\bibliography", "A bare finding. A marked one \\cite{}.\n\\bibliography")
    path.write_text(text, encoding="utf-8")
    adapted = DraftRecommender(read=DiskReader())
    adapted.prepare(path)
    monkeypatch.setattr(Experience, "observe", lambda *_: None)
    plain = DraftRecommender(read=DiskReader())
    plain.prepare(path)

    def score(recommender: DraftRecommender, place: str) -> float:
        found = recommender.recommend(path, text.index(place) + len(place))
        return next(one.score for one in found if one.key == "gulls")

    assert score(adapted, "A bare") == score(plain, "A bare")
    assert score(adapted, "one \\cite{") > score(plain, "one \\cite{")
    completion = adapted.complete(path, text.index("one \\cite{") + len("one \\cite{"))
    assert completion is not None
    offered = {one.key: one.score for one in completion.recommendations}
    assert offered["gulls"] == pytest.approx(score(adapted, "one \\cite{"))
