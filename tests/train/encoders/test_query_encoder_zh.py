"""Recipe `query-encoder-zh`: Chinese contexts come to lie near the English papers they cite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.cli import main
from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.corpus.parallel_texts import GlossaryTerm, ParallelText
from cite_lsp.encode import Vectors, load_encoder
from cite_lsp.encode.checkpoints import read_config, verify
from cite_lsp.encode.tokens.chinese import CHINESE
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.train.data.code_switching import CodeSwitcher
from cite_lsp.train.encoders import chinese_lessons
from cite_lsp.train.encoders import query_encoder_zh as recipe
from cite_lsp.train.encoders.query_folds import read_held_out
from cite_lsp.train.rankers.encoders import HeldOutQueries
from cite_lsp.train.run.report import TrainingError
from cite_lsp.translate.lexicon import Lexicon, Sense
from cite_lsp.translate.translator import DictionaryTranslator
from tests.conftest import WORDS
from tests.train.encoder_task import write_task

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("with_torch")]
HAN = ("潮汐", "海鸥", "沼泽", "海岸", "风暴", "灯塔", "洋流", "泥滩", "港口")
LEXICON = Lexicon.of({han: [Sense(word, 1.0)] for han, word in zip(HAN, WORDS, strict=False)})
TRANSLATOR = DictionaryTranslator(LEXICON)


def word_table(model: SentenceTransformer) -> torch.Tensor:
    """Return the table of a model in which words are looked up, as it is now."""
    network: Any = model[0].auto_model
    table: torch.Tensor = network.get_input_embeddings().weight.detach()
    return table


@pytest.fixture
def english(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A query encoder of English as it ships: the tiny checkpoint, quantised."""
    from cite_lsp.train.run.export import ExportedModel, GraphForm, export

    folder = tmp_path / "query-encoder"
    model = ExportedModel("query-encoder", "tiny")
    export(tiny_checkpoint, folder, model, form=GraphForm(two_segments=True))
    return folder


def in_chinese(text: str) -> str:
    known = dict(zip(WORDS, HAN, strict=False))
    return "".join(known.get(word, word) for word in text.split())


def chinese_task(folder: Path) -> dict[str, Path]:
    """The task of the encoder recipes with its contexts in Chinese, and what a student needs."""
    paths = write_task(folder)
    for split in ("train", "dev"):
        rows = [json.loads(line) for line in paths[split].read_text().splitlines()]
        (folder / f"english-{split}.jsonl").write_text(paths[split].read_text())
        for row in rows:
            row |= {"left": in_chinese(row["left"]), "right": in_chinese(row["right"])}
        paths[split].write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths["english"] = folder / "english-train.jsonl"
    paths["parallel"] = folder / "parallel.jsonl"
    pairs = [
        {"zh": f"{word}和{two}", "en": f"{WORDS[a]} of {WORDS[b]}", "source": "shores"}
        for a, word in enumerate(HAN)
        for b, two in enumerate(HAN)
    ]
    paths["parallel"].write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    paths["glossary"] = folder / "glossary.tsv"
    lines = [f"{word}\t{han}\tcc-cedict\n" for han, word in zip(HAN, WORDS, strict=False)]
    paths["glossary"].write_text("".join(lines))
    return paths


def test_weights_read_back_make_the_same_vectors(tiny_checkpoint: Path, english: Path) -> None:
    import torch

    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.encoding import encode_segments
    from cite_lsp.train.run.read_back import read_back

    texts = [f"{WORDS[0]} of [MASK] [SEP] {WORDS[3]}", f"{WORDS[2]} [MASK] with [SEP]"]
    wanted = encode_segments(load_model(tiny_checkpoint, 48))(texts)
    model = load_model(tiny_checkpoint, 48)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() == 2:  # equal biases the exporter writes once, under one name
                weights.normal_()
    read_back(english / "model.onnx", model)
    assert np.sum(encode_segments(model)(texts) * wanted, axis=1).min() > 0.98


