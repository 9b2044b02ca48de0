"""The kinds of encoders: what runs a network or a table, and what combines several."""
