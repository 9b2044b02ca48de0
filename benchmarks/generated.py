"""A library and a draft that cites it, made of templates: every run measures the same."""

from __future__ import annotations

import random
import re
from pathlib import Path

ENTRIES = 500
"""Of the library of a long draft."""
TYPED = "retrieval of galaxies and their clusters "
"""What is typed into a citation, again and again."""
STEMS = (
    "attention retrieval citation translation pars summar vision speech transform graph kernel "
    "embedd sampl distill boost tree rank scal train robust fair compress search evaluat"
).split()
_ENDINGS = ("", "ing", "al", "ics", "oid", "ware", "ist", "ation", "ive", "ity")
_PREAMBLE = (
    "\\documentclass{article}\n\\usepackage{natbib}\n\\bibliography{library}\n\\begin{document}\n"
)
_CITATION = re.compile(r" \\citep\{[^{}]*\}")


def library(entries: int) -> str:
    """Return a bibliography of random words, the same for the same number of entries."""
    draw = random.Random(7)
    words = [stem + ending for stem in STEMS for ending in _ENDINGS]
    return "\n".join(
        f"@article{{key{number},\n"
        f"  title = {{{' '.join(draw.choices(words, k=8)).capitalize()}, part {number}}},\n"
        f'  author = {{M{{\\"u}}ller{number % 977}, Ann and Writer{number % 3001}, Will}},\n'
        f"  journal = {{Journal of {draw.choice(words)}}},\n"
        f"  year = {{{1990 + number % 35}}},\n"
        f"  doi = {{10.1000/{number}}},\n"
        f"  abstract = {{{' '.join(draw.choices(words, k=20))}}},\n}}\n"
        for number in range(entries)
    )


def draft(entries: int, subject: str = "texts") -> str:
    """Return a draft of sixty paragraphs, which ends in a citation that is being written."""
    return f"{_PREAMBLE}{_paragraphs(entries)}{open_end(subject)}"


def chapter(size: int, seed: int = 0, text: str = "") -> str:
    """Return a draft of so many characters, or more, which ends like the other.

    It is made of a text, or of paragraphs that cite about as often as a thesis does.
    """
    return f"{_PREAMBLE}{body(size, seed, text)}{open_end()}"


def body(size: int, seed: int = 0, text: str = "") -> str:
    """Return the paragraphs of a text again and again, with some words in the place of others."""
    words = random.Random(seed)
    paragraphs = (text or _thesis()).split("\n\n")
    parts: list[str] = []
    while size > 0:
        part = paragraphs[len(parts) % len(paragraphs)]
        if len(parts) >= len(paragraphs) or seed:
            part = re.sub(r"\b(?:the|of|and)\b", lambda word: _other(word[0], words), part)
        parts.append(part)
        size -= len(part) + 2
    return "\n\n".join(parts)


def open_end(subject: str = "texts") -> str:
    """Return what every draft ends in: a sentence up to the keys of its citation."""
    return (
        f"\n\nSearching for related work, dense vectors of {subject} find what words miss \\citep{{"
    )


def including(files: list[str]) -> str:
    """Return a draft that includes files."""
    inputs = "".join(f"\\input{{{name}}}\n" for name in files)
    return f"{_PREAMBLE}{inputs}\\end{{document}}"


def write_library(folder: Path, entries: int = ENTRIES) -> None:
    """Write the library to where drafts of a folder name it."""
    (folder / "library.bib").write_text(library(entries), encoding="utf-8")


def _paragraphs(entries: int) -> str:
    paragraphs = [
        f"The {STEMS[number % 23]} of long documents rests on {STEMS[number % 19]} "
        f"\\citep{{key{number * 7 % entries}}}, and {STEMS[number % 17]} follows from it "
        f"\\citep{{key{number * 11 % entries}, key{number * 13 % entries}}}. What remains is open."
        for number in range(60)
    ]
    return "\n\n".join(
        f"\\section{{Part {number}}}\n" + "\n\n".join(paragraphs[number : number + 10])
        for number in range(0, 60, 10)
    )


def _thesis() -> str:
    return "\n\n".join(
        paragraph if number % 6 == 0 else _CITATION.sub("", paragraph)
        for number, paragraph in enumerate(_paragraphs(ENTRIES).split("\n\n"))
    )


def _other(word: str, words: random.Random) -> str:
    return f"{word} word{words.randrange(5000)}" if words.random() < 0.2 else word
