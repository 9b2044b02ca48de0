"""What a large library costs: reading it, the next start, one edit, and each keystroke.

    python -m benchmarks.library [--entries N] [--json]

The library is generated (72,000 entries make some 35 MB), so every run of every machine measures
the same. Figures stand beside what the product promises, where it promises something. The vectors
behind completion are drawn at random: what they cost does not depend on what they say.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks.generated import STEMS, draft, library

T = TypeVar("T")

TARGETS = {
    "next_start": 2.0,
    "edit": 0.3,
    "match_median": 0.010,
    "match_worst": 0.010,
    "complete_typed": 0.030,
    "complete_empty": 0.030,
}
"""Seconds."""

TYPED = ("m", "mu", "mul", "mull", "muller 1999", "graph", "graphing trans")


def typed_in(entries: int) -> tuple[str, ...]:
    """Return what is typed in a library: words, and of the key in its middle both ends."""
    return (*TYPED, f"key{entries // 2}"[:5], str(entries // 2))


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that work takes, and what it returns."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def measure(folder: Path, entries: int, meaning: bool) -> dict[str, float]:
    """Return the seconds of everything measured."""
    from cite_lsp.library import EntryMatcher, LibraryCache
    from cite_lsp.library.entries import digest_of
    from cite_lsp.recommend.base.pool import Pool

    path = folder / "library.bib"
    text = library(entries)
    path.write_text(text, encoding="utf-8")

    def start() -> tuple[LibraryCache, EntryMatcher, Pool]:
        cache = LibraryCache()
        read = cache.load([path])
        digest = digest_of(read.entries)
        matcher = EntryMatcher(read.entries, digest=digest)
        matcher.prepare()
        return cache, matcher, Pool.of_entries(read.entries, digest=digest)

    seconds: dict[str, float] = {}
    seconds["first_start"], _ = timed(start)
    seconds["next_start"], (cache, matcher, pool) = timed(start)

    middle = text.index("title = {", len(text) // 2) + len("title = {")
    path.write_text(text[:middle] + "Edited " + text[middle:], encoding="utf-8")

    def edit() -> EntryMatcher:
        entries = cache.load([path]).entries
        renewed = EntryMatcher(entries, matcher)
        renewed.prepare()
        Pool.of_entries(entries, pool)
        return renewed

    seconds["edit"], matcher = timed(edit)
    each = [
        statistics.median(timed(partial(matcher.match, typed))[0] for _ in range(5))
        for typed in typed_in(entries)
    ]
    seconds["match_median"], seconds["match_worst"] = statistics.median(each), max(each)
    return seconds | completions(folder, entries, meaning)


def completions(folder: Path, entries: int, meaning: bool) -> dict[str, float]:
    """Return the medians of completion while a key is typed, and where none is."""
    from cite_lsp.project.draft import DraftReader
    from cite_lsp.project.files_on_disk import FilesOnDisk
    from cite_lsp.recommend.engine import DraftRecommender

    path = folder / "draft.tex"
    disk = FilesOnDisk().read
    buffer: dict[Path, str] = {}
    recommender = DraftRecommender(DraftReader(lambda path: buffer.get(path) or disk(path)))

    def complete(typed: str, subject: str = "texts") -> None:
        text = draft(entries, subject) + typed
        buffer[path] = f"{text}}}.\n\\end{{document}}\n"
        completion = recommender.complete(recommender.draft(path), len(text))
        if completion is None or not completion.recommendations:
            raise RuntimeError(f"nothing is proposed where {typed!r} is typed: the draft is broken")

    buffer[path] = draft(entries)
    recommender.pool(recommender.draft(path).library)
    if meaning:
        recommender.load_encoder()
        give_vectors(recommender, path)
    for typed in ("", "graph", "mu"):
        complete(typed)
    empty = [timed(partial(complete, ""))[0] for _ in range(9)]
    typing = [timed(partial(complete, typed))[0] for typed in typed_in(entries) for _ in range(3)]
    first = [timed(partial(complete, "", stem))[0] for stem in STEMS[:9]]
    return {
        "complete_typed": statistics.median(typing),
        "complete_empty": statistics.median(empty),
        "complete_first": statistics.median(first),
    }


def give_vectors(recommender: object, path: Path) -> None:
    """Put random vectors where embedding 72,000 papers would put theirs after an hour."""
    import numpy as np

    from cite_lsp.recommend.engine import DraftRecommender

    assert isinstance(recommender, DraftRecommender)
    pool = recommender.pool(recommender.draft(path).library)
    drawn = np.random.default_rng(7).standard_normal((len(pool), 384), dtype=np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    pool.take_vectors(drawn, drawn.copy())


def table(seconds: dict[str, float]) -> str:
    """Return the figures beside their targets."""
    names = {
        "first_start": "first start: parse, words, indexes",
        "next_start": "next start: the same from the cache",
        "edit": "one entry edited: all of it renewed",
        "match_median": "match what is typed, median",
        "match_worst": "match what is typed, slowest",
        "complete_typed": "completion while typing, median",
        "complete_empty": "completion with nothing typed, median",
        "complete_first": "the first one in a new sentence, median",
    }
    rows = [f"{'':42}{'measured':>12}{'target':>12}"]
    for name, value in seconds.items():
        target = f"{TARGETS[name] * 1000:9.0f} ms" if name in TARGETS else ""
        rows.append(f"{names[name]:42}{value * 1000:9.1f} ms{target:>12}")
    return "\n".join(rows)


def main() -> int:
    """Measure and print; the status is 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=72_000, help="entries of the library")
    parser.add_argument("--words-only", action="store_true", help="leave the encoder out")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    os.environ["CITE_LSP_HOME"] = str(folder / "home")
    try:
        seconds = measure(folder, options.entries, not options.words_only)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        print(json.dumps({"entries": options.entries, "seconds": seconds, "targets": TARGETS}))
    else:
        print(table(seconds))
    return int(any(seconds[name] > target for name, target in TARGETS.items()))


if __name__ == "__main__":
    sys.exit(main())
