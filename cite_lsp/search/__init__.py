"""Corpora as they are searched: built, opened, and searched for candidates by vectors and words."""
