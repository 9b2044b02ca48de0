r"""The entries of a .bbl of biblatex: what Biber has made of a draft's bibliographies.

It has fields as in a .bib, each in a command of its own (biblatex's manual, section 4.3.4); what
BibTeX makes are `\bibitem`s, which are read as those of a draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.delimiters import Delimiters
from cite_lsp.library.entries import Bibliography, Entry, Record, RecordReader
from cite_lsp.library.text.metadata import paper_of
from cite_lsp.library.text.people import OTHERS

MARK = r"\entry{"
"""What the entries begin with that are none of BibTeX's."""
_ENTRY = lazy_re(r"\\entry\{([^{}]++)\}\{(\w++)\}")
_END = lazy_re(r"\\endentry\b")
_ROLES = ("author", "editor", "translator")
_NAME = lazy_re(rf"\\name\{{({'|'.join(_ROLES)})\}}" + r"\{\d+\}\{[^{}]*\}\{")
_FIELD = lazy_re(r"\\field\{(\w+)\}\{")
_LIST = lazy_re(r"\\list\{(\w+)\}\{\d+\}\{")
_VERBATIM = lazy_re(r"\\verb\{(\w+)\}\s*\\verb ((?:(?!\\verb\{|\\endverb)[^\n])*+)\s*\\endverb")
_GROUP = lazy_re(r"()\{")
_PART = lazy_re(r"\b(family|given|prefix|suffix)=\{")
_MORE = r"\true{more%s}"
_WRITTEN = {r"\bibrangedash": "--", r"\bibnamedelim": " "}
_COMMAND = lazy_re(r"(\\bibrangedash|\\bibnamedelim)[a-i]? ?")


def typeset_entries(text: str, path: Path) -> Bibliography:
    """Return the entries of a .bbl of biblatex, in order; those of several lists once."""
    entries: dict[str, Entry] = {}
    line, counted_to, position = 1, 0, 0
    while (entry := _ENTRY.search(text, position)) and (end := _END.search(text, entry.end())):
        position = end.end()
        line += text.count("\n", counted_to, entry.start())
        counted_to = entry.start()
        key, kind = entry.groups()
        raw = text[entry.start() : position]
        record = Record(key, kind, path, raw, len(MARK), source="bbl", reader=BBL)
        entries.setdefault(key, Entry(record, entry.start(), line))
    return Bibliography(path, tuple(entries.values()))


BBL = RecordReader(
    fields=lambda record: MappingProxyType(read_typeset(record.raw)),
    paper=lambda record: paper_of(record.fields, record.key),
)
"""Reads entries that Biber made."""


def read_typeset(raw: str) -> dict[str, str]:
    """Read the fields of an entry under the names that they have in a .bib, LaTeX kept."""
    raw = _COMMAND.sub(lambda command: _WRITTEN[command[1]], raw)
    fields: dict[str, str] = {}
    more = [role for role in _ROLES if _MORE % role in raw]
    for role, names in _braced(_NAME, raw):
        people = list(_people(names))
        fields[role] = " and ".join([*people, OTHERS] if role in more else people)
    for pattern in (_FIELD, _LIST):
        for name, content in _braced(pattern, raw):
            value = " ".join(content.replace("%\n", "").split())
            fields.setdefault(name, value.removeprefix("{").removesuffix("}"))
    fields |= {field[1]: field[2].strip() for field in _VERBATIM.finditer(raw)}
    return fields


def _people(names: str) -> Iterator[str]:
    """Yield the names of a list in biblatex's own form: family={Berg}, given={Jan}."""
    for _, whole in _braced(_GROUP, names):
        if parts := [f"{part}={{{value}}}" for part, value in _braced(_PART, whole)]:
            yield ", ".join(parts)


def _braced(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield what a pattern that ends with a brace names (1), and what stands up to the closing one.

    What stands within that is none; where nothing closes the brace it is "".
    """
    delimiters, position = Delimiters(text), 0
    while match := pattern.search(text, position):
        end = delimiters.closing(match.end(), len(text))
        position = max(end, match.end())
        yield match[1], text[match.end() : end - 1] if end > 0 else ""
