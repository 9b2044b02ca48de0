"""Features from text: by words (BM25, words of titles, authors named) and by vectors (cosines)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import Context, Mention
from cite_lsp.paper import fold
from cite_lsp.recommend.base.columns import Column, greatest, unknown_columns
from cite_lsp.recommend.base.han_names import chinese_names_by_pinyin
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.similarity import cached_similarity_to_cited
from cite_lsp.recommend.library.cited_rows import ADJACENT
from cite_lsp.recommend.query.encoder_input import chinese_sides, query_text_at
from cite_lsp.recommend.query.latin_names import may_be_surname
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.query_words import Words, short_forms, words_with_translations
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.memory import text_cache
from cite_lsp.translate.translator import shipped_translator

_WORDS_BESIDE = (120, 60)
"""Characters left and right of a marker whose words count."""
HALF_WEIGHT_SHARE = 0.1
"""Share of the markers with a word beside them at which the word has half its weight."""
FEWEST_MARKERS = 4
"""Markers that a word must stand beside to count as overused."""
_WORD = lazy_re(r"[A-Za-z][A-Za-z0-9+.-]*")


@text_cache(16384)
def _words_beside(left: str, right: str) -> frozenset[str]:
    return frozenset(tokenise(" ".join(_WORD.findall(f"{left} {right}"))))


def overused_words(mentions: Iterable[Mention]) -> dict[str, float]:
    """Return the share of a draft's markers that each overused word stands beside.

    Only words in Latin letters count: a Chinese word has many translations, each of them rarely
    used.
    """
    beside = [
        _words_beside(mention.left[-_WORDS_BESIDE[0] :], mention.right[: _WORDS_BESIDE[1]])
        for mention in mentions
    ]
    counts = Counter(chain.from_iterable(beside))
    return {word: count / len(beside) for word, count in counts.items() if count >= FEWEST_MARKERS}


def downweighted(words: Words, overused: Mapping[str, float]) -> Words:
    """Return weighted query words, overused words with less weight the more common they are."""
    return {
        word: weight / (1 + overused[word] / HALF_WEIGHT_SHARE) if word in overused else weight
        for word, weight in words.items()
    }


_AUTHORS_LOOKED_FOR = 12
"""Authors of a paper that are looked for in the text; the rest of a collaboration is noise."""
WORD_FEATURES = (
    "sentence_words",
    "sentence_words_share",
    "title_cover_sentence",
    "sentence_author_named",
    "near_words",
    "near_words_share",
    "near_title_words",
    "close_words",
    "close_words_share",
    "close_title_words",
    "wide_words",
    "wide_words_share",
    "topic_title_words",
    "title_cover_near",
    "title_cover_names",
    "first_author_named",
    "author_named",
    "section_authors",
)


def word_features(query: Query, pool: Pool, overused: Mapping[str, float]) -> dict[str, Column]:
    """Return the features from word indexes, columns of shape (n,) for all papers of the pool.

    `overused` are the words that the draft uses everywhere, see `overused_words`.
    """
    short = short_forms(query.near)
    near_words, close_words, sentence_words = (
        downweighted({**words, **short}, overused)
        for words in (query.near_words, query.close_words, query.sentence_words)
    )
    sentence = pool.words.scores(sentence_words)
    near = pool.words.scores(near_words)
    close = pool.words.scores(close_words)
    wide = pool.words.scores(downweighted(query.wide_words, overused))
    return {
        "sentence_words": sentence,
        "sentence_words_share": sentence / max(greatest(sentence), 1e-6),
        "near_words": near,
        "near_words_share": near / max(greatest(near), 1e-6),
        "near_title_words": pool.title_words.scores(near_words),
        "close_words": close,
        "close_words_share": close / max(greatest(close), 1e-6),
        "close_title_words": pool.title_words.scores(close_words),
        "wide_words": wide,
        "wide_words_share": wide / max(greatest(wide), 1e-6),
        "topic_title_words": pool.title_words.scores(query.topic_words),
    }


def title_features(context: Context, query: Query, pool: Pool, rows: Rows) -> dict[str, Column]:
    """Return the features that need a loop over papers: title words and surnames, shape (r,)."""
    numbers: list[int] = rows.tolist()  # NumPy's are slow keys
    titles = [pool.title_tokens[row] for row in numbers]
    words_before = f" {fold(query.names)} "
    sentence = f" {fold(query.sentence)} "
    in_sentence = np.zeros(len(rows), dtype=np.float32)
    first = np.zeros(len(rows), dtype=np.float32)
    anyone = np.zeros(len(rows), dtype=np.float32)
    shared = np.zeros(len(rows), dtype=np.float32)
    pinyin_near, pinyin_in_sentence = (
        chinese_names_by_pinyin(query.names),
        chinese_names_by_pinyin(query.sentence),
    )
    cited_authors = {
        name for row in pool.rows(context.section_cited) for name in pool.surnames[row]
    }
    for position, row in enumerate(numbers):
        surnames = pool.surnames[row]
        read = surnames[:_AUTHORS_LOOKED_FOR]
        for name in [name for name in read if name in sentence]:
            if _is_named(name, sentence, query.sentence):
                in_sentence[position] = 1.0
        for name in [name for name in read if name in words_before]:
            if _is_named(name, words_before, query.names):
                anyone[position] = 1.0
                first[position] = max(first[position], float(name == read[0]))
        for place, letters in enumerate(
            pool.spellings[row][:_AUTHORS_LOOKED_FOR] if pinyin_in_sentence else ()
        ):
            if letters in pinyin_in_sentence:
                in_sentence[position] = 1.0
            if letters in pinyin_near:
                anyone[position] = 1.0
                first[position] = max(first[position], float(place == 0))
        if cited_authors:
            shared[position] = sum(map(cited_authors.__contains__, surnames))
    return {
        "title_cover_sentence": _cover(titles, query.sentence_said),
        "sentence_author_named": in_sentence,
        "title_cover_near": _cover(titles, words_with_translations(query.near)),
        "title_cover_names": _cover(titles, words_with_translations(query.names)),
        "first_author_named": first,
        "author_named": anyone,
        "section_authors": shared,
    }


def _is_named(name: str, folded: str, text: str) -> bool:
    """Whether a name stands in a text as a whole word, and as a name if it is an everyday word."""
    return _stands_alone(name, folded) and may_be_surname(name, text)


def _stands_alone(name: str, text: str) -> bool:
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not name.isascii() or not (_is_latin(before) or _is_latin(after)):
            return True
        start = text.find(name, start + 1)
    return False


def _is_latin(character: str) -> bool:
    """Whether a character continues a Latin name; a Han character does not."""
    return character.isascii() and character.isalpha()


def _cover(titles: Sequence[frozenset[str]], tokens: frozenset[str]) -> Column:
    """Return the share of each title's words that occur among the tokens, shape (r,)."""
    return np.array(
        [len(title & tokens) / len(title) if title else 0.0 for title in titles], dtype=np.float32
    )


