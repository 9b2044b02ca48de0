"""Search by words: tokens, BM25, beginnings of words."""
