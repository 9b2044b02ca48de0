"""Recipe `kieu`: an encoder fitted to the citation graph (Kieu et al., ICPR 2020, section III).

A citing paper belongs near the papers that it cites, by a triplet loss, and away from others of the
graph, chosen by chance. A paper is its title and, where known, abstract.
"""

from __future__ import annotations

from cite_lsp.corpus.edges import Edge
from cite_lsp.corpus.reference_lists import as_context, read_reference_lists
from cite_lsp.recommend.query.query import citing_document_text
from cite_lsp.train.data.development import context_task
from cite_lsp.train.data.sampling import EncoderData, graph_examples, sampled
from cite_lsp.train.encoders.publish import open_base, train_and_publish
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import ENCODER
from cite_lsp.train.run.report import Figures

TAKES = (*ENCODER, "edges")

NEGATIVES = 1
"""One paper that is not cited for each that is."""


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it gained."""
    negatives = job.options.negatives or NEGATIVES
    data, edges = read_graph(job)
    base = open_base(job)
    cited = [Edge(row.citing_id, name) for row in data.train for name in row.cited]
    examples = graph_examples([*cited, *edges], data.pool, negatives, job.seed)
    return train_and_publish(
        job,
        base,
        examples,
        data.texts,
        context_task(data.dev, data.papers, seed=job.seed, text=citing_document_text),
        negatives=negatives,
    )


def read_graph(job: Job) -> tuple[EncoderData, list[Edge]]:
    """Read lists of references, the papers of the graph that they make, and its other citations.

    The contexts of the data are the lists (`as_context`). Papers that are queries of development
    cannot be answers: they are left out.

    Raises:
        RecordError: a file cannot be read.
    """
    learn, check = (
        [references for path in paths for references in read_reference_lists(path, job.report)]
        for paths in (job.options.contexts, job.options.dev)
    )
    edges = [*job.edges()]
    needed = {
        name
        for references in (*learn, *check)
        for name in (references.citing_id, *references.cited)
    }
    needed |= {name for edge in edges for name in (edge.citing, edge.cited)}
    papers = job.papers(needed)
    rows = [as_context(references, papers.get(references.citing_id)) for references in learn]
    held_out = [as_context(references, papers.get(references.citing_id)) for references in check]
    for references in check:
        papers.pop(references.citing_id, None)
    return EncoderData(sampled(rows, job.options.sample, job.seed), held_out, papers), edges
