"""What a corpus says of true entries, of altered ones, and of those that it lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from cite_lsp.encode import load_encoder
from cite_lsp.library import Entry
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.recommend.corpus.known_works import KnownWorks
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.rules.lookups import Lookups
from cite_lsp.rules.unverified_entry import verify
from cite_lsp.search.indexing.build import build_corpus
from tests.library.match.test_claims import (
    as_preprint,
    papers,
    with_other_authors,
    with_other_number,
    with_other_title,
    with_other_year,
    written,
)

KNOWN = [
    as_preprint(paper) if number % 4 == 3 else paper for number, paper in enumerate(papers(100))
]
"""Three of four have a DOI, the others an arXiv number."""


@pytest.fixture(scope="module")
def lookups(tmp_path_factory: pytest.TempPathFactory) -> Lookups:
    folder = tmp_path_factory.mktemp("corpora") / "words"
    build_corpus(folder, KNOWN, load_encoder(max_tokens=32))
    return Lookups(
        lines=lambda path: None,
        is_open=lambda path: False,
        known_works=KnownWorks(Corpora(("words",), root=folder.parent)),
        paths=WorkspacePaths(),
        naming_settings=lambda path: "",
    )


def statuses(entries: Sequence[Entry], lookups: Lookups) -> Counter[str]:
    return Counter(verification.status for verification in verify(entries, lookups))


def test_true_entries_are_verified(lookups: Lookups) -> None:
    draw = Random(1)
    assert statuses([written(paper, draw) for paper in KNOWN], lookups) == {"verified": 100}


def test_altered_entries_are_contradicted(lookups: Lookups) -> None:
    draw = Random(2)
    alterations = (with_other_number, with_other_title, with_other_authors, with_other_year)
    with_doi = [paper for paper in KNOWN if paper.doi]
    altered = [
        alter(paper, other)
        for paper, other in zip(with_doi[1:], with_doi, strict=False)
        for alter in alterations
    ]
    counts = statuses([written(paper, draw) for paper in draw.sample(altered, 100)], lookups)
    assert counts["contradicted"] >= 98 and counts["not found"] == 0


def test_what_no_corpus_has_is_not_found_and_never_contradicted(lookups: Lookups) -> None:
    draw, unknown = Random(3), papers(150)[100:]
    assert statuses([written(paper, draw) for paper in unknown], lookups) == {"not found": 50}


def test_without_a_number_the_title_is_enough(lookups: Lookups, tmp_path: Path) -> None:
    from attrs import evolve

    draw = Random(4)
    whole = [paper for paper in KNOWN if ":" not in paper.title]  # a subtitle may be left out
    bare = [written(evolve(paper, doi="", arxiv=""), draw) for paper in whole]
    assert statuses(bare, lookups) == {"verified": len(whole)}
