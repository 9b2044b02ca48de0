"""Where a file lies that an encoder has of its base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cite_lsp.encode import EncoderError, description
from cite_lsp.encode.description import is_located, located

FILE, SUMS = "words", {"words": "one"}


def write(folder: Path, *, sums: object = None, file: bool = True, base: object = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"sha256": sums or SUMS, "base": base}))
    if file:
        (folder / FILE).write_text("numbers")
    return folder


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(description, "shipped_model", lambda name: tmp_path / "shipped" / name)
    return tmp_path / "shipped"


def test_the_own_file_comes_first_then_that_beside_it_then_that_which_ships(
    tmp_path: Path, shipped: Path
) -> None:
    encoder = write(tmp_path / "mine" / "encoder", file=False, base="base")
    assert not is_located(encoder, FILE)
    write(shipped / "base")
    assert is_located(encoder, FILE)
    assert located(encoder, FILE, SUMS, "base") == shipped / "base" / FILE
    write(tmp_path / "mine" / "base")
    assert located(encoder, FILE, SUMS, "base") == tmp_path / "mine" / "base" / FILE
    (encoder / FILE).write_text("numbers")
    assert located(encoder, FILE, SUMS, "base") == encoder / FILE


def test_a_base_of_another_version_is_passed_over(tmp_path: Path, shipped: Path) -> None:
    encoder = write(tmp_path / "mine" / "encoder", file=False, base="base")
    write(tmp_path / "mine" / "base", sums={FILE: "another"})
    write(shipped / "base")
    assert located(encoder, FILE, SUMS, "base") == shipped / "base" / FILE


def test_a_base_may_have_the_file_of_its_own_base(tmp_path: Path) -> None:
    encoder = write(tmp_path / "encoder", file=False, base="base")
    write(tmp_path / "base", file=False, base="root")
    root = write(tmp_path / "root", base="base")
    assert located(encoder, FILE, SUMS, "base") == root / FILE and is_located(encoder, FILE)
    (root / FILE).unlink()
    assert not is_located(encoder, FILE)


@pytest.mark.parametrize("base", ["base", "nobody"])
def test_no_base_that_has_the_file_is_one_clear_line(tmp_path: Path, base: str) -> None:
    encoder = write(tmp_path / "encoder", file=False, base=base)
    write(tmp_path / "base", sums={FILE: "another"})
    with pytest.raises(EncoderError) as raised:
        located(encoder, FILE, SUMS, base)
    message = f"{encoder / FILE}: missing, and no {base} is installed whose {FILE} is the same;"
    assert str(raised.value).startswith(message) and "\n" not in str(raised.value)
    assert not is_located(encoder, FILE)


def test_a_file_without_a_checksum_is_of_nobody_else(tmp_path: Path) -> None:
    encoder = write(tmp_path / "encoder", sums={"other": "one"}, file=False, base="base")
    write(tmp_path / "base")
    with pytest.raises(EncoderError, match="missing"):
        located(encoder, FILE, {"other": "one"}, "base")
    assert not is_located(encoder, FILE)


def test_without_a_base_the_place_is_the_folder(tmp_path: Path) -> None:
    encoder = write(tmp_path / "encoder", file=False)
    assert located(encoder, FILE, SUMS, "") == encoder / FILE
    assert not is_located(encoder, FILE)


@pytest.mark.parametrize("text", ["", "[]", '{"base": 3}', '{"base": "b", "sha256": []}', None])
def test_a_description_that_is_none_locates_nothing(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    assert not is_located(tmp_path, FILE)
