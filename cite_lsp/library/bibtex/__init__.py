"""BibTeX files: records, values, inheritance, and reading only what an edit touched."""
