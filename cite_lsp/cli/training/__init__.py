"""`cite-lsp train`: one file for each recipe."""
