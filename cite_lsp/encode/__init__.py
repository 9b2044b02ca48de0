"""Text to vectors: checkpoints, the runtimes that run them, and a cache of what they computed."""

from cite_lsp.encode.load import load_encoder
from cite_lsp.encode.model import Cancelled, Encoder, EncoderError, Vectors

__all__ = ["Cancelled", "Encoder", "EncoderError", "Vectors", "load_encoder"]
