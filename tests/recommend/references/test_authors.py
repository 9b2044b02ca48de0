r"""Who writes a draft, in every format."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.recommend.references.authors import authors_of

DRAFTS = {
    "latex": [
        (r"\author{Ada Moor \and Bo van der Luz\thanks{University of \emph{Silt}}}", "both"),
        (r"\author[1,2]{Ada Moor}\author[$\dagger$]{Bo van der Luz}", "both"),
        (r"\author{Ada Moor$^{1}$, and Bo van der Luz$^{2}$ \\ Institute of Silt 7}", "both"),
        (r"\author{Ada}{Moor}", "first"),
        (r"\author{J\"org M\"uller}", "accents"),
        (r"\author{}", "none"),
        (r"\author{Ada Moor", "none"),
    ],
    "markdown": [
        ("---\nauthor: Ada Moor and Bo van der Luz\n---\n", "both"),
        (
            "---\nauthors:\n  - name: Ada Moor\n    orcid: 1\n  - name: Bo van der Luz\n---\n",
            "both",
        ),
        ('---\nauthor:\n- Ada Moor^[Silt]\n- "Bo van der Luz"\ndate: 2020\n---\n', "both"),
        ("author: Ada Moor\n", "none"),
    ],
    "typst": [
        ('#show: article.with(authors: ((name: "Ada Moor"), (name: "Bo van der Luz")))', "both"),
        ('#set document(author: "Ada Moor")', "first"),
    ],
    "org": [("#+AUTHOR: Ada Moor and Bo van der Luz\n", "both")],
}
NAMES = {
    "both": ("Ada Moor", "Bo van der Luz"),
    "first": ("Ada Moor",),
    "accents": ("Jörg Müller",),
    "none": (),
}


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [(text, kind, names) for kind, drafts in DRAFTS.items() for text, names in drafts],
)
def test_the_names_of_authors_are_read(text: str, kind: str, expected: str) -> None:
    assert authors_of([parse(text, kind)]) == NAMES[expected]


def test_chinese_names_are_read_and_each_once_over_all_files() -> None:
    files = [parse(r"\author{李 明 \and 王小红}", "latex"), parse(r"\author{王小红}", "latex")]
    assert authors_of(files) == ("李 明", "王小红")
