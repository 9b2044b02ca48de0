"""Half of the references of real drafts taken out, and how many come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.evaluate.tasks import draft_references
from cite_lsp.evaluate.tasks.draft_references import (
    DraftPool,
    HalvedDraft,
    RankedDraft,
    halved_drafts,
    rank_drafts,
    ratio_interval,
    recall_figures,
    recall_intervals,
    without_keys,
)
from cite_lsp.manuscript import parse
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.references.find import CHOSEN_FROM
from tests.recommend.shores import TopicEncoder

KEYS = "abcdefgh"


def write(folder: Path, name: str, topic: str) -> None:
    (folder / name).mkdir(parents=True)
    entries = (f"@article{{{key}, title = {{The {topic} {key}{key}}}}}\n" for key in KEYS)
    (folder / name / "refs.bib").write_text("".join(entries))
    body = " ".join(f"It is the {topic} that \\cite{{{key}}} tells of." for key in KEYS[:6])
    text = f"\\title{{On the {topic}}}\n\\section{{One}}\n{body} Again \\cite{{a,b,missing}}.\n"
    (folder / name / "main.tex").write_text(f"{text}\\input{{more}}\n\\bibliography{{refs}}\n")
    (folder / name / "more.tex").write_text("\\section{Two}\nAs others say \\citep{c,d}.\n")


@pytest.fixture
def drafts(tmp_path: Path) -> list[HalvedDraft]:
    for name, topic in (("sea", "tide"), ("birds", "gull")):
        write(tmp_path, name, topic)
    (tmp_path / "short").mkdir()
    (tmp_path / "short" / "note.md").write_text("# Nothing is cited here\n")
    return list(halved_drafts(tmp_path, FilesOnDisk().read))


def test_a_draft_loses_half_of_what_it_cites(drafts: list[HalvedDraft]) -> None:
    assert [draft.name for draft in drafts] == ["birds", "sea"]
    for draft in drafts:
        assert len(draft.still_cited) == len(draft.removed) == 3 and len(draft.library_papers) == 8
        assert not {*draft.still_cited} & {*draft.removed}
        assert [passage.section for passage in draft.text.passages] == ["One"]


def test_drafts_can_be_left_out(tmp_path: Path, drafts: list[HalvedDraft]) -> None:
    (left,) = halved_drafts(tmp_path, FilesOnDisk().read, without=["sea"])
    assert left.name == "birds"


def test_the_same_seed_takes_the_same_references(tmp_path: Path) -> None:
    write(tmp_path, "sea", "tide")
    taken = [
        [
            paper.id
            for draft in halved_drafts(tmp_path, FilesOnDisk().read, seed=seed)
            for paper in draft.removed
        ]
        for seed in (1, 1, 2)
    ]
    assert taken[0] == taken[1] != taken[2]


@pytest.mark.parametrize(
    ("kind", "text", "left"),
    [
        ("latex", r"A \cite{x}, b \cite[p. 1]{x,y}, c \cite{y,x,z}, d \cite{y,x}.",
         r"A , b \cite[p. 1]{y}, c \cite{y,z}, d \cite{y}."),
        ("latex", r"On \cite{x,w,y}, \cite{y,x,w}, \cite{w, x}.", r"On \cite{y}, \cite{y}, ."),
        ("markdown", "A [@x], b [@x; @y], c [@y; @x].", "A , b [@y], c [@y]."),
    ],
)  # fmt: skip
def test_keys_go_and_markers_without_others(kind: str, text: str, left: str) -> None:
    assert without_keys(parse(text, kind), {"x", "w"}) == left


def test_candidates_are_what_was_taken_out_and_what_others_have(
    drafts: list[HalvedDraft],
) -> None:
    pool = DraftPool(drafts, None)
    birds, sea = drafts
    assert len(pool) == 16
    allowed = np.flatnonzero(pool.allowed(birds)).tolist()
    assert sorted(allowed) == sorted([*pool.rows(birds.removed), *pool.rows(sea.library_papers)])
    (ranked,) = rank_drafts([birds], pool, "bm25")
    assert ranked.removed == 3 and sorted(ranked.ranks) == [1, 2, 3]


def test_what_is_shown_is_chosen_among_the_first_and_stands_before_the_rest(
    drafts: list[HalvedDraft], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_references, "SHOWN", 2)
    pool = DraftPool(drafts, TopicEncoder())
    ranked = pool.rank(drafts[0], "default, no selection").tolist()
    chosen = pool.rank(drafts[0], "default").tolist()
    assert sorted(chosen) == sorted(ranked) and len(ranked) > 6
    assert {*chosen[:2]} <= {*ranked[: 2 * CHOSEN_FROM]}
    assert chosen[2:] == [row for row in ranked if row not in chosen[:2]]


def test_recall_is_the_mean_over_drafts_and_compared_with_a_baseline() -> None:
    better = [RankedDraft("a", "en", 2, (1, 30)), RankedDraft("b", "en", 4, (2, 3, 0, 0))]
    worse = [RankedDraft("a", "en", 2, (0, 20)), RankedDraft("b", "en", 4, (0, 0, 0, 11))]
    assert recall_figures(better)["recall@20"] == 0.5
    assert recall_figures(better)["mrr"] == 0.75
    assert recall_figures(worse)["recall@10"] == 0
    low, high = recall_intervals(better)["recall@50"]
    assert 0.5 <= low < high <= 1
    ratio, low, high = ratio_interval(better, worse)
    assert ratio == pytest.approx(0.5 / 0.375) and low == 1.0 and high == 2.0
