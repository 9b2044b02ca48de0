"""What `cite-lsp index` reads, and where it builds: sources, a server, a cluster."""
