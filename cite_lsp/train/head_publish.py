"""Writing a trained head as the model zoo has them: the matrix, figures, and a card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import asdict

from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.headed import HEAD_FILE, KIND, HeadConfig, write_head
from cite_lsp.encode.model import Encoder
from cite_lsp.train.card import Origin, figures_table, file_row, settings_line, write_record
from cite_lsp.train.config import write_config
from cite_lsp.train.encoder_run import RunResult
from cite_lsp.train.heads import HeadSettings, Matrix

LICENCE = "Apache-2.0"
_MODULES = {
    "tanaka-phase1": "tanaka_heads",
    "tanaka-phase2": "tanaka_heads",
    "mp-bert4cr": "mp_bert4cr",
}
_CARD = """\
# {name}

A head on the encoder `{base}`: a linear map of its vectors, trained by recipe `{recipe}`.
{dimensions} dimensions. Papers that the encoder has embedded need not be embedded again.

- **Data** {data}. {examples:,} examples.
- **Recipe** `cite_lsp/train/recipes/{module}.py`, {settings}.
- **Command** `{command}`
- **Trained** {steps:,} steps; the head of step {best_step:,}, the best on development contexts.
- **Form** safetensors, one matrix, {rows} × {dimensions}, float16.
- **Licence** {licence}. No text of the data is in it.

Development contexts, {task}:

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def publish_head(
    matrix: Matrix,
    out: Path,
    recipe: str,
    base: Encoder,
    settings: HeadSettings,
    result: RunResult,
    origin: Origin,
    *,
    task: str,
    **more: Any,  # noqa: ANN401 - settings of the recipe alone
) -> None:
    """Write a head to `out`; `task` says in the card what the figures are of.

    Raises:
        OSError: it cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_head(out / HEAD_FILE, matrix)
    config = HeadConfig(
        kind=KIND,
        name=out.name,
        base=base.name,
        base_checkpoint=base.checkpoint,
        dimensions=matrix.shape[1],
        sha256={HEAD_FILE: checksum_of(out / HEAD_FILE)},
        licence=LICENCE,
    )
    write_config(out, asdict(config))
    figures = {"base": result.before, "head": result.after}
    learned = asdict(settings) | more
    about = {
        "recipe": recipe,
        "base": base.fingerprint,
        "settings": learned,
        "run": asdict(result),
    }
    write_record(out, origin, figures, **about)
    text = _CARD.format(
        name=out.name,
        base=base.name,
        recipe=recipe,
        module=_MODULES[recipe],
        dimensions=matrix.shape[1],
        rows=matrix.shape[0],
        data=origin.data,
        examples=result.examples,
        settings=settings_line(learned),
        command=origin.command,
        steps=result.steps,
        best_step=result.best_step,
        licence=LICENCE,
        task=task,
        table=figures_table("", figures),
        files="\n".join(file_row(out, out / name) for name in (HEAD_FILE, "config.json")),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
