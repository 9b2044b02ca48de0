"""Surnames that are everyday words name somebody only where they are written as names."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.features import gather_evidence, pool_features
from cite_lsp.recommend.query.latin_names import is_written_as_name

SUMMARIES = Paper("see2017", "Summaries with Pointers", "", ("Abigail See", "Peter Liu"), 2017)
MESHES = Paper("an2019", "Meshes of Bridges", "", ("Jisun An", "Kaiming He"), 2019)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("see", "Pointers were proposed by See"),
        ("see", "as See et al. have shown"),
        ("see", "See et al. copy words from the source"),
        ("see", "See, Liu and others say so. See and Liu"),
        ("see", "See's pointers"),
        ("he", "They follow He (2016)"),
        ("he", "It works. He & Sun proposed it"),
        ("long", "the nets of J. Long"),
        ("he", "残差网络由He等人提出"),
        ("long", "Long等提出了全卷积网络"),
        ("he", "方法有效。He 与 Sun 提出了它"),
    ],
)
def test_a_name_has_its_capital_or_what_follows_names(name: str, text: str) -> None:
    assert is_written_as_name(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("see", "we see that pointers help"),
        ("see", "See also the work on pointers"),
        ("see", "Pointers help. See the appendix"),
        ("see", "Pointers help (See also there)"),
        ("an", "An encoder and an attention"),
        ("he", "Helium and The rest"),
        ("long", "Long-term memory"),
        ("may", "it ended in Mayhem"),
        ("he", "由ResNet和Helium组成"),
        ("see", "See 表 1"),
    ],
)
def test_a_word_is_no_name(name: str, text: str) -> None:
    assert not is_written_as_name(name, text)


@pytest.mark.parametrize(
    ("left", "named"),
    [
        ("See also an early work on bridges", [0, 0]),
        ("For an overview of what he did see", [0, 0]),
        ("Copying is due to See et al.", [1, 0]),
        ("Residual nets by He", [0, 1]),
        ("as LIU had it", [1, 0]),
    ],
)
def test_evidence_that_a_sentence_names_an_author(left: str, named: list[int]) -> None:
    pool = Pool([SUMMARIES, MESHES])
    context = evolve(Context(left=left, right="."), sentence=left)
    evidence = gather_evidence(pool_features(context, pool), pool)
    for name in ("sentence_author_named", "author_named"):
        np.testing.assert_array_equal(evidence.column(name), named, name)
