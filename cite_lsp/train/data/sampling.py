"""What encoders learn from: anchors, the papers that belong to them, and papers that do not.

Pure functions over ids and a fixed chance. One `Example` holds all positives and all negatives of
an anchor; what the published methods differ in is where anchors and positives come from.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from attrs import evolve, field, frozen

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.corpus.edges import Edge, cited_by_citing
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.paper import Paper
from cite_lsp.recommend.query.query import wide_window
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.train.run.job import Job

T = TypeVar("T")
NEGATIVES = 7
"""Of an example (table 2 of Tanaka et al. has 1, 3, 5, 7 and 10)."""


@frozen
class Example:
    """An anchor, the ids of papers near which it belongs, and of papers from which it is to keep.

    `anchor` is a text where the anchor is a context, and a paper's id where it is a paper.
    """

    anchor: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...] = ()

    def single(self) -> Iterator[Example]:
        """Yield one example a positive, each with all of the negatives."""
        for positive in self.positives:
            yield evolve(self, positives=(positive,))


def random_negatives(
    pool: Sequence[str], excluded: Collection[str], count: int, rng: random.Random
) -> tuple[str, ...]:
    """Draw `count` distinct ids of the pool that are not excluded; fewer where there are fewer.

    For frequent draws, `excluded` should be a set.
    """
    names: dict[str, None] = {}
    for _ in range(20 * count):
        if len(names) == count:
            return tuple(names)
        name = pool[rng.randrange(len(pool))] if pool else ""
        if name and name not in excluded:
            names[name] = None
    rest = [name for name in pool if name not in excluded and name not in names]
    return (*names, *rng.sample(rest, min(count - len(names), len(rest))))


def context_examples(
    rows: Sequence[LabelledContext], pool: Sequence[str], negatives: int, seed: int
) -> list[Example]:
    """Make one example a context: its 50 words either side, the papers cited there, and others.

    Each positive alone (`Example.single`) is phase 1 of Tanaka et al. (section 3.1: random
    negatives for each context); all of them together are the multi-positive triplets of
    MP-BERT4CR (Zhang and Ma, "Recommending multiple positive citations for manuscript via
    content-dependent modeling and multi-positive triplet", 2021). No paper that the citing
    document cites anywhere is drawn as a negative.
    """
    pool_ids, rng = set(pool), random.Random(f"contexts {seed}")
    cited_by: dict[str, set[str]] = {}
    for row in rows:
        cited_by.setdefault(row.citing_id, {row.citing_id}).update(row.cited)
    examples = []
    for row in rows:
        positives = tuple(name for name in row.cited if name in pool_ids)
        text = wide_window(row.context)
        if positives and text:
            negative_ids = random_negatives(pool, cited_by[row.citing_id], negatives, rng)
            examples.append(Example(text, positives, negative_ids))
    return examples


def section_examples(
    rows: Sequence[LabelledContext], pool: Sequence[str], negatives: int, seed: int
) -> list[Example]:
    """Make one example of every pair of papers that a section cites, with random others.

    Phase 2 of Tanaka et al. (section 3.2): papers cited in the same section belong together. A pair
    that several sections cite is there once a section; which of the two is the anchor is chance.
    """
    pool_ids, rng = set(pool), random.Random(f"sections {seed}")
    examples = []
    for names in sections_of(rows):
        cited = [name for name in names if name in pool_ids]
        excluded = set(names)
        for pair in combinations(cited, 2):
            anchor, positive = pair if rng.random() < 0.5 else pair[::-1]
            negative_ids = random_negatives(pool, excluded, negatives, rng)
            examples.append(Example(anchor, (positive,), negative_ids))
    return examples


def graph_examples(
    edges: Iterable[Edge], pool: Sequence[str], negatives: int, seed: int
) -> list[Example]:
    """Make one example a citation: the citing paper, one that it cites, and some that it does not.

    The triplets of Kieu et al., "Learning neural textual representations for citation
    recommendation" (ICPR 2020).
    """
    pool_ids, rng = set(pool), random.Random(f"graph {seed}")
    examples = []
    for citing, cited in cited_by_citing(edges).items():
        if citing in pool_ids:
            excluded = {citing, *cited}
            for name in cited:
                if name in pool_ids and name != citing:
                    negative_ids = random_negatives(pool, excluded, negatives, rng)
                    examples.append(Example(citing, (name,), negative_ids))
    return examples


def sections_of(rows: Sequence[LabelledContext]) -> list[tuple[str, ...]]:
    """Return the papers that each section of each document cites, each once, in order."""
    sections: dict[tuple[str, str], dict[str, None]] = {}
    for document in documents(rows):
        for row in document:
            place = sections.setdefault((row.citing_id, row.context.section), {})
            place.update(dict.fromkeys(row.cited))
    return [tuple(names) for names in sections.values()]


def some_of(rows: Sequence[T], count: int) -> list[T]:
    """Return about `count` rows, as many of every stretch of the data.

    They are every second, or third …: at most half as many more, or a third fewer.
    """
    return list(rows[:: max(1, round(len(rows) / count))])


@frozen
class EncoderData:
    """Contexts of training and of other documents, and the papers to be learned from by id.

    `texts` gives title and abstract by id, `pool` the ids from which negatives are drawn.
    """

    train: Sequence[LabelledContext]
    dev: Sequence[LabelledContext]
    papers: Mapping[str, Paper]
    texts: Mapping[str, str] = field(init=False, repr=False)
    pool: Sequence[str] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        texts = {name: encoder_text(paper) for name, paper in self.papers.items()}
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "pool", sorted(texts))


def read_encoder_data(job: Job) -> EncoderData:
    """Read the data that the options of an encoder recipe name, in the sizes that they ask for.

    Raises:
        RecordError: a file cannot be read.
    """
    learn, check = job.contexts_and_dev()
    papers = with_abstracts(
        paper for path in job.options.papers for paper in read_papers(path, job.report)
    )
    if job.options.pool is not None:
        cited = {
            name for row in [*learn, *check] for name in (*row.cited, *row.context.section_cited)
        }
        others = sorted(set(papers) - cited)
        rng = random.Random(f"pool {job.seed}")
        cited.update(rng.sample(others, min(job.options.pool, len(others))))
        papers = {name: paper for name, paper in papers.items() if name in cited}
    return EncoderData(sampled(learn, job.options.sample, job.seed), check, papers)


def sampled(
    rows: Sequence[LabelledContext], contexts: int | None, seed: int
) -> Sequence[LabelledContext]:
    """Return about so many contexts, or all: those of whole documents, chosen by chance."""
    if contexts is None:
        return rows
    names = list(dict.fromkeys(row.citing_id for row in rows))
    random.Random(f"sample {seed}").shuffle(names)
    sizes = Counter(row.citing_id for row in rows)
    document_ids, count = set(), 0
    for name in names:
        if count >= contexts:
            break
        document_ids.add(name)
        count += sizes[name]
    return [row for row in rows if row.citing_id in document_ids]


def with_abstracts(papers: Iterable[Paper]) -> dict[str, Paper]:
    """Return the papers that have an abstract, by id; of equal ids the first."""
    by_id: dict[str, Paper] = {}
    for paper in papers:
        if paper.abstract:
            by_id.setdefault(paper.id, paper)
    return by_id
