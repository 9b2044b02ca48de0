"""Late interaction: the words of a context as they are read there, and those of a paper's title.

One vector says what all of a text is about. Here single words are compared (ColBERT, Khattab and
Zaharia, SIGIR 2020): those of the context by the states of the query encoder before they are
pooled, those of a title by their rows in the table of the static encoder, so that nothing more is
to be indexed. Kernels count how many words are how much alike (K-NRM, Xiong et al., SIGIR 2017),
words near the marker more than others, and a small network makes one score of that
(`cite_lsp/train/rankers/interaction.py`; `cite_lsp/train/rankers/late_interaction.py` teaches it).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import EncoderError, Reading, Tokens, Vectors
from cite_lsp.encode.sessions import SessionError, open_session
from cite_lsp.encode.static import StaticEncoder
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import RankerError

MODEL = "late-interaction"
OCTAVES = 6
"""Classes of distances from the marker on a side: 1, 2–3, 4–7 tokens and so on."""
HERE_PLACE, TOPIC_PLACE = 2 * OCTAVES, 2 * OCTAVES + 1
"""The classes of the sign that stands for the marker, and of the title of the draft."""
TITLE_TOKENS = 24
"""Where titles are cut."""
NO_TOKEN = 0
"""What fills up a row of tokens."""


class Words(Protocol):
    """Words by themselves: the numbers of the tokens of texts, and vectors of tokens."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text."""
        ...

    def words(self, tokens: Tokens) -> Vectors:
        """Return unit vectors of tokens, shape (…) to (…, w)."""
        ...


@frozen
class Signs:
    """Tokens of the query encoder that stand for no word: the marker, a border, the beginning."""

    here: int
    border: int
    start: int


@frozen(eq=False)
class Asked:
    """The words of a context, and the marker among them.

    tokens (q,), states (q, d), words (q, w): by themselves, places (q,): classes of their places.
    """

    tokens: Tokens
    states: Vectors
    words: Vectors
    places: Tokens


@frozen(eq=False)
class Titles:
    """Titles of papers: tokens (c, t), rows filled up with `NO_TOKEN`; their words (c, t, w)."""

    tokens: Tokens
    words: Vectors


def asked_of(reading: Reading, words: Words, signs: Signs) -> Asked:
    """Return the words of a context as the network is asked about them."""
    tokens, places = reading.tokens, places_of_tokens(reading.tokens, signs)
    kept = (tokens != signs.border) & (tokens != signs.start)
    alone = words.words(tokens[kept]) * (tokens[kept] != signs.here)[:, None]
    return Asked(tokens[kept], reading.states[kept], alone, places[kept])


def places_of_tokens(tokens: Tokens, signs: Signs) -> Tokens:
    """Return the class of each token by its distance from the marker, shape (q,) to (q,).

    First those of the left side, 1, 2–3, 4–7 tokens away and so on, then those of the right.
    """
    numbers = np.arange(len(tokens))
    here = int(np.argmax(tokens == signs.here))
    away = numbers - here
    octave = np.minimum(np.log2(np.maximum(np.abs(away), 1)).astype(np.int64), OCTAVES - 1)
    places = np.where(away < 0, octave, octave + OCTAVES)
    places[here] = HERE_PLACE
    borders = np.flatnonzero(tokens == signs.border)
    places[numbers > (borders[0] if len(borders) else len(tokens))] = TOPIC_PLACE
    return places


def tokens_of_titles(titles: Sequence[str], words: Words) -> Tokens:
    """Return the tokens of titles, shape (c, t), rows filled up with `NO_TOKEN`."""
    found = [tokens[:TITLE_TOKENS] for tokens in words.tokens(titles)]
    tokens = np.full((len(found), max(map(len, found), default=0)), NO_TOKEN, dtype=np.int64)
    for row, own in enumerate(found):
        tokens[row, : len(own)] = own
    return tokens


class LateInteraction:
    """A network that scores titles for a context. Safe to share."""

    def __init__(self, graph: Path, words: Words, signs: Signs) -> None:
        """Load `graph`, as `train.interaction.write_graph` writes it.

        Raises:
            SessionError: it is missing or damaged.
        """
        self._session = open_session(graph)
        self._words = words
        self._signs = signs

    def scores(self, reading: Reading, titles: Sequence[str]) -> Column:
        """Return the score of each title for a context, shape (c,); higher is better.

        One without a word scores as the worst of the others do.
        """
        tokens = tokens_of_titles(titles, self._words)
        told = (tokens != NO_TOKEN).any(axis=1)
        scores = np.zeros(len(titles), dtype=np.float32)
        if told.any():
            asked = asked_of(reading, self._words, self._signs)
            of_titles = Titles(tokens[told], self._words.words(tokens[told]))
            scores[told] = self._session.run(None, feed(asked, of_titles))[0][0]
            scores[~told] = scores[told].min()
        return scores


def feed(asked: Asked, titles: Titles) -> dict[str, NDArray[np.generic]]:
    """Return what the graph is fed: arrays of one context, with an axis for contexts before."""
    given = {**asdict(asked), "titles": titles.tokens, "title_words": titles.words}
    return {name: array[None] for name, array in given.items()}


@frozen(eq=False)
class LateStage:
    """Late interaction as a stage: what its scores of the `first` papers add to their logits.

    weight: of a score. temperature: what the sums are divided by.
    """

    interaction: LateInteraction
    first: int
    weight: float
    temperature: float

    def added(self, reading: Reading, titles: Sequence[str]) -> Column:
        """Return what is added to the logits of papers, shape (c,), 0 in the mean."""
        return self.weighted(self.interaction.scores(reading, titles))

    def weighted(self, scores: Column) -> Column:
        """Return what scores add, shape (c,)."""
        return np.asarray(self.weight * (scores - scores.mean()), dtype=np.float32)


def open_late_stage(folder: Path, words: Words) -> LateStage:
    """Read a stage from its folder.

    Raises:
        RankerError: a file is missing or damaged.
    """
    config = _config(folder)
    try:
        signs = Signs(**config["signs"])
        interaction = LateInteraction(folder / "model.onnx", words, signs)
        weight, temperature = float(config["weight"]), float(config["temperature"])
        return LateStage(interaction, int(config["first"]), weight, temperature)
    except (ValueError, KeyError, TypeError, SessionError) as error:
        raise _unreadable(folder, error) from error


@cache
def shipped_words() -> StaticEncoder:
    """Return words by themselves as they ship.

    Raises:
        RankerError: they are not there, or damaged.
    """
    try:
        return StaticEncoder(shipped_model("static"))
    except EncoderError as error:
        raise RankerError(str(error)) from error  # to who asks it is one model


@cache
def shipped_late_stage(query_encoder: str) -> LateStage | None:
    """Return the stage that ships, None where it was taught with other encoders than ship.

    `query_encoder` is the fingerprint of that.

    Raises:
        RankerError: what ships cannot be read.
    """
    folder = shipped_model(MODEL)
    if not folder.is_dir():
        return None
    config, words = _config(folder), shipped_words()
    if (config.get("query_encoder"), config.get("words")) != (query_encoder, words.fingerprint):
        return None
    return open_late_stage(folder, words)


def _config(folder: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(config, dict):
            raise ValueError("no object")
        return config
    except (OSError, ValueError) as error:
        raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: Exception) -> RankerError:
    return RankerError(f"{folder}: cannot be read ({error}); reinstall cite-lsp")
