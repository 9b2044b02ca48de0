"""A writer at ten keys a second in a library of thousands: what is typed, and into what."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path

DRAFT = "typing.tex"
PAUSE_MS = 100
BEFORE = "深度学习 😀 Models that read a sentence in both directions "
KEYS = r"\citep{adaptive graph retrieval"
"""What is typed behind `BEFORE`, where an editor has put no closing brace."""
BEGUN = "\\citep{"

_KINDS = ("Adaptive", "Bayesian", "Contrastive", "Deep", "Efficient", "Federated", "Generative")
_MEANS = ("graph", "kernel", "language", "memory", "neural", "prompt", "sparse", "token", "vector")
_TASKS = ("alignment", "classification", "dialogue", "parsing", "ranking", "retrieval", "summaries")
_SUBJECTS = ("biology", "code", "courts", "finance", "history", "medicine", "music", "news", "talk")
_AUTHORS = ("Abel, Niels", "Gauss, Carl", "李, 明", "Noether, Emmy", "Ramanujan, Srinivasa")


def write_project(folder: Path, entries: int) -> None:
    """Write a draft, ready to be typed into, and a library of many entries."""
    titles = product(_KINDS, _MEANS, _TASKS, _SUBJECTS, (2023, 2024))
    records = [
        f"@article{{key{number:05d},\n  author = {{{_AUTHORS[number % len(_AUTHORS)]}}},\n"
        f"  title = {{{kind} {means} {task} for {subject}}},\n  year = {{{year}}},\n}}\n"
        for number, (kind, means, task, subject, year) in enumerate(islice(titles, entries))
    ]
    (folder / "large.bib").write_text("\n".join(records), encoding="utf-8")
    (folder / DRAFT).write_text(
        f"\\documentclass{{article}}\n\\begin{{document}}\n{BEFORE}\n\\bibliography{{large}}\n"
        "\\end{document}\n",
        encoding="utf-8",
    )
