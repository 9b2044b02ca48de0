"""Learning to place contexts among papers that are held still, and doing so fold by fold.

InfoNCE (van den Oord et al. 2018) over the papers of the batch and random ones of the pool,
corrected for how likely a paper is to be in the batch (Yi et al., RecSys 2019); or over the whole
pool. One encoder is trained for each fold of the documents, on the others, and what it makes of the
contexts of its fold is written to `held-out.safetensors`; then one is trained on all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Vectors
from cite_lsp.manuscript.model import Context
from cite_lsp.train.encoders.batch_learning import Settings, learn_in_batches
from cite_lsp.train.encoders.eight_bits import in_eight_bits
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.run.encoding import encode_segments
from cite_lsp.train.run.job import CHECKPOINTS
from cite_lsp.train.run.report import Progress, Steps, TrainingError

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

HELD_OUT = "held-out.safetensors"
FOLDS = 2
MAX_TOKENS = 128
_SHOWN_EVERY = 10


@frozen
class EncodedPapers:
    """The papers of a pool: their rows by id, and their unit vectors, (n, d)."""

    row_of: Mapping[str, int]
    vectors: NDArray[np.floating]


@frozen
class StartingModel:
    """What a run starts from: `load` gives the model, `text_of` what it reads of a context."""

    load: Callable[[], SentenceTransformer]
    text_of: Callable[[Context], str]


@frozen
class Pair:
    """A context, a paper that it cites, and all that it cites: rows of contexts and of papers."""

    context: int
    paper: int
    cited: frozenset[int]


def fold_of(name: str) -> int:
    """Return the fold of a document, one of `FOLDS`: always the same, whatever else there is."""
    return crc32(name.encode()) % FOLDS


def train_folds(
    rows: Sequence[LabelledContext],
    papers: EncodedPapers,
    start: StartingModel,
    out: Path,
    settings: Settings,
    *,
    progress: Progress = lambda stage, done, total: None,
) -> SentenceTransformer:
    """Train the encoders of the folds and that of all contexts, and return the last.

    The checkpoints below `out` are the run's own already (`claim`): each encoder that is done
    is written there, so that an interrupted run loses one of them at most.

    Raises:
        TrainingError: the contexts cite none of the papers, or too few documents do.
        OSError: `out` cannot be written.
    """
    texts = [start.text_of(row.context) for row in rows]
    pairs = _pairs(rows, papers.row_of)
    if not settings.random_papers:
        pairs = list({pair.context: pair for pair in reversed(pairs)}.values())[::-1]
    if not pairs:
        raise TrainingError("the contexts cite none of the papers; check that ids are the same")
    folds = np.array([fold_of(row.citing_id) for row in rows])
    checkpoints = out / CHECKPOINTS
    checkpoints.mkdir(parents=True, exist_ok=True)
    held_out = np.zeros((len(rows), papers.vectors.shape[1]), dtype=np.float16)

    def fitted(name: str, pairs: Sequence[Pair], epochs: int, stage: str) -> SentenceTransformer:
        def make() -> SentenceTransformer:
            model, fold_settings = start.load(), evolve(settings, epochs=epochs)
            fit(model, pairs, texts, papers.vectors, fold_settings, now_and_then(progress, stage))
            return model

        return load_or_make(checkpoints / name, make)

    for fold in range(FOLDS):
        ours = [pair for pair in pairs if folds[pair.context] != fold]
        if not ours:
            raise TrainingError(
                f"all contexts that cite one of the papers are of fold {fold + 1} of {FOLDS};"
                " give contexts of more documents"
            )
        stage = f"fold {fold + 1} of {FOLDS}"
        model = fitted(f"fold-{fold}", ours, settings.fold_epochs, stage)
        theirs = np.flatnonzero(folds == fold)
        progress(f"{stage}, held out", 0, 0)
        held_out[theirs] = encode_segments(model)([texts[row] for row in theirs.tolist()])
    _write_held_out(out / HELD_OUT, rows, held_out)
    return fitted("whole", pairs, settings.epochs, "all contexts")


def read_held_out(path: Path) -> dict[str, Vectors]:
    """Return the vectors of contexts by encoders that had not seen their document, by id.

    Raises:
        TrainingError: the file is missing or damaged.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
        names = json.loads(arrays["contexts"].tobytes().decode())
        vectors = arrays["vectors"].astype(np.float32)
        return dict(zip(names, vectors, strict=True))
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise TrainingError(
            f"{path}: cannot be read ({error}); train a query-encoder first, and name its folder"
            " with --query-encoder"
        ) from error


def _write_held_out(
    path: Path, rows: Sequence[LabelledContext], vectors: NDArray[np.float16]
) -> None:
    from safetensors.numpy import save_file

    names = json.dumps([row.context_id for row in rows]).encode()
    save_file({"contexts": np.frombuffer(names, dtype=np.uint8), "vectors": vectors}, path)


