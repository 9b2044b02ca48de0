"""The data of an encoder recipe: contexts to learn from and to measure on, papers, citations."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.run.job import Job


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
        dice = random.Random(f"pool {job.seed}")
        cited.update(dice.sample(others, min(job.options.pool, len(others))))
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
    chosen, count = set(), 0
    for name in names:
        if count >= contexts:
            break
        chosen.add(name)
        count += sizes[name]
    return [row for row in rows if row.citing_id in chosen]


def with_abstracts(papers: Iterable[Paper]) -> dict[str, Paper]:
    """Return the papers that have an abstract, by id; of equal ids the first."""
    by_id: dict[str, Paper] = {}
    for paper in papers:
        if paper.abstract:
            by_id.setdefault(paper.id, paper)
    return by_id


def columns_of(
    examples: Iterable[Example], texts: Mapping[str, str], negatives: int
) -> dict[str, list[str]]:
    """Lay examples out in columns: anchor, positive, negatives. Rows that lack one are left out."""
    names = ["anchor", "positive", *(f"negative {number + 1}" for number in range(negatives))]
    rows = (
        [texts.get(pair.anchor, pair.anchor)]  # a text, or a paper's id
        + [texts[name] for name in (*pair.positives, *pair.negatives)]
        for example in examples
        for pair in example.single()
    )
    whole = [row for row in rows if len(row) == len(names)]
    return {name: [row[column] for row in whole] for column, name in enumerate(names)}
