"""The card of a trained model: what it is, from which data, by which command, how good."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.encode.checkpoints import checksum_of

_FILES = "| file | bytes | sha256 |"
"""How the table of files begins in every card."""


@frozen
class Origin:
    """For the card: what the data is and its licences, and the command of the run."""

    data: str
    command: str


_RANKER = """\
# {name}

Ranks the papers of a writer's own library for one place of a draft: boosted trees (LambdaMART)
over {features} features of text, of co-cited papers, of the draft's own habits and of where papers
stand in the writer's file (`cite_lsp/recommend/library/features.py`).

- **Data** {train_groups:,} citation markers, laid out as drafts, and {dev_groups:,} of others to
  stop by: {data}.
  Papers on the same subject that a document does not cite were added to its library, half of the
  libraries stand in an order as if grown with the draft, {forward:.0%} of the markers were seen
  without what stands below them.
- **Recipe** `cite_lsp/train/rankers/library_ranker.py`, seed {seed}, {trees} trees of two
  boosters, with the encoder `{encoder}` and the query encoder `{query_encoder}`; contexts that
  it was trained on were placed by one that was not.
- **Command** `{command}`
- **Form** ONNX, one `TreeEnsembleRegressor`: input `features` (float32, papers × {features}; NaN
  where no encoder is at hand), output `score` (float32, papers × 1). A softmax of temperature
  {temperature} makes probabilities of the scores of one library.
- **In use** weights for its features are fitted to the markers of the draft at hand
  (`cite_lsp/recommend/library/adaptation.py`) and added to what it says: how this writer cites.
- **Licence** Apache-2.0. The model holds thresholds over similarities and counts; no text of the
  data is in it.

