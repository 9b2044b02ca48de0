"""Training a sentence encoder: what every encoder recipe shares, whatever its loss and examples.

The trainer is that of sentence-transformers. A run writes checkpoints as it goes; the same command
after a kill goes on from the last one that is whole. It computes in bfloat16 on a GPU, and on a
CPU that has instructions for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.checkpoints import DEFAULT, TORCH, find
from cite_lsp.encode.devices import cuda_fault, wanted_device
from cite_lsp.encode.encoder import EncoderError
from cite_lsp.encode.load import load_encoder
from cite_lsp.train.data.development import DevelopmentTask
from cite_lsp.train.encoders.losses import triplets
from cite_lsp.train.run.encoding import computes_bfloat16, encode_with
from cite_lsp.train.run.export import ExportError, default_source, find_source
from cite_lsp.train.run.job import CHECKPOINTS, Job, last_checkpoint
from cite_lsp.train.run.report import Figures, Progress, TrainingError, require

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainingArguments
    from sentence_transformers.base.evaluation import BaseEvaluator

Columns = Mapping[str, Sequence[str]]
"""Equally long columns of texts, in the order in which the loss takes them."""

_FIGURE = "mrr@10"
"""What early stop and the choice of the best checkpoint go by."""


@frozen
class RunSettings:
    """How long and how fast to learn. `evaluations` is how often an epoch is measured on dev."""

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 2e-5
    warmup: float = 0.1
    max_tokens: int = 192
    evaluations: int = 4
    patience: int = 4
    seed: int = 13

    @classmethod
    def of(cls, job: Job) -> RunSettings:
        """Return the settings in the options of a job."""
        names = ("epochs", "batch", "learning_rate", "max_tokens", "patience", "seed")
        return cls(**job.chosen(*names))


@frozen
class RunResult:
    """Figures on dev before training and with the best checkpoint, and when that was.

    `resumed_from` is the step from which the last call went on, 0 if none went before it.
    """

    before: dict[str, float]
    after: dict[str, float]
    best_step: int
    steps: int
    examples: int
    device: str
    resumed_from: int = 0

    def figures(self, out: Path, what: str = "trained") -> list[Figures]:
        """Return what `what` was trained in a folder is worth beside its base."""
        note = f"{out}: step {self.best_step:,} of {self.steps:,}, on {self.device}"
        return [Figures({"base": self.before, what: self.after}, note=note)]


PACKAGES = ("torch", "sentence_transformers", "accelerate", "datasets")
"""What training an encoder needs beside the base install; the extra `train` has them."""


def drafts_encoder() -> CachedEncoder:
    """Return the default encoder on all cores, which keeps what it embeds of drafts and papers.

    Raises:
        EncoderError: it cannot be loaded.
    """
    return CachedEncoder(
        load_encoder(threads=os.cpu_count() or 1), memory_size=200_000, disk_size=500_000
    )


def base_folder(base: str) -> tuple[Path, str]:
    """Return the folder of a checkpoint to start from, and what to call it in a card.

    "default" is the bundled encoder's original; otherwise a name, a folder, or the hub id
    of one that was fetched before.

    Raises:
        TrainingError: there is none, it has no safetensors weights, or training needs a package.
    """
    require(*PACKAGES)
    try:
        if base in ("default", DEFAULT):
            return default_source(), f"sentence-transformers/{DEFAULT}"
        try:
            original = next(
                (checkpoint for checkpoint in find(base) if checkpoint.kind == TORCH), None
            )
        except EncoderError:
            original = None
        if original is not None:
            return original.folder, original.name
        folder = find_source(base)
        return folder, folder.resolve().name if Path(base).is_dir() else base
    except ExportError as error:
        raise TrainingError(str(error)) from error


def load_model(folder: Path, max_tokens: int) -> SentenceTransformer:
    """Load a checkpoint for training on the device that `CITE_LSP_DEVICE` says.

    Raises:
        TrainingError: a package is missing, the device cannot be used, or the folder is no encoder.
    """
    require(*PACKAGES)
    # Imported where it trains: an extra has it, and loading it takes seconds.
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]  # one a file; ours is that of training
    device = _device()
    # Fused attention is faster on a GPU; on a CPU its backward pass takes a third longer.
    attention = {"attn_implementation": "eager"} if device == "cpu" else {}
    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, **attention},
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise TrainingError(
            f"{folder}: cannot be loaded ({reason}); name another --base"
        ) from error
    model.max_seq_length = min(max_tokens, model.max_seq_length or max_tokens)
    return model


def train_encoder(
    model: SentenceTransformer,
    examples: Columns,
    development: DevelopmentTask,
    out: Path,
    settings: RunSettings,
    progress: Progress = lambda stage, done, total: None,
) -> RunResult:
    """Train the model in place by the triplet loss; it ends as the best on `development`.

    Checkpoints stand in `out/checkpoints`, which are the run's own already (`claim`).

    Raises:
        TrainingError: there are no examples.
        OSError: `out` cannot be written.
    """
    count = len(next(iter(examples.values()), ()))
    if not count:
        raise TrainingError(
            "the contexts cite none of the papers; check that both name papers by the same ids"
        )
    folder = out / CHECKPOINTS
    folder.mkdir(parents=True, exist_ok=True)
    turn_off_dropout(model)
    progress("measuring the base", 0, 0)
    before = development.figures(encode_with(model))
    trainer = _trainer(model, examples, development, folder, settings)
    _report_to(trainer, progress)
    last = last_checkpoint(folder)
    trainer.train(resume_from_checkpoint=str(last[1]) if last else None)
    state = trainer.state
    return RunResult(
        before=before,
        after=development.figures(encode_with(model.eval())),
        best_step=int(state.best_global_step or state.global_step),
        steps=int(state.global_step),
        examples=count,
        device=str(model.device.type),
        resumed_from=last[0] if last else 0,
    )


def _trainer(
    model: SentenceTransformer,
    examples: Columns,
    development: DevelopmentTask,
    folder: Path,
    settings: RunSettings,
) -> Any:  # noqa: ANN401 - a class made here
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer
    from transformers import EarlyStoppingCallback, PrinterCallback, ProgressCallback

    class Trainer(SentenceTransformerTrainer):
        """The trainer without cards of its own, for which it would look around the network."""

        def add_model_card_callback(self, *_: object) -> None:
            pass

        def _save(self, output_dir: str | None = None, state_dict: object = None) -> None:
            where = output_dir or str(self.args.output_dir)
            self.model.save_pretrained(where, create_model_card=False)

    rows = Dataset.from_dict(dict(examples))
    steps = -(-len(rows) // settings.batch)
    trainer = Trainer(
        model=model,
        args=_arguments(folder, settings, steps, model.device.type),
        train_dataset=rows,
        loss=triplets(model),
        evaluator=_evaluator(development),
        callbacks=[EarlyStoppingCallback(early_stopping_patience=settings.patience)],
    )
    for callback in (PrinterCallback, ProgressCallback):  # stdout belongs to results
        trainer.remove_callback(callback)
    return trainer


def _arguments(
    folder: Path, settings: RunSettings, steps: int, device: str
) -> SentenceTransformerTrainingArguments:
    """Return the settings in the trainer's words; an epoch has so many `steps`."""
    from sentence_transformers import SentenceTransformerTrainingArguments

    every = max(1, steps // settings.evaluations)
    return SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch,
        learning_rate=settings.learning_rate,
        warmup_steps=round(settings.warmup * steps * settings.epochs),
        seed=settings.seed,
        data_seed=settings.seed,
        bf16=computes_bfloat16(device),
        use_cpu=device != "cuda",
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        restore_callback_states_from_checkpoint=True,  # how often nothing was gained
        metric_for_best_model=f"eval_{_FIGURE}",
        greater_is_better=True,
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )


