"""`cite-lsp eval`: one file for each task."""
