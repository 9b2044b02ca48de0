"""Text to vectors: checkpoints, the runtimes that run them, and a cache of what they computed."""

from cite_lsp.encode.encoder import Cancelled, Encoder, EncoderError, Vectors
from cite_lsp.encode.load import load_encoder

__all__ = ["Cancelled", "Encoder", "EncoderError", "Vectors", "load_encoder"]
