"""Corpora opened when needed, and again when rebuilt or removed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.recommend.corpus import registry
from cite_lsp.recommend.corpus.keys import CorpusKeys
from cite_lsp.recommend.corpus.known_works import KnownWorks
from cite_lsp.recommend.corpus.merge import CorpusMerger, CorpusQuery
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.corpus.test_merge import (
    CONTEXT,
    LIBRARY,
    PAPERS,
    ROOT,
    joined,
    library,
    merger_of,
    no_encoder,
)
from tests.recommend.shores import TopicEncoder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    build_corpus(tmp_path / "shores", PAPERS, TopicEncoder())
    return tmp_path


def test_nothing_is_opened_before_a_draft_is_made_ready(root: Path) -> None:
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    merger = CorpusMerger(corpora, CorpusKeys(corpora))
    assert joined(merger, library()) == ()


def test_a_new_version_is_seen_and_a_removed_corpus_too(root: Path) -> None:
    merger = merger_of(root)
    assert len(joined(merger, library())) == 4
    build_corpus(root / "shores", PAPERS[:1], TopicEncoder())
    assert [recommendation.paper.id for recommendation in joined(merger, library())] == ["t1"]
    shutil.rmtree(root / "shores")
    assert joined(merger, library()) == ()


def test_a_corpus_that_was_looked_things_up_in_is_not_opened_again_to_rank(root: Path) -> None:
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    looked_up = corpora.indexes()["shores"]
    corpora.prepare(TopicEncoder())
    (opened,) = corpora.opened()
    assert opened.index is looked_up is corpora.indexes()["shores"]


def test_a_corpus_that_was_removed_and_built_again_is_opened_again(root: Path) -> None:
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    corpora.indexes()
    corpora.prepare(TopicEncoder())
    shutil.rmtree(root / "shores")
    assert corpora.opened() == ()
    build_corpus(root / "shores", PAPERS[:1], TopicEncoder())  # version 1, as before
    assert [len(corpus.index) for corpus in corpora.opened()] == [1]


def test_rows_of_a_corpus_are_forgotten_with_it(root: Path) -> None:
    merger = merger_of(root)
    tides = "@article{tides, title={Tide tables of the south}, author={Moor, Ann}, year=2001}\n"
    cited = evolve(CONTEXT, section_cited=("tides",))

    def paper_ids() -> set[str]:
        own = library(LIBRARY + tides)
        listed = merger.join(CorpusQuery(own, ROOT, cited), (), limit=10)
        return {recommendation.paper.id for recommendation in listed}

    assert paper_ids() == {"t1", "t3", "m1"}
    shutil.rmtree(root / "shores")
    assert paper_ids() == set()
    build_corpus(root / "shores", PAPERS[:1], TopicEncoder())  # version 1, as before
    assert paper_ids() == {"t1"}


def test_rows_are_found_though_what_was_remembered_is_forgotten_meanwhile(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_CACHED_ROWS", 1)
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    corpora.prepare(TopicEncoder())
    (corpus,) = corpora.opened()
    for _ in range(2):
        assert corpora.rows_of(corpus, PAPERS) == [0, 1, 2, 3]


def test_closed_corpora_are_none_whoever_still_asks(root: Path) -> None:
    merger = merger_of(root)
    assert joined(merger, library()) != ()
    merger.corpora.close()
    merger.prepare(library(), [], TopicEncoder())
    assert joined(merger, library()) == () and merger.corpora.names() == ()
    assert KnownWorks(merger.corpora).records(library().entries) == [()]


def test_a_corpus_whose_encoder_is_gone_is_searched_by_words(root: Path) -> None:
    corpora = Corpora(None, root=root, load_encoder=no_encoder)
    merger = CorpusMerger(corpora, CorpusKeys(corpora))
    merger.prepare(library(), [], None)
    recommendations = merger.join(CorpusQuery(library(), ROOT, CONTEXT), (), limit=2)
    assert {recommendation.paper.id for recommendation in recommendations} < {"t1", "t2", "t3"}
    assert not any(
        reason.kind == "sentence"
        for recommendation in recommendations
        for reason in recommendation.reasons
    )
