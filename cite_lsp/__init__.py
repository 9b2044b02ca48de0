"""cite-lsp: a language server that recommends the papers a sentence should cite."""

__version__ = "0.1.0"
