"""A list has each work once, under the key that the draft uses, and never the draft itself."""

from pathlib import Path

import pytest

from cite_lsp.manuscript import Context, Mention
from cite_lsp.paper import joined_title
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.library.distinct_works import title_of_draft
from cite_lsp.recommend.library.recommender import SYSTEMS, Recommender, System

LIBRARY = r"""
@article{marsh04, title={How tidal marshes trap sediment}, author={Orr, Ada}, year=2004}
@article{orr2004, title={How Tidal Marshes Trap Sediment}, author={Ada Orr}, year={2004},
  journal={Shores}, doi={10.1234/marsh}}
@article{gulls, title={Gulls that follow the plough}, author={Bell, Kim}, year=2011}
@phdthesis{orr-thesis, title={How tidal marshes trap sediment}, author={Orr, Ada}, year=2004}
@misc{own, title={Crabs, silt and the shape of marshes}, author={Lund, Eva}, year=2026}
"""
SEDIMENT = Context(left="Sediment stays where tidal marshes trap it", right=".")


def pool_of(tmp_path: Path, text: str = LIBRARY) -> Pool:
    path = tmp_path / "library.bib"
    path.write_text(text, encoding="utf-8")
    return Pool.of_entries(DraftReader(FilesOnDisk().read).library([path]).entries)


def recommendations(
    pool: Pool, context: Context, system: System = "default"
) -> list[Recommendation]:
    return list(Recommender(pool, system=system).recommend(context))


def mention(*keys: str) -> Mention:
    return Mention(keys, "Marshes trap sediment", ".", 0, "1")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_work_under_two_keys_has_one_place(tmp_path: Path, system: System) -> None:
    items = recommendations(pool_of(tmp_path), SEDIMENT, system)
    assert sorted(item.key for item in items) == ["gulls", "orr-thesis", "orr2004", "own"]
    (item,) = (item for item in items if item.key == "orr2004")
    assert item.other_keys == ("marsh04",)


def test_the_key_that_the_draft_uses_stands_for_the_work(tmp_path: Path) -> None:
    context = Context(left=SEDIMENT.left, right=".", mentions=(mention("marsh04"),), order=1)
    keys = [item.key for item in recommendations(pool_of(tmp_path), context)]
    assert "marsh04" in keys and "orr2004" not in keys


def test_probabilities_of_the_keys_of_a_work_add_up(tmp_path: Path) -> None:
    items = recommendations(pool_of(tmp_path), SEDIMENT)
    assert sum(item.score for item in items) == pytest.approx(1.0, abs=1e-5)


def test_who_types_one_of_the_keys_is_given_that_one(tmp_path: Path) -> None:
    pool = pool_of(tmp_path)
    (item,) = Recommender(pool).recommend(SEDIMENT, rows=[pool.row_of["marsh04"]])
    assert item.key == "marsh04" and not item.other_keys


def test_the_draft_itself_is_not_offered(tmp_path: Path) -> None:
    context = Context(left="Crabs dig", right=".", title="Crabs, Silt, and the Shape of Marshes")
    pool = pool_of(tmp_path)
    assert "own" not in [item.key for item in recommendations(pool, context)]
    assert "own" in [item.key for item in recommendations(pool, SEDIMENT)]
    typed = Recommender(pool).recommend(context, rows=[pool.row_of["own"]])
    assert [item.key for item in typed] == ["own"]


def test_the_draft_itself_is_offered_where_the_draft_cites_it(tmp_path: Path) -> None:
    title = "Crabs, silt and the shape of marshes"
    context = Context(left="Crabs", right=".", title=title, mentions=(mention("own"),), order=1)
    assert "own" in [item.key for item in recommendations(pool_of(tmp_path), context)]


@pytest.mark.parametrize(
    ("title", "same"),
    [("Crabs, silt and the shape of marshes", True), ("Crabs", False), ("", False)],
)
def test_a_short_title_tells_nothing(tmp_path: Path, title: str, same: bool) -> None:
    pool = pool_of(tmp_path)
    paper = pool.papers[pool.row_of["own"]]
    own = title_of_draft(Context(left="", right="", title=title))
    assert (own == joined_title(paper.title)) is same
