"""Recipe `other-drafts`: how much it weighs for a paper that the writer's other drafts cite it.

Documents whose first author wrote others before are laid out as drafts
(`train/data/simulated_drafts.py`), and three weights are fitted to what is cited there, beside what
the ranker that ships says. Some libraries are of this draft alone, some serve all drafts of their
writer.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from attrs import evolve

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.encode.encoder import Encoder
from cite_lsp.option_types import OptionGroup, add_paths
from cite_lsp.paper import Paper, fold, surname
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.word_overlap import checksums
from cite_lsp.recommend.evidence.other_drafts import (
    FEATURES,
    MODEL,
    CitingDraft,
    OtherDraftCitations,
)
from cite_lsp.recommend.query.encoder_input import query_text_at
from cite_lsp.recommend.query.query import mention_sentence
from cite_lsp.train.data.simulated_drafts import documents_citing, laid_out, papers_of
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.evidence_weights import (
    MINIMUM_PAPERS,
    DocumentContexts,
    EvidenceModel,
    MarkerQuestion,
    markers_in,
    shipped_encoders,
    write_model,
)
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, Steps, TrainingError

TAKES = (*DATA, "without")
SHARED = 0.5
"""Share of libraries that hold all that the writer's other drafts cite."""
WEIGHTS = EvidenceModel(
    name=MODEL,
    features=FEATURES,
    beside="other drafts",
    measured=("cited in another draft", "cited"),
    what="""\
How much it weighs for a paper that the writer's other drafts cite it: three weights, added to what
[library-ranker](../library-ranker/README.md) says
(`cite_lsp/recommend/evidence/other_drafts.py`).""",
    data="""\
{markers:,} markers of {drafts} documents whose first author wrote others no later: {data}.
They were laid out as drafts; half of the libraries also hold all that the other documents cite.""",
)


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    add_paths(group, "--earlier", help="contexts of further documents: what writers wrote before")


def run(job: Job) -> list[Figures]:
    """Fit the weights, write them with their card; returns what they are worth."""
    contexts = job.contexts_and_dev()
    earlier = job.contexts(job.options.earlier, job.options.without)
    everything = [*earlier, *contexts.train, *contexts.dev]
    papers = job.papers({name for row in everything for name in (*row.cited, row.citing_id)})
    ask = partial(
        rank_markers,
        encoders=shipped_encoders(),
        others=everything,
        papers=papers,
        seed=job.seed,
    )
    learned = ask(contexts.train, progress=partial(job.progress, "drafts, learned from"))
    held_out = ask(contexts.dev, progress=partial(job.progress, "drafts, measured on"))
    return write_model(job, WEIGHTS, learned, held_out)


def rank_markers(
    rows: Sequence[LabelledContext],
    encoders: DraftEncoders,
    *,
    others: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    seed: int,
    progress: Steps = lambda done, total: None,
) -> list[MarkerQuestion]:
    """Lay out the documents of `rows` whose first author wrote others, and rank for their markers.

    `others` are the contexts of all documents, theirs among them.

    Raises:
        TrainingError: no document has another of its first author's.
    """
    by_author: dict[str, list[DocumentContexts]] = defaultdict(list)
    for other in documents(others):
        if (author := first_author(other, papers)) is not None:
            by_author[author].append(other)
    drafts = [
        (document, before)
        for document in documents_citing(rows, papers, MINIMUM_PAPERS)
        if (before := _before(document, by_author.get(first_author(document, papers) or "", ())))
    ]
    if not drafts:
        raise TrainingError(
            "no document has an earlier one of its first author's; give contexts of more documents "
            "with --earlier, and papers that have the documents themselves"
        )
    before_of = {document[0].citing_id: before for document, before in drafts}
    questions: list[MarkerQuestion] = []
    for document, library, rng in laid_out(
        [document for document, _ in drafts],
        papers,
        papers_of(others, papers),
        encoders.papers,
        seed=seed,
        progress=progress,
    ):
        before = before_of[document[0].citing_id]
        pool = _shared(library, before, papers, rng) if rng.random() < SHARED else library
        earlier = [citing_draft(each, papers, encoders.precedents) for each in before]
        cited = _in_pool(OtherDraftCitations(earlier), pool)
        fingerprint = encoders.precedents.fingerprint
        for marker in markers_in(document, pool, encoders, rng):
            evidence = cited.evidence(marker.place.query.sentence, marker.vector, fingerprint)
            questions.append(marker.question(evidence.features))
    return questions


def first_author(document: DocumentContexts, papers: Mapping[str, Paper]) -> str | None:
    """Return a document's first author by family name and initial, None where none is known."""
    paper = papers.get(document[0].citing_id)
    if paper is None or not paper.authors:
        return None
    name = paper.authors[0]
    family = surname(name)
    given = name.replace(family, "", 1).strip(" ,.")
    return fold(f"{family} {given[:1]}").strip()


def citing_draft(
    document: DocumentContexts, papers: Mapping[str, Paper], query_encoder: Encoder
) -> CitingDraft:
    """Return a document as the record of one of the writer's drafts."""
    rows = [row for row in document if any(name in papers for name in row.cited)]
    names = papers_of(rows, papers)
    number = {name: place for place, name in enumerate(names)}
    title = document[0].context.title
    places = [row.context for row in rows]
    return CitingDraft(
        title,
        tuple(papers[name] for name in names),
        tuple(np.array([number[name] for name in row.cited if name in number]) for row in rows),
        tuple(checksums(mention_sentence(place.left, place.right)) for place in places),
        query_encoder.encode([query_text_at(place.left, place.right, title) for place in places]),
        query_encoder.fingerprint,
    )


def _before(
    document: DocumentContexts, same_author: Sequence[DocumentContexts]
) -> list[DocumentContexts]:
    """Return those documents of an author that are another one, and no later."""
    citing_id, year = document[0].citing_id, document[0].year
    return [
        other
        for other in same_author
        if other[0].citing_id != citing_id and (not year or (other[0].year or 0) <= year)
    ]


def _shared(
    pool: Pool, before: Sequence[DocumentContexts], papers: Mapping[str, Paper], rng: random.Random
) -> Pool:
    """Return a library with what other drafts cite too, filed draft by draft above or below."""
    library_ids = {paper.id for paper in pool.papers}
    bare = not any(paper.abstract for paper in pool.papers)
    filed = list(pool.papers)
    for document in before:
        new = [name for name in papers_of(document, papers) if name not in library_ids]
        library_ids.update(new)
        added = [evolve(papers[name], abstract="") if bare else papers[name] for name in new]
        filed = [*added, *filed] if rng.random() < 0.5 else [*filed, *added]
    return Pool(filed)


def _in_pool(elsewhere: OtherDraftCitations, pool: Pool) -> OtherDraftCitations:
    rows = [pool.row_of.get(work.id, -1) for work in elsewhere.papers]
    return elsewhere.at_rows(np.array(rows, dtype=np.int64), len(pool))
