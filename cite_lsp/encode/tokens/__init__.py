"""Texts cut into the tokens that encoders read."""
