"""Search the indexed corpora, or one bibliography, by words and by meaning."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import paper_record, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("query", help="words of a title, names, or a whole sentence")
    parser.add_argument("--corpus", metavar="NAME", help="search this one only")
    parser.add_argument(
        "--bibliography", "-b", type=Path, metavar="FILE", help="search this file instead"
    )
    parser.add_argument("-k", type=int, default=10, help="papers to show (default 10)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print the papers found, best first."""
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
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.manuscript.model import Context
    from cite_lsp.paper import detect_language
    from cite_lsp.paths import corpora_folder
    from cite_lsp.recommend.corpus_recommender import CorpusRecommender
    from cite_lsp.search.corpus_index import CorpusIndex, list_corpora
    from cite_lsp.search.vectors import SearchIndexError

    try:
        corpora = (
            [CorpusIndex(corpora_folder() / name)] if name else list_corpora(corpora_folder())
        )
        encoder = CachedEncoder(load_encoder())
    except (SearchIndexError, EncoderError) as error:
        raise CommandError(str(error)) from error
    context = Context(left=query, right="", sentence=query, language=detect_language(query))
    found = []
    for corpus in corpora:
        if isinstance(corpus, SearchIndexError):
            raise CommandError(str(corpus))
        usable = corpus.manifest.encoder == encoder.name
        recommender = CorpusRecommender(corpus, encoder if usable else None)
        for candidate in recommender.rank(context, limit=limit):
            found.append((candidate.score, corpus.manifest.name, corpus.paper(candidate.row)))
    if not corpora:
        raise CommandError("no corpus has been indexed; build one with `cite-lsp index SOURCE`")
    found.sort(key=lambda item: -item[0])
    return [
        {"key": paper.id, "score": round(score, 4), "corpus": where} | paper_record(paper)
        for score, where, paper in found[:limit]
    ]


def _search_bibliography(path: Path, query: str, limit: int) -> list[dict[str, Any]]:
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.encode.cached import CachedEncoder
    from cite_lsp.library import read_bibliography
    from cite_lsp.manuscript.model import Context
    from cite_lsp.paper import detect_language
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
    context = Context(left=query, right="", sentence=query, language=detect_language(query))
    found = Recommender(pool, encoder, system="phase1").recommend(context, limit=limit)
    return [
        {"key": item.key, "score": round(item.score, 4)} | paper_record(item.paper)
        for item in found
    ]
