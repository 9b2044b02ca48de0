"""Did you mean: which keys of a library are near to one that it does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library import Library, LibraryCache
from cite_lsp.rules.did_you_mean import nearest_keys, nearest_lists

RECORDS = """
@article{jumper2021alphafold, author = {Jumper, John and Evans, Richard}, title = {A}, year = 2021}
@article{smith2020a, author = {Smith, Ann}, title = {B}, year = 2020}
@article{deep-learning:lecun, author = {LeCun, Yann}, title = {C}, year = 2015}
@article{DBLP:journals/corr/KingmaB14, author = {Kingma, Diederik P.}, title = {D}, year = {2014}}
@article{HeZRS16, author = {He, Kaiming}, title = {E}, year = {2016}}
@book{data, author = {Moor, Ada}, title = {F}, year = {1999}}
@misc{Vaswani_2017_Attention, author = {Vaswani, Ashish}, title = {G}, year = {2017}}
"""


def library(folder: Path) -> Library:
    path = folder / "refs.bib"
    path.write_text(RECORDS, encoding="utf-8")
    return LibraryCache().load([path])


def near(folder: Path, key: str) -> tuple[str, ...]:
    return nearest_keys(library(folder), key)


@pytest.mark.parametrize(
    ("key", "intended"),
    [
        ("jumper2021", "jumper2021alphafold"),
        ("Jumper2021", "jumper2021alphafold"),
        ("jumper_etal_2021", "jumper2021alphafold"),
        ("jumper2021highly", "jumper2021alphafold"),
        ("jumper21", "jumper2021alphafold"),
        ("2021jumper", "jumper2021alphafold"),
        ("jumper2021alphafold2_nature", "jumper2021alphafold"),
        ("smith2020", "smith2020a"),
        ("smith_2020", "smith2020a"),
        ("deep_learning_lecun", "deep-learning:lecun"),
        ("kingma2014adam", "DBLP:journals/corr/KingmaB14"),
        ("he2016deep", "HeZRS16"),
        ("vaswani:2017:attention", "Vaswani_2017_Attention"),
        ("vaswani2017", "Vaswani_2017_Attention"),
        ("moor1999birds", "data"),
    ],
)
def test_the_intended_key_is_named_first(tmp_path: Path, key: str, intended: str) -> None:
    assert near(tmp_path, key)[:1] == (intended,)


@pytest.mark.parametrize(
    "key", ["database_of_terns", "jumper1998", "nobody2021", "x21", "smith1920a"]
)
def test_a_key_that_only_begins_alike_or_shares_a_year_is_not(tmp_path: Path, key: str) -> None:
    assert not {"data", "jumper2021alphafold"}.intersection(near(tmp_path, key))


@pytest.mark.parametrize(
    ("written", "lists"),
    [
        ("jumper2021 mol", ("jumper2021alphafold,mol",)),
        ("HeZRS16 jumper2021", ("HeZRS16,jumper2021alphafold",)),
        ("HeZRS16 mol", ("HeZRS16,mol",)),
        ("jumper2021 alphafold", ()),
        ("Ter2021 mol", ()),
        ("attention is all you need", ()),
        ("jumper2021", ()),
    ],
)
def test_words_beside_a_key_are_parted_and_stay(
    tmp_path: Path, written: str, lists: tuple[str, ...]
) -> None:
    assert nearest_lists(library(tmp_path), written) == lists
