"""The encoder of two levels: what it reads of a text, and what it gives before it has learned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cite_lsp.encode.encoder import unit
from cite_lsp.encode.kinds.hierarchical import FrozenSentences, Hierarchy, TokenMeans

pytestmark = pytest.mark.torch

FIRST, SECOND = "A neural paper retrieval encoder.", "A word of a sentence."


@pytest.fixture(scope="module")
def hierarchy(tiny_checkpoint: Path) -> Hierarchy:
    from cite_lsp.encode.kinds.torch_runtime import open_checkpoint

    return Hierarchy(TokenMeans(open_checkpoint(tiny_checkpoint, "cpu"), 8), 3, 2)


def encoded(hierarchy: Hierarchy, *texts: str) -> Any:  # noqa: ANN401 - an array
    return hierarchy.unit_vectors(hierarchy.table(), texts)


def test_before_training_a_text_is_the_mean_of_its_sentences(hierarchy: Hierarchy) -> None:
    assert isinstance(hierarchy.sentences, TokenMeans)
    model = hierarchy.sentences.model
    model.max_seq_length = 8
    sentences = model.encode([FIRST, SECOND], show_progress_bar=False)
    whole, alone = encoded(hierarchy, f"{FIRST} {SECOND}", SECOND)
    assert np.allclose(whole, unit(sentences.mean(axis=0)), atol=1e-5)
    assert np.allclose(alone, unit(sentences[1]), atol=1e-5)


def test_a_vector_is_that_of_its_text_whatever_is_encoded_with_it(hierarchy: Hierarchy) -> None:
    import torch

    torch.manual_seed(1)
    for weights in hierarchy.document.parameters():
        torch.nn.init.normal_(weights, std=0.1)
    texts = [SECOND, "", f"{FIRST} {SECOND} {FIRST} A graph.", FIRST, SECOND]
    together = encoded(hierarchy, *texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(encoded(hierarchy, text)[0], vector, atol=1e-5)
    assert not together[1].any()
    forwards, backwards = encoded(hierarchy, f"{FIRST} {SECOND}", f"{SECOND} {FIRST}")
    assert not np.allclose(forwards, backwards, atol=1e-4)


def test_a_table_reads_the_first_sentences_each_once(hierarchy: Hierarchy) -> None:
    table = hierarchy.table()
    rows = table.read(
        [f"{FIRST} {SECOND}", "A title\n\nA word\n\nA graph\n\nNot read", SECOND, " "]
    )
    assert rows == [(0, 1), (2, 3, 4), (1,), ()]
    assert table.read([f"{SECOND} A title"]) == [(1, 2)]
    assert max(map(len, table.sentences)) == 8


def test_a_frozen_sentence_is_encoded_once_and_keeps_its_direction() -> None:
    encoded_texts: list[str] = []

    class Known:
        """Gives each sentence a vector of its own."""

        name = fingerprint = checkpoint = "known"
        dimensions = 2

        def encode(self, texts: Sequence[str], *, cancelled: object = None) -> Any:  # noqa: ANN401
            encoded_texts.extend(texts)
            return np.array([[1, 0] if text == FIRST else [0, 1] for text in texts], np.float32)

    above = Hierarchy(FrozenSentences(Known()), 3, 1)
    table = above.table()
    for _ in range(2):
        both, first = above.unit_vectors(table, [f"{FIRST} {SECOND}", FIRST])
    assert np.allclose(both, np.sqrt(0.5)) and np.allclose(first, [1, 0])
    assert encoded_texts == [FIRST, SECOND]
