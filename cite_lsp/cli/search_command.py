"""Search corpora or bibliographies, and print the papers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.corpus_names import REMOTE_SECONDS, whole_corpora
from cite_lsp.cli.arguments.project_settings import require_entries
from cite_lsp.cli.printing.output import SlowNotice, paper_record, print_json, say, warn
from cite_lsp.corpus.paper_identifiers import identifiers_of
from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import Encoder
from cite_lsp.language import detect_language
from cite_lsp.library import Entry, EntryMatcher, read_bibliography
from cite_lsp.library.match.dedupe import same_first_author
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper, joined_title
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.corpus.remote_candidates import RemoteRetrieval
from cite_lsp.recommend.library.recommender import Recommender
from cite_lsp.search.corpus.corpus_index import CorpusIndex, Manifest
from cite_lsp.search.corpus.filters import Filters, allowed_rows, read_filters
from cite_lsp.search.corpus.identifiers import PublishedNumbers, typed_identifiers
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.remote.address import RemoteAccess, is_address, read_address
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.translate.segment import fold_script

_AUTHORS = 3
"""Authors whose names are printed."""
_ONLY_NEAR = "no paper has the words “{query}”; these are only nearest in meaning:"


def run(options: argparse.Namespace) -> int:
    """Print the matching papers, best first."""
    try:
        filters = read_filters(options.years, options.venue, options.language)
    except ValueError as error:
        raise UsageError(str(error)) from error
    text, corpus = " ".join(options.query), options.corpus or ""
    document = search(
        text, filters, limit=options.k, corpus=corpus, bibliographies=options.bibliography
    )
    if options.json:
        print_json(document)
        return 0
    if "note" in document:
        say(document["note"])
    for rank, record in enumerate(document["papers"], 1):
        authors = record.get("authors", [])
        more = len(authors) > _AUTHORS or record.get("more_authors", False)
        names = ", ".join(authors[:_AUTHORS]) + " et al." * more
        title = record.get("title", "(no title)")
        say(f"{rank:3}. {title}{' (retracted)' if record.get('retracted') else ''}")
        byline = " ".join(str(part) for part in (names, record.get("year")) if part)
        say(f"     {byline}{'  ' if byline else ''}[{record['key']}]")
    if not document["papers"]:
        print("nothing found")
    return 0


def search(
    query: str,
    filters: Filters,
    *,
    limit: int = 10,
    corpus: str = "",
    bibliographies: Sequence[Path] = (),
) -> dict[str, Any]:
    """Return the matching papers, best first, as JSON has them.

    They are searched for in bibliographies, or else in one corpus, or in all.

    Raises:
        UsageError: the query is empty, or names both a corpus and bibliographies.
        CommandError: a corpus or a bibliography cannot be searched.
    """
    if not query.strip():
        raise UsageError("the query is empty; give words of a title, names, or a sentence")
    if bibliographies and corpus:
        raise UsageError("--bibliography stands in for the corpora; leave it or --corpus out")
    if bibliographies:
        answer = _search_bibliographies(bibliographies, query, filters, limit)
    elif is_address(corpus):
        answer = _search_remote(corpus, query, filters, limit)
    else:
        answer = _search_corpora([corpus] if corpus else [], query, filters, limit)
    document: dict[str, Any] = {"query": query, "papers": answer.papers}
    if answer.papers:
        document["matched_by"] = "words" if answer.by_words else "meaning"
        if not answer.by_words:
            document["note"] = _ONLY_NEAR.format(query=query)
    return document


@frozen
class _Answer:
    """The papers that match, best first, as JSON; `by_words`: any has a word of the query."""

    papers: list[dict[str, Any]]
    by_words: bool = True


def _have_a_word(query: str, papers: Iterable[Paper]) -> bool:
    """Whether any of some papers has a word that begins as one of the query does.

    Of a query without any word to search by it is taken for granted.
    """
    sought = tuple(tokenise(query))
    texts = (
        f"{paper.id} {paper.title} {' '.join(paper.authors)} {paper.venue} {paper.year or ''} "
        f"{paper.abstract}"
        for paper in papers
    )
    return not sought or any(word.startswith(sought) for text in texts for word in tokenise(text))


def _search_corpora(names: Sequence[str], query: str, filters: Filters, limit: int) -> _Answer:
    whole = whole_corpora(names, ", or name a bibliography with -b FILE")
    matches = list(_numbered(whole, query, filters))
    if typed_identifiers(query):
        return _best(matches, limit)
    named = False
    for corpus in whole:
        # What was learned was learned from citing sentences; a query is no such thing.
        recommender = CorpusRecommender(corpus, _encoder_of(corpus.manifest), system="fused")
        corpus_matches: list[_Match] = []
        for tier, rows in enumerate(_tiers(corpus, query, allowed_rows(corpus, filters))):
            if len(corpus_matches) < limit:
                named = named or (rows is not None and tier == 0 and bool(rows.any()))
                corpus_matches += [
                    _Match(tier, candidate.score, corpus.manifest.name, corpus.paper(candidate.row))
                    for candidate in recommender.rank(_context(query), limit=limit, allowed=rows)
                ]
        matches += corpus_matches
    return _best(matches, limit, "" if named else query)


def _numbered(corpora: Sequence[CorpusIndex], query: str, filters: Filters) -> Iterator[_Match]:
    """Yield the papers whose DOI or arXiv number is the query: no others match it then."""
    for corpus in corpora:
        for paper in map(corpus.paper, corpus.numbered(query).tolist()):
            if filters.allow(paper):
                yield _Match(0, 1.0, corpus.manifest.name, paper)


def _tiers(
    corpus: CorpusIndex, query: str, allowed: NDArray[np.bool_] | None
) -> list[NDArray[np.bool_] | None]:
    """Return which papers stand first, those that have all words of the query, and which behind."""
    named = corpus.typed_words.matching(query)
    if named is None:
        return [allowed]
    return [named, ~named] if allowed is None else [named & allowed, ~named & allowed]


def _search_remote(corpus: str, query: str, filters: Filters, limit: int) -> _Answer:
    """Search a remote corpus; filters that its address names hold beside those given."""
    try:
        where = read_address(corpus)
    except ValueError as error:
        raise CommandError(str(error)) from error
    where = evolve(where, filters=where.filters.narrowed(filters))
    access = RemoteAccess.from_environment()
    with (
        closing(MilvusCorpus.open(where, access, timeout=REMOTE_SECONDS)) as opened,
        ThreadPoolExecutor(2) as executor,
    ):
        encoder = _encoder_of(opened.manifest)
        retrieval = RemoteRetrieval(opened, encoder, None, None, executor, REMOTE_SECONDS)
        if typed_identifiers(query):
            papers = [match.paper for match in retrieval.numbered(query)]
            matches = [_Match(0, 1.0, where.collection, paper) for paper in papers]
            return _best(matches, limit)
        ranked = retrieval.rank(_context(query), ())
    matches = [
        _Match(0, candidate.score, where.collection, ranked.corpus.paper(candidate.row))
        for candidate in ranked.candidates
    ]
    return _best(matches, limit, query)


@frozen
class _Match:
    """A paper of a corpus: those of a lower tier stand first, then those of a greater score."""

    tier: int
    score: float
    corpus: str
    paper: Paper


def _best(matches: Sequence[_Match], limit: int, query: str = "") -> _Answer:
    """Return the best matches of corpora, a paper that several of them have only once.

    With a `query` it is not known yet whether they have any of its words.
    """
    best: list[_Match] = []
    for match in sorted(matches, key=lambda match: (match.tier, -match.score)):
        if not any(
            match.corpus != other.corpus and _is_same(match.paper, other.paper) for other in best
        ):
            best.append(match)
    best = best[:limit]
    papers = [
        {"key": match.paper.id, "score": round(match.score, 4), "corpus": match.corpus}
        | paper_record(match.paper)
        for match in best
    ]
    return _Answer(papers, _have_a_word(query, (match.paper for match in best)))


def _is_same(paper: Paper, other: Paper) -> bool:
    """Whether papers of two corpora are the same work: by a number that both know, or title."""
    shared = set(identifiers_of(paper)) & set(identifiers_of(other))
    # An id that is a running number of one corpus means nothing for the papers of another.
    if any(not identifier.startswith("id ") or ":" in identifier for identifier in shared):
        return True
    title = joined_title(paper.title)
    return title == joined_title(other.title) and same_first_author(paper, other)


def _encoder_of(about: Manifest) -> Encoder | None:
    """Load an encoder whose vectors are like those of a corpus; without, the search is by words."""
    # Papers embedded by the fast encoder are found best by queries of the accurate one.
    for name in dict.fromkeys(("default", about.encoder)):
        try:
            encoder = load_encoder(name)
        except EncoderError as error:
            if name == about.encoder:
                warn(f"{about.name}: {error}; searching by words only")
                return None
            continue
        if about.fits(encoder):
            return encoder
    warn(
        f"{about.name}: encoder {about.encoder} has changed since; searching by words only, "
        "index its sources again"
    )
    return None


def _context(query: str) -> Context:
    return Context(left=query, right="", sentence=query, language=detect_language(query))


def _search_bibliographies(
    files: Sequence[Path], query: str, filters: Filters, limit: int
) -> _Answer:
    """Search bibliographies: entries that have all words of the query stand first."""
    entries: list[Entry] = []
    for path in files:
        bibliography = read_bibliography(path)
        require_entries(path, bibliography)
        entries += bibliography.entries
    pool = Pool([entry.paper for entry in entries], entries)
    allowed = [row for row, paper in enumerate(pool.papers) if filters.allow(paper)]
    if not allowed:
        return _Answer([])
    with SlowNotice():
        encoder = CachedEncoder(load_encoder(threads=os.cpu_count() or 1))
        pool.embed(encoder)
    recommender = Recommender(pool, Encoders(encoder), system="phase1")
    if typed_identifiers(query):
        numbered = set(PublishedNumbers.build(pool.papers).rows_of(query).tolist())
        named, others = [row for row in allowed if row in numbered], []
    else:
        matching = set(EntryMatcher(entries, script=fold_script).match(query))
        named = [row for row in allowed if row in matching]
        others = [row for row in allowed if row not in matching]
    recommendations: list[Recommendation] = []
    for rows in (named, others):
        if rows and len(recommendations) < limit:
            room = limit - len(recommendations)
            recommendations += recommender.recommend(_context(query), limit=room, rows=rows)
    records = [
        {"key": item.key, "score": round(item.score, 4)} | paper_record(item.paper)
        for item in recommendations
    ]
    papers = (item.paper for item in recommendations)
    return _Answer(records, bool(named) or _have_a_word(query, papers))
