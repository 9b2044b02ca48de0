"""Writing a query encoder as the model zoo has it: the graph, its tokenizer, figures, a card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import asdict

from cite_lsp.encode.checkpoints import TORCH, read_config
from cite_lsp.encode.onnx import OnnxEncoder
from cite_lsp.train.card import file_row, markdown_table
from cite_lsp.train.checkpoints import CHECKPOINTS
from cite_lsp.train.development import Encode
from cite_lsp.train.encoder_run import load_model
from cite_lsp.train.export import export, licence_of
from cite_lsp.train.publish import Origin
from cite_lsp.train.recipes.query_encoder import MAX_TOKENS, NAME, Settings
from cite_lsp.train.segments import encode_segments

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_CARD = """\
# {name}

Where the papers lie that a context cites: `{base}`, trained further on contexts alone, against the
vectors that the unchanged `{base}` has made of papers. For queries only: papers are not to be
encoded by it. {dimensions} dimensions, texts cut at {max_tokens} tokens.

- **Data** {data}. {contexts:,} contexts.
- **Recipe** `cite_lsp/train/recipes/query_encoder.py`, {settings}.
- **Command** `{command}`
- **Form** `model.onnx`, int8 per channel (mean cosine to the original {cosine:.4f} over {texts}
  contexts).
- **Licence** {licence}: that of the base, whose weights these are, trained further. No text of
  the data is in it.

Held-out contexts against the whole pool by this cosine alone, candidates as in `eval local`;
*unseen* are those whose papers no training document cites:

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def publish_query_encoder(
    model: SentenceTransformer,
    out: Path,
    base: Path,
    base_name: str,
    settings: Settings,
    measure: Callable[[Encode], dict[str, float]],
    origin: Origin,
    *,
    contexts: int,
    sample: Sequence[str],
) -> dict[str, dict[str, float]]:
    """Write the encoder to `out`, measure base, trained and shipped form, and return the figures.

    `contexts` is how many it has learned from; on the texts of `sample` the shipped form is
    compared with the original.
    `held-out.safetensors` stays beside it for `train corpus-ranker`; it does not ship.

    Raises:
        OSError: it cannot be written.
    """
    scratch = out / CHECKPOINTS / TORCH
    shutil.rmtree(scratch, ignore_errors=True)
    model.to("cpu").float().save_pretrained(str(scratch), create_model_card=False)
    licence = licence_of(base) or "not declared by the base"
    fidelity = export(
        scratch,
        out,
        name=NAME,
        source=f"{base_name}, trained further",
        texts=sample,
        licence=licence,
        two_segments=True,
    )
    figures = {
        "base": measure(encode_segments(load_model(base, MAX_TOKENS))),
        "trained": measure(encode_segments(model)),
        "trained, int8": measure(OnnxEncoder(out).encode),
    }
    record = {
        "recipe": NAME,
        "base": base_name,
        "settings": asdict(settings),
        "dev": figures,
        "command": origin.command,
        "data": origin.data,
    }
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    config = read_config(out)
    names = list(next(iter(figures.values())))
    rows = [[form, *(f"{values[name]:.3f}" for name in names)] for form, values in figures.items()]
    text = _CARD.format(
        name=NAME,
        base=base_name,
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
        data=origin.data,
        contexts=contexts,
        command=origin.command,
        settings=", ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in asdict(settings).items()
        ),
        licence=licence,
        cosine=fidelity.mean if fidelity else float("nan"),
        texts=fidelity.texts if fidelity else 0,
        table=markdown_table(("form", *names), rows),
        files="\n".join(
            file_row(out, out / name) for name in ("model.onnx", "tokenizer.json", "config.json")
        ),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
    return figures
