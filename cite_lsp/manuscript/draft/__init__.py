"""A parsed draft: its markers and sentences, and the context of each place."""
