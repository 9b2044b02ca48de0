"""The card of a BLSRec model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cite_lsp.recommend.published.blsrec import CONFIG, MODEL, VARIANTS
from cite_lsp.train.run.card import file_row, markdown_table, settings_line

_CARD = """\
# {name}

BLSRec {number} (Tang, Wan, Zhang, SIGIR 2014): scores English papers for a Chinese context by
linear maps of TF-IDF vectors into a space of {dimensions} dimensions
(`cite_lsp/recommend/published/blsrec.py`).
Terms: {terms}.

- **Data** {contexts:,} contexts, {pairs:,} pairs of a context and a paper it cites, {papers:,}
  papers, and {dev_contexts:,} held-out contexts to stop by: {data}
- **Recipe** `cite_lsp/train/published/blsrec.py`, {settings}{base}.
- **Command** `{command}`
- **Form** safetensors: the words of both languages with their idf, and two maps a term in sixteen
  bits.
- **Licence** Apache-2.0. The model holds single words and weights; no text of the data is in it.

MAP on the held-out contexts over all papers (what `eval bilingual` finds is in
docs/research/published-methods.md):

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_blsrec_card(folder: Path, facts: Mapping[str, Any], *, data: str, command: str) -> None:
    """Write `README.md` beside a model, from what its training remembers.

    Raises:
        OSError: it cannot be written.
    """
    settings = facts["settings"]
    rows = [
        ["start" if epoch == 0 else str(epoch), f"{value:.4f}"]
        for epoch, value in enumerate(facts["history"])
    ]
    text = _CARD.format(
        name=folder.name,
        number="I" * settings["variant"],
        dimensions=settings["dimensions"],
        terms=", ".join(
            f"{term.context} × {term.paper}{' with identity' if term.identity else ''}"
            for term in VARIANTS[settings["variant"]]
        ),
        settings=settings_line({name: value for name, value in settings.items() if value}),
        base=f", going on from `{facts['base']}`" if facts["base"] else "",
        data=data,
        command=command,
        table=markdown_table(("epoch", "MAP"), rows),
        files="\n".join(file_row(folder, folder / name) for name in (MODEL, CONFIG)),
        **{name: facts[name] for name in ("contexts", "pairs", "papers", "dev_contexts")},
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
