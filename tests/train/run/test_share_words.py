"""The form that ships: one table of words for several encoders, and vectors as they were."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.encode.checkpoints import (
    OWN_TABLE,
    STATES,
    TABLE_FILE,
    checksum_of,
    find,
    read_config,
    verify,
)
from cite_lsp.encode.kinds.onnx import OnnxEncoder, tables_of, word_vectors
from cite_lsp.train.run import share_words
from cite_lsp.train.run.card import file_row
from cite_lsp.train.run.report import TrainingError
from cite_lsp.train.run.shared_table import (
    divide,
    inputs_of,
    load_graph,
    own_table,
    put_back,
    takes_table,
)
from tests.conftest import WORDS

ZOO = Path(__file__).parents[3] / "model_zoo"
TEXTS = ["Neural paper retrieval", "zzz", f"{' '.join(WORDS)} 河 岸 of a river, 河岸", "word " * 60]
ADDED = ["河", "岸", "河岸"]
LEFT_OUT = ["graph", "word"]

Bytes = dict[str, bytes]


def contents(folder: Path) -> Bytes:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def apart(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zoo of three encoders, each with a table of its own, and a static one."""
    pytest.importorskip("onnx", reason="needs the train extra")
    from cite_lsp.train.run.export import ExportedModel, GraphForm, export

    zoo = tmp_path_factory.mktemp("zoo")
    export(tiny_checkpoint, zoo / "base", ExportedModel("base", "tiny"))
    second = ExportedModel("asked", "tiny")
    export(tiny_checkpoint, zoo / "asked", second, form=GraphForm(states=True))
    for name in ("base", "asked"):
        write_card(zoo / name, "model.onnx", "tokenizer.json")
    write_student(zoo)
    write_static(zoo)
    return zoo


