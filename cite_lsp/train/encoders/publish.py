"""Writing what a recipe has trained as the model zoo has it: weights, figures, and a card.

An encoder is written for both runtimes: `model.onnx` (int8 per channel), `tokenizer.json` and
`config.json` for the CPU, the weights as safetensors in `torch/` for a GPU. A query encoder is
written for the CPU alone, a head as the matrices that it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve, frozen

from cite_lsp.encode.checkpoints import TORCH, checksum_of
from cite_lsp.encode.encoder import Encoder
from cite_lsp.encode.kinds.headed import (
    HEAD_FILE,
    HIDDEN_FILE,
    KIND,
    HeadConfig,
    Network,
    write_head,
    write_network,
)
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.train.data.development import DevelopmentTask
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders.batch_learning import RunResult
from cite_lsp.train.encoders.encoder_run import (
    RunSettings,
    base_folder,
    load_model,
    train_encoder,
)
from cite_lsp.train.encoders.head_network import NetworkSettings
from cite_lsp.train.encoders.linear_head import HeadSettings, Matrix
from cite_lsp.train.encoders.losses import of_their_own_length
from cite_lsp.train.run.card import OWN_LICENCE, Card, settings_line, write_config
from cite_lsp.train.run.encoding import Encode, encode_cut, encode_segments
from cite_lsp.train.run.export import ExportedModel, GraphForm, export, licence_of
from cite_lsp.train.run.job import CHECKPOINTS, Job
from cite_lsp.train.run.report import Figures

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_EXPORTED = ("model.onnx", "tokenizer.json", "config.json")


@frozen
class Base:
    """The encoder that a training starts from: its folder, what a card calls it, and the model."""

    folder: Path
    name: str
    model: SentenceTransformer


def open_base(job: Job) -> Base:
    """Open the checkpoint that a job starts from.

    Raises:
        TrainingError: there is none, or a package is missing.
    """
    folder, name = base_folder(job.options.base)
    return Base(folder, name, load_model(folder, job.settings(RunSettings()).max_tokens))


def train_and_publish(
    job: Job,
    base: Base,
    examples: Iterable[Example],
    texts: Mapping[str, str],
    development: DevelopmentTask,
    *,
    negatives: int,
) -> list[Figures]:
    """Train an encoder, write it as it ships; returns what it gained.

    `texts` gives the texts of papers by id; an example has at most so many `negatives`. On
    `development` the form that ships is measured once more.

    Raises:
        TrainingError: there are no examples.
        OSError: the folder cannot be written.
    """
    model, out, recipe = base.model, job.out, job.options.recipe
    settings = job.settings(RunSettings())
    with of_their_own_length(model):
        result = train_encoder(model, examples, texts, development, settings, job.progress)
    original = out / TORCH
    model.to("cpu").float().save_pretrained(str(original), create_model_card=False)
    licence = licence_of(base.folder) or "not declared by the base"
    config = export(original, out, ExportedModel(out.name, base.name, licence))
    shipped = development.figures(OnnxEncoder(out).encode)
    figures = {"base": result.before, "trained": result.after, "trained, int8": shipped}
    learned = asdict(settings) | {"negatives": negatives}
    weights = sorted((out / TORCH).glob("*.safetensors"))
    card = evolve(_ENCODER, files=(*_EXPORTED, *(f"{TORCH}/{path.name}" for path in weights)))
    card.write(
        out,
        job.origin,
        [Figures(figures, heading="form")],
        **asdict(result),
        base=base.name,
        recipe=recipe,
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
        settings=settings_line(learned),
        licence=licence,
        questions=len(development.questions),
        papers=development.papers,
    )
    return result.figures(out)


_ENCODER = Card(
    what="""\
A sentence encoder: `{base}`, trained further by recipe `{recipe}`.
{dimensions} dimensions, texts cut at {max_tokens} tokens.""",
    data="{data}. {examples:,} examples.",
    recipe="`{file}`, {settings}.",
    points={
        "Trained": """\
{steps:,} steps on {device}; the weights of step {best_step:,}, the best on dev."""
    },
    form="""\
`model.onnx`, int8 per channel; `torch/`, the weights as safetensors.""",
    licence="""\
{licence}: that of the base, whose weights these are, trained further. No text of the data is in
it.""",
    measured="""\
