"""Formats of tagged text, a table each: how records are written, and under which tags.

RIS (https://en.wikipedia.org/wiki/RIS_(file_format)), PubMed's own, MEDLINE
(https://www.nlm.nih.gov/bsd/mms/medlineelements.html), EndNote's, RefWorks' and NoteExpress's, the
two of CNKI (what their exporters write), and that of the Web of Science (its help calls them field
tags).
"""

from __future__ import annotations

import re

from attrs import evolve, frozen

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.formats import ris

Tags = tuple[str, ...]


@frozen(kw_only=True)
class TaggedFormat:
    """How a format writes records, and where they say what; of several tags the first that does.

    Attributes:
        start: How a file begins.
        tag: A line with a tag (1) and a value (2); any other goes on with the value before it.
        begins: The tag that a record begins with; "" where a blank line is between records.
        ends: The tag that a record ends with; "" where none is written.
        header: Tags of the file, which are of no record.
        titles, abstracts, years, venues, dois, urls, languages, kinds, keys: Tags.
        authors: Tags whose values are all taken together, those of the first that has any.
        organisations: Those of them whose values are no people.
        listed: Tags of which each further line is a value of its own.
        catalogue: What stands before the number in an id, and the tag of the number.
        cited: Tags of the works that a paper cites.
    """

    start: re.Pattern[str]
    tag: re.Pattern[str]
    begins: str = ""
    ends: str = ""
    header: Tags = ()
    titles: Tags
    abstracts: Tags
    years: Tags
    venues: Tags
    dois: Tags
    urls: Tags
    languages: Tags
    kinds: Tags
    keys: Tags = ()
    authors: tuple[Tags, ...]
    organisations: Tags = ()
    listed: Tags = ()
    catalogue: tuple[str, str] = ("", "")
    cited: Tags = ()


RIS = TaggedFormat(
    start=lazy_re(r"(?:Provider:[^\n]*\n(?:(?:Database|Content):[^\n]*\n|[ \t\r]*\n)*)?TY {0,2}- "),
    tag=lazy_re(r"([A-Z][A-Z0-9]) {0,2}-(?: (.*)|\s*)$"),
    begins="TY",
    ends="ER",
    titles=ris.TITLES,
    abstracts=ris.ABSTRACTS,
    years=ris.YEARS,
    venues=(*ris.CONTAINERS, "PB"),
    dois=("DO",),
    urls=ris.URLS,
    languages=("LA",),
    kinds=("TY",),
    keys=("ID",),
    authors=(ris.AUTHORS, ("ED",), ("A2",)),
)
MEDLINE = TaggedFormat(
    start=lazy_re(r"(?:PMID|PMC |OWN |STAT)- ?\S"),
    tag=lazy_re(r"([A-Z]{2,4}) {0,2}-(?: (.*)|\s*)$"),
    titles=("TI", "BTI", "TT"),
    abstracts=("AB", "OAB"),
    years=("DP", "DEP"),
    venues=("JT", "TA", "BTI", "PB"),
    dois=("LID", "AID"),
    urls=(),
    languages=("LA",),
    kinds=("PT",),
    authors=(("FAU", "CN"), ("AU", "CN"), ("FED",)),
    organisations=("CN",),
    catalogue=("pmid:", "PMID"),
)
ENDNOTE = TaggedFormat(
    start=lazy_re(r"%0 \S"),
    tag=lazy_re(r"(%[^\s\w]|%[0-9A-Za-z])(?: (.*)|\s*)$"),
    begins="%0",
    titles=("%T",),
    abstracts=("%X",),
    years=("%D", "%8"),
    venues=("%J", "%B", "%I"),
    dois=("%R",),
    urls=("%U",),
    languages=("%G",),
    kinds=("%0",),
    keys=("%F",),
    authors=(("%A",), ("%E",)),
)
WEB_OF_SCIENCE = TaggedFormat(
    start=lazy_re(r"FN (?:Clarivate|Thomson|ISI)\b"),
    tag=lazy_re(r"([A-Z][A-Z0-9])(?: (.*)|\s*)$"),
    begins="PT",
    ends="ER",
    header=("FN", "VR", "EF"),
    titles=("TI",),
    abstracts=("AB",),
    years=("PY", "EA"),
    venues=("SO",),
    dois=("DI",),
    urls=(),
    languages=("LA",),
    kinds=("DT", "PT"),
    authors=(("AF", "CA"), ("AU", "CA"), ("BE",)),
    organisations=("CA",),
    listed=("AF", "AU", "BE", "CA", "CR"),
    catalogue=("", "UT"),
    cited=("CR",),
)
REFWORKS = TaggedFormat(
    start=lazy_re(r"RT (?:Abstract|Book|Conference|Dissertation|Generic|Journal|Report)\b"),
    tag=lazy_re(r"([A-Z][A-Z0-9])(?: (.*)|\s*)$"),
    begins="RT",
    titles=("T1",),
    abstracts=("AB",),
    years=("YR", "FD"),
    venues=("JF", "JO", "T2", "PB"),
    dois=("DO",),
    urls=("UL", "LK"),
    languages=("LA",),
    kinds=("RT",),
    authors=(("A1",), ("A2",)),
)
NOTE_EXPRESS = TaggedFormat(
    start=lazy_re(r"\{Reference Type\}:"),
    tag=lazy_re(r"\{([^{}]+)\}:(?: ?(.*))$"),
    begins="Reference Type",
    titles=("Title",),
    abstracts=("Abstract",),
    years=("Year", "Date"),
    venues=("Journal", "Secondary Title", "Publisher"),
    dois=("DOI",),
    urls=("URL", "Link"),
    languages=("Language",),
    kinds=("Reference Type",),
    authors=(("Author",),),
)
CNKI = TaggedFormat(
    start=lazy_re("SrcDatabase-来源"),
    tag=lazy_re(
        rf"(DataType|URL|[A-Z][A-Za-z]+(?=-(?:DOI|[{HAN}]{{1,8}}):))(?:-(?:DOI|[{HAN}]+))?: ?(.*)$"
    ),
    begins="SrcDatabase",
    titles=("Title",),
    abstracts=("Summary",),
    years=("Year", "PubTime"),
    venues=("Source",),
    dois=("DOI",),
    urls=("URL", "Link"),
    languages=(),
    kinds=("SrcDatabase",),
    authors=(("Author",),),
)
CNKI_STUDY = evolve(CNKI, start=lazy_re(r"DataType: ?\d"), begins="DataType")
FORMATS = (RIS, MEDLINE, ENDNOTE, WEB_OF_SCIENCE, REFWORKS, NOTE_EXPRESS, CNKI, CNKI_STUDY)


def format_of(start: str) -> TaggedFormat | None:
    """Return the format of a text that begins so, None where it is none of them."""
    start = start.lstrip("\ufeff \t\r\n")
    return next((form for form in FORMATS if form.start.match(start)), None)
