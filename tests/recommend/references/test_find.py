"""The references that a draft lacks, of its library and of a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.references.find import find_references
from cite_lsp.recommend.references.missing_references import DraftReferences

ENTRIES = {
    "tide": ("The Tide and its Causes", "Moor, Ada"),
    "marsh": ("Marsh and Tide", "Luz, Bo"),
    "gull": ("A Gull in the Dune", "Vogel, Cy"),
    "tide2": ("The Tide and Its Causes", "Moor, Ada"),
    "own": ("On the Gull and the Marsh", "Me, My"),
}
TEXT = r"""\title{On the gull and the marsh}
\section{Water}
The tide comes twice a day to every shore of the world \cite{tide}.
It is the marsh that grows by what it brings to it.
\section{Birds}
Every gull is said to nest where the dune is high and dry.
\bibliography{refs}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    entries = "".join(
        f"@article{{{key}, title = {{{title}}}, author = {{{author}}}, year = 2001}}\n"
        for key, (title, author) in ENTRIES.items()
    )
    (tmp_path / "refs.bib").write_text(entries)
    (tmp_path / "main.tex").write_text(TEXT)
    return tmp_path


@pytest.fixture
def recommender(folder: Path) -> DraftRecommender:
    """One without an encoder: by words alone."""
    return DraftRecommender(DraftReader(FilesOnDisk().read))


def keys_of(references: DraftReferences) -> list[str]:
    return [item.recommendation.key for group in references.groups for item in group.references]


def draft_in(folder: Path, recommender: DraftRecommender) -> Draft:
    return recommender.draft(folder / "main.tex")


def test_entries_that_are_not_cited_are_found_with_their_places(
    folder: Path, recommender: DraftRecommender
) -> None:
    references = find_references(recommender, draft_in(folder, recommender))
    assert sorted(keys_of(references)) == ["gull", "marsh"], "not what is cited, nor itself"
    assert references.papers == 4
    (place,) = (
        item.place
        for group in references.groups
        for item in group.references
        if item.recommendation.key == "gull"
    )
    assert place is not None and place.section == "Birds"
    assert references.completeness.nearest == 0, "nobody knows who cites whom"


def test_every_paper_has_a_reason_and_others_are_left_out(
    folder: Path, recommender: DraftRecommender
) -> None:
    with (folder / "refs.bib").open("a") as file:
        file.write("@book{cookery, title = {Cookery for All}, author = {Cook, Al}, year = 1999}\n")
    references = find_references(recommender, draft_in(folder, recommender), limit=50)
    assert references.papers == 5 and sorted(keys_of(references)) == ["gull", "marsh"]
    reasons = {
        item.recommendation.key: [reason.words for reason in item.recommendation.reasons]
        for group in references.groups
        for item in group.references
    }
    assert reasons["marsh"] == [("Water", "Marsh", "Tide")]


def test_the_list_is_no_longer_than_asked_for(folder: Path, recommender: DraftRecommender) -> None:
    references = find_references(recommender, draft_in(folder, recommender), limit=1)
    assert len(keys_of(references)) == 1


def test_scores_are_probabilities(folder: Path, recommender: DraftRecommender) -> None:
    references = find_references(recommender, draft_in(folder, recommender))
    scores = [item.recommendation.score for group in references.groups for item in group.references]
    assert all(0 < score < 1 for score in scores)


def test_where_everything_is_cited_nothing_is_left(
    folder: Path, recommender: DraftRecommender
) -> None:
    cited = f"\\cite{{{','.join(ENTRIES)}}}"
    (folder / "main.tex").write_text(TEXT.replace(r"\cite{tide}", cited))
    references = find_references(recommender, draft_in(folder, recommender))
    assert references.groups == () and references.papers == 0


def test_progress_is_told_from_the_first_step_to_the_last(
    folder: Path, recommender: DraftRecommender
) -> None:
    steps: list[tuple[int, int]] = []
    find_references(
        recommender, draft_in(folder, recommender), progress=lambda *step: steps.append(step)
    )
    assert steps[0] == (0, 3) and steps[-1] == (3, 3)
    assert steps == sorted(steps)


def test_it_ends_wherever_it_is_cancelled(folder: Path, recommender: DraftRecommender) -> None:
    draft = draft_in(folder, recommender)
    calls = 0

    def cancelled() -> bool:
        nonlocal calls
        calls += 1
        return calls == last

    last = -1
    find_references(recommender, draft, cancelled=cancelled)
    total = calls
    assert total >= 4
    for last in (1, total // 2, total):
        calls = 0
        with pytest.raises(Cancelled):
            find_references(recommender, draft, cancelled=cancelled)
        assert calls == last, "nothing is done behind it"
