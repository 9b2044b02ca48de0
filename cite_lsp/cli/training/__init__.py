"""The recipes of `cite-lsp train`: their options, what they read and what they print."""
