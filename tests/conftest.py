"""Parts that the tests of several rooms are built from, and what tests need of a machine.

A test marked `torch` or `gpu` is skipped where that is missing, and says so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from cite_lsp.encode.kinds import onnx_session
from tests.sample_drafts import FOLDERS, REAL, name_of
from tests.shipped_graphs import loaded_once

# How long an example takes says nothing on a machine that does something else as well.
settings.register_profile(
    "untimed", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")

WORDS = "citation context encoder graph neural paper retrieval sentence translation word".split()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file below the test's folder and return its path."""

    def write_file(name: str, content: str | bytes = "") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture(autouse=True)
def _the_level_of_the_log() -> Iterator[None]:
    """Give the log back the level it had: a server sets the one its client asks for."""
    log = logging.getLogger("cite_lsp")
    level = log.level
    yield
    log.setLevel(level)


@pytest.fixture(scope="session", autouse=True)
def _shipped_graphs_are_loaded_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_session, "InferenceSession", loaded_once(onnx_session.InferenceSession))
        yield


@pytest.fixture
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no bibliography be found but below the test's folder."""
    for name in ("BIBINPUTS", "TEXMFHOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))


@pytest.fixture(scope="session", params=FOLDERS, ids=name_of)
def drafts(request: pytest.FixtureRequest) -> Path:
    """The drafts that ship, then the real ones where they are at hand."""
    folder: Path = request.param
    return folder


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers checkpoint of random weights: BERT, 2 layers, 32 dimensions."""
    torch = pytest.importorskip("torch", reason="needs the torch extra")
    sentence_transformers = pytest.importorskip(
        "sentence_transformers", reason="needs the torch extra"
    )
    transformers = pytest.importorskip("transformers", reason="needs the torch extra")
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [*"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz")]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS, *letters])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))

    plain = tmp_path_factory.mktemp("bert")
    torch.manual_seed(7)
    transformers.BertModel(
        transformers.BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=64,
        )
    ).save_pretrained(plain)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=48,
    ).save_pretrained(plain)

    folder = tmp_path_factory.mktemp("tiny")
    # Not named a sentence-transformers folder, it is loaded with mean pooling.
    sentence_transformers.SentenceTransformer(str(plain), device="cpu").save(str(folder))
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--list-skipped",
        metavar="FILE",
        type=Path,
        help="write the test files of which something was skipped here, one a line",
    )


def pytest_report_header() -> str:
    real = "with the real ones of ../shared" if REAL in FOLDERS else "the real ones are not here"
    return f"drafts: those of tests/drafts, {real}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if place := config.getoption("--list-skipped"):
        skipped = terminalreporter.stats.get("skipped", ())
        files = sorted({report.nodeid.partition("::")[0] for report in skipped})
        place.write_text("".join(f"{file}\n" for file in files), encoding="utf-8")


@cache
def missing_for(marker: str) -> str:
    """What a marker needs and this machine lacks, or ""."""
    if find_spec("torch") is None:
        return "needs the torch extra: make TORCH=1 test"
    if marker == "gpu":
        import torch

        if not torch.cuda.is_available():
            return "needs an NVIDIA GPU"
    return ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in ("torch", "gpu"):
        if item.get_closest_marker(marker) and (missing := missing_for(marker)):
            pytest.skip(missing)
