"""Corpora on a server: their addresses, what was fetched of them, and when they do not answer."""
