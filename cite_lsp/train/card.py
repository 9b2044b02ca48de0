"""The card of a trained model: what it is, from which data, by which command, how good."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

Figures = Mapping[str, float]

_RANKER = """\
# {name}

Ranks the papers of a writer's own library for one place of a draft: boosted trees (LambdaMART)
over {features} features of text, of co-cited papers and of the draft's own habits
(`cite_lsp/recommend/features.py`).

- **Data** {train_groups:,} citation markers, laid out as drafts, and {dev_groups:,} of others to
  stop by: {data}.
  Papers on the same subject that a document does not cite were added to its library;
  {forward:.0%} of the markers were seen without what stands below them.
- **Recipe** `cite_lsp/train/recipes/library_ranker.py`, seed {seed}, {trees} trees, with the
  encoder `{encoder}`.
- **Command** `{command}`
- **Form** ONNX, one `TreeEnsembleRegressor`: input `features` (float32, papers × {features}; NaN
  where no encoder is at hand), output `score` (float32, papers × 1). A softmax of temperature
  {temperature} makes probabilities of the scores of one library.
- **Licence** Apache-2.0. The model holds thresholds over similarities and counts; no text of the
  data is in it.

Held-out markers (what `eval manuscripts` finds on real drafts is in docs/evaluation.md):

{table}

What the trees gain most from: {gains}.

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_ranker_card(
    folder: Path, config: Mapping[str, object], *, data: str, command: str, forward: float
) -> None:
    """Write `README.md` beside a ranker, from its `config.json` and how it was made.

    Raises:
        OSError: it cannot be written.
    """
    figures = config["dev"]
    gains = config["gain"]
    assert isinstance(figures, Mapping) and isinstance(gains, Mapping)
    orders = {"learned": figures["learned"], **figures["single"]}
    rows = [
        [name, *(f"{values[figure]:.3f}" for figure in _SHOWN)] for name, values in orders.items()
    ]
    values = {
        "name": config["name"],
        "features": len(config["features"]),  # type: ignore[arg-type]
        "train_groups": config["train_groups"],
        "dev_groups": config["dev_groups"],
        "seed": config["seed"],
        "trees": config["trees"],
        "encoder": config["encoder"],
        "temperature": config["temperature"],
    }
    text = _RANKER.format(
        **values,
        data=data,
        command=command,
        forward=forward,
        table=_table(("order", *_SHOWN), rows),
        gains=", ".join(f"{name} {share:.0%}" for name, share in list(gains.items())[:8]),
        files="\n".join(_file_row(folder / name) for name in ("model.onnx", "config.json")),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


_SHOWN = ("hit@1", "hit@5", "mrr")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _file_row(path: Path) -> str:
    content = path.read_bytes()
    return f"| `{path.name}` | {len(content):,} | `{hashlib.sha256(content).hexdigest()}` |"
