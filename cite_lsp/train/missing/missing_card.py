"""The card of the weights behind missing citations: what they are, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.train.run.card import figures_table, file_row

_CARD = """# {name}

Says how likely a sentence should cite the paper that was found for it: a logistic regression over
what [citation-worthiness](../citation-worthiness/README.md) says of the sentence, what the ranker
of the library says of the paper, and why that was found
(`cite_lsp/recommend/missing/confidence.py`).

- **Data** {drafts} documents that neither of the two was trained on, laid out as drafts again
  from their sentences and the contexts of their markers, with papers on the same subject beside
  those they cite: {data}.
  Each section in turn lost its citations; {sentences:,} of its sentences were likely enough to need
  one, and {right:,} of them had cited one of the five papers found. Chinese documents are known
  around their markers alone, so the sentences that cited weigh less there: one in ten.
- **Recipe** `cite_lsp/train/missing/missing_citations.py`, seed {seed}.
- **Command** `{command}`
- **Form** `config.json`: a weight for each sign, and a bias.
- **Licence** Apache-2.0. It holds {signs} numbers.

Measured on documents that the weights were not fitted to (five parts by document). *product* is
the worthiness of the sentence times the score of the paper, cut off at as many offers as the level
makes; recall is the share of the removed citations that the first paper brings back.

{figures}

![precision against recall](curve.svg)

| sign | weight |
| --- | --- |
{weights}
| bias | {bias:.3f} |

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


@frozen
class MissingReport:
    """What was measured in one language: the citations removed, figures by what was decided by."""

    language: str
    removed: int
    rows: Mapping[str, Mapping[str, float]]


def write_missing_card(
    folder: Path,
    config: Mapping[str, Any],
    reports: Sequence[MissingReport],
    drawing: str,
    *,
    data: str,
    command: str,
) -> None:
    """Write `README.md` and `curve.svg` beside the weights.

    Raises:
        OSError: they cannot be written.
    """
    (folder / "curve.svg").write_text(drawing, encoding="utf-8")
    tables = [
        f"{one.language}: {one.removed:,} citations removed\n\n"
        + figures_table("decided by", one.rows)
        for one in reports
    ]
    text = _CARD.format(
        name=config["name"],
        drafts=config["drafts"],
        data=data,
        sentences=config["sentences"],
        right=config["right"],
        seed=config["seed"],
        command=command,
        signs=len(config["signs"]) + 1,
        figures="\n\n".join(tables),
        weights="\n".join(f"| {name} | {value:.3f} |" for name, value in config["weights"].items()),
        bias=config["bias"],
        files=file_row(folder, folder / "config.json"),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
