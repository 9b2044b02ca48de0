"""Why no papers can be read from a file, and what to do about it."""

from __future__ import annotations

import re
from pathlib import Path

from cite_lsp.lazy_re import lazy_re
from cite_lsp.storage.regular_files import open_regular

_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
}
_COLUMN = r"(?:Authors?|Key|PMID|PT|Item Type)"
_COLUMNS = lazy_re(rf"(?:{_COLUMN}|\"{_COLUMN}\")[,;\t]")
_TITLES = lazy_re(
    r"(?:[^\n,;\t]*[,;\t])*\s?\"?(?:article |document )?title\"?(?:[,;\t]|\r?\n)", re.IGNORECASE
)
"""The names of columns, one of them that of the titles."""
_MODS = lazy_re(r"(?:<\?xml[^>]*>\s*)?<(?:\w+:)?mods")
_TABLE = "a table (CSV or tabs)"
_OTHERS = {_COLUMNS: _TABLE, _TITLES: _TABLE, _MODS: "MODS"}
"""Formats that people export and that are not read, by how they begin."""
_TAR, _TAR_AT = "ustar", 257
_REMEDY = "export it as BibTeX, RIS or CSL-JSON"


def refusal(path: Path, text: str) -> str:
    """Return why a file is not read that is empty or an archive, with a remedy; else "".

    `text` is how it begins, decompressed where it was compressed by gzip or Zstandard. What is
    empty has more likely lost what it had, such as to a full disk, than been written so.

    Raises:
        OSError: it cannot be read.
    """
    if not text.strip():
        return "the file is empty; fetch or export it again"
    with open_regular(path) as file:
        start = file.read(max(map(len, _ARCHIVES)))
    for mark, name in _ARCHIVES.items():
        if start.startswith(mark):
            return f"an archive that is not read ({name}); unpack it"
    tar = text.startswith(_TAR, _TAR_AT)
    return "an archive that is not read (tar); unpack it" if tar else ""


def has_titles(text: str) -> bool:
    """Whether a text that begins so is a table with a column of titles, and no citation graph."""
    return _TITLES.match(text) is not None


def unreadable_reason(text: str) -> str:
    """Return what to say of a text in which nothing was found."""
    if "\0" in text:
        return f"no text but a binary format that is not read here; {_REMEDY}"
    text = text.lstrip()
    for begins, name in _OTHERS.items():
        if begins.match(text):
            return f"{name}, which is not read; {_REMEDY}"
    if text.startswith("<"):
        kinds = "the ACL Anthology's, arXiv's, DBLP's, EndNote's, PubMed's, JATS nor TEI"
        return f"XML that is neither {kinds}, or a web page; {_REMEDY}"
    return f"format not recognised; {_REMEDY}"
