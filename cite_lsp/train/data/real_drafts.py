"""Real drafts, split into those to learn from and those to measure on."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from attrs import frozen

from cite_lsp.corpus.formats.json_lines import Report, ignored
from cite_lsp.evaluate.tasks.manuscripts import find_drafts
from cite_lsp.train.run.report import TrainingError

MANIFEST = "manifest.json"
"""What may stand beside the drafts: a list of objects with their `name`, `language` and `field`."""
LANGUAGES = ("en", "zh")
"""The languages of which there are many drafts; all others are dealt together."""
MEASURED_ON = 4
"""One draft of so many is measured on."""

Drafts = Mapping[str, list[Path]]
"""The files of drafts, by name."""


@frozen
class DraftSplit:
    """The drafts of a folder in two parts, and the languages that the manifest names, by draft."""

    learn: Drafts
    check: Drafts
    languages: Mapping[str, str] = {}


def split_drafts(
    folder: Path, without: Collection[str] = (), report: Report = ignored
) -> DraftSplit:
    """Split the drafts of a folder, but those of the names in `without`.

    Sorted by language, by field and by a hash of their names, every fourth is measured on: both
    parts have drafts of all these languages and of most fields. To leave one out moves no other.

    Raises:
        CiteLspError: there is no such folder.
        TrainingError: it has too few drafts, or its manifest cannot be read.
    """
    drafts = find_drafts(folder)
    if len(drafts) < MEASURED_ON:
        raise TrainingError(
            f"{folder}: has {len(drafts)} drafts; give a folder of {MEASURED_ON} or more"
        )
    described = _manifest(folder / MANIFEST)

    def place(name: str) -> tuple[str, str, int]:
        row = described.get(name, {})
        language = row.get("language") if row.get("language") in LANGUAGES else "other"
        return str(language), str(row.get("field", "")), crc32(name.encode())

    order = sorted(drafts, key=place)
    check = set(order[MEASURED_ON // 2 :: MEASURED_ON])
    usable = find_drafts(folder, without, report)
    return DraftSplit(
        {name: drafts[name] for name in order if name in usable and name not in check},
        {name: drafts[name] for name in order if name in usable and name in check},
        {name: str(row["language"]) for name, row in described.items() if row.get("language")},
    )


def _manifest(path: Path) -> dict[str, dict[str, Any]]:
    """Return what a manifest says of each draft; nothing where there is none."""
    if not path.exists():
        return {}
    try:
        return {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(
            f"{path}: cannot be read ({error!r}); it is a list of objects that have a `name`"
        ) from error
