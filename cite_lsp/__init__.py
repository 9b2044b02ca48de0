"""cite-lsp: a language server that recommends the papers a sentence should cite."""

from cite_lsp.offline import forbid_telemetry

__version__ = "0.1.0"

forbid_telemetry()
