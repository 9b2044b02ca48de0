"""The papers of one file, and nothing of whom they cite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cite_lsp.corpus.formats.json_lines import Report
from cite_lsp.corpus.sources import read_source
from cite_lsp.paper import Paper


def papers_of_source(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers that `read_source` finds."""
    return (item for item in read_source(path, report) if isinstance(item, Paper))
