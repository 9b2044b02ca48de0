"""Places for trials: a desk and a home that are prepared once, and then damaged again and again."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from cite_lsp.search.corpus.corpus_index import CorpusIndex
from tests.chaos.limited import TrialError

Prepare = Callable[[Path], None]
"""Fills the folder `desk` of a place, and `home` by runs of the product."""


def expect(condition: bool, complaint: str) -> None:
    """Raise a `TrialError` where a condition does not hold."""
    if not condition:
        raise TrialError(complaint)


def again(prepare: Prepare) -> Path:
    """Return a place as it was prepared, each time under the same name."""
    return restore(prepared(prepare))


def restore(place: Path) -> Path:
    """Return a place of `prepared` as it was."""
    now = place / "now"
    shutil.rmtree(now, ignore_errors=True)
    shutil.copytree(place / "prepared", now)
    return now


@cache
def prepared(prepare: Prepare) -> Path:
    """Return where a place is prepared, once, for `restore`."""
    place = Path(tempfile.mkdtemp(prefix="chaos-")).resolve()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    now = place / "now"
    (now / "desk").mkdir(parents=True)
    (now / "home").mkdir()
    prepare(now)
    shutil.copytree(now, place / "prepared")
    return place


def write_papers(path: Path, numbers: Sequence[int], of: str = "") -> None:
    """Write a source of papers, each citing those before it."""
    rows = [
        {
            "id": f"p{number}",
            "title": f"Paper number {number} on subject {number % 7}{of}",
            "abstract": f"We look at subject {number % 7} in way {number}.",
            "doi": f"10.1234/{number}",
            "references": [f"p{other}" for other in range(max(0, number - 2), number)],
        }
        for number in numbers
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def ids(folder: Path) -> set[str]:
    """Return the papers of a corpus."""
    return {paper.id for paper in CorpusIndex(folder).papers}


def named(numbers: Sequence[int]) -> set[str]:
    """Return the ids of papers of these numbers."""
    return {f"p{number}" for number in numbers}


def write_drafts(folder: Path, names: Sequence[str]) -> None:
    """Write drafts that cite from one library: the first at one place, the second at two, …."""
    entries = [f"@book{{k{number}, title={{On shore {number}}}}}\n" for number in range(9)]
    (folder / "refs.bib").write_text("".join(entries))
    for number, name in enumerate(names):
        text = "".join(f"Gulls of kind {k} nest here \\cite{{k{k}}}.\n" for k in range(number + 1))
        head = f"\\documentclass{{article}}\\title{{{name}}}\\begin{{document}}\n"
        tail = "\\bibliography{refs}\\end{document}\n"
        (folder / f"{name}.tex").write_text(head + text + tail)
