"""Which text is left alone: exempt prose, and rules that a comment suppresses."""
