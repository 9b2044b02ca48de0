"""The real server, which starts TeX's search when a name is asked for again, and never ends it."""

from __future__ import annotations

from cite_lsp.project.bibliographies import kpathsea
from cite_lsp.server.app import create_server, run

if __name__ == "__main__":
    kpathsea._TYPING_PAUSE = 0.0
    kpathsea._LIMIT = 3600.0
    run(create_server())
