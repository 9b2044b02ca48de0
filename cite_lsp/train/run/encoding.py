"""How a model in training makes vectors of texts, of single ones and of two in one.

BERT reads two texts in one: what follows the first separator is the second segment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cite_lsp.encode.encoder import Vectors
from cite_lsp.encode.tokens.chinese import spaced_around_signs

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

Encode = Callable[[Sequence[str]], Vectors]
"""Texts to unit vectors, (n, dimensions)."""

_BATCH = 64


def encode_with(model: SentenceTransformer) -> Encode:
    """Return the model as a function from texts to unit vectors."""
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch  # takes seconds to load, and the options of a recipe do not need it

    device = model.device.type

    def encode(texts: Sequence[str]) -> Vectors:
        with torch.autocast(device, dtype=torch.bfloat16, enabled=computes_bfloat16(device)):
            vectors = model.encode(
                list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)

    return encode


def encode_cut(encode: Encode, words: Iterable[str]) -> Encode:
    """Return an encoder of texts that are cut into the Chinese words that it knows before."""
    vocabulary = frozenset(words)
    return lambda texts: encode([spaced_around_signs(text, vocabulary) for text in texts])


def segments(input_ids: torch.Tensor, separator: int) -> torch.Tensor:
    """Return the segment of each token, 0 or 1, shape (texts, tokens); padding belongs to any."""
    ends = (input_ids == separator).long()
    return ((ends.cumsum(dim=1) - ends) > 0).long()


def vectors_of(model: SentenceTransformer, texts: Sequence[str]) -> torch.Tensor:
    """Run a model over texts of two segments; returns unit vectors, shape (texts, d)."""
    import torch  # as above

    vectors = embeddings_of(model, texts, two_segments=True)
    return torch.nn.functional.normalize(vectors, dim=1)


def embeddings_of(
    model: SentenceTransformer, texts: Sequence[str], *, two_segments: bool = False
) -> torch.Tensor:
    """Run a model over texts; returns vectors of the lengths that it gives, shape (texts, d)."""
    import torch  # as above

    device = model.device
    features: dict[str, Any] = model.preprocess(list(texts))
    features = {
        name: value.to(device) if isinstance(value, torch.Tensor) else value
        for name, value in features.items()
    }
    if two_segments:
        features["token_type_ids"] = segments(features["input_ids"], separator_of(model))
    with torch.autocast(device.type, torch.bfloat16, enabled=computes_bfloat16(device.type)):
        vectors: torch.Tensor = model(features)["sentence_embedding"]
    return vectors.float()


def computes_bfloat16(device: str) -> bool:
    """Say whether the hardware multiplies in bfloat16, and not merely pretends to."""
    import torch

    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    # torch has no public question; without either, it computes in float32 and rounds
    return bool(torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported())


def separator_of(model: SentenceTransformer) -> int:
    """Return the token that ends a segment."""
    return int(model.tokenizer.sep_token_id)


def encode_segments(model: SentenceTransformer) -> Encode:
    """Return the model as a function from texts of two segments to unit vectors."""

    def encode(texts: Sequence[str]) -> Vectors:
        import torch  # as above

        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        vectors = np.zeros((len(texts), int(model.get_embedding_dimension() or 0)), np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), _BATCH):
                rows = order[start : start + _BATCH]
                vectors[rows] = vectors_of(model, [texts[row] for row in rows]).cpu().numpy()
        return vectors

    return encode
