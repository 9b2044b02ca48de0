"""The cards of weights that are added to what the trees of libraries say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.train.run.card import file_row, markdown_table


@frozen
class About:
    """What is said of some weights. `means` and `laid_out` are sentences, `documents` goes on."""

    means: str
    documents: str
    laid_out: str
    recipe: str
    column: str


OTHER_DRAFTS = About(
    """\
How much it weighs for a paper that the writer's other drafts cite it: three weights, added to what
[library-ranker](../library-ranker/README.md) says
(`cite_lsp/recommend/evidence/other_drafts.py`).""",
    "whose first author wrote others no later",
    "They were laid out as drafts; half of the libraries also hold all that the other documents"
    " cite.",
    "other_drafts",
    "other drafts",
)
CITED_BEFORE = About(
    """\
How much it weighs for a paper of a library how others cited it before: six weights, added to what
[library-ranker](../library-ranker/README.md) says
(`cite_lsp/recommend/evidence/cited_before.py`). How others cited stands in the precedents of
[corpus-ranker](../corpus-ranker/README.md) and in the corpora of the writer.""",
    "that the precedents do not hold",
    "They were laid out as drafts.",
    "cited_before",
    "precedents",
)

_CARD = """\
# {name}

{means}

- **Data** {markers:,} markers of {drafts} documents {documents}:
  {data}.
  {laid_out}
- **Recipe** `cite_lsp/train/rankers/{recipe}.py`, seed {seed}.
- **Command** `{command}`
- **Form** `config.json`: a weight for each sign.
- **Licence** Apache-2.0. It holds {count} numbers.

Measured on {dev_drafts} documents that the weights were not fitted to:

{figures}

| sign | weight |
| --- | --- |
{weights}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""
_SHOWN = ("hit@1", "hit@5", "mrr")


def write_weights_card(
    folder: Path, config: Mapping[str, Any], about: About, *, data: str, command: str
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
        means=about.means,
        documents=about.documents,
        laid_out=about.laid_out,
        recipe=about.recipe,
        data=data,
        command=command,
        count=len(config["weights"]),
        figures=markdown_table(("the paper", about.column, "markers", *_SHOWN), rows),
        weights="\n".join(f"| {name} | {value:.2f} |" for name, value in config["weights"].items()),
        files=file_row(folder, folder / "config.json"),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
