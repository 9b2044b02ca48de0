"""Find entries: by typed text, by identifiers, by being the same work."""
