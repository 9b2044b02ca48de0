"""In what precision the hardware computes well."""

from __future__ import annotations


def computes_bfloat16(device: str) -> bool:
    """Say whether the hardware multiplies in bfloat16, and not merely pretends to."""
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    # torch has no public question; without either, it computes in float32 and rounds
    return bool(torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported())
