"""The encoder of both languages: Chinese goes to the student, and English is as it was."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from cite_lsp.encode import Vectors
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.kinds.bilingual_encoder import BilingualEncoder, is_chinese
from cite_lsp.encode.kinds.static import write_table
from cite_lsp.encode.tokens.chinese import CHINESE

WORDS = {"[UNK]": 0, "潮汐": 1, "海鸥": 2, "marsh": 3}
TABLE = np.array([[0, 0], [2, 0], [0, 1], [1, 1]], dtype=np.float32)


class Base:
    """Puts every text in one place, and remembers what it was asked."""

    name, dimensions, fingerprint, checkpoint = "base", 2, "base-1", "b"

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], **options: object) -> Vectors:
        self.encoded += texts
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(texts), 1))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))


@pytest.fixture
def student(tmp_path: Path) -> Path:
    folder = tmp_path / "cross-lingual"
    folder.mkdir()
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    write_table(folder / "model.safetensors", TABLE, int8=True)
    files = ("model.safetensors", "tokenizer.json")
    config = {
        "kind": "static",
        "name": "cross-lingual",
        "dimensions": 2,
        "max_tokens": 64,
        "sha256": {name: checksum_of(folder / name) for name in files},
        "words": CHINESE,
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_each_text_goes_to_who_can_read_it(student: Path) -> None:
    base = Base()
    vectors = BilingualEncoder(base, student).encode(["a gull", "潮汐", "", "海鸥，marsh"])
    assert base.encoded == ["a gull", ""]
    np.testing.assert_allclose(vectors[0], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(vectors[1], [1, 0], atol=1e-3)
    np.testing.assert_allclose(vectors[3], np.array([1, 2]) / np.sqrt(5), atol=0.01)


def test_english_texts_keep_name_fingerprint_and_vectors(student: Path) -> None:
    base = Base()
    both = BilingualEncoder(base, student)
    assert (both.name, both.fingerprint, both.checkpoint) == ("base", "base-1", "b")
    assert both.fingerprint_of("a gull") == "base-1" != both.fingerprint_of("潮汐")
    np.testing.assert_array_equal(both.encode(["a gull"]), base.encode(["a gull"]))


def test_traditional_script_and_full_width_letters_are_read_alike(student: Path) -> None:
    vectors = BilingualEncoder(Base(), student).encode(["海鷗 ｍａｒｓｈ", "海鸥 marsh"])
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_what_base_and_student_made_is_cached_apart(student: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    old = CachedEncoder(Base(), folder)  # a version that had no student
    before = old.encode(["潮汐", "a gull"])
    old.close()
    base = Base()
    new = CachedEncoder(BilingualEncoder(base, student), folder)
    after = new.encode(["潮汐", "a gull"])
    assert base.encoded == []  # the English one is remembered
    np.testing.assert_array_equal(after[1], before[1])
    np.testing.assert_allclose(after[0], [1, 0], atol=1e-3)
    np.testing.assert_array_equal(new.encode(["潮汐"]), after[:1])


def test_without_its_files_the_base_reads_everything(
    student: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (student / "model.safetensors").write_bytes(b"cut off")
    base = Base()
    both = BilingualEncoder(base, student)
    with caplog.at_level(logging.ERROR):
        both.encode(["潮汐"])
        both.encode(["海鸥"])
    assert base.encoded == ["潮汐", "海鸥"]
    assert both.fingerprint_of("潮汐") == "base-1"
    assert len(caplog.records) == 1 and "install" in caplog.text


def test_a_student_of_other_dimensions_is_refused(
    student: Path, caplog: pytest.LogCaptureFixture
) -> None:
    base = Base()
    base.dimensions = 3
    assert BilingualEncoder(base, student).fingerprint_of("潮汐") == "base-1"
    assert "2 dimensions where base has 3" in caplog.text


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("我们使用 BERT 和 Convolutional Neural Networks", True),
        ("Deep residual learning for image recognition", False),
        ("A grammar of the particle 了 in modern Mandarin newspapers", False),
        ("", False),
        ("Gödel", False),
    ],
)
def test_a_text_is_chinese_from_a_tenth_of_its_letters_on(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


def test_english_texts_load_neither_chinese_words_nor_the_student(student: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from tests.encode.kinds.test_bilingual_encoder import Base\n"
        "from cite_lsp.encode.kinds.bilingual_encoder import BilingualEncoder\n"
        f"both = BilingualEncoder(Base(), Path({str(student)!r}))\n"
        "both.encode(['a gull']); assert both._student is None\n"
        "from cite_lsp.translate import segment\n"
        "assert segment._loaded is None and 'opencc' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
