"""A small library and a draft that cites from it, both written for these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool

PAPERS = (
    Paper(
        "transformer",
        "Sequence Transduction with Attention Alone",
        "A translation model that drops recurrence and convolution and only attends.",
        ("Ada Byron", "Max Planck"),
        2017,
    ),
    Paper("marsh", "Sediment Supply and the Growth of Tidal Marshes", "", ("Rosa Luz",), 2011),
    Paper("vectors", "Word Vectors from Large Corpora", "", ("Li Na", "Ada Byron"), 2013),
    Paper("parsing", "Fast Dependency Parsing with Neural Networks", "", ("Jo Smith",), 2014),
    Paper("gulls", "Nesting Habits of the Herring Gull", "", ("Nikolaas Vogel",), 1953),
)


@pytest.fixture(scope="session")
def encoder() -> CachedEncoder:
    return CachedEncoder(load_encoder(), on_disk=False)


@pytest.fixture
def pool() -> Pool:
    return Pool(PAPERS)


@pytest.fixture(scope="session")
def embedded(encoder: CachedEncoder) -> Pool:
    pool = Pool(PAPERS)
    pool.embed(encoder)
    return pool


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bibliography, and a home of its own for what is cached."""
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    folder = tmp_path / "desk"
    folder.mkdir()
    records = [
        f"@article{{{paper.id},\n  title = {{{paper.title}}},\n"
        f"  author = {{{' and '.join(paper.authors)}}},\n"
        f"  year = {{{paper.year}}},\n  abstract = {{{paper.abstract}}}\n}}\n"
        for paper in PAPERS
    ]
    (folder / "papers.bib").write_text("\n".join(records), encoding="utf-8")
    return folder
