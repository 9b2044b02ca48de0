"""Task `manuscripts`: the citations of drafts masked in turn, the rest in place or unwritten."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cite_lsp.errors import CiteLspError
from cite_lsp.evaluate.tasks import manuscripts
from cite_lsp.evaluate.tasks.manuscripts import (
    MaskedMarker,
    among,
    evaluate_draft,
    evaluate_drafts,
    find_drafts,
    masked_context,
    parts_of,
)
from cite_lsp.manuscript import Context, context_of
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library.adaptation import Observation, Observations
from cite_lsp.recommend.library.recommender import SYSTEMS, System

UNLEARNED: tuple[System, ...] = ("file-order", "bm25", "phase1")

MAIN = r"""\documentclass{article}
\title{Tides and marshes}
\begin{document}
\section{Introduction}
Tide tables were printed long ago \cite{tables}.
Gauges then measured the tide every minute \cite{gauges,unknown}.
\nocite{poems}
\input{chapter}
\bibliography{refs}
\end{document}
"""
CHAPTER = r"""\section{Marshes}
Plants trap silt in every marsh \cite{plants}.
The tables \cite{tables} have helped again.
Gulls nest between the plants \cite{gulls}.
\section{Outlook}
Satellites will see every tide \cite{satellites}.
Nobody has cited this one before \cite{unknown}.
"""
TITLES = {
    "gulls": "Where gulls nest",
    "tables": "Printed tide tables",
    "plants": "Plants that trap silt",
    "gauges": "Gauges for measuring tides",
    "satellites": "Satellites above the sea",
    "poems": "Poems of the shore",
}
BIBLIOGRAPHY = "\n".join(
    f"@article{{{key}, title = {{{title}}}, author = {{Moor, Ada}}, year = 2001}}"
    for key, title in TITLES.items()
)
CHINESE = """---
bibliography: refs.bib
---
# 引言

潮汐表很早以前就已经印刷出版，并被航海者广泛使用 [@tables]。

测量潮汐的仪器后来每分钟记录一次水位的变化 [@gauges]。
"""


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a LaTeX draft of two files and a Chinese one in Markdown."""
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    folder = tmp_path / "drafts"
    for name, files in {
        "shores": {"main.tex": MAIN, "chapter.tex": CHAPTER, "refs.bib": BIBLIOGRAPHY},
        "tides-zh": {"notes.md": CHINESE, "refs.bib": BIBLIOGRAPHY},
        "empty": {"readme.md": "No citations here."},
    }.items():
        (folder / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / name / file).write_text(text, encoding="utf-8")
    return folder


def recommender() -> DraftRecommender:
    return DraftRecommender(DraftReader(FilesOnDisk().read))


def by_place(markers: list[MaskedMarker]) -> dict[tuple[str, int], MaskedMarker]:
    return {(marker.path.name, marker.line): marker for marker in markers}


def test_a_masked_marker_is_hidden_from_those_that_teach(
    drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manuscripts, "FOLDS", 3)
    seen: dict[int, Context] = {}
    orders: list[int] = []
    observe, compare = DraftRecommender.observe, DraftRecommender.compare

    def observed(
        self: DraftRecommender, draft: Draft, context: Context, keys: tuple[str, ...]
    ) -> Observation:
        observation = observe(self, draft, context, keys)
        seen[id(observation)] = context
        return observation

    def compared(
        self: DraftRecommender,
        draft: Draft,
        context: Context,
        systems: tuple[System, ...],
        observations: Observations,
    ) -> manuscripts.Orders:
        assert observations
        for observation in observations.values():
            teacher = seen[id(observation)]
            assert teacher.order != context.order
            assert context.order not in {mention.order for mention in teacher.mentions}
            near = [other for other in teacher.mentions if other.section == teacher.section]
            assert set(teacher.section_cited) == {key for mention in near for key in mention.keys}
        orders.append(context.order)
        return compare(self, draft, context, systems, observations)

    monkeypatch.setattr(DraftRecommender, "observe", observed)
    monkeypatch.setattr(DraftRecommender, "compare", compared)
    files = find_drafts(drafts)["shores"]
    assert len(list(evaluate_draft("shores", files, recommender()))) == len(orders) == 6


