"""The card of the weights of the writer's other drafts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cite_lsp.train.card import file_row, markdown_table

_CARD = """\
# {name}

How much it weighs for a paper that the writer's other drafts cite it: three weights, added to what
[library-ranker](../library-ranker/README.md) says (`cite_lsp/recommend/elsewhere.py`).

- **Data** {markers:,} markers of {drafts} documents whose first author wrote others no later:
  {data}.
  They were laid out as drafts; half of the libraries also hold all that the other documents cite.
- **Recipe** `cite_lsp/train/recipes/other_drafts.py`, seed {seed}.
- **Command** `{command}`
- **Form** `config.json`: a weight for each sign.
- **Licence** Apache-2.0. It holds three numbers.

Measured on {dev_drafts} documents that the weights were not fitted to:

{figures}

| sign | weight |
| --- | --- |
{weights}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_other_drafts_card(
    folder: Path, config: Mapping[str, Any], *, data: str, command: str
) -> None:
    """Write `README.md` beside the weights.

    Raises:
        OSError: it cannot be written.
    """
    rows = [
        [part, how, f"{found['markers']:,}", *(f"{found[name]:.3f}" for name in _SHOWN)]
        for part, both in config["dev"].items()
        for how, found in both.items()
    ]
    text = _CARD.format(
        **{name: config[name] for name in ("name", "markers", "drafts", "seed", "dev_drafts")},
        data=data,
        command=command,
        figures=markdown_table(("the paper", "other drafts", "markers", *_SHOWN), rows),
        weights="\n".join(f"| {name} | {value:.2f} |" for name, value in config["weights"].items()),
        files=file_row(folder, folder / "config.json"),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


_SHOWN = ("hit@1", "hit@5", "mrr")
