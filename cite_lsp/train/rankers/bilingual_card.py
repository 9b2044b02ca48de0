"""The card of the trees that rank a corpus for Chinese contexts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cite_lsp.train.run.card import file_row, orders_table

_CARD = """\
# {name}

Ranks the papers of a corpus for one place of a draft in Chinese: boosted trees (LambdaMART) over
{features} features (`cite_lsp/recommend/corpus/features_zh.py`): words through the lexicon, words
in Latin letters, authors and years that are named and how far from the marker, vectors of
`cross-lingual`, where `query-encoder-zh` places the context, and nearness to the papers that the
section cites.

- **Data** {train_groups:,} contexts of Chinese documents against a pool of {papers:,} papers, and
  {dev_groups:,} of other documents to measure on: {data}
- **Recipe** `cite_lsp/train/rankers/bilingual_ranker.py`, seed {seed}, {trees} trees, with the
  encoders `{encoder}` and `{query_encoder}` and the translator `{translator}`; the contexts to
  learn from were read by `{learning_by}`, and placed by encoders that had not seen their documents.
- **Command** `{command}`
- **Form** ONNX, one `TreeEnsembleRegressor` (NaN where a feature is not known). A softmax of
  temperature {temperature} makes probabilities of the scores of one context.
- **Licence** Apache-2.0. The model holds thresholds over similarities and counts; no text of the
  data is in it.

Held-out contexts, among the candidates found (what `eval bilingual` finds is in
docs/research/evaluation.md). *learned* is the model. Each other row sorts by one feature alone;
the names are those of `cite_lsp/recommend/corpus/features_zh.py`:

{table}

What the trees gain most from: {gains}.

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_bilingual_card(
    folder: Path, config: Mapping[str, Any], *, data: str, command: str
) -> None:
    """Write `README.md` beside the trees, from their `config.json` and how they were made.

    Raises:
        OSError: it cannot be written.
    """
    text = _CARD.format(
        **{
            name: config[name]
            for name in (
                "name",
                "papers",
                "train_groups",
                "dev_groups",
                "seed",
                "trees",
                "encoder",
                "query_encoder",
                "translator",
                "learning_by",
                "temperature",
            )
        },
        features=len(config["features"]),
        data=data,
        command=command,
        table=orders_table(config),
        gains=", ".join(f"{name} {share:.0%}" for name, share in list(config["gain"].items())[:10]),
        files="\n".join(file_row(folder, folder / name) for name in ("model.onnx", "config.json")),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
