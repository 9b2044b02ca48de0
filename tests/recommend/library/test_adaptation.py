"""What the ranking learns from the draft that is being written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context, Mention, parse
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library.adaptation import (
    FEWEST_OBSERVED,
    MOST_OBSERVED,
    NEGATIVES,
    PRIOR,
    REPEAT_COLUMNS,
    Observation,
    ObservedDrafts,
    draft_columns,
    fit_draft,
    fit_weights,
    marker_key,
    observations_for,
    sample_markers,
    with_likely_negatives,
)
from cite_lsp.recommend.library.citation_history import DraftHistory
from cite_lsp.recommend.library.features import FEATURES
from cite_lsp.recommend.library.recommender import Recommender


def weights_of(observations: list[Observation]) -> np.ndarray:
    return fit_draft(observations).weights


def observation(right: int, times: tuple[float, ...], logits: tuple[float, ...]) -> Observation:
    columns = len(FEATURES) + 1  # and whether the text names its key
    return featured(right, times, logits, np.zeros((len(times), columns), np.float32))


def featured(
    right: int, times: tuple[float, ...], logits: tuple[float, ...], matrix: np.ndarray
) -> Observation:
    marks = np.zeros(len(times), dtype=bool)
    marks[right] = True
    columns = draft_columns(matrix, np.array(times, np.float32))
    return Observation(np.array(logits, dtype=np.float32), columns, marks)


def objective(
    weights: np.ndarray, observations: list[Observation], priors: np.ndarray | float = PRIOR
) -> float:
    total = -float((priors * weights**2).sum())
    for observation in observations:
        mass = np.exp((observation.logits + observation.columns @ weights).astype(np.float64))
        total += float(np.log(mass[observation.right].sum() / mass.sum()))
    return total


def test_a_writer_who_cites_again_is_believed_to_do_so_again() -> None:
    again = [observation(0, (3, 0, 0), (0, 1, 1)) for _ in range(20)]
    anew = [observation(1, (3, 0, 0), (1, 0, 0)) for _ in range(20)]
    assert weights_of(again)[:REPEAT_COLUMNS].min() > 0.1
    assert weights_of(anew)[:REPEAT_COLUMNS].max() < -0.1


def wide(seed: int, scale: float = 1.0) -> list[Observation]:
    """Markers whose right paper mostly has the greatest of a feature that is on some scale."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(60):
        matrix = rng.normal(size=(12, 8)).astype(np.float32)
        right = int((matrix[:, 3] + 0.5 * rng.normal(size=12)).argmax())
        matrix[:, 3] *= scale
        seen.append(featured(right, (0,) * 12, tuple(rng.normal(size=12).tolist()), matrix))
    return seen


def test_a_feature_that_tells_more_in_this_draft_counts_for_more() -> None:
    weights = weights_of(wide(3))[REPEAT_COLUMNS:]
    assert weights.argmax() == 3 and weights[3] > 3 * np.abs(np.delete(weights, 3)).max()


def test_the_scale_of_a_feature_does_not_matter() -> None:
    plain, scaled = wide(3), wide(3, 5000.0)
    added = plain[0].columns @ weights_of(plain)
    assert scaled[0].columns @ weights_of(scaled) == pytest.approx(added, abs=1e-3)


def test_what_is_unknown_and_what_never_differs_adds_nothing() -> None:
    matrix = np.array([[np.nan, 2.0], [1.0, 2.0]], dtype=np.float32)
    columns = draft_columns(matrix, np.array([0.0, 1.0], np.float32))
    assert columns[:, REPEAT_COLUMNS:].tolist() == [[0, 2], [1, 2]]
    assert columns[:, :REPEAT_COLUMNS] == pytest.approx(np.array([[0, 0], [1, np.log(2)]]))
    marks = np.array([False, True])
    weights = weights_of([Observation(np.zeros(2, np.float32), columns, marks)] * 20)
    assert weights[REPEAT_COLUMNS + 1] == pytest.approx(0, abs=1e-9)
    assert weights[REPEAT_COLUMNS] > 0


