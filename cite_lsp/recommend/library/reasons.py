"""Why a paper is recommended: from the evidence to the reasons."""

from __future__ import annotations

from collections.abc import Set

from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.text.words import first_words, last_words
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.model import Reason
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.library.features import Evidence
from cite_lsp.recommend.library.file_features import filed_beside
from cite_lsp.search.words.query_words import words_with_translations
from cite_lsp.search.words.tokens import tokenise

SIMILAR_SENTENCE = 0.3
"""Cosine between sentence and title below which the likeness is not worth a word."""
SIMILAR_PAPERS = 0.4
"""Cosine between two papers from which on they are called close."""
CITED_OFTEN = 3
"""Documents known to cite a paper from which on their number is told."""
FILED = 0.05
"""How much more often than by chance a draft cites neighbouring entries where one is told."""
CITED_ALIKE = 0.65
"""Cosine of two places, as the query encoder puts them, from which on it is told that others cited
a paper at one like this: one in four of the first eight are, and they are right twice as often."""
ALIKE = 0.25
"""Likeness of two places of the draft from which on one is a witness for the other."""


def explain(context: Context, pool: Pool, evidence: Evidence, position: int) -> tuple[Reason, ...]:
    """Give the reasons for the paper at one position of the evidence, strongest kind first."""
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
    close = max(value["sentence_title"], value["wide_full"])
    if close >= SIMILAR_SENTENCE:  # NaN, when there is no encoder yet, is never greater
        place = evidence.closest.index(row) + 1 if row in evidence.closest else 0
        reasons.append(Reason("sentence", close, place=place))
    if value["sentence_author_named"]:
        reasons.append(Reason("named", 1.0))
    said = evidence.query.sentence_said
    words = () if said.isdisjoint(pool.title_tokens[row]) else _shared(pool.papers[row].title, said)
    if words:
        reasons.append(Reason("words", float(len(words)), words=words))
    company = _company(context, pool, row)
    if company:
        reasons.append(Reason("co-cited", company[0][0], papers=tuple(name for _, name in company)))
    witness = evidence.habits.witness[row]
    if witness >= 0 and evidence.habits.alike[row] >= ALIKE:
        mention = context.mentions[witness]
        snippet = last_words(mention.left, 8) or first_words(mention.right, 8)
        reasons.append(Reason("cited-like", float(evidence.habits.alike[row]), words=(snippet,)))
    beside = filed_beside(context, pool.row_of, row) if value["file_habit"] >= FILED else None
    if beside is not None:
        name = short_name(pool.papers[beside])
        reasons.append(Reason("filed", 1.0, papers=(name,)))
    if value["section_times"]:
        reasons.append(Reason("cited-here", value["section_times"]))
    elif value["times"]:
        reasons.append(Reason("cited-elsewhere", value["times"]))
    return tuple(reasons)


def shared_words(paper: Paper, text: str) -> tuple[str, ...]:
    """Return the words of the title, as written there, that the text holds or says in Chinese."""
    return _shared(paper.title, words_with_translations(text))


def _shared(title: str, tokens: Set[str], limit: int = 4) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for word in title.split():
        parts = tokenise(word)
        if parts and all(part in tokens for part in parts):
            found.setdefault(" ".join(parts), word.strip(".,:;()[]{}?!\"'“”"))
    return tuple(found.values())[:limit]


def _company(context: Context, pool: Pool, row: int) -> list[tuple[float, str]]:
    """Return the two papers of the section that are nearest to this one, with their cosines."""
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
