"""Records of papers in the formats of dumps, databases and reference managers."""
