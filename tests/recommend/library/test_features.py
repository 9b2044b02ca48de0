"""The evidence: one row a paper, one column a feature."""

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context, Mention
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.similarity import similarity_to_cited
from cite_lsp.recommend.library import features
from cite_lsp.recommend.library.draft_features import NEW_MENTIONS, encode_mentions
from cite_lsp.recommend.library.features import FEATURES, gather_evidence, pool_features
from cite_lsp.recommend.library.file_features import FILE_FEATURES
from cite_lsp.recommend.library.text_features import DENSE_FEATURES, PLACED_FEATURES
from cite_lsp.recommend.query.latin_names import NAME_FEATURES

OF_OTHERS = {*NAME_FEATURES, *FILE_FEATURES}
"""Features that are not known where nothing is named, or nothing else is cited."""
ASKS_FOR_TRANSFORMER = Context(
    left="Models that only attend, without any recurrence, translate better", right="."
)


def test_every_paper_gets_every_feature(embedded: Pool, encoder: CachedEncoder) -> None:
    evidence = gather_evidence(
        pool_features(ASKS_FOR_TRANSFORMER, embedded, Encoders(encoder, encoder)), embedded
    )
    assert evidence.matrix.shape == (len(embedded), len(FEATURES))
    for name in FEATURES:
        assert np.isfinite(evidence.column(name)).all() or name in OF_OTHERS, name


