"""Edits of drafts and bibliographies, and the places of keys."""
