"""Items as Zotero names their parts, brought to CSL, and the notes that an export has of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.html_text import text_of_html

_TYPES = {
    "journalArticle": "article-journal", "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper", "book": "book", "bookSection": "chapter",
    "conferencePaper": "paper-conference", "thesis": "thesis", "report": "report",
    "webpage": "webpage", "preprint": "article", "manuscript": "manuscript", "patent": "patent",
    "dataset": "dataset", "computerProgram": "software", "encyclopediaArticle":
    "entry-encyclopedia", "dictionaryEntry": "entry-dictionary", "presentation": "speech",
    "blogPost": "post-weblog", "standard": "standard", "letter": "personal_communication",
}  # fmt: skip
_FIELDS = {
    "title": "title", "abstractNote": "abstract", "DOI": "DOI", "url": "URL", "volume": "volume",
    "issue": "issue", "pages": "page", "publisher": "publisher", "place": "publisher-place",
    "language": "language", "ISBN": "ISBN", "ISSN": "ISSN", "series": "collection-title",
    "edition": "edition", "extra": "note", "university": "publisher", "institution": "publisher",
    "repository": "publisher", "conferenceName": "event-title", "caseName": "title",
    "subject": "title", "nameOfAct": "title", "reportNumber": "number", "patentNumber": "number",
    "versionNumber": "version", "reportType": "genre", "thesisType": "genre",
}  # fmt: skip
_CONTAINERS = (
    "publicationTitle", "bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle",
    "websiteTitle", "blogTitle", "forumTitle", "programTitle",
)  # fmt: skip
_MAKERS = frozenset(
    "author artist programmer presenter inventor director podcaster cartographer".split()
)
_STORED_DATE = lazy_re(r"(\d{4})-(\d\d)-(\d\d)(?:\s+(\S.*))?", re.DOTALL)
"""A date as the database holds it: zeros for what is not known, then what was typed."""
_DAY = lazy_re(r"\d{4}-\d\d-\d\d")
_LONGEST_NOTE = 20_000
"""Characters of a note's HTML that are read."""
_DOI_IN_EXTRA = lazy_re(r"^DOI:\s*(\S+)", re.MULTILINE | re.IGNORECASE)


def zotero_to_csl(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the CSL item of a Zotero item: its `itemType`, its fields, its `creators`."""
    csl_fields: dict[str, Any] = {"type": _TYPES.get(str(item.get("itemType")), "document")}
    for name, csl_name in _FIELDS.items():
        if item.get(name):
            csl_fields.setdefault(csl_name, item[name])
    container = next((item[name] for name in _CONTAINERS if item.get(name)), None)
    if container:
        csl_fields["container-title"] = container
    if item.get("date"):
        csl_fields["issued"] = _issued(str(item["date"]))
    if visited := _DAY.match(str(item.get("accessDate"))):
        csl_fields["accessed"] = {"raw": visited.group()}
    creators = item.get("creators")
    for creator in creators if isinstance(creators, list) else []:
        if not isinstance(creator, Mapping):
            continue
        role = str(creator.get("creatorType", "author"))
        person = {"family": creator.get("lastName"), "given": creator.get("firstName")}
        if creator.get("name"):
            person = {"literal": creator["name"]}
        csl_fields.setdefault("author" if role in _MAKERS else role, []).append(person)
    tags = item.get("tags")
    if isinstance(tags, list):
        csl_fields["keyword"] = "; ".join(filter(None, (_inner(tag, "tag") for tag in tags)))
    if item.get("retracted"):
        csl_fields["status"] = "retracted"
    in_extra = _DOI_IN_EXTRA.search(str(item.get("extra") or ""))
    if in_extra:
        csl_fields.setdefault("DOI", in_extra[1])
    return csl_fields


def notes_of_item(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the notes of an item that Better BibTeX exported, as plain text."""
    notes = item.get("notes")
    for note in notes if isinstance(notes, list) else ():
        yield text_of_html(_inner(note, "note")[:_LONGEST_NOTE])


def _inner(value: object, name: str) -> str:
    """Return a text that some versions write as it is, and others as a field of an object."""
    text = value.get(name) if isinstance(value, Mapping) else value
    return text if isinstance(text, str) else ""


def _issued(date: str) -> dict[str, Any]:
    """Return a date of Zotero as one of CSL: "2017-00-00 2017", "0000-00-00 in press"."""
    stored = _STORED_DATE.fullmatch(date.strip())
    if stored is None:
        return {"raw": date}
    year, month, day = (int(part) for part in stored.groups()[:3])
    if not year:
        return {"literal": stored[4] or ""}
    parts = [year, month, day] if month and day else [year, month] if month else [year]
    return {"date-parts": [parts]}