def _pairs(rows: Sequence[LabelledContext], row_of: Mapping[str, int]) -> list[Pair]:
    pairs = []
    for number, row in enumerate(rows):
        cited = frozenset(row_of[name] for name in row.cited if name in row_of)
        pairs += [
            Pair(number, row_of[name], cited) for name in dict.fromkeys(row.cited) if name in row_of
        ]
    return pairs


def now_and_then(progress: Progress, stage: str) -> Steps:
    """Return what reports every tenth step of a stage."""
    return lambda done, total: progress(stage, done, total) if done % _SHOWN_EVERY == 0 else None


def load_or_make(folder: Path, make: Callable[[], SentenceTransformer]) -> SentenceTransformer:
    """Make a model and write it to a folder, or load it if an interrupted run had finished it."""
    if (folder / "modules.json").is_file():
        return load_model(folder, MAX_TOKENS)
    model = make()
    scratch = folder.with_suffix(".part")
    model.save_pretrained(str(scratch), create_model_card=False)
    scratch.rename(folder)
    return model


def fit(
    model: SentenceTransformer,
    pairs: Sequence[Pair],
    texts: Sequence[str],
    papers: NDArray[np.floating],
    settings: Settings,
    progress: Steps = lambda done, total: None,
) -> None:
    """Train a model in place so that texts come to lie near the papers of their pairs.

    English word embeddings stay as they are: what the base knows of rare words is not unlearned.
    """
    import torch

    torch.manual_seed(settings.seed)
    rng = torch.Generator().manual_seed(settings.seed)
    against = _Pool(papers, pairs, settings, model.device)

    def loss_of(vectors: torch.Tensor, batch: Sequence[int]) -> torch.Tensor:
        loss: torch.Tensor = against.loss(vectors, [pairs[place] for place in batch], rng)
        return loss

    own_texts = [texts[pair.context] for pair in pairs]
    with in_eight_bits(model):
        learn_in_batches(model, own_texts, settings, settings.epochs, loss_of, rng, progress)


class _Pool:
    """The papers that queries are compared with, and the loss."""

    _whole: torch.Tensor | None = None

    def __init__(
        self,
        papers: NDArray[np.floating],
        pairs: Collection[Pair],
        settings: Settings,
        device: torch.device,
    ) -> None:
        import torch

        self._papers = papers
        self._settings = settings
        self._device = device
        if not settings.random_papers:
            vectors = torch.from_numpy(np.asarray(papers, dtype=np.float32))
            self._whole = torch.nn.functional.normalize(vectors, dim=1).to(device)
            return
        counts = np.bincount([pair.paper for pair in pairs], minlength=len(papers))
        frequency = np.maximum(counts, 1) / len(pairs)
        self._log_frequency = torch.from_numpy(np.log(frequency).astype(np.float32))
        self._chance = float(np.log(settings.random_papers / len(papers)))

    def loss(self, contexts: torch.Tensor, pairs: Sequence[Pair], rng: torch.Generator) -> Any:  # noqa: ANN401
        """Return the cross-entropy of each query's paper among those of the batch and chance.

        Or of each of its papers among all. Whatever else a context cites is no negative for it.
        """
        import torch

        if self._whole is not None:
            return self._among_all(contexts, self._whole, pairs)
        size = self._settings.random_papers
        cited = torch.tensor([pair.paper for pair in pairs])
        others = torch.randint(0, len(self._papers), (size,), generator=rng)
        rows = torch.cat([cited, others])
        vectors = torch.from_numpy(np.asarray(self._papers[rows.numpy()], dtype=np.float32))
        vectors = torch.nn.functional.normalize(vectors, dim=1).to(self._device)
        correction = torch.cat(
            [
                self._log_frequency[cited] + float(np.log(len(pairs))),
                torch.full((size,), self._chance),
            ]
        )
        logits = contexts @ vectors.T / self._settings.temperature - correction.to(self._device)
        logits = logits.masked_fill(_own(pairs, rows.tolist()).to(self._device), -1e9)
        return torch.nn.functional.cross_entropy(
            logits, torch.arange(len(pairs), device=self._device)
        )

    def _among_all(
        self, contexts: torch.Tensor, papers: torch.Tensor, pairs: Sequence[Pair]
    ) -> Any:  # noqa: ANN401
        import torch

        logits = contexts @ papers.T / self._settings.temperature
        cited = torch.zeros_like(logits, dtype=torch.bool)
        for number, pair in enumerate(pairs):
            cited[number, list(pair.cited)] = True
        others = torch.logsumexp(logits.masked_fill(cited, -1e9), dim=1, keepdim=True)
        each = (torch.logaddexp(logits, others) - logits) * cited
        return (each.sum(dim=1) / cited.sum(dim=1)).mean()


def _own(pairs: Sequence[Pair], rows: Sequence[int]) -> torch.Tensor:
    """Say which candidates a context cites too, beside the one that stands in its own place."""
    import torch

    places: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row, []).append(place)
    cited = torch.zeros(len(pairs), len(rows), dtype=torch.bool)
    for number, pair in enumerate(pairs):
        for row in pair.cited:
            for place in places.get(row, ()):
                cited[number, place] = place != number
    return cited
