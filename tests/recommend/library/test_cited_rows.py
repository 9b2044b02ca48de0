"""Which papers of a pool the markers of a draft cite, and what is cited close to each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript import Mention
from cite_lsp.recommend.library.cited_rows import ADJACENT, OrderedRows, cited_rows

ROW_OF = {key: row for row, key in enumerate("abcdef")}


def mention(keys: str, order: int) -> Mention:
    return Mention(tuple(keys), "", "", order, "s")


def ordered(*written: tuple[str, int]) -> OrderedRows:
    return cited_rows([mention(*each) for each in written], ROW_OF).in_order


def test_keys_are_rows_as_they_are_written_and_unknown_ones_are_passed_over() -> None:
    cited = cited_rows([mention("bxab", 3), mention("x", 1), mention("c", 0)], ROW_OF)
    assert cited.markers.tolist() == [0, 0, 0, 2] and cited.rows.tolist() == [1, 0, 1, 2]
    assert cited.in_order.order_of.tolist() == [0, 3, 3]
    assert cited.in_order.rows.tolist() == [2, 0, 1]


def test_before_and_behind_a_place_counts_what_cites_anything() -> None:
    cited = ordered(("a", 0), ("bc", 1), ("x", 2), ("x", 4), ("d", 5))
    assert cited.before(3).tolist() == [1, 2] and cited.behind(3).tolist() == [3]
    assert not len(cited.before(0)) and not len(cited.behind(6))
    assert cited.around(3, 2).tolist() == [1, 2, 3]


@given(
    st.dictionaries(st.integers(0, 20), st.text("abcdefx", max_size=4), max_size=12),
    st.sets(st.integers(0, 5)),
)
def test_what_is_cited_close_is_counted_once_for_each_paper(
    written: dict[int, str], wanted: set[int]
) -> None:
    cited = ordered(*((keys, order) for order, keys in written.items()))
    counts = cited.count_beside(np.array(sorted(wanted), dtype=np.int64))
    for order, row, count in zip(cited.order_of, cited.rows, counts, strict=True):
        close = {
            ROW_OF[key]
            for other, keys in written.items()
            if abs(other - order) <= ADJACENT
            for key in keys
            if key in ROW_OF
        }
        assert count == len(close & wanted - {row})
