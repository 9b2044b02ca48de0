"""Files of models that lie compressed, or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.storage.compressed_files import (
    PackedFileError,
    content,
    is_packed,
    stored_path,
    write,
    zstd,
)


def test_a_file_is_found_and_read_under_either_name(tmp_path: Path) -> None:
    file, packed = tmp_path / "table", tmp_path / "table.zst"
    assert stored_path(file) == file
    packed.write_bytes(zstd.compress(b"numbers"))
    assert stored_path(file) == packed and is_packed(packed) and content(packed) == b"numbers"
    file.write_bytes(b"others")
    assert stored_path(file) == file and not is_packed(file) and content(file) == b"others"


@pytest.mark.parametrize("data", [b"", b"no archive", zstd.compress(b"numbers" * 99)[:-4]])
def test_a_damaged_file_says_so(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "table.zst").write_bytes(data)
    with pytest.raises(PackedFileError):
        content(tmp_path / "table.zst")


def test_a_file_is_compressed_if_its_name_says_so(tmp_path: Path) -> None:
    plain, packed = tmp_path / "model.onnx", tmp_path / "model.onnx.zst"
    for path in (plain, packed):
        write(path, b"trees " * 99)
        assert content(path) == b"trees " * 99
    assert packed.stat().st_size < plain.stat().st_size == 594
