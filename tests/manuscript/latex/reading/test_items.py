r"""The entries that a LaTeX draft holds itself."""

import pytest

from cite_lsp.manuscript import parse


@pytest.mark.parametrize(
    "item",
    [
        r"\bibitem<1->{gull}",
        r"\bibitem<2->[Gull 2002]{gull}",
        r"\bibitem[Gull 2002]<+->{gull}",
        "\\bibitem[{Gull(2002)}]%\n  % of terns\n  {gull}",
        "\\bibitem%\n{gull}",
        "\\bibitem{% of terns\n  gull%\n}",
    ],
)
def test_the_key_of_an_entry_stands_behind_overlays_and_comments(item: str) -> None:
    text = f"\\begin{{thebibliography}}{{9}}\n{item} Gull, A. Of terns.\n\\end{{thebibliography}}"
    (read,) = parse(text, "latex").items
    assert read.key.text == text[read.key.start : read.key.end] == "gull"
    assert read.text == "Gull, A. Of terns."
