"""The real server over a recommender that works until it is cancelled, and notes that in a file.

Told to stop, it goes on until a second file is there: it never ends by itself in a test's time.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.server.app import create_server, run
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.session.engine import Engine, Texts


class Blocking(DraftRecommender):
    def complete(self, draft: Draft, offset: int, **options: Any) -> Any:  # noqa: ANN401
        note("started")
        while not options["cancelled"]():
            time.sleep(0.01)
        while not Path(sys.argv[2]).exists() and Path(sys.argv[1]).exists():
            time.sleep(0.01)
        os.write(1, b"a library that prints on stdout must not break the wire")
        note("stopped")
        raise RuntimeError("stopped in the middle of something")

    def load_encoder(self) -> None:
        pass


def note(word: str) -> None:
    with Path(sys.argv[1]).open("a") as file:
        file.write(f"{word}\n")


def build(setup: Setup, texts: Texts, **shared: object) -> DraftRecommender:
    return Blocking(DraftReader(texts.read, workspaces=setup.workspaces))


if __name__ == "__main__":
    run(create_server(lambda documents: Engine(documents, build)))
