"""The language server: a thin layer that turns requests of an editor into calls on the engine."""

from __future__ import annotations


def serve(tcp: tuple[str, int] | None = None) -> None:
    """Serve on stdio, or on a host and port, until the client leaves; then end the process."""
    # Imported here, so that naming the package costs nothing.
    from cite_lsp.server import start

    start.serve(tcp)


__all__ = ["serve"]
