"""The card of late interaction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cite_lsp.train.run.card import figures_table, file_row, settings_line

_CARD = """\
# {name}

Tells the first {first} papers that [corpus-ranker](../corpus-ranker/README.md) finds apart, word by
word: the words of a context as [query-encoder](../query-encoder/README.md) reads them there, those
of titles as [static](../static/README.md) knows them
(`cite_lsp/recommend/corpus/late_interaction.py`). No index holds anything for it.

- **Data** {train_contexts:,} citation contexts against a pool of {papers:,} papers; weights chosen
  on {dev_contexts:,} of other documents: {data}
- **Recipe** `cite_lsp/train/rankers/late_interaction.py`, {settings}.
  Learned with encoders `{query_encoder}`
  and `{words}`, which are held still.
- **Command** `{command}`
- **Form** `model.onnx`. Less its mean over the first papers, a score is added to the logits of the
  trees with weight {weight}; the sums are divided by {temperature}.
- **Licence** Apache-2.0. It holds maps between spaces of words and a few numbers for each word of
  the vocabulary; no text of the data is in it.

Held-out contexts against the whole pool, candidates as in `eval local`; *unseen* are those whose
papers precedents do not know:

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_interaction_card(
    folder: Path, config: Mapping[str, Any], *, data: str, command: str
) -> None:
    """Write `README.md` beside late interaction, from its `config.json` and how it was made.

    Raises:
        OSError: it cannot be written.
    """
    told = {**config, "settings": settings_line(config["settings"])}
    text = _CARD.format(
        **told,
        data=data,
        command=command,
        table=figures_table("ranked by", config["dev"]),
        files="\n".join(file_row(folder, folder / name) for name in ("model.onnx", "config.json")),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
