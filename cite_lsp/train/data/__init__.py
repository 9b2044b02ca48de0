"""Training data: drafts, contexts, sentences, samples."""
