"""Text to vectors: encoders found, loaded and run, and a cache of what they computed."""

from cite_lsp.encode.encoder import Encoder, EncoderError, Vectors
from cite_lsp.encode.load import load_encoder

__all__ = ["Encoder", "EncoderError", "Vectors", "load_encoder"]
