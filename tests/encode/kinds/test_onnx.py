"""The encoder that ships: its vectors, its promises, its errors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import EncoderError, Vectors, description
from cite_lsp.encode.checkpoints import TABLE, TABLE_FILE, verify
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.storage.compressed_files import zstd

SHIPPED = Path(__file__).parents[3] / "model_zoo" / "all-MiniLM-L6-v2"
TEXTS = [
    "We fine-tune a pretrained transformer for machine translation.",
    "",
    "Neural machine translation by jointly learning to align and translate",
    "  \n",
    "The mitochondria of plant cells",
    "word " * 600,
    "\ud800 a lone surrogate",
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(SHIPPED)


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder: OnnxEncoder) -> None:
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    for row, text in enumerate(TEXTS):
        assert np.array_equal(vectors[row], encoder.encode([text])[0])
        assert np.linalg.norm(vectors[row]) == pytest.approx(1 if text.strip() else 0, abs=1e-5)


def test_what_means_alike_is_near(encoder: OnnxEncoder) -> None:
    translation, attention, cells = encoder.encode([TEXTS[0], TEXTS[2], TEXTS[4]])
    assert translation @ attention > 0.4 > translation @ cells


def test_no_texts_give_no_rows(encoder: OnnxEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_threads_change_nothing_but_the_speed(encoder: OnnxEncoder) -> None:
    several = OnnxEncoder(SHIPPED, threads=3)
    assert several.fingerprint == encoder.fingerprint
    texts = [f"{text} {number}" for number in range(20) for text in TEXTS[:3]]
    assert np.array_equal(several.encode(texts), encoder.encode(texts))


def test_one_encoder_serves_several_threads(encoder: OnnxEncoder) -> None:
    texts = [f"paper number {number}" for number in range(24)]
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: encoder.encode([text])[0], texts))
    assert np.array_equal(np.stack(rows), encoder.encode(texts))


def test_max_tokens_cuts_texts_and_changes_the_fingerprint(encoder: OnnxEncoder) -> None:
    short = OnnxEncoder(SHIPPED, max_tokens=6)
    assert short.fingerprint != encoder.fingerprint
    assert short.checkpoint == encoder.checkpoint
    four_words = "graph word paper theory"  # with the two special tokens, six
    assert np.array_equal(short.encode([four_words + " and more"]), short.encode([four_words]))
    assert not np.array_equal(encoder.encode([four_words + " more"]), encoder.encode([four_words]))


@pytest.mark.parametrize("threads", [1, 2])
def test_it_stops_when_cancelled(threads: int) -> None:
    encoder = OnnxEncoder(SHIPPED, threads=threads)
    looks: list[int] = []

    def cancelled() -> bool:
        looks.append(len(looks))
        return len(looks) == 3

    with pytest.raises(Cancelled):
        encoder.encode(["text"] * 100, cancelled=cancelled)
    assert len(looks) == 3


def test_nothing_more_is_encoded_once_it_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = OnnxEncoder(SHIPPED, threads=2)
    runs: list[int] = []

    def run(ids: list[int]) -> Vectors:
        runs.append(len(ids))
        time.sleep(0.001)
        return np.ones(encoder.dimensions, dtype=np.float32)

    monkeypatch.setattr(encoder, "_run", run)
    with pytest.raises(Cancelled):
        encoder.encode(["text"] * 1000, cancelled=lambda: True)
    assert len(runs) < 200


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json", "config.json", TABLE_FILE])
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(EncoderError) as raised:
        OnnxEncoder(folder)
    message = str(raised.value)
    assert message.startswith(str(folder / file))
    assert "\n" not in message


def test_a_table_of_another_shape_or_kind_is_one_clear_line(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    narrow, wide = (np.zeros((30522, width), dtype=np.uint8) for width in (383, 384))
    for wrong in (narrow, wide.astype(np.float16)):
        (folder / TABLE_FILE).write_bytes(save({TABLE: wrong}))
        with pytest.raises(EncoderError, match="a table of .* install") as raised:
            OnnxEncoder(folder)
        assert "\n" not in str(raised.value) and str(folder) in str(raised.value)
    (folder / TABLE_FILE).unlink()
    with pytest.raises(EncoderError, match=f"{TABLE_FILE}: missing"):
        OnnxEncoder(folder)


def test_encoding_on_a_cpu_never_loads_torch() -> None:
    program = (
        "import sys\n"
        "from cite_lsp.encode import load_encoder\n"
        "load_encoder(device='cpu').encode(['a text'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'scipy', 'onnx'}\n"
        "print(*heavy.intersection(sys.modules), end='')\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


QUERY_ENCODER = SHIPPED.parent / "query-encoder"
CHINESE_QUERY_ENCODER = SHIPPED.parent / "query-encoder-zh"
QUERY = "Tides carry silt [MASK] into the marsh. [SEP] Growing marshes"


def test_how_a_text_is_read_is_what_its_vector_is_made_of() -> None:
    encoder = OnnxEncoder(QUERY_ENCODER)
    vector = encoder.encode([QUERY])[0]
    reading = encoder.reading(QUERY)
    assert reading is not None
    assert reading.states.shape == (len(reading.tokens), encoder.dimensions)
    pooled = reading.states.mean(axis=0)
    assert vector @ pooled / np.linalg.norm(pooled) > 0.9999
    start, *_, end = reading.tokens.tolist()
    assert reading.tokens.tolist().count(end) == 2 and start != end


def test_a_text_is_read_once_for_its_vector_and_its_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder = OnnxEncoder(QUERY_ENCODER)
    encoder.encode([QUERY])
    before = encoder.reading(QUERY)
    monkeypatch.setattr(encoder, "session", None)
    assert encoder.reading(QUERY) is before is not None


def test_who_does_not_tell_how_it_reads_says_so(encoder: OnnxEncoder) -> None:
    assert encoder.reading(QUERY) is None
    assert OnnxEncoder(QUERY_ENCODER).reading("  ") is None


def test_a_compressed_graph_gives_the_same_vectors_by_the_same_name(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    shutil.copytree(SHIPPED, tmp_path / "copy")
    graph = tmp_path / "copy" / "model.onnx"
    packed = graph.with_name("model.onnx.zst")
    packed.write_bytes(zstd.compress(graph.read_bytes(), level=1))
    graph.unlink()
    assert verify(graph.parent) == []
    copy = OnnxEncoder(graph.parent)
    assert np.array_equal(copy.encode(TEXTS[:3]), encoder.encode(TEXTS[:3]))
    assert copy.fingerprint == encoder.fingerprint
    kept = [len(value) for value in vars(copy.session).values() if isinstance(value, bytes)]
    # The unpacked graph is not held a second time.
    assert max(kept, default=0) < packed.stat().st_size / 100
    packed.write_bytes(packed.read_bytes()[:-9])
    assert verify(graph.parent) == [
        f"{packed}: damaged, its sha256 differs; install the checkpoint again"
    ]
    with pytest.raises(EncoderError, match=re.escape(f"{packed}: cannot be loaded")):
        OnnxEncoder(graph.parent)


def test_a_graph_that_tells_more_makes_the_same_vectors_by_the_same_name(tmp_path: Path) -> None:
    encoder = OnnxEncoder(QUERY_ENCODER)
    other = tmp_path / "query-encoder"
    shutil.copytree(QUERY_ENCODER, other)
    config = json.loads((other / "config.json").read_text(encoding="utf-8"))
    assert config["vectors_of"] and config["vectors_of"] != config["sha256"]["model.onnx"]
    assert config["vectors_of"][:12] in encoder.fingerprint
    del config["vectors_of"]
    (other / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert OnnxEncoder(other).fingerprint != encoder.fingerprint


def test_encoders_that_share_a_table_have_it_in_memory_once(encoder: OnnxEncoder) -> None:
    fed = encoder.feeds(["a text"])[0][TABLE]
    for folder in (QUERY_ENCODER, CHINESE_QUERY_ENCODER):
        assert np.shares_memory(OnnxEncoder(folder).feeds(["a text"])[0][TABLE], fed)


def test_a_table_that_is_replaced_is_read_anew(tmp_path: Path, encoder: OnnxEncoder) -> None:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    texts = ["a text"]
    assert np.array_equal(OnnxEncoder(folder).encode(texts), encoder.encode(texts))
    table = encoder.feeds(texts)[0][TABLE]
    with_more = tmp_path / TABLE_FILE
    with_more.write_bytes(save({TABLE: np.asarray(255 - table)}))
    with_more.replace(folder / TABLE_FILE)
    assert not np.array_equal(OnnxEncoder(folder).encode(texts), encoder.encode(texts))


def test_an_encoder_away_from_its_base_finds_the_one_that_ships(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(QUERY_ENCODER, mine)
    shipped = OnnxEncoder(QUERY_ENCODER)
    assert np.array_equal(OnnxEncoder(mine).encode([QUERY]), shipped.encode([QUERY]))


def test_an_encoder_whose_base_is_another_version_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(description, "shipped_model", lambda name: tmp_path / "none" / name)
    mine, base = tmp_path / "mine", tmp_path / SHIPPED.name
    shutil.copytree(QUERY_ENCODER, mine)
    shutil.copytree(SHIPPED, base)
    assert OnnxEncoder(mine).encode([QUERY]).any()
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    config["sha256"][TABLE_FILE] = "0" * 64
    (base / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(EncoderError, match=f"{TABLE_FILE}: missing, and no .* copy the file here"):
        OnnxEncoder(mine)
    for file in (TABLE_FILE, "tokenizer.json"):
        shutil.copy(SHIPPED / file, mine)
    assert OnnxEncoder(mine).encode([QUERY]).any()
