"""What a key costs in a long chapter: processor time to read the draft again, and for its list.

    python -m benchmarks.edits [--size N] [--keys N]

The chapter is that of `benchmarks.load`. Keys are typed at its end, in its middle, and near its
beginning, into a citation; no process of its own is started, and no model is waited for.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.load import _TYPED, _template, chapter
from cite_lsp.cli.output import table
from cite_lsp.cli.project_settings import project_settings
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.server.session.engine import build


class _Buffer(FilesOnDisk):
    """The files of a folder, one of which is being edited."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.text = path.read_text(encoding="utf-8")

    def read(self, path: Path) -> str | None:
        return self.text if path == self._path else super().read(path)


def main() -> None:
    """Measure, and print the table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of the chapter")
    parser.add_argument("--keys", type=int, default=20, help="that are typed at each place")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = chapter(Path(name), _template(), options.size)[0]
        buffer = _Buffer(path)
        _, setup = project_settings(
            path, bibliographies=[], encoder=None, corpora=[], translator=None
        )
        recommender = build(setup, buffer)
        recommender.prepare(path)
        length = len(buffer.text)
        rows = []
        for where, place in (
            ("at the end", length),
            ("in the middle", buffer.text.index("\\citep{", length // 2) + len("\\citep{")),
            ("near the beginning", buffer.text.index("\\citep{", 20_000) + len("\\citep{")),
        ):
            reading, listing = [], []
            for number in range(options.keys + 1):
                typed = _TYPED[number % len(_TYPED)]
                buffer.text = buffer.text[:place] + typed + buffer.text[place:]
                place += 1
                started = time.process_time()
                draft = recommender.draft(path)
                read = time.process_time()
                recommender.complete(draft, place, limit=50)
                reading.append(read - started)
                listing.append(time.process_time() - read)
            # The first key is left out: the file may have been read, or embedded, for it alone.
            milliseconds = [
                f"{1000 * statistics.median(times[1:]):,.0f}" for times in (reading, listing)
            ]
            rows.append([where, *milliseconds])
    print(table(["keys typed", "draft, ms", "list, ms"], rows))


if __name__ == "__main__":
    main()
