"""Edits of drafts and bibliographies, and where keys stand."""
