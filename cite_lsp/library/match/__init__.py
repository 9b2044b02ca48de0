"""Finding entries: by what a writer types, by identifiers, by being the same work."""
