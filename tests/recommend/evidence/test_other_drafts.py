"""What the writer's other drafts say for a paper, compared with a context."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.evidence.other_drafts import FEATURES, OtherDraftCitations, shipped_weights
from cite_lsp.recommend.library.citation_history import DraftHistory
from cite_lsp.recommend.library.recommender import Recommender
from tests.recommend.evidence.test_drafts_store import citing


def test_a_paper_is_described_by_its_most_similar_place_in_all_drafts() -> None:
    elsewhere = OtherDraftCitations(
        [
            citing(("tides rise fast", "Tides"), ("gulls nest on cliffs", "Gulls"), title="New"),
            citing(("tides rise and fall", "Tides"), title="Old"),
        ]
    )
    assert [title.id for title in elsewhere.papers] == ["Tides", "Gulls"]
    evidence = elsewhere.evidence("tides rise and fall", None, "")
    tides, gulls = dict(zip(FEATURES, evidence.features[0], strict=True)), evidence.features[1]
    assert tides["alike"] == pytest.approx(1.0) and tides["cited"] == 1.0
    assert gulls[1] == 0.0
    assert elsewhere.titles[evidence.draft[0]] == "Old"


def test_two_records_of_one_paper_count_as_the_likest(embedded: Pool) -> None:
    for order in ((0, 1), (1, 0)):
        drafts = [citing(("tides rise fast", "Tides")), citing(("gulls nest", "Preprint"))]
        elsewhere = OtherDraftCitations([drafts[place] for place in order])
        both = elsewhere.at_rows(np.array([2, 2]), len(embedded))
        evidence = both.evidence("gulls nest", None, "")
        assert evidence.features[2, 1] == pytest.approx(1.0)
        assert evidence.draft[2] == order.index(1)


def test_where_the_query_encoder_puts_a_place_counts_where_it_is_the_same_encoder() -> None:
    vectors = np.eye(3, dtype=np.float32)[:2]
    drafts = [
        citing(("a", "Tides"), ("b", "Gulls"), vectors=vectors, encoder_fingerprint="one"),
        citing(("c", "Dunes"), vectors=vectors[:1], encoder_fingerprint="another"),
    ]
    signs = (
        OtherDraftCitations(drafts)
        .evidence("nothing", np.eye(3, dtype=np.float32)[0], "one")
        .features
    )
    assert signs[0, 2] > signs[1, 2] and signs[2, 2] == 0.0


def test_of_what_no_draft_cites_there_is_no_evidence(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    elsewhere = OtherDraftCitations([citing(("gulls nest", "Nesting Habits of the Herring Gull"))])
    rows = np.array([embedded.row_of["gulls"]])
    context = Context("Gulls nest ", ".", "Gulls nest .")
    evidence = elsewhere.at_rows(rows, len(embedded)).evidence("gulls nest", None, "")
    assert np.flatnonzero(evidence.features.any(axis=1)).tolist() == rows.tolist()
    assert np.flatnonzero(evidence.draft >= 0).tolist() == rows.tolist()
    plain = Recommender(embedded, Encoders(encoder))
    history = DraftHistory(other_drafts=elsewhere.at_rows(rows, len(embedded)))
    engine = Recommender(embedded, Encoders(encoder), history=history)
    before, after = (
        {recommendation.key: recommendation.score for recommendation in each.recommend(context)}
        for each in (plain, engine)
    )
    odds = after["gulls"] / after["marsh"] / (before["gulls"] / before["marsh"])
    assert np.log(odds) == pytest.approx(
        float(evidence.features[rows[0]] @ shipped_weights()), abs=1e-3
    )


def test_being_cited_elsewhere_counts_only_where_the_text_is_alike() -> None:
    cited, alike, placed = shipped_weights()
    assert cited < 0 < placed and alike > -2 * cited


def test_weights_that_are_not_there_are_one_clear_error(tmp_path: Path) -> None:
    from cite_lsp.recommend.base.ranker import read_weights

    with pytest.raises(RankerError, match="the weights cannot be read"):
        read_weights(tmp_path, FEATURES)
