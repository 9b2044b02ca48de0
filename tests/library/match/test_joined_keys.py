"""Keys are found by any part of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library.match.joined_keys import JoinedKeys


@given(st.lists(st.text("aAb\n-ß", max_size=6), min_size=1), st.text("ab-", min_size=1, max_size=3))
def test_keys_are_found_by_any_part_of_them(keys: list[str], part: str) -> None:
    assert JoinedKeys(keys).rows_with(part).tolist() == [part in key for key in keys]
