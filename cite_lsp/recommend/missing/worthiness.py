"""Citation worthiness: how likely a sentence needs a citation.

Two linear models over hashed word n-grams, one of the sentence and one of the section's title, and
boosted trees over their scores, plain cues (names, years, figures, first words) and where the
sentence stands, as Gosangi et al. (NAACL 2021) read a sentence in its context and He et al. (WSDM
2011) find where a citation is wanted. Encoders read what they do not rule out, in windows of
sentences (`worthiness_encoder`): one the Chinese ones, one all others. A logistic regression joins
what either says with the trees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.encode.tokens.chinese import CHINESE
from cite_lsp.language import HAN, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.manuscript.model import Sentence
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.ranker import TREES, RankerError, model_config
from cite_lsp.recommend.missing.passages import Passage, passages_of
from cite_lsp.recommend.missing.place_features import PLACE_FEATURES, place_features
from cite_lsp.recommend.missing.worthiness_encoder import (
    CHINESE_MODEL,
    WorthinessEncoder,
    is_read,
)
from cite_lsp.recommend.missing.worthiness_encoder import MODEL as OTHER_MODEL

BUCKETS = 1 << 18
"""Buckets of hashed n-grams, for sentences and section titles together."""
MODEL = "citation-worthiness"
JOINED = {"": "joined", CHINESE: "joined_chinese"}
"""What `config.json` calls the weights that join the trees with an encoder, by its `words`."""
THRESHOLD = 0.3
"""Likelihood from which on about half of the sentences of English development documents cited. What
is offered goes by how sure a paper is as well, see `missing.py`."""
FEWEST_READ = 0.07
"""Likelihood by the trees from which on an encoder reads a sentence, with those beside it."""
_CACHE_SIZE = 8192
_TOKEN = lazy_re(
    rf"(?P<han>[{HAN}])|(?P<word>[A-Za-z][A-Za-z'’-]*)|(?P<number>\d+(?:[.,]\d+)*)|(?P<sign>[%$])"
)
_WORD = lazy_re(r"[A-Za-z][A-Za-z'-]*")
_SHORT_FORM = lazy_re(r"\b[A-Z][A-Za-z]*[A-Z][A-Za-z0-9]*\b")
_PEOPLE = lazy_re(r"et\s+al|等人")
_FORMULA = frozenset("=+_^|\\{}<>")

CUES = (
    "tokens capital_share capitals short_form people year number percent chinese latin_in_chinese "
    "colon parenthesis quotation formula lower_start open_end"
).split()
"""The features of one sentence besides its words, see `cues`."""
FEATURES = (
    "words",
    "words_previous",
    "words_next",
    "section_words",
    "cited_share",
    *CUES,
    *(f"{cue}_previous" for cue in CUES),
    *(f"{cue}_next" for cue in CUES),
    *PLACE_FEATURES,
)


LogOdds = NDArray[np.float64]


def sentence_buckets(text: str) -> list[int]:
    """Return the buckets of the n-grams of a sentence, each once."""
    tokens = _tokens(text)
    pairs = zip(tokens, tokens[1:], strict=False)
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    grams = {f"s {token}" for token in tokens}
    grams.update(f"s {first} {second}" for first, second in pairs)
    grams.update(f"s {first} {second} {third}" for first, second, third in triples)
    grams.update(f"f {token}" for token in tokens[:3])
    grams.add("f2 " + " ".join(tokens[:2]))
    return sorted({crc32(gram.encode()) % BUCKETS for gram in grams})


def title_buckets(title: str) -> list[int]:
    """Return the buckets of the n-grams of a section's title, each once."""
    tokens = _tokens(title)
    grams = {f"t {token}" for token in tokens}
    grams.update(f"t {token} {second}" for token, second in zip(tokens, tokens[1:], strict=False))
    return sorted({crc32(gram.encode()) % BUCKETS for gram in grams})


