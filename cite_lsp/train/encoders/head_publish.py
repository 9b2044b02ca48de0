"""Writing a trained head as the model zoo has them: its matrices, figures, and a card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import asdict

from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.headed import (
    HEAD_FILE,
    HIDDEN_FILE,
    KIND,
    HeadConfig,
    Network,
    write_head,
    write_network,
)
from cite_lsp.encode.model import Encoder
from cite_lsp.train.encoders.encoder_run import RunResult
from cite_lsp.train.encoders.heads import HeadSettings, Matrix
from cite_lsp.train.encoders.network import NetworkSettings
from cite_lsp.train.run.card import Origin, figures_table, file_row, settings_line, write_record
from cite_lsp.train.run.config import write_config
from cite_lsp.train.run.recipes import recipe_file

LICENCE = "Apache-2.0"
_CARD = """\
# {name}

A head on the encoder `{base}`: {kind} its vectors, trained by recipe `{recipe}`.
{dimensions} dimensions. Papers that the encoder has embedded need not be embedded again.

- **Data** {data}. {examples:,} examples.
- **Recipe** `{file}`, {settings}.
- **Command** `{command}`
- **Trained** {steps:,} steps; the head of step {best_step:,}, the best on development contexts.
- **Form** safetensors, {shapes}, float16.
- **Licence** {licence}. No text of the data is in it.

Development contexts, {task}:

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def _kind(config: HeadConfig) -> str:
    """Say what a head is, before "its vectors"."""
    return f"a layer of {config.hidden:,} hidden units on" if config.hidden else "a linear map of"


def publish_head(
    head: Matrix | Network,
    out: Path,
    recipe: str,
    base: Encoder,
    settings: HeadSettings | NetworkSettings,
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
        licence=LICENCE,
        hidden=len(head.out) if isinstance(head, Network) else 0,
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
        file=recipe_file(recipe, head=True),
        dimensions=config.dimensions,
        kind=_kind(config),
        shapes=" and ".join(f"{len(one):,} × {one.shape[1]:,}" for one in matrices.values()),
        data=origin.data,
        examples=result.examples,
        settings=settings_line(learned),
        command=origin.command,
        steps=result.steps,
        best_step=result.best_step,
        licence=LICENCE,
        task=task,
        table=figures_table("", figures),
        files="\n".join(file_row(out, out / name) for name in (*matrices, "config.json")),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
