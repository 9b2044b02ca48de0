"""One order of papers, however one asks: over the protocol and on the command line.

Drafts are masked at a marker, opened in an editor's buffer, and asked for completions there.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.manuscript import Marker, format_of, parse
from tests.sample_drafts import FOLDERS, REAL, SHIPPED, name_of
from tests.server.editor_session import Session

LEARNING = 120
"""Half seconds that a server may take to learn how the writer of a draft cites."""
SHIPPED_PLACES = [
    ("letter", "letter.tex", 1),
    ("notes", "paper.md", 1),
    ("chinese", "data/chap01.tex", 1),
]
REAL_PLACES = [
    ("prosecutors-fallacy", "doc/prosecutor/fallacy.tex", 3),
    ("yellowpaper", "Paper.tex", 10),
    ("gmr", "paper/paper.md", 2),
    ("d2l-zh-chapters", "chapter_attention-mechanisms/transformer.md", 1),
]


def without_keys(text: str, marker: Marker) -> tuple[str, int]:
    """Return the text with a marker emptied, and the offset inside it where a key would go."""
    first, last = marker.keys[0], marker.keys[-1]
    start = first.start
    end = last.end
    if marker.command.startswith("["):  # pandoc: the sign before the first key stays
        return text[:start] + text[end:], start
    return text[:start] + text[end:], start


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "name", "number"),
    [
        *((SHIPPED / draft, name, number) for draft, name, number in SHIPPED_PLACES),
        *((REAL / draft, name, number) for draft, name, number in REAL_PLACES if REAL in FOLDERS),
    ],
    ids=lambda value: name_of(value) if isinstance(value, Path) else str(value),
)
async def test_completion_in_a_masked_draft_has_the_order_of_suggest(
    source: Path, name: str, number: int, tmp_path: Path
) -> None:
    kind = format_of(source / name)
    assert kind is not None
    whole = (source / name).read_text(encoding="utf-8")
    markers = parse(whole, kind).markers
    marker = [marker for marker in markers if marker.keys and not marker.silent][number]
    text, offset = without_keys(whole, marker)

    copy = tmp_path / "asked"
    shutil.copytree(source, copy)
    (copy / name).write_text(text, encoding="utf-8")
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    command = [sys.executable, "-m", "cite_lsp", "suggest", f"{copy / name}:{line}:{column}"]
    printed = subprocess.run(
        [*command, "--json", "-k", "50"],
        env=os.environ | {"CITE_LSP_HOME": str(tmp_path / ".home")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (place,) = json.loads(printed)["places"]
    suggested = [item["key"] for item in place["recommendations"]]
    assert len(suggested) >= min(5, len(markers))

    # The file on disk stays whole: the server must go by the buffer.
    folder = tmp_path / "opened"
    shutil.copytree(source, folder)
    async with Session(folder) as session:
        buffer = session.open(name, text)
        await session.ready()
        buffer.cursor = offset
        over_the_wire: list[str] = []
        for _ in range(LEARNING):  # how the writer cites is learned after that
            over_the_wire = await buffer.keys()
            if over_the_wire == suggested:
                break
            await asyncio.sleep(0.5)
    assert over_the_wire == suggested
