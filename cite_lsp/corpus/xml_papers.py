"""Papers from the XML of dumps and exports, read as a stream."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html.entities import name2codepoint
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree  # nosec B405  # expat bounds what entities grow to, and fetches none

from cite_lsp.corpus.citations import PaperCitations, SourceItem
from cite_lsp.corpus.formats.compressed import BROKEN_ARCHIVE
from cite_lsp.corpus.formats.json_lines import (
    BYTES_AS_SURROGATES,
    LONGEST_RECORD,
    BrokenOff,
    EncodingReport,
    Report,
    broken_archive,
    open_text,
)
from cite_lsp.corpus.formats.xml_schemas import (
    NO_PAPERS,
    READERS,
    Element,
    FileContext,
    cited_identifiers,
    text_of,
)
from cite_lsp.corpus.full_text.jats import jats
from cite_lsp.corpus.full_text.tei import tei
from cite_lsp.lazy_re import lazy_re

_CHUNK = 1 << 16
_DECLARATION = 200
"""Characters in which a file declares its encoding."""
_DECLARED = lazy_re(r"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.:-]*)""")
_MARK = b"<?xml"
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932",
    "euc_kr": "cp949",
}  # fmt: skip
"""Encodings that are declared for text in the wider one (https://encoding.spec.whatwg.org)."""
_WESTERN = ("iso8859-1", "cp1252", "ascii")
_ENTITY = lazy_re(r"&([A-Za-z][A-Za-z0-9]*);")
_OF_XML = frozenset("amp lt gt quot apos".split())

_HALF_ENTITY = lazy_re(r"&[A-Za-z0-9]{0,20}$")
_FULL_TEXTS = {"article": jats, "TEI": tei}
"""What reads the elements of full texts, by their names without a namespace."""
_FULL_TEXT_ROOTS = ("article", "pmc-articleset", "TEI", "teiCorpus")
"""Elements that full texts are, or that hold several."""


def read_xml(path: Path, report: Report) -> Iterator[SourceItem]:
    """Yield the papers of a file and whom they cite, in order; what is wrong is passed to `report`.

    Where the XML is broken, or the archive, the papers before are read. What is not in the encoding
    that the file declares, or UTF-8, is read as Windows-1252.
    """
    reader = _XmlReader(path, report)
    rest, line = "", 1
    declared = _declared_encoding(path)
    # What declares Latin-1 may have become UTF-8 on its way, so that is tried first.
    encoding = EncodingReport(path, None if declared in _WESTERN else report)
    opened_as = "utf-8-sig" if declared in (*_WESTERN, "utf-8") else declared
    with open_text(path, BYTES_AS_SURROGATES, opened_as) as text:
        while True:
            try:
                chunk = encoding.read(text.read(_CHUNK), line)
            except BROKEN_ARCHIVE as error:
                report(broken_archive(f"{path}:{line}", error))
                return
            line += chunk.count("\n")
            read = rest + chunk
            half = _HALF_ENTITY.search(read) if chunk else None
            end = half.start() if half else len(read)
            rest = read[end:]
            try:
                yield from reader.feed(_ENTITY.sub(_character, read[:end]), last=not chunk)
            except ElementTree.ParseError as error:
                where = f"{path}:{error.position[0]}"
                message = f"{where}: not well-formed XML ({error}); what follows is left out"
                report(BrokenOff(message))
                return
            if reader.held > LONGEST_RECORD:
                problem = f"the record here has more than {LONGEST_RECORD:,} characters"
                report(BrokenOff(f"{path}:{line}: {problem}; what follows is left out"))
                return
            if not chunk:
                return


def _declared_encoding(path: Path) -> str:
    """Return the codec of the encoding that the file declares, "utf-8" where it declares none.

    One in which the declaration itself would read differently cannot be the one it is written in.
    """
    with open_text(path) as text:
        try:
            declaration = _DECLARED.match(text.read(_DECLARATION))
            codec = codecs.lookup(declaration[1]).name if declaration else "utf-8"
            codec = _WIDER.get(codec, codec)
            return codec if _MARK.decode(codec, BYTES_AS_SURROGATES) == "<?xml" else "utf-8"
        except (*BROKEN_ARCHIVE, LookupError, UnicodeError):
            return "utf-8"


class _XmlReader:
    """Yields papers from XML text as it comes, and frees the elements that were read."""

    def __init__(self, path: Path, report: Report) -> None:
        self._path = path
        self._report = report
        self._parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(["start", "end"])
        self._open: list[Element] = []
        self._context: FileContext = {}
        self._full_texts = False
        self.held = 0
        """Characters since the end of the last record: what the memory holds of the file."""

    def feed(self, text: str, *, last: bool) -> Iterator[SourceItem]:
        """Yield the papers that end in a piece of text.

        Raises:
            ParseError: the XML is broken in it.
        """
        self.held += len(text)
        self._parser.feed(text)
        for event, element in cast(Iterator[tuple[str, Element]], self._parser.read_events()):
            if event == "start":
                self._begin(element)
            else:
                yield from self._end(element)
        if last:
            self._parser.close()

    def _begin(self, element: Element) -> None:
        element.tag = element.tag.rpartition("}")[2]  # no two schemas need their namespaces
        if not self._open:
            self._full_texts = element.tag in _FULL_TEXT_ROOTS
        self._open.append(element)
        if element.tag in ("collection", "volume"):
            self._context[element.tag] = element.get("id", "")

    def _end(self, element: Element) -> Iterator[SourceItem]:
        self._open.pop()
        if element.tag == "meta":
            for name in ("booktitle", "journal-title", "year"):
                self._context[name] = text_of(element, name)
        readers = _FULL_TEXTS if self._full_texts else READERS
        if element.tag not in readers:
            if len(self._open) == 1 and self._open[0].tag not in readers:
                self._open[0].remove(
                    element
                )  # of no use, and a dump may hold a million of its kind
                self.held = 0
            return
        if self._open and self._open[-1].tag in readers:
            return
        self.held = 0
        name = element.get("key") or element.get("id") or element.tag
        try:
            read = _FULL_TEXTS[element.tag] if self._full_texts else self._record
            items = list(read(element))
        except RecursionError:
            self._report(f"{self._path}: the record {name!r} is nested too deeply; it is skipped")
            items = []
        else:
            if not items and element.tag not in NO_PAPERS:
                self._report(f"{self._path}: the record {name!r} has no title; it is skipped")
        yield from items
        element.clear()
        if self._open:
            self._open[-1].remove(element)  # or a dump of gigabytes would stand in memory

    def _record(self, element: Element) -> Iterator[SourceItem]:
        """Yield the paper of a record, and whom it cites; nothing where it has no title."""
        paper = READERS[element.tag](element, self._context)
        if paper is not None and paper.title:
            yield paper
            if identifiers := tuple(dict.fromkeys(cited_identifiers(element))):
                yield PaperCitations(f"id {paper.id}", identifiers)


def _character(entity: re.Match[str]) -> str:
    """Return the character of a named entity, which DBLP writes, unless it is one of XML's own."""
    name = entity[1]
    return entity[0] if name in _OF_XML or name not in name2codepoint else chr(name2codepoint[name])
