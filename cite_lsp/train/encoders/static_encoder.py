"""Recipe `static-encoder`: a table of word vectors that puts texts where a teacher puts them.

The start needs no training: each token's row is what the teacher makes of the token alone, on the
teacher's principal axes (PCA), scaled by a / (a + p(token)) (SIF; Arora et al., "A simple but
tough-to-beat baseline for sentence embeddings", 2017). The rows are then fitted to the teacher's
vectors of whole texts: 1 - cosine to the own one, and cross-entropy against those of the batch.
Last a linear map from what the table makes of texts to the teacher's vectors is fitted.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray
from tokenizers import Tokenizer

from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import checksum_of, find, read_config
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.encode.kinds.static import (
    KIND,
    MAP,
    MAP_FILE,
    STATIC_FILES,
    StaticConfig,
    StaticEncoder,
    write_table,
)
from cite_lsp.encode.tokens.tokenizer import open_with_library
from cite_lsp.evaluate.task_pool import MAX_TOKENS as POOL_TOKENS
from cite_lsp.evaluate.task_pool import load_pool_encoder, pool_vectors
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.train.data.development import context_task
from cite_lsp.train.run.card import Card, settings_line, write_config
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, Progress, Steps, require

if TYPE_CHECKING:
    import torch

NAME = "static-encoder"
TAKES = ("papers", "dev", "epochs")
DIMENSIONS = 256
"""Of the vectors of the finished encoder."""

MAX_TOKENS = 256
"""Where the finished encoder cuts texts."""
SIF = 1e-3
"""a of Arora et al.: a token of this probability keeps half of its length."""
SAMPLE = 20_000
"""Teacher vectors from which the principal axes are taken."""
_TOKENISED_AT_ONCE = 4096
_SAME = 0.999
"""Cosine from which two targets of a batch are taken for one: a paper cited by both contexts."""
_RIDGE = 1e-3
"""Keeps the map defined where there are fewer texts than dimensions."""


@frozen
class Settings:
    """What decides the result, beside the data. `temperature` divides the cosines of a batch."""

    epochs: int = 4
    batch: int = 512
    learning_rate: float = 3e-3
    temperature: float = 0.05
    seed: int = 13


def run(job: Job) -> list[Figures]:
    """Train the table, write it with its card; returns what it is worth beside the teacher."""
    settings = job.settings(Settings())
    teacher = _open_teacher()
    pools = [job.open_pool(path) for path in job.options.papers]
    parts = [_of_pool(pool, teacher, job.progress) for pool in pools]
    job.progress("the start", 0, 0)
    start, projection = starting_table(parts, teacher.tokenizer, teacher.encoder, DIMENSIONS)
    fitted = fit(parts, start, settings, partial(job.progress, "fitting"), projection=projection)
    papers = (pool.paper(row) for pool in pools for row in range(len(pool)))
    paper_by_id = {paper.id: paper for paper in papers if paper.abstract}
    check = job.contexts(job.options.dev)
    task = context_task(check, paper_by_id, seed=job.seed)
    rows = {"teacher": task.figures(teacher.encoder.encode)}
    with tempfile.TemporaryDirectory() as scratch:
        _write(Path(scratch), start, parts, teacher)
        rows["untrained"] = task.figures(StaticEncoder(Path(scratch)).encode)
    config = _write(job.out, fitted, parts, teacher)
    rows["trained"] = task.figures(StaticEncoder(job.out).encode)
    return CARD.write(
        job.out,
        job.origin,
        [Figures(rows, heading="encoder")],
        **asdict(config),
        texts=sum(len(part) for part in parts),
        settings=settings_line(asdict(settings)),
        questions=len(task.questions),
        papers=task.papers,
    )


@frozen
class _Teacher:
    """The encoder that is learned from: as it embeds any text, and as it has embedded the pools."""

    folder: Path
    tokenizer: Tokenizer
    encoder: Encoder
    of_pools: Encoder


def _open_teacher() -> _Teacher:
    folder = find("default")[0].folder
    return _Teacher(
        folder,
        open_tokenizer(folder / "tokenizer.json", POOL_TOKENS - 2),
        load_encoder(device="cpu", threads=os.cpu_count() or 1),
        load_pool_encoder(),
    )


def _of_pool(pool: CorpusIndex, teacher: _Teacher, progress: Progress) -> TaughtTexts:
    progress("tokens", 0, len(pool))
    texts = [encoder_text(pool.paper(row)) for row in range(len(pool))]
    return tokenise(texts, pool_vectors(pool, teacher.of_pools, progress), teacher.tokenizer)


@frozen
class TaughtTexts:
    """Texts as tokens, and where the teacher puts them.

    `tokens` are the token ids of all texts in a row, [t] uint16; those of text i are
    `tokens[starts[i]:starts[i + 1]]`. `vectors` has shape (n, teacher's dimensions).
    """

    tokens: NDArray[np.uint16]
    starts: NDArray[np.int64]
    vectors: NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.starts) - 1


def tokenise(
    texts: Iterable[str], vectors: NDArray[np.floating], tokenizer: Tokenizer
) -> TaughtTexts:
    """Turn texts into tokens as the static encoder will see them; texts without any are left out.

    Raises:
        ValueError: there are not as many vectors as texts.
    """
    pieces: list[NDArray[np.uint16]] = []
    batch: list[str] = []

    def finish() -> None:
        for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
            pieces.append(np.array(encoding.ids, dtype=np.uint16))
        batch.clear()

    for text in texts:
        batch.append(text)
        if len(batch) == _TOKENISED_AT_ONCE:
            finish()
    finish()
    if len(pieces) != len(vectors):
        raise ValueError(f"{len(pieces)} texts, {len(vectors)} vectors")
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[lengths > 0])])
    nonempty = vectors if lengths.all() else np.asarray(vectors)[lengths > 0]
    return TaughtTexts(np.concatenate([*pieces, np.zeros(0, np.uint16)]), starts, nonempty)


def starting_table(
    parts: Sequence[TaughtTexts], tokenizer: Tokenizer, teacher: Encoder, dimensions: int
) -> tuple[Vectors, Vectors]:
    """Return the untrained table, shape (tokens, dimensions), and the projection, (teacher's, …).

    The projection maps vectors of the teacher to its first principal axes; the mean stays in, so
    that cosines between projected vectors are those between the teacher's, as nearly as can be.
    """
    sample = np.concatenate([_sample(part.vectors) for part in parts]).astype(np.float32)
    _, axes = np.linalg.eigh(sample.T @ sample)
    projection = np.ascontiguousarray(axes[:, ::-1][:, :dimensions], dtype=np.float32)
    size = tokenizer.get_vocab_size()
    words = [(tokenizer.id_to_token(number) or "").removeprefix("##") for number in range(size)]
    alone = teacher.encode(words) @ projection
    counts = sum(np.bincount(part.tokens, minlength=size) for part in parts) + np.zeros(size)
    weights = SIF / (SIF + counts / max(counts.sum(), 1))
    return np.asarray(alone * weights[:, None], dtype=np.float32), projection


def fit(
    parts: Sequence[TaughtTexts],
    table: Vectors,
    settings: Settings,
    progress: Steps = lambda done, total: None,
    *,
    projection: Vectors | None = None,
    sparse: bool = False,
) -> Vectors:
    """Fit the rows of the table to the teacher's vectors; returns the table fitted.

    `projection` leads these, (teacher's dimensions, dimensions), into the space of the table. If
    `sparse`, a step moves no rows but those of its batch, which in a large table takes less time.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    bag = torch.nn.EmbeddingBag.from_pretrained(
        torch.tensor(table), freeze=False, mode="sum", sparse=sparse
    )
    adam = torch.optim.SparseAdam if sparse else torch.optim.Adam
    optimiser = adam(list(bag.parameters()), lr=settings.learning_rate)
    sizes = np.cumsum([0, *(len(part) for part in parts)])
    batch = max(1, min(settings.batch, int(sizes[-1])))
    steps = settings.epochs * (int(sizes[-1]) // batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.02, total_iters=max(steps, 1))
    done = 0
    for _ in range(settings.epochs):
        order = rng.permutation(int(sizes[-1]))
        for start in range(0, len(order) - batch + 1, batch):
            batch_rows = np.sort(order[start : start + batch])
            tokens, offsets, vectors = gather_batch(parts, sizes, batch_rows)
            learned = bag(torch.from_numpy(tokens), torch.from_numpy(offsets))
            taught = vectors if projection is None else vectors @ projection
            loss = _loss(learned, torch.from_numpy(taught), settings.temperature)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()  # type: ignore[no-untyped-call]
            schedule.step()
            done += 1
            progress(done, steps)
    return np.asarray(bag.weight.detach().numpy(), dtype=np.float32)


def _loss(learned: torch.Tensor, taught: torch.Tensor, temperature: float) -> torch.Tensor:
    """1 - cosine to the own target, and cross-entropy against the targets of the batch."""
    import torch
    from torch.nn import functional

    taught = functional.normalize(taught)
    cosines = functional.normalize(learned) @ taught.T
    same = (taught @ taught.T > _SAME).fill_diagonal_(False)
    others = (cosines / temperature).masked_fill(same, -1e4)
    return (1 - cosines.diagonal()).mean() + functional.cross_entropy(
        others, torch.arange(len(cosines))
    )


def fit_space(parts: Sequence[TaughtTexts], table: Vectors) -> Vectors:
    """Return the map from the table's vectors to the teacher's, shape (dimensions, teacher's).

    Least squares over unit vectors: what the table says of a text, said in the teacher's space.
    """
    import torch

    bag = torch.nn.EmbeddingBag.from_pretrained(torch.tensor(table), mode="sum")
    width = parts[0].vectors.shape[1]
    gram = np.zeros((table.shape[1], table.shape[1]))
    across = np.zeros((table.shape[1], width))
    for part in parts:
        for start in range(0, len(part), _TOKENISED_AT_ONCE):
            batch_rows = np.arange(start, min(start + _TOKENISED_AT_ONCE, len(part)))
            sizes = np.array([0, len(part)])
            tokens, offsets, vectors = gather_batch([part], sizes, batch_rows)
            learned = bag(torch.from_numpy(tokens), torch.from_numpy(offsets)).numpy()
            learned = learned / np.maximum(np.linalg.norm(learned, axis=1, keepdims=True), 1e-9)
            taught = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
            gram += learned.T @ learned
            across += learned.T @ taught
    ridge = _RIDGE * np.eye(table.shape[1])
    return np.asarray(np.linalg.solve(gram + ridge, across), dtype=np.float32)


def gather_batch(
    parts: Sequence[TaughtTexts], sizes: NDArray[np.int64], batch_rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Vectors]:
    """Return the tokens in a row, where each text starts, and the teacher's vectors."""
    pieces, vectors = [], []
    for number, part in enumerate(parts):
        rows = (
            batch_rows[(batch_rows >= sizes[number]) & (batch_rows < sizes[number + 1])]
            - sizes[number]
        )
        pieces += [part.tokens[part.starts[row] : part.starts[row + 1]] for row in rows]
        vectors.append(np.asarray(part.vectors[rows], dtype=np.float32))
    offsets = np.cumsum([0, *(len(piece) for piece in pieces[:-1])])
    return np.concatenate(pieces).astype(np.int64), offsets, np.concatenate(vectors)


def open_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """Load the teacher's tokenizer, which cuts texts where the teacher does.

    Raises:
        EncoderError: the file is missing or no tokenizer.
        TrainingError: torch is missing.
    """
    require("torch")
    tokenizer = open_with_library(path)
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _sample(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(vectors[:: max(1, len(vectors) // SAMPLE)])


def _write(
    out: Path, table: Vectors, parts: Sequence[TaughtTexts], teacher: _Teacher
) -> StaticConfig:
    out.mkdir(parents=True, exist_ok=True)
    write_table(out / STATIC_FILES[0], table)
    write_table(out / MAP_FILE, fit_space(parts, table), MAP)
    shutil.copyfile(teacher.folder / "tokenizer.json", out / STATIC_FILES[1])
    config = StaticConfig(
        kind=KIND,
        name=out.name,
        dimensions=table.shape[1],
        max_tokens=MAX_TOKENS,
        sha256={name: checksum_of(out / name) for name in (*STATIC_FILES, MAP_FILE)},
        teacher=teacher.of_pools.fingerprint,
        space=teacher.of_pools.checkpoint,
        licence=read_config(teacher.folder).licence,
    )
    write_config(out, asdict(config))
    return config


CARD = Card(
    what="""\
A static sentence encoder: a text is the sum of its tokens' vectors, made unit length.
{dimensions} dimensions, texts cut at {max_tokens} tokens; numpy alone runs it. A linear map leads
from there to the space of the teacher: papers embedded by the table are found by queries that the
teacher embeds.""",
    data="{data}. {texts:,} texts.",
    recipe="`{file}`, {settings}.",
    points={"Teacher": "`{teacher}`, whose vectors of whole texts it was fitted to."},
    form="""\
safetensors: `embeddings`, float16, tokens × {dimensions}; `map`, float16, {dimensions} × the
teacher's dimensions, fitted by least squares to the same texts.""",
    licence="""\
{licence}, as the teacher. The table holds one vector a token; no text of the data is in it.""",
    measured="""\
Development task, a quick one ({questions} held-out contexts, {papers:,} papers, not comparable with
`cite-lsp eval`; what that finds is in docs/research/evaluation.md):""",
    files=(*STATIC_FILES, MAP_FILE, "config.json"),
)
