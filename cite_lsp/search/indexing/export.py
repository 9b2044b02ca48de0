"""A corpus as files that training reads: its papers, who cites whom, and in which words."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.atomic_write import replacing

PAPERS, EDGES, CONTEXTS = "papers.jsonl", "edges.tsv", "contexts.jsonl"


@frozen
class ExportCounts:
    """How many papers, citations and contexts were written."""

    papers: int
    citations: int
    contexts: int


def export_corpus(corpus: CorpusIndex, out: Path) -> ExportCounts:
    """Write a corpus to a folder: `papers.jsonl`, `edges.tsv`, `contexts.jsonl`.

    The forms are those that `cite-lsp train` takes with --papers, --edges and --contexts. The
    contexts of a paper stand together. All of the files appear when all of them are whole.

    Raises:
        SearchIndexError: the folder cannot be written, or holds one of these files, or the
            references are damaged.
    """
    names = (PAPERS, EDGES, CONTEXTS)
    existing = next((out / name for name in names if os.path.lexists(out / name)), None)
    if existing is not None:
        raise SearchIndexError(
            f"{existing}: is there already and is not overwritten; "
            "choose another folder, or remove it"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            papers, edges, rows = (stack.enter_context(replacing(out / name)) for name in names)
            shutil.copyfile(corpus.records, papers)
            with edges.open("w", encoding="utf-8") as file:
                citations = sum(1 for line in _edges(corpus) if file.write(line))
            with rows.open("w", encoding="utf-8") as file:
                contexts = 0
                for record in _contexts(corpus):
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
                    contexts += 1
    except OSError as error:
        raise SearchIndexError(
            f"{out}: cannot be written ({error.strerror or error}); choose another folder"
        ) from error
    return ExportCounts(len(corpus), citations, contexts)


def _edges(corpus: CorpusIndex) -> Iterator[str]:
    references = corpus.references
    if references is None:
        return
    for row in range(len(corpus)):
        cited = references.of(row).tolist()
        if cited:
            citing = corpus.paper(row).id
            for other in cited:
                yield f"{citing}\t{corpus.paper(other).id}\t{corpus.manifest.name}\n"


def _contexts(corpus: CorpusIndex) -> Iterator[dict[str, Any]]:
    references = corpus.references
    if references is None:
        return
    contexts = sorted(references.contexts(), key=itemgetter(0))
    for number, (row, cited, context) in enumerate(contexts):
        paper = corpus.paper(row)
        names = [corpus.paper(other).id for other in cited]
        record = {
            "context_id": f"{corpus.manifest.name}:{number}",
            "source": corpus.manifest.name,
            "citing_id": paper.id,
            "citing_title": paper.title,
            "year": paper.year,
            "left": context.words.left,
            "right": context.words.right,
            "cited": names,
            "cited_abs": [
                name for name, other in zip(names, cited, strict=True) if corpus.has_abstract[other]
            ],
            "intents": list(context.words.intents),
        }
        yield {name: value for name, value in record.items() if value not in (None, [], "")} | {
            name: record[name] for name in ("left", "right", "cited")
        }
