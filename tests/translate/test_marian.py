"""A Marian model that the user has on disk translates; nothing is fetched."""

import json
from pathlib import Path

import pytest

from cite_lsp.manuscript import Context
from cite_lsp.recommend.query.query import read_query
from cite_lsp.translate import marian
from cite_lsp.translate.cached_translator import open_translator
from cite_lsp.translate.marian import MarianTranslator
from cite_lsp.translate.translator import TranslatorError

pytestmark = pytest.mark.torch
TEXTS = [f"深度学习模型{number}的注意力机制和卷积神经网络" for number in range(40)]
ENGLISH = [f"attention and convolution of deep model {number}" for number in range(40)]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights never come to an end of their own."""
    monkeypatch.setattr(marian, "_LONGEST", 16)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a tiny Marian checkpoint with random weights."""
    sentencepiece = pytest.importorskip("sentencepiece")
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("tiny-marian")
    words = {"</s>": 0, "<unk>": 1}
    for name, texts in (("source", TEXTS), ("target", ENGLISH)):
        (folder / f"{name}.txt").write_text("\n".join(texts), encoding="utf-8")
        sentencepiece.SentencePieceTrainer.train(
            input=str(folder / f"{name}.txt"),
            model_prefix=str(folder / name),
            vocab_size=60,
            hard_vocab_limit=False,
            minloglevel=2,
            num_threads=1,
        )
        (folder / f"{name}.model").rename(folder / f"{name}.spm")
        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))
        for number in range(model.get_piece_size()):
            words.setdefault(model.id_to_piece(number), len(words))
    words["<pad>"] = len(words)
    (folder / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    tokenizer = transformers.MarianTokenizer(
        str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json")
    )
    tokenizer.save_pretrained(str(folder))
    torch.manual_seed(1)
    config = transformers.MarianConfig(
        vocab_size=len(words),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=512,
        pad_token_id=words["<pad>"],
        eos_token_id=0,
        decoder_start_token_id=words["<pad>"],
        forced_eos_token_id=0,
    )
    transformers.MarianMTModel(config).save_pretrained(str(folder))
    return folder


def test_chinese_is_translated_the_same_alone_and_among_others(checkpoint: Path) -> None:
    translator = MarianTranslator(checkpoint)
    together = translator.translate([*TEXTS[:20], "plain English", "深度"])
    assert together[20] == "plain English"
    assert all(isinstance(text, str) for text in together)
    assert translator.translate([TEXTS[3]])[0] == together[3]


def test_a_folder_named_in_the_settings_is_opened_and_its_translations_cached(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path))
    first = open_translator(str(checkpoint)).translate(TEXTS[:2])
    assert open_translator(str(checkpoint)).translate(TEXTS[:2]) == first
    assert len(list((tmp_path / "cache" / "translations").glob("marian-*.sqlite"))) == 1


def test_a_folder_without_weights_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(TranslatorError, match="fetch the model again"):
        MarianTranslator(tmp_path)


def test_weights_in_a_pickle_are_not_loaded(checkpoint: Path, tmp_path: Path) -> None:
    for path in checkpoint.iterdir():
        if path.suffix != ".safetensors":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(TranslatorError, match="pickle are not loaded; convert"):
        MarianTranslator(tmp_path)


def test_what_the_model_says_is_searched_by_as_well() -> None:
    context = Context(left="他们的工作", right="", language="zh", translation="Quokka genomes")
    query = read_query(context)
    assert {"quokka", "genome"} <= set(query.near_words)
    assert {"quokka", "genome"} <= query.sentence_said


def test_a_name_is_that_of_an_installed_model_whatever_lies_where_the_server_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    for folder in (home / "models" / "own", workspace / "own"):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
    monkeypatch.setenv("CITE_LSP_HOME", str(home))
    monkeypatch.chdir(workspace)
    assert marian.find_marian("own") == home / "models" / "own"
    assert marian.find_marian("./own") == Path("own")
    assert marian.find_marian(str(workspace / "own")) == workspace / "own"
