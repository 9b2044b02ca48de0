"""The card of a trained model: what it is, from which data, by which command, how good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cite_lsp.encode.checkpoints import checksum_of

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
        table=markdown_table(("order", *_SHOWN), rows),
        gains=", ".join(f"{name} {share:.0%}" for name, share in list(gains.items())[:8]),
        files="\n".join(file_row(folder, folder / name) for name in ("model.onnx", "config.json")),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


_SHOWN = ("hit@1", "hit@5", "mrr")


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table for a card."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def file_row(folder: Path, path: Path) -> str:
    """Return the row of a file of a folder: name, bytes, sha256."""
    name = path.relative_to(folder).as_posix()
    return f"| `{name}` | {path.stat().st_size:,} | `{checksum_of(path)}` |"
