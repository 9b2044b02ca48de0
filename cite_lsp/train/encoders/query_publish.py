"""Writing a query encoder as the model zoo has it: the graph, its tokenizer, figures, a card."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from cite_lsp.encode.checkpoints import TORCH, read_config
from cite_lsp.encode.onnx import OnnxEncoder
from cite_lsp.train.run.card import Origin, figures_table, file_row, settings_line, write_record
from cite_lsp.train.run.checkpoints import CHECKPOINTS
from cite_lsp.train.run.encoding import Encode, encode_cut, encode_segments
from cite_lsp.train.run.export import export
from cite_lsp.train.run.recipes import recipe_file

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_CARD = """\
# {name}

{what}
For queries only: papers are not to be encoded by it. {dimensions} dimensions, texts cut at
{max_tokens} tokens.

- **Data** {data}. {contexts:,} contexts.
- **Recipe** `{file}`, {settings}.
- **Command** `{command}`
- **Form** `model.onnx`, int8 per channel (mean cosine to the original {cosine:.4f} over {texts}
  contexts); it gives the states of tokens before pooling, too, as `states`.
- **Licence** {licence}: {terms}

Held-out contexts against the whole pool by this cosine alone, candidates as in `{task}`;
*unseen* are those whose papers no training document cites:

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


@frozen
class Made:
    """What a recipe has made, as its card tells it.

    name: of the encoder. what: a sentence on what the encoder does.
    base_name: what it began as. licence: its identifier, `terms` why it is that one.
    settings: of the run. contexts: how many it has learned from. task: the command of `eval` whose
    candidates were measured with. words: how texts are cut for it (`OnnxConfig.words`).
    """

    name: str
    what: str
    base_name: str
    licence: str
    terms: str
    settings: Mapping[str, Any]
    contexts: int
    task: str = "eval local"
    words: str = ""


def publish_query_encoder(
    model: SentenceTransformer,
    out: Path,
    made: Made,
    measure: Callable[[Encode], dict[str, float]],
    before: Mapping[str, Encode],
    origin: Origin,
    *,
    sample: Sequence[str],
) -> dict[str, dict[str, float]]:
    """Write the encoder to `out`, measure it beside those `before` it, and return the figures.

    On the texts of `sample` the shipped form is compared with the original.
    `held-out.safetensors` stays beside it for the rankers' recipes; it does not ship.

    Raises:
        OSError: it cannot be written.
    """
    scratch = out / CHECKPOINTS / TORCH
    shutil.rmtree(scratch, ignore_errors=True)
    model.to("cpu").float().save_pretrained(str(scratch), create_model_card=False)
    fidelity = export(
        scratch,
        out,
        name=made.name,
        source=f"{made.base_name}, trained further",
        texts=sample,
        licence=made.licence,
        two_segments=True,
        words=made.words,
        states=True,
    )
    trained = encode_segments(model)
    if made.words:
        trained = encode_cut(trained, model.tokenizer.get_vocab())
    figures = {name: measure(encode) for name, encode in before.items()}
    figures["trained"] = measure(trained)
    figures["trained, int8"] = measure(OnnxEncoder(out).encode)
    about = {"recipe": made.name, "base": made.base_name, "settings": dict(made.settings)}
    write_record(out, origin, figures, **about)
    config = read_config(out)
    text = _CARD.format(
        **asdict(made) | {"settings": settings_line(made.settings)},
        file=recipe_file(made.name),
        dimensions=config.dimensions,
        max_tokens=config.max_tokens,
        data=origin.data,
        command=origin.command,
        cosine=fidelity.mean if fidelity else float("nan"),
        texts=fidelity.texts if fidelity else 0,
        table=figures_table("form", figures),
        files="\n".join(
            file_row(out, out / name) for name in ("model.onnx", "tokenizer.json", "config.json")
        ),
    )
    (out / "README.md").write_text(text, encoding="utf-8")
    return figures
