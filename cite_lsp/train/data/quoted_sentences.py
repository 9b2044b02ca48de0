"""Citing sentences as contexts that precedents quote: what stood around the marker, and no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from cite_lsp.corpus.citing_sentences import CitingSentence
from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.full_text.printed_markers import around_marker
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper, surname


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
    found: dict[tuple[str, str, str, str], LabelledContext] = {}
    for one in sentences:
        for name in one.cited if one.citing_id not in without else ():
            paper = papers.get(name)
            if paper is None or not paper.authors:
                continue
            sides = around_marker(one.sentence, surname(paper.authors[0]), paper.year)
            if sides is None or not any(sides):
                continue
            citing = papers.get(one.citing_id)
            found.setdefault(
                (one.citing_id, name, *sides),
                LabelledContext(
                    f"sentence {len(found)}",
                    one.citing_id,
                    Context(*sides, title=citing.title if citing is not None else ""),
                    (name,),
                    (),
                    citing.year if citing is not None else None,
                ),
            )
    return list(found.values())
