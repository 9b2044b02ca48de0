"""Arrays in the cache, and what damage to their files costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.storage import npz_cache
from cite_lsp.storage.npz_cache import keep_arrays, load_arrays, text_array

ARRAYS = {"numbers": np.arange(7), "texts": text_array(["tide", "marsh"])}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_whatever_bit_of_a_directory_of_arrays_is_wrong_nothing_is_raised(home: Path) -> None:
    keep_arrays("kind", "digest", {"a": ARRAYS["numbers"]})
    (path,) = (home / "cache" / "libraries").iterdir()
    sound = path.read_bytes()
    directory = sound.index(b"PK\x01\x02")  # the one part of an archive that no checksum guards
    for place in range(8 * directory, 8 * len(sound)):
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        load_arrays("kind", "digest")


def test_a_folder_in_the_place_of_a_file_is_removed(home: Path) -> None:
    keep_arrays("kind", "digest", ARRAYS)
    (path,) = (home / "cache" / "libraries").iterdir()
    for read_first in (True, False):
        path.unlink()
        path.mkdir()
        if read_first:
            assert load_arrays("kind", "digest") is None and not path.exists()
        keep_arrays("kind", "digest", ARRAYS)
        assert load_arrays("kind", "digest") is not None


def test_a_damaged_file_is_reported_once_and_made_again(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep_arrays("kind", "digest", ARRAYS)
    (path,) = (home / "cache" / "libraries").iterdir()
    damaged = bytearray(path.read_bytes())
    damaged[damaged.rindex(b"PK\x01\x02") + 8] |= 1  # "encrypted"
    path.write_bytes(damaged)
    assert load_arrays("kind", "digest") is None and not path.exists()
    (message,) = caplog.messages
    assert message.startswith(f"{path}: damaged, it is made again") and "\n" not in message
    keep_arrays("kind", "digest", ARRAYS)
    again = load_arrays("kind", "digest")
    assert again is not None and npz_cache.texts_of(again["texts"]) == ["tide", "marsh"]
