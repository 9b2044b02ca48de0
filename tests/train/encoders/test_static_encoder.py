"""The static recipe: it starts from the teacher's words and learns where the teacher puts texts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode import Vectors, load_encoder
from cite_lsp.encode.checkpoints import find

TOKENIZER = Path(__file__).parents[3] / "model_zoo" / "all-MiniLM-L6-v2" / "tokenizer.json"
SUBJECTS = ("tide", "gull", "marsh", "dune", "silt", "sand", "reed", "eel")
FILLERS = ("the", "of", "a", "and")

pytestmark = pytest.mark.torch


class Teacher:
    """Knows eight words; what a text says of them is all that it sees."""

    name, dimensions, fingerprint, checkpoint = "teacher", 16, "teacher-1", "teacher"

    def encode(self, texts: Sequence[str], **options: object) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                if word in SUBJECTS:
                    vectors[row, SUBJECTS.index(word)] += 1
        vectors[:, -1] = 0.1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def texts(count: int) -> list[str]:
    rng = random.Random(5)
    return [" ".join(rng.choices(SUBJECTS, k=2) + rng.choices(FILLERS, k=6)) for _ in range(count)]


def test_fitting_brings_texts_to_where_the_teacher_puts_them_and_silences_fillers() -> None:
    from cite_lsp.train.encoders import static_encoder as recipe

    teacher, tokenizer = Teacher(), recipe.open_tokenizer(TOKENIZER, 32)
    part = recipe.tokenise(texts(600), teacher.encode(texts(600)), tokenizer)
    start, projection = recipe.starting_table([part], tokenizer, teacher, 8)
    assert start.shape == (tokenizer.get_vocab_size(), 8) and projection.shape == (16, 8)
    settings = recipe.Settings(epochs=30, batch=100)
    fitted = recipe.fit([part], start, settings, projection=projection)

    def agreement(table: Vectors) -> float:
        sums = np.stack(
            [table[ids].sum(axis=0) for ids in np.split(part.tokens, part.starts[1:-1])]
        )
        wanted = np.asarray(part.vectors) @ projection
        lengths = np.linalg.norm(sums, axis=1) * np.linalg.norm(wanted, axis=1)
        return float(((sums * wanted).sum(axis=1) / lengths).mean())

    assert agreement(fitted) > 0.97 > agreement(start)
    words = {word: tokenizer.token_to_id(word) for word in ("the", "tide")}
    assert np.linalg.norm(fitted[words["the"]]) < np.linalg.norm(fitted[words["tide"]])
    assert np.array_equal(recipe.fit([part], start, settings, projection=projection), fitted)


def test_the_start_counts_a_frequent_word_less_than_a_rare_one() -> None:
    from cite_lsp.train.encoders import static_encoder as recipe

    teacher, tokenizer = Teacher(), recipe.open_tokenizer(TOKENIZER, 32)
    written = ["tide tide tide gull"] * 50
    part = recipe.tokenise(written, teacher.encode(written), tokenizer)
    start, _ = recipe.starting_table([part], tokenizer, teacher, 16)
    frequent, rare = (np.linalg.norm(start[tokenizer.token_to_id(w)]) for w in ("tide", "gull"))
    assert rare > 2 * frequent


def test_texts_without_words_are_left_out_with_their_vectors() -> None:
    from cite_lsp.train.encoders import static_encoder as recipe

    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    part = recipe.tokenise(["tide", " ", "gull"], vectors, recipe.open_tokenizer(TOKENIZER, 8))
    assert len(part) == 2 and np.array_equal(part.vectors, vectors[[0, 2]])
    with pytest.raises(ValueError, match="1 texts, 3 vectors"):
        recipe.tokenise(["tide"], vectors, recipe.open_tokenizer(TOKENIZER, 8))


@pytest.mark.slow
def test_the_command_writes_an_encoder_with_a_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cite_lsp.cli import main
    from cite_lsp.train.data.development import DevelopmentTask
    from cite_lsp.train.run.encoding import Encode
    from tests.train.encoder_task import card_figures, write_task

    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    paths, out = write_task(tmp_path), tmp_path / "home" / "models" / "mine"
    words = ["train", "static-encoder", "--papers", paths["papers"], "--dev", paths["dev"]]
    words += ["--out", out, "--epochs", 1]
    stood_there = []
    figures = DevelopmentTask.figures

    def looking(task: DevelopmentTask, encode: Encode) -> dict[str, float]:
        stood_there.append(out.exists())
        return figures(task, encode)

    monkeypatch.setattr(DevelopmentTask, "figures", looking)
    assert main([str(word) for word in words]) == 0
    # Of the teacher, of the table before it is trained, of the trained one: what is not trained
    # never stands there, so that a run broken off leaves none behind.
    assert stood_there == [False, False, True]
    assert "| untrained" in capsys.readouterr().out
    assert find("mine")[0].kind == "static"
    encoder = load_encoder("mine")
    assert encoder.dimensions == load_encoder("default", device="cpu").dimensions
    assert encoder.encode(["neural retrieval"]).any()
    card = (out / "README.md").read_text()
    assert "--epochs 1" in card and str(tmp_path) not in card
    assert set(card_figures(out)) == {"teacher", "untrained", "trained"}
