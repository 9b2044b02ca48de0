"""Loading the tokenizer that lies beside the weights of an encoder."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from cite_lsp.encode.model import EncoderError


def load_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """Load a tokenizer that cuts texts at `max_tokens` and pads none.

    Raises:
        EncoderError: the file is missing or no tokenizer.
    """
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the binding raises bare Exception for every fault
        raise EncoderError(
            f"{path}: cannot be read as a tokenizer ({error}); install the checkpoint again"
        ) from error
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    return tokenizer