def test_the_right_papers_and_the_likeliest_others_are_learned_from() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(size=300).astype(np.float32)
    right = np.zeros(300, dtype=bool)
    right[[int(logits.argmin()), int(logits.argmax())]] = True
    columns = np.arange(300, dtype=np.float32)[:, None]
    selected = with_likely_negatives(Observation(logits, columns, right))
    assert len(selected.logits) == NEGATIVES + 1 and selected.right.sum() == 2
    assert sorted(selected.logits)[1] > np.sort(logits)[-NEGATIVES - 1]
    rows = selected.columns[:, 0].astype(int)
    assert (logits[rows] == selected.logits).all() and (right[rows] == selected.right).all()
    few = Observation(logits[:NEGATIVES], columns[:NEGATIVES], right[:NEGATIVES])
    assert with_likely_negatives(few) is few


def test_a_fit_that_is_near_leads_to_the_same_weights_in_fewer_steps() -> None:
    seen = wide(7)
    near = fit_draft(seen)
    for left_out in (0, 17, 41):
        others = [*seen[:left_out], *seen[left_out + 1 :]]
        fit = fit_draft(others, near)
        assert fit.weights == pytest.approx(weights_of(others), abs=2e-4)
        assert np.abs(fit.weights - near.weights).max() > 1e-3
        assert fit.curvature is near.curvature
    assert fit_draft(seen[:6], fit_draft([])).weights == pytest.approx(weights_of(seen[:6]))


def test_the_weights_are_where_the_objective_is_highest() -> None:
    rng = np.random.default_rng(5)
    seen = [
        observation(
            int(rng.integers(6)),
            tuple(rng.integers(0, 4, 6).tolist()),
            tuple(rng.normal(size=6).tolist()),
        )
        for _ in range(30)
    ]
    result = fit_weights(seen).astype(np.float64)
    best = objective(result, seen)
    for step in (0.02, -0.02):
        for axis in np.eye(len(result))[:REPEAT_COLUMNS]:
            assert objective(result + step * axis, seen) < best


def test_weights_are_found_where_a_whole_step_leads_too_far() -> None:
    rng = np.random.default_rng(3)
    seen = []
    for _ in range(30):
        columns = (rng.normal(size=(6, 3)) ** 3).astype(np.float32)  # some stand out by far
        right = np.arange(6) == (columns[:, 0] + rng.normal(size=6)).argmax()
        logits = (6 * rng.normal(size=6)).astype(np.float32)
        seen.append(Observation(logits, columns, right))
    priors = np.full(3, 1e-3)
    result = fit_weights(seen, priors).astype(np.float64)
    best = objective(result, seen, priors)
    assert best > objective(0 * result, seen, priors)
    for step in (0.02, -0.02):
        for axis in np.eye(3):
            assert objective(result + step * axis, seen, priors) < best


def test_a_little_is_learned_slowly() -> None:
    seen = wide(3)
    assert 0 < weights_of(seen[:6])[REPEAT_COLUMNS + 3] < weights_of(seen)[REPEAT_COLUMNS + 3]


def test_too_few_markers_tell_nothing() -> None:
    few = [observation(0, (3, 0), (0, 1)) for _ in range(FEWEST_OBSERVED - 1)]
    assert not weights_of(few).any()
    assert weights_of([*few, few[0]]).any()
    assert not weights_of([]).any()
    undecided = [observation(0, (3,), (0,)) for _ in range(20)]  # nothing else to choose from
    assert not weights_of(undecided).any()


def test_logits_of_any_size_are_taken() -> None:
    far = [observation(0, (3, 0), (-900, 900)) for _ in range(10)]
    assert np.isfinite(weights_of(far)).all()