def test_a_graph_of_another_model_is_one_clear_error(tiny_checkpoint: Path, tmp_path: Path) -> None:
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.read_back import read_back

    model = load_model(tiny_checkpoint, 48)
    with pytest.raises(TrainingError, match="exported from this base"):
        read_back(Path("model_zoo/query-encoder/model.onnx"), model)
    (tmp_path / "model.onnx").write_bytes(b"not this")
    with pytest.raises(TrainingError, match="cannot be read as an ONNX graph"):
        read_back(tmp_path / "model.onnx", model)


def test_a_chinese_word_begins_where_its_senses_lie_and_english_stays(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    from cite_lsp.train.encoders.chinese_lessons import add_words
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.encoding import encode_segments

    model = load_model(tiny_checkpoint, 48)
    before = encode_segments(model)([f"{WORDS[0]} of {WORDS[1]} [SEP]"])
    table = word_table(model).numpy().copy()
    place = model.tokenizer.get_vocab()[WORDS[0]]
    rows = add_words(model, [*HAN, "无此词"], set(WORDS), TRANSLATOR)
    new = word_table(model).numpy()
    vocabulary = model.tokenizer.get_vocab()
    assert len(new) == rows == len(vocabulary) == len(table) + len(HAN) + 1
    own = new[vocabulary[HAN[0]]]
    cosine = own @ table[place] / np.linalg.norm(own) / np.linalg.norm(table[place])
    assert cosine == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(
        encode_segments(model)([f"{WORDS[0]} of {WORDS[1]} [SEP]"]), before, atol=1e-5
    )
    # What was saved reads the same.
    cut = recipe.cutter(model)
    text = cut(f"{HAN[0]}和{HAN[1]} [MASK] [SEP]")
    assert text.split() == [HAN[0], "和", HAN[1], "[MASK]", "[SEP]"]
    model.save_pretrained(str(tmp_path / "kept"), create_model_card=False)
    again = load_model(tmp_path / "kept", 48)
    np.testing.assert_allclose(
        encode_segments(again)([text]), encode_segments(model)([text]), atol=1e-6
    )


def test_a_student_comes_to_lie_where_the_english_does(tiny_checkpoint: Path) -> None:
    from cite_lsp.train.encoders.chinese_lessons import add_words
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.encoding import encode_cut, encode_segments

    teacher = load_model(tiny_checkpoint, 48)
    model = load_model(tiny_checkpoint, 48)
    blind = DictionaryTranslator(Lexicon.of({"无": [Sense("nothing", 1.0)]}))
    add_words(model, HAN, set(WORDS), blind)  # all begin in the same place

    class Teacher:
        name, dimensions, fingerprint, checkpoint = "t", 32, "t", "t"

        def encode(self, texts: Any, **_: object) -> Vectors:  # noqa: ANN401
            return encode_segments(teacher)(texts)

    pairs = [
        ParallelText(f"{word}{two}", f"{WORDS[a]} {WORDS[b]}")
        for a, word in enumerate(HAN)
        for b, two in enumerate(HAN)
    ]
    switch = CodeSwitcher.build(
        [GlossaryTerm(word, han) for han, word in zip(HAN, WORDS, strict=False)], {}
    )
    lessons = chinese_lessons.place_texts(pairs, [], switch, Teacher(), 1)
    assert lessons.texts[1] == f"{HAN[0]}{HAN[1]} [MASK] [SEP]"

    def nearness() -> float:
        student = encode_cut(encode_segments(model), model.tokenizer.get_vocab())
        made = student(lessons.texts)
        order = np.argmax(made @ np.asarray(lessons.vectors).T, axis=1)
        return float(np.mean(order == np.arange(len(pairs))))

    before = nearness()
    settings = evolve(recipe.STUDENT, epochs=30, batch=27, learning_rate=1e-3, word_rate=3e-2)
    english = word_table(model)[: len(HAN)].clone()
    recipe.distil(model, lessons, settings)
    assert nearness() > before + 0.3
    after = word_table(model)[: len(HAN)]
    assert (english == after).all()  # rows of English words have not moved
    with pytest.raises(TrainingError, match="fewer than a batch"):
        recipe.distil(model, lessons, evolve(settings, batch=200))


def test_a_target_of_the_same_place_is_no_negative() -> None:
    import torch

    twice, apart = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.eye(2)
    assert recipe.student_loss(twice, twice, 1.0).item() == pytest.approx(0.0)
    contrast = np.log(1 + np.exp(-1)) / 2  # half of the cross-entropy of cosines 1 and 0
    assert recipe.student_loss(apart, apart, 1.0).item() == pytest.approx(contrast)
    assert recipe.student_loss(apart.flip(0), apart, 1.0).item() > 1.5


def test_english_contexts_are_taught_in_chinese_words(tmp_path: Path) -> None:
    rows = list(read_contexts(write_task(tmp_path)["train"]))
    switch = CodeSwitcher.build(
        [GlossaryTerm(word, han) for han, word in zip(HAN, WORDS, strict=False)], {}
    )

    class Teacher:
        name, dimensions, fingerprint, checkpoint = "t", 2, "t", "t"
        encoded: list[str] = []

        def encode(self, texts: Any, **_: object) -> Vectors:  # noqa: ANN401
            self.encoded += texts
            return np.ones((len(texts), 2), np.float32)

    teacher = Teacher()
    lessons = chinese_lessons.place_texts([], rows, switch, teacher, 1)
    assert teacher.encoded == [query_text(row.context) for row in rows]
    assert all(text.count("[MASK]") == 1 and "[SEP]" in text for text in lessons.texts)
    switched = [text for text in lessons.texts if any(han in text for han in HAN)]
    assert len(switched) > len(rows) / 2
    assert lessons.texts == chinese_lessons.place_texts([], rows, switch, teacher, 1).texts


@pytest.mark.slow
def test_the_command_writes_an_encoder_that_reads_chinese_and_placings_for_rankers(
    tiny_checkpoint: Path,
    english: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recipe, "STUDENT", evolve(recipe.STUDENT, batch=16))
    paths, out = chinese_task(tmp_path), tmp_path / "query-encoder-zh"
    words = ["train", "query-encoder-zh", "--papers", paths["papers"], "--contexts", paths["train"]]
    words += ["--contexts", paths["english"], "--parallel", paths["parallel"], "--dev"]
    words += [paths["dev"], "--glossary", paths["glossary"], "--base", tiny_checkpoint]
    words += ["--query-encoder", english, "--out", out, "--batch", 8, "--epochs", 1]
    assert main([str(word) for word in words]) == 0
    printed = capsys.readouterr().out
    for said in ("| query-encoder, word by word", "| trained, int8", "unseen Recall@10"):
        assert said in printed
    assert verify(out) == [] and read_config(out).words == CHINESE
    card = (out / "README.md").read_text()
    assert "cite-lsp train query-encoder-zh" in card and str(tmp_path) not in card
    assert "CC-CEDICT" in card

    # The shipped form cuts the texts itself; and no ranker learns from what it has seen.
    rows: list[LabelledContext] = list(read_contexts(paths["train"]))
    held_out = read_held_out(out / "held-out.safetensors")
    shipped = load_encoder(str(out), device="cpu")
    placing = HeldOutQueries(out, shipped, rows, chinese=True)
    for row in rows[:6]:
        encoder, asking = placing.of(row.citing_id), recipe.asking_of(row.context)
        np.testing.assert_array_equal(encoder.encode([asking])[0], held_out[row.context_id])
        assert np.linalg.norm(encoder.encode([f"{HAN[0]}和 [MASK] [SEP]"])) == pytest.approx(
            1, abs=1e-3
        )
    assert np.linalg.norm(shipped.encode([asking])) == pytest.approx(1, abs=1e-3)
