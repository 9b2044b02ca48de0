"""Names of corpora, and addresses of remote ones, on the command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.printing.output import warn
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paths import corpora_folder
from cite_lsp.search.corpus.corpus_index import CURRENT, CorpusIndex, list_corpora
from cite_lsp.search.remote.address import RemoteAddress, is_address, read_address

NO_CORPUS = "no corpus has been indexed; build one with `cite-lsp index SOURCE`"
REMOTE_SECONDS = 20.0
"""Seconds that a remote corpus is waited for: here nobody is typing."""

_NAME = lazy_re(r"\w[\w.-]*")


def can_be_name(text: str) -> bool:
    """Whether a corpus can be called so: a path, above all, is no name."""
    return _NAME.fullmatch(text) is not None


def addresses_in(names: Sequence[str]) -> tuple[list[str], list[RemoteAddress]]:
    """Tell names of corpora on this machine from addresses of remote ones.

    Raises:
        UsageError: an address is none.
    """
    local = [name for name in names if not is_address(name)]
    try:
        return local, [read_address(name) for name in names if is_address(name)]
    except ValueError as error:
        raise UsageError(str(error)) from error


def expect_corpora(names: Iterable[str]) -> None:
    """Expect that there are corpora of these names on this machine.

    Raises:
        CommandError: there is none of one, or its first build has not been through.
    """
    for name in names:
        folder = corpora_folder() / name
        if (folder / CURRENT).exists():
            continue
        if can_be_name(name) and folder.is_dir():
            raise CommandError(
                f"{name}: not built to the end; give its `cite-lsp index` command again"
            )
        existing = [path.parent.name for path in corpora_folder().glob(f"*/{CURRENT}")]
        near = difflib.get_close_matches(name, existing, n=1)
        guess = f"did you mean {near[0]}?" if near else "`cite-lsp corpora` lists them"
        raise CommandError(f"{name or repr(name)}: no corpus of that name; {guess}")


def whole_corpora(names: Sequence[str] = (), otherwise: str = "") -> list[CorpusIndex]:
    """Open the corpora of some names, or all of this machine; which are damaged goes to stderr.

    Raises:
        CommandError: there is none, with what can be done `otherwise`, or all are damaged.
    """
    expect_corpora(names)
    corpora = list_corpora(corpora_folder(), names or None)
    whole = [corpus for corpus in corpora if isinstance(corpus, CorpusIndex)]
    faults = [str(corpus) for corpus in corpora if not isinstance(corpus, CorpusIndex)]
    if not whole:
        raise CommandError((faults or [NO_CORPUS + otherwise])[0])
    for fault in faults:
        warn(f"cite-lsp: {fault}; the others are searched")
    return whole