def test_a_context_in_which_no_marker_is_hidden_is_the_same(drafts: Path) -> None:
    draft = recommender().draft(drafts / "shores" / "main.tex")
    for file in draft.document.files:
        for marker in file.cited:
            context = context_of(file, marker, draft.document)
            assert context.without_mentions(()) == context
    *_, last = context.mentions
    hidden = context.without_mentions([last.order])
    assert hidden.mentions == context.mentions[:-1]


def test_a_draft_is_a_subfolder_or_the_folder_itself(drafts: Path) -> None:
    (drafts / "shores" / ".git").mkdir()
    (drafts / "shores" / ".git" / "old.tex").write_text("x")
    assert {name: [path.name for path in files] for name, files in find_drafts(drafts).items()} == {
        "empty": ["readme.md"],
        "shores": ["chapter.tex", "main.tex"],
        "tides-zh": ["notes.md"],
    }
    assert list(find_drafts(drafts / "shores")) == ["shores"]
    with pytest.raises(CiteLspError, match="not a folder; give one that holds drafts"):
        find_drafts(drafts / "nowhere")


def test_a_draft_to_leave_out_that_is_not_there_is_reported(drafts: Path) -> None:
    messages: list[str] = []
    left = find_drafts(drafts, ["shores", "shoers", "shoers"], messages.append)
    assert "shores" not in left
    assert messages == [
        f"{drafts}: has no draft 'shoers' to leave out; its drafts are its subfolders"
    ]


def test_every_marker_that_cites_an_entry_is_masked_in_reading_order(drafts: Path) -> None:
    progress: list[int] = []
    markers = evaluate_drafts(find_drafts(drafts), recommender(), progress=progress.append)
    assert [(m.draft, m.path.name, m.line, m.keys) for m in markers] == [
        ("shores", "main.tex", 5, ("tables",)),
        ("shores", "main.tex", 6, ("gauges",)),
        ("shores", "chapter.tex", 2, ("plants",)),
        ("shores", "chapter.tex", 3, ("tables",)),
        ("shores", "chapter.tex", 4, ("gulls",)),
        ("shores", "chapter.tex", 6, ("satellites",)),
        ("tides-zh", "notes.md", 6, ("tables",)),
        ("tides-zh", "notes.md", 8, ("gauges",)),
    ]
    assert [m.language for m in markers] == ["en"] * 6 + ["zh"] * 2
    assert progress == [6, 2]
    for marker in markers:
        assert marker.entries == len(TITLES)
        assert tuple(marker.ranks) == SYSTEMS
        assert all(rank is not None and 1 <= rank <= 6 for rank in marker.ranks.values())
        expected = 1 + list(TITLES).index(marker.keys[0])
        assert marker.ranks["file-order"] == expected


def test_drafts_that_something_was_learned_from_can_be_left_out(drafts: Path) -> None:
    markers = evaluate_drafts(find_drafts(drafts, ["shores"]), recommender(), UNLEARNED)
    assert {marker.draft for marker in markers} == {"tides-zh"}


def test_ranks_among_some_entries_are_those_of_the_whole_library_without_the_others(
    drafts: Path,
) -> None:
    orders: dict[System, tuple[tuple[str, float], ...]] = {
        "default": tuple((key, 1.0) for key in "abcdefgh"),
        "bm25": tuple((key, 1.0) for key in "hgfedcba"),
    }
    seen = set()
    for seed in range(40):
        drawn = among(orders, {"c", "h"}, 4, random.Random(seed))
        keys_left = [key for key, _ in drawn["default"]]
        assert (
            len(keys_left) == 4 and {"c", "h"} <= set(keys_left) and keys_left == sorted(keys_left)
        )
        assert [key for key, _ in drawn["bm25"]] == keys_left[::-1]
        seen |= set(keys_left)
    assert seen == set("abcdefgh")
    assert among(orders, {"c"}, 99, random.Random(1)) == orders
    assert [key for key, _ in among(orders, {"a", "b"}, 1, random.Random(1))["default"]] == [*"ab"]
    whole, some = (
        evaluate_drafts(find_drafts(drafts), recommender(), UNLEARNED, entries=entries)
        for entries in (None, 2)
    )
    for item, other in zip(whole, some, strict=True):
        for system, rank in other.ranks.items():
            before = item.ranks[system]
            assert rank is not None and before is not None and rank <= min(2, before)
    assert any(item.ranks != other.ranks for item, other in zip(whole, some, strict=True))


