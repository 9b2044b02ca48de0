"""Training a sentence encoder: what every encoder recipe shares, whatever its loss and examples.

It computes in bfloat16 on a GPU, and on a CPU that has instructions for it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.checkpoints import DEFAULT, TORCH, find
from cite_lsp.encode.devices import cuda_fault, wanted_device
from cite_lsp.encode.encoder import EncoderError
from cite_lsp.encode.load import load_encoder
from cite_lsp.train.data.development import DevelopmentTask
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders.batch_learning import (
    EarlyStop,
    RunResult,
    fit,
    in_batches,
)
from cite_lsp.train.encoders.losses import LOSSES, loss_of
from cite_lsp.train.run.encoding import embeddings_of, encode_with
from cite_lsp.train.run.export import ExportError, default_source, find_source
from cite_lsp.train.run.report import Progress, TrainingError, require

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


@frozen
class RunSettings:
    """How long and how fast to learn. `evaluations` is how often an epoch is measured on dev."""

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 2e-5
    warmup: float = 0.1
    max_tokens: int = 192
    evaluations: int = 4
    patience: int = 4
    seed: int = 13


PACKAGES = ("torch", "sentence_transformers")
"""What training an encoder needs beside the base install; the extra `train` has them."""


def drafts_encoder() -> CachedEncoder:
    """Return the default encoder on all cores, which keeps what it embeds of drafts and papers.

    Raises:
        EncoderError: it cannot be loaded.
    """
    return CachedEncoder(
        load_encoder(threads=os.cpu_count() or 1), memory_size=200_000, disk_size=500_000
    )


def base_folder(base: str) -> tuple[Path, str]:
    """Return the folder of a checkpoint to start from, and what to call it in a card.

    "default" is the bundled encoder's original; otherwise a name, a folder, or the hub id
    of one that was fetched before.

    Raises:
        TrainingError: there is none, it has no safetensors weights, or training needs a package.
    """
    require(*PACKAGES)
    try:
        if base in ("default", DEFAULT):
            return default_source(), f"sentence-transformers/{DEFAULT}"
        try:
            original = next(
                (checkpoint for checkpoint in find(base) if checkpoint.kind == TORCH), None
            )
        except EncoderError:
            original = None
        if original is not None:
            return original.folder, original.name
        folder = find_source(base)
        return folder, folder.resolve().name if Path(base).is_dir() else base
    except ExportError as error:
        raise TrainingError(str(error)) from error


def load_model(folder: Path, max_tokens: int) -> SentenceTransformer:
    """Load a checkpoint for training on the device that `CITE_LSP_DEVICE` says.

    Raises:
        TrainingError: a package is missing, the device cannot be used, or the folder is no encoder.
    """
    require(*PACKAGES)
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]  # one a file; ours is that of training
    device = _device()
    # Fused attention is faster on a GPU; on a CPU its backward pass takes a third longer.
    attention = {"attn_implementation": "eager"} if device == "cpu" else {}
    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, **attention},
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise TrainingError(
            f"{folder}: cannot be loaded ({reason}); name another --base"
        ) from error
    model.max_seq_length = min(max_tokens, model.max_seq_length or max_tokens)
    return model


def train_encoder(
    model: SentenceTransformer,
    examples: Iterable[Example],
    texts: Mapping[str, str],
    development: DevelopmentTask,
    settings: RunSettings,
    progress: Progress = lambda stage, done, total: None,
) -> RunResult:
    """Train the model in place by triplets of each positive; it ends as the best on `development`.

    `texts` gives the texts of papers by id.

    Raises:
        TrainingError: there are no examples.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    singles = [single for example in examples for single in example.single()]
    if not singles:
        raise TrainingError(
            "the contexts cite none of the papers; check that both name papers by the same ids"
        )
    rng = random.Random(settings.seed)
    torch.manual_seed(settings.seed)
    model.eval()  # nothing is dropped: random numbers take two thirds of a step on a CPU
    return fit(
        torch.optim.AdamW(model.parameters(), lr=settings.learning_rate),
        lambda _: in_batches(rng.sample(singles, len(singles)), settings.batch),
        lambda batch: loss_of(
            batch, texts, lambda read: embeddings_of(model, read), LOSSES["triplet"]
        ),
        lambda: development.figures(encode_with(model)),
        EarlyStop.with_warmup(
            settings.epochs, settings.evaluations, settings.patience, settings.warmup
        ),
        progress,
        examples=len(singles),
    )


def _device() -> str:
    wanted = wanted_device()
    fault = cuda_fault() if wanted != "cpu" else "not wanted"
    if wanted == "cuda" and fault:
        raise TrainingError(f"device cuda cannot be used: {fault}; or set CITE_LSP_DEVICE=cpu")
    return "cpu" if fault else "cuda"
