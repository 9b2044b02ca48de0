"""Search the indexed corpora, or one bibliography, by words and by meaning."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import paper_record, positive, print_json, warn

if TYPE_CHECKING:
    from cite_lsp.encode.model import Encoder
    from cite_lsp.manuscript.model import Context
    from cite_lsp.search.corpus_index import CorpusIndex


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("query", help="words of a title, names, or a whole sentence")
    parser.add_argument("--corpus", metavar="NAME", help="search this one only")
    parser.add_argument(
        "--bibliography", "-b", type=Path, metavar="FILE", help="search this file instead"
    )
    parser.add_argument("-k", type=positive, default=10, help="papers to show (default 10)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print the papers found, best first."""
    if not options.query.strip():
        raise CommandError("the query is empty; give words of a title, names, or a sentence")
    if options.bibliography:
        found = _search_bibliography(options.bibliography, options.query, options.k)
    else:
        found = _search_corpora(options.corpus, options.query, options.k)
    if options.json:
        print_json({"query": options.query, "papers": found})
        return 0
    for rank, record in enumerate(found, 1):
        authors = ", ".join(record.get("authors", [])[:3])
        print(f"{rank:3}. {record['title']}")
        print(f"     {authors} {record.get('year', '')}  [{record['key']}]")
    if not found:
        print("nothing found")
    return 0


def _search_corpora(name: str | None, query: str, limit: int) -> list[dict[str, Any]]:
    from cite_lsp.paths import corpora_folder
    from cite_lsp.recommend.corpus_recommender import CorpusRecommender
    from cite_lsp.search.corpus_index import CorpusIndex, list_corpora
    from cite_lsp.search.vectors import SearchIndexError

    root = corpora_folder()
    try:
        corpora = [CorpusIndex(root / name)] if name else list_corpora(root)
    except SearchIndexError as error:
        raise CommandError(str(error)) from error
    if not corpora:
        raise CommandError("no corpus has been indexed; build one with `cite-lsp index SOURCE`")
    found = []
    for corpus in corpora:
        if isinstance(corpus, SearchIndexError):
            raise CommandError(str(corpus))
        # What was learned was learned from citing sentences; a query is no such thing.
        recommender = CorpusRecommender(corpus, _encoder_of(corpus), system="fused")
        for candidate in recommender.rank(_context(query), limit=limit):
            found.append((candidate.score, corpus.manifest.name, corpus.paper(candidate.row)))
    found.sort(key=lambda item: -item[0])
    return [
        {"key": paper.id, "score": round(score, 4), "corpus": where} | paper_record(paper)
        for score, where, paper in found[:limit]
    ]


def _encoder_of(corpus: CorpusIndex) -> Encoder | None:
    """Load an encoder whose vectors are like those of a corpus; without, the search is by words."""
    from cite_lsp.encode import EncoderError, load_encoder

    about = corpus.manifest
    # Papers embedded by the fast encoder are found best by queries of the accurate one.
    for name in dict.fromkeys(("default", about.encoder)):
        try:
            encoder = load_encoder(name)
        except EncoderError as error:
            if name == about.encoder:
                warn(f"{about.name}: {error}; searching by words only")
                return None
            continue
        if about.checkpoint == encoder.checkpoint or (
            not about.checkpoint and about.encoder == encoder.name
        ):
            return encoder
    warn(
        f"{about.name}: encoder {about.encoder} has changed since; searching by words only, "
        "index its sources again"
    )
    return None


def _context(query: str) -> Context:
    from cite_lsp.manuscript.model import Context
    from cite_lsp.paper import detect_language

    return Context(left=query, right="", sentence=query, language=detect_language(query))


def _search_bibliography(path: Path, query: str, limit: int) -> list[dict[str, Any]]:
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.library import read_bibliography
    from cite_lsp.recommend.pool import Pool
    from cite_lsp.recommend.recommender import Recommender

    bibliography = read_bibliography(path)
    if not bibliography.entries:
        reason = bibliography.problems[0].message if bibliography.problems else "no entries"
        raise CommandError(f"{path}: {reason}")
    pool = Pool([entry.paper for entry in bibliography.entries], bibliography.entries)
    try:
        encoder = CachedEncoder(load_encoder())
    except EncoderError as error:
        raise CommandError(str(error)) from error
    pool.embed(encoder)
    found = Recommender(pool, encoder, system="phase1").recommend(_context(query), limit=limit)
    return [
        {"key": item.key, "score": round(item.score, 4)} | paper_record(item.paper)
        for item in found
    ]
