"""Typst drafts."""
