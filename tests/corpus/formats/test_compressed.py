"""Packed files are read piece by piece, and no further than papers can be packed to."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.corpus.formats.compressed import TooMuchInsideError, open_unpacked
from cite_lsp.storage.compressed_files import zstd

BUFFERED = 1 << 16


def test_what_is_not_packed_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"plain")
    with open_unpacked(tmp_path / "a", BUFFERED) as file:
        assert file.read() == b"plain"


def test_frames_one_behind_the_other_are_all_read(tmp_path: Path) -> None:
    frame = zstd.compress(b"x" * 100_000)
    (tmp_path / "a").write_bytes(frame * 3)
    with open_unpacked(tmp_path / "a", BUFFERED) as file:
        assert len(file.read()) == 300_000


@pytest.mark.parametrize("packing", [gzip.compress, zstd.compress])
def test_a_file_that_holds_far_too_much_is_not_read_to_its_end(
    tmp_path: Path, packing: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "a").write_bytes(packing(bytes(120_000_000)))
    with open_unpacked(tmp_path / "a", BUFFERED) as packed, pytest.raises(TooMuchInsideError):
        while packed.read(1_000_000):
            pass


def test_little_is_held_of_what_a_few_bytes_unpack_to(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with zstd.open(path, "wb") as packed:
        for _ in range(1_000):
            packed.write(bytes(1_000_000))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        with open_unpacked(path, BUFFERED) as file:
            file.read(1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
