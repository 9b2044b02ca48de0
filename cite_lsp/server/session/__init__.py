"""The state of a session: open documents, requests, background work."""
