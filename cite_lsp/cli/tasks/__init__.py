"""The tasks of `cite-lsp eval`: one file for each, with its options and its tables."""
