"""The cache of embeddings: nothing twice, nothing lost, nothing fatal."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import Vectors
from cite_lsp.encode.cached_encoder import CachedEncoder
from tests.stand_in_encoders import HashEncoder

TEXTS = ["one", "two", "", "one", "three"]


def test_a_text_is_encoded_once(tmp_path: Path) -> None:
    inner = HashEncoder()
    cached = CachedEncoder(inner, tmp_path)
    first = cached.encode(TEXTS)
    assert np.array_equal(first, cached.encode(TEXTS))
    assert inner.encoded == ["one", "two", "three"]


def test_who_cannot_wait_gets_what_is_cached_and_a_few_more(tmp_path: Path) -> None:
    inner = HashEncoder()
    cached = CachedEncoder(inner, tmp_path)
    expected = HashEncoder().encode(["one", "two", "three", "four"])
    cached.encode(["two"])
    vectors, whole = cached.at_hand(["one", "", "two", "three", "four", "one"], 2)
    assert inner.encoded == ["two", "one", "three"]
    assert not whole
    assert not vectors[[1, 4]].any()
    np.testing.assert_allclose(vectors[[0, 2, 3, 5]], expected[[0, 1, 2, 0]], atol=1e-3)
    nothing, whole = cached.at_hand(["four"], 0)
    assert not whole and not nothing.any() and not cached.keeps(["one", "four"])
    vectors, whole = cached.at_hand(["four"], 1)
    assert whole and vectors.any() and cached.keeps(["one", "", "four"])


def test_who_cannot_wait_does_not_encode_what_another_is_encoding(tmp_path: Path) -> None:
    begun, go_on = Event(), Event()

    class Slow(HashEncoder):
        def encode(
            self, texts: Sequence[str], *, cancelled: Callable[[], bool] | None = None
        ) -> Vectors:
            begun.set()
            assert go_on.wait(60)
            return super().encode(texts, cancelled=cancelled)

    inner = Slow()
    cached = CachedEncoder(inner, tmp_path)
    with ThreadPoolExecutor(1) as workers:
        first = workers.submit(cached.at_hand, ["one", "two"], 2)
        assert begun.wait(60)
        vectors, whole = cached.at_hand(["one", "two"], 2)
        assert not whole and not vectors.any()
        go_on.set()
        vectors, whole = first.result(60)
    assert whole and vectors.any(axis=1).all() and inner.encoded == ["one", "two"]
    assert cached.at_hand(["one", "two", "three"], 1)[1], "the next one encodes again"


def test_another_process_finds_the_same_vectors(tmp_path: Path) -> None:
    first = CachedEncoder(HashEncoder(), tmp_path).encode(TEXTS)
    inner = HashEncoder()
    later = CachedEncoder(inner, tmp_path).encode(TEXTS)
    assert inner.encoded == []
    assert np.array_equal(first, later)


def test_a_file_of_before_is_gone_on_with(tmp_path: Path) -> None:
    name = hashlib.blake2b(b"hashes-1", digest_size=16).hexdigest()[:8]
    key = hashlib.blake2b(b"one", digest_size=16).digest()
    vector = HashEncoder().encode(["one"]).astype(np.float16).tobytes()
    with closing(sqlite3.connect(tmp_path / f"hashes-1-{name}.sqlite")) as before, before:
        before.execute("CREATE TABLE vectors (text BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        before.execute("INSERT INTO vectors VALUES (?, ?)", (key, vector))
    inner = HashEncoder()
    CachedEncoder(inner, tmp_path).encode(["one", "two"])
    assert inner.encoded == ["two"]


def test_vectors_are_unit_length_and_those_of_the_encoder_but_for_rounding(tmp_path: Path) -> None:
    vectors = CachedEncoder(HashEncoder(), tmp_path).encode(TEXTS)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.allclose(lengths, [1, 1, 0, 1, 1], atol=1e-6)
    assert np.allclose(vectors[[0, 1, 4]], HashEncoder().encode(["one", "two", "three"]), atol=1e-3)


def test_the_vectors_of_another_fingerprint_are_not_used(tmp_path: Path) -> None:
    CachedEncoder(HashEncoder("a/1"), tmp_path).encode(["one"])
    inner = HashEncoder("a_1")
    CachedEncoder(inner, tmp_path).encode(["one"])
    assert inner.encoded == ["one"]


def test_memory_keeps_what_was_used_last(tmp_path: Path) -> None:
    inner = HashEncoder()
    cached = CachedEncoder(inner, tmp_path, memory_size=2)
    cached.encode(["one", "two"])
    cached.encode(["one"])
    cached.encode(["three"])
    cached.close()  # from here on only memory answers
    cached.encode(["one", "three"])
    assert inner.encoded == ["one", "two", "three"]
    cached.encode(["two"])
    assert inner.encoded[-1] == "two"


def test_what_was_encoded_before_a_cancellation_is_cached(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(200)]
    inner = HashEncoder()
    with pytest.raises(Cancelled):
        CachedEncoder(inner, tmp_path).encode(texts, cancelled=lambda: len(inner.encoded) >= 100)
    again = HashEncoder()
    CachedEncoder(again, tmp_path).encode(texts)
    assert sorted(inner.encoded + again.encoded) == sorted(texts)


def test_the_oldest_vectors_go_when_there_are_too_many(tmp_path: Path) -> None:
    CachedEncoder(HashEncoder(), tmp_path).encode(["one", "two", "three"])
    CachedEncoder(HashEncoder(), tmp_path, disk_size=1).close()
    inner = HashEncoder()
    CachedEncoder(inner, tmp_path).encode(["one", "two", "three"])
    assert inner.encoded == ["one", "two"]


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 99, "cut off", "other table"])
def test_a_damaged_cache_is_made_anew(
    tmp_path: Path, content: bytes | str, caplog: pytest.LogCaptureFixture
) -> None:
    first = CachedEncoder(HashEncoder(), tmp_path)
    first.encode([f"text {number}" for number in range(500)])
    first.close()
    (file,) = tmp_path.glob("*.sqlite")
    if content == "cut off":
        file.write_bytes(file.read_bytes()[:5000])
    elif content == "other table":
        file.unlink()
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE vectors (unlike INTEGER)")
        connection.close()
    else:
        assert isinstance(content, bytes)
        file.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        inner = HashEncoder()
        CachedEncoder(inner, tmp_path).encode(["text 1", "new"])
    assert inner.encoded == ["text 1", "new"]
    assert not content or "starting a new cache" in caplog.text
    inner = HashEncoder()
    CachedEncoder(inner, tmp_path).encode(["text 1", "new"])
    assert inner.encoded == []


@pytest.mark.parametrize(
    "written",
    [b"\0", np.full(8, np.nan, np.float16).tobytes(), np.full(8, np.inf, np.float16).tobytes()],
)
def test_a_vector_that_is_none_is_encoded_anew_and_put_right(
    tmp_path: Path, written: bytes
) -> None:
    cached = CachedEncoder(HashEncoder(), tmp_path)
    vectors = cached.encode(["one", "two"])
    cached.close()
    (file,) = tmp_path.glob("*.sqlite")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE vectors SET vector = ? WHERE number = 1", (written,))
    connection.close()
    for encoded in (["one"], []):
        inner = HashEncoder()
        again = CachedEncoder(inner, tmp_path)
        assert np.array_equal(again.encode(["one", "two"]), vectors)
        assert inner.encoded == encoded
        again.close()


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    inner = HashEncoder()
    cached = CachedEncoder(inner, tmp_path / "file")
    assert np.array_equal(cached.encode(TEXTS), cached.encode(TEXTS))
    assert inner.encoded == ["one", "two", "three"]
    assert "not kept on disk" in caplog.text


def test_what_is_cached_is_read_where_nothing_can_be_added(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = CachedEncoder(HashEncoder(), tmp_path)
    before.encode(["one", "two"])
    before.close()
    (file,) = tmp_path.glob("*.sqlite")
    with sqlite3.connect(file) as database:
        full = "BEGIN SELECT RAISE(FAIL, 'the disk is full'); END"
        database.execute(f"CREATE TRIGGER full BEFORE INSERT ON vectors {full}")
    database.close()
    inner = HashEncoder()
    cached = CachedEncoder(inner, tmp_path)
    cached.encode(["new"])
    cached.encode(["newer", "one", "two"])
    assert inner.encoded == ["new", "newer"]
    assert caplog.text.count("not kept on disk") == 1


def test_processes_may_write_at_the_same_time(tmp_path: Path) -> None:
    program = (
        "import sys, importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('cached', {__file__!r})\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "from pathlib import Path\n"
        f"cached = module.CachedEncoder(module.HashEncoder(), Path({str(tmp_path)!r}))\n"
        "for number in range(60): cached.encode([f'{sys.argv[1]} {number}', f'all {number}'])\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, name], stderr=subprocess.PIPE, text=True)
        for name in "abc"
    ]
    assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 3
    inner = HashEncoder()
    texts = [f"{name} {number}" for name in ("a", "b", "c", "all") for number in range(60)]
    CachedEncoder(inner, tmp_path).encode(texts)
    assert inner.encoded == []


def test_an_encoder_that_does_not_write_still_reads_and_remembers(tmp_path: Path) -> None:
    counting = HashEncoder()
    writing = CachedEncoder(counting, tmp_path)
    writing.encode(["kept"])
    reading = writing.without_writing()
    reading.encode(["kept", "typed", "typed"])
    assert counting.encoded == ["kept", "typed"]
    CachedEncoder(counting, tmp_path).encode(["kept", "typed"])
    assert counting.encoded == ["kept", "typed", "typed"], "what was typed is not on disk"