def test_markers_are_told_apart_by_mention_library_and_format() -> None:
    def marker(file: str, repeated: bool, entries: int) -> MaskedMarker:
        return MaskedMarker("shores", Path(file), 1, "en", repeated, ("tables",), entries, {})

    first, second, third = (
        marker("main.tex", False, 50),
        marker("main.tex", True, 51),
        marker("notes.Rmd", False, 201),
    )
    assert parts_of([first, second, third]) == {
        "first mention": [first, third],
        "repeated": [second],
        "at most 200 entries": [second],
        "at most 50 entries": [first],
        "more than 200 entries": [third],
        "latex": [first, second],
        "markdown": [third],
    }
    assert parts_of([first, first]) == {}
    assert list(parts_of([first, second])) == [
        "first mention",
        "repeated",
        "at most 200 entries",
        "at most 50 entries",
    ]


def test_a_citation_is_repeated_when_the_draft_makes_it_elsewhere_too(drafts: Path) -> None:
    whole = by_place(evaluate_drafts(find_drafts(drafts / "shores"), recommender(), UNLEARNED))
    assert [place for place, marker in whole.items() if marker.repeated] == [
        ("main.tex", 5),
        ("chapter.tex", 3),
    ]


def test_writing_forward_a_citation_is_repeated_only_when_it_stands_above(drafts: Path) -> None:
    files = find_drafts(drafts / "shores")
    forward = by_place(evaluate_drafts(files, recommender(), UNLEARNED, forward=True))
    assert [place for place, marker in forward.items() if marker.repeated] == [("chapter.tex", 3)]


@pytest.mark.parametrize("forward", [False, True])
def test_a_masked_context_does_not_hold_its_own_keys(drafts: Path, forward: bool) -> None:
    path = drafts / "shores" / "main.tex"
    path.write_text(MAIN.replace(r"\bibliography", r"\nocite{gulls} \bibliography"))
    draft = recommender().draft(path)
    for marker in draft.manuscript.markers:
        context = masked_context(draft, marker, forward=forward)
        assert context.marker_cited == ()
        if not marker.silent:
            assert context.order not in [mention.order for mention in context.mentions]


def test_writing_forward_a_context_holds_nothing_from_below(drafts: Path) -> None:
    draft = recommender().draft(drafts / "shores" / "chapter.tex")
    marker = draft.manuscript.markers[1]
    whole = masked_context(draft, marker, forward=False)
    assert whole.right and whole.section_cited == ("plants", "gulls")
    above = masked_context(draft, marker, forward=True)
    assert (above.right, above.next) == ("", "")
    assert above.section_cited == above.section_cited_before == ("plants",)
    assert [mention.keys for mention in above.mentions] == [
        ("tables",),
        ("gauges", "unknown"),
        ("plants",),
    ]


def test_a_chapter_is_above_what_follows_its_inclusion(drafts: Path) -> None:
    main = drafts / "shores" / "main.tex"
    later = MAIN.replace("\\bibliography", "The end \\cite{poems}.\n\\bibliography")
    main.write_text(later, encoding="utf-8")
    chapter = recommender().draft(main.with_name("chapter.tex"))
    context = masked_context(chapter, chapter.manuscript.markers[0], forward=True)
    assert [mention.keys for mention in context.mentions] == [("tables",), ("gauges", "unknown")]
    whole = recommender().draft(main)
    last = whole.manuscript.markers[-1]
    cited = {key for m in masked_context(whole, last, forward=True).mentions for key in m.keys}
    assert cited == {"tables", "gauges", "unknown", "plants", "gulls", "satellites"}


def test_writing_forward_what_is_below_changes_no_rank(drafts: Path) -> None:
    """The draft whole, and cut off right behind each marker, where a writer would stand."""
    path = drafts / "shores" / "chapter.tex"
    whole = list(evaluate_draft("shores", [path], recommender(), forward=True))
    known = list(evaluate_draft("shores", [path], recommender()))
    assert [marker.ranks for marker in known] != [marker.ranks for marker in whole]
    for marker in whole:
        end = CHAPTER.index("}", CHAPTER.index(rf"\cite{{{marker.keys[0]}}}")) + 1
        path.write_text(CHAPTER[:end], encoding="utf-8")
        *_, last = evaluate_draft("shores", [path], recommender(), forward=True)
        assert last == marker
