"""The measure of growth tells one pass over a text from one pass at each of its places."""

from __future__ import annotations

import re

from tests.growth import LINEAR, growth


def text(size: int) -> str:
    return "(" * size


def test_a_search_that_fails_once_grows_with_the_length() -> None:
    assert growth(text, re.compile(r"\([^)]*\)").match, 400_000) < LINEAR


def test_a_search_that_fails_at_each_place_does_not() -> None:
    assert growth(text, re.compile(r"\([^)]*\)").search, 8_000) > LINEAR


def test_nothing_is_measured_twice() -> None:
    seen: list[int] = []
    growth(lambda size: size, seen.append, 800)
    assert len(seen) == len(set(seen))
    assert seen[1] == sum(seen[2:10])
