"""Writing a trained encoder as the model zoo has them: both runtimes, figures, and a card.

`out` gets `model.onnx` (int8 per channel), `tokenizer.json` and `config.json` for the CPU, the
weights as safetensors in `torch/` for a GPU, `training.json` (settings, figures), and `README.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict

from cite_lsp.encode.checkpoints import TORCH, read_config
from cite_lsp.encode.onnx import OnnxEncoder
from cite_lsp.train.data.development import DevelopmentTask
from cite_lsp.train.encoders.encoder_run import RunResult, RunSettings
from cite_lsp.train.run.card import Origin, figures_table, file_row, settings_line, write_record
from cite_lsp.train.run.checkpoints import finish
from cite_lsp.train.run.export import export, licence_of
from cite_lsp.train.run.recipes import recipe_file

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_FIDELITY = 100
"""Papers on which the int8 form is compared with the original."""
_CARD = """\
# {name}

A sentence encoder: `{base}`, trained further by recipe `{recipe}`.
{dimensions} dimensions, texts cut at {max_tokens} tokens.

- **Data** {data}. {examples:,} examples.
- **Recipe** `{file}`, {settings}.
- **Command** `{command}`
- **Trained** {steps:,} steps on {device}; the checkpoint of step {best_step:,}, the best on dev.
- **Form** `model.onnx`, int8 per channel (mean cosine to the original {cosine:.4f} over {texts}
  texts); `torch/`, the weights as safetensors.
- **Licence** {licence}: that of the base, whose weights these are, trained further. No text of
  the data is in it.

Development task, a quick one ({questions} held-out contexts, {papers:,} papers, not comparable with
`cite-lsp eval`; what that finds is in docs/research/published-methods.md):

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def publish(
    model: SentenceTransformer,
    out: Path,
    recipe: str,
    base_name: str,
    base: Path,
    settings: RunSettings,
    result: RunResult,
    task: DevelopmentTask,
    origin: Origin,
    **more: Any,  # noqa: ANN401 - settings of the recipe alone
) -> None:
    """Write the trained model to `out`, measured in the form that ships too; the run is over.

    Raises:
        OSError: it cannot be written.
    """
    original = out / TORCH
    model.to("cpu").float().save_pretrained(str(original), create_model_card=False)
    licence = licence_of(base) or "not declared by the base"
    fidelity = export(
        original,
        out,
        name=out.name,
        source=base_name,
        texts=task.texts[: min(_FIDELITY, task.papers)],
        licence=licence,
    )
    shipped = task.figures(OnnxEncoder(out).encode)
    figures = {"base": result.before, "trained": result.after, "trained, int8": shipped}
    learned = asdict(settings) | more
    about = {"recipe": recipe, "base": base_name, "settings": learned, "run": asdict(result)}
    write_record(out, origin, figures, **about)
    config = read_config(out)
    text = _CARD.format(
        name=out.name,
        base=base_name,
        recipe=recipe,
        file=recipe_file(recipe),
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
        data=origin.data,
        command=origin.command,
        settings=settings_line(learned),
        licence=licence,
        cosine=fidelity.mean if fidelity else float("nan"),
        texts=fidelity.texts if fidelity else 0,
        questions=len(task.questions),
        papers=task.papers,
        table=figures_table("form", figures),
        files="\n".join(file_row(out, path) for path in _files(out)),
        **asdict(result, filter=lambda attribute, _: attribute.name not in ("before", "after")),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
    finish(out)


def _files(out: Path) -> list[Path]:
    inside = [out / name for name in ("model.onnx", "tokenizer.json", "config.json")]
    return [*inside, *sorted((out / TORCH).glob("*.safetensors"))]
