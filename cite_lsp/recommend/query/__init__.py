"""The Context as queries: texts, words and names to compare with papers."""
