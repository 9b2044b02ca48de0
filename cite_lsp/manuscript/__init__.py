"""Parsing drafts: text in, citations and their contexts out; nothing here reads a file."""

from cite_lsp.manuscript.draft.context import context_at, context_of, context_of_site
from cite_lsp.manuscript.draft.document import Document, Place
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.latex.commands.citation_commands import named_commands
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    CitationSite,
    Commands,
    Context,
    EmbeddedFile,
    Inclusion,
    Marker,
    Mention,
    Name,
    Sentence,
)
from cite_lsp.manuscript.parse import format_of, parse

__all__ = [
    "BibliographyDeclaration",
    "CitationSite",
    "Commands",
    "Context",
    "Document",
    "EmbeddedFile",
    "Inclusion",
    "Manuscript",
    "Marker",
    "Mention",
    "Name",
    "Place",
    "Sentence",
    "context_at",
    "context_of",
    "context_of_site",
    "format_of",
    "named_commands",
    "parse",
]
