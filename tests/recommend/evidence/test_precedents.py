"""What others cited before, against a slow and obvious computation of the same."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve, fields

from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument, papers_in
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence, Precedents, damped
from cite_lsp.search.words.word_index import WordIndex
from cite_lsp.storage.array_folder import places_in
from cite_lsp.storage.compressed_files import zstd
from tests.recommend.shores import TOPICS, TopicEncoder

COLUMNS = tuple(field.name for field in fields(PrecedentEvidence))
FROM_WORDS = ("alike_words", "alike_words_sum")


def made_up(seed: int, documents: int = 12) -> tuple[list[CitingDocument], list[CitingContext]]:
    """Return documents that cite papers 100 to 119, and some of the contexts they cite them in."""
    rng = random.Random(seed)
    citing, contexts = [], []
    for number in range(documents):
        cited = tuple(rng.sample(range(100, 120), rng.randint(1, 8)))
        year = rng.choice([0, 2001, 2003, 2004, 2006, 2008])
        citing.append(CitingDocument(1000 + number, year, cited))
        for _ in range(rng.randint(0, 4)):
            text = " ".join(rng.choices((*TOPICS, "salt", "fog", "moor"), k=6))
            some = tuple(rng.sample(cited, rng.randint(1, min(3, len(cited)))))
            contexts.append(CitingContext(number, text, some))
    return citing, contexts


QUESTION = "a tide over the marsh and the tide in the fog"
CITED = (103, 107, 111, 103)


def vector_of(text: str) -> np.ndarray:
    return np.asarray(TopicEncoder().encode([text])[0])


def built(
    documents: Sequence[CitingDocument],
    contexts: Sequence[CitingContext],
    placed: np.ndarray | None = None,
) -> Precedents:
    """Return precedents whose contexts lie where they are put, or where their words put them."""
    own = TopicEncoder().encode([str(context.near) for context in contexts])
    placed = own if placed is None else placed
    return Precedents.build(documents, contexts, placed, checkpoint="topics-1")


def places_of(count: int, seed: int = 5) -> np.ndarray:
    """Return where a query encoder might put so many contexts: unit vectors of no meaning."""
    vectors = np.random.default_rng(seed).normal(size=(count, len(TOPICS))).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


PLACED = places_of(1, seed=6)[0]


def brute_force(
    documents: Sequence[CitingDocument],
    contexts: Sequence[CitingContext],
    *,
    cited: Sequence[int] = (),
    subject: Sequence[float] = (),
    without: int = -1,
) -> dict[int, dict[str, float]]:
    """Compute the columns of every paper by loops over all that was seen."""
    index = WordIndex.build(context.near for context in contexts)
    word_scores = index.scores(QUESTION)
    places = places_of(len(contexts))
    groups = (*(document.cited for document in documents), *(context.cited for context in contexts))
    seen = {key for cited in groups for key in cited}
    others = [(n, document) for n, document in enumerate(documents) if n != without]
    result = {}
    for key in sorted(seen):
        mine = [
            place
            for place, context in enumerate(contexts)
            if key in context.cited and context.document != without
        ]
        cosines = [float(places[place] @ PLACED) for place in mine]
        mean = np.sum(places[mine], axis=0) if mine else np.zeros(len(TOPICS))
        having = [(n, other) for n, other in others if key in other.cited]
        beside = [
            (
                sum(
                    1 / math.log(2 + len(other.cited))
                    for _, other in others
                    if paper in other.cited and key in other.cited
                ),
                sum(paper in other.cited for _, other in others),
            )
            for paper in dict.fromkeys(cited)
            if paper != key
        ]
        near = [subject[n] for n, _ in having if subject and subject[n] > 0.3]
        result[key] = {
            "profile": float(mean @ PLACED / np.linalg.norm(mean)) if mine else 0.0,
            "alike": max((max(cosine, 0.0) for cosine in cosines), default=0.0),
            "alike_sum": sum(math.exp((cosine - 1) / 0.1) for cosine in cosines),
            "alike_words": max((float(word_scores[place]) for place in mine), default=0.0),
            "alike_words_sum": sum(float(word_scores[place]) for place in mine),
            "contexts": len(mine),
            "citations": len(having),
            "together": sum(total for total, _ in beside),
            "together_nearest": max(
                (total / math.sqrt(times) for total, times in beside if times), default=0.0
            ),
            "subject": sum(cosine**2 for cosine in near),
            "subject_nearest": max(near, default=0.0),
        }
    return result


def assert_says(
    evidence: PrecedentEvidence, expected: dict[int, dict[str, float]], papers: list[int]
) -> None:
    for name in COLUMNS:
        column = getattr(evidence, name)
        assert column.dtype == np.float32 and column.shape == (len(papers),)
        # A coordinate is kept to 1/127, which an exponential makes more of.
        close = 0.15 if name == "alike_sum" else 5e-3
        np.testing.assert_allclose(
            column, [expected[key][name] for key in papers], rtol=close, atol=1e-2, err_msg=name
        )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("without", [-1, 0, 5, 11])
def test_every_column_is_what_a_loop_over_all_that_was_seen_finds(seed: int, without: int) -> None:
    documents, contexts = made_up(seed)
    placed = places_of(len(contexts))
    precedents = built(documents, contexts, placed)
    papers = [int(key) for key in precedents.papers]
    rng = random.Random(seed)
    subject = [round(rng.random(), 3) for _ in documents]
    evidence = precedents.evidence(
        PLACED,
        QUESTION,
        cited=[papers.index(key) for key in CITED if key in papers],
        subject=np.array(subject, dtype=np.float32),
        without=without,
    )
    expected = brute_force(documents, contexts, cited=CITED, subject=subject, without=without)
    assert_says(evidence, expected, papers)


@pytest.mark.parametrize("without", [-1, 0, 5])
def test_a_paper_lies_where_the_contexts_lie_that_cite_it(without: int) -> None:
    documents, contexts = made_up(2)
    placed = places_of(len(contexts))
    precedents = built(documents, contexts, placed)
    numbers = np.array([-1, *range(len(precedents)), -1])
    means = precedents.means(numbers, without)
    assert means.shape == (len(numbers), len(TOPICS))
    for number, mean in zip(numbers.tolist(), means, strict=True):
        mine = [
            placed[place]
            for place, context in enumerate(contexts)
            if number >= 0
            and int(precedents.papers[number]) in context.cited
            and context.document != without
        ]
        expected = np.mean(mine, axis=0) if mine else np.zeros(len(TOPICS))
        np.testing.assert_allclose(mean, expected, atol=1e-2)


@pytest.mark.parametrize("seed", range(4))
def test_to_leave_a_document_out_is_never_to_have_seen_it(seed: int) -> None:
    documents, contexts = made_up(seed)
    whole = built(documents, contexts)
    subject = np.linspace(0, 1, len(documents), dtype=np.float32)
    for without in range(len(documents)):
        rest = [document for number, document in enumerate(documents) if number != without]
        renumbered = [
            evolve(context, document=context.document - (context.document > without))
            for context in contexts
            if context.document != without
        ]
        fewer = built(rest, renumbered)
        questions = [
            (whole, subject, {"without": without}),
            (fewer, np.delete(subject, without), {}),
        ]
        left_out, never_seen = (
            precedents.evidence(
                vector_of(QUESTION),
                QUESTION,
                cited=[int(place) for place in places_in(precedents.papers, cited) if place >= 0],
                subject=cosines,
                **more,
            )
            for cited in [np.array(CITED, dtype=np.uint64)]
            for precedents, cosines, more in questions
        )
        places = places_in(fewer.papers, whole.papers)
        # BM25 weighs words by all contexts: those columns have the loop above for a check.
        for name in set(COLUMNS) - set(FROM_WORDS):
            expected = np.where(places >= 0, getattr(never_seen, name)[places], 0.0)
            np.testing.assert_allclose(
                getattr(left_out, name), expected, rtol=5e-3, atol=1e-2, err_msg=name
            )


def test_leaving_a_document_out_changes_nothing_for_the_next_question() -> None:
    precedents = built(*made_up(1))

    def ask(without: int) -> PrecedentEvidence:
        return precedents.evidence(
            vector_of(QUESTION),
            QUESTION,
            cited=[0, 1],
            subject=np.full(12, 0.5, dtype=np.float32),
            without=without,
        )

    before = ask(-1)
    ask(3)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(ask(-1), name), getattr(before, name))


def test_what_the_section_cites_is_not_cited_beside_itself() -> None:
    precedents = built([CitingDocument(1, 2001, (7, 8))], [])
    evidence = precedents.evidence(vector_of(QUESTION), QUESTION, cited=[0])
    assert evidence.together.tolist() == pytest.approx([0, 1 / math.log(4)])


@pytest.mark.parametrize("contexts", [[], [CitingContext(0, "", ())]], ids=["none", "bare"])
def test_documents_without_a_usable_context_still_testify(contexts: list[CitingContext]) -> None:
    documents = [CitingDocument(1, 2001, (7, 8)), CitingDocument(2, 2002, (8,))]
    precedents = built(documents, contexts)
    evidence = precedents.evidence(vector_of(QUESTION), QUESTION, without=1)
    assert evidence.citations.tolist() == [1, 1]
    assert evidence.alike.tolist() == evidence.profile.tolist() == [0, 0]


def test_nothing_seen_is_nothing_said(tmp_path: Path) -> None:
    built([], []).save(tmp_path / "none.safetensors")
    precedents = Precedents.open(tmp_path / "none.safetensors")
    evidence = precedents.evidence(vector_of(QUESTION), QUESTION)
    assert (len(precedents), precedents.contexts) == (0, 0)
    assert all(getattr(evidence, name).shape == (0,) for name in COLUMNS)


def test_more_documents_than_are_compared_leave_the_nearest() -> None:
    documents = [CitingDocument(number, 2001, (number % 3,)) for number in range(300)]
    precedents = built(documents, [])
    subject = np.linspace(1, 0.4, 300, dtype=np.float32)
    evidence = precedents.evidence(vector_of(QUESTION), QUESTION, subject=subject)
    expected = [float((subject[:100][paper::3] ** 2).sum()) for paper in range(3)]
    assert evidence.subject.tolist() == pytest.approx(expected, rel=1e-4)
    assert evidence.subject_nearest.tolist() == pytest.approx(subject[:3].tolist())


def test_papers_and_documents_are_found_by_their_keys() -> None:
    precedents = built([CitingDocument(1, 0, (30, 10, 20))], [])
    assert precedents.papers.tolist() == [10, 20, 30]
    wanted = np.array([20, 5, 99, 10, 25], dtype=np.uint64)
    assert places_in(precedents.papers, wanted).tolist() == [1, -1, -1, 0, -1]
    none = np.zeros(0, dtype=np.uint64)
    assert places_in(none, wanted).tolist() == [-1] * 5
    assert places_in(precedents.papers, none).tolist() == []


def test_saved_precedents_say_the_same(tmp_path: Path) -> None:
    before = built(*made_up(2))
    before.save(tmp_path / "p.safetensors")
    opened = Precedents.open(tmp_path / "p.safetensors")
    assert opened.checkpoint == "topics-1"
    assert opened.years.tolist() == before.years.tolist()
    assert opened.documents.tolist() == [1000 + number for number in range(12)]
    saved, read = (
        part.evidence(vector_of(QUESTION), QUESTION, cited=[2]) for part in (before, opened)
    )
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(saved, name), getattr(read, name))


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "of another kind", "no checkpoint"])
def test_precedents_that_cannot_be_read_are_an_error_of_one_line(
    tmp_path: Path, damage: str
) -> None:
    from safetensors.numpy import save

    path = tmp_path / "p.safetensors.zst"
    precedents = built(*made_up(2))
    precedents.save(path)
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "of another kind":
        other = save({"weights": np.zeros(3)}, metadata={"checkpoint": "topics-1"})
        path.write_bytes(zstd.compress(other))
    else:
        arrays = {name: np.ascontiguousarray(a) for name, a in precedents.arrays.items()}
        path.write_bytes(zstd.compress(save(arrays)))
    with pytest.raises(RankerError, match="reinstall cite-lsp") as caught:
        Precedents.open(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_the_papers_of_a_file_are_read_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors.zst"
    precedents = built(*made_up(2))
    precedents.save(path)
    assert papers_in(path).tolist() == precedents.papers.tolist()
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(RankerError, match="reinstall cite-lsp"):
        papers_in(path)


def test_what_is_cited_everywhere_proves_less() -> None:
    figures, citations = np.array([4.0, 4.0], np.float32), np.array([11.0, 95.0], np.float32)
    assert damped(figures, citations).tolist() == pytest.approx([1.0, 0.4])


def test_further_documents_say_the_same_as_if_they_had_been_there_before() -> None:
    documents, contexts = made_up(5)
    first = built(documents[:7], [c for c in contexts if c.document < 7])
    rest = [*documents[5:], CitingDocument(2000, 2004, (90, 119, 200))]
    extended = first.extended(
        np.array([document.key for document in rest], dtype=np.uint64),
        np.array([document.year for document in rest], dtype=np.int32),
        np.cumsum([0, *(len(document.cited) for document in rest)]),
        np.array([key for document in rest for key in document.cited], dtype=np.uint64),
    )
    whole = built([*documents, rest[-1]], [c for c in contexts if c.document < 7])
    assert extended.papers.tolist() == whole.papers.tolist()
    cited = [int(place) for place in places_in(whole.papers, np.array([103, 119], np.uint64))]
    for question in ({}, {"cited": cited}, {"without": 2}):
        mine, theirs = (
            precedents.evidence(vector_of(QUESTION), QUESTION, **question)
            for precedents in (extended, whole)
        )
        for name in COLUMNS:
            np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), atol=1e-5)


@pytest.mark.parametrize("seed", [1, 5])
def test_some_of_the_papers_alone_have_the_same_evidence(seed: int) -> None:
    documents, contexts = made_up(seed)
    more = [CitingContext(3, "fog and salt over the marsh", documents[3].cited[:1])]
    precedents = built(documents, contexts).with_contexts(more, vector_of("fog")[None])
    some = np.array([0, 2, 3, 7, 11])
    for cited, without in (((), -1), ((2, 7), -1), ((0, 3), 5)):
        here = {"cited": np.searchsorted(some, cited).tolist(), "without": without}
        mine = precedents.only(some).evidence(vector_of(QUESTION), QUESTION, **here)
        theirs = precedents.evidence(
            vector_of(QUESTION), QUESTION, cited=list(cited), without=without
        )
        for name in COLUMNS:
            np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name)[some], atol=1e-5)
    assert precedents.only(some).contexts < precedents.contexts
    assert (precedents.only(some).papers == precedents.papers[some]).all()