def write_student(zoo: Path) -> None:
    """Write an encoder with other words, which was quantised with other scales."""
    from onnx import numpy_helper

    folder = zoo / "student"
    shutil.copytree(zoo / "base", folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    before = tokenizer["model"]["vocab"]
    retained = [word for word in before if word not in LEFT_OUT]
    tokenizer["model"]["vocab"] = {word: row for row, word in enumerate([*retained, *ADDED])}
    text = json.dumps(tokenizer, ensure_ascii=False)
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    model = load_graph(folder / "model.onnx")
    held = {part.name: part for part in model.graph.initializer}
    name = next(name for name in held if name.endswith("word_embeddings.weight_quantized"))
    scale, zero = (name.replace("quantized", end) for end in ("scale", "zero_point"))
    numbers = {part: numpy_helper.to_array(held[part]) for part in (name, scale, zero)}
    steps = numbers[name][[before[word] for word in retained]].astype(np.float64) - numbers[zero]
    rows = np.clip(np.rint(steps / 1.07) + numbers[zero] + 2, 0, 255).astype(np.uint8)
    added = np.random.default_rng(3).integers(0, 255, (len(ADDED), rows.shape[1]))
    changed = {
        name: np.concatenate([rows, added.astype(np.uint8)]),
        scale: np.float32(numbers[scale] * 1.07),
        zero: np.uint8(numbers[zero] + 2),
    }
    for part, value in changed.items():
        held[part].CopyFrom(numpy_helper.from_array(np.asarray(value), part))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    describe(folder, {"name": "student"}, "model.onnx", "tokenizer.json")


def write_static(zoo: Path) -> None:
    from cite_lsp.encode.kinds.static import write_table

    folder = zoo / "static"
    folder.mkdir()
    shutil.copy(zoo / "base" / "tokenizer.json", folder)
    words = len(json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"])
    write_table(folder / "model.safetensors", np.random.default_rng(5).normal(size=(words, 8)))
    write_card(folder)
    config = {"kind": "static", "name": "static", "dimensions": 8, "max_tokens": 32}
    (folder / "config.json").write_text(json.dumps(config | {"sha256": {}}))
    describe(folder, {}, "model.safetensors", "tokenizer.json")


def write_card(folder: Path, *files: str) -> None:
    rows = (file_row(folder, folder / file) for file in files)
    table = "\n".join(("| file | bytes | sha256 |", "| --- | --- | --- |", *rows))
    (folder / "README.md").write_text(f"# {folder.name}\n\n{table}\n", encoding="utf-8")


def describe(folder: Path, said: dict[str, object], *files: str) -> None:
    config = json.loads((folder / "config.json").read_text()) | said
    config["sha256"] = {file: checksum_of(folder / file) for file in files}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


@pytest.fixture
def zoo(apart: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(apart, tmp_path / "zoo"))


def share(zoo: Path, *names: str) -> list[str]:
    base, *others = (zoo / name for name in names or ("base", "asked", "student", "static"))
    return [folder.name for folder in share_words.share(base, others)]


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("name", ["base", "asked", "student"])
def test_vectors_and_what_they_are_known_by_stay_what_they_were(
    apart: Path, zoo: Path, name: str
) -> None:
    assert share(zoo) == ["base", "asked", "student", "static"]
    before, after = OnnxEncoder(apart / name), OnnxEncoder(zoo / name)
    assert np.array_equal(before.encode(TEXTS), after.encode(TEXTS))
    expected, same = before.reading(TEXTS[0]), after.reading(TEXTS[0])
    assert (expected is None) == (same is None) == (name != "asked")
    if expected is not None and same is not None:
        assert np.array_equal(expected.states, same.states)
    assert (after.fingerprint, after.checkpoint) == (before.fingerprint, before.checkpoint)
    assert verify(zoo / name) == []


@pytest.mark.torch
@pytest.mark.slow
def test_one_table_and_one_tokenizer_are_left(apart: Path, zoo: Path) -> None:
    share(zoo)
    tables = [path.parent.name for path in zoo.rglob(TABLE_FILE)]
    tokenizers = sorted(path.parent.name for path in zoo.rglob("tokenizer.json"))
    assert (tables, tokenizers) == (["base"], ["base", "student"])  # the student has other words
    table = word_vectors(zoo / "base", read_config(zoo / "base"))
    own = own_table(load_graph(apart / "base" / "model.onnx").graph)
    assert own is not None and np.array_equal(table, own)
    for name in ("base", "asked"):
        graphs = [(root / name / "model.onnx").stat().st_size for root in (apart, zoo)]
        assert graphs[0] - graphs[1] == pytest.approx(table.size, abs=250)
    student = read_config(zoo / "student")
    (own_rows,) = tables_of(zoo / "student", student, [OWN_TABLE]).values()
    assert own_rows.shape == (len(ADDED), table.shape[1])
    held = load_graph(zoo / "student" / "model.onnx").graph.initializer
    assert "words/own" not in {part.name for part in held}


@pytest.mark.torch
@pytest.mark.slow
def test_the_tokenizer_of_a_static_encoder_is_that_of_its_base(apart: Path, zoo: Path) -> None:
    from cite_lsp.encode.kinds.static import StaticEncoder

    share(zoo)
    before, after = (StaticEncoder(root / "static") for root in (apart, zoo))
    assert np.array_equal(before.encode(TEXTS), after.encode(TEXTS))
    assert before.fingerprint == after.fingerprint
    assert find(str(zoo / "static"))[0].kind == "static" and verify(zoo / "static") == []


@pytest.mark.torch
@pytest.mark.slow
def test_a_table_that_is_put_back_leaves_the_graph_as_it_was(apart: Path, zoo: Path) -> None:
    share(zoo)
    for name in ("base", "asked", "student"):
        model = load_graph(zoo / name / "model.onnx")
        config = read_config(zoo / name)
        put_back(model.graph, tables_of(zoo / name, config, inputs_of(model.graph)))
        assert model.SerializeToString() == (apart / name / "model.onnx").read_bytes()


@pytest.mark.torch
@pytest.mark.slow
def test_the_command_does_nothing_twice_and_the_same_again(apart: Path, zoo: Path) -> None:
    share(zoo)
    before = contents(zoo)
    assert share(zoo) == [] and contents(zoo) == before
    again = zoo.parent / "again"
    shutil.copytree(apart, again)
    share(again)
    assert contents(again) == before


@pytest.mark.torch
@pytest.mark.slow
def test_an_encoder_that_was_trained_anew_is_shared_anew(apart: Path, zoo: Path) -> None:
    share(zoo)
    before = contents(zoo)
    shutil.rmtree(zoo / "asked")
    shutil.copytree(apart / "asked", zoo / "asked")
    assert verify(zoo / "asked") == []  # as a run has written it
    assert share(zoo) == ["asked"] and contents(zoo) == before


@pytest.mark.torch
@pytest.mark.slow
def test_cards_name_what_is_there_and_whose_it_is(zoo: Path) -> None:
    share(zoo)
    cards = {name: (zoo / name / "README.md").read_text() for name in ("base", "asked", "static")}
    table, tokenizer = (checksum_of(zoo / "base" / file) for file in (TABLE_FILE, "tokenizer.json"))
    for name in ("base", "asked"):
        assert cards[name].count(checksum_of(zoo / name / "model.onnx")) == 1
        assert cards[name].count(f"`{table}`") == cards[name].count(f"`{tokenizer}`") == 1
        assert cards[name].count("to the last bit") == 1
    assert f"| `{TABLE_FILE}` |" in cards["base"] and "of `base`" not in cards["base"]
    assert f"| `{TABLE_FILE}` of `base` |" in cards["asked"]
    assert "| `tokenizer.json` of `base` |" in cards["asked"]
    assert "| `tokenizer.json` of `base` |" in cards["static"] and TABLE_FILE not in cards["static"]


@pytest.mark.torch
@pytest.mark.slow
def test_a_folder_that_the_files_of_its_base_are_copied_into_stands_alone(
    zoo: Path, tmp_path: Path
) -> None:
    share(zoo)
    wanted = OnnxEncoder(zoo / "asked").encode(TEXTS)
    alone = tmp_path / "elsewhere" / "asked"
    shutil.copytree(zoo / "asked", alone)
    message = f"{alone / TABLE_FILE}: missing, and no base is installed"
    assert verify(alone)[1].startswith(message)
    for file in (TABLE_FILE, "tokenizer.json"):
        shutil.copy(zoo / "base" / file, alone)
    assert verify(alone) == []
    assert np.array_equal(OnnxEncoder(alone).encode(TEXTS), wanted)


@pytest.mark.torch
@pytest.mark.slow
def test_weights_are_read_back_from_a_shared_table_too(
    tiny_checkpoint: Path, apart: Path, zoo: Path
) -> None:
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.read_back import read_back

    share(zoo)
    read = []
    for root in (apart, zoo):
        model = load_model(tiny_checkpoint, 48)
        read_back(root / "asked" / "model.onnx", model)
        read.append({name: weights.numpy() for name, weights in model.state_dict().items()})
    assert all(np.array_equal(read[0][name], read[1][name]) for name in read[0])


@pytest.mark.torch
@pytest.mark.slow
def test_a_graph_whose_vectors_would_change_is_left_as_it_is(
    apart: Path, zoo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(table: np.ndarray, rows: np.ndarray, shared: np.ndarray) -> object:
        division = divide(table, rows, shared)
        division.own_rows[1, 4] += 9
        return division

    monkeypatch.setattr(share_words, "divide", wrong)
    with pytest.raises(TrainingError, match="not what they were"):
        share(zoo)
    assert contents(zoo / "student") == contents(apart / "student")


def other_words(zoo: Path) -> None:
    path = zoo / "student" / "tokenizer.json"
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {f"x{word}": row for word, row in vocabulary.items()}
    tokenizer["post_processor"], tokenizer["added_tokens"] = None, []
    tokenizer["model"]["unk_token"] = "x[UNK]"
    path.write_text(json.dumps(tokenizer), encoding="utf-8")
    describe(zoo / "student", {}, "model.onnx", "tokenizer.json")


def no_graph(zoo: Path) -> None:
    (zoo / "student" / "model.onnx").write_bytes(b"not this")


def no_config(zoo: Path) -> None:
    (zoo / "student" / "config.json").write_text("[]")


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "names", "message"),
    [
        (other_words, ("base", "student"), "student: shares no words with "),
        (no_graph, ("base", "student"), "model.onnx: cannot be read as an ONNX graph"),
        (no_config, ("base", "student"), "config.json: cannot be read as the description"),
        (lambda zoo: None, ("static", "student"), "static: has no graph to take a table from"),
    ],
)
def test_what_cannot_share_is_one_clear_line(
    zoo: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Path], None],
    names: tuple[str, ...],
    message: str,
) -> None:
    spoil(zoo)
    before = contents(zoo / "student")
    assert share_words.main([str(zoo / name) for name in names]) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert contents(zoo / "student") == before


