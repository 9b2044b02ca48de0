"""Chinese and English side by side: parallel texts, and glossaries of terms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from cite_lsp.corpus.formats.json_lines import Report, numbered_lines, read_records
from cite_lsp.lazy_re import lazy_re

_CHINESE_SENTENCE = lazy_re(r"[^。！？；]+[。！？；]?")
_ENGLISH_SENTENCE = lazy_re(r"[^.!?;]+(?:[.!?;](?!\s)[^.!?;]*)*[.!?;]?")


@frozen
class ParallelText:
    """A text in both languages. `source` says whose it is, `kind` what (a heading, a title …)."""

    zh: str
    en: str
    source: str = ""
    kind: str = ""


@frozen
class GlossaryTerm:
    """An entry of a glossary: one English sense of a Chinese word. `source` says whose it is."""

    en: str
    zh: str
    source: str = ""


def read_parallel(path: Path, report: Report | None = None) -> Iterator[ParallelText]:
    """Yield the texts of a JSON Lines file with `zh` and `en`; rows that lack one are left out.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad row.
    """
    for _, record in read_records(path, report):
        zh, en = record.get("zh"), record.get("en")
        if isinstance(zh, str) and isinstance(en, str) and zh.strip() and en.strip():
            yield ParallelText(zh, en, str(record.get("source", "")), str(record.get("kind", "")))


def read_glossary(path: Path) -> Iterator[GlossaryTerm]:
    """Yield the terms of a file of lines `en<TAB>zh<TAB>source`; other lines are left out.

    Raises:
        RecordError: the file cannot be read, or not to its end.
    """
    for _, line in numbered_lines(path):
        cells = line.rstrip("\n").split("\t")
        if len(cells) >= 2 and cells[0] and cells[1] and cells[:2] != ["en", "zh"]:
            yield GlossaryTerm(cells[0], cells[1], cells[2] if len(cells) > 2 else "")


def sentences(text: ParallelText) -> list[ParallelText]:
    """Return the sentences of a text where both languages have as many; else the whole text."""
    zh = [match.group().strip() for match in _CHINESE_SENTENCE.finditer(text.zh)]
    en = [match.group().strip() for match in _ENGLISH_SENTENCE.finditer(text.en)]
    zh, en = [sentence for sentence in zh if sentence], [sentence for sentence in en if sentence]
    if len(zh) != len(en) or len(zh) < 2:
        return [text]
    return [ParallelText(*pair, text.source, text.kind) for pair in zip(zh, en, strict=True)]
