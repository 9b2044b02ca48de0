"""Citations of a work where another one of the library fits far better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.missing.doubts import LIKELY, TIMES, find_doubts

LIBRARY = """\
@article{gulls, title = {Nesting Habits of the Herring Gull}, author = {Vogel, N.}, year = 1953}
@article{marsh, title = {Silt and the Growth of Marshes}, author = {Luz, Rosa}, year = 2011}
@article{marsh2, title = {Silt and the Growth of Marshes}, author = {Luz, Rosa}, year = 2011}
"""
TEXT = r"""\documentclass{article}
\begin{document}
Gulls nest on cliffs \cite{marsh}. They lay eggs \cite{gulls,marsh}. It is loud \cite{nobody}.
\bibliography{refs}
\end{document}
"""


class Scores:
    """Ranks by given scores, and counts how often it was asked."""

    def __init__(self, scores: dict[str, float], *, semantic: bool = True) -> None:
        self.scores, self.asked, self.semantic = scores, 0, semantic

    def compare(self, draft: Draft, context: Any, systems: object) -> Any:  # noqa: ANN401
        assert not context.marker_cited, "the marker is ranked for without its key"
        self.asked += 1
        return {"default": tuple(self.scores.items())}


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    (tmp_path / "refs.bib").write_text(LIBRARY, encoding="utf-8")
    path = tmp_path / "draft.tex"
    path.write_text(TEXT, encoding="utf-8")
    return DraftReader(FilesOnDisk().read).draft(path)


def better(draft: Draft, scores: dict[str, float]) -> str | None:
    (entry,) = find_doubts(Scores(scores), draft).values()  # type: ignore[arg-type]
    return None if entry is None else entry.key


def test_what_is_next_to_impossible_is_in_doubt_where_another_work_is_likely(draft: Draft) -> None:
    impossible = LIKELY / TIMES
    assert better(draft, {"gulls": LIKELY, "marsh": impossible * 0.9}) == "gulls"
    assert better(draft, {"gulls": LIKELY, "marsh": impossible * 1.1}) is None
    assert better(draft, {"gulls": LIKELY * 0.9, "marsh": 0.0}) is None
    assert better(draft, {"marsh": LIKELY, "gulls": 0.0}) is None


def test_the_same_work_under_another_key_is_no_reason_for_doubt(draft: Draft) -> None:
    assert better(draft, {"marsh2": 0.99, "marsh": 0.0001}) is None


def test_only_markers_of_one_known_key_are_judged_and_each_once(draft: Draft) -> None:
    scores = Scores({"gulls": 0.99, "marsh": 0.0001})
    doubts = find_doubts(scores, draft)  # type: ignore[arg-type]
    assert [key for key, _ in doubts] == ["marsh"] and scores.asked == 1
    again = find_doubts(scores, draft, doubts)  # type: ignore[arg-type]
    assert again == doubts and scores.asked == 1


def test_nothing_is_in_doubt_where_papers_are_ranked_by_words_only(draft: Draft) -> None:
    scores = Scores({"gulls": 0.99, "marsh": 0.0}, semantic=False)
    assert find_doubts(scores, draft) == {} and not scores.asked  # type: ignore[arg-type]


def test_it_can_be_stopped_and_tells_how_far_it_is(draft: Draft) -> None:
    scores, told = Scores({"gulls": 0.99, "marsh": 0.0001}), []
    find_doubts(
        scores,  # type: ignore[arg-type]
        draft,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(0, 1), (1, 1)]
    with pytest.raises(Cancelled):
        find_doubts(scores, draft, cancelled=lambda: True)  # type: ignore[arg-type]
