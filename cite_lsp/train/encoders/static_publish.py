"""Writing a static encoder as the model zoo has it: the table, its tokenizer, figures, a card."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from attrs import asdict
from numpy.typing import NDArray

from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.model import Encoder
from cite_lsp.encode.static import (
    KIND,
    MAP,
    MAP_FILE,
    STATIC_FILES,
    StaticConfig,
    write_table,
)
from cite_lsp.train.run.card import Origin, figures_table, file_row, settings_line, write_record
from cite_lsp.train.run.config import write_config

MAX_TOKENS = 256
"""Where the finished encoder cuts texts."""
_FILES = (*STATIC_FILES, MAP_FILE)
_CARD = """\
# {name}

A static sentence encoder: a text is the sum of its tokens' vectors, made unit length.
{dimensions} dimensions, texts cut at {max_tokens} tokens; numpy alone runs it. A linear map leads
from there to the space of the teacher: papers embedded by the table are found by queries that the
teacher embeds.

- **Teacher** `{teacher}`, whose vectors of whole texts it was fitted to.
- **Data** {data}. {texts:,} texts.
- **Recipe** `cite_lsp/train/encoders/static_encoder.py`, {settings}.
- **Command** `{command}`
- **Form** safetensors: `embeddings`, float16, tokens × {dimensions}; `map`, float16,
  {dimensions} × the teacher's dimensions, fitted by least squares to the same texts.
- **Licence** {licence}, as the teacher. The table holds one vector a token; no text of the data
  is in it.

Development task, a quick one ({questions} held-out contexts, {papers:,} papers, not comparable with
`cite-lsp eval`; what that finds is in docs/research/evaluation.md):

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_static(
    out: Path,
    table: NDArray[np.floating],
    space: NDArray[np.floating],
    tokenizer: Path,
    *,
    teacher: Encoder,
    licence: str,
) -> StaticConfig:
    """Write the table, the map to the teacher's space, the tokenizer and `config.json` to `out`.

    Raises:
        OSError: it cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_table(out / STATIC_FILES[0], table)
    write_table(out / MAP_FILE, space, MAP)
    shutil.copyfile(tokenizer, out / STATIC_FILES[1])
    config = StaticConfig(
        kind=KIND,
        name=out.name,
        dimensions=table.shape[1],
        max_tokens=MAX_TOKENS,
        sha256={name: checksum_of(out / name) for name in _FILES},
        teacher=teacher.fingerprint,
        space=teacher.checkpoint,
        licence=licence,
    )
    write_config(out, asdict(config))
    return config


def write_static_card(
    out: Path,
    config: StaticConfig,
    origin: Origin,
    figures: Mapping[str, Mapping[str, float]],
    *,
    texts: int,
    questions: int,
    papers: int,
    settings: Mapping[str, object],
) -> None:
    """Write `README.md` and `training.json` beside a static encoder.

    `figures` are those of the development task: of the teacher, the start and the result.

    Raises:
        OSError: they cannot be written.
    """
    write_record(out, origin, figures, recipe="static-encoder", settings=dict(settings))
    text = _CARD.format(
        name=config.name,
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
        teacher=config.teacher,
        licence=config.licence,
        data=origin.data,
        command=origin.command,
        texts=texts,
        questions=questions,
        papers=papers,
        settings=settings_line(settings),
        table=figures_table("encoder", figures),
        files="\n".join(file_row(out, out / name) for name in (*_FILES, "config.json")),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
