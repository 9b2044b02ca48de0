"""Nearest vectors: exact and by graph, in memory and from files."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.encode import Vectors
from cite_lsp.search.vectors import neighbour_graph as graph_module
from cite_lsp.search.vectors import vector_index as vectors_module
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.vectors.vector_index import SearchIndexError, VectorIndex
from tests.windows_files import windows_files

EVERYTHING_BY_GRAPH = 0


def clusters(count: int, dimensions: int = 32, seed: int = 3) -> Vectors:
    """Rows around forty centres, which is how embeddings lie; lengths are not 1."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((40, dimensions))
    rows = centres[random.integers(0, 40, count)] + 0.4 * random.standard_normal(
        (count, dimensions)
    )
    return rows.astype(np.float32)


def cosines(queries: Vectors, vectors: Vectors) -> Vectors:
    queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    results: Vectors = queries @ (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).T
    return results


VECTORS = clusters(3000)
QUERIES = clusters(50, seed=4)


@pytest.fixture(params=["exact", "graph"])
def index(request: pytest.FixtureRequest) -> VectorIndex:
    below = 20_000 if request.param == "exact" else EVERYTHING_BY_GRAPH
    return VectorIndex.build(VECTORS, exact_below=below)


def test_few_vectors_are_searched_exactly_and_many_by_graph() -> None:
    assert VectorIndex.build(VECTORS[:100], exact_below=101).exact
    assert not VectorIndex.build(VECTORS[:100], exact_below=100).exact


def test_search_finds_the_nearest_and_their_cosines_best_first(index: VectorIndex) -> None:
    rows, scores = index.search(QUERIES, 10)
    assert rows.dtype == np.int64 and scores.dtype == np.float32
    assert rows.shape == scores.shape == (50, 10)
    every = cosines(QUERIES, VECTORS)
    nearest = np.argsort(-every, axis=1)[:, :10]
    results = [len(set(got) & set(true)) / 10 for got, true in zip(rows, nearest, strict=True)]
    # Several threads build a graph: mostly it finds 98 %, now and then 96 %.
    assert np.mean(results) >= (1.0 if index.exact else 0.94)
    assert scores == pytest.approx(np.take_along_axis(every, rows, axis=1), abs=5e-3)
    assert (np.diff(scores, axis=1) <= 0).all()


def test_one_query_may_be_a_single_vector(index: VectorIndex) -> None:
    rows, scores = index.search(QUERIES[0], 5)
    assert rows.shape == scores.shape == (1, 5)
    assert rows.tolist() == index.search(QUERIES[:2], 5)[0][:1].tolist()


@pytest.mark.parametrize("k", [0, 1, 3000, 5000])
def test_no_more_is_found_than_there_is(index: VectorIndex, k: int) -> None:
    rows, scores = index.search(QUERIES[:2], k)
    assert rows.shape == scores.shape == (2, min(k, 3000))
    present = rows >= 0
    assert (scores[~present] == -np.inf).all()
    assert [len(set(row[row >= 0])) for row in rows] == present.sum(axis=1).tolist()


def test_scores_of_named_rows_are_their_cosines(index: VectorIndex) -> None:
    rows = np.array([5, 0, 2999, 5])
    expected = cosines(QUERIES[:1], VECTORS)[0, rows]
    assert index.scores(QUERIES[0], rows) == pytest.approx(expected, abs=5e-3)
    assert index.scores(QUERIES[0], rows[:0]).shape == (0,)


@pytest.mark.parametrize("row", [-1, 3000])
def test_a_row_that_is_not_there_is_an_error(index: VectorIndex, row: int) -> None:
    with pytest.raises(IndexError):
        index.scores(QUERIES[0], np.array([row]))


@pytest.mark.parametrize("below", [EVERYTHING_BY_GRAPH, 1000])
def test_a_zero_row_scores_zero_and_breaks_nothing(below: int) -> None:
    vectors = VECTORS[:500].copy()
    vectors[7] = 0
    index = VectorIndex.build(vectors, exact_below=below)
    assert index.scores(QUERIES[0], np.array([7])).tolist() == [0]
    _, scores = index.search(np.zeros(32, dtype=np.float32), 5)
    assert np.isfinite(scores).all()


def test_building_does_not_change_the_vectors_given() -> None:
    vectors = VECTORS.copy()
    VectorIndex.build(vectors)
    assert np.array_equal(vectors, VECTORS)


def test_a_saved_index_answers_the_same(index: VectorIndex, tmp_path: Path) -> None:
    path = tmp_path / "vectors.index"
    index.save(path)
    opened = VectorIndex.open(path, VECTORS)
    assert (len(opened), opened.exact) == (3000, index.exact)
    (rows, scores), results = index.search(QUERIES, 7), opened.search(QUERIES, 7)
    assert np.array_equal(rows, results[0]) and np.array_equal(scores, results[1])
    assert [file.name for file in tmp_path.iterdir()] == ["vectors.index"]


def test_build_saves_under_its_path(tmp_path: Path) -> None:
    VectorIndex.build(VECTORS[:10], tmp_path / "new" / "vectors.index")
    assert len(VectorIndex.open(tmp_path / "new" / "vectors.index", VECTORS[:10])) == 10


