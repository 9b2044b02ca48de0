"""A head: a linear map of another encoder's vectors, with a name and a fingerprint of its own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from attrs import asdict

from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.checkpoints import available, checksum_of, verify
from cite_lsp.encode.kinds.headed import (
    HEAD_FILE,
    HIDDEN_FILE,
    KIND,
    HeadConfig,
    HeadedEncoder,
    Network,
    write_head,
    write_network,
)

TEXTS = ["A graph of citations", "", "Gulls follow the tide"]
WIDTH = 384


def write(folder: Path, matrix: np.ndarray, **changed: object) -> Path:
    folder.mkdir(parents=True)
    write_head(folder / HEAD_FILE, matrix)
    config = HeadConfig(
        kind=KIND,
        name=folder.name,
        base="all-MiniLM-L6-v2",
        base_checkpoint=load_encoder().checkpoint,
        dimensions=matrix.shape[1],
        sha256={HEAD_FILE: checksum_of(folder / HEAD_FILE)},
    )
    (folder / "config.json").write_text(json.dumps(asdict(config) | changed))
    return folder


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "models"


def test_a_vector_is_the_base_s_multiplied_and_made_unit_length(models: Path) -> None:
    matrix = np.random.default_rng(1).standard_normal((WIDTH, 20)).astype(np.float16)
    write(models / "turned", matrix)
    encoder = load_encoder("turned")
    assert encoder.dimensions == 20
    made = load_encoder().encode(TEXTS) @ matrix.astype(np.float32)
    vectors = encoder.encode(TEXTS)
    assert np.allclose(
        vectors[[0, 2]], made[[0, 2]] / np.linalg.norm(made[[0, 2]], axis=1)[:, None]
    )
    assert not vectors[1].any()  # of an empty text nothing is known


def test_another_head_or_another_base_is_another_fingerprint(models: Path) -> None:
    write(models / "one", np.eye(WIDTH))
    write(models / "two", 2 * np.eye(WIDTH))
    first, second, shorter = (
        load_encoder("one"),
        load_encoder("two"),
        load_encoder("one", max_tokens=64),
    )
    assert len({first.fingerprint, second.fingerprint, shorter.fingerprint}) == 3
    assert first.checkpoint == shorter.checkpoint != second.checkpoint
    assert first.checkpoint != load_encoder().checkpoint


def test_a_head_is_listed_and_its_files_are_checked(models: Path) -> None:
    folder = write(models / "one", np.eye(WIDTH))
    assert any(item.name == "one" and item.kind == "head" for item in available())
    assert verify(folder) == []
    write_head(folder / HEAD_FILE, 2 * np.eye(WIDTH))
    assert "damaged" in verify(folder)[0]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"base_checkpoint": "0123456789abcdef"}, "other weights of all-MiniLM-L6-v2"),
        ({"base": "nobody"}, "no encoder named 'nobody'"),
        ({"base": "one"}, "stands on one, which stands on another"),
        ({"dimensions": 7}, "vectors of 384 dimensions, made 7"),
        ({"sha256": {}}, "no sha256"),
    ],
)
def test_a_head_that_does_not_fit_is_one_clear_error(
    models: Path, changed: dict[str, object], said: str
) -> None:
    write(models / "one", np.eye(WIDTH), **changed)
    with pytest.raises(EncoderError, match=said) as raised:
        load_encoder("one")
    assert "\n" not in str(raised.value)


def test_a_head_may_be_named_by_its_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "elsewhere", np.eye(WIDTH))
    encoder = load_encoder(str(folder))
    assert isinstance(encoder, HeadedEncoder)
    assert np.allclose(encoder.encode(TEXTS), load_encoder().encode(TEXTS), atol=1e-3)


def test_hidden_units_add_to_a_vector_what_they_make_of_it(models: Path) -> None:
    folder, rng = models / "deep", np.random.default_rng(5)
    folder.mkdir(parents=True)
    hidden = rng.standard_normal((WIDTH + 1, 6)).astype(np.float16).astype(np.float32)
    out = rng.standard_normal((6, WIDTH)).astype(np.float16).astype(np.float32)
    write_network(folder, Network(hidden, out))
    config = HeadConfig(
        kind=KIND,
        name="deep",
        base="all-MiniLM-L6-v2",
        base_checkpoint=load_encoder().checkpoint,
        dimensions=WIDTH,
        sha256={file: checksum_of(folder / file) for file in (HIDDEN_FILE, HEAD_FILE)},
        hidden=6,
    )
    (folder / "config.json").write_text(json.dumps(asdict(config)))
    base = load_encoder().encode(TEXTS[:1])[0]
    units = [max(0.0, float(base @ hidden[:-1, unit] + hidden[-1, unit])) for unit in range(6)]
    made = base + sum(unit * row for unit, row in zip(units, out, strict=True))
    vectors = load_encoder("deep").encode(TEXTS)
    assert np.allclose(vectors[0], made / np.linalg.norm(made), atol=1e-4)
    assert not vectors[1].any()  # of an empty text nothing is known
    (folder / HIDDEN_FILE).unlink()
    with pytest.raises(EncoderError, match=HIDDEN_FILE):
        load_encoder("deep")


def test_a_head_whose_hidden_units_do_not_fit_is_one_clear_error(models: Path) -> None:
    folder = write(models / "deep", np.zeros((6, WIDTH)), hidden=6)
    write_network(folder, Network(np.zeros((7, 6), np.float32), np.zeros((6, WIDTH), np.float32)))
    sums = {file: checksum_of(folder / file) for file in (HIDDEN_FILE, HEAD_FILE)}
    config = json.loads((folder / "config.json").read_text()) | {"sha256": sums}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(EncoderError, match=r"a head of \(7, 6\) for vectors of 384"):
        load_encoder("deep")
