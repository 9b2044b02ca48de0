"""What is typed means a key, a first author, a title or a year before it means a coauthor."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.library import LibraryCache
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.library.typed_match import (
    UnindexedEntries,
    best_match_first,
    matches_leading_words,
)

GEARS = Paper("gears", "Wooden gears", authors=("Ada Moor", "Li Tide"), year=2001)
TIDES = Paper("moon", "Of the moon", authors=("Li Tide", "Ada Moor"), year=2002)
MARSH = Paper("marsh", "Tidal marshes", authors=("Bo Reed", "Li Tide"), year=2003)
CHINESE = Paper("zh", "潮汐研究", authors=("李明", "王芳"), year=2020)


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("tid", ["moon", "marsh", "gears"]),
        ("tide 2001", ["gears", "moon", "marsh"]),
        ("marsh", ["marsh", "gears", "moon"]),
        ("moor", ["gears", "moon", "marsh"]),
        ("gears", ["gears", "moon", "marsh"]),
        ("Tide et al.", ["moon", "gears", "marsh"]),
        ("", ["gears", "moon", "marsh"]),
    ],
)
def test_first_authors_titles_and_keys_come_before_coauthors(typed: str, keys: list[str]) -> None:
    result = [Recommendation(paper, 0.5) for paper in (GEARS, TIDES, MARSH)]
    assert [recommendation.key for recommendation in best_match_first(typed, result)] == keys


def test_a_first_author_matches_in_the_letters_of_any_keyboard() -> None:
    paper = Paper("yildiz", "Çeviri", authors=("Çağrı Yıldız",))
    assert all(
        matches_leading_words(typed, "c", paper)
        for typed in ("yildiz", "Yıldız", "YILDIZ", "ceviri")
    )


def test_a_chinese_name_matches_its_pinyin() -> None:
    assert matches_leading_words("lm", "zh", CHINESE) and not matches_leading_words(
        "tide", "gears", GEARS
    )


@pytest.mark.parametrize(
    ("authors", "name"),
    [
        (("李明",), "李明 2020"),
        (("李明", "王芳"), "李明、王芳 2020"),
        (("李明", "王芳", "赵强"), "李明等 2020"),
        (("Ada Moor", "Li Tide"), "Moor and Tide 2020"),
        (("Ada Moor", "Li Tide", "Bo Reed"), "Moor et al. 2020"),
    ],
)
def test_people_are_joined_as_their_language_does(authors: tuple[str, ...], name: str) -> None:
    assert short_name(Paper("p", "T", authors=authors, year=2020)) == name


def test_before_a_library_is_indexed_keys_come_first_then_what_the_draft_cites(
    tmp_path: Path,
) -> None:
    path = tmp_path / "library.bib"
    titles = {"a": "Tidal gears", "b": "Tidal marshes", "tide": "Tidal power", "c": "Cogs"}
    path.write_text("".join(f"@misc{{{key}, title = {{{titles[key]}}}}}\n" for key in titles))
    entries = UnindexedEntries(LibraryCache().load([path]))

    def keys(typed: str, limit: int = 9, without: str = "") -> list[str]:
        return [item.key for item in entries.match(typed, limit, cited={"b"}, without={without})]

    assert keys("tid") == ["tide", "b", "a"]
    assert keys("tida") == ["b", "a", "tide"]
    assert keys("tidal p") == ["tide"]
    assert keys("tidal g") == ["a"]
    assert keys("Marshes TID") == ["b"]
    assert keys("") == ["b", "a", "tide", "c"]
    assert keys("tid", 2) == ["tide", "b"]
    assert keys("tid", 2, without="b") == ["tide", "a"]
    assert keys("") == ["b", "a", "tide", "c"], "what was typed has been deleted"
    assert keys("tide") == ["tide"] and keys("tidal") == ["b", "a", "tide"]


def test_before_a_library_is_indexed_a_search_ends_where_nobody_wants_it(tmp_path: Path) -> None:
    path = tmp_path / "library.bib"
    path.write_text("".join(f"@misc{{a{number}, title = {{Tide}}}}\n" for number in range(5000)))
    entries = UnindexedEntries(LibraryCache().load([path]))
    looks = iter([False, False, True])
    with pytest.raises(Cancelled):
        entries.match("cog", 9, cancelled=lambda: next(looks))
    assert next(looks, None) is None, "it was looked between parts"
    assert [item.key for item in entries.match("tide", 2)] == ["a0", "a1"]
    assert entries.match("cog", 9, cancelled=lambda: False) == ()


def test_before_a_library_is_indexed_any_sign_may_stand_in_a_key(tmp_path: Path) -> None:
    path = tmp_path / "library.bib"
    keys = ["Cog", "ti\0cog", "cogs", "tide", "ti\u0130"]
    path.write_text("".join(f"@misc{{{key}, title = {{T}}}}\n" for key in keys))
    library = LibraryCache().load([path])
    assert list(library.by_key) == keys
    entries = UnindexedEntries(library)
    assert [item.key for item in entries.match("COG", 9)] == ["Cog", "cogs", "ti\0cog"]
    assert [item.key for item in entries.match("tid", 9)] == ["tide"]


def test_before_a_library_is_indexed_others_stand_for_people(tmp_path: Path) -> None:
    path = tmp_path / "library.bib"
    path.write_text(
        "@misc{smith, author = {Smith, A and Doe, B and Jones, C}, year = 2020}\n"
        "@misc{alda, author = {Alda, X and Smith, J}, year = 2020}\n"
    )
    entries = UnindexedEntries(LibraryCache().load([path]))
    typed = "Smith et al., Jones 2020"
    listed = {
        typed[:end]: [item.key for item in entries.match(typed[:end], 9)]
        for end in range(1, len(typed) + 1)
    }
    assert listed["Smith et al"] == listed["Smith et al.,"] == ["smith", "alda"]
    assert listed["Smith et al., J"] == ["smith", "alda"] and listed["Smith et al., Jo"] == [
        "smith"
    ]
    assert listed[typed] == ["smith"]
