"""BLSRec: contexts of one language and papers of another, mapped into one space and compared there.

Source: Tang, Wan, Zhang, "Cross-language context-aware citation recommendation in scientific
articles", SIGIR 2014. What the maps were learned from is `cite_lsp.train`'s business.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.sparse_rows import SparseRows, Table, Vocabulary
from cite_lsp.recommend.published.bilingual_bags import Bags, ContextPart, PaperPart, shipped_bags
from cite_lsp.storage import compressed_files

Scores = NDArray[np.float32]

MODEL, CONFIG = "model.safetensors.zst", "config.json"
"""The files of a model. The maps of several terms start alike: compressed, they take a fourth."""
_FORMAT = 1


@frozen
class Term:
    """A summand of the score: (U x)ᵀ (V y) of a part x of the context and a part y of the paper.

    With `identity` it is xᵀ (Uᵀ V + I) y, a term of supervised semantic indexing (Bai et al.,
    CIKM 2009), which starts from the cosine of the two.
    """

    context: ContextPart
    paper: PaperPart
    identity: bool = False

    @property
    def name(self) -> str:
        """How its maps are called."""
        return f"{self.context}-{self.paper}"


VARIANTS: dict[int, tuple[Term, ...]] = {
    1: (Term("chinese", "english"),),
    2: (
        Term("chinese", "english"),
        Term("english", "english", identity=True),
        Term("chinese", "chinese", identity=True),
    ),
    3: (
        Term("chinese", "english"),
        Term("english", "english", identity=True),
        Term("chinese", "chinese", identity=True),
        Term("abstract", "english"),
    ),
}
"""I: the context and the paper as they stand (eq. 1). II: and in one language, once by translating
the context and once by translating the paper (eq. 2). III: and the draft's abstract (eq. 3)."""

LANGUAGES: dict[ContextPart | PaperPart, str] = {
    "chinese": "chinese",
    "english": "english",
    "abstract": "chinese",
    "abstract-english": "english",
}
"""In which language's vocabulary a part is counted."""


@frozen(eq=False)
class BlsRecModel:
    """What was learned: a vocabulary for each language, and two maps a term.

    `maps` holds for every term of the variant the maps of its context and of its paper, shapes
    (words of their languages, n). `facts` are what the training wants remembered.
    """

    variant: int
    vocabularies: Mapping[str, Vocabulary]
    maps: Mapping[str, tuple[Table, Table]]
    facts: Mapping[str, Any] = field(factory=dict)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The summands of the score."""
        return VARIANTS[self.variant]

    @property
    def dimensions(self) -> int:
        """n, the dimensions of the space."""
        return int(self.maps[self.terms[0].name][0].shape[1])

    @classmethod
    def open(cls, folder: Path) -> BlsRecModel:
        """Read a model from its folder.

        Raises:
            RankerError: it is missing, damaged, or of another version.
        """
        # Imported where needed: only an evaluation needs it.
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            facts = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            if facts["format"] != _FORMAT:
                raise ValueError("of another version")
            variant = int(facts["variant"])
            arrays = load(compressed_files.content(folder / MODEL))
            vocabularies = {
                language: Vocabulary(
                    tuple(arrays[f"{language} words"].tobytes().decode("utf-8").split("\n")),
                    arrays[f"{language} idf"].astype(np.float32),
                )
                for language in ("chinese", "english")
            }
            maps = {
                term.name: (
                    arrays[f"{term.name} context"].astype(np.float32),
                    arrays[f"{term.name} paper"].astype(np.float32),
                )
                for term in VARIANTS[variant]
            }
            model = cls(variant, vocabularies, maps, facts)
            model._check()
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise RankerError(
                f"{folder}: the BLSRec model cannot be read ({error}); train it again"
            ) from error
        return model

    def _check(self) -> None:
        """Raise ValueError where shapes do not fit."""
        for vocabulary in self.vocabularies.values():
            if len(vocabulary.words) != len(vocabulary.idf):
                raise ValueError("words and weights do not match")
        for term in self.terms:
            for part, table in zip((term.context, term.paper), self.maps[term.name], strict=True):
                if table.shape != (len(self.vocabularies[LANGUAGES[part]]), self.dimensions):
                    raise ValueError(f"the map of {part} has the wrong shape")

    def save(self, folder: Path) -> None:
        """Write the model to a folder, the maps in sixteen bits.

        Raises:
            OSError: it cannot be written.
        """
        from safetensors.numpy import save

        folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, NDArray[np.generic]] = {}
        for language, vocabulary in self.vocabularies.items():
            words = "\n".join(vocabulary.words).encode("utf-8", "replace")
            arrays[f"{language} words"] = np.frombuffer(words, dtype=np.uint8)
            arrays[f"{language} idf"] = vocabulary.idf
        for name, (context, paper) in self.maps.items():
            arrays[f"{name} context"] = context.astype(np.float16)
            arrays[f"{name} paper"] = paper.astype(np.float16)
        compressed_files.write(folder / MODEL, save(arrays))
        facts = {**self.facts, "format": _FORMAT, "variant": self.variant}
        text = json.dumps(facts | {"dimensions": self.dimensions}, indent=1, ensure_ascii=False)
        (folder / CONFIG).write_text(text + "\n", encoding="utf-8")


class BlsRec:
    """A model over the papers of a pool: scores all of them for a context. Thread-safe."""

    def __init__(
        self, model: BlsRecModel, papers: Iterable[Paper], bags: Bags | None = None
    ) -> None:
        """Map the papers, which takes a few seconds for ten thousand of them.

        Without `bags` words are translated by the lexicon that ships.
        """
        self.model = model
        self._bags = bags or shipped_bags()
        papers = list(papers)
        parts = {term.paper for term in model.terms}
        rows = {
            part: model.vocabularies[part].vectors(
                self._bags.of_paper(paper, part) for paper in papers
            )
            for part in sorted(parts)
        }
        self._count = len(papers)
        self._mapped: Table = np.concatenate(
            [rows[term.paper].times(model.maps[term.name][1]) for term in model.terms], axis=1
        )
        self._columns: dict[PaperPart, SparseRows] = {
            term.paper: rows[term.paper].transposed() for term in model.terms if term.identity
        }

    def __len__(self) -> int:
        return self._count

    def scores(self, context: Context) -> Scores:
        """Return the score of every paper for a context (eq. 1, 2 or 3), shape (papers,).

        Scores of different contexts are not comparable. May block for a second where the process
        has read no Chinese before.
        """
        scores: Scores = self._mapped @ self._mapped_context(context)
        for term in self.model.terms:
            if term.identity:
                self._add_products(term, context, scores)
        return scores

    def _mapped_context(self, context: Context) -> NDArray[np.float32]:
        """Return the context's vectors in the spaces of all terms, shape (terms · n,)."""
        mapped = []
        for term in self.model.terms:
            places, values = self._vector(term, context)
            mapped.append(values @ self.model.maps[term.name][0][places])
        return np.concatenate(mapped)

    def _add_products(self, term: Term, context: Context, scores: Scores) -> None:
        """Add the product xᵀ y of a part of the context and of every paper."""
        columns = self._columns[term.paper]
        for place, value in zip(*self._vector(term, context), strict=True):
            rows, weights = columns.row(int(place))
            scores[rows] += value * weights  # a paper stands once in a column

    def _vector(self, term: Term, context: Context) -> tuple[NDArray[np.int32], Scores]:
        vocabulary = self.model.vocabularies[LANGUAGES[term.context]]
        return vocabulary.vector(self._bags.of_context(context, term.context))
