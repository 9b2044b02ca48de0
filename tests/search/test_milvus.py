"""A corpus on Milvus Lite: what is written is found, by vectors, words and titles, and filtered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.encode import Vectors
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.filters import Filters
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.indexing.lock import build_lock
from cite_lsp.search.milvus import build, connection
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.milvus.schema import paper_number, read_about, record_text
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, RemoteError, read_address
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.search.words.sparse_weights import query_weights
from cite_lsp.search.words.tokens import tokenise
from tests.recommend.shores import TopicEncoder, many_papers
from tests.search.milvus_corpus import SECONDS, on_disk, opened, written

pytest.importorskip("pymilvus", reason="needs the milvus extra")
pytest.importorskip("milvus_lite", reason="needs Milvus Lite")

PAPERS = many_papers()
NUMBERED = [
    Paper("a", "Tide", "", ("Moor, Ann",), 2001, doi="10.1000/Tide.1"),
    Paper("b", "Marsh", "", ("Fen, Bo",), 2002, doi="10.48550/arXiv.2001.00002"),
    Paper("c", "Dune", "", ("Reed, Cy",), 2003, arxiv="2003.00003"),
    Paper("d", "Gull", "", ("Tern, Di",), 2004, url="https://pubmed.ncbi.nlm.nih.gov/12345678/"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> RemoteAddress:
    folder = tmp_path_factory.mktemp("milvus")
    address = read_address(f"milvus+file://{folder}/papers.db/shores")
    written(address, folder, PAPERS)
    return address


@pytest.fixture(scope="module")
def remote(address: RemoteAddress) -> Iterator[MilvusCorpus]:
    corpus = opened(address)
    yield corpus
    corpus.close()


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusCorpus]:
    folder = tmp_path_factory.mktemp("numbered")
    address = read_address(f"milvus+file://{folder}/papers.db/numbered")
    written(address, folder, NUMBERED)
    corpus = opened(address)
    yield corpus
    corpus.close()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder = tmp_path_factory.mktemp("corpus") / "shores"
    return on_disk(folder, PAPERS)


@pytest.fixture
def fresh(tmp_path: Path) -> RemoteAddress:
    return read_address(f"milvus+file://{tmp_path}/papers.db/shores")


def papers_of(remote: MilvusCorpus, numbers: Sequence[int]) -> list[Paper]:
    return [fetched.paper for fetched in remote.fetch(numbers, timeout=SECONDS)]


def by_words(remote: MilvusCorpus, text: str, count: int = 10) -> list[Paper]:
    weights = query_weights(tokenise(text), remote.statistics)
    return papers_of(remote, remote.with_words([weights], count, timeout=SECONDS)[0])


def test_it_says_what_it_is(remote: MilvusCorpus) -> None:
    about = remote.manifest
    assert (about.name, about.papers, about.encoder) == ("shores", len(PAPERS), "topics")
    assert about.checkpoint == TopicEncoder().checkpoint
    assert about.sources == ("dump",)
    assert len(remote.statistics) == len(remote) == len(PAPERS)


def test_papers_come_back_as_they_were_written(remote: MilvusCorpus) -> None:
    numbers = [paper_number(paper.id) for paper in PAPERS]
    assert papers_of(remote, numbers) == PAPERS
    assert papers_of(remote, [5, *numbers[3:1:-1]]) == PAPERS[3:1:-1]


def test_vectors_find_what_the_local_index_finds(remote: MilvusCorpus, local: CorpusIndex) -> None:
    queries = TopicEncoder().encode(["tide and tide and marsh", "gull dune"])
    results = remote.nearest(queries, 8, timeout=SECONDS)
    rows, scores = local.vectors.search(queries, 8)
    for numbers, expected, query in zip(results, scores, queries, strict=True):
        vectors = [fetched.vector for fetched in remote.fetch(numbers, timeout=SECONDS)]
        np.testing.assert_allclose([vector @ query for vector in vectors], expected, atol=2e-3)


def test_words_find_what_the_local_index_finds(remote: MilvusCorpus, local: CorpusIndex) -> None:
    text = "a study of the gull"
    rows, scores = local.words.search(text, 100)
    expected = {local.paper(row).id: score for row, score in zip(rows, scores, strict=True)}
    results = by_words(remote, text, 10)
    assert len(results) == 10
    worst = sorted(expected.values(), reverse=True)[9]
    assert all(expected[paper.id] >= worst - 1e-3 for paper in results)


def test_a_query_without_words_finds_nothing(remote: MilvusCorpus) -> None:
    weights = query_weights(["tide"], remote.statistics)
    results = remote.with_words([{}, weights, {}], 3, timeout=SECONDS)
    assert [len(numbers) for numbers in results] == [0, 3, 0]


@pytest.mark.parametrize(
    ("typed", "titles"),
    [
        ("10.1000/tide.1", ["Tide"]),
        ("https://doi.org/10.1000/TIDE.1", ["Tide"]),
        ("2001.00002", ["Marsh"]),
        ("https://arxiv.org/abs/2003.00003v2", ["Dune"]),
        ("10.48550/arXiv.2003.00003", ["Dune"]),
        ("pmid:12345678", ["Gull"]),
        ("10.1000/tide", []),
        ("tide", []),
        ("", []),
    ],
)
def test_a_number_finds_the_paper_that_has_it(
    numbered: MilvusCorpus, typed: str, titles: list[str]
) -> None:
    numbers = numbered.numbered(typed, timeout=SECONDS)
    assert [paper.title for paper in papers_of(numbered, numbers)] == titles


def test_titles_find_every_record_that_has_them(remote: MilvusCorpus) -> None:
    results = remote.titled([title_key(PAPERS[0]), 12345], vectors=True, timeout=SECONDS)
    assert {paper.id for paper in results} == {paper_number("p0"), paper_number("again")}
    for paper in results:
        assert paper.vector is not None
        np.testing.assert_allclose(np.linalg.norm(paper.vector), 1, atol=1e-5)


@pytest.mark.parametrize(
    "filters",
    [Filters(2000, 2010), Filters(venues=("bird",)), Filters(None, 2000, ("Shores",))],
)
def test_filters_hold_for_every_question(address: RemoteAddress, filters: Filters) -> None:
    remote = opened(evolve(address, filters=filters))
    expected = {paper.id for paper in PAPERS if filters.allow(paper)}
    assert 0 < len(expected) < len(PAPERS)
    nearest = remote.nearest(TopicEncoder().encode(["tide"]), 100, timeout=SECONDS)[0]
    assert {paper.id for paper in papers_of(remote, nearest)} == expected
    assert {paper.id for paper in by_words(remote, "study", 100)} == expected
    everything = [paper_number(paper.id) for paper in PAPERS]
    assert {paper.id for paper in papers_of(remote, everything)} == expected
    remote.close()


def test_what_is_there_already_is_not_encoded_again(fresh: RemoteAddress, tmp_path: Path) -> None:
    written(fresh, tmp_path, PAPERS[:40])
    changed = evolve(PAPERS[2], abstract="Now with an abstract on the marsh")
    counting = CountingEncoder()
    again = [*PAPERS[:2], changed, *PAPERS[3:50]]
    outcome = written(fresh, tmp_path, again, encoder=counting, source="newer")
    assert (outcome.written, outcome.unchanged, outcome.removed) == (11, 39, 0)
    assert counting.texts == 11
    remote = opened(fresh)
    assert papers_of(remote, [paper_number("p2")]) == [changed]
    assert remote.manifest.papers == len(remote.statistics) == 50
    assert remote.manifest.sources == ("dump", "newer")
    remote.close()


def test_replacing_removes_what_the_sources_lack(fresh: RemoteAddress, tmp_path: Path) -> None:
    written(fresh, tmp_path, PAPERS[:40])
    outcome = written(fresh, tmp_path, PAPERS[10:50], replace=True)
    assert (outcome.written, outcome.unchanged, outcome.removed) == (10, 30, 10)
    remote = opened(fresh)
    assert papers_of(remote, [paper_number("p3")]) == []
    assert remote.manifest.papers == len(remote.statistics) == 40
    remote.close()


def test_a_broken_build_goes_on_where_it_was(
    fresh: RemoteAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BATCH", 8)
    with pytest.raises(KeyboardInterrupt):
        written(fresh, tmp_path, PAPERS, encoder=CountingEncoder(breaks_after=24))
    with pytest.raises(RemoteError, match="its first build is not done yet"):
        opened(fresh)
    counting = CountingEncoder()
    outcome = written(fresh, tmp_path, PAPERS, encoder=counting)
    assert outcome.unchanged == 24
    assert counting.texts == len(PAPERS) - 24
    remote = opened(fresh)
    assert len(remote) == len(PAPERS)
    assert papers_of(remote, [paper_number(paper.id) for paper in PAPERS]) == PAPERS
    remote.close()


def test_after_a_broken_update_words_are_as_frequent_as_among_the_papers_counted(
    fresh: RemoteAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BATCH", 8)
    written(fresh, tmp_path, PAPERS[:10])
    with pytest.raises(KeyboardInterrupt):
        written(fresh, tmp_path, PAPERS[2:], encoder=CountingEncoder(breaks_after=24))
    written(fresh, tmp_path, PAPERS[2:])
    remote = opened(fresh)
    assert len(remote) == len(PAPERS)
    assert 10 < len(remote.statistics) < len(PAPERS)
    assert remote.statistics.frequency("given") == len(remote.statistics)  # all authors' name
    remote.close()


def test_a_build_that_is_refused_leaves_the_files_of_the_running_one(
    fresh: RemoteAddress, tmp_path: Path
) -> None:
    with build_lock(tmp_path / "build"):
        papers = tmp_path / "build" / "incoming.jsonl"
        papers.write_text("papers read for an hour")
        for _ in range(2):
            with pytest.raises(SearchIndexError, match="is building this corpus"):
                written(fresh, tmp_path, PAPERS[:20])
        assert papers.read_text() == "papers read for an hour"


def test_a_build_may_wait_for_the_running_one(fresh: RemoteAddress, tmp_path: Path) -> None:
    messages: list[str] = []
    with ExitStack() as running:
        running.enter_context(build_lock(tmp_path / "build"))

        def waiting(message: str) -> None:
            messages.append(message)
            running.close()

        assert written(fresh, tmp_path, PAPERS[:20], waiting=waiting).written == 20
    assert len(messages) == 1


def test_nothing_but_the_lock_stays_of_a_build(fresh: RemoteAddress, tmp_path: Path) -> None:
    written(fresh, tmp_path, PAPERS[:20])
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["build.lock"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_reported_in_one_line(fresh: RemoteAddress, tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "incoming.jsonl").symlink_to("/dev/full")
    with pytest.raises(SearchIndexError, match="the papers cannot be written") as error:
        written(fresh, tmp_path, PAPERS[:20])
    assert "\n" not in str(error.value)


def test_readers_notice_a_new_build(fresh: RemoteAddress, tmp_path: Path) -> None:
    written(fresh, tmp_path, PAPERS[:20])
    remote = opened(fresh)
    assert not remote.changed(SECONDS)
    written(fresh, tmp_path, PAPERS[:30])
    assert remote.changed(SECONDS)
    remote.close()


def test_vectors_of_two_encoders_never_stand_together(
    address: RemoteAddress, tmp_path: Path
) -> None:
    with pytest.raises(RemoteError, match="vectors are of the encoder topics; name that one"):
        written(address, tmp_path, PAPERS, encoder=TopicEncoder("topics-2"))


def test_an_encoder_of_the_same_space_takes_the_place_of_another(
    fresh: RemoteAddress, tmp_path: Path
) -> None:
    written(fresh, tmp_path, PAPERS[:20])
    accurate = CountingEncoder()
    accurate.name = "accurate"
    assert written(fresh, tmp_path, PAPERS[:20], encoder=accurate).written == 20
    remote = opened(fresh)
    assert remote.manifest.encoder == "accurate"
    assert len(remote) == len(remote.statistics) == 20
    remote.close()


def test_no_papers_are_no_corpus(fresh: RemoteAddress, tmp_path: Path) -> None:
    with pytest.raises(SearchIndexError, match="hold no papers"):
        written(fresh, tmp_path, [])


def test_what_was_never_built_is_reported_with_the_command(fresh: RemoteAddress) -> None:
    with pytest.raises(RemoteError, match="cite-lsp index --engine milvus"):
        opened(fresh)


def test_a_write_that_fails_is_tried_again(
    fresh: RemoteAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pymilvus import MilvusClient, MilvusException

    pauses: list[float] = []
    monkeypatch.setattr(connection, "time", SimpleNamespace(sleep=pauses.append))
    upsert, failures = MilvusClient.upsert, iter([True, True, False, True])

    def flaky(self: MilvusClient, *arguments: object, **options: object) -> object:
        if next(failures, False):
            raise MilvusException(message="server unavailable")
        return upsert(self, *arguments, **options)

    monkeypatch.setattr(MilvusClient, "upsert", flaky)
    assert written(fresh, tmp_path, PAPERS[:20]).written == 20
    assert len(pauses) == 3
    assert pauses[1] > pauses[0]


def test_a_token_never_travels_unencrypted() -> None:
    address = read_address("milvus+http://milvus.example.org:19530/science")
    with pytest.raises(RemoteError, match="would travel unencrypted") as raised:
        MilvusCorpus.open(address, RemoteAccess(token="ada:secret"), timeout=1)
    assert "secret" not in str(raised.value)


def test_a_server_that_is_not_there_is_one_line() -> None:
    address = read_address("milvus+http://127.0.0.1:9/science")
    with pytest.raises(
        RemoteError, match="127.0.0.1:9/science: the server does not answer"
    ) as error:
        MilvusCorpus.open(address, RemoteAccess(), timeout=1)
    assert "\n" not in str(error.value)


def test_records_too_long_for_the_engine_are_cut() -> None:
    long = Paper("long", "On length", "very " * 50_000, tuple("Ada Moor" for _ in range(9)))
    line = record_text(long)
    assert len(line.encode()) <= 65_535
    assert "On length" in line
    crowd = Paper("crowd", "A collaboration", "Short.", tuple(f"Name {i}" for i in range(20_000)))
    assert len(record_text(crowd).encode()) <= 65_535
    names = tuple("名" * 500 for _ in range(300))
    filled = Paper(
        "filled", "名" * 70_000, "", names, None, "名" * 70_000, "9" * 70_000, "h" * 70_000
    )
    assert len(record_text(filled).encode()) <= 65_535


def test_a_paper_without_a_word_to_search_by_costs_no_other(
    fresh: RemoteAddress, tmp_path: Path
) -> None:
    nothing = Paper("nothing", "The")
    assert not tokenise(nothing.title)
    assert written(fresh, tmp_path, [nothing, *PAPERS[:3]]).written == 4
    remote = opened(fresh)
    assert papers_of(remote, [paper_number("nothing")]) == [nothing]
    assert nothing not in by_words(remote, f"The {PAPERS[0].title}")
    remote.close()


def test_a_failure_without_a_word_has_the_name_of_its_kind(fresh: RemoteAddress) -> None:
    from pymilvus import MilvusException

    def fails() -> None:
        raise MilvusException(message="")

    with pytest.raises(RemoteError, match="papers.db/shores: MilvusException"):
        connection.call(fresh, fails)


def test_what_a_corpus_says_of_itself_is_replaced_at_once(
    fresh: RemoteAddress, tmp_path: Path
) -> None:
    written(fresh, tmp_path, PAPERS[:20])
    written(fresh, tmp_path, PAPERS[:30])
    reader = connection.connect(fresh, RemoteAccess(), timeout=SECONDS)
    about = read_about(reader)
    assert about is not None
    assert about.complete
    rows = reader.client.query("shores_about", filter="part >= 0", output_fields=["part"])
    assert len(rows) == 1 + about.parts  # what the version before left is gone
    reader.close()


class CountingEncoder(TopicEncoder):
    """Counts what it encodes; breaks off after so many texts, where told to."""

    def __init__(self, breaks_after: int | None = None) -> None:
        super().__init__()
        self.texts, self._breaks_after = 0, breaks_after

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Vectors:
        if self._breaks_after is not None and self.texts + len(texts) > self._breaks_after:
            raise KeyboardInterrupt
        self.texts += len(texts)
        return super().encode(texts)
