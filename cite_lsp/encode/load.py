"""Loading an encoder by name or path: which folder, which runtime, which device."""

from __future__ import annotations

import logging

from cite_lsp.encode.checkpoints import DEFAULT, ONNX, STUDENT, TORCH, Checkpoint, available, find
from cite_lsp.encode.devices import cuda_fault, wanted_device
from cite_lsp.encode.encoder import Encoder, EncoderError
from cite_lsp.encode.kinds.headed import KIND as HEAD
from cite_lsp.encode.kinds.hierarchical_config import KIND as HIERARCHICAL
from cite_lsp.encode.kinds.hierarchical_config import HierarchicalConfig, read_hierarchical_config
from cite_lsp.encode.kinds.static import KIND as STATIC

log = logging.getLogger(__name__)


def load_encoder(
    name: str = "default",
    *,
    device: str | None = None,
    threads: int = 1,
    max_tokens: int | None = None,
) -> Encoder:
    """Load an encoder; the default one reads Chinese too, by its student.

    "auto" runs original weights by torch where a GPU can be used and they are at hand, otherwise,
    or where the GPU fails, `model.onnx` on the CPU; a folder with original weights alone always
    runs by torch. A static encoder needs no device at all, and a head runs where the encoder does
    that it stands on.

    Args:
        name: "default", the name of an installed checkpoint, or the path of a folder.
        device: auto, cpu or cuda; by default `CITE_LSP_DEVICE`, else auto.
        threads: texts encoded at a time on a CPU by onnxruntime.
        max_tokens: where texts are cut, if earlier than by the checkpoint.

    Raises:
        EncoderError: there is no such encoder, or it cannot run here.
    """
    checkpoints = find(name)
    encoder = _load(name, checkpoints, device, threads, max_tokens)
    if checkpoints[0].name != DEFAULT:
        return encoder
    student = next(
        (other for other in available() if other.name == STUDENT and other.kind == STATIC), None
    )
    if student is None:
        return encoder
    # Imported where needed: each kind of encoder has packages of its own.
    from cite_lsp.encode.kinds.bilingual_encoder import BilingualEncoder

    return BilingualEncoder(encoder, student.folder)


def _load(
    name: str,
    checkpoints: list[Checkpoint],
    device: str | None,
    threads: int,
    max_tokens: int | None,
) -> Encoder:
    if checkpoints[0].kind == HEAD:
        return _load_head(checkpoints[0], device, threads, max_tokens)
    if checkpoints[0].kind == HIERARCHICAL:
        config = read_hierarchical_config(checkpoints[0].folder)
        if config.base_checkpoint:
            return _load_above(checkpoints[0], config, device, threads, max_tokens)
    wanted_on = wanted_device(device)
    if checkpoints[0].kind == STATIC:
        from cite_lsp.encode.kinds.static import StaticEncoder

        return StaticEncoder(checkpoints[0].folder, max_tokens=max_tokens)
    onnx = next((checkpoint for checkpoint in checkpoints if checkpoint.kind == ONNX), None)
    original = next((each for each in checkpoints if each.kind in (TORCH, HIERARCHICAL)), None)
    if wanted_on == "cuda":
        fault = cuda_fault()
        if not fault and original is None:
            fault = f"encoder {name!r} has no safetensors weights here, only model.onnx"
        if fault:
            raise EncoderError(f"device cuda cannot be used: {fault}; or set CITE_LSP_DEVICE=cpu")
    if original is not None and wanted_on != "cpu" and not cuda_fault():
        try:
            return _load_torch(original, "cuda", max_tokens)
        except EncoderError as error:
            if wanted_on == "cuda":
                raise
            log.warning("the GPU cannot be used, so the CPU is: %s", error)
    if onnx is not None:
        from cite_lsp.encode.kinds.onnx import OnnxEncoder

        return OnnxEncoder(onnx.folder, threads=threads, max_tokens=max_tokens)
    assert original is not None  # `find` returns no checkpoint that has neither
    return _load_torch(original, "cpu", max_tokens)


def _load_head(
    checkpoint: Checkpoint, device: str | None, threads: int, max_tokens: int | None
) -> Encoder:
    from cite_lsp.encode.kinds.headed import HeadedEncoder, read_head_config

    base = _load_base(
        checkpoint, read_head_config(checkpoint.folder).base, device, threads, max_tokens
    )
    return HeadedEncoder(checkpoint.folder, base)


def _load_above(
    checkpoint: Checkpoint,
    config: HierarchicalConfig,
    device: str | None,
    threads: int,
    max_tokens: int | None,
) -> Encoder:
    """Load a hierarchical encoder above one of sentences that was frozen."""
    from cite_lsp.encode.kinds.hierarchical import HierarchicalEncoder

    limit = min(max_tokens or config.max_tokens, config.max_tokens)
    base = _load_base(checkpoint, config.base, device, threads, limit)
    return HierarchicalEncoder(checkpoint.folder, base=base)


def _load_base(
    checkpoint: Checkpoint, base: str, device: str | None, threads: int, max_tokens: int | None
) -> Encoder:
    """Load the encoder that another stands on."""
    checkpoints = find(base)
    if checkpoints[0].kind in (HEAD, HIERARCHICAL):
        raise EncoderError(f"{checkpoint.folder}: it stands on {base}, which stands on another")
    return _load(base, checkpoints, device, threads, max_tokens)


def _load_torch(checkpoint: Checkpoint, device: str, max_tokens: int | None) -> Encoder:
    if checkpoint.kind == HIERARCHICAL:
        from cite_lsp.encode.kinds.hierarchical import HierarchicalEncoder

        return HierarchicalEncoder(checkpoint.folder, device=device, max_tokens=max_tokens)
    from cite_lsp.encode.kinds.torch_runtime import TorchEncoder

    return TorchEncoder(
        checkpoint.folder, name=checkpoint.name, device=device, max_tokens=max_tokens
    )
