"""Training the hierarchical encoder of MP-BERT4CR, sentences and documents together.

Examples are drawn anew each epoch, a sentence is tokenised once, and encoded once a batch, as is
each paper. With --frozen the sentence encoder does not learn, and a sentence is encoded once for
all.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import asdict, evolve, frozen

from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.encoder import Vectors
from cite_lsp.encode.kinds.hierarchical import FrozenSentences, Hierarchy, TokenMeans
from cite_lsp.encode.kinds.hierarchical_config import (
    DOCUMENT_FILE,
    KIND,
    SENTENCE_FOLDER,
    SENTENCE_WEIGHTS,
    HierarchicalConfig,
)
from cite_lsp.recommend.query.content import content_text
from cite_lsp.train.data.development import DevelopmentTask, context_task
from cite_lsp.train.data.sampling import NEGATIVES, Example, read_encoder_data
from cite_lsp.train.encoders.batch_learning import (
    EarlyStop,
    RunResult,
    fit,
    in_batches,
)
from cite_lsp.train.encoders.encoder_run import base_folder, load_model
from cite_lsp.train.encoders.losses import LOSSES, loss_of
from cite_lsp.train.published.cocitation import (
    CocitationNoise,
    ContentExamples,
    NegativePapers,
    cocited_in_sections,
)
from cite_lsp.train.run.card import OWN_LICENCE, Card, settings_line, write_config
from cite_lsp.train.run.encoding import Encode, computes_bfloat16
from cite_lsp.train.run.export import licence_of
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, Progress, TrainingError, require

if TYPE_CHECKING:
    from torch import Tensor


@frozen
class HierarchySettings:
    """How long and how fast to learn, and what the encoder is.

    `document_rate` is the rate of the document encoder, which nothing has trained before;
    `evaluations` is how often an epoch is measured on dev.
    """

    epochs: int = 4
    batch: int = 32
    learning_rate: float = 2e-5
    document_rate: float = 2e-4
    warmup: float = 0.1
    max_tokens: int = 64
    max_sentences: int = 12
    layers: int = 2
    evaluations: int = 2
    patience: int = 4
    negatives: int = NEGATIVES
    loss: str = "mpt"
    seed: int = 13


def run_hierarchical(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it gained.

    Raises:
        TrainingError: a package or the base is missing, or there is nothing to learn from or to
            measure on.
        OSError: the folder cannot be written.
    """
    settings = job.settings(HierarchySettings())
    if job.options.frozen:
        settings = evolve(settings, learning_rate=0.0)  # of the sentence encoder nothing learns
    base = _open_base(job, settings)
    data = read_encoder_data(job)
    task = context_task(data.dev, data.papers, seed=job.seed, text=content_text)
    noise = CocitationNoise(cocited_in_sections(data.train, set(data.pool)))
    negatives = NegativePapers(data.pool, settings.negatives, noise)
    examples = ContentExamples(data.train, negatives, settings.max_sentences)
    if not len(examples):
        raise TrainingError(
            "the contexts cite none of the papers; check that both name papers by the same ids"
        )
    hierarchy = Hierarchy(base.sentences, settings.max_sentences, settings.layers)
    result = _train(hierarchy, examples, data.texts, task, settings, job.progress)
    return _publish(job, hierarchy, task, settings, result, base)


@frozen
class _Base:
    """What encodes sentences, its name, and the licence of what is trained from it or above it."""

    sentences: TokenMeans | FrozenSentences
    name: str
    licence: str


def _open_base(job: Job, settings: HierarchySettings) -> _Base:
    name, tokens = job.options.base, settings.max_tokens
    if job.options.frozen:
        require("torch")
        encoder = load_encoder(name, threads=os.cpu_count() or 1, max_tokens=tokens)
        frozen = FrozenSentences(encoder)
        frozen.keep_on_disk()
        return _Base(frozen, encoder.name, OWN_LICENCE)
    folder, name = base_folder(name)
    licence = licence_of(folder) or "not declared by the base"
    return _Base(TokenMeans(load_model(folder, tokens), tokens), name, licence)