@given(st.data())
def test_a_divided_table_is_the_table_again(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    shared = rng.integers(0, 256, (data.draw(st.integers(1, 12)), 4)).astype(np.uint8)
    rows = np.array(data.draw(st.lists(st.integers(-1, len(shared) - 1), max_size=20)), dtype=int)
    table = rng.integers(0, 256, (len(rows), 4)).astype(np.uint8)
    alike = rng.random(len(rows)) < data.draw(st.floats(0, 1))
    table[alike] = np.uint8(255) - shared[rows[alike]]
    divided = divide(table, rows, shared)
    assert np.array_equal(divided.whole(shared), table)
    assert divided.shared + len(divided.own_rows) == len(table)
    if alike.all():
        assert divided.shared == (rows >= 0).sum()


SHIPPED = ("all-MiniLM-L6-v2", "query-encoder", "query-encoder-zh")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_what_ships_makes_the_vectors_of_the_graph_that_it_names(name: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="needs the train extra")
    config = read_config(ZOO / name)
    model = load_graph(ZOO / name / "model.onnx")
    assert takes_table(model.graph)
    put_back(model.graph, tables_of(ZOO / name, config, inputs_of(model.graph)))
    whole = model.SerializeToString()
    alone = Path(shutil.copytree(ZOO / name, tmp_path / name))
    (alone / "model.onnx").write_bytes(whole)
    texts = [*TEXTS, "双语文本的对齐 relies on [MASK] [SEP] 词典 and corpora"]
    before, after = OnnxEncoder(alone), OnnxEncoder(ZOO / name)
    assert np.array_equal(before.encode(texts), after.encode(texts))
    sums = {hashlib.sha256(whole).hexdigest()}
    if model.graph.output[-1].name == STATES:  # what it may have been given after it was exported
        del model.graph.node[-1], model.graph.output[-1]
        sums.add(hashlib.sha256(model.SerializeToString()).hexdigest())
    assert config.vectors in sums
