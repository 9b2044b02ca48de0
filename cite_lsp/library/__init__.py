"""The writer's own bibliographies: files become entries, which are matched and written."""

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.library.entries import Bibliography, Entry, Problem
from cite_lsp.library.load.cache import Library, LibraryCache
from cite_lsp.library.load.read import read_bibliography
from cite_lsp.library.match.match import EntryMatcher

__all__ = [
    "Bibliography",
    "Entry",
    "EntryMatcher",
    "Library",
    "LibraryCache",
    "Problem",
    "parse_bibliography",
    "read_bibliography",
]
