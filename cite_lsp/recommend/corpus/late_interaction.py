"""Late interaction: the words of a context in context, compared with those of a paper's title.

A single vector represents a whole text. Here single words are compared (ColBERT, Khattab and
Zaharia, SIGIR 2020): those of the context by the states of the query encoder before pooling, those
of a title by their rows in the table of the static encoder, so that nothing more has to be indexed.
Kernels count pairs of words by their similarity (K-NRM, Xiong et al., SIGIR 2017), words near the
marker with more weight, and a small network computes one score
(`cite_lsp/train/rankers/interaction.py`; `cite_lsp/train/rankers/late_interaction.py` trains it).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import EncoderError, Tokens, TokenStates, Vectors
from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.encode.kinds.static import StaticEncoder
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import RankerError, model_config

MODEL = "late-interaction"
OCTAVES = 6
"""Classes of distances from the marker on each side: 1, 2–3, 4–7 tokens and so on."""
MARKER_CLASS, TITLE_CLASS = 2 * OCTAVES, 2 * OCTAVES + 1
"""The classes of the token that stands for the marker, and of the draft's title."""
TITLE_TOKENS = 24
"""Tokens of a title that are used."""
NO_TOKEN = 0
"""The padding of a row of tokens."""


class WordEncoder(Protocol):
    """An encoder of single words: tokenises texts, and has a vector for each token."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text."""

    def words(self, tokens: Tokens) -> Vectors:
        """Return unit vectors of tokens, shape (…) to (…, w)."""


@frozen
class SpecialTokens:
    """Tokens of the query encoder that are not words: the marker, a border, the beginning."""

    here: int
    border: int
    start: int


@frozen(eq=False)
class ContextWords:
    """The words of a context, and the marker among them.

    tokens (q,), states (q, d) of the query encoder, words (q, w) of the static encoder, places
    (q,): the classes of their distances.
    """

    tokens: Tokens
    states: Vectors
    words: Vectors
    places: Tokens


@frozen(eq=False)
class Titles:
    """Titles of papers: tokens (c, t), padded with `NO_TOKEN`, and their vectors (c, t, w)."""

    tokens: Tokens
    words: Vectors


def context_words(
    reading: TokenStates, words: WordEncoder, special_tokens: SpecialTokens
) -> ContextWords:
    """Return the words of a context, the input of the network."""
    tokens, classes = reading.tokens, distance_classes(reading.tokens, special_tokens)
    is_word = (tokens != special_tokens.border) & (tokens != special_tokens.start)
    word_vectors = words.words(tokens[is_word]) * (tokens[is_word] != special_tokens.here)[:, None]
    return ContextWords(tokens[is_word], reading.states[is_word], word_vectors, classes[is_word])


def distance_classes(tokens: Tokens, special_tokens: SpecialTokens) -> Tokens:
    """Return the class of each token by its distance from the marker, shape (q,) to (q,).

    First those of the left side, 1, 2–3, 4–7 tokens away and so on, then those of the right.
    """
    numbers = np.arange(len(tokens))
    here = int(np.argmax(tokens == special_tokens.here))
    away = numbers - here
    octave = np.minimum(np.log2(np.maximum(np.abs(away), 1)).astype(np.int64), OCTAVES - 1)
    places = np.where(away < 0, octave, octave + OCTAVES)
    places[here] = MARKER_CLASS
    borders = np.flatnonzero(tokens == special_tokens.border)
    places[numbers > (borders[0] if len(borders) else len(tokens))] = TITLE_CLASS
    return places


def title_tokens(titles: Sequence[str], words: WordEncoder) -> Tokens:
    """Return the tokens of titles, shape (c, t), padded with `NO_TOKEN`."""
    shortened = [tokens[:TITLE_TOKENS] for tokens in words.tokens(titles)]
    tokens = np.full(
        (len(shortened), max(map(len, shortened), default=0)), NO_TOKEN, dtype=np.int64
    )
    for row, title in enumerate(shortened):
        tokens[row, : len(title)] = title
    return tokens


class LateInteraction:
    """A network that scores titles for a context. Safe to share."""

    def __init__(self, graph: Path, words: WordEncoder, special_tokens: SpecialTokens) -> None:
        """Load `graph`, as `train.rankers.interaction.write_graph` writes it.

        Raises:
            EncoderError: it is missing or damaged.
        """
        self._session = open_session(graph)
        self._words = words
        self._special_tokens = special_tokens

    def scores(self, reading: TokenStates, titles: Sequence[str]) -> Column:
        """Return the score of each title for a context, shape (c,); higher is better.

        A title without words has the least score of the others.
        """
        tokens = title_tokens(titles, self._words)
        has_words = (tokens != NO_TOKEN).any(axis=1)
        scores = np.zeros(len(titles), dtype=np.float32)
        if has_words.any():
            query = context_words(reading, self._words, self._special_tokens)
            of_titles = Titles(tokens[has_words], self._words.words(tokens[has_words]))
            scores[has_words] = self._session.run(None, feed(query, of_titles))[0][0]
            scores[~has_words] = scores[has_words].min()
        return scores


def feed(query: ContextWords, titles: Titles) -> dict[str, NDArray[np.generic]]:
    """Return the inputs of the graph for one context, with a leading axis for contexts."""
    arrays = {**asdict(query), "titles": titles.tokens, "title_words": titles.words}
    return {name: array[None] for name, array in arrays.items()}


@frozen(eq=False)
class LateStage:
    """Late interaction as a stage of ranking: its scores are added to logits of the `first` papers.

    weight: of a score. temperature: divides the sums.
    """

    interaction: LateInteraction
    first: int
    weight: float
    temperature: float

    def added(self, reading: TokenStates, titles: Sequence[str]) -> Column:
        """Return what is added to the logits of papers, shape (c,), with a mean of 0."""
        return self.weighted(self.interaction.scores(reading, titles))

    def weighted(self, scores: Column) -> Column:
        """Return what scores add to logits, shape (c,)."""
        return np.asarray(self.weight * (scores - scores.mean()), dtype=np.float32)


def open_late_stage(folder: Path, words: WordEncoder) -> LateStage:
    """Read a stage from its folder.

    Raises:
        RankerError: a file is missing or damaged.
    """
    with model_config(folder, "late interaction") as config:
        special_tokens = SpecialTokens(**config["signs"])
        interaction = LateInteraction(folder / "model.onnx", words, special_tokens)
        weight, temperature = float(config["weight"]), float(config["temperature"])
        return LateStage(interaction, int(config["first"]), weight, temperature)


@cache
def shipped_words() -> StaticEncoder:
    """Return the encoder of single words that ships, loaded once.

    Raises:
        RankerError: it is missing or damaged.
    """
    try:
        return StaticEncoder(shipped_model("static"))
    except EncoderError as error:
        raise RankerError(str(error)) from error  # to the user it is one model


@cache
def shipped_late_stage(query_encoder: str) -> LateStage | None:
    """Return the stage that ships; None if it was trained with other encoders than those that ship.

    `query_encoder` is the fingerprint of the query encoder.

    Raises:
        RankerError: what ships cannot be read.
    """
    folder = shipped_model(MODEL)
    if not folder.is_dir():
        return None
    words = shipped_words()
    with model_config(folder, "late interaction") as config:
        trained_with = config.get("query_encoder"), config.get("words")
    same = trained_with == (query_encoder, words.fingerprint)
    return open_late_stage(folder, words) if same else None