def test_a_graph_beside_whose_file_the_vectors_lie_scores_by_those(tmp_path: Path) -> None:
    path = tmp_path / "vectors.index"
    VectorIndex.build(VECTORS, path, exact_below=EVERYTHING_BY_GRAPH)
    opened = VectorIndex.open(path, encoded(VECTORS, "i8"))
    rows, scores = opened.search(QUERIES, 10)
    every = cosines(QUERIES, VECTORS)
    nearest = np.argsort(-every, axis=1)[:, :10]
    results = [len(set(got) & set(true)) / 10 for got, true in zip(rows, nearest, strict=True)]
    assert np.mean(results) >= 0.93  # two processors build a graph in an order of chance
    assert scores == pytest.approx(np.take_along_axis(every, rows, axis=1), abs=5e-3)
    with pytest.raises(SearchIndexError, match="3000 vectors of 32 in it"):
        VectorIndex.open(path, encoded(VECTORS[:-1], "i8"))


class Broken(Exception):
    """What ends a build."""


def test_a_graph_goes_on_from_its_last_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_ADDED_AT_ONCE", 500)
    monkeypatch.setattr(vectors_module, "_SAVE_SECONDS", 0.0)
    part, steps = tmp_path / "graph.part", list[int]()

    def build(until: int) -> VectorIndex:
        steps.clear()

        def progress(count: int) -> None:
            steps.append(count)
            if sum(steps) >= until:
                raise Broken

        return VectorIndex.build(
            VECTORS, exact_below=EVERYTHING_BY_GRAPH, part=part, progress=progress
        )

    with pytest.raises(Broken):
        build(until=1500)
    assert part.exists()
    index = build(until=9999)
    assert steps == [1000, 500, 500, 500, 500]  # the part in which it was broken off is done again
    assert not part.exists()
    assert len(index) == 3000
    assert (index.search(VECTORS[:100], 1)[0][:, 0] == np.arange(100)).mean() >= 0.97


def test_what_is_left_of_another_graph_is_not_gone_on_with(tmp_path: Path) -> None:
    part = tmp_path / "graph.part"
    VectorIndex.build(VECTORS[:, :16], part, exact_below=EVERYTHING_BY_GRAPH)
    for content in (part.read_bytes(), b"", b"no graph"):
        part.write_bytes(content)
        index = VectorIndex.build(VECTORS, exact_below=EVERYTHING_BY_GRAPH, part=part)
        index.save(tmp_path / "whole")
        assert len(VectorIndex.open(tmp_path / "whole", VECTORS)) == 3000


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.97, 0.9999])
def test_a_cut_off_file_is_reported(index: VectorIndex, tmp_path: Path, share: float) -> None:
    path = tmp_path / "vectors.index"
    index.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(SearchIndexError, match="build it again"):
        VectorIndex.open(path, VECTORS)


@given(content=st.binary(max_size=300))
def test_any_other_file_is_reported(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "vectors.index"
    path.write_bytes(content)
    with pytest.raises(SearchIndexError, match="build it again"):
        VectorIndex.open(path, VECTORS)


def test_an_array_of_another_shape_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "vectors.index"
    with path.open("wb") as file:
        np.save(file, np.arange(9))
    with pytest.raises(SearchIndexError, match="build it again"):
        VectorIndex.open(path, VECTORS)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SearchIndexError, match="build it again"):
        VectorIndex.open(tmp_path / "none", VECTORS)


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SearchIndexError, match="cannot be written"):
        VectorIndex.build(VECTORS[:5], tmp_path / "file" / "vectors.index")


@pytest.mark.skipif(os.name == "nt", reason="no timer that sends a signal")
def test_ctrl_c_while_a_graph_is_built_is_no_error_of_the_graph() -> None:
    vectors = np.random.default_rng(1).normal(size=(60_000, 96)).astype(np.float32)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            VectorIndex.build(vectors)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_where_its_library_opens_only_plain_names_a_graph_is_stored_under_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "张伟" / "vectors.index"
    part = path.with_name("graph.part")
    whole = VectorIndex.build(VECTORS, exact_below=EVERYTHING_BY_GRAPH)
    wanted = whole.search(QUERIES, 10)[0].tolist()

    def refuse(*arguments: object, **options: object) -> None:
        raise RuntimeError("Illegal byte sequence")

    from usearch.index import Index

    compiled = type(Index(ndim=2)._compiled)
    for name in ("save_index_to_path", "load_index_from_path", "view_index_from_path"):
        monkeypatch.setattr(compiled, name, refuse)
    monkeypatch.setattr(graph_module, "_IN_CODE_PAGE", True)
    monkeypatch.setattr(vectors_module, "_SAVE_SECONDS", 0.0)
    monkeypatch.setattr(vectors_module, "_ADDED_AT_ONCE", 1000)

    def stop(done: int) -> None:
        if part.exists():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        VectorIndex.build(VECTORS, path, exact_below=EVERYTHING_BY_GRAPH, part=part, progress=stop)
    assert part.exists()
    with windows_files():
        VectorIndex.build(VECTORS, path, exact_below=EVERYTHING_BY_GRAPH, part=part)
    results = VectorIndex.open(path, encoded(VECTORS, "i8")).search(QUERIES, 10)[0]
    shared = [len({*a} & {*b}) for a, b in zip(results.tolist(), wanted, strict=True)]
    assert np.mean(shared) > 9.5