def gather(
    passages: Sequence[Passage], words: Sequence[Sequence[float]], titles: Sequence[float]
) -> NDArray[np.float32]:
    """Return the features of the passages of a text, in its order, shape (n, len(FEATURES)).

    `words` are the linear scores of sentence, previous and next sentence [n, 3], `titles` those of
    the section titles [n]; without a text a score is missing (NaN).
    """
    matrix = np.full((len(passages), len(FEATURES)), np.nan, dtype=np.float32)
    matrix[:, -len(PLACE_FEATURES) :] = place_features(passages, [scores[0] for scores in words])
    for row, passage in enumerate(passages):
        matrix[row, :3] = words[row]
        matrix[row, 3] = titles[row]
        if passage.cited_share is not None:
            matrix[row, 4] = passage.cited_share
        texts = (passage.sentence, passage.previous, passage.next)
        for number, text in enumerate(texts):
            if text:
                first = 5 + number * len(CUES)
                matrix[row, first : first + len(CUES)] = cues(text)
    return matrix


@frozen
class CombinedLogit:
    """A logistic regression over the log odds of the trees and the logit of an encoder."""

    trees: float
    encoder: float
    bias: float

    def log_odds(self, trees: LogOdds, encoder: Column | float) -> LogOdds:
        """Return the log odds of sentences, (n,), from what both say of each, (n,)."""
        return self.trees * trees + self.encoder * encoder + self.bias


class WorthinessModel:
    """The trained model. Thread-safe."""

    def __init__(self, folder: Path, readers: Sequence[WorthinessEncoder] = ()) -> None:
        """Load `words.npz`, the trees and `config.json` from a folder.

        `readers` are the encoders that it was joined with; where none reads, the trees decide
        alone.

        Raises:
            RankerError: a file is missing or broken, or is of another version.
        """
        with model_config(folder, "the model") as config:
            with np.load(folder / "words.npz", allow_pickle=False) as arrays:
                weights = arrays["weights"].astype(np.float32)
            self._trees = open_session(folder / TREES)
            features = tuple(config["features"])
            self._bias = float(config["bias"])
            self._title_bias = float(config["title_bias"])
            self._by_trees = CombinedLogit(config["slope"], 0.0, config["intercept"])
            self._readers = [
                (reader, CombinedLogit(**joined))
                for reader in readers
                if (joined := config.get(JOINED[reader.words]))
            ]
        if features != FEATURES or weights.shape != (BUCKETS,):
            raise RankerError(
                f"{folder}: the model was trained for other features; train it again with "
                f"`cite-lsp train {MODEL}`"
            )
        self._weights = weights
        # Drafts are scored again and again, and few of their sentences are new.
        self._sentence = lru_cache(maxsize=_CACHE_SIZE)(self._score_sentence)
        self._title = lru_cache(maxsize=_CACHE_SIZE)(self._score_title)

    def probabilities(
        self,
        passages: Sequence[Passage],
        wanted: NDArray[np.bool_] | None = None,
        cancelled: Cancel | None = None,
    ) -> Column:
        """Return how likely the sentences of a text, in its order, need a citation, (n,), 0 to 1.

        If only some are `wanted`, (n,), the others may have what the trees say alone.

        Raises:
            Cancelled: `cancelled` returned true.
            EncoderError: an encoder cannot be loaded.
        """
        if not passages:
            return np.zeros(0, dtype=np.float32)
        scores = self.tree_scores(passages)
        likely = self._by_trees.log_odds(scores, 0.0)
        by_trees = likely.copy()
        for reader, joined in self._readers:
            rows = np.flatnonzero(worth_reading(passages, by_trees, reader.words))
            logits = reader.logits(
                [passages[row] for row in rows.tolist()],
                None if wanted is None else wanted[rows],
                cancelled,
            )
            read = ~np.isnan(logits)
            likely[rows[read]] = joined.log_odds(scores[rows[read]], logits[read])
        return np.asarray(1 / (1 + np.exp(-likely)), dtype=np.float32)

    def log_odds(self, passages: Sequence[Passage]) -> LogOdds:
        """Return the log odds by the trees alone of the sentences of a text, in its order, (n,)."""
        return self._by_trees.log_odds(self.tree_scores(passages), 0.0)

    def tree_scores(self, passages: Sequence[Passage]) -> LogOdds:
        """Return what the trees say of the sentences of a text, in its order, (n,)."""
        words = [
            [self._sentence(text) for text in (passage.sentence, passage.previous, passage.next)]
            for passage in passages
        ]
        matrix = gather(
            passages, words, [self._title(passage.section_title) for passage in passages]
        )
        scores: LogOdds = self._trees.run(None, {"features": matrix})[0][:, 0].astype(np.float64)
        return scores

    def _score_sentence(self, text: str) -> float:
        if not text:
            return math.nan
        return linear_score(self._weights, sentence_buckets(text), self._bias)

    def _score_title(self, title: str) -> float:
        if not title:
            return math.nan
        return linear_score(self._weights, title_buckets(title), self._title_bias)


