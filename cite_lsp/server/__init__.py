"""The language server: a thin layer that turns requests of an editor into calls on the engine."""

from __future__ import annotations

import gc


def serve(tcp: tuple[str, int] | None) -> None:
    """Serve on stdio, or on a host and port, until the client leaves; then end the process."""
    # What is imported stays for good: looking for garbage among it takes time now, and would take
    # some again whenever a writer waits for an answer.
    gc.disable()
    # Imported where needed: naming the package costs nothing.
    from cite_lsp.server.rpc import quick_types

    quick_types.load()  # before anything else imports them
    from cite_lsp.server import app

    server = app.create_server()
    gc.freeze()
    gc.enable()
    app.run(server, tcp)


__all__ = ["serve"]
