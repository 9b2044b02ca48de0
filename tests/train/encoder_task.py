"""A tiny task for the encoder recipes: papers on five subjects, contexts that cite them."""

from __future__ import annotations

import json
import random
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

from tests.conftest import WORDS


def write_task(folder: Path, contexts: int = 24) -> dict[str, Path]:
    """Write papers, contexts of training and of development, and edges; return their paths."""
    rng = random.Random(3)
    papers = [
        {
            "id": f"p{number}",
            "title": f"{WORDS[number % 5]} {WORDS[5 + number % 4]} {number}",
            "abstract": " ".join(rng.choices(WORDS, k=8)) if number % 9 else "",
            "year": 2000,
        }
        for number in range(45)
    ]

    def rows(split: str, count: int) -> list[dict[str, Any]]:
        made = []
        for number in range(count):
            cited = [f"p{number % 5 + 5 * place}" for place in rng.sample(range(8), 2)]
            others = [f"p{number % 5 + 5 * place}" for place in rng.sample(range(8), 3)]
            made.append(
                {
                    "context_id": f"{split}{number}",
                    "citing_id": f"{split}-document{number // 4}",
                    "left": f"{WORDS[number % 5]} of a {rng.choice(WORDS)}",
                    "right": f"with {WORDS[5 + number % 4]}.",
                    "section_title": f"Section {number // 2}",
                    "cited": cited,
                    "cited_abs": cited,
                    "section_cited": others,
                }
            )
        return made

    paths = {name: folder / f"{name}.jsonl" for name in ("papers", "train", "dev")}
    _write(paths["papers"], papers)
    _write(paths["train"], rows("train", contexts))
    _write(paths["dev"], rows("dev", 8))
    paths["edges"] = folder / "edges.tsv"
    paths["edges"].write_text("".join(f"x{n // 3}\tp{n}\taan\n" for n in range(45)))
    return paths


def card_figures(out: Path) -> dict[str, dict[str, float]]:
    """Return the first table of the card of a trained model, by the first cell of each row."""
    lines = iter((out / "README.md").read_text(encoding="utf-8").splitlines())
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in takewhile(bool, dropwhile(lambda line: not line.startswith("|"), lines))
    ]
    (_, *names), _, *of_forms = rows
    return {form: dict(zip(names, map(float, cells), strict=True)) for form, *cells in of_forms}


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
