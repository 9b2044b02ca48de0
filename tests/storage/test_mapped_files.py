"""Mapped files: what was read of them is given back, and read again."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.storage.array_folder import open_array
from cite_lsp.storage.mapped_files import give_back_pages, map_file

COUNT = 1 << 20


def resident_bytes(path: Path) -> int:
    """Return how much of a mapped file this process has in memory."""
    kilobytes, inside = 0, False
    with open("/proc/self/smaps", encoding="utf-8") as file:
        for line in file:
            if line.split()[0].count("-"):
                inside = line.rstrip().endswith(str(path))
            elif inside and line.startswith("Rss:"):
                kilobytes += int(line.split()[1])
    return kilobytes * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="the system says how much in its own way")
def test_what_was_read_is_given_back_and_read_again(tmp_path: Path) -> None:
    plain, array = tmp_path / "plain", tmp_path / "array.npy"
    np.arange(COUNT).tofile(plain)
    np.save(array, np.arange(COUNT))
    mapped = map_file(plain, np.dtype(np.int64)), open_array(array, np.dtype(np.int64))
    total = COUNT * (COUNT - 1) // 2
    assert [int(each.sum()) for each in mapped] == [total, total]
    assert min(resident_bytes(plain), resident_bytes(array)) >= 8 * COUNT
    give_back_pages()
    assert resident_bytes(plain) == resident_bytes(array) == 0
    assert [int(each.sum()) for each in mapped] == [total, total]


def test_a_mapped_file_is_a_plain_array_of_a_shape(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(bytes(range(12)))
    rows = map_file(path, np.dtype(np.int8), (3, 4))
    assert type(rows) is np.ndarray
    assert rows[2].tolist() == [8, 9, 10, 11]
    del rows
    give_back_pages()  # which is closed


def test_a_mapped_file_must_be_there_and_long_enough(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        map_file(tmp_path / "none", np.dtype(np.int8))
    (tmp_path / "short").write_bytes(b"abc")
    with pytest.raises(ValueError, match="."):
        map_file(tmp_path / "short", np.dtype(np.int8), (2, 4))
