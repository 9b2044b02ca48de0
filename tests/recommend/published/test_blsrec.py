"""BLSRec at run time: eq. 1 to 3 word for word, kept in a folder and read back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.sparse_rows import Vocabulary
from cite_lsp.recommend.published.bilingual_bags import Bags
from cite_lsp.recommend.published.blsrec import (
    CONFIG,
    LANGUAGES,
    MODEL,
    VARIANTS,
    BlsRec,
    BlsRecModel,
)
from tests.recommend.bilingual import PAPERS, bags, contexts

CONTEXTS = [row.context for row in contexts(4)]


def model(variant: int, made: Bags, dimensions: int = 7) -> BlsRecModel:
    rng = np.random.default_rng(variant)
    vocabularies = {
        "chinese": Vocabulary.of(
            [made.of_context(c, part) for c in CONTEXTS for part in ("chinese", "abstract")]
        ),
        "english": Vocabulary.of([made.of_paper(paper, "english") for paper in PAPERS]),
    }
    maps = {
        term.name: tuple(
            rng.normal(size=(len(vocabularies[LANGUAGES[part]]), dimensions)).astype(np.float16)
            for part in (term.context, term.paper)
        )
        for term in VARIANTS[variant]
    }
    maps = {
        name: (map.astype(np.float32), other.astype(np.float32))
        for name, (map, other) in maps.items()
    }
    return BlsRecModel(variant, vocabularies, maps, {"seed": 1})  # type: ignore[arg-type]


def dense(vocabulary: Vocabulary, bag: dict[str, float]) -> np.ndarray:
    vector = np.zeros(len(vocabulary), dtype=np.float32)
    places, values = vocabulary.vector(bag)
    vector[places] = values
    return vector


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_the_score_is_the_sum_of_the_variants_terms(variant: int) -> None:
    made = bags()
    learned = model(variant, made)
    scorer = BlsRec(learned, PAPERS, made)
    for context in CONTEXTS:
        expected = np.zeros(len(PAPERS))
        for term in learned.terms:
            own, others = learned.maps[term.name]
            x = dense(
                learned.vocabularies[LANGUAGES[term.context]],
                made.of_context(context, term.context),  # type: ignore[arg-type]
            )
            for row, paper in enumerate(PAPERS):
                y = dense(
                    learned.vocabularies[LANGUAGES[term.paper]],
                    made.of_paper(paper, term.paper),  # type: ignore[arg-type]
                )
                expected[row] += (x @ own) @ (y @ others) + (x @ y if term.identity else 0)
        assert np.allclose(scorer.scores(context), expected, atol=1e-4)
    assert len(scorer) == len(PAPERS)


def test_each_variant_has_the_terms_of_the_one_before() -> None:
    assert [len(VARIANTS[number]) for number in (1, 2, 3)] == [1, 3, 4]
    assert VARIANTS[3][:3] == VARIANTS[2] and VARIANTS[2][:1] == VARIANTS[1]
    assert [term.identity for term in VARIANTS[3]] == [False, True, True, False]


@pytest.mark.parametrize("variant", [1, 3])
def test_a_model_is_the_same_after_a_round_trip(tmp_path: Path, variant: int) -> None:
    made = bags()
    learned = model(variant, made)
    learned.save(tmp_path / "m")
    again = BlsRecModel.open(tmp_path / "m")
    assert (again.variant, again.dimensions, again.facts["seed"]) == (variant, 7, 1)
    before, after = (BlsRec(model, PAPERS, made).scores(CONTEXTS[0]) for model in (learned, again))
    assert np.array_equal(before, after)


def test_a_context_without_known_words_and_a_pool_without_papers_do_no_harm() -> None:
    made = bags()
    learned = model(2, made)
    from cite_lsp.manuscript import Context

    assert not BlsRec(learned, PAPERS, made).scores(Context("", "")).any()
    assert BlsRec(learned, [], made).scores(CONTEXTS[0]).shape == (0,)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / MODEL).unlink(), "cannot be read"),
        (lambda folder: (folder / MODEL).write_bytes(b"short"), "cannot be read"),
        (lambda folder: (folder / CONFIG).write_text("{"), "cannot be read"),
        (lambda folder: edit(folder, format=99), "of another version"),
        (lambda folder: edit(folder, variant=3), "cannot be read"),
        (lambda folder: edit(folder, variant=8), "cannot be read"),
    ],
)
def test_a_damaged_model_is_one_line(tmp_path: Path, damage: object, message: str) -> None:
    model(1, bags()).save(tmp_path / "m")
    damage(tmp_path / "m")  # type: ignore[operator]
    with pytest.raises(RankerError, match=message) as raised:
        BlsRecModel.open(tmp_path / "m")
    assert "\n" not in str(raised.value) and "train it again" in str(raised.value)


def test_maps_that_do_not_fit_their_words_are_refused(tmp_path: Path) -> None:
    learned = model(1, bags())
    maps = {name: (own[:-1], others) for name, (own, others) in learned.maps.items()}
    BlsRecModel(1, learned.vocabularies, maps).save(tmp_path / "m")
    with pytest.raises(RankerError, match="the map of chinese has the wrong shape"):
        BlsRecModel.open(tmp_path / "m")


def edit(folder: Path, **changed: int) -> None:
    facts = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(facts | changed))
