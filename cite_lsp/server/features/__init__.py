"""One file for each method of the protocol."""
