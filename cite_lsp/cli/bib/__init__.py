"""What `bib` does to bibliographies, one file for each of its options."""
