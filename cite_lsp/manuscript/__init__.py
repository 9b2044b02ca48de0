"""The text of a draft in, its citations and their contexts out; no files, no papers."""

from cite_lsp.manuscript.citation_commands import named_commands
from cite_lsp.manuscript.context import context_at, context_of
from cite_lsp.manuscript.document import Document, Place
from cite_lsp.manuscript.formats import format_of, parse
from cite_lsp.manuscript.manuscript import Manuscript
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    BibliographyItem,
    CitationSite,
    CiteCommand,
    Commands,
    Context,
    EmbeddedFile,
    Inclusion,
    Marker,
    MarkerKey,
    Mention,
    Name,
    Names,
    Section,
    Sentence,
)

__all__ = [
    "BibliographyDeclaration",
    "BibliographyItem",
    "CitationSite",
    "CiteCommand",
    "Commands",
    "Context",
    "Document",
    "EmbeddedFile",
    "Inclusion",
    "Manuscript",
    "Marker",
    "MarkerKey",
    "Mention",
    "Name",
    "Names",
    "Place",
    "Section",
    "Sentence",
    "context_at",
    "context_of",
    "format_of",
    "named_commands",
    "parse",
]
