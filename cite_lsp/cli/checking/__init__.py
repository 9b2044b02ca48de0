"""What `check` does to a draft or a bibliography, and how it reports that."""
