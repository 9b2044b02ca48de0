"""Where and how a citation is written into a draft."""
