"""What a key costs in a long chapter: processor time to read the draft again, and for its list.

    python -m benchmarks.edits [--size N] [--keys N] [--format FORMAT]
    python -m benchmarks.edits --draft FILE [--keys N]

The chapter is that of `benchmarks.load`, or the same in another format. Keys are typed at its end,
in its middle, and near its beginning, into a citation; no process of its own is started, and no
model is waited for. In a draft of your own words are changed anywhere, and each time the list of
any citation of the file is asked for, by meaning and adapted to the draft.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import tempfile
import time
from pathlib import Path

from attrs import frozen

from benchmarks.generated import TYPED, body, chapter, write_library
from cite_lsp.cli.arguments.project_settings import project_settings
from cite_lsp.cli.printing.output import table
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


@frozen
class Format:
    """How a format of drafts writes what the chapter is made of."""

    suffix: str
    beginning: str
    heading: str
    cites: str
    """What opens a citation, up to its first key."""
    between: str
    """What stands between two keys."""
    closes: str


FORMATS = {
    "markdown": Format("md", "---\nbibliography: library.bib\n---\n\n", "#", "[@", "; @", "]"),
    "typst": Format("typ", '#bibliography("library.bib")\n\n', "=", "@", " @", ""),
    "org": Format("org", "#+bibliography: library.bib\n\n", "*", "[cite:@", ";@", "]"),
}


def _chapter_in(form: Format, folder: Path, size: int) -> Path:
    """Write the chapter in another format than LaTeX."""

    def cited(keys: re.Match[str]) -> str:
        return form.cites + form.between.join(re.split(r", *", keys[1])) + form.closes

    text = re.sub(r"\\section\{(.*?)\}", rf"{form.heading} \1", body(size))
    path = folder / f"draft.{form.suffix}"
    path.write_text(
        form.beginning + re.sub(r"\\citep\{([^}]*)\}", cited, text) + f"\n\nWords {form.cites}",
        encoding="utf-8",
    )
    return path


def _words_changed(path: Path, changes: int) -> list[list[str]]:
    """Change words of a draft, ask for a list each time, and return the rows of the table."""
    rng, buffer = random.Random(1), _Buffer(path)
    _, setup = project_settings(path, bibliographies=[], encoder=None, corpora=[], translator=None)
    listing = []
    with build(setup, buffer) as recommender:
        recommender.prepare(path)
        recommender.adapt(path)
        for _ in range(changes + 1):
            manuscript = recommender.draft(path).manuscript
            sentence = rng.choice([each for each in manuscript.sentences if not each.markers])
            space = buffer.text.find(" ", sentence.start)
            buffer.text = f"{buffer.text[:space]} indeed{buffer.text[space:]}"
            started = time.perf_counter()
            draft = recommender.draft(path)
            read = time.perf_counter() - started
            marker = rng.choice([marker for marker in draft.manuscript.markers if marker.keys])
            started = time.perf_counter()
            recommender.complete(draft, marker.keys[0].start, limit=50)
            listing.append(time.perf_counter() - started + read)
    times = sorted(1000 * seconds for seconds in listing[1:])
    return [["anywhere", *(f"{times[int(len(times) * share)]:,.0f}" for share in (0.5, 0.95))]]


def main() -> None:
    """Measure, and print the table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of the chapter")
    parser.add_argument("--format", choices=["latex", *FORMATS], default="latex")
    parser.add_argument("--keys", type=int, default=20, help="that are typed at each place")
    parser.add_argument("--draft", type=Path, help="a draft of your own")
    options = parser.parse_args()
    if options.draft:
        rows = _words_changed(options.draft.absolute(), options.keys)
        print(table(["words changed", "list, ms (median)", "list, ms (p95)"], rows))
        return
    with tempfile.TemporaryDirectory() as name:
        cites, folder = "\\citep{", Path(name)
        write_library(folder)
        if options.format == "latex":
            path = folder / "draft.tex"
            path.write_text(chapter(options.size), encoding="utf-8")
        else:
            cites = FORMATS[options.format].cites
            path = _chapter_in(FORMATS[options.format], folder, options.size)
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
            ("in the middle", buffer.text.index(cites, length // 2) + len(cites)),
            ("near the beginning", buffer.text.index(cites, length // 50) + len(cites)),
        ):
            reading, listing = [], []
            for number in range(options.keys + 1):
                typed = TYPED[number % len(TYPED)]
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
