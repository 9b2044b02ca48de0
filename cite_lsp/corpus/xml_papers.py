"""Papers from the XML of the ACL Anthology, DBLP and PubMed, read as a stream.

Schemas: https://github.com/acl-org/acl-anthology/blob/master/data/xml/schema.rnc,
https://dblp.org/xml/dblp.dtd, https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_230101.dtd.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from html.entities import name2codepoint
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from cite_lsp.corpus.citations import Cites
from cite_lsp.corpus.records import (
    BROKEN_ARCHIVE,
    BYTES_KEPT,
    BrokenOff,
    EncodingReport,
    Report,
    open_text,
)
from cite_lsp.library.people import named
from cite_lsp.paper import Paper, detect_language, normalise_doi

Element = ElementTree.Element
Context = dict[str, str]
"""What the elements around a record say of it: the ids and the title of its volume."""

_CHUNK = 1 << 16
_DECLARATION = 200
"""Characters in which a file says how it is encoded."""
_DECLARED = re.compile(r"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.:-]*)""")
_MARK = b"<?xml"
_WESTERN = ("iso8859-1", "cp1252", "ascii")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_OF_XML = frozenset("amp lt gt quot apos".split())
_HALF_ENTITY = re.compile(r"&[A-Za-z0-9]{0,20}$")
_NUMBERED = re.compile(r"\s+\d{4}$")
_ANTHOLOGY_ID = re.compile(r"[A-Z]\d\d-\d{4}|\d{4}\.[\w-]+-[\w-]+\.\d+")
_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_UNKNOWN = "..."
"""What DBLP writes for a reference that it does not have."""
_DBLP_KINDS = {
    "article": "article-journal", "inproceedings": "paper-conference", "book": "book",
    "incollection": "chapter", "phdthesis": "thesis", "mastersthesis": "thesis", "data": "dataset",
}  # fmt: skip


def read_xml(path: Path, report: Report) -> Iterator[Paper | Cites]:
    """Yield the papers of a file and whom they cite, in order; what is wrong is told to `report`.

    Where the XML is broken, or the archive, the papers before are kept. What is not in the encoding
    that the file declares, or UTF-8, is read as Windows-1252.
    """
    reader = _XmlReader(path, report)
    rest, line = "", 1
    declared = _declared_encoding(path)
    # What declares Latin-1 may have become UTF-8 on its way, so that is tried first.
    encoding = EncodingReport(path, None if declared in _WESTERN else report)
    opened_as = "utf-8-sig" if declared in (*_WESTERN, "utf-8") else declared
    with open_text(path, BYTES_KEPT, opened_as) as text:
        while True:
            try:
                chunk = encoding.read(text.read(_CHUNK), line)
            except BROKEN_ARCHIVE as error:
                where = f"{path}:{line}"
                report(BrokenOff(f"{where}: the archive is broken here ({error}); fetch it again"))
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
            if not chunk:
                return


def _declared_encoding(path: Path) -> str:
    """Return the codec of the encoding that the file declares, "utf-8" where it declares none.

    One in which the declaration itself would read differently cannot be the one it is written in.
    """
    with open_text(path) as text:
        try:
            found = _DECLARED.match(text.read(_DECLARATION))
            codec = codecs.lookup(found[1]).name if found else "utf-8"
            return codec if _MARK.decode(codec, BYTES_KEPT) == "<?xml" else "utf-8"
        except (*BROKEN_ARCHIVE, LookupError, UnicodeError):
            return "utf-8"


class _XmlReader:
    """Turns text into papers as it comes, and lets go of what they were made of."""

    def __init__(self, path: Path, report: Report) -> None:
        self._path = path
        self._report = report
        self._parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(["start", "end"])
        self._open: list[Element] = []
        self._context: Context = {}

    def feed(self, text: str, *, last: bool) -> Iterator[Paper | Cites]:
        """Yield the papers that end in a piece of text.

        Raises:
            ParseError: the XML is broken in it.
        """
        self._parser.feed(text)
        for event, element in cast(Iterator[tuple[str, Element]], self._parser.read_events()):
            if event == "start":
                self._begin(element)
            else:
                yield from self._end(element)
        if last:
            self._parser.close()

    def _begin(self, element: Element) -> None:
        self._open.append(element)
        if element.tag in ("collection", "volume"):
            self._context[element.tag] = element.get("id", "")

    def _end(self, element: Element) -> Iterator[Paper | Cites]:
        self._open.pop()
        if element.tag == "meta":
            for name in ("booktitle", "journal-title", "year"):
                self._context[name] = _of(element, name)
        read = _READERS.get(element.tag)
        if read is None and len(self._open) == 1:
            self._open[0].remove(element)  # of no use, and a dump may hold a million of its kind
        if read is None or (self._open and self._open[-1].tag in _READERS):
            return
        paper = read(element, self._context)
        if paper is not None and paper.title:
            yield paper
            if cited := tuple(dict.fromkeys(_cited(element))):
                yield Cites(f"id {paper.id}", cited)
        elif element.tag not in ("www", "proceedings"):
            name = element.get("key") or element.get("id") or element.tag
            self._report(f"{self._path}: the record {name!r} has no title; it is skipped")
        element.clear()
        if self._open:
            self._open[-1].remove(element)  # or a dump of gigabytes would stand in memory


