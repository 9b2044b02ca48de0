"""A small corpus of papers on shores, an encoder that counts its topics, and who cited them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cite_lsp.encode import Vectors
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus.features import EncodedQuery
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.paper_columns import title_key
from tests.stand_in_encoders import WordEncoder

TOPICS = ("tide", "marsh", "gull", "dune", "reed")
CONTEXT = Context(
    left="Of the tide and the marsh", right="a study tells.", title="A gull study", year=2005
)
SECTION = [3, 17, 30]
"""Rows that the section of the context cites."""


class TopicEncoder(WordEncoder):
    """Vectors whose axes are the topics."""

    name = "topics"

    def __init__(self, checkpoint: str = "topics-1") -> None:
        super().__init__(TOPICS, checkpoint)


def many_papers(count: int = 60) -> list[Paper]:
    """Return papers on one to three topics each; the second is another record of the first."""
    rng = random.Random(7)
    papers = [
        Paper(
            f"p{number}",
            f"{' '.join(rng.choices(TOPICS, k=rng.randint(1, 3)))} study {number}",
            "" if number % 4 else f"About {rng.choice(TOPICS)}",
            (f"Given Name{number % 9}",),
            1990 + number % 30 if number % 11 or not number else None,
            rng.choice(["Shores", "Birds", ""]),
        )
        for number in range(count)
    ]
    papers[1] = Paper("again", papers[0].title, "", papers[0].authors, 2003, "Birds")
    return papers


def many_precedents(papers: Sequence[Paper], encoder: TopicEncoder) -> Precedents:
    """Return precedents: the last third of the papers, and strangers, cite the others."""
    rng = random.Random(8)
    citing = papers[len(papers) * 2 // 3 :]
    keys = [title_key(paper) for paper in papers[: len(papers) // 2]]
    keys += [99, 98]  # of papers that the corpus has not
    documents, contexts = [], []
    for number, paper in enumerate([*citing, Paper("stranger", "A stranger"), *citing[:1]]):
        cited = tuple(dict.fromkeys(rng.choices(keys, k=8)))
        documents.append(CitingDocument(title_key(paper), paper.year or 0, cited))
        for key in cited[:3]:
            said = " ".join(rng.choices((*TOPICS, "salt", "fog"), k=5))
            contexts.append(CitingContext(number, said, (key,)))
    placed = encoder.encode([str(context.near) for context in contexts])
    return Precedents.build(documents, contexts, placed, checkpoint=encoder.checkpoint)


def placed(context: Context = CONTEXT) -> Vectors:
    vector: Vectors = TopicEncoder().encode([query_text(context)])[0]
    return vector


def encoded_query(context: Context = CONTEXT) -> EncodedQuery:
    query = read_query(context)
    return EncodedQuery(
        query, context.year, placed(context), TopicEncoder().encode([context.title])[0]
    )