Development task, a quick one ({questions} held-out contexts, {papers:,} papers, not comparable with
`cite-lsp eval`; what that finds is in docs/research/published-methods.md):""",
    files=_EXPORTED,
)


@frozen
class EncoderDescription:
    """What a recipe of a query encoder has made, for its card.

    name: of the encoder. what: a sentence on what the encoder does.
    base_name: what it began as. licence: its identifier, `terms` why it is that one.
    settings: of the run. contexts: how many it has learned from. measured: what the figures are of.
    words: how texts are cut for it (`OnnxConfig.words`).
    """

    name: str
    what: str
    base_name: str
    licence: str
    terms: str
    settings: Mapping[str, Any]
    contexts: int
    measured: str
    words: str = ""


AGAINST_THE_POOL = """\
Held-out contexts against the whole pool by this cosine alone, candidates as in `{task}`;
*unseen* are those whose papers no training document cites:"""
"""What the figures are of where papers of a pool are searched."""


def publish_query_encoder(
    job: Job,
    model: SentenceTransformer,
    description: EncoderDescription,
    measure: Callable[[Encode], dict[str, float]],
    before: Mapping[str, Encode],
) -> list[Figures]:
    """Write the encoder, measure it beside those `before` it, and return the figures.

    `held-out.safetensors` stays beside it for the rankers' recipes; it does not ship.

    Raises:
        OSError: it cannot be written.
    """
    out = job.out
    scratch = out / CHECKPOINTS / TORCH
    shutil.rmtree(scratch, ignore_errors=True)
    model.to("cpu").float().save_pretrained(str(scratch), create_model_card=False)
    config = export(
        scratch,
        out,
        ExportedModel(
            description.name, f"{description.base_name}, trained further", description.licence
        ),
        form=GraphForm(two_segments=True, words=description.words, states=True),
    )
    trained = encode_segments(model)
    if description.words:
        trained = encode_cut(trained, model.tokenizer.get_vocab())
    figures = {name: measure(encode) for name, encode in before.items()}
    figures["trained"] = measure(trained)
    figures["trained, int8"] = measure(OnnxEncoder(out).encode)
    return _QUERY_ENCODER.write(
        out,
        job.origin,
        [Figures(figures, heading="form")],
        **asdict(description) | {"settings": settings_line(description.settings)},
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
    )


_QUERY_ENCODER = Card(
    what="""\
{what}
For queries only: papers are not to be encoded by it. {dimensions} dimensions, texts cut at
{max_tokens} tokens.""",
    data="{data}. {contexts:,} contexts.",
    recipe="`{file}`, {settings}.",
    form="""\
`model.onnx`, int8 per channel; it gives the states of tokens before pooling, too, as `states`.""",
    licence="{licence}: {terms}",
    measured="{measured}",
    files=_EXPORTED,
)


def publish_head(
    job: Job,
    head: Matrix | Network,
    base: Encoder,
    settings: HeadSettings | NetworkSettings,
    result: RunResult,
    *,
    task: str,
    **more: Any,  # noqa: ANN401 - settings of the recipe alone
) -> list[Figures]:
    """Write a head; returns what it gained. `task` says in the card what the figures are of.

    Raises:
        OSError: it cannot be written.
    """
    out, recipe = job.out, job.options.recipe
    out.mkdir(parents=True, exist_ok=True)
    matrices: dict[str, Matrix]
    if isinstance(head, Network):
        matrices = {HIDDEN_FILE: head.hidden, HEAD_FILE: head.out}
        write_network(out, head)
    else:
        matrices = {HEAD_FILE: head}
        write_head(out / HEAD_FILE, head)
    config = HeadConfig(
        kind=KIND,
        name=out.name,
        base=base.name,
        base_checkpoint=base.checkpoint,
        dimensions=matrices[HEAD_FILE].shape[1],
        sha256={file: checksum_of(out / file) for file in matrices},
        licence=OWN_LICENCE,
        hidden=len(head.out) if isinstance(head, Network) else 0,
    )
    write_config(out, asdict(config))
    figures = {"base": result.before, "head": result.after}
    learned = asdict(settings) | more
    layer = f"a layer of {config.hidden:,} hidden units on" if config.hidden else "a linear map of"
    evolve(_HEAD, files=(*matrices, "config.json")).write(
        out,
        job.origin,
        [Figures(figures, heading="")],
        **asdict(result),
        base=base.name,
        recipe=recipe,
        dimensions=config.dimensions,
        kind=layer,
        shapes=" and ".join(
            f"{len(matrix):,} × {matrix.shape[1]:,}" for matrix in matrices.values()
        ),
        settings=settings_line(learned),
        licence=OWN_LICENCE,
        task=task,
    )
    return result.figures(out, "head")


_HEAD = Card(
    what="""\
A head on the encoder `{base}`: {kind} its vectors, trained by recipe `{recipe}`.
{dimensions} dimensions. Papers that the encoder has embedded need not be embedded again.""",
    data="{data}. {examples:,} examples.",
    recipe="`{file}`, {settings}.",
    points={
        "Trained": """\
{steps:,} steps; the head of step {best_step:,}, the best on development contexts."""
    },
    form="safetensors, {shapes}, float16.",
    licence="{licence}. No text of the data is in it.",
    measured="Development contexts, {task}:",
    files=(),
)
