"""The drafts that tests read: those that ship with them and, where they are at hand, real ones.

Real drafts are in `../shared`, beside the checkout, and most of them may not be copied. A plain
clone has `tests/drafts` alone, which is small and has the same forms.
"""

from __future__ import annotations

from pathlib import Path

from cite_lsp.manuscript import format_of

SHIPPED = Path(__file__).parent / "drafts"
REAL = Path(__file__).parents[1].parent / "shared" / "data" / "manuscripts" / "dev"
FOLDERS = tuple(folder for folder in (SHIPPED, REAL) if folder.is_dir())


def name_of(path: Path) -> str:
    """Return the name of a draft or of a folder of drafts, as a test's name has it."""
    folder = next(parent for parent in FOLDERS if path.is_relative_to(parent))
    kind = "shipped" if folder == SHIPPED else "real"
    return kind if path == folder else f"{kind}/{path.relative_to(folder).as_posix()}"


def draft_files(*formats: str) -> list[Path]:
    """Return the files that are in one of some formats, in any that is read if none is named."""
    return [
        path
        for folder in FOLDERS
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and (kind := format_of(path))
        and (not formats or kind in formats)
        and path != SHIPPED / "README.md"
    ]