def test_without_a_query_encoder_what_it_would_say_is_missing(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    evidence = gather_evidence(
        pool_features(ASKS_FOR_TRANSFORMER, embedded, Encoders(encoder)), embedded
    )
    for name in (*PLACED_FEATURES, "placed_alike", "placed_votes"):
        assert np.isnan(evidence.column(name)).all(), name
    result = gather_evidence(
        pool_features(ASKS_FOR_TRANSFORMER, embedded, Encoders(encoder, encoder)), embedded
    )
    assert result.column("placed_gap").max() == 0


def test_papers_are_compared_with_those_of_the_marker_the_section_and_two_markers_around(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    assert embedded.full_vectors is not None
    mention = Mention(("gulls",), "Gulls nest on cliffs", ".", 10, "1")
    context = Context(left="Where birds breed", right=".", mentions=(mention,), order=12)
    expected, mean = similarity_to_cited(embedded.full_vectors, embedded.rows(["gulls"]))
    assert expected.any()
    for name, changed_context, values in (
        ("neighbour_nearest", context, expected),
        ("neighbour_nearest", evolve(context, order=8), expected),
        ("neighbour_nearest", evolve(context, order=13), np.zeros(len(embedded))),
        ("section_nearest", evolve(context, section_cited=("gulls",)), expected),
        ("section_mean", evolve(context, section_cited=("gulls",)), mean),
        ("companion_nearest", evolve(context, marker_cited=("gulls",)), expected),
        ("companion_nearest", context, np.zeros(len(embedded))),
    ):
        evidence = gather_evidence(
            pool_features(changed_context, embedded, Encoders(encoder)), embedded
        )
        assert evidence.column(name) == pytest.approx(values), name


def test_every_paper_has_the_features_of_the_draft(pool: Pool) -> None:
    mentions = tuple(
        Mention((key,), f"Place {order} of the text", ".", order, "1")
        for order, key in enumerate(("gulls", "marsh", "gulls"))
    )
    context = Context(left="Birds", right=".", mentions=mentions, order=3, section_cited=("gulls",))
    evidence = gather_evidence(pool_features(context, pool), pool)
    for name, value in (
        ("markers", np.log(4)),
        ("recited_share", 1 / 2),
        ("papers", np.log(1 + len(pool))),
        ("uncited_share", 1 - 2 / len(pool)),
        ("section_papers", np.log(2)),
        ("chinese", 0.0),
    ):
        assert evidence.column(name) == pytest.approx(value), name


def test_a_chinese_context_asks_in_english(embedded: Pool, encoder: CachedEncoder) -> None:
    context = Context(left="潮汐沼泽的沉积物", right="。")
    evidence = gather_evidence(
        pool_features(context, embedded, Encoders(encoder, encoder)), embedded
    )
    for name in ("translated_title", "placed_title", "placed_full"):
        assert embedded.names[int(evidence.column(name).argmax())] == "marsh", name


def test_without_an_encoder_the_dense_features_are_missing_and_the_others_there(pool: Pool) -> None:
    evidence = gather_evidence(pool_features(ASKS_FOR_TRANSFORMER, pool), pool)
    needs_encoder = {*DENSE_FEATURES, *PLACED_FEATURES}
    needs_encoder |= {"alike_meaning", "placed_alike", "placed_votes"}
    for name in set(FEATURES) - OF_OTHERS:
        assert np.isnan(evidence.column(name)).all() == (name in needs_encoder), name


def test_markers_that_could_not_be_read_in_time_count_once_they_are(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    mentions = tuple(
        Mention(("marsh",), f"Salt marsh number {order} keeps its sediment", ".", order, "1")
        for order in range(NEW_MENTIONS)
    )
    far = Mention(("gulls",), "Gulls nest on the cliffs above the sea", ".", NEW_MENTIONS, "1")
    context = Context(left="Where birds breed", right=".", mentions=(*mentions, far), order=99)
    gulls = embedded.names.index("gulls")
    hurried = pool_features(context, embedded, Encoders(encoder, encoder))
    assert hurried.habits.alike_meaning[gulls] == 0
    assert pool_features(context, embedded, Encoders(encoder, encoder)) is hurried
    encode_mentions(context.mentions, "", Encoders(encoder, encoder))
    pooled = pool_features(context, embedded, Encoders(encoder, encoder))
    assert pooled.habits.alike_meaning[gulls] > 0
    assert pool_features(context, embedded, Encoders(encoder, encoder)) is pooled


def test_a_word_that_the_draft_says_at_every_marker_tells_little_of_one(pool: Pool) -> None:
    def words(said: str) -> dict[str, float]:
        mentions = tuple(Mention((f"k{n}",), said, ".", n, "0:0") for n in range(5))
        evidence = gather_evidence(
            pool_features(evolve(ASKS_FOR_TRANSFORMER, mentions=mentions), pool), pool
        )
        names = ("sentence_words", "near_words", "near_title_words", "wide_words", "close_words")
        return {name: float(evidence.column(name).max()) for name in names}

    fresh = words("of something else")
    overused = words("models that attend without recurrence translate")
    for name, value in overused.items():
        assert value < fresh[name] or not fresh[name], name
    assert fresh["near_words"] > 0


def test_a_title_with_the_short_form_of_a_name_is_found() -> None:
    pool = Pool([Paper(id="a", title="Halos in A800 and A1550"), Paper(id="b", title="A2163")])
    evidence = gather_evidence(
        pool_features(Context(left="the halo of Abell 1550", right=""), pool), pool
    )
    for name in ("near_words", "sentence_words", "close_words"):
        first, second = evidence.column(name)
        assert first > second == 0, name


def test_features_of_chosen_rows_are_those_rows_of_the_whole(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    pooled = pool_features(ASKS_FOR_TRANSFORMER, embedded, Encoders(encoder))
    rows = np.array([3, 1], dtype=np.int64)
    np.testing.assert_array_equal(
        gather_evidence(pooled, embedded, rows).matrix,
        gather_evidence(pooled, embedded).matrix[rows],
    )


def test_the_letters_of_a_key_narrow_what_was_gathered_before(
    embedded: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pooled = pool_features(Context(left="as Smith showed for LSTMs", right=""), embedded)
    everything = gather_evidence(pooled, embedded, np.array([4, 2, 0, 3]))
    logits = everything.logits
    for name in ("name_features", "library_ranker"):
        monkeypatch.setattr(features, name, None)  # would fail if it were called
    narrowed = gather_evidence(pooled, embedded, np.array([3, 4]))
    np.testing.assert_array_equal(narrowed.matrix, everything.matrix[[3, 0]])
    assert narrowed.rows.tolist() == [3, 4]
    assert narrowed.logits.tolist() == logits[[3, 0]].tolist()
    with pytest.raises(TypeError):
        gather_evidence(pooled, embedded, np.array([1, 4]))


def test_the_sentence_is_nearest_to_the_paper_it_speaks_of(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    evidence = gather_evidence(
        pool_features(ASKS_FOR_TRANSFORMER, embedded, Encoders(encoder)), embedded
    )
    assert embedded.names[int(evidence.column("wide_full").argmax())] == "transformer"


@pytest.mark.parametrize(
    ("text", "first", "anyone"),
    [
        ("as Smith showed", [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]),
        ("the work of Planck and others", [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]),
        ("Smith等人证明", [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]),
        ("the smithy burned", [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
        ("the method of byron", [1, 0, 0, 0, 0], [1, 0, 1, 0, 0]),
    ],
)
def test_authors_named_in_the_text_are_found_as_whole_words(
    pool: Pool, text: str, first: list[int], anyone: list[int]
) -> None:
    evidence = gather_evidence(pool_features(Context(left=text, right=""), pool), pool)
    assert evidence.column("first_author_named").tolist() == first
    assert evidence.column("author_named").tolist() == anyone


def test_nearness_is_the_greatest_and_the_mean_cosine_to_the_cited_papers() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    greatest, mean = similarity_to_cited(vectors, [0, 1])
    assert greatest[2] == pytest.approx(0.8)
    assert mean[2] == pytest.approx(0.7)


def test_a_cited_paper_is_not_compared_with_itself() -> None:
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    greatest, _ = similarity_to_cited(vectors, [0])
    assert greatest.tolist() == [0, 0]
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    greatest, mean = similarity_to_cited(vectors, [0, 1])
    assert greatest.tolist() == pytest.approx([0.6, 0.6, 0.8])
    assert mean.tolist() == pytest.approx([0.6, 0.6, 0.4])


def test_nothing_cited_means_nearness_nought() -> None:
    greatest, mean = similarity_to_cited(np.eye(3, dtype=np.float32), [])
    assert not greatest.any() and not mean.any()
