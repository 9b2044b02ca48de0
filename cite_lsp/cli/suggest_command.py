"""Recommend papers for a place in a draft, as the server would there; without a line, for every
marker and every sentence that has none."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import print_json, recommendation_record

_PLACE = re.compile(r"^(?P<file>.+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?$")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "place", metavar="FILE[:LINE[:COLUMN]]", help="line and column count from 1, in characters"
    )
    parser.add_argument("-k", type=int, default=10, help="papers a place (default 10)")
    parser.add_argument(
        "--bibliography", "-b", type=Path, action="append", default=[], metavar="FILE",
        help="a bibliography beside those that the draft names",
    )
    parser.add_argument("--encoder", default="default", help="name or folder of the encoder")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print the recommendations."""
    path, line, column = _split_place(options.place)
    from cite_lsp.recommend.draft import DraftRecommender
    from cite_lsp.recommend.files import read_draft

    if read_draft(path) is None:
        raise CommandError(f"{path}: cannot be read; give a .tex or .md file")
    recommender = DraftRecommender(
        read=read_draft, encoder=options.encoder,
        extra_bibliographies=[file.absolute() for file in options.bibliography],
    )
    recommender.prepare(path)
    draft = recommender.draft(path)
    for problem in draft.problems:
        _warn(f"{problem.path}:{problem.line}: {problem.message}")
    if not draft.library.entries:
        raise CommandError(
            f"{path}: no bibliography with entries belongs to this draft; name one in the draft "
            "(\\bibliography, \\addbibresource, bibliography:) or with --bibliography"
        )
    places = list(_places(draft.manuscript, line, column))
    if line is not None and not places:
        raise CommandError(f"{path}: line {line} is not in the file")
    results = []
    for offset, text in places:
        found = _recommend(recommender, path, offset, options.k)
        results.append((offset, text, found))
    if options.json:
        print_json(
            {
                "file": str(path),
                "semantic": recommender.semantic,
                "places": [_record(draft.manuscript.text, *result) for result in results],
            }
        )
    else:
        for offset, text, found in results:
            _print_place(path, draft.manuscript.text, offset, text, found)
    return 0


def _recommend(recommender: Any, path: Path, offset: int, limit: int) -> tuple[Any, ...]:
    """Ask as the server asks: for the key at the cursor inside a marker, else for the sentence."""
    completion = recommender.complete(path, offset, limit=limit)
    if completion is not None:
        return tuple(completion.recommendations)
    return tuple(recommender.recommend(path, offset, limit=limit))


def _places(manuscript: Any, line: int | None, column: int | None) -> Iterator[tuple[int, str]]:
    """Yield (offset, the sentence there); without a line every marker and every bare sentence."""
    if line is not None:
        from cite_lsp.manuscript.lines import LineIndex

        index = LineIndex(manuscript.text)
        if line > index.count:
            return
        start = index.offset(line - 1, 0, "utf-32")
        end = index.offset(line - 1, 10**9, "utf-32")
        if column is not None:
            offset = min(start + column - 1, end)
        else:
            offset = _first_place(manuscript, start, end)
        sentence = manuscript.sentence_at(offset)
        yield offset, sentence.text if sentence else manuscript.text[start:end].strip()
        return
    for sentence in manuscript.sentences:
        for marker in sentence.markers:
            yield _inside(marker), sentence.text
        if not sentence.markers:
            yield sentence.start, sentence.text


def _first_place(manuscript: Any, start: int, end: int) -> int:
    """Return the first marker of a line, or else the first word of it."""
    for marker in manuscript.markers:
        if start <= marker.start < end:
            return _inside(marker)
    text = manuscript.text[start:end]
    return int(start + len(text) - len(text.lstrip()))


def _inside(marker: Any) -> int:
    """Return the offset in a marker at which nothing is typed yet: its first key's start."""
    return int(marker.keys[0].start if marker.keys else marker.end - 1)


def _record(text: str, offset: int, sentence: str, found: tuple[Any, ...]) -> dict[str, Any]:
    line, column = _line_column(text, offset)
    return {
        "line": line,
        "column": column,
        "sentence": sentence,
        "recommendations": [recommendation_record(item) for item in found],
    }


def _print_place(path: Path, text: str, offset: int, sentence: str, found: Any) -> None:
    from cite_lsp.recommend.reasons import describe, short_name

    line, column = _line_column(text, offset)
    print(f"{path}:{line}:{column}: {sentence}")
    for rank, item in enumerate(found, 1):
        print(f"  {rank:2}. {item.key}  {short_name(item.paper)}: {item.paper.title}")
        print(f"      {describe(item)}")
    print()


def _line_column(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


def _split_place(place: str) -> tuple[Path, int | None, int | None]:
    if Path(place).exists():
        return Path(place).absolute(), None, None
    match = _PLACE.match(place)
    assert match is not None  # the pattern takes any text
    line, column = match["line"], match["column"]
    return (
        Path(match["file"]).absolute(),
        max(int(line), 1) if line else None,
        max(int(column), 1) if column else None,
    )


def _warn(message: str) -> None:
    import sys

    print(message, file=sys.stderr)
