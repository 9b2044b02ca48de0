"""The card of the citation-worthiness model, with its precision–recall curve as a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.train.card import file_row, markdown_table

_CARD = """\
# {name}

Says how likely a sentence leans on work that it should name, from the sentence, its two neighbours
and the title of its section; English and Chinese. Two linear models over hashed word n-grams, and
{trees} boosted trees over their scores and plain cues (`cite_lsp/recommend/worthiness.py`).

- **Data** {sentences:,} sentences, {cited:,} of which cited: {data}.
  Markers were taken out, and what they leave behind with them. Chinese sentences come from the
  windows around citation markers, where citing is far more frequent than in a thesis, and from
  book paragraphs that cite nothing; citing ones were weighted down to one in ten. Documents that
  the command leaves out are drafts that `cite-lsp eval missing` is run on.
- **Recipe** `cite_lsp/train/recipes/citation_worthiness.py`, seed {seed}.
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
_SIDE, _MARGIN, _GAP = 260, 44, 60
_COLOURS = {"model": "#0072b2", "cue words": "#d55e00"}


@frozen
class Report:
    """What was measured on the test sentences of one language.

    `rows` holds the figures by how it was decided, `curves` points (recall, precision) by order.
    """

    language: str
    sentences: int
    cited: int
    rows: Mapping[str, Mapping[str, float]]
    curves: Mapping[str, Sequence[tuple[float, float]]]


def write_worthiness_card(
    folder: Path,
    config: Mapping[str, Any],
    reports: Sequence[Report],
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
    (folder / "curve.svg").write_text(draw(reports), encoding="utf-8")
    tables = []
    for report in reports:
        headings = ("decided by", *next(iter(report.rows.values())))
        rows = [
            [name, *(f"{value:.3f}" for value in values.values())]
            for name, values in report.rows.items()
        ]
        title = f"{report.language}: {report.sentences:,} sentences, {report.cited:,} cite"
        tables.append(f"{title}\n\n{markdown_table(headings, rows)}")
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


def draw(reports: Sequence[Report]) -> str:
    """Return the precision–recall curves as SVG, one chart a language."""
    width = _MARGIN + len(reports) * (_SIDE + _GAP)
    height = _SIDE + 2 * _MARGIN + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, report in enumerate(reports):
        parts += _chart(report, _MARGIN + number * (_SIDE + _GAP))
    return "\n".join([*parts, "</svg>", ""])


def _chart(report: Report, left: int) -> list[str]:
    bottom = _MARGIN + _SIDE
    parts = [
        f'<text x="{left}" y="{_MARGIN - 12}" font-size="13">{report.language}: precision</text>',
        f'<text x="{left + _SIDE / 2}" y="{bottom + 32}" text-anchor="middle">recall</text>',
    ]
    for tick in range(6):
        at = tick / 5
        x, y = left + _SIDE * at, bottom - _SIDE * at
        parts += [
            f'<line x1="{left}" y1="{y:.0f}" x2="{left + _SIDE}" y2="{y:.0f}" stroke="#ddd"/>',
            f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{at:.1f}</text>',
            f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{at:.1f}</text>',
        ]
    share = report.cited / report.sentences
    y = bottom - _SIDE * share
    parts.append(
        f'<line x1="{left}" y1="{y:.1f}" x2="{left + _SIDE}" y2="{y:.1f}" stroke="#999"'
        ' stroke-dasharray="4 3"/>'
    )
    for number, (name, points) in enumerate(report.curves.items()):
        line = " ".join(
            f"{left + _SIDE * recall:.1f},{bottom - _SIDE * precision:.1f}"
            for recall, precision in points
        )
        colour = _COLOURS.get(name, "#000000")
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        )
        y = _MARGIN + 14 + 16 * number
        parts.append(
            f'<text x="{left + _SIDE - 8}" y="{y}" text-anchor="end" fill="{colour}">{name}</text>'
        )
    y = _MARGIN + 14 + 16 * len(report.curves)
    parts.append(
        f'<text x="{left + _SIDE - 8}" y="{y}" text-anchor="end" fill="#777">always</text>'
    )
    return parts
