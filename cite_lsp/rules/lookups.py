"""What rules look up beside the draft that they are about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.cancelling import Cancel
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.project.workspace_paths import WorkspacePaths

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.known_works import KnownWorks


@frozen
class Lookups:
    """Where rules look up what a draft or a bibliography does not say itself.

    Attributes:
        lines: Returns the text of a file with its lines, None where it cannot be read.
        is_open: Whether a file is open in an editor: it need not be on disk then.
        known_works: What the corpora on this machine know of works.
        paths: Which files may be created.
        naming_settings: Returns which settings name a bibliography, "" where none does.
        cancelled: Whether nobody wants the findings any more.
    """

    lines: Callable[[Path], LineIndex | None]
    is_open: Callable[[Path], bool]
    known_works: KnownWorks
    paths: WorkspacePaths
    naming_settings: Callable[[Path], str]
    cancelled: Cancel | None = None
