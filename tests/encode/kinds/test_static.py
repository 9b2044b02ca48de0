"""The static encoder: word vectors added up, from a file that any reader of safetensors reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.checkpoints import available, checksum_of, verify
from cite_lsp.encode.encoder import unit as unit_rows
from cite_lsp.encode.kinds.static import (
    MAP,
    MAP_FILE,
    StaticEncoder,
    read_table,
    write_table,
)
from cite_lsp.storage.compressed_files import zstd

WORDS = {"[UNK]": 0, "tide": 1, "gull": 2, "the": 3}
TABLE = np.array([[0, 0], [2, 0], [0, 1], [0.25, 0.25]], dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "models" / "words"
    folder.mkdir(parents=True)
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("tide", 1), ("tide", 1))
    tokenizer.save(str(folder / "tokenizer.json"))
    write_table(folder / "model.safetensors", TABLE)
    config = {
        "kind": "static",
        "name": "words",
        "dimensions": 2,
        "max_tokens": 4,
        "sha256": {
            name: checksum_of(folder / name) for name in ("model.safetensors", "tokenizer.json")
        },
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


SHIPPED = Path(__file__).parents[3] / "model_zoo" / "static"


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, dtype=np.float32)
    return np.asarray(vector / np.linalg.norm(vector))


def test_a_text_is_the_sum_of_its_words_made_unit_length(folder: Path) -> None:
    vectors = StaticEncoder(folder).encode(["tide gull", "the gull gull", "", "unheard of"])
    assert np.allclose(vectors[0], unit(2, 1))
    assert np.allclose(vectors[1], unit(0.25, 2.25), atol=1e-3)
    assert not vectors[2:].any()
    assert vectors.dtype == np.float32


def test_words_beyond_the_limit_do_not_count(folder: Path) -> None:
    long = "gull gull gull gull tide"
    assert np.allclose(StaticEncoder(folder).encode([long])[0], unit(0, 1))
    assert np.allclose(StaticEncoder(folder, max_tokens=1).encode(["gull tide"])[0], unit(0, 1))


def test_it_has_a_name_among_the_encoders_and_its_files_can_be_checked(folder: Path) -> None:
    assert "words" in {checkpoint.name for checkpoint in available()}
    encoder = load_encoder("words")
    assert isinstance(encoder, StaticEncoder)
    assert isinstance(load_encoder(str(folder), device="cpu"), StaticEncoder)
    assert encoder.fingerprint.startswith("words-") and encoder.fingerprint.endswith("-4")
    assert verify(folder) == []
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"more")
    assert "damaged" in verify(folder)[0]


def test_another_table_is_another_fingerprint_and_checkpoint(folder: Path) -> None:
    before = StaticEncoder(folder)
    write_table(folder / "model.safetensors", TABLE + 1)
    config = json.loads((folder / "config.json").read_text())
    config["sha256"]["model.safetensors"] = checksum_of(folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    after = StaticEncoder(folder)
    assert before.fingerprint != after.fingerprint and before.checkpoint != after.checkpoint


def test_cancelling_is_noticed(folder: Path) -> None:
    encoder = StaticEncoder(folder)
    with pytest.raises(Cancelled):
        encoder.encode(["tide"], cancelled=lambda: True)


def test_a_compressed_table_gives_the_same_vectors_by_the_same_name(folder: Path) -> None:
    plain = StaticEncoder(folder)
    table = folder / "model.safetensors"
    packed = table.with_name("model.safetensors.zst")
    packed.write_bytes(zstd.compress(table.read_bytes()))
    table.unlink()
    encoder = StaticEncoder(folder)
    assert np.array_equal(encoder.encode(["tide gull"]), plain.encode(["tide gull"]))
    assert encoder.fingerprint == plain.fingerprint
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(EncoderError, match="install the checkpoint again"):
        StaticEncoder(folder)


def test_safetensors_reads_what_was_written_and_the_other_way_round(folder: Path) -> None:
    numpy_format = pytest.importorskip("safetensors.numpy", reason="needs the torch extra")
    written = numpy_format.load_file(folder / "model.safetensors")
    assert np.array_equal(written["embeddings"], TABLE.astype(np.float16))
    other = folder / "other.safetensors"
    numpy_format.save_file({"embeddings": TABLE.astype(np.float16)}, other)
    assert np.array_equal(read_table(other).numbers, TABLE.astype(np.float16))


def test_the_one_that_ships_is_whole_and_puts_like_beside_like() -> None:
    assert verify(SHIPPED) == []
    assert all(path.stat().st_size < 50 * 2**20 for path in SHIPPED.iterdir())
    encoder = load_encoder("static")
    translation, attention, gulls = encoder.encode(
        [
            "Neural machine translation with attention",
            "Sequence to sequence models that translate sentences",
            "The nesting habits of herring gulls",
        ]
    )
    assert translation @ attention > 0.3 > translation @ gulls


def _cut_off(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-4])


def _no_table(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"nothing of the sort, and long enough")


def _too_small(folder: Path) -> None:
    write_table(folder / "model.safetensors", TABLE[:2])


def _no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")


def _no_checksum(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"sha256": {}}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_cut_off, "cannot be read as a table of word vectors"),
        (_no_table, "cannot be read as a table of word vectors"),
        (_too_small, "for 4 tokens of 2 dimensions"),
        (_no_tokenizer, "cannot be read as a tokenizer"),
        (_no_checksum, r"no sha256 of model\.safetensors"),
    ],
)
def test_a_damaged_folder_is_one_line_that_says_what_to_do(
    folder: Path, damage: Callable[[Path], None], message: str
) -> None:
    damage(folder)
    with pytest.raises(EncoderError, match=message) as error:
        StaticEncoder(folder)
    assert "install the checkpoint again" in str(error.value)


def test_with_a_map_texts_lie_in_the_space_of_the_teacher(folder: Path) -> None:
    plain = StaticEncoder(folder)
    turn = np.array([[0, 1, 0, 0], [1, 0, 0, 1]], dtype=np.float32)
    write_table(folder / MAP_FILE, turn, MAP)
    config = json.loads((folder / "config.json").read_text())
    config["sha256"][MAP_FILE] = checksum_of(folder / MAP_FILE)
    (folder / "config.json").write_text(json.dumps(config | {"space": "teacher-1"}))
    mapped = StaticEncoder(folder)
    assert (mapped.dimensions, mapped.checkpoint) == (4, "teacher-1")
    assert mapped.fingerprint != plain.fingerprint
    texts = ["tide", "the gull", ""]
    assert mapped.encode(texts) == pytest.approx(unit_rows(plain.encode(texts) @ turn), abs=1e-3)
    (folder / MAP_FILE).write_bytes(b"cut")
    with pytest.raises(EncoderError, match="install the checkpoint again"):
        StaticEncoder(folder)


def test_many_texts_are_encoded_as_few_are(folder: Path) -> None:
    encoder = StaticEncoder(folder)
    few = encoder.encode(["tide", "the gull"])
    many = encoder.encode(["tide", "the gull"] * 400)
    assert many[:2] == pytest.approx(few, abs=1e-6)


def test_papers_by_the_one_that_ships_are_found_by_queries_of_its_teacher() -> None:
    papers = load_encoder("static").encode(
        ["Neural machine translation by attention", "Ocean tides and the moon", "Parsing trees"]
    )
    teacher = load_encoder("default", device="cpu")
    assert load_encoder("static").checkpoint == teacher.checkpoint
    queries = teacher.encode(["translating with attention", "how the moon moves the sea"])
    assert (queries @ papers.T).argmax(axis=1).tolist() == [0, 1]
