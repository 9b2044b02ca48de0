"""Entries that the text names by their keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.library import parse_bibliography
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library import recommender as module
from cite_lsp.recommend.library.named_keys import named_by_key
from cite_lsp.recommend.library.recommender import Recommender
from cite_lsp.recommend.wording import describe

BIBLIOGRAPHY = """
@misc{emcee, title = {The MCMC Hammer}, author = {Foreman-Mackey, D.}}
@misc{IT-Col, title = {Exchange of a beech forest}, author = {Valentini, R.}}
@misc{scikit_learn2011, title = {Machine Learning in Python}, author = {Pedregosa, F.}}
@misc{knuth1984, title = {Literate Programming}, author = {Knuth, Donald E.}}
@misc{the2019, title = {An article}, author = {Moon, Ada}}
@misc{12, title = {Another article}, author = {Moon, Ada}}
@misc{emcee2013, title = {The Hammer Again}, author = {Foreman-Mackey, D.}}
@misc{patience, title = {Patience, and Statistics}, author = {Fry, B.}}
@misc{AA-CAES-04, title = {Storage}, author = {Reed, Ida}}
@misc{AA-CAES-07, title = {More storage}, author = {Reed, Ida}}
"""


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.of_entries(parse_bibliography(BIBLIOGRAPHY, Path("refs.bib")).entries)


@pytest.mark.parametrize(
    ("left", "keys"),
    [
        ("We sample with emcee", ["emcee"]),
        ("We sample with Emcee (", ["emcee"]),
        ("Continued from the table. IT-Col 1996-2014", ["IT-Col"]),
        ("All is fitted by scikit-learn", ["scikit_learn2011"]),
        ("All is fitted by scikit learn", ["scikit_learn2011"]),
        ("我们使用emcee采样", ["emcee"]),
        ("The literate programming of Knuth", []),  # names and titles are read elsewhere
        ("It takes patience", []),
        ("So it is in the", []),
        ("There are 12", []),
        ("emceeing", []),
        ("emcee 2013", ["emcee", "emcee2013"]),
        ("This is AA-CAES", []),  # a series of keys is a subject
        ("Like AA-CAES-07", ["AA-CAES-07"]),
        ("xemcee", []),
        ("", []),
    ],
)
def test_a_key_counts_as_a_whole_word_without_its_year(
    pool: Pool, left: str, keys: list[str]
) -> None:
    named = named_by_key(left, pool)
    assert named.dtype == np.float32
    assert [pool.names[row] for row in np.flatnonzero(named)] == keys


def test_a_word_far_from_the_marker_names_nothing(pool: Pool) -> None:
    assert named_by_key("emcee" + " x" * 15, pool).any()
    assert not named_by_key("emcee" + " x" * 16, pool).any()


def test_a_word_that_begins_further_away_is_read_whole(pool: Pool) -> None:
    assert not named_by_key(f"not{'-' * 5}emcee" + "." * 28, pool).any()


def test_an_id_of_a_paper_is_no_key() -> None:
    assert not named_by_key("as p1", Pool([Paper("p1", "Tides"), Paper("abc", "Moons")])).any()


def test_the_entry_that_the_text_names_comes_first_and_says_so(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECOND_STAGE", 2)
    context = Context(left="Towers measure exchange at IT-Col", right=".")
    best = Recommender(pool).recommend(context)[0]
    assert best.key == "IT-Col"
    assert "the text here names it “IT-Col”" in describe(best)
