"""What BLSRec learns from and is measured on: contexts and papers as TF-IDF vectors, and pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.sparse_rows import SparseRows, Table, Vocabulary
from cite_lsp.recommend.published.bilingual_bags import Bag, Bags, ContextPart, PaperPart
from cite_lsp.recommend.published.blsrec import LANGUAGES, VARIANTS, Term
from cite_lsp.train.run.report import Progress, TrainingError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Maps = dict[str, tuple[Table, Table]]
"""The maps of context and paper by the name of their term."""

_REPORTED_EVERY = 200
PAPER_PARTS: tuple[PaperPart, ...] = ("english", "chinese")
_SCORED_AT_ONCE = 128
_DEPTH = 100


@frozen(eq=False)
class Examples:
    """Contexts, the papers of a pool, and which of them each context cites (rows of the pool)."""

    terms: tuple[Term, ...]
    contexts: Mapping[ContextPart, SparseRows]
    papers: Mapping[PaperPart, SparseRows]
    cited: tuple[frozenset[int], ...]
    pairs: NDArray[np.int64] = field(init=False)
    """Rows of a context and of a paper that it cites, shape (pairs, 2)."""

    @pairs.default
    def _pairs(self) -> NDArray[np.int64]:
        pairs = [(row, paper) for row, cited in enumerate(self.cited) for paper in sorted(cited)]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @property
    def pool(self) -> int:
        """How many papers there are."""
        return len(next(iter(self.papers.values())))

    def map_context(self, rows: NDArray[np.int64], maps: Maps) -> Table:
        """Return contexts in the spaces of all terms, shape (rows, terms · n)."""
        sides = [(self.contexts[term.context], maps[term.name][0]) for term in self.terms]
        return np.concatenate([matrix(side.take(rows)) @ table for side, table in sides], axis=1)

    def map_papers(self, rows: NDArray[np.int64], maps: Maps) -> Table:
        """Return papers in the spaces of all terms, shape (rows, terms · n)."""
        sides = [(self.papers[term.paper], maps[term.name][1]) for term in self.terms]
        return np.concatenate([matrix(side.take(rows)) @ table for side, table in sides], axis=1)


@frozen(eq=False)
class ExampleSet:
    """Examples to learn from and to stop by, over one pool, with the vocabularies they share."""

    learn: Examples
    check: Examples
    vocabularies: Mapping[str, Vocabulary]


@frozen(eq=False)
class TrainingData:
    """Contexts to learn from and to stop by, the papers of the pool, and the bags of all texts."""

    learn: Sequence[LabelledContext]
    check: Sequence[LabelledContext]
    papers: Sequence[Paper]
    bags: Bags


def make_examples(
    data: TrainingData,
    variant: int,
    *,
    base_vocabularies: Mapping[str, Vocabulary] | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> ExampleSet:
    """Count the words of everything; words that `base_vocabularies` have keep place and weight.

    The English vocabulary is that of the papers; the Chinese one, Latin words among it, is that of
    the papers put into Chinese, and then of the contexts to learn from.

    Raises:
        TrainingError: no context to learn from cites one of the papers.
    """
    terms, papers, bags = VARIANTS[variant], data.papers, data.bags
    row_of = {paper.id: row for row, paper in enumerate(papers)}
    paper_parts: set[PaperPart] = {term.paper for term in terms}
    counted: dict[PaperPart, list[Bag]] = {}
    for part in PAPER_PARTS:
        counted[part] = [bags.of_paper(paper, part) for paper in papers]
        progress(f"papers, {part}", len(papers), len(papers))
    parts: set[ContextPart] = {term.context for term in terms}
    sides = []
    for rows, noun in ((data.learn, "contexts"), (data.check, "held-out contexts")):
        usable = [row for row in rows if any(name in row_of for name in row.cited)]
        if not usable:
            raise TrainingError(
                f"none of the {noun} cites one of the papers; check that both name papers by the"
                " same ids"
            )
        bag_of: dict[ContextPart, list[Bag]] = {part: [] for part in parts}
        for number, row in enumerate(usable, 1):
            for side in parts:
                bag_of[side].append(bags.of_context(row.context, side))
            if number % _REPORTED_EVERY == 0 or number == len(usable):
                progress(f"{noun}, words", number, len(usable))
        cited = tuple(
            frozenset(row_of[name] for name in row.cited if name in row_of) for row in usable
        )
        sides.append((bag_of, cited))
    vocabularies = _vocabularies(sides[0][0], counted, base_vocabularies)
    vectors = {
        part: vocabularies[LANGUAGES[part]].vectors(counted[part]) for part in sorted(paper_parts)
    }
    sets = [
        Examples(
            terms,
            {part: vocabularies[LANGUAGES[part]].vectors(bags_by_part[part]) for part in parts},
            vectors,
            cited,
        )
        for bags_by_part, cited in sides
    ]
    return ExampleSet(sets[0], sets[1], vocabularies)


def _vocabularies(
    contexts: Mapping[ContextPart, Sequence[Bag]],
    papers: Mapping[PaperPart, Sequence[Bag]],
    base_vocabularies: Mapping[str, Vocabulary] | None,
) -> dict[str, Vocabulary]:
    read = [bag for part in contexts if LANGUAGES[part] == "chinese" for bag in contexts[part]]
    fresh = {
        "chinese": Vocabulary.of(papers["chinese"]).extended(Vocabulary.of(read)),
        "english": Vocabulary.of(papers["english"]),
    }
    if base_vocabularies is None:
        return fresh
    return {language: base_vocabularies[language].extended(fresh[language]) for language in fresh}


def identity_products(
    examples: Examples, rows: NDArray[np.int64], pool: NDArray[np.int64]
) -> Table:
    """Return what the identity parts of the terms add for contexts and papers, (rows, pool)."""
    total = np.zeros((len(rows), len(pool)), dtype=np.float32)
    for term in examples.terms:
        if term.identity:
            texts = matrix(examples.contexts[term.context].take(rows))
            total += (texts @ matrix(examples.papers[term.paper].take(pool)).T).toarray()
    return total


def matrix(rows: SparseRows) -> csr_matrix:
    """Return rows as scipy knows them, which multiplies faster."""
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from scipy.sparse import csr_matrix

    return csr_matrix((rows.values, rows.places, rows.starts), shape=(len(rows), rows.width))


def mean_average_precision(examples: Examples, maps: Maps) -> float:
    """Return MAP over the whole pool, of the first 100 papers (Tang et al., eq. 12).

    Of papers with the same score the first of the pool stands first, as where systems are measured.
    """
    pool = np.arange(examples.pool)
    papers = examples.map_papers(pool, maps).T
    total = 0.0
    for start in range(0, len(examples.cited), _SCORED_AT_ONCE):
        rows = np.arange(start, min(start + _SCORED_AT_ONCE, len(examples.cited)))
        scores = examples.map_context(rows, maps) @ papers
        scores += identity_products(examples, rows, pool)
        for row, line in zip(rows, scores, strict=True):
            cited = np.fromiter(examples.cited[row], dtype=np.int64)
            ranks = np.sort([_rank(line, int(paper)) for paper in cited])
            places = np.arange(1, len(cited) + 1)
            total += float((places / ranks)[ranks <= _DEPTH].sum()) / len(cited)
    return total / len(examples.cited)


def _rank(scores: NDArray[np.float32], paper: int) -> int:
    before = int((scores[:paper] == scores[paper]).sum())
    return int((scores > scores[paper]).sum()) + before + 1
