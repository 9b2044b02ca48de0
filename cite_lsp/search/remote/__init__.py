"""Corpora on a server: their addresses, what they found, and when they do not answer."""
