"""The card of the citation-worthiness model: what it is, and how well it decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.train.run.card import figures_table, file_row

_CARD = """\
# {name}

Says how likely a sentence leans on work that it should name, from the sentence, its two neighbours
and the title of its section; English and Chinese. Two linear models over hashed word n-grams, and
{trees} boosted trees over their scores and plain cues (`cite_lsp/recommend/missing/worthiness.py`).

- **Data** {sentences:,} sentences, {cited:,} of which cited: {data}.
  Markers were taken out, and what they leave behind with them. Of some English documents every
  sentence is known; of others, and of Chinese ones, those in the windows around citation markers,
  where citing is far more frequent, beside book paragraphs that cite nothing: there citing ones
  were weighted down to one in ten. Trees learned from whole documents where a language has any.
  Documents that the command leaves out are drafts that `cite-lsp eval missing` is run on.
- **Recipe** `cite_lsp/train/missing/citation_worthiness.py`, seed {seed}.
- **Command** `{command}`
- **Form** `words.npz`: float16 weights of the hashed n-grams; `model.onnx`: one
  `TreeEnsembleRegressor` over {features} features (float32; NaN where a neighbour, a title or
  further sections are missing). A logistic curve fitted on development documents makes
  probabilities of the scores.
- **Licence** Apache-2.0. The model holds weights of hashed words and thresholds; no text of the
  data is in it.

{measured}:

{figures}

*always* calls every sentence citation-worthy: its precision is the share of sentences that cite.
*cue words* looks for words such as "et al.", "has been shown", "previous", a year, 等人, 提出.
The figures count a sentence as wrong that its author left without a citation, though it may well
have deserved one. The Chinese ones are about the neighbourhood of citations, where about half of
all sentences cite: compare them with each other, not with the English ones.

![precision against recall](curve.svg)

What the trees gain most from: {gains}.

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""
_TESTED = "On the test documents, none of which served for training or for choosing anything"
_ON_DEVELOPMENT = "On the development documents, by which the probabilities were chosen, too"


@frozen
class Report:
    """What was measured on the test sentences of one language: figures by how it was decided."""

    language: str
    sentences: int
    cited: int
    rows: Mapping[str, Mapping[str, float]]


def write_worthiness_card(
    folder: Path,
    config: Mapping[str, Any],
    reports: Sequence[Report],
    drawing: str,
    *,
    data: str,
    command: str,
    tested: bool,
) -> None:
    """Write `README.md` and `curve.svg` beside the model, from its config and what was measured.

    `tested` says whether the reports are of documents of their own, not of the development ones.

    Raises:
        OSError: they cannot be written.
    """
    (folder / "curve.svg").write_text(drawing, encoding="utf-8")
    tables = [
        f"{one.language}: {one.sentences:,} sentences, {one.cited:,} cite\n\n"
        + figures_table("decided by", one.rows)
        for one in reports
    ]
    names = ("model.onnx", "words.npz", "config.json")
    text = _CARD.format(
        name=config["name"],
        trees=config["trees"],
        sentences=config["train_sentences"],
        cited=config["train_cited"],
        data=data,
        seed=config["seed"],
        command=command,
        features=len(config["features"]),
        measured=_TESTED if tested else _ON_DEVELOPMENT,
        figures="\n\n".join(tables),
        gains=", ".join(f"{name} {share:.0%}" for name, share in list(config["gain"].items())[:8]),
        files="\n".join(file_row(folder, folder / name) for name in names),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
