"""Ranking papers of corpora: candidates, features, rerankers, and the merge with the library."""
