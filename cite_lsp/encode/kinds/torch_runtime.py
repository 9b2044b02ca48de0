"""The encoder that runs original checkpoints: sentence-transformers on torch, GPU or CPU."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.batches import ahead
from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.encoder import EncoderError, Vectors, unit, well_formed
from cite_lsp.installation import how_to_install
from cite_lsp.paths import keep_torch_files

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor

Features = dict[str, Any]
"""What a model takes: tensors, a row for each text, and what says how they are to be read."""

TOKENS_IN_BATCH = {"cuda": 65_536, "cpu": 2_048}
"""Padded tokens run at once: enough to fill a GPU, little enough to stay in a CPU's cache."""

_CHARACTERS_PER_TOKEN = 4
"""English scientific prose under a WordPiece vocabulary; only decides the size of batches."""


class TorchEncoder:
    """A sentence-transformers or transformers checkpoint with safetensors weights, run by torch.

    On "cuda" it computes in bfloat16, or float16 where the card has no bfloat16. Texts longer than
    `max_tokens` are cut.

    Raises:
        EncoderError: torch or sentence-transformers is missing, or the folder cannot be loaded.
    """

    def __init__(
        self, folder: Path, *, name: str = "", device: str = "cpu", max_tokens: int | None
    ) -> None:
        self.name = name or folder.resolve().name
        self._device = device
        self._model = open_checkpoint(folder, device)
        if max_tokens is not None:
            limit = self._model.max_seq_length or max_tokens
            self._model.max_seq_length = min(max_tokens, limit)
        self.dimensions = int(self._model.get_embedding_dimension() or 0)
        self.checkpoint = _weights_checksum(folder)[:16]
        precision = str(next(self._model.parameters()).dtype).removeprefix("torch.")
        self.fingerprint = "-".join(
            [self.name, self.checkpoint[:12], precision, str(self._model.max_seq_length)]
        )

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """Encode texts into rows of shape (len(texts), dimensions); see `Encoder.encode`.

        Texts of like length share a batch; the order of the rows is that of the texts.

        Raises:
            Cancelled: `cancelled` returned true.
            EncoderError: the device fails.
        """
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        try:
            for rows, computed in self._computed(texts, cancelled):
                vectors[rows] = unit(computed.float().cpu().numpy())  # sixteen bits have moved them
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[0]
            raise EncoderError(
                f"{self.name}: computing on {self._device} failed ({reason}); try again when"
                " nothing else uses it, or with CITE_LSP_DEVICE=cpu"
            ) from error
        return vectors

    def _computed(
        self, texts: Sequence[str], cancelled: Cancel | None
    ) -> Iterator[tuple[list[int], Tensor]]:
        """Yield the rows of each batch and their vectors; a batch late, so that a GPU never waits.

        While it computes a batch, the next one is tokenised and asked for.
        """
        pending: tuple[list[int], Tensor] | None = None
        for rows, features in ahead(
            self.batches(texts), lambda rows: (rows, self.features([texts[row] for row in rows]))
        ):
            stop_if(cancelled)
            computed = self.vectors(features)
            if pending is not None:
                yield pending
            pending = rows, computed
        if pending is not None:
            yield pending

    def features(self, texts: Sequence[str]) -> Features:
        """Return texts as the model takes them, on their way to its device."""
        model = self._model
        prompt = model.prompts.get(model.default_prompt_name or "") or None
        features: Features = model.preprocess([well_formed(text) for text in texts], prompt=prompt)
        for name, value in features.items():
            if hasattr(value, "to"):
                value = value.pin_memory() if self._device == "cuda" else value
                features[name] = value.to(self._device, non_blocking=True)
        return features

    def vectors(self, features: Features) -> Tensor:
        """Run the model over texts, in halves where memory is short; (n, dimensions)."""
        # Imported where needed: an extra has it, and loading it takes seconds.
        import torch

        count = len(features["input_ids"])
        try:
            with torch.inference_mode():
                embeddings: Tensor = self._model(dict(features))["sentence_embedding"]
                return embeddings
        except torch.OutOfMemoryError:
            if count == 1:
                raise
        torch.cuda.empty_cache()
        parts = (slice(count // 2), slice(count // 2, None))
        return torch.cat([self.vectors(_part(features, rows)) for rows in parts])

    def batches(self, texts: Sequence[str]) -> list[list[int]]:
        """Group the rows of non-empty texts, longest first, by what a padded batch may hold."""
        limit = self._model.max_seq_length or 512
        rows = [row for row, text in enumerate(texts) if text.strip()]
        rows.sort(key=lambda row: len(texts[row]), reverse=True)
        batches: list[list[int]] = []
        room = 0
        for row in rows:
            if room == 0:
                tokens = min(limit, len(texts[row]) // _CHARACTERS_PER_TOKEN + 2)
                room = max(1, TOKENS_IN_BATCH[self._device] // tokens)
                batches.append([])
            batches[-1].append(row)
            room -= 1
        return batches


def _part(features: Features, rows: slice) -> Features:
    return {
        name: value[rows] if hasattr(value, "to") else value for name, value in features.items()
    }


def open_checkpoint(folder: Path, device: str) -> SentenceTransformer:
    """Open a checkpoint to encode with, in sixteen bits on "cuda".

    Raises:
        EncoderError: torch or sentence-transformers is missing, or the folder cannot be loaded.
    """
    require_torch(folder)
    import torch
    from sentence_transformers import SentenceTransformer

    precision = torch.float32
    if device == "cuda":
        precision = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    try:
        # Weights in pickles can run code: safetensors only, and nothing fetched from anywhere.
        return SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": precision},
        ).eval()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise EncoderError(
            f"{folder}: cannot be loaded by sentence-transformers ({reason}); check that the"
            " folder is a complete checkpoint with safetensors weights"
        ) from error


def require_torch(folder: Path) -> None:
    """Import what runs a checkpoint of torch.

    Raises:
        EncoderError: torch or sentence-transformers is missing.
    """
    keep_torch_files()
    try:
        # Imported where needed: an extra has it, and loading it takes seconds.
        import sentence_transformers  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise EncoderError(
            f"{folder}: this checkpoint needs torch and sentence-transformers ({error});"
            f" {how_to_install('torch')}"
        ) from error


def _weights_checksum(folder: Path) -> str:
    checksums = [checksum_of(path) for path in sorted(folder.glob("*.safetensors"))]
    if len(checksums) == 1:
        return checksums[0]
    return hashlib.sha256("".join(checksums).encode()).hexdigest()
