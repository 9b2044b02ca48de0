"""Names of corpora on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from cite_lsp.cli import CommandError
from cite_lsp.paths import corpora_folder


def expect_corpora(names: Iterable[str]) -> None:
    """Expect that there are corpora of these names on this machine.

    Raises:
        CommandError: there is none of one.
    """
    for name in names:
        if not (corpora_folder() / name).is_dir():
            raise CommandError(f"{name}: no corpus of that name; `cite-lsp corpora` lists them")
