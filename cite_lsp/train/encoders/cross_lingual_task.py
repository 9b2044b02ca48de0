"""Figures of recipe `cross-lingual`: cosine to the teacher's vectors, recall of cited papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.parallel_texts import ParallelText
from cite_lsp.encode.checkpoints import TORCH, find
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.encode.kinds.static import StaticEncoder
from cite_lsp.encode.kinds.torch_runtime import TorchEncoder
from cite_lsp.evaluate.metrics import DEPTH, mean_figures, score_ranking
from cite_lsp.installation import how_to_install
from cite_lsp.recommend.query.encoder_input import NEAR
from cite_lsp.recommend.query.query import window
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.train.run.report import TrainingError, require
from cite_lsp.translate.translator import shipped_translator


class Teacher:
    """The weights that the default encoder was exported from, in batches of sixteen-bit numbers.

    Ten times as fast as the exported form, and nearer to the original.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name = encoder.name
        self.dimensions = encoder.dimensions
        self.fingerprint = encoder.fingerprint
        self.checkpoint = encoder.checkpoint

    def encode(self, texts: Sequence[str], **options: object) -> Vectors:
        """Encode texts into rows of shape (len(texts), dimensions)."""
        # Imported where it trains: an extra has it, and loading it takes seconds.
        import torch

        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self._encoder.encode(texts)


def open_teacher() -> Teacher:
    """Open the teacher.

    Raises:
        TrainingError: torch or the original weights are missing.
        EncoderError: the weights cannot be loaded.
    """
    require("torch", "sentence_transformers")
    original = next(
        (checkpoint for checkpoint in find("default") if checkpoint.kind == TORCH), None
    )
    if original is None:
        raise TrainingError(
            f"the default encoder's original weights are missing; {how_to_install('train')}"
        )
    return Teacher(TorchEncoder(original.folder, name=original.name, max_tokens=128))


@frozen
class StudentTask:
    """Held-out texts in both languages, and contexts with the papers that they cite.

    `wanted` are the teacher's vectors of the English texts; `papers` (n, dimensions) those of all
    papers, `cited` the rows of `papers` that each context cites.
    """

    chinese: tuple[str, ...]
    wanted: Vectors
    windows: tuple[str, ...]
    cited: tuple[tuple[int, ...], ...]
    papers: NDArray[np.floating]
    teacher: Teacher

    @classmethod
    def build(
        cls,
        texts: Sequence[ParallelText],
        rows: Sequence[LabelledContext],
        pool: CorpusIndex,
        teacher: Teacher,
    ) -> StudentTask:
        """Gather the task; contexts that cite no paper of the pool are left out.

        Raises:
            TrainingError: there are no texts, or no contexts.
        """
        queries = [
            (window(row.context, NEAR), cited_rows)
            for row in rows
            if (cited_rows := tuple(pool.row_of[name] for name in row.cited if name in pool.row_of))
        ]
        if not texts or not queries:
            raise TrainingError(
                "nothing to measure on: name parallel texts with --parallel, and with --dev"
                " contexts that cite the papers of the second --papers"
            )
        return cls(
            tuple(text.zh for text in texts),
            teacher.encode([text.en for text in texts]),
            tuple(text for text, _ in queries),
            tuple(cited_rows for _, cited_rows in queries),
            pool.vectors.vectors(np.arange(len(pool), dtype=np.int64)),
            teacher,
        )

    @property
    def described(self) -> str:
        """Return what the figures are about."""
        return (
            f"cosine: {len(self.chinese):,} parallel texts, to the teacher's vector of the English"
            f" side; MAP and Recall@10: {len(self.windows):,} development contexts, {NEAR[0]}"
            f" characters before and {NEAR[1]} after the marker, {len(self.papers):,} papers"
        )

    def figures_of(self, folder: Path) -> dict[str, float]:
        """Return the figures of the student in a folder."""
        encoder = StaticEncoder(folder)
        vectors = encoder.encode(self.chinese)
        figures = {"cosine": float((vectors * self.wanted).sum(axis=1).mean())}
        return figures | self._retrieval(encoder.encode(self.windows))

    def baselines(self) -> dict[str, dict[str, float]]:
        """Return the figures of the teacher on Chinese put into English word by word."""
        translator = shipped_translator()
        translated = self.teacher.encode(translator.translate(self.chinese))
        return {
            "the teacher, translated word by word": {
                "cosine": float((translated * self.wanted).sum(axis=1).mean())
            }
            | self._retrieval(self.teacher.encode(translator.translate(self.windows))),
        }

    def _retrieval(self, queries: Vectors) -> dict[str, float]:
        scored = []
        for query, cited_rows in zip(queries, self.cited, strict=True):
            best = np.argsort(-(self.papers @ query), kind="stable")[:DEPTH]
            scored.append(score_ranking(best.tolist(), cited_rows))
        means = mean_figures(scored)
        return {"MAP": means["map@100"], "Recall@10": means["recall@10"]}
