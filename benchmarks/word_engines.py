"""Search by words, by other engines and by ours: the same tokens, the same queries, in turns."""

from __future__ import annotations

import importlib.util
import sqlite3
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from cite_lsp.cli.printing.output import table
from cite_lsp.corpus.contexts import read_contexts
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.words.sparse_weights import K1, B
from cite_lsp.search.words.tokens import tokenise

_NEAREST = 10
_WORDS = 100


def measure_words(corpus: CorpusIndex, contexts: Path, count: int) -> None:
    """Ask every engine for the best ten papers of a hundred words of a context, any of them.

    Time is that of processors, so that a busy machine does not matter; the engines take turns. How
    many of an engine's ten are ours too is said of queries without their repeated words.
    """
    rows = islice(read_contexts(contexts), 0, None, 7)
    queries = [words for row in rows if len(words := _hundred(read_query(row.context).wide))]
    queries = queries[:count]
    texts = [searched_text(paper) for paper in corpus.papers]
    engines: dict[str, Callable[[list[str]], Sequence[int]]] = {
        "cite-lsp": lambda words: corpus.words.search(words, _NEAREST)[0].tolist()
    }
    notes = []
    for name, build in (("bm25s", _bm25s), ("tantivy", _tantivy), ("SQLite FTS5", _fts5)):
        module = {"SQLite FTS5": "sqlite3"}.get(name, name)
        if importlib.util.find_spec(module) is None:
            notes.append(f"{name}: skipped, not installed")
            continue
        begun = time.process_time()
        engines[name] = build(texts)
        notes.append(f"{name}: built in {time.process_time() - begun:.0f} s of processor time")
    times: dict[str, list[float]] = {name: [] for name in engines}
    same: dict[str, list[float]] = {name: [] for name in engines}
    for words in queries:
        once = list(dict.fromkeys(words))
        ours = set(engines["cite-lsp"](once))
        for name, ask in engines.items():
            same[name].append(len(ours & set(ask(once))) / max(len(ours), 1))
            begun = time.process_time()
            ask(words)
            times[name].append((time.process_time() - begun) * 1000)
    own = float(np.median(times["cite-lsp"]))
    print(f"\nBest ten of {len(corpus):,} papers for {_WORDS} words, any of them, CPU ms")
    rows_out = []
    for name, taken in times.items():
        median, late = np.percentile(taken, [50, 95])
        shared = float(np.mean(same[name]))
        rows_out.append(
            [name, f"{median:.1f}", f"{late:.1f}", f"{median / own:.1f}", f"{shared:.3f}"]
        )
    print(table(("engine", "median", "p95", "times ours", "of its ten ours"), rows_out))
    for note in notes:
        print(note)


def _hundred(text: str) -> list[str]:
    """Return a hundred words: those of a text, again from the start where there are fewer."""
    words = [word for word in tokenise(text) if word.isalnum()]
    return (words * (_WORDS // max(len(words), 1) + 1))[:_WORDS] if len(words) > 50 else []


def _bm25s(texts: Sequence[str]) -> Callable[[list[str]], Sequence[int]]:
    import bm25s

    engine = bm25s.BM25(method="lucene", k1=K1, b=B)
    engine.index([tokenise(text) for text in texts], show_progress=False)

    def ask(words: list[str]) -> Sequence[int]:
        hits = engine.retrieve([words], k=_NEAREST, show_progress=False, n_threads=1)
        return [int(row) for row in hits.documents[0]]

    return ask


def _fts5(texts: Sequence[str]) -> Callable[[list[str]], Sequence[int]]:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE papers USING fts5(text, detail=none, columnsize=1)")
    base.executemany(
        "INSERT INTO papers (rowid, text) VALUES (?, ?)",
        ((row, " ".join(tokenise(text))) for row, text in enumerate(texts)),
    )
    query = "SELECT rowid FROM papers WHERE papers MATCH ? ORDER BY bm25(papers) LIMIT ?"

    def ask(words: list[str]) -> Sequence[int]:
        wanted = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        return [int(row) for (row,) in base.execute(query, (wanted, _NEAREST)).fetchall()]

    return ask


def _tantivy(texts: Sequence[str]) -> Callable[[list[str]], Sequence[int]]:
    import tantivy

    builder = tantivy.SchemaBuilder()
    # The tokens are ours: what is compared is how they are searched.
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace")
    builder.add_unsigned_field("row", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(200_000_000, num_threads=1)
    for row, text in enumerate(texts):
        document = tantivy.Document()
        document.add_text("text", " ".join(tokenise(text)))
        document.add_unsigned("row", row)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(words: list[str]) -> Sequence[int]:
        parts = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", word)) for word in words
        ]
        hits = searcher.search(tantivy.Query.boolean_query(parts), _NEAREST, count=False)
        return [int(searcher.doc(address)["row"][0]) for _, address in hits.hits]

    return ask
