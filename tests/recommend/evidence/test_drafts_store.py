"""What the writer's other drafts cite: stored with one draft, and used in the next."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.word_overlap import checksums
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.evidence import drafts_store
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.evidence.other_drafts import CitingDraft, OtherDraftCitations
from cite_lsp.recommend.library.citation_history import DraftHistory
from cite_lsp.recommend.library.recommender import Recommender

BEFORE = r"""\documentclass{article}
\title{Birds of the Shore}
\begin{document}
Whoever counts the colonies twice a year needs patience above all \cite{gulls}.
The ground below them grows slowly \cite{marsh, unheard}.
\bibliography{papers}
\end{document}
"""
NOW = r"""\documentclass{article}
\begin{document}
Whoever counts the colonies twice a year needs patience above all \cite{}.
\bibliography{papers}
\end{document}
"""


def write(desk: Path, name: str, text: str) -> Path:
    path = desk / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def recommender(others: OtherDrafts | None = None) -> DraftRecommender:
    return DraftRecommender(DraftReader(FilesOnDisk().read), other_drafts=others)


def keys(engine: DraftRecommender, path: Path) -> list[str]:
    engine.prepare(path)
    offset = path.read_text(encoding="utf-8").index(r"\cite{}") + len(r"\cite{")
    completion = engine.complete(engine.draft(path), offset)
    assert completion is not None
    return [recommendation.key for recommendation in completion.recommendations]


def citing(*places: tuple[str, str], title: str = "Before", **more: object) -> CitingDraft:
    """Return a draft with places: what each says, and the title of what it cites there."""
    titles = list(dict.fromkeys(cited for _, cited in places))
    return CitingDraft(
        title,
        tuple(Paper(title, title) for title in titles),
        tuple(np.array([titles.index(cited)]) for _, cited in places),
        tuple(checksums(text) for text, _ in places),
        **{"vectors": np.zeros((0, 0), dtype=np.float32), **more},  # type: ignore[arg-type]
    )


def test_what_was_cited_beside_these_words_in_another_draft_comes_first(desk: Path) -> None:
    now = write(desk, "now.tex", NOW)
    alone = keys(recommender(), now)
    others = OtherDrafts()
    recommender(others).prepare(write(desk, "before.tex", BEFORE))
    engine = recommender(others)
    assert keys(engine, now)[0] == "gulls"
    assert alone.index("gulls") > 0
    (first, *_) = engine.recommend(engine.draft(now), NOW.index(r"\cite{}") + 6)
    reasons = {reason.kind: reason for reason in first.reasons}
    assert reasons["other-draft"].words == ("Birds of the Shore",)
    assert reasons["other-draft"].value > 0.9


def test_a_server_started_anew_knows_the_drafts_of_before(desk: Path) -> None:
    recommender(OtherDrafts()).prepare(write(desk, "before.tex", BEFORE))
    assert keys(recommender(OtherDrafts()), write(desk, "now.tex", NOW))[0] == "gulls"


def test_a_draft_is_not_its_own_witness(desk: Path) -> None:
    others = OtherDrafts()
    both = NOW.replace(r"\bibliography", "Whoever counts twice \\cite{gulls}.\n\\bibliography")
    now = write(desk, "now.tex", both)
    alone = keys(recommender(), now)
    assert keys(recommender(others), now) == alone == keys(recommender(others), now)
    assert others.beside(now) is None


@pytest.mark.skipif(os.name == "nt", reason="the rule of Windows stands in for that of POSIX")
def test_nor_is_it_where_its_path_is_spelled_otherwise(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "normcase", lambda path: os.fspath(path).lower())
    before = write(desk, "before.tex", BEFORE)
    recommender(OtherDrafts()).prepare(before)
    (desk / "BEFORE.tex").hardlink_to(before)
    others = OtherDrafts()
    assert others.beside(desk / "BEFORE.tex") is None
    assert others.forget(desk / "BEFORE.tex") and not others.stored()


def test_other_keys_and_other_bibliographies_make_no_difference(desk: Path) -> None:
    recommender(OtherDrafts()).prepare(write(desk, "before.tex", BEFORE))
    elsewhere = desk.parent / "elsewhere"
    record = (
        "@book{vogel53,\n title = {Nesting Habits of the Herring {G}ull},\n author = {N. Vogel}}\n"
    )
    other = "@book{other,\n title = {Patience},\n author = {A. Fry}}\n"
    write(elsewhere, "papers.bib", other + record)
    assert keys(recommender(OtherDrafts()), write(elsewhere, "now.tex", NOW))[0] == "vogel53"


def test_no_word_of_the_prose_is_stored(desk: Path) -> None:
    others = OtherDrafts()
    recommender(others).prepare(write(desk, "before.tex", BEFORE))
    (stored_file,) = (desk.parent / "home" / "cache" / "drafts").iterdir()
    with np.load(stored_file) as file:
        raw = b"".join(file[name].tobytes() for name in file.files)
    assert b"Herring Gull" in raw  # what is cited
    assert stored_file.stat().st_mode & 0o077 == 0
    for word in (b"colonies", b"patience", b"slowly"):
        assert word not in raw.lower()


def test_what_a_draft_no_longer_cites_is_forgotten(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts_store, "_SECONDS_BETWEEN_WRITES", 0.0)
    others, before = OtherDrafts(), write(desk, "before.tex", BEFORE)
    engine, now = recommender(others), write(desk, "now.tex", NOW)
    engine.prepare(before)
    evidence = others.beside(now)
    assert evidence is not None and {title.id for title in evidence.papers} == {
        "Nesting Habits of the Herring Gull",
        "Sediment Supply and the Growth of Tidal Marshes",
    }
    engine.prepare(write(desk, "before.tex", BEFORE.replace(r" \cite{gulls}", "")))
    evidence = others.beside(now)
    assert evidence is not None and len(evidence.papers) == 1
    engine.prepare(write(desk, "before.tex", NOW))
    assert others.beside(now) is None


def test_a_draft_that_is_being_written_is_not_stored_at_every_change(desk: Path) -> None:
    others, before = OtherDrafts(), write(desk, "before.tex", BEFORE)
    engine = recommender(others)
    engine.prepare(before)
    engine.prepare(write(desk, "before.tex", BEFORE.replace(r" \cite{gulls}", "")))
    evidence = OtherDrafts().beside(desk / "now.tex")  # as another server reads it
    assert evidence is not None and len(evidence.papers) == 2
    evidence = others.beside(desk / "now.tex")
    assert evidence is not None and len(evidence.papers) == 1


def test_a_draft_that_is_gone_tells_nothing(desk: Path) -> None:
    before = write(desk, "before.tex", BEFORE)
    recommender(OtherDrafts()).prepare(before)
    assert OtherDrafts().beside(desk / "now.tex") is not None
    before.unlink()
    assert OtherDrafts().beside(desk / "now.tex") is None


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 cut off", b"not an archive"])
def test_a_damaged_file_is_done_without_and_written_again(desk: Path, damage: bytes) -> None:
    before = write(desk, "before.tex", BEFORE)
    recommender(OtherDrafts()).prepare(before)
    (stored_file,) = (desk.parent / "home" / "cache" / "drafts").iterdir()
    stored_file.write_bytes(damage)
    now = write(desk, "now.tex", NOW)
    assert keys(recommender(OtherDrafts()), now)
    recommender(OtherDrafts()).prepare(before)
    assert keys(recommender(OtherDrafts()), now)[0] == "gulls"


def test_a_folder_that_cannot_be_written_costs_the_memory_and_nothing_else(
    desk: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    engine = recommender(OtherDrafts(taken))
    assert keys(engine, write(desk, "now.tex", NOW))
    engine.prepare(write(desk, "before.tex", BEFORE))
    assert f"{taken}: what the draft cites cannot be kept" in caplog.text


def test_a_draft_that_could_not_be_written_is_written_once_that_works_again(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts_store, "_SECONDS_BETWEEN_WRITES", 0.0)
    before = write(desk, "before.tex", BEFORE)
    others = OtherDrafts()
    engine = recommender(others)

    def full(*arguments: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as disk:
        disk.setattr(drafts_store, "write_arrays", full)
        engine.prepare(before)
    assert others.unwritten == {before}
    engine.prepare(before)
    assert others.unwritten == set()
    assert [draft.root for draft in others.stored()] == [before]


def test_a_draft_that_cannot_be_written_is_not_tried_at_every_change(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []

    def full(*arguments: object) -> None:
        attempts.append(arguments)
        raise OSError("no space left")

    monkeypatch.setattr(drafts_store, "write_arrays", full)
    before = write(desk, "before.tex", BEFORE)
    engine = recommender(OtherDrafts())
    for _ in range(3):
        engine.prepare(before)
    assert len(attempts) == 1


def test_the_oldest_of_too_many_drafts_go(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts_store, "_MOST_FILES", 2)
    others = OtherDrafts()
    folder = desk.parent / "home" / "cache" / "drafts"
    for number in range(4):
        recommender(others).prepare(write(desk, f"before{number}.tex", BEFORE))
        for place, file in enumerate(
            sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
        ):
            os.utime(file, (place, place))
    assert len(list(folder.iterdir())) == 2


def test_a_server_knows_all_drafts_and_does_not_start_over_for_its_own(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts_store, "_SECONDS_BETWEEN_WRITES", 0.0)
    others, before = OtherDrafts(), write(desk, "before.tex", BEFORE)
    engine = recommender(others)
    assert others.all() == ()
    engine.prepare(before)
    (draft,) = others.all()
    assert (draft.root, draft.title) == (before, "Birds of the Shore")
    assert draft.vectors.shape[0] == len(draft.near) == len(draft.words) == 2
    engine.prepare(write(desk, "before.tex", BEFORE.replace(r" \cite{gulls}", "")))
    assert others.all() == (draft,)
    recommender(OtherDrafts()).prepare(write(desk, "another.tex", BEFORE))
    assert {draft.root.name: len(draft.words) for draft in others.all()} == {
        "another.tex": 2,
        "before.tex": 1,
    }
    (desk / "another.tex").unlink()
    recommender(OtherDrafts()).prepare(write(desk, "third.tex", BEFORE))
    assert {draft.root.name for draft in others.all()} == {"before.tex", "third.tex"}


def test_a_chapter_that_has_become_part_of_a_draft_is_no_draft_of_its_own(desk: Path) -> None:
    others = OtherDrafts()
    engine = recommender(others)
    chapter = "Whoever counts twice needs patience \\cite{gulls}.\n"
    engine.prepare(write(desk, "chapter.tex", chapter))
    body = r"\input{chapter}\bibliography{papers}"
    main = rf"\documentclass{{book}}\begin{{document}}{body}\end{{document}}"
    now = write(desk, "main.tex", main)
    engine.prepare(now)
    assert [draft.root.name for draft in OtherDrafts().all()] == ["main.tex"]
    assert others.beside(now) is None


def test_a_copy_of_the_draft_does_not_teach_how_it_cites(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    elsewhere = OtherDraftCitations([citing(("gulls nest", "Nesting Habits of the Herring Gull"))])
    rows = elsewhere.at_rows(np.array([embedded.row_of["gulls"]]), len(embedded))
    context = Context("Gulls nest ", ".", "Gulls nest .")
    plain, engine = (
        Recommender(
            embedded, Encoders(encoder), history=DraftHistory(other_drafts=citations)
        ).observe(context, ["gulls"])
        for citations in (None, rows)
    )
    assert engine.logits == pytest.approx(plain.logits)
