"""The Reasons of a recommendation from the library: which evidence is worth a phrase."""

from __future__ import annotations

from collections.abc import Set

from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.text.word_windows import first_words, last_words
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.library.features import Evidence
from cite_lsp.recommend.library.file_features import filed_beside
from cite_lsp.search.words.query_words import words_with_translations
from cite_lsp.search.words.tokens import tokenise

SIMILAR_SENTENCE = 0.3
"""Cosine of sentence and paper from which on their similarity is a reason."""
SIMILAR_PAPERS = 0.4
"""Cosine of two papers from which on their similarity is a reason."""
CITED_OFTEN = 3
"""Known citing documents from which on their number is a reason."""
FILED_TOGETHER = 0.05
"""The `file_habit` from which on a neighbouring entry is a reason."""
CITED_IN_SIMILAR_PASSAGE = 0.65
"""Cosine of the query vector and a context from which on it is a reason that others cited the paper
there: one in four of the first eight papers have it, and they are right twice as often."""
SIMILAR_PASSAGE = 0.25
"""Word similarity of two passages from which on citing in one is a reason in the other."""
_WORDS = 4
"""Words of a title that a reason names at most."""


def explain(context: Context, pool: Pool, evidence: Evidence, position: int) -> tuple[Reason, ...]:
    """Return the reasons for the paper at a position of the evidence, in a fixed order of kinds."""
    row = int(evidence.rows[position])
    value = {
        name: float(evidence.column(name)[position])
        for name in (
            "sentence_title",
            "wide_full",
            "section_times",
            "times",
            "sentence_author_named",
            "file_habit",
        )
    }
    reasons = []
    if evidence.named[position]:
        reasons.append(Reason("key", 1.0, words=(pool.names[row],)))
    close = max(value["sentence_title"], value["wide_full"])
    if close >= SIMILAR_SENTENCE:  # NaN, when there is no encoder yet, is never greater
        place = evidence.closest.index(row) + 1 if row in evidence.closest else 0
        reasons.append(Reason("sentence", close, place=place))
    if value["sentence_author_named"]:
        reasons.append(Reason("named", 1.0))
    tokens = evidence.query.sentence_said
    words = (
        () if tokens.isdisjoint(pool.title_tokens[row]) else _shared(pool.papers[row].title, tokens)
    )
    if words:
        reasons.append(Reason("words", float(len(words)), words=words))
    nearest_cited = _nearest_cited(context, pool, row)
    if nearest_cited:
        reasons.append(
            Reason("co-cited", nearest_cited[0][0], papers=tuple(name for _, name in nearest_cited))
        )
    most_similar = evidence.habits.most_similar[row]
    if most_similar >= 0 and evidence.habits.alike[row] >= SIMILAR_PASSAGE:
        mention = context.mentions[most_similar]
        snippet = last_words(mention.left, 8) or first_words(mention.right, 8)
        reasons.append(Reason("cited-like", float(evidence.habits.alike[row]), words=(snippet,)))
    beside = (
        filed_beside(context, pool.row_of, row) if value["file_habit"] >= FILED_TOGETHER else None
    )
    if beside is not None:
        name = short_name(pool.papers[beside])
        reasons.append(Reason("filed", 1.0, papers=(name,)))
    if value["section_times"]:
        reasons.append(Reason("cited-here", value["section_times"]))
    elif value["times"]:
        reasons.append(Reason("cited-elsewhere", value["times"]))
    return tuple(reasons)


def shared_words(paper: Paper, text: str) -> tuple[str, ...]:
    """Return the words of the title that occur in the text or its translation, as written."""
    return _shared(paper.title, words_with_translations(text))


def _shared(title: str, tokens: Set[str]) -> tuple[str, ...]:
    words: dict[str, str] = {}
    for word in title.split():
        parts = tokenise(word)
        if parts and all(part in tokens for part in parts):
            words.setdefault(" ".join(parts), word.strip(".,:;()[]{}?!\"'“”"))
    return tuple(words.values())[:_WORDS]


def _nearest_cited(context: Context, pool: Pool, row: int) -> list[tuple[float, str]]:
    """Return the up to two papers of the section most similar to this one, with cosines."""
    vectors = pool.full_vectors
    if vectors is None:
        return []
    others = [other for other in pool.rows(context.section_cited) if other != row]
    if not others:
        return []
    cosines = vectors[others] @ vectors[row]
    nearest = sorted(zip(cosines.tolist(), others, strict=True), reverse=True)[:2]
    return [
        (cosine, short_name(pool.papers[other]))
        for cosine, other in nearest
        if cosine >= SIMILAR_PAPERS
    ]
