"""Load files on disk into a Library; only changed files are read again."""
