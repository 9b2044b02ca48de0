"""What MP-BERT4CR learns from: several positives a context, co-cited papers, dynamic contexts.

Source: Zhang and Ma, "Recommending multiple positive citations for manuscript via content-dependent
modeling and multi-positive triplet" (2021). Pure functions over ids and a fixed chance.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, permutations

from attrs import frozen

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.recommend.query.content import Content, as_text, content_of
from cite_lsp.recommend.query.query import near_window, wide_window
from cite_lsp.train.data.sampling import Example, random_negatives, sections_of

POWER = 0.75
"""What frequencies are raised to before papers are drawn by them: below 1, pairs that are rarely
cited together come up more often than their share (the noise distribution of word2vec)."""
_MOST = 200
"""Groups of more papers are bibliographies, not company, and cost their square."""
CONFUSED = 4
"""Negatives of an example that are drawn from the noise distribution, where it knows any."""
_DRAWS = 20


class CocitationNoise:
    """Draws papers that were cited together with a paper, by how often they were.

    Equations 1 and 2 are taken to be P(n | p) = f(p, n)^0.75 / Σ f(p, m)^0.75 over all papers m,
    where f counts the sections that cite both.

    Args:
        groups: ids of papers cited together, a group at a time: those of a section.
        power: what the frequency of a pair is raised to.
    """

    def __init__(self, groups: Iterable[Sequence[str]], power: float = POWER) -> None:
        together: dict[str, Counter[str]] = {}
        for group in groups:
            for first, second in permutations(dict.fromkeys(group[:_MOST]), 2):
                together.setdefault(first, Counter())[second] += 1
        self._company = {
            name: (list(counts), list(accumulate(count**power for count in counts.values())))
            for name, counts in together.items()
        }

    def draw(
        self, name: str, excluded: Collection[str], count: int, rng: random.Random
    ) -> tuple[str, ...]:
        """Return up to `count` papers once cited together with `name`, fewer where there are."""
        names, sums = self._company.get(name, ([], [0.0]))
        papers: dict[str, None] = {}
        for _ in range(_DRAWS if names else 0):
            candidate = names[bisect(sums, rng.random() * sums[-1])]
            if candidate not in excluded:
                papers[candidate] = None
            if len(papers) == count:
                break
        return tuple(papers)


def dynamic_context(
    row: LabelledContext, section: Sequence[LabelledContext], rng: random.Random
) -> str:
    """Return what is written around a marker with parts of what the manuscript says beyond it.

    The words around another marker of the section, its title and that of the draft are each there
    by chance, so that the encoder does not depend on any of them.
    """
    context = row.context
    parts = [wide_window(context)]
    others = [neighbour for neighbour in section if neighbour is not row]
    if others and rng.random() < 0.5:
        other = rng.choice(others).context
        parts.append(near_window(other.left, other.right))
    parts += [title for title in (context.section_title, context.title) if rng.random() < 0.5]
    return ". ".join(part for part in parts if part)


@frozen
class NegativePapers:
    """Papers not cited: so many an example, of a pool; some cited together with it elsewhere.

    Up to `CONFUSED` are drawn from `noise`, the rest are random.
    """

    pool: Sequence[str]
    count: int
    noise: CocitationNoise

    def draw(self, name: str, cited: Collection[str], rng: random.Random) -> tuple[str, ...]:
        """Return papers that a document does not cite, for one that it cites."""
        confused = self.noise.draw(name, cited, min(CONFUSED, self.count), rng)
        left = self.count - len(confused)
        return (*confused, *random_negatives(self.pool, {*cited, *confused}, left, rng))


def companion_examples(
    rows: Sequence[LabelledContext], negatives: NegativePapers, seed: int
) -> list[Example]:
    """Make one example of every paper cited at a marker: it, a companion, and papers not cited.

    The companion is another paper of the same marker, chosen by chance; the paper itself, where the
    marker cites no other.

    Args:
        rows: contexts, those of a document together and in order.
        negatives: papers that the document does not cite; positives are of their pool, too.
        seed: of all that is chosen by chance.
    """
    pool_ids, rng = set(negatives.pool), random.Random(f"companions {seed}")
    examples = []
    for document in documents(rows):
        cited = {document[0].citing_id, *(name for row in document for name in row.cited)}
        sections: dict[str, list[LabelledContext]] = {}
        for row in document:
            sections.setdefault(row.context.section, []).append(row)
        for row in document:
            marker_papers = [name for name in row.cited if name in pool_ids]
            for name in marker_papers:
                others = [other for other in marker_papers if other != name]
                companion = rng.choice(others) if others else name
                negative_ids = negatives.draw(name, cited, rng)
                text = dynamic_context(row, sections[row.context.section], rng)
                examples.append(Example(text, (name, companion), negative_ids))
    return [example for example in examples if example.anchor]


@frozen
class _CitingContext:
    """A context, all sentences of its section, the papers of its marker, and of its document."""

    content: Content
    section: tuple[str, ...]
    marker_papers: tuple[str, ...]
    cited: Collection[str]


class ContentExamples:
    """Draws an example of every context, anew each time it is asked.

    An example has all papers of the marker that are in the pool, and negatives for one of them,
    chosen by chance. Its text is a dynamic context: the fundamental sentences; the titles of
    section and draft, each by chance; and, up to `sentences` in all, so many of the section's other
    sentences as chance says.

    Args:
        rows: contexts, those of a document together and in order.
        negatives: papers that a document does not cite; positives are of their pool, too.
        sentences: the most that a context has.
    """

    def __init__(
        self, rows: Sequence[LabelledContext], negatives: NegativePapers, sentences: int
    ) -> None:
        self._negatives, self._sentences = negatives, sentences
        self._contexts: list[_CitingContext] = []
        pool_ids = set(negatives.pool)
        for document in documents(rows):
            cited = {document[0].citing_id, *(name for row in document for name in row.cited)}
            contents = [content_of(row.context) for row in document]
            sentences_of: dict[str, dict[str, None]] = {}
            for row, content in zip(document, contents, strict=True):
                sentences_said = (*content.fundamental, *content.others)
                sentences_of.setdefault(row.context.section, {}).update(
                    dict.fromkeys(sentences_said)
                )
            sections = {name: tuple(section) for name, section in sentences_of.items()}
            for row, content in zip(document, contents, strict=True):
                marker_papers = tuple(name for name in row.cited if name in pool_ids)
                if marker_papers and content.fundamental:
                    section = sections[row.context.section]
                    self._contexts.append(_CitingContext(content, section, marker_papers, cited))

    def __len__(self) -> int:
        return len(self._contexts)

    def draw(self, seed: str) -> list[Example]:
        """Return the examples that a seed decides, in the order of the contexts."""
        rng = random.Random(seed)
        examples = []
        for context in self._contexts:
            content = context.content
            titles = tuple(title for title in content.titles if rng.random() < 0.5)
            room = self._sentences - len(content.fundamental) - len(titles)
            count = min(rng.randint(0, max(room, 0)), len(context.section))
            sentences = rng.sample(context.section, count)
            others = tuple(part for part in sentences if part not in content.fundamental)
            text = as_text(content.fundamental, titles, others)
            negatives = self._negatives.draw(rng.choice(context.marker_papers), context.cited, rng)
            examples.append(Example(text, context.marker_papers, negatives))
        return examples


def cocited_in_sections(
    rows: Sequence[LabelledContext], pool: Collection[str]
) -> list[tuple[str, ...]]:
    """Return the papers of the pool that each section cites together."""
    return [tuple(name for name in names if name in pool) for names in sections_of(rows)]
