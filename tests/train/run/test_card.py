"""The card of a trained model: the same parts in the same order, whatever the recipe."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from cite_lsp.train.run.card import Card, Origin, renew_files
from cite_lsp.train.run.report import Figures

CARD = Card(
    what="Counts {things}.",
    data="{count:,} shores: {data}",
    recipe="`{file}`, seed {seed}.",
    points={"In use": "as it is,\nor not"},
    form="text.",
    licence="Apache-2.0.",
    measured="On other shores:",
    below="Mind the tide.",
    files=("model.txt",),
)
ORIGIN = Origin("made {up}", "cite-lsp train x --without {y}", "cite_lsp/train/x.py")


def test_a_card_has_its_parts_in_order_and_fills_in_none_of_what_it_was_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "model.txt").write_text("gull")
    figures = [Figures({"base": {"mrr": 0.25, "shores": 1200}, "x": {"mrr": 1.0}}, title="Shores")]
    CARD.write(tmp_path, ORIGIN, figures, name="x", things="gulls", count=3456, seed=13)
    assert (
        (tmp_path / "README.md").read_text(encoding="utf-8")
        == f"""\
# x

Counts gulls.

- **Data** 3,456 shores: made {{up}}
- **Recipe** `cite_lsp/train/x.py`, seed 13.
- **Command** `cite-lsp train x --without {{y}}`
- **In use** as it is,
  or not
- **Form** text.
- **Licence** Apache-2.0.

On other shores:

Shores

| development | mrr | shores |
| --- | --- | --- |
| base | 0.250 | 1,200 |
| x | 1.000 | – |

Mind the tide.

| file | bytes | sha256 |
| --- | --- | --- |
| `model.txt` | 4 | `{sha256(b"gull").hexdigest()}` |
"""
    )


def test_the_files_of_a_card_can_be_renewed(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text("gull")
    CARD.write(tmp_path, ORIGIN, [], things="gulls", count=1, seed=1)
    renew_files(tmp_path, {"model.txt": "| `model.txt` | 9 | `f` |", "b": "| `b` | 1 | `a` |"})
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# {tmp_path.name}\n") and card.endswith(
        "| --- | --- | --- |\n| `model.txt` | 9 | `f` |\n| `b` | 1 | `a` |\n"
    )
