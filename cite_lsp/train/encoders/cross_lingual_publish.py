"""Writing a student of Chinese as the model zoo has it: table, tokenizer, figures, a card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from attrs import asdict
from numpy.typing import NDArray
from tokenizers import Tokenizer

from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.encode.chinese import CHINESE
from cite_lsp.encode.model import Encoder
from cite_lsp.encode.static import KIND, STATIC_FILES, StaticConfig, write_table
from cite_lsp.train.run.card import Origin, figures_table, file_row, settings_line, write_record
from cite_lsp.train.run.config import write_config

MAX_TOKENS = 256
"""Where the finished encoder cuts texts."""
LICENCE = "CC-BY-SA-3.0"
_CARD = """\
# {name}

Reads Chinese for the default encoder: puts a Chinese text, or one of both languages, where
`{teacher}` puts its English translation. A static encoder: the text is cut into words, their
vectors are added and made unit length. {dimensions} dimensions, {tokens:,} tokens, of which
{chinese:,} are Chinese words and characters; texts cut at {max_tokens} tokens; numpy alone runs it.

- **Recipe** `cite_lsp/train/encoders/cross_lingual.py` (Reimers & Gurevych 2020, into a static
  encoder), {settings}.
- **Material** {material}.
- **Data** {data}
- **Vocabulary** that of the teacher, and Chinese words of [CC-CEDICT](https://cc-cedict.org/)
  (CC BY-SA 3.0) and of [jieba](https://github.com/fxsjy/jieba)'s dictionary (MIT).
- **Command** `{command}`
- **Form** safetensors: `embeddings`, int8, tokens × {dimensions}, and `scales`, float16, the number
  that each row is multiplied by.
- **Licence** CC BY-SA 3.0, for the words of CC-CEDICT. No text of the other data is in it: the
  table holds one vector a token.

On texts that it has not seen ({held_out}):

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_student(
    out: Path, table: NDArray[np.floating], tokenizer: Tokenizer, *, teacher: Encoder
) -> StaticConfig:
    """Write `model.safetensors`, `tokenizer.json` and `config.json` to `out`.

    Raises:
        OSError: it cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_table(out / STATIC_FILES[0], table, int8=True)
    (out / STATIC_FILES[1]).write_text(tokenizer.to_str() + "\n", encoding="utf-8")
    config = StaticConfig(
        kind=KIND,
        name=out.name,
        dimensions=table.shape[1],
        max_tokens=MAX_TOKENS,
        sha256={name: checksum_of(out / name) for name in STATIC_FILES},
        teacher=teacher.fingerprint,
        licence=LICENCE,
        words=CHINESE,
    )
    write_config(out, asdict(config))
    return config


def write_student_card(
    out: Path,
    config: StaticConfig,
    origin: Origin,
    figures: Mapping[str, Mapping[str, float]],
    *,
    tokens: int,
    chinese: int,
    material: Mapping[str, int],
    held_out: str,
    settings: Mapping[str, object],
) -> None:
    """Write `README.md` and `training.json` beside a student.

    `figures` are those of each encoder on the held-out texts, `material` how many texts of which
    kind it learned from.

    Raises:
        OSError: they cannot be written.
    """
    about = {"recipe": "cross-lingual", "settings": dict(settings), "material": dict(material)}
    write_record(out, origin, figures, **about)
    text = _CARD.format(
        name=config.name,
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
        teacher=config.teacher,
        tokens=tokens,
        chinese=chinese,
        data=origin.data,
        command=origin.command,
        material=", ".join(f"{count:,} {kind}" for kind, count in material.items()),
        held_out=held_out,
        settings=settings_line(settings),
        table=figures_table("encoder", figures),
        files="\n".join(file_row(out, out / name) for name in (*STATIC_FILES, "config.json")),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
