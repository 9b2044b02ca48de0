"""The recipe of the Chinese lexicon."""
