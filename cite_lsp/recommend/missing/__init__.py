"""Missing citations: which sentences need one, and which papers are offered."""
