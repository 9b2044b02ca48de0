"""From a file and an offset to papers: what server, command line and evaluation call."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from weakref import ref

import pytest

from cite_lsp import paths
from cite_lsp.cancelling import Cancelled
from cite_lsp.library.match import match
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library import library_index
from cite_lsp.recommend.models import ModelNames
from cite_lsp.translate.cached_translator import CachedTranslator
from cite_lsp.translate.translator import Check

DRAFT = r"""\documentclass{article}
\begin{document}
\section{Introduction}
Models that only attend, without recurrence, translate better \cite{}.
Gulls nest on cliffs \cite{gulls}. Words become vectors in large corpora.
\bibliography{papers}
\end{document}
"""


@pytest.fixture
def draft(desk: Path) -> Path:
    path = desk / "draft.tex"
    path.write_text(DRAFT, encoding="utf-8")
    return path


@pytest.fixture
def recommender(draft: Path) -> DraftRecommender:
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    recommender.prepare(draft)
    return recommender


def complete(recommender: DraftRecommender, path: Path, text: str, place: str) -> list[str]:
    path.write_text(text, encoding="utf-8")
    completion = recommender.complete(recommender.draft(path), text.index(place) + len(place))
    assert completion is not None
    return [item.key for item in completion.recommendations]


def test_an_empty_marker_gets_the_whole_library_the_right_paper_first(
    recommender: DraftRecommender, draft: Path
) -> None:
    completion = complete(recommender, draft, DRAFT, "better \\cite{")
    assert completion[0] == "transformer" and len(completion) == 5


def test_what_is_typed_filters_by_title_author_and_year(
    recommender: DraftRecommender, draft: Path
) -> None:
    for typed in ("herring nest", "VOGEL", "1953", "habits 1953 vogel", "gul"):
        text = DRAFT.replace(r"better \cite{}", rf"better \cite{{{typed}}}")
        assert complete(recommender, draft, text, typed) == ["gulls"], typed


def test_a_half_typed_command_completes_too(recommender: DraftRecommender, draft: Path) -> None:
    text = DRAFT.replace(r"better \cite{}.", r"better \cite{marsh")
    assert complete(recommender, draft, text, "marsh") == ["marsh"]


def test_the_key_typed_in_full_comes_first(recommender: DraftRecommender, draft: Path) -> None:
    text = DRAFT.replace(r"better \cite{}", r"better \cite{vectors}")
    assert complete(recommender, draft, text, r"better \cite{vectors")[0] == "vectors"


def test_other_keys_of_the_marker_are_not_offered(
    recommender: DraftRecommender, draft: Path
) -> None:
    text = DRAFT.replace(r"better \cite{}", r"better \cite{transformer, }")
    completion = complete(recommender, draft, text, "{transformer, ")
    assert "transformer" not in completion and len(completion) == 4


def test_outside_of_a_marker_there_is_nothing_to_complete(
    recommender: DraftRecommender, draft: Path
) -> None:
    assert recommender.complete(recommender.draft(draft), DRAFT.index("Gulls")) is None


def test_a_bare_sentence_gets_recommendations(recommender: DraftRecommender, draft: Path) -> None:
    assert (
        recommender.recommend(recommender.draft(draft), DRAFT.index("Words become"))[0].key
        == "vectors"
    )


def test_the_work_that_a_sentence_cites_in_words_comes_first_however_little_it_fits(
    recommender: DraftRecommender, draft: Path
) -> None:
    for said in ("(Vogel, 1953)", "(see Vogel 1953, p. 3)"):
        text = DRAFT.replace("large corpora.", f"large corpora {said}.")
        draft.write_text(text, encoding="utf-8")
        (only,) = recommender.recommend(
            recommender.draft(draft), text.index("Words become"), limit=1
        )
        assert only.key == "gulls"
    text = DRAFT.replace("large corpora.", "large corpora (Vogel, 1954).")
    draft.write_text(text, encoding="utf-8")
    papers = recommender.recommend(recommender.draft(draft), text.index("Words become"))
    assert papers[0].key == "vectors"


def test_completion_and_recommendation_agree_at_an_empty_marker(
    recommender: DraftRecommender, draft: Path
) -> None:
    offset = DRAFT.index(r"\cite{}") + len(r"\cite{")
    completion = recommender.complete(recommender.draft(draft), offset)
    assert completion is not None
    assert [item.key for item in completion.recommendations] == [
        item.key for item in recommender.recommend(recommender.draft(draft), offset)
    ]


def test_before_the_encoder_is_there_words_rank(draft: Path) -> None:
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    assert not recommender.semantic
    completion = complete(
        recommender, draft, DRAFT.replace("attend", "attention alone"), r"better \cite{"
    )
    assert completion[0] == "transformer"
    recommender.prepare(draft)
    assert recommender.semantic


def test_the_words_of_a_library_are_read_before_any_is_typed(
    recommender: DraftRecommender, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def remember(record: object, script: object) -> str:
        read.append(record)
        return ""

    monkeypatch.setattr(match, "matched_text", remember)
    text = DRAFT.replace(r"better \cite{}", r"better \cite{gul}")
    assert complete(recommender, draft, text, r"\cite{gul") == ["gulls"]
    assert not read


def test_a_large_library_can_be_cited_before_it_is_indexed(
    draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_index, "_LARGE", 5)
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    keys = [entry.key for entry in recommender.draft(draft).library.entries]
    everything = complete(recommender, draft, DRAFT, "better \\cite{")
    assert everything[0] == "gulls"  # which the draft cites
    assert everything[1:] == [key for key in keys if key != "gulls"]
    for typed, expected in (("gul", ["gulls"]), ("NEST herring", ["gulls"]), ("gul zzz", [])):
        text = DRAFT.replace(r"better \cite{}", rf"better \cite{{marsh, {typed}}}")
        assert complete(recommender, draft, text, typed) == expected, typed
    text = DRAFT.replace(r"better \cite{}", r"better \cite{marsh, }")
    assert "marsh" not in complete(recommender, draft, text, "marsh, ")

    recommender.prepare(draft)
    assert complete(recommender, draft, DRAFT, "better \\cite{")[0] == "transformer"


def test_an_encoder_that_cannot_be_had_leaves_words(
    draft: Path, caplog: pytest.LogCaptureFixture
) -> None:
    recommender = DraftRecommender(
        DraftReader(FilesOnDisk().read), models=ModelNames("no-such-encoder")
    )
    recommender.prepare(draft)
    assert not recommender.semantic
    assert "no-such-encoder" in caplog.text and "ranking by words" in caplog.text
    assert len(complete(recommender, draft, DRAFT, r"better \cite{")) == 5


def test_an_entry_added_to_the_bibliography_is_offered_at_once(
    recommender: DraftRecommender, draft: Path
) -> None:
    path = draft.parent / "papers.bib"
    path.write_text(
        path.read_text(encoding="utf-8")
        + "@book{urns, title = {Urn Burial}, author = {Thomas Browne}, year = 1658}\n",
        encoding="utf-8",
    )
    text = DRAFT.replace(r"better \cite{}", r"better \cite{urn}")
    assert complete(recommender, draft, text, r"\cite{urn") == ["urns"]


def test_the_letters_of_a_bibliography_s_name_cost_no_pool_each(
    recommender: DraftRecommender, draft: Path
) -> None:
    pool = recommender.pool(recommender.draft(draft).library)
    for size in range(1, 8):
        text = DRAFT.replace("{papers}", f"{{papers,{'another'[:size]}}}")
        assert complete(recommender, draft, text, r"better \cite{")[0] == "transformer"
        library = recommender.draft(draft).library
        assert len(library.bibliographies) == 2 and recommender.pool(library) is pool
    assert pool.embedded


def test_the_pool_of_a_library_that_changed_is_not_cached(
    recommender: DraftRecommender, draft: Path
) -> None:
    before = ref(recommender.pool(recommender.draft(draft).library))
    complete(recommender, draft, DRAFT, r"better \cite{")
    path = draft.parent / "papers.bib"
    path.write_text(path.read_text(encoding="utf-8").replace("Gull}", "Gulls}"), encoding="utf-8")
    complete(recommender, draft, DRAFT, r"better \cite{")
    assert before() is None


def test_the_open_buffer_counts_and_not_the_file(draft: Path) -> None:
    disk = FilesOnDisk().read
    buffers = {draft: DRAFT.replace("nest on cliffs", "nest on roofs")}
    recommender = DraftRecommender(DraftReader(lambda path: buffers.get(path) or disk(path)))
    assert "roofs" in recommender.draft(draft).manuscript.text


def test_extra_bibliographies_belong_to_the_library(draft: Path) -> None:
    extra = draft.parent / "more" / "extra.bib"
    extra.parent.mkdir()
    extra.write_text("@book{urns, title = {Urn Burial}}\n", encoding="utf-8")
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read, extra_bibliographies=[extra]))
    assert recommender.draft(draft).library.get("urns") is not None


def test_a_missing_bibliography_is_a_problem_and_no_failure(desk: Path) -> None:
    path = desk / "lost.tex"
    path.write_text("A claim \\cite{}. \\bibliography{nowhere}\n", encoding="utf-8")
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    recommender.prepare(path)
    draft = recommender.draft(path)
    assert [problem.path.name for problem in draft.problems] == ["nowhere.bib"]
    completion = recommender.complete(recommender.draft(path), 14)
    assert completion is not None and completion.recommendations == ()


def test_a_file_that_is_not_there_is_an_empty_draft(desk: Path) -> None:
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    assert recommender.draft(desk / "none.tex").manuscript.text == ""
    assert recommender.complete(recommender.draft(desk / "none.tex"), 5) is None


def test_a_cancelled_completion_stops(recommender: DraftRecommender, draft: Path) -> None:
    with pytest.raises(Cancelled):
        recommender.complete(
            recommender.draft(draft), DRAFT.index("{}") + 1, cancelled=lambda: True
        )


def test_a_chinese_sentence_is_written_down_translated_when_it_has_its_end(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plain:
        name = fingerprint = "plain"
        translated_texts: list[str] = []

        def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
            assert check is not None
            check()
            self.translated_texts += texts
            return ["The herring gulls" for _ in texts]

    def opened(name: str) -> CachedTranslator:
        return CachedTranslator(Plain(), desk / "kept")

    monkeypatch.setattr("cite_lsp.recommend.models.open_translator", opened)
    path = desk / "chinese.tex"
    texts: dict[Path, str] = {}
    recommender = DraftRecommender(DraftReader(texts.get), models=ModelNames(translator="plain"))
    sentence = "海鸥在悬崖上筑巢。"
    texts[path] = sentence
    recommender.prepare(path)
    for end in range(3, len(sentence) + 1):
        texts[path] = sentence[:end]
        recommender.recommend(recommender.draft(path), 1)
        recommender.recommend(recommender.draft(path), 1)
    assert len(Plain.translated_texts) == len(sentence) - 2
    texts[path] = "浪很大"
    with pytest.raises(Cancelled):
        recommender.recommend(recommender.draft(path), 1, cancelled=lambda: True)
    Plain.translated_texts.clear()
    opened("plain").translate([sentence[:-1], sentence], check=lambda: None)
    assert Plain.translated_texts == [sentence[:-1]]


@pytest.mark.parametrize(("typing", "stored"), [(True, False), (False, True)])
def test_vectors_are_stored_of_text_that_is_not_being_typed(
    draft: Path, typing: bool, stored: bool
) -> None:
    text = "A sentence that nobody has read before \\cite{}."
    draft.write_text(draft.read_text().replace("\\end{document}", f"{text}\\end{{document}}"))
    place = draft.read_text().index("\\cite{}") + len("\\cite{")
    with DraftRecommender(DraftReader(FilesOnDisk().read), typing=typing) as recommender:
        recommender.load_encoder()
        recommender.prepare(draft)
        before = rows_on_disk()
        assert recommender.complete(recommender.draft(draft), place) is not None
        assert (rows_on_disk() > before) is stored


def rows_on_disk() -> int:
    """Return how many vectors all encoders have stored."""
    rows = 0
    for file in (paths.cache_folder() / "embeddings").glob("*.sqlite"):
        with closing(sqlite3.connect(file)) as connection:
            rows += connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return rows