def test_only_markers_that_a_context_sees_tell_it_something() -> None:
    places = range(MOST_OBSERVED + 20)
    mentions = [Mention((f"k{place}",), f"text {place}", "", place, "") for place in places]
    observations = {marker_key(mention): observation(0, (1, 0), (0, 0)) for mention in mentions}
    above = Context(left="", right="", mentions=tuple(mentions[:7]), order=7)
    assert observations_for(above, observations) == [
        observations[marker_key(mention)] for mention in mentions[:7]
    ]
    everywhere = Context(left="", right="", mentions=tuple(mentions), order=MOST_OBSERVED + 20)
    assert observations_for(everywhere, observations)[-1] is observations[marker_key(mentions[-1])]
    assert len(observations_for(everywhere, observations)) == MOST_OBSERVED
    assert observations_for(everywhere, {}) == []


def test_the_sample_stays_as_the_draft_grows() -> None:
    lines = [
        rf"Finding number {place} is known \cite{{k{place}}}."
        for place in range(2 * MOST_OBSERVED + 20)
    ]
    short = parse("\n".join(lines[: 2 * MOST_OBSERVED]), "latex")
    long = parse(
        "\n".join(["A new beginning \\cite{new}. \\nocite{silent} \\cite{}", *lines]), "latex"
    )
    before, counted = sample_markers([short])
    after, counted_after = sample_markers([long])
    names = {name for name, _, _ in before}
    assert len(names) == MOST_OBSERVED and counted == 2 * MOST_OBSERVED
    assert counted_after == 2 * MOST_OBSERVED + 21
    assert len(names & {name for name, _, _ in after}) >= 0.9 * MOST_OBSERVED


