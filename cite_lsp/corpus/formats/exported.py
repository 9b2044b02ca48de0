"""What PubMed, EndNote and others write alike in XML and in tagged text."""

from __future__ import annotations

from cite_lsp.library.formats.ris import TYPES
from cite_lsp.library.text.names import split_names

_NO_TITLE = "not available"
_ORDINALS = {"2nd": "II", "3rd": "III", "4th": "IV", "5th": "V"}
RETRACTED = "Retracted Publication"
"""What PubMed and the Web of Science call a publication that was retracted."""
KINDS = {
    **TYPES,
    "Journal Article": "article-journal", "Electronic Article": "article-journal",
    "Article": "article-journal", "Review": "article-journal", "J": "article-journal",
    "Magazine Article": "article-magazine", "Newspaper Article": "article-newspaper",
    "Conference Paper": "paper-conference", "Conference Proceedings": "paper-conference",
    "Conference Proceeding": "paper-conference", "Proceedings Paper": "paper-conference",
    "C": "paper-conference", "Book": "book", "Edited Book": "book", "Electronic Book": "book",
    "Book, Whole": "book", "B": "book", "Book Section": "chapter", "Book Chapter": "chapter",
    "Book, Section": "chapter", "Electronic Book Section": "chapter", "Thesis": "thesis",
    "Dissertation/Thesis": "thesis", "Dissertation": "thesis", "Academic Dissertation": "thesis",
    "Report": "report", "Technical Report": "report", "Preprint": "article", "Dataset": "dataset",
    "Web Page": "webpage", "Patent": "patent", "Computer Program": "software",
    "Manuscript": "manuscript", "Unpublished Work": "manuscript",
    "期刊": "article-journal", "博士": "thesis", "硕士": "thesis", "报纸": "article-newspaper",
    "中国会议": "paper-conference", "国际会议": "paper-conference",
}  # fmt: skip
"""Types of CSL by what RIS and others call them; no name means one thing here and another there."""


def pubmed_title(field: str) -> str:
    """Return a title without PubMed's full stop, and its brackets around one that it translated.

    "[Not Available]." is none.
    """
    title = field.strip("[]").removesuffix(".").removesuffix("]")
    return "" if title.casefold() == _NO_TITLE else title


def pubmed_suffix(suffix: str) -> str:
    """Return what stands behind a family name as others write it: PubMed has "3rd" for "III"."""
    return _ORDINALS.get(suffix.casefold(), suffix)


def pubmed_address(number: str) -> str:
    """Return the address of the article with a number."""
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/"


def exported_names(field: str) -> tuple[str, ...]:
    """Return the names of a field; EndNote writes a comma behind that of an organisation."""
    if 0 < field.find(",") == len(field) - 1:
        field = f"{{{field[:-1]}}}"
    return split_names(field)
