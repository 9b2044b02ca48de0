"""Recipe `library-query-encoder`: places of drafts put near the entries that they cite.

What `query-encoder` has learned is which papers of a large pool a place cites, from papers of few
subjects. Real drafts are of all fields, and the question there is which entry of one library: each
place is compared with the entries of its own library alone, which are of its subject and so the
hardest negatives there are. It is InfoNCE (van den Oord et al. 2018) over their titles, and over
their titles with abstracts; entries keep the vectors of the base.

What ranks entries by these queries is to be learned from drafts that the encoder has not seen; so
one more encoder is trained for each fold of the drafts, and written to the folder `folds`.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.evaluate.metrics import hit_figures
from cite_lsp.evaluate.tasks.manuscripts import in_reading_order, masked_context
from cite_lsp.paths import shipped_model
from cite_lsp.project.citations import known_keys
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.query.encoder_input import QUERY_ENCODER, query_text_at
from cite_lsp.storage.compressed_files import stored_path
from cite_lsp.train.data.real_drafts import Drafts, split_drafts
from cite_lsp.train.encoders.batch_learning import Settings, learn_in_batches
from cite_lsp.train.encoders.eight_bits import in_eight_bits
from cite_lsp.train.encoders.encoder_run import base_folder, drafts_encoder, load_model
from cite_lsp.train.encoders.publish import EncoderDescription, publish_query_encoder
from cite_lsp.train.encoders.query_folds import FOLDS, MAX_TOKENS, fold_of, now_and_then
from cite_lsp.train.run.encoding import Encode
from cite_lsp.train.run.export import ExportedModel, GraphForm, export, licence_of
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import LEARNING
from cite_lsp.train.run.read_back import read_back
from cite_lsp.train.run.report import Figures, OptionError, Progress, Steps, TrainingError

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

    from cite_lsp.encode.cached_encoder import CachedEncoder

NAME = "library-query-encoder"
TAKES = ("manuscripts", "without", *LEARNING)
_FOLDS = "folds"
"""The folder, in that of the encoder, of the encoders of the folds: one a subfolder."""
LEARNED_FROM, MEASURED_ON = 150, 40
"""Places of a draft, at most."""
SETTINGS = Settings(batch=32, learning_rate=3e-5, random_papers=0)
"""How long and how fast, unless options say otherwise."""


@frozen(eq=False)
class LibraryVectors:
    """The vectors of the entries of a library: of titles, and of titles with abstracts, (n, d)."""

    titles: Vectors
    full: Vectors


@frozen(eq=False)
class CitingPlace:
    """A place of a draft: its query text, its library, and the rows there of what it cites, (c,).

    forward: whether the text behind it was not there yet.
    """

    text: str
    library: LibraryVectors
    cited: NDArray[np.int64]
    forward: bool


Places = Mapping[str, Sequence[CitingPlace]]
"""The places of drafts, by the names of these."""


def run(job: Job) -> list[Figures]:
    """Train, write the encoder with its card; returns what it is worth beside its base."""
    options, settings = job.options, job.settings(SETTINGS)
    if options.manuscripts is None:
        raise OptionError(f"{NAME} learns from drafts; name their folder: --manuscripts")
    dealt = split_drafts(options.manuscripts, options.without, job.report)
    encoder = drafts_encoder()
    learn = read_places(
        dealt.learn, encoder, LEARNED_FROM, settings.seed, partial(job.progress, "learned from")
    )
    check = [
        place
        for places in read_places(
            dealt.check,
            encoder,
            MEASURED_ON,
            settings.seed,
            partial(job.progress, "measured on"),
            twice=True,
        ).values()
        for place in places
    ]
    if not check:
        raise TrainingError("no draft that is measured on cites its bibliography; give more drafts")
    base, _ = base_folder("default")
    model = train(learn, base, job.out, settings, job.progress)
    about = EncoderDescription(
        name=NAME,
        what=_WHAT,
        base_name=QUERY_ENCODER,
        licence=licence_of(base) or "not declared by the base",
        terms=_TERMS,
        settings=asdict(settings),
        contexts=sum(map(len, learn.values())),
        measured=_MEASURED.format(count=len(check) // 2, drafts=len(dealt.check)),
    )
    return publish_query_encoder(
        job,
        model,
        about,
        partial(figures, check),
        {QUERY_ENCODER: OnnxEncoder(shipped_model(QUERY_ENCODER)).encode},
    )


def read_places(
    drafts: Drafts,
    encoder: CachedEncoder,
    most: int,
    seed: int,
    progress: Steps,
    *,
    twice: bool = False,
) -> Places:
    """Read some of the places of drafts that cite their libraries, `most` of each.

    A place is seen with the rest of the draft there or writing forward, by chance; or `twice`.
    """
    read = {}
    for number, (name, files) in enumerate(drafts.items()):
        rng = random.Random(f"{seed} {name}")
        read[name] = list(_places_of(files, encoder, most, rng, twice))
        progress(number + 1, len(drafts))
    return read


def _places_of(
    files: Sequence[Path], encoder: CachedEncoder, most: int, rng: random.Random, twice: bool
) -> Iterator[CitingPlace]:
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    markers = in_reading_order(files, recommender)
    libraries: dict[int, LibraryVectors] = {}
    for index in sorted(rng.sample(range(len(markers)), min(most, len(markers)))):
        _, draft, marker = markers[index]
        pool = recommender.pool(draft.library)
        cited = pool.rows(known_keys(draft, marker))
        if len(cited) == len(pool):
            continue
        if id(pool) not in libraries:
            pool.embed(encoder)
            assert pool.title_vectors is not None and pool.full_vectors is not None
            libraries[id(pool)] = LibraryVectors(pool.title_vectors, pool.full_vectors)
        for forward in (False, True) if twice else (rng.random() < 0.5,):
            context = masked_context(draft, marker, forward=forward)
            text = query_text_at(context.left, context.right, context.title)
            rows = np.asarray(cited, dtype=np.int64)
            yield CitingPlace(text, libraries[id(pool)], rows, forward)


def train(
    learn: Places, base: Path, out: Path, settings: Settings, progress: Progress
) -> SentenceTransformer:
    """Train the encoders of the folds, written to `out`, and that of all drafts, which is returned.

    All begin as the query encoder that ships, `base` is the checkpoint that this was trained from.

    Raises:
        TrainingError: a package is missing, or too few drafts cite their bibliographies.
        OSError: `out` cannot be written.
    """

    def fitted(places: Sequence[CitingPlace], epochs: int, stage: str) -> SentenceTransformer:
        if not places:
            raise TrainingError("too few drafts cite their bibliographies; give more drafts")
        model = load_model(base, MAX_TOKENS)
        read_back(stored_path(shipped_model(QUERY_ENCODER) / "model.onnx"), model)
        fit(model, places, settings, epochs, now_and_then(progress, stage))
        return model

    for fold in range(FOLDS):
        ours = [
            place for name, places in learn.items() if fold_of(name) != fold for place in places
        ]
        model = fitted(ours, settings.fold_epochs, f"fold {fold + 1} of {FOLDS}")
        _write_fold(model, out / _FOLDS / str(fold))
    everything = [place for places in learn.values() for place in places]
    return fitted(everything, settings.epochs, "all drafts")


def _write_fold(model: SentenceTransformer, folder: Path) -> None:
    original = folder / "torch"
    model.float().save_pretrained(str(original), create_model_card=False)
    form = GraphForm(two_segments=True)
    export(original, folder, ExportedModel(f"{NAME}-{folder.name}", QUERY_ENCODER, ""), form=form)
    shutil.rmtree(original)


def query_encoder_of_fold(folder: Path, draft: str) -> Path:
    """Return the folder of the encoder that has not seen a draft, by its name.

    Raises:
        TrainingError: there is none.
    """
    fold_folder = folder / _FOLDS / str(fold_of(draft))
    if not (fold_folder / "model.onnx").is_file():
        raise TrainingError(
            f"{folder / _FOLDS}: has no encoders of folds; name the folder that `cite-lsp train"
            f" {NAME}` wrote"
        )
    return fold_folder


def fit(
    model: SentenceTransformer,
    places: Sequence[CitingPlace],
    settings: Settings,
    epochs: int,
    progress: Steps = lambda done, total: None,
) -> None:
    """Train a model in place so that places come to lie near the entries that they cite."""
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    torch.manual_seed(settings.seed)
    rng = torch.Generator().manual_seed(settings.seed)
    entries = {
        id(place.library): torch.from_numpy(
            np.stack([place.library.titles, place.library.full]).astype(np.float32)
        ).to(model.device)
        for place in places
    }

    def loss_of(vectors: torch.Tensor, batch: Sequence[int]) -> torch.Tensor:
        rows = [places[place] for place in batch]
        losses = [
            _loss(vector, entries[id(place.library)], place.cited, settings.temperature)
            for vector, place in zip(vectors, rows, strict=True)
        ]
        return torch.stack(losses).mean()

    texts = [place.text for place in places]
    with in_eight_bits(model):
        learn_in_batches(model, texts, settings, epochs, loss_of, rng, progress)


def _loss(
    vector: torch.Tensor, entries: torch.Tensor, cited: NDArray[np.int64], temperature: float
) -> torch.Tensor:
    """Return the negative logarithm of the share of what is cited, the mean of both softmaxes.

    `vector` is that of a place, (d,), `entries` are those of its library, of titles and of titles
    with abstracts, (2, n, d), and `cited` the rows of what it cites, (c,).
    """
    import torch

    logits = entries @ vector / temperature
    right = logits[:, torch.from_numpy(cited).to(logits.device)]
    return (torch.logsumexp(logits, 1) - torch.logsumexp(right, 1)).mean()


def figures(places: Sequence[CitingPlace], encode: Encode) -> dict[str, float]:
    """Return how well entries are ranked by the cosine of titles with abstracts alone."""
    ranks = []
    for place, vector in zip(places, encode([place.text for place in places]), strict=True):
        cosines = place.library.full @ vector
        ranks.append(1 + int((cosines > cosines[place.cited].max()).sum()))
    by_direction = {
        behind: hit_figures(
            [rank for rank, place in zip(ranks, places, strict=True) if place.forward == forward]
        )
        for behind, forward in (("", False), (", forward", True))
    }
    return {
        f"{name}{behind}": figures[name]
        for behind, figures in by_direction.items()
        for name in ("hit@1", "hit@5", "mrr")
        if figures
    }


_WHAT = f"""\
Where in a writer's library the entries lie that a place of a draft cites: `{QUERY_ENCODER}`,
trained further on the places of real drafts, each against the entries of its own library."""
_TERMS = """\
that of the base, whose weights these are, trained further. No text of the data is in it."""
_MEASURED = """\
{count:,} places of {drafts} other drafts, the entries of their libraries ranked by this cosine
alone; *forward*, as if the draft ended there:"""
