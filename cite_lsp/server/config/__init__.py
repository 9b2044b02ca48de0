"""Settings: what they are, and where they are read from."""