def acl(element: Element, context: Context) -> Paper | None:
    """Read a `paper` of the ACL Anthology."""
    written = _of(element, "url")
    number = _ANTHOLOGY_ID.search(written)
    name = number.group() if number else _anthology_id(element, context)
    title = _of(element, "title")
    abstract = _of(element, "abstract")
    return Paper(
        id=f"acl:{name}",
        title=title,
        abstract=abstract,
        authors=tuple(
            named(_of(author, "first"), _of(author, "last")) for author in element.findall("author")
        ),
        year=_year(_of(element, "year") or context.get("year", "") or name),
        venue=context.get("journal-title") or context.get("booktitle", ""),
        doi=normalise_doi(_of(element, "doi")),
        url=f"https://aclanthology.org/{name}/",
        language=detect_language(title),
        kind="article-journal" if context.get("journal-title") else "paper-conference",
        retracted=any(element.find(name) is not None for name in ("retracted", "removed")),
    )


def _anthology_id(element: Element, context: Context) -> str:
    """Return the id that the Anthology gives a paper, in the form of its time."""
    collection, volume = context.get("collection", ""), context.get("volume", "")
    paper = element.get("id", "")
    if not re.fullmatch(r"[A-Z]\d\d", collection) or not (volume + paper).isdigit():
        return f"{collection}-{volume}.{paper}"
    workshop = collection[0] == "W" or collection == "C69" or (
        collection == "D19" and int(volume) >= 5
    )  # fmt: skip
    if workshop:
        return f"{collection}-{int(volume):02}{int(paper):02}"
    return f"{collection}-{int(volume)}{int(paper):03}"


def dblp(element: Element, context: Context) -> Paper | None:
    """Read a record of DBLP."""
    key = element.get("key", "")
    kind = _DBLP_KINDS.get(element.tag)
    if kind is None or not key or key.startswith("homepages/"):
        return None
    links = [_all_text(one) for one in element.findall("ee")]
    doi = next(
        (found for link in links if "doi.org" in link and (found := normalise_doi(link))), ""
    )
    number = re.search(r"abs-(\d{4})-(\d{4,5})$", key)
    title = _of(element, "title").removesuffix(".")
    informal = key.startswith("journals/corr/")
    return Paper(
        id=f"DBLP:{key}",
        title=title,
        authors=tuple(_NUMBERED.sub("", _all_text(one)) for one in element.findall("author")),
        year=_year(_of(element, "year")),
        venue=next(
            filter(
                None,
                (_of(element, name) for name in ("journal", "booktitle", "school", "publisher")),
            ),
            "",
        ),
        doi=doi,
        url=next((link for link in links if "doi.org" not in link), ""),
        language=detect_language(title),
        kind="article" if informal else kind,
        arxiv=f"{number[1]}.{number[2]}" if number else "",
        retracted="withdrawn" in (element.get("publtype") or ""),
    )


def pubmed(element: Element, context: Context) -> Paper | None:
    """Read an article of PubMed."""
    citation = element.find("MedlineCitation")
    article = citation.find("Article") if citation is not None else None
    if citation is None or article is None:
        return None
    ids = [one for one in article.findall("ELocationID") if one.get("EIdType") == "doi"]
    ids += [
        one
        for one in element.findall("PubmedData/ArticleIdList/ArticleId")
        if one.get("IdType") == "doi"
    ]
    date = article.find("Journal/JournalIssue/PubDate")
    kinds = [_all_text(one) for one in article.findall("PublicationTypeList/PublicationType")]
    title = _of(article, "ArticleTitle").strip("[]").removesuffix(".").removesuffix("]")
    title = title or _of(article, "VernacularTitle").removesuffix(".")
    people = article.find("AuthorList")
    notices = citation.findall("CommentsCorrectionsList/CommentsCorrections")
    number = _of(citation, "PMID")
    return Paper(
        id=f"pmid:{number}",
        title=title,
        abstract=" ".join(
            f"{label.capitalize()}: {text}" if (label := one.get("Label", "")) else text
            for one in article.findall("Abstract/AbstractText")
            if (text := _all_text(one))
        ),
        authors=tuple(filter(None, map(_pubmed_author, article.findall("AuthorList/Author")))),
        year=_year(_all_text(date) if date is not None else ""),
        venue=_of(article, "Journal/Title"),
        doi=next((doi for one in ids if (doi := normalise_doi(_all_text(one)))), ""),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
        language={"eng": "en", "chi": "zh"}.get(_of(article, "Language"), ""),
        kind="article-journal",
        retracted="Retracted Publication" in kinds
        or any(one.get("RefType") == "RetractionIn" for one in notices),
        more_authors=people is not None and people.get("CompleteYN") == "N",
    )


def _cited(element: Element) -> Iterator[str]:
    """Yield the marks of what a record cites: PubMed by number or DOI, DBLP by key."""
    for one in element.iterfind("cite"):
        if (key := _all_text(one)) != _UNKNOWN:
            yield f"id DBLP:{key}"
    for reference in element.iterfind("PubmedData//Reference"):
        ids = {one.get("IdType"): _all_text(one) for one in reference.iter("ArticleId")}
        if ids.get("pubmed"):
            yield f"id pmid:{ids['pubmed']}"
        elif doi := normalise_doi(ids.get("doi", "")):
            yield f"doi {doi}"


def _pubmed_author(author: Element) -> str:
    given = _of(author, "ForeName") or _of(author, "Initials")
    return named(given, _of(author, "LastName")) or named("", _of(author, "CollectiveName"))


_READERS: dict[str, Callable[[Element, Context], Paper | None]] = {
    "paper": acl,
    "PubmedArticle": pubmed,
    **dict.fromkeys((*_DBLP_KINDS, "www", "proceedings"), dblp),
}


def _of(element: Element, name: str) -> str:
    found = element.find(name)
    return _all_text(found) if found is not None else ""


def _all_text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _character(entity: re.Match[str]) -> str:
    """Return the character of a named entity, which DBLP writes, unless it is one of XML's own."""
    name = entity[1]
    return entity[0] if name in _OF_XML or name not in name2codepoint else chr(name2codepoint[name])


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found.group()) if found else None
