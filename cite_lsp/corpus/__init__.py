"""Papers from the outside: sources read in any format, and records of one work made one paper."""
