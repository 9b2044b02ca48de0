"""The precedents that recipe `corpus-ranker` gathers: who was cited where, and in which words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from cite_lsp.corpus.citing_sentences import CitingSentence
from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.edges import Edge
from cite_lsp.corpus.full_text.printed_markers import around_marker
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper, surname
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument, document_key
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key


def make_precedents(
    rows: Sequence[LabelledContext],
    edges: Iterable[Edge],
    papers: dict[str, Paper],
    placed: Mapping[str, Vectors],
    *,
    quoting: Sequence[LabelledContext],
    checkpoint: str,
) -> tuple[Precedents, dict[str, int]]:
    """Gather precedents, and the number of each citing document among them.

    Of the contexts `quoting`, some of the `rows`, what was written there is stored, too; of the
    others only the citation is. `placed` says by id where query encoders that had not seen them put
    the contexts, `checkpoint` among whose papers.
    """
    cited: dict[str, dict[str, None]] = {}
    for row in rows:
        cited.setdefault(row.citing_id, {}).update(dict.fromkeys(row.cited))
    for edge in edges:
        cited.setdefault(edge.citing, {})[edge.cited] = None
    about = {row.citing_id: row for row in rows}
    keys = {name: title_key(paper) for name, paper in papers.items()}
    numbers = {name: number for number, name in enumerate(cited)}
    documents = []
    for name, others in cited.items():
        source, paper = about.get(name), papers.get(name)
        year = (source and source.year) or (paper and paper.year) or 0
        key = document_key(paper, source.context.title if source is not None else "")
        documents.append(CitingDocument(key, year, _known(others, keys)))
    citing = [(row, cited_keys) for row in quoting if (cited_keys := _known(row.cited, keys))]
    contexts = [
        CitingContext(numbers[row.citing_id], read_query(row.context).near, cited_keys)
        for row, cited_keys in citing
    ]
    width = len(next(iter(placed.values()), ()))
    vectors = np.array([placed[row.context_id] for row, _ in citing], dtype=np.float32)
    vectors = vectors.reshape(len(citing), width)
    return Precedents.build(documents, contexts, vectors, checkpoint=checkpoint), numbers


def _known(names: Iterable[str], keys: dict[str, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(keys[name] for name in names if name in keys))


def placed_contexts(rows: Sequence[LabelledContext], query_encoder: Encoder) -> dict[str, Vectors]:
    """Return where the query encoder places contexts, (d,), by their ids."""
    places = query_encoder.encode([query_text(row.context) for row in rows])
    return {row.context_id: place for row, place in zip(rows, places, strict=True)}


def papers_named(
    rows: Iterable[LabelledContext],
    edges: Iterable[Edge],
    sentences: Iterable[CitingSentence],
    corpus: CorpusIndex,
) -> dict[str, Paper]:
    """Return the papers of the corpus that cite or are cited, by id."""
    names = {name for row in rows for name in (row.citing_id, *row.cited)}
    names |= {name for edge in edges for name in (edge.citing, edge.cited)}
    names |= {name for sentence in sentences for name in (sentence.citing_id, *sentence.cited)}
    return {name: corpus.paper(corpus.row_of[name]) for name in names if name in corpus.row_of}


def contexts_of_sentences(
    sentences: Iterable[CitingSentence],
    papers: Mapping[str, Paper],
    without: Collection[str] = (),
) -> list[LabelledContext]:
    """Return the contexts of sentences whose marker names a paper by its first author, each once.

    Args:
        sentences: as they are printed.
        papers: those that are cited, and, for their titles, those that cite, by id.
        without: ids of documents that are left out.
    """
    contexts: dict[tuple[str, str, str, str], LabelledContext] = {}
    for sentence in sentences:
        for name in sentence.cited if sentence.citing_id not in without else ():
            paper = papers.get(name)
            if paper is None or not paper.authors:
                continue
            sides = around_marker(sentence.sentence, surname(paper.authors[0]), paper.year)
            if sides is None or not any(sides):
                continue
            citing = papers.get(sentence.citing_id)
            contexts.setdefault(
                (sentence.citing_id, name, *sides),
                LabelledContext(
                    f"sentence {len(contexts)}",
                    sentence.citing_id,
                    Context(*sides, title=citing.title if citing is not None else ""),
                    (name,),
                    (),
                    citing.year if citing is not None else None,
                ),
            )
    return list(contexts.values())
