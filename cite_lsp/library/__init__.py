"""Bibliography files become entries; drafts are traced to the files that they use."""

from cite_lsp.library.bibitems import bibitems
from cite_lsp.library.bibtex import parse_bibliography
from cite_lsp.library.encodings import decode_bytes
from cite_lsp.library.fields import read_fields, read_paper
from cite_lsp.library.latex_text import decode
from cite_lsp.library.library import Library, LibraryCache
from cite_lsp.library.match import EntryMatcher
from cite_lsp.library.model import Bibliography, Entry, Problem
from cite_lsp.library.project import Project, ProjectCache, open_project
from cite_lsp.library.read import DiskReader, Reader, read_bibliography

__all__ = [
    "Bibliography",
    "DiskReader",
    "Entry",
    "EntryMatcher",
    "Library",
    "LibraryCache",
    "Problem",
    "Project",
    "ProjectCache",
    "Reader",
    "bibitems",
    "decode",
    "decode_bytes",
    "open_project",
    "parse_bibliography",
    "read_bibliography",
    "read_fields",
    "read_paper",
]