DENSE_FEATURES = (
    "sentence_title",
    "sentence_title_gap",
    "near_title",
    "wide_title",
    "wide_full",
    "near_title_gap",
    "wide_title_gap",
    "latin_title",
    "translated_title",
    "section_nearest",
    "section_mean",
    "neighbour_nearest",
    "companion_nearest",
)
PLACED_FEATURES = ("placed_title", "placed_full", "placed_gap")
"""Cosines of papers and the query vector."""
_FEW_VECTORS = 2
"""Vectors up to which it is faster to compare the papers with one at a time."""


def dense_features(
    context: Context, query: Query, pool: Pool, encoder: Encoder, query_encoder: Encoder | None
) -> dict[str, Column]:
    """Return `DENSE_FEATURES` and `PLACED_FEATURES` of an embedded pool, columns of shape (n,).

    Without a query encoder the placed ones are unknown (NaN).
    """
    assert pool.title_vectors is not None and pool.full_vectors is not None  # embedded together
    texts = [query.sentence, query.near, query.wide, query.latin, _word_by_word(context)]
    vectors = encoder.encode(texts)
    if query_encoder is not None:
        text = query_text_at(context.left, context.right, context.title)
        vectors = np.concatenate([vectors, query_encoder.encode([text])])
    sentence_title, near_title, wide_title, latin_title, translated_title, *placed_title = _cosines(
        pool.title_vectors, vectors
    )
    wide_full, *placed_full = _cosines(
        pool.full_vectors, vectors[[2, *range(len(texts), len(vectors))]]
    )
    section = pool.rows(context.section_cited)
    neighbours = pool.rows(
        [
            key
            for mention in context.mentions
            if abs(mention.order - context.order) <= ADJACENT
            for key in mention.keys
        ]
    )
    nearest, mean = cached_similarity_to_cited(pool, section)
    return {
        "sentence_title": sentence_title,
        "sentence_title_gap": sentence_title - greatest(sentence_title),
        "near_title": near_title,
        "wide_title": wide_title,
        "wide_full": wide_full,
        "near_title_gap": near_title - greatest(near_title),
        "wide_title_gap": wide_title - greatest(wide_title),
        "latin_title": latin_title,
        "translated_title": translated_title,
        "section_nearest": nearest,
        "section_mean": mean,
        "neighbour_nearest": cached_similarity_to_cited(pool, neighbours)[0],
        "companion_nearest": cached_similarity_to_cited(pool, pool.rows(context.marker_cited))[0],
        **(
            _placed(placed_title[0], placed_full[0])
            if placed_full
            else unknown_columns(PLACED_FEATURES, len(pool))
        ),
    }


def _cosines(papers: Vectors, vectors: Vectors) -> list[Column]:
    """Return the cosines of papers (n, d) to each vector (v, d), columns of shape (n,).

    The cosines of an empty text are 0. It takes one pass over the papers: in a large library,
    reading them is what takes time.
    """
    columns = [np.zeros(len(papers), dtype=np.float32)] * len(vectors)
    filled = np.flatnonzero(vectors.any(axis=1)).tolist()
    if len(filled) <= _FEW_VECTORS:
        cosines = [papers @ vectors[place] for place in filled]
    else:
        cosines = list((papers @ vectors[filled].T).T)
    for place, column in zip(filled, cosines, strict=True):
        columns[place] = np.ascontiguousarray(column)
    return columns


def _word_by_word(context: Context) -> str:
    """Return the text next to the marker in English, "" where it holds no Chinese."""
    sides = chinese_sides(context.left, context.right)
    return " ".join(shipped_translator().translate(sides)) if sides is not None else ""


def _placed(title: Column, full: Column) -> dict[str, Column]:
    return {"placed_title": title, "placed_full": full, "placed_gap": full - greatest(full)}