def _evaluator(development: DevelopmentTask) -> BaseEvaluator:
    from sentence_transformers.base.evaluation import BaseEvaluator

    class OnDevelopment(BaseEvaluator):
        """Measures the model on the development task."""

        def __call__(
            self,
            model: Any,  # noqa: ANN401 - the base class of every kind of model
            output_path: str | None = None,
            epoch: int = -1,
            steps: int = -1,
        ) -> dict[str, float]:
            return development.figures(encode_with(model))

    return OnDevelopment()  # type: ignore[no-untyped-call]


def turn_off_dropout(model: SentenceTransformer) -> None:
    """Drop nothing in any layer: drawing the random numbers takes two thirds of a step on a CPU."""
    from torch import nn

    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0


def _report_to(trainer: Any, progress: Progress) -> None:  # noqa: ANN401 - see `_trainer`
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):
        """Reports the progress of training, and the figures on dev."""

        figure = ""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: object) -> None:  # noqa: ANN401
            progress(f"training{self.figure}", state.global_step, state.max_steps)

        def on_evaluate(
            self,
            args: Any,  # noqa: ANN401
            state: Any,  # noqa: ANN401
            control: Any,  # noqa: ANN401
            metrics: Mapping[str, float] | None = None,
            **_: object,
        ) -> None:
            figure = (metrics or {}).get(f"eval_{_FIGURE}")
            if figure is not None:
                self.figure = f" (dev {_FIGURE} {figure:.3f})"

    trainer.add_callback(Reporter())


def _device() -> str:
    wanted = wanted_device()
    fault = cuda_fault() if wanted != "cpu" else "not wanted"
    if wanted == "cuda" and fault:
        raise TrainingError(f"device cuda cannot be used: {fault}; or set CITE_LSP_DEVICE=cpu")
    return "cpu" if fault else "cuda"
