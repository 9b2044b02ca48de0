"""Loading the tokenizer that lies beside the weights of an encoder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

from cite_lsp.encode.encoder import EncoderError


def load_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """Load a tokenizer that cuts texts at `max_tokens` and pads none.

    Encoders that share a file share its vocabulary in memory as well.

    Raises:
        EncoderError: the file is missing or no tokenizer.
    """
    try:
        state = path.stat()
        tokenizer = _twin(_read(path.resolve(), state.st_size, state.st_mtime_ns))
    except Exception as error:  # the binding raises bare Exception for every fault
        raise EncoderError(
            f"{path}: cannot be read as a tokenizer ({error}); install the checkpoint again"
        ) from error
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    return tokenizer


@lru_cache(maxsize=4)
def _read(path: Path, size: int, changed: int) -> Tokenizer:
    """Read a file; its size and when it was changed tell one from that before it."""
    return Tokenizer.from_file(str(path))


def _twin(tokenizer: Tokenizer) -> Tokenizer:
    """Return a tokenizer that stands on the same vocabulary and may cut texts elsewhere."""
    twin = Tokenizer(tokenizer.model)
    twin.normalizer = tokenizer.normalizer
    twin.pre_tokenizer = tokenizer.pre_tokenizer
    twin.post_processor = tokenizer.post_processor
    twin.decoder = tokenizer.decoder
    for _, token in sorted(tokenizer.get_added_tokens_decoder().items()):
        (twin.add_special_tokens if token.special else twin.add_tokens)([token])
    return twin