def linear_score(weights: Column, buckets: Sequence[int], bias: float) -> float:
    """Return the score of a set of buckets: the weights' sum, over the root of their number."""
    if not buckets:
        return bias
    return float(weights[buckets].sum() / math.sqrt(len(buckets))) + bias


def worth_reading(passages: Sequence[Passage], likely: LogOdds, words: str) -> NDArray[np.bool_]:
    """Return which sentences of a text an encoder reads, by the log odds of the trees, (n,).

    Those that are likely enough to need a citation, with those beside them, if it knows their
    words: `words` says how it cuts texts (`OnnxConfig.words`).
    """
    is_likely = likely >= math.log(FEWEST_READ / (1 - FEWEST_READ))
    near: NDArray[np.bool_] = is_likely.copy()
    near[1:] |= is_likely[:-1]
    near[:-1] |= is_likely[1:]
    for row in np.flatnonzero(near).tolist():
        near[row] = is_read(passages[row].sentence, words)
    return near


def worthiness_of(
    manuscript: Manuscript,
    document: Document,
    wanted: Sequence[Sentence] | None = None,
    cancelled: Cancel | None = None,
) -> Column:
    """Return how likely each sentence of a file of a draft needs a citation, (n,), 0 to 1.

    Sentences in captions, thanks and the like have 0. If only some are `wanted`, the others may
    have what the trees say alone.

    Raises:
        Cancelled: `cancelled` returned true.
        RankerError: the model that ships cannot be read.
    """
    passages = passages_of(manuscript, document)
    checked = [
        row
        for row, sentence in enumerate(manuscript.sentences)
        if not is_exempt(manuscript, sentence) and sentence.text.strip()
    ]
    starts = {sentence.start for sentence in (manuscript.sentences if wanted is None else wanted)}
    is_wanted = np.array([manuscript.sentences[row].start in starts for row in checked], dtype=bool)
    likely = np.zeros(len(passages), dtype=np.float32)
    likely[checked] = worthiness_model().probabilities(
        [passages[row] for row in checked], is_wanted, cancelled
    )
    return likely


@cache
def worthiness_model() -> WorthinessModel:
    """Return the model that ships, loaded once.

    Raises:
        EncoderError, RankerError: it cannot be read.
    """
    readers = (
        WorthinessEncoder(shipped_model(OTHER_MODEL)),
        WorthinessEncoder(shipped_model(CHINESE_MODEL)),
    )
    return WorthinessModel(shipped_model(MODEL), readers)


@lru_cache(maxsize=_CACHE_SIZE)
def cues(text: str) -> tuple[float, ...]:
    """Return the plain cues of a sentence, in the order of `CUES`."""
    tokens = _tokens(text)
    words = _WORD.findall(text)
    capitals = sum(word[0].isupper() for word in words[1:])
    han = has_han(text)
    end = text.rstrip()[-1:]
    return (
        math.log1p(len(tokens)),
        capitals / max(len(words), 1),
        min(capitals, 5),
        bool(_SHORT_FORM.search(text)),
        bool(_PEOPLE.search(text)),
        "#year" in tokens,
        "#number" in tokens,
        "%" in tokens,
        han,
        len(words) if han else 0,
        end in (":", "："),
        "(" in text or "（" in text,
        '"' in text or "“" in text,
        sum(character in _FORMULA for character in text) / max(len(text), 1),
        text[:1].islower(),
        end not in ".。!?！？:：;；”\"')）",
    )


@lru_cache(maxsize=_CACHE_SIZE)
def _tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text with stop words, Han characters one by one, numbers as kinds."""
    tokens = []
    for token in _TOKEN.finditer(text):
        if token["word"]:
            tokens.append(token["word"].lower())
        elif token["number"]:
            year = len(token["number"]) == 4 and token["number"][:2] in ("18", "19", "20")
            tokens.append("#year" if year else "#number")
        else:
            tokens.append(token.group())
    return tuple(tokens)
