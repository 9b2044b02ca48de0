"""The CorpusQuery: what the papers of corpora are ranked for."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from cite_lsp.library import Library
from cite_lsp.manuscript import Context


@frozen(eq=False)
class CorpusQuery:
    """A place in a draft where papers of corpora may be cited.

    library: what the draft cites from. root: the main file of the draft, for which recommended keys
    are remembered. context: where a citation is wanted. typed: the words typed at a key, which
    every paper has to match. by_method: whether the methods that the writer chose rank.
    """

    library: Library
    root: Path
    context: Context
    typed: str = ""
    by_method: bool = False