Held-out markers (what `eval manuscripts` finds on real drafts is in docs/research/evaluation.md).
*learned* is the model. Each other row sorts by one feature alone; the names are those of
`cite_lsp/recommend/library/features.py`:

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
    gains = config["gain"]
    assert isinstance(gains, Mapping)
    values = {
        "name": config["name"],
        "features": len(config["features"]),  # type: ignore[arg-type]
        "train_groups": config["train_groups"],
        "dev_groups": config["dev_groups"],
        "seed": config["seed"],
        "trees": config["trees"],
        "encoder": config["encoder"],
        "query_encoder": config["query_encoder"],
        "temperature": config["temperature"],
    }
    text = _RANKER.format(
        **values,
        data=data,
        command=command,
        forward=forward,
        table=orders_table(config),
        gains=", ".join(f"{name} {share:.0%}" for name, share in list(gains.items())[:8]),
        files="\n".join(file_row(folder, folder / name) for name in ("model.onnx", "config.json")),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


_CORPUS_RANKER = """\
# corpus-ranker

Ranks the papers of a corpus for one place of a draft. Two parts, learned from the same contexts:

- **precedents**: {documents:,} documents that cite {papers:,} papers, with the hashed words of
  {contexts:,} contexts in which they do, and where query encoders that never saw these put them
  (`cite_lsp/recommend/evidence/precedents.py`);
- **trees**: LambdaMART over {features} features (`cite_lsp/recommend/corpus/features.py`).

Papers are known by a hash of title and first author. In a corpus that has none of them the trees
rank by text and by nearness to the section's papers alone, as they were taught to on a share of
the contexts.

- **Data** {train_groups:,} citation contexts against a pool of {pool:,} papers, and {dev_groups:,}
  of other documents to stop by: {data}
- **Recipe** `cite_lsp/train/rankers/corpus_ranker.py`, seed {seed}, {trees} trees, with papers
  and titles of drafts as `{encoder}` encodes them and contexts where `{query_encoder}` puts them.
  A context is learned from with all its candidates and with its document left out of the
  precedents, placed by a query encoder that never saw it.
- **Command** `{command}`
- **Form** ONNX, one `TreeEnsembleRegressor` (NaN where a feature is not known), and safetensors.
  A softmax of temperature {temperature} makes probabilities of the scores of one context.
- **Licence** Apache-2.0; the words and vectors of contexts come from openly licensed texts alone.

Held-out contexts that find a paper they cite, all candidates (what `eval local` finds is in
docs/research/evaluation.md). *learned* is the model. Each other row sorts by one feature alone;
the names are those of `cite_lsp/recommend/corpus/features.py`:

{table}

What the trees gain most from: {gains}.

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_corpus_ranker_card(
    folder: Path, config: Mapping[str, Any], *, data: str, command: str
) -> None:
    """Write `README.md` beside a corpus ranker, from its `config.json` and how it was made.

    Raises:
        OSError: it cannot be written.
    """
    names = ("model.onnx", "precedents.safetensors", "config.json")
    text = _CORPUS_RANKER.format(
        **config["precedents"],
        features=len(config["features"]),
        **{
            name: config[name]
            for name in (
                *("train_groups", "dev_groups", "seed", "trees"),
                *("encoder", "query_encoder", "temperature"),
            )
        },
        pool=config["papers"],
        data=data,
        command=command,
        table=orders_table(config),
        gains=", ".join(f"{name} {share:.0%}" for name, share in list(config["gain"].items())[:10]),
        files="\n".join(file_row(folder, folder / name) for name in names),
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


def orders_table(config: Mapping[str, Any]) -> str:
    """Return how well trees order, beside single orders: the figures in their `config.json`."""
    names = ("hit@1", "hit@5", "mrr")
    orders = {"learned": config["dev"]["learned"], **config["dev"]["single"]}
    rows = [[order, *(f"{values[name]:.3f}" for name in names)] for order, values in orders.items()]
    return markdown_table(("order", *names), rows)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table for a card."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figures_table(heading: str, figures: Mapping[str, Mapping[str, float]]) -> str:
    """Lay out figures by what they are of, a row each; "–" stands for one that is not known.

    Shares have three digits, counts none.
    """
    names = list(dict.fromkeys(name for values in figures.values() for name in values))
    rows = [
        [form, *(_cell(values[name]) if name in values else "–" for name in names)]
        for form, values in figures.items()
    ]
    return markdown_table((heading, *names), rows)


def _cell(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def write_record(
    out: Path,
    origin: Origin,
    figures: Mapping[str, Mapping[str, float]],
    **about: Any,  # noqa: ANN401 - whatever JSON holds
) -> None:
    """Write `training.json`: what the run was, its figures on development data, and its origin.

    Raises:
        OSError: it cannot be written.
    """
    record = {**about, "dev": figures, "command": origin.command, "data": origin.data}
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def settings_line(settings: Mapping[str, object]) -> str:
    """Write settings out for a card: "batch size 32, seed 13"."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())


def file_row(folder: Path, path: Path, owner: str = "") -> str:
    """Return the row of a file of a folder: name, bytes, sha256; and whose it is, if another's."""
    name = path.relative_to(folder).as_posix()
    whose = f" of `{owner}`" if owner else ""
    return f"| `{name}`{whose} | {path.stat().st_size:,} | `{checksum_of(path)}` |"


def renew_files(folder: Path, rows: Mapping[str, str], note: str = "") -> None:
    """Put rows of files, by their names, into the card of a folder, and a note below them.

    A row takes the place of the one that the card has of that file; those of files that it did not
    know end the table, but `config.json` is only renewed.

    Raises:
        OSError: the card cannot be read or written.
    """
    card = folder / "README.md"
    lines = card.read_text(encoding="utf-8").splitlines()
    end = lines.index(_FILES) + 1
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    known = [name for name in rows if any(line.startswith(f"| `{name}`") for line in lines)]
    for name in known:
        lines = [rows[name] if line.startswith(f"| `{name}`") else line for line in lines]
    added = [row for name, row in rows.items() if name not in (*known, "config.json")]
    lines[end:end] = added
    if note and note not in "\n".join(lines):
        lines[end + len(added) : end + len(added)] = ["", *note.splitlines()]
    card.write_text("\n".join([*lines, ""]), encoding="utf-8")
