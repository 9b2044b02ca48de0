"""Small words of a title stay small behind a full stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.server.render.citeproc import ReferenceFormatter

MEETING = "@inproceedings{a, title = {On a rock vs. the sea}, booktitle = {Proc. of the Soc.}}"


@pytest.mark.parametrize(
    ("entry", "style", "printed"),
    [
        (MEETING, "apa", "On a rock vs. the sea. (n.d.). Proc. of the Soc."),
        (MEETING, "chicago-author-date", "“On a Rock Vs. the Sea”. n.d. Proc. of the Soc."),
        (MEETING.replace("vs. the", "vs: the"), "chicago-author-date",
         "“On a Rock Vs: The Sea”. n.d. Proc. of the Soc."),
    ],
)  # fmt: skip
def test_small_words_behind_an_abbreviation_stay_small(
    entry: str, style: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    assert ReferenceFormatter().format(read, style, tmp_path, markdown=False) == printed
