"""One file for each method of the protocol; in `commands/` those of `citeLsp.*`."""
