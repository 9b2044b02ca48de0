"""The recipe that makes the Chinese lexicon."""
