"""The files that a draft consists of, and what their names mean."""
