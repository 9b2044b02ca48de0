"""The folder of a hierarchical encoder, and what its `config.json` says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from cite_lsp.encode.description import read_description

KIND = "hierarchical"
"""What `config.json` of such a folder calls it."""
SENTENCE_FOLDER, DOCUMENT_FILE = "sentences", "document.safetensors"
"""The sentence encoder, a checkpoint of sentence-transformers; the weights above it."""
SENTENCE_WEIGHTS = f"{SENTENCE_FOLDER}/model.safetensors"


@frozen
class HierarchicalConfig:
    """What `config.json` of such an encoder says.

    Sentences are cut at `max_tokens`, texts at `max_sentences`; `layers` are those of the document
    encoder. `base` is what the sentence encoder was trained from; or, with the `base_checkpoint` of
    its weights, the encoder that was frozen and has to be installed.
    """

    kind: str
    name: str
    dimensions: int
    max_tokens: int
    max_sentences: int
    layers: int
    sha256: Mapping[str, str]
    base: str = ""
    base_checkpoint: str = ""
    licence: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return (DOCUMENT_FILE,) if self.base_checkpoint else (DOCUMENT_FILE, SENTENCE_WEIGHTS)


def read_hierarchical_config(folder: Path) -> HierarchicalConfig:
    """Read the `config.json` of such an encoder.

    Raises:
        EncoderError: it is missing or not what it should be.
    """
    return read_description(
        folder,
        HierarchicalConfig,
        kind=KIND,
        called="a hierarchical encoder",
        remedy="train it again",
    )
