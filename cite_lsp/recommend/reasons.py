"""Why a paper is recommended: from the evidence to the line a writer reads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.words import first_words, last_words
from cite_lsp.paper import Paper, surname
from cite_lsp.recommend.features import Evidence
from cite_lsp.recommend.model import Reason, Recommendation
from cite_lsp.recommend.pool import Pool
from cite_lsp.search.tokens import tokenise

SIMILAR_SENTENCE = 0.3
"""Cosine between sentence and title below which the likeness is not worth a word."""
SIMILAR_PAPERS = 0.4
"""Cosine between two papers from which on they are called close."""
CITED_OFTEN = 3
"""Documents known to cite a paper from which on their number is told."""
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
        )
    }
    reasons = []
    similarity = max(value["sentence_title"], value["wide_full"])
    if similarity >= SIMILAR_SENTENCE:  # NaN, when there is no encoder yet, is never greater
        reasons.append(Reason("sentence", similarity))
    if value["sentence_author_named"]:
        reasons.append(Reason("named", 1.0))
    said = _tokens(evidence.query.sentence)
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
    if value["section_times"]:
        reasons.append(Reason("cited-here", value["section_times"]))
    elif value["times"]:
        reasons.append(Reason("cited-elsewhere", value["times"]))
    return tuple(reasons)


@lru_cache(maxsize=8)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(tokenise(text))


def shared_words(paper: Paper, text: str) -> tuple[str, ...]:
    """Return the words of the title, as written there, that the text holds too."""
    return _shared(paper.title, _tokens(text))


def _shared(title: str, tokens: frozenset[str], limit: int = 4) -> tuple[str, ...]:
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


def short_name(paper: Paper) -> str:
    """Name a paper as prose does: "Vaswani et al. 2017"; by its title where authors are missing."""
    names = [surname(author) for author in paper.authors[:2]]
    if not names:
        who = paper.title if len(paper.title) <= 40 else paper.title[:39] + "…"
    elif len(names) == 1:
        who = names[0]
    elif len(paper.authors) == 2:
        who = f"{names[0]} and {names[1]}"
    else:
        who = f"{names[0]} et al."
    return f"{who} {paper.year}" if paper.year else who


def describe(recommendation: Recommendation) -> str:
    """Say the reasons in one line: "matches the sentence 0.71; cited twice in this section"."""
    phrases = [_phrase(reason) for reason in recommendation.reasons]
    if recommendation.corpus:
        phrases.append(f"in the corpus {recommendation.corpus}, not yet in your library")
    return "; ".join(phrases) or "in your library"


def _phrase(reason: Reason) -> str:
    match reason.kind:
        case "sentence":
            return f"matches the sentence {reason.value:.2f}"
        case "named":
            return "its author is named in the sentence"
        case "words":
            words = [f"“{word}”" for word in reason.words]
            return f"shares the word{'s' * (len(words) > 1)} {_listed(words)}"
        case "co-cited":
            return f"close to {_listed(reason.papers)}, cited in this section ({reason.value:.2f})"
        case "cited-like":
            return f"cited at a similar place: “…{reason.words[0]}”"
        case "cited-by":
            return f"cited by {round(reason.value)} papers that cite-lsp knows"
        case "cited-here":
            return f"cited {_times(reason.value)} in this section"
        case _:
            return f"cited {_times(reason.value)} in this draft"


def _times(value: float) -> str:
    return {1: "once", 2: "twice"}.get(round(value), f"{round(value)} times")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
