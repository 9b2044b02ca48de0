"""What the recommender of a draft depends on of all settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.server.config.options import Options, read_options
from cite_lsp.server.config.setup import setup_of


@pytest.mark.parametrize(
    "settings",
    [
        {"encoder": "static"},
        {"citeCommands": ["Quelle"]},
        {"corpora": ["acl"]},
        {"remote": {"wait": 500}},
        {"otherDrafts": False},
        {"method": "two-phase"},
        {"twoPhase": {"candidates": 30}},
        {"zotero": {"collection": "Thesis"}},
        {"zotero": {"library": "Reading Group"}},
    ],
)
def test_what_papers_are_found_or_ranked_by_makes_another_setup(settings: object) -> None:
    options, complaints = read_options(("x", settings))
    assert not complaints and setup_of(options, ()) != setup_of(Options(), ())


def test_what_is_shown_makes_no_other_setup() -> None:
    options, complaints = read_options(("x", {"completion": {"limit": 3}, "log.level": "debug"}))
    assert not complaints and setup_of(options, ()) == setup_of(Options(), ())


def test_bibliographies_are_the_same_by_each_of_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    by_name, in_full = Path("refs.bib"), tmp_path / "drafts" / ".." / "refs.bib"
    assert setup_of(Options(), [by_name]) == setup_of(Options(), [in_full])


def test_the_token_of_a_remote_corpus_is_not_printed() -> None:
    options, _ = read_options(("x", {"remote": {"token": "ada:secret"}}))
    setup = setup_of(options, ())
    assert setup.remote_token == "ada:secret" and "secret" not in repr(setup)
