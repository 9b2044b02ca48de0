r"""The entries of a .bbl of biblatex: what Biber has made of a draft's bibliographies.

It has fields as in a .bib, each in a command of its own (biblatex's manual, section 4.3.4); what
BibTeX makes are `\bibitem`s, which are read as those of a draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from cite_lsp.library.bibtex.values import Field, closing
from cite_lsp.library.model import Bibliography, Entry, Record, RecordReader
from cite_lsp.library.text.metadata import paper_of
from cite_lsp.library.text.people import OTHERS
from cite_lsp.paper import Paper

MARK = r"\entry{"
"""What the entries begin with that are none of BibTeX's."""
_ENTRY = re.compile(r"\\entry\{([^{}]+)\}\{(\w+)\}.*?\\endentry\b", re.DOTALL)
_NAME = re.compile(r"\\name\{(author|editor|translator)\}\{\d+\}\{[^{}]*\}\{")
_FIELD = re.compile(r"\\field\{(\w+)\}\{")
_LIST = re.compile(r"\\list\{(\w+)\}\{\d+\}\{")
_VERBATIM = re.compile(r"\\verb\{(\w+)\}\s*\\verb (.*)\s*\\endverb")
_PART = re.compile(r"\b(family|given|prefix|suffix)=\{")
_MORE = r"\true{more%s}"
_WRITTEN = {r"\bibrangedash": "--", r"\bibnamedelim": " "}
_COMMAND = re.compile(r"(\\bibrangedash|\\bibnamedelim)[a-i]? ?")


def typeset_entries(text: str, path: Path) -> Bibliography:
    """Return the entries of a .bbl of biblatex, in order; those of several lists once."""
    entries: dict[str, Entry] = {}
    line, counted_to = 1, 0
    for entry in _ENTRY.finditer(text):
        line += text.count("\n", counted_to, entry.start())
        counted_to = entry.start()
        key, kind = entry.groups()
        record = Record(key, kind, path, entry.group(), len(MARK), source="bbl", reader=BBL)
        entries.setdefault(key, Entry(record, entry.start(), line))
    return Bibliography(path, tuple(entries.values()))


class _BblReader:
    def fields(self, record: Record) -> Mapping[str, str]:
        return MappingProxyType(read_typeset(record.raw))

    def paper(self, record: Record) -> Paper:
        return paper_of(record.fields, record.key)

    def located(self, record: Record) -> tuple[Field, ...]:
        return ()


BBL: RecordReader = _BblReader()
"""Reads entries that Biber made."""


def read_typeset(raw: str) -> dict[str, str]:
    """Read the fields of an entry under the names that they have in a .bib, LaTeX kept."""
    raw = _COMMAND.sub(lambda command: _WRITTEN[command[1]], raw)
    fields: dict[str, str] = {}
    for name in _NAME.finditer(raw):
        people = list(_people(_braced(raw, name.end())))
        if _MORE % name[1] in raw:
            people.append(OTHERS)
        fields[name[1]] = " and ".join(people)
    for pattern in (_FIELD, _LIST):
        for field in pattern.finditer(raw):
            value = " ".join(_braced(raw, field.end()).replace("%\n", "").split())
            fields.setdefault(field[1], value.removeprefix("{").removesuffix("}"))
    fields |= {field[1]: field[2].strip() for field in _VERBATIM.finditer(raw)}
    return fields


def _people(names: str) -> Iterator[str]:
    """Yield the names of a list in biblatex's own form: family={Berg}, given={Jan}."""
    position = names.find("{")
    while position >= 0:
        whole = _braced(names, position + 1)
        parts = [f"{part[1]}={{{_braced(whole, part.end())}}}" for part in _PART.finditer(whole)]
        if parts:
            yield ", ".join(parts)
        position = names.find("{", position + len(whole) + 2)


def _braced(text: str, start: int) -> str:
    """Return what stands between a brace, which is just before `start`, and the one closing it."""
    end = closing(text, start, len(text))
    return text[start : end - 1] if end > 0 else ""