def test_papers_that_the_draft_cites_rise_with_a_writer_who_cites_again(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    mention = Mention(("gulls",), "Gulls nest on cliffs", "", 0, "")
    context = Context(left="A finding", right=".", mentions=(mention,), order=1)
    plain = Recommender(embedded, Encoders(encoder)).rank(context)
    observations = {marker_key(mention): observation(0, (3, 0, 0), (0, 1, 1))}
    few = Recommender(embedded, Encoders(encoder), history=DraftHistory(observations)).rank(context)
    assert few.scores.tolist() == plain.scores.tolist()  # one marker is not believed
    mentions = tuple(
        Mention(("gulls",), f"Gulls nest on {cliff} cliffs", "", place, "")
        for place, cliff in enumerate("abcdefghijklmnopqrstuvwxyz")
    )
    context = Context(left="A finding", right=".", mentions=mentions, order=30)
    observations = {
        marker_key(mention): observation(0, (3, 0, 0), (0, 1, 1)) for mention in mentions
    }
    row = embedded.rows(["gulls"])[0]

    def score(recommender: Recommender) -> float:
        ranking = recommender.rank(context)
        assert ranking.scores.sum() == pytest.approx(1, abs=1e-4)
        return float(ranking.scores[ranking.rows.tolist().index(row)])

    adapted = Recommender(embedded, Encoders(encoder), history=DraftHistory(observations))
    assert score(adapted) > score(Recommender(embedded, Encoders(encoder)))


DRAFT = "\n".join(
    [
        r"\documentclass{article}\begin{document}",
        *(rf"In case {place} gulls nest on cliffs \cite{{gulls}}." for place in range(8)),
        r"\bibliography{papers}\end{document}",
    ]
)


def test_a_draft_is_observed_once_and_again_where_it_has_changed(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk / "draft.tex"
    path.write_text(DRAFT, encoding="utf-8")
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    observed_texts: list[str] = []
    observe = Recommender.observe

    def counted(self: Recommender, context: Context, cited: tuple[str, ...]) -> Observation:
        observed_texts.append(context.left)
        assert context.marker_cited == () and cited == ("gulls",)
        return observe(self, context, cited)

    monkeypatch.setattr(Recommender, "observe", counted)
    recommender.prepare(path)
    assert not observed_texts and not recommender.adapt(path, most=3) and len(observed_texts) == 3
    assert not recommender.adapt(path, most=3) and recommender.adapt(path, most=3)
    assert len(observed_texts) == len(set(observed_texts)) == 8
    assert recommender.adapt(path) and len(observed_texts) == 8
    path.write_text(DRAFT.replace("In case 7 gulls", "In case 7 all gulls"), encoding="utf-8")
    recommender.adapt(path)
    assert len(observed_texts) == 9 and "all gulls" in observed_texts[-1]
    path.write_text(DRAFT.replace("In case 0", r"First \cite{marsh}. In case 0"), encoding="utf-8")
    with pytest.raises(AssertionError):  # of marsh: the draft has grown by more than a tenth
        recommender.adapt(path)
    assert len(observed_texts) > 10


def test_queries_of_a_library_without_papers_teach_nothing(desk: Path) -> None:
    path, papers = desk / "draft.tex", desk / "papers.bib"
    path.write_text(DRAFT, encoding="utf-8")
    entries = papers.read_text(encoding="utf-8")
    papers.write_text("", encoding="utf-8")
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    recommender.prepare(path)
    recommender.adapt(path)
    assert recommender.recommend(recommender.draft(path), DRAFT.index("In case 7")) == ()
    papers.write_text(entries, encoding="utf-8")
    recommender.prepare(path)
    recommender.adapt(path)
    first, *_ = recommender.recommend(recommender.draft(path), DRAFT.index("In case 7"))
    fresh = DraftRecommender(DraftReader(FilesOnDisk().read))
    fresh.prepare(path)
    fresh.adapt(path)
    again, *_ = fresh.recommend(fresh.draft(path), DRAFT.index("In case 7"))
    assert first.key == again.key == "gulls"
    assert first.score == pytest.approx(again.score)


def test_a_cancelled_request_waits_no_longer(desk: Path) -> None:
    path = desk / "draft.tex"
    path.write_text(DRAFT, encoding="utf-8")
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    recommender.load_encoder()
    recommender.pool(recommender.draft(path).library)
    with pytest.raises(Cancelled):
        recommender.prepare(path, cancelled=lambda: True)
    with pytest.raises(Cancelled):
        recommender.adapt(path, cancelled=lambda: True)
    assert recommender.recommend(recommender.draft(path), DRAFT.index("gulls nest"))


def test_a_sentence_without_a_marker_is_queried_as_before(desk: Path) -> None:
    path = desk / "draft.tex"
    text = DRAFT.replace(r"\bibliography", "A bare finding. A marked one \\cite{}.\n\\bibliography")
    path.write_text(text, encoding="utf-8")
    adapted = DraftRecommender(DraftReader(FilesOnDisk().read))
    adapted.prepare(path)
    adapted.adapt(path)
    plain = DraftRecommender(DraftReader(FilesOnDisk().read))
    plain.prepare(path)

    def score(recommender: DraftRecommender, place: str) -> float:
        recommendations = recommender.recommend(
            recommender.draft(path), text.index(place) + len(place)
        )
        return next(
            recommendation.score
            for recommendation in recommendations
            if recommendation.key == "gulls"
        )

    assert score(adapted, "A bare") == score(plain, "A bare")
    assert score(adapted, "one \\cite{") > score(plain, "one \\cite{")
    completion = adapted.complete(adapted.draft(path), text.index("one \\cite{") + 10)
    assert completion is not None
    listed = {
        recommendation.key: recommendation.score for recommendation in completion.recommendations
    }
    assert listed["gulls"] == pytest.approx(score(adapted, "one \\cite{"))


def test_of_drafts_that_are_observed_the_last_ones_are_held() -> None:
    single = observation(0, (1.0, 0.0), (1.0, 0.0))
    observed, document = ObservedDrafts(), [parse("One \\cite{a}.", "latex")]
    key = (("a",), "One")
    for number in range(70):
        (place,) = observed.stale(Path(f"{number}.tex"), document, 1)
        observed.keep(Path(f"{number}.tex"), place, key, single)
    assert [len(observed.of(Path(f"{number}.tex"))) for number in (0, 5, 6, 69)] == [0, 0, 1, 1]
