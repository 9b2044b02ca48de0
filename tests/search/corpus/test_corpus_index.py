"""A corpus on disk: whole or not at all, and nothing encoded twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.encode import Vectors
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import (
    CorpusIndex,
    current_version,
    list_corpora,
    named_version,
)
from cite_lsp.search.corpus.paper_columns import PaperColumns, title_key
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.indexing import steps
from cite_lsp.search.indexing.build import Provenance, build_corpus
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.vectors.stored_vectors import StoredVectors, key_array, text_key
from cite_lsp.search.vectors.vector_index import SearchIndexError
from tests.stand_in_encoders import HashEncoder


class Encoder(HashEncoder):
    """Fails after some batches if told to."""

    name = "fake"

    def __init__(
        self, fingerprint: str = "fake-1", dimensions: int = 16, batches: int | None = None
    ) -> None:
        super().__init__(fingerprint, dimensions)
        self.batches = batches

    def encode(
        self, texts: Sequence[str], *, cancelled: Callable[[], bool] | None = None
    ) -> Vectors:
        if self.batches is not None:
            if not self.batches:
                raise KeyboardInterrupt
            self.batches -= 1
        return super().encode(texts, cancelled=cancelled)


PAPERS = [
    Paper(
        id=f"p{number}",
        title=f"Tides {number}",
        abstract="" if number % 3 else f"About shore {number}",
        authors=("Ada Moor", "吴菲") if number == 1 else (),
        year=2000 + number if number != 2 else None,
        venue="Shores",
        doi=f"10.1234/{number}",
    )
    for number in range(10)
]


def assert_holds(corpus: CorpusIndex, papers: Sequence[Paper], encoder: Encoder) -> None:
    """Check that every row of a corpus is that of its paper."""
    assert [corpus.paper(row) for row in range(len(corpus))] == list(papers)
    expected = np.stack([encoder.vector(encoder_text(paper)) for paper in papers])
    results = corpus.vectors.vectors(np.arange(len(papers)))
    np.testing.assert_allclose(results, expected, atol=4e-3)


def test_a_corpus_gives_back_its_papers_their_words_and_their_vectors(tmp_path: Path) -> None:
    encoder = Encoder()
    built = build_corpus(
        tmp_path / "shores", iter(PAPERS), encoder, provenance=Provenance(["a.jsonl"])
    )
    for corpus in (built, CorpusIndex(tmp_path / "shores")):
        assert_holds(corpus, PAPERS, encoder)
        assert corpus.row_of == {f"p{number}": number for number in range(10)}
        assert corpus.years.tolist()[:4] == [2000, 2001, 0, 2003]
        assert corpus.has_abstract.tolist()[:4] == [True, False, False, True]
        assert corpus.columns.title_keys.tolist() == [title_key(paper) for paper in PAPERS]
        assert [corpus.title(row) for row in range(10)] == [paper.title for paper in PAPERS]
        assert corpus.manifest.name == "shores"
        assert corpus.manifest.papers == 10
        assert corpus.manifest.sources == ("a.jsonl",)
        assert (corpus.manifest.encoder, corpus.manifest.checkpoint) == ("fake", "fake-1")


@pytest.mark.parametrize(("query", "row"), [("Moor", 1), ("吴菲", 1), ("2007", 7)])
def test_a_paper_is_found_by_any_of_its_words(tmp_path: Path, query: str, row: int) -> None:
    corpus = build_corpus(tmp_path / "shores", PAPERS, Encoder())
    assert int(corpus.words.scores(query).argmax()) == row


def test_the_nearest_vector_to_the_text_of_a_paper_is_its_own(tmp_path: Path) -> None:
    encoder = Encoder()
    corpus = build_corpus(tmp_path / "shores", PAPERS, encoder)
    rows, _ = corpus.vectors.search(encoder.vector(encoder_text(PAPERS[4])), 1)
    assert rows.tolist() == [[4]]


def test_a_rebuild_with_the_same_encoder_encodes_only_what_is_new(tmp_path: Path) -> None:
    build_corpus(tmp_path / "shores", PAPERS, Encoder())
    changed = [evolve(PAPERS[0], venue="Elsewhere"), *PAPERS[:0:-1], Paper("new", "Ebb")]
    again = Encoder()
    corpus = build_corpus(tmp_path / "shores", changed, again)
    assert again.encoded == ["Ebb"]
    assert_holds(corpus, changed, again)


def test_a_text_that_changed_is_encoded_again(tmp_path: Path) -> None:
    build_corpus(tmp_path / "shores", PAPERS, Encoder())
    changed = [evolve(PAPERS[0], abstract="Rewritten"), *PAPERS[1:]]
    again = Encoder()
    assert_holds(build_corpus(tmp_path / "shores", changed, again), changed, again)
    assert again.encoded == ["Tides 0. Rewritten"]


def test_papers_of_the_same_text_are_encoded_once(tmp_path: Path) -> None:
    papers = [Paper("a", "Editorial"), Paper("b", "Editorial"), Paper("c", "Ebb")]
    encoder = Encoder()
    assert_holds(build_corpus(tmp_path / "shores", papers, encoder), papers, encoder)
    assert sorted(encoder.encoded) == ["Ebb", "Editorial"]


def test_another_encoder_takes_over_no_vector(tmp_path: Path) -> None:
    build_corpus(tmp_path / "shores", PAPERS, Encoder())
    for other in (Encoder("fake-2"), Encoder("fake-3", dimensions=24)):
        assert_holds(build_corpus(tmp_path / "shores", PAPERS, other), PAPERS, other)
        assert len(other.encoded) == 10


def test_what_is_open_stays_readable_through_a_rebuild(tmp_path: Path) -> None:
    encoder = Encoder()
    old = build_corpus(tmp_path / "shores", PAPERS, encoder)
    new = build_corpus(tmp_path / "shores", PAPERS[:3], encoder)
    assert_holds(old, PAPERS, encoder)
    assert old.words.scores("Moor")[1] > 0
    assert_holds(new, PAPERS[:3], encoder)
    assert [path.name for path in (tmp_path / "shores").iterdir()] != []
    assert len(list((tmp_path / "shores").glob("version-*"))) == 1


def test_readers_have_the_old_corpus_until_the_new_one_is_whole(tmp_path: Path) -> None:
    folder, encoder = tmp_path / "shores", Encoder()
    build_corpus(folder, PAPERS, encoder)
    seen = []

    def stage(what: str, done: int, total: int) -> None:
        seen.append((what, len(CorpusIndex(folder))))

    build_corpus(folder, PAPERS[:4], encoder, stage=stage)
    assert {what for what, _ in seen} == {"papers", "encoding", "words", "neighbours"}
    assert {size for _, size in seen} == {10}
    assert len(CorpusIndex(folder)) == 4


def test_a_first_version_that_is_not_finished_is_seen_by_nobody(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        build_corpus(tmp_path / "shores", PAPERS, Encoder(batches=0))
    assert current_version(tmp_path / "shores") is None
    assert list_corpora(tmp_path) == []
    with pytest.raises(SearchIndexError, match="no corpus here; build one with `cite-lsp index`"):
        CorpusIndex(tmp_path / "shores")


@pytest.mark.parametrize("first", [False, True], ids=["beside a version", "the first version"])
def test_interrupted_builds_encode_again_only_the_batch_that_was_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    monkeypatch.setattr(steps, "BATCH", 2)
    folder = tmp_path / "shores"
    if not first:
        build_corpus(folder, [Paper("old", "Old")], Encoder())
    encoded: list[str] = []
    for batches in (3, 0, 1, None):  # the second is broken off before it encoded anything
        encoder = Encoder(batches=batches)
        try:
            build_corpus(folder, PAPERS, encoder)
        except KeyboardInterrupt:
            assert (current_version(folder) is None) == first
        encoded += encoder.encoded
    assert encoded == [encoder_text(paper) for paper in PAPERS]
    assert_holds(CorpusIndex(folder), PAPERS, Encoder())
    left = {path.name for path in (current_version(folder) or folder).iterdir()}
    assert not [name for name in left if name.startswith("encoded")]


def test_an_interrupted_build_goes_on_with_other_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "BATCH", 2)
    with pytest.raises(KeyboardInterrupt):
        build_corpus(tmp_path / "shores", PAPERS, Encoder(batches=2))
    papers, again = PAPERS[::-1], Encoder()
    assert_holds(build_corpus(tmp_path / "shores", papers, again), papers, again)
    assert len(again.encoded) == 6


def test_an_interrupted_build_goes_on_with_another_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "BATCH", 2)
    with pytest.raises(KeyboardInterrupt):
        build_corpus(tmp_path / "shores", PAPERS, Encoder(batches=2))
    other = Encoder("fake-2", dimensions=24)
    assert_holds(build_corpus(tmp_path / "shores", PAPERS, other), PAPERS, other)


def test_a_sources_error_leaves_the_old_corpus(tmp_path: Path) -> None:
    build_corpus(tmp_path / "shores", PAPERS, Encoder())

    def papers() -> object:
        yield PAPERS[0]
        raise OSError(5, "the disk is gone")

    with pytest.raises(SearchIndexError, match=r"the disk is gone.*run the command again"):
        build_corpus(tmp_path / "shores", papers(), Encoder())  # type: ignore[arg-type]
    assert len(CorpusIndex(tmp_path / "shores")) == 10


def test_no_papers_are_an_error_and_make_nothing_current(tmp_path: Path) -> None:
    with pytest.raises(SearchIndexError, match=r"the sources hold no papers; nothing was indexed"):
        build_corpus(tmp_path / "shores", [], Encoder())
    assert current_version(tmp_path / "shores") is None
    build_corpus(tmp_path / "shores", PAPERS, Encoder())
    with pytest.raises(SearchIndexError, match="no papers"):
        build_corpus(tmp_path / "shores", [], Encoder())
    assert len(CorpusIndex(tmp_path / "shores")) == 10


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "shores").write_text("a file")
    with pytest.raises(SearchIndexError, match="cannot be written"):
        build_corpus(tmp_path / "shores", PAPERS, Encoder())


def manifest_with(version: Path, **fields: object) -> None:
    path = version / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            1,
            "written by another version of cite-lsp; index its sources again: `cite-lsp index "
            "--corpus shores`",
        ),
        (
            99,
            "written by a newer cite-lsp (format 99, this one reads up to 4); upgrade cite-lsp, or "
            "index its sources again with --replace",
        ),
    ],
)
def test_a_corpus_of_another_format_says_what_to_do(
    tmp_path: Path, other: int, message: str
) -> None:
    build_corpus(tmp_path / "shores", PAPERS, Encoder())
    manifest_with(current_version(tmp_path / "shores") or tmp_path, format=other, more="news")
    with pytest.raises(SearchIndexError) as caught:
        CorpusIndex(tmp_path / "shores")
    assert str(caught.value) == f"{tmp_path / 'shores'}: {message}"


@pytest.mark.parametrize(("precision", "read"), [("i8", True), ("f16", False)])
def test_of_corpora_that_say_in_how_many_bits_those_in_eight_are_read(
    tmp_path: Path, precision: str, read: bool
) -> None:
    build_corpus(tmp_path / "shores", PAPERS, Encoder())
    manifest_with(current_version(tmp_path / "shores") or tmp_path, precision=precision)
    (listed,) = list_corpora(tmp_path)
    assert isinstance(listed, CorpusIndex) is read
    assert read or "written by another version" in str(listed)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "manifest gone": lambda version: (version / "manifest.json").unlink(),
    "manifest no JSON": lambda version: (version / "manifest.json").write_text("{"),
    "manifest no object": lambda version: (version / "manifest.json").write_text("[]"),
    "manifest of nothing": lambda version: (version / "manifest.json").write_text('{"format": 4}'),
    "papers gone": lambda version: (version / "papers.jsonl").unlink(),
    "papers empty": lambda version: (version / "papers.jsonl").write_bytes(b""),
    "papers cut": lambda version: (version / "papers.jsonl").write_bytes(b"{}"),
    "starts empty": lambda version: (version / "starts.npy").write_bytes(b""),
    "years of others": lambda version: np.save(version / "years.npy", np.zeros(3, np.int32)),
    "words gone": lambda version: shutil.rmtree(version / "words"),
    "columns gone": lambda version: shutil.rmtree(version / "columns"),
    "numbers gone": lambda version: shutil.rmtree(version / "numbers"),
    "columns of fewer papers": lambda version: PaperColumns.build(PAPERS[:9]).save(
        version / "columns"
    ),
    "embeddings cut": lambda version: (version / "embeddings.i8").write_bytes(b"12"),
    "vectors cut": lambda version: (version / "vectors.index").write_bytes(b"\x93NUMPY"),
    "one paper less": lambda version: manifest_with(version, papers=9),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_corpus_says_so_and_what_to_do(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    folder = tmp_path / "shores"
    build_corpus(folder, PAPERS, Encoder())
    damage(current_version(folder) or tmp_path)
    with pytest.raises(SearchIndexError) as caught:
        CorpusIndex(folder)
    message = str(caught.value)
    assert message.startswith(f"{folder}: the corpus is damaged (")
    assert message.endswith("index its sources again: `cite-lsp index SOURCE... --corpus shores`")
    assert "\n" not in message
    (listed,) = list_corpora(tmp_path)
    assert isinstance(listed, SearchIndexError)
    assert_holds(build_corpus(folder, PAPERS, Encoder()), PAPERS, Encoder())


@pytest.mark.parametrize("name", ["", "version-9", "../shores", "manifest.json", None])
def test_a_damaged_pointer_costs_nothing_and_is_written_by_the_next_build(
    tmp_path: Path, name: str | None
) -> None:
    folder = tmp_path / "shores"
    build_corpus(folder, PAPERS, Encoder())
    (folder / "current").unlink()
    if name is None:
        (folder / "current").mkdir()
    else:
        (folder / "current").write_text(name)
    (folder / "version-7").mkdir()  # not built to the end
    assert len(CorpusIndex(folder)) == 10 and named_version(folder) is None
    assert len(build_corpus(folder, PAPERS[:9], Encoder())) == 9
    assert named_version(folder) == folder / "version-2"


def test_corpora_are_listed_by_name(tmp_path: Path) -> None:
    assert list_corpora(tmp_path / "none") == []
    for name in ("tides", "shores"):
        build_corpus(tmp_path / name, PAPERS, Encoder())
    results = [corpus.manifest.name for corpus in list_corpora(tmp_path)]  # type: ignore[union-attr]
    assert results == ["shores", "tides"]


def test_half_a_character_in_a_paper_does_not_stop_a_build(tmp_path: Path) -> None:
    corpus = build_corpus(tmp_path / "shores", [Paper("a", "Half \ud83d")], HalfEncoder())
    assert corpus.paper(0).title == "Half ?"


class HalfEncoder(Encoder):
    def vector(self, text: str) -> Vectors:
        return super().vector(text.encode("utf-8", "replace").decode())


@pytest.mark.parametrize(("keys_lost", "bytes_lost"), [(0, 0), (0, 5), (1, 0), (2, 5), (0, 31)])
def test_a_store_of_vectors_is_read_as_far_as_both_its_files_go(
    tmp_path: Path, keys_lost: int, bytes_lost: int
) -> None:
    keys = key_array([text_key("f", str(number)) for number in range(6)])
    vectors = encoded(np.arange(24).reshape(6, 4), "f16")
    StoredVectors(tmp_path / "v", 4).append(keys[:4], vectors[:4])
    for name, lost in (("v.s16", 16 * keys_lost), ("v.f16", bytes_lost)):
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) - lost])
    whole = 4 - max(keys_lost, -(-bytes_lost // 8))
    StoredVectors(tmp_path / "v", 4).append(keys[4:], vectors[4:])
    rows = np.full((6, 4), -1, dtype=np.float16)
    StoredVectors(tmp_path / "v", 4).fill(rows, keys)
    known = [*range(whole), 4, 5]
    assert (rows[known] == vectors[known]).all()
    assert (rows[range(whole, 4)] == -1).all()
