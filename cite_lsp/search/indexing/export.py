"""A corpus as files that training reads: its papers, who cites whom, and in which words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.search.corpus.index import CorpusIndex
from cite_lsp.search.vectors.index import SearchIndexError

PAPERS, EDGES, CONTEXTS = "papers.jsonl", "edges.tsv", "contexts.jsonl"


@frozen
class Exported:
    """How many papers, citations and contexts were written."""

    papers: int
    citations: int
    contexts: int


def export_corpus(corpus: CorpusIndex, out: Path) -> Exported:
    """Write a corpus to a folder: `papers.jsonl`, `edges.tsv`, `contexts.jsonl`.

    The forms are those that `cite-lsp train` takes with --papers, --edges and --contexts. The
    contexts of a paper stand together.

    Raises:
        SearchIndexError: the folder cannot be written, or holds a source of the corpus under one of
            these names, or the references are damaged.
    """
    for path in (out / PAPERS, out / EDGES, out / CONTEXTS):
        if any(_is_same_file(path, Path(source)) for source in corpus.manifest.sources):
            raise SearchIndexError(
                f"{path}: the corpus is made from this file, which the export would overwrite; "
                "choose another folder"
            )
    try:
        out.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus.records, out / PAPERS)
        with (out / EDGES).open("w", encoding="utf-8") as file:
            citations = sum(1 for line in _edges(corpus) if file.write(line))
        with (out / CONTEXTS).open("w", encoding="utf-8") as file:
            contexts = 0
            for record in _contexts(corpus):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                contexts += 1
    except OSError as error:
        raise SearchIndexError(
            f"{out}: cannot be written ({error.strerror or error}); choose another folder"
        ) from error
    return Exported(len(corpus), citations, contexts)


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one is missing
        return False


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
