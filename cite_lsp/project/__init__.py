"""Which files make a draft, and what it can cite."""
