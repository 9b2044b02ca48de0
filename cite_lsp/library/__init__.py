"""The writer's own bibliographies: files become entries, which are matched and written."""

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.library.entries import Bibliography, Entry, Problem
from cite_lsp.library.formats.bibitem import bibitems
from cite_lsp.library.load.cache import Library, LibraryCache
from cite_lsp.library.load.read import Reader, read_bibliography
from cite_lsp.library.match.match import EntryMatcher
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.storage.encodings import decode_bytes

__all__ = [
    "Bibliography",
    "Entry",
    "EntryMatcher",
    "Library",
    "LibraryCache",
    "Problem",
    "Reader",
    "bibitems",
    "decode",
    "decode_bytes",
    "parse_bibliography",
    "read_bibliography",
]