def _train(
    hierarchy: Hierarchy,
    examples: ContentExamples,
    texts: Mapping[str, str],
    task: DevelopmentTask,
    settings: HierarchySettings,
    progress: Progress,
) -> RunResult:
    """Train an encoder in place; it ends as the best on the development task.

    `texts` gives the texts of papers by id.
    """
    # Imported where needed: an extra has it, and loading it takes seconds.
    import torch

    torch.manual_seed(settings.seed)
    sentences, document = hierarchy.sentences, hierarchy.document
    learning = [{"params": document.parameters(), "lr": settings.document_rate}]
    networks = torch.nn.ModuleList([document])
    if isinstance(sentences, TokenMeans):
        networks.append(sentences.model)
        learning.append({"params": sentences.model.parameters(), "lr": settings.learning_rate})
    networks.eval()  # nothing is dropped
    table, encode, device = hierarchy.table(), _encode_with(hierarchy), sentences.device.type

    def vectors_of(read: Sequence[str]) -> Tensor:
        with torch.autocast(device, torch.bfloat16, enabled=computes_bfloat16(device)):
            return hierarchy.vectors(table, table.read(read)).float()

    return fit(
        torch.optim.AdamW(learning, weight_decay=0.01),
        lambda epoch: in_batches(_drawn(examples, settings, epoch), settings.batch),
        lambda batch: loss_of(batch, texts, vectors_of, LOSSES[settings.loss]),
        lambda: task.figures(encode),
        EarlyStop.with_warmup(
            settings.epochs, settings.evaluations, settings.patience, settings.warmup
        ),
        progress,
        examples=len(examples),
    )


def _drawn(examples: ContentExamples, settings: HierarchySettings, epoch: int) -> list[Example]:
    seed = f"contents {settings.seed} {epoch}"
    singles = examples.draw(seed)
    if settings.loss == "triplet":
        singles = [single for example in singles for single in example.single()]
    random.Random(seed).shuffle(singles)
    return singles


def _encode_with(hierarchy: Hierarchy) -> Encode:
    """Return the encoder in training as a function; what it reads it splits once."""
    import torch

    table, device = hierarchy.table(), hierarchy.sentences.device.type

    def encode(texts: Sequence[str]) -> Vectors:
        with torch.autocast(device, torch.bfloat16, enabled=computes_bfloat16(device)):
            return hierarchy.unit_vectors(table, texts)

    return encode


def _publish(
    job: Job,
    hierarchy: Hierarchy,
    task: DevelopmentTask,
    settings: HierarchySettings,
    result: RunResult,
    base: _Base,
) -> list[Figures]:
    """Write the encoder in sixteen bits with its card; returns what it gained, read again."""
    from safetensors.torch import save_file

    out, sentences = job.out, base.sentences
    files, checkpoint, card = [DOCUMENT_FILE], "", _ABOVE
    if isinstance(sentences, TokenMeans):
        sentences.model.half().save_pretrained(str(out / SENTENCE_FOLDER), create_model_card=False)
        files.append(SENTENCE_WEIGHTS)
        card = _WHOLE
    else:
        checkpoint = sentences.encoder.checkpoint
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: part.half().cpu() for name, part in hierarchy.document.state_dict().items()}
    save_file(weights, out / DOCUMENT_FILE)
    config = HierarchicalConfig(
        kind=KIND,
        name=out.name,
        dimensions=hierarchy.dimensions,
        max_tokens=settings.max_tokens,
        max_sentences=settings.max_sentences,
        layers=settings.layers,
        sha256={file: checksum_of(out / file) for file in files},
        base=base.name,
        base_checkpoint=checkpoint,
        licence=base.licence,
    )
    write_config(out, asdict(config))
    reread = task.figures(load_encoder(str(out)).encode)
    figures = {"base": result.before, "trained": result.after, "trained, as written": reread}
    card.write(
        out,
        job.origin,
        [Figures(figures, heading="form")],
        **asdict(result),
        **asdict(config),
        settings=settings_line(asdict(settings)),
        questions=len(task.questions),
        papers=task.papers,
    )
    return result.figures(out)


_WHOLE = Card(
    what="""\
An encoder of two levels: `{base}`, trained further, makes vectors of sentences (cut at {max_tokens}
tokens), and {layers} layers above it make one of those of a text (at most {max_sentences}).
{dimensions} dimensions. It runs by torch alone.""",
    data="{data}. {examples:,} contexts.",
    recipe="`{file}`, {settings}.",
    points={
        "Trained": """\
{steps:,} steps on {device}; the weights of step {best_step:,}, the best on dev."""
    },
    form="safetensors, float16: the sentence encoder in `sentences/`, the layers above it beside.",
    licence="""\
{licence}: that of the base, whose weights these are, trained further. No text of the data is in
it.""",
    measured="""\
Development task, a quick one ({questions} held-out contexts, {papers:,} papers, not comparable with
`cite-lsp eval`):""",
    files=(DOCUMENT_FILE, SENTENCE_WEIGHTS, "config.json"),
)
_ABOVE = evolve(
    _WHOLE,
    what="""\
{layers} layers above the sentence encoder `{base}`, which stays as it is (cut at {max_tokens}
tokens): they make one vector of those of a text's sentences (at most {max_sentences}).
{dimensions} dimensions. It runs by torch.""",
    form="safetensors, float16.",
    licence="{licence}. No text of the data is in it.",
    files=(DOCUMENT_FILE, "config.json"),
)
