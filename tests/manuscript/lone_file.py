"""Contexts in a draft, which is a single file unless another is given."""

from __future__ import annotations

from functools import lru_cache

from cite_lsp.manuscript import Context, Document, Manuscript
from cite_lsp.manuscript.draft import context
from cite_lsp.manuscript.model import Marker

_document_of = lru_cache(maxsize=1)(Document.of)


def context_at(manuscript: Manuscript, offset: int) -> Context:
    return context.context_at(manuscript, offset, _document_of(manuscript))


def context_of(manuscript: Manuscript, marker: Marker, document: Document | None = None) -> Context:
    return context.context_of(manuscript, marker, document or _document_of(manuscript))
