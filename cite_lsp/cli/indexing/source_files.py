"""What a run of `cite-lsp index` reads: the files of its sources, and which of them are gone."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from attrs import frozen

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.printing.output import Problems, warn
from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.corpus.source_paths import (
    covers,
    is_pattern,
    is_searched,
    normalised,
    searched_place,
    with_folders_as_named,
)
from cite_lsp.corpus.sources import find_files
from cite_lsp.paths import expanded
from cite_lsp.search.corpus.corpus_index import (
    CorpusIndex,
    UnreadableError,
    current_version,
    searched_of,
    sources_of,
)
from cite_lsp.search.indexing.checksums import TAKEN_OVER, damage
from cite_lsp.search.vectors.vector_index import SearchIndexError


@frozen
class SourceFiles:
    """What a run reads: the `files`, and the folders and patterns that were `searched` for them.

    `gone` are sources of the corpus that those folders and patterns no longer have.
    """

    files: Sequence[str]
    searched: Sequence[str]
    gone: Sequence[str] = ()


def sources_to_read(options: argparse.Namespace, folder: Path) -> SourceFiles:
    """Return what a run reads: the sources named, or all that were named before.

    Of a damaged corpus nothing can be taken over, so all of its sources are read again.

    Raises:
        CommandError: there is nothing to read, or a pattern matches nothing.
        RecordError: a source that is named does not exist, or holds nothing to read.
    """
    damaged = not options.replace and _is_damaged(folder)
    files = named_files(options.sources)
    searched = [searched_place(source) for source in options.sources if is_searched(source)]
    if damaged or not options.sources:
        before = _before(folder, retained=not (damaged or options.replace))
        files, searched = _once(files, before.files), _once(searched, before.searched)
    if not files:
        raise CommandError(f"{folder.name}: none of its sources exists any more; name a SOURCE")
    reading = SourceFiles(files, searched)
    return reading if options.replace else _compared(reading, sources_of(folder))


def named_files(sources: Sequence[str]) -> list[str]:
    """Return the files of sources as a corpus notes them, each once.

    Raises:
        CommandError: a pattern matches nothing.
        RecordError: a source does not exist or is a pipe, or a folder holds nothing to read.
    """
    return _once(normalised(path) for path in find_files(expand(sources)))


def expand(sources: Sequence[str]) -> list[Path]:
    """Expand globs that the shell left alone; a path that exists is itself.

    Raises:
        CommandError: a pattern matches nothing.
    """
    paths: list[Path] = []
    for source in sources:
        if not source:  # of a variable that is not set; as a path it would be the working folder
            raise UsageError("a SOURCE is empty; name a file, a folder or a glob")
        path = expanded(source)
        if not is_pattern(path):
            paths.append(path)
            continue
        pattern = str(with_folders_as_named(path))
        matches = sorted(Path(match) for match in glob.glob(pattern, recursive=True))
        if not matches:
            raise CommandError(f"{source}: matches no file; check the pattern")
        paths += matches
    return paths


def _before(folder: Path, *, retained: bool) -> SourceFiles:
    """Return what is there of all sources of a corpus; what is missing is reported.

    What the corpus has of that is `retained`: a disk that is not there must not cost any papers.
    """
    missing = Problems()
    then = "what the corpus has of it " + ("is kept, --replace forgets it" if retained else "goes")
    files: list[str] = []
    searched: list[str] = []
    for place in searched_of(folder):
        try:
            files += named_files([place])
            searched.append(place)
        except (CommandError, RecordError) as error:
            missing.add(f"{error}; {then}")
    for path in (normalised(Path(name)) for name in sources_of(folder)):
        if Path(path).exists():
            files.append(path)
        elif os.path.lexists(path) or not _covered(path, searched_of(folder)):
            missing.add(f"{path}: no such file any more; {then}")
    missing.close()
    return SourceFiles(files, searched)


def _compared(reading: SourceFiles, before: Iterable[str]) -> SourceFiles:
    """Return what is read with what is gone of the folders and patterns that were searched.

    What they do not find and is there all the same was named by itself, and is read again, too.
    """
    noted = {name: normalised(Path(name)) for name in before}
    searched = {name for name, path in noted.items() if _covered(path, reading.searched)}
    lost = [name for name in noted if name in searched and not os.path.lexists(name)]
    present = (noted[name] for name in noted if name in searched and Path(name).exists())
    files = _once(reading.files, present)
    problems = Problems()
    for name in lost:
        problems.add(f"{name}: gone, and with it what no other source has")
    problems.close()
    respelled = [name for name, path in noted.items() if name != path and path in files]
    return SourceFiles(files, reading.searched, _once(lost, respelled))


def _covered(path: str, searched: Iterable[str]) -> bool:
    return any(covers(place, path) for place in searched)


def _once(*several: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(chain(*several)))


def _is_damaged(folder: Path) -> bool:
    """Whether nothing of a corpus can be taken over; that is reported."""
    if current_version(folder) is None:
        return False
    try:
        corpus = CorpusIndex(folder)
    except UnreadableError:
        return False  # it is refused later
    except SearchIndexError as error:
        warn(f"{error}: all of them are read now")
        return True
    changed = next(damage(corpus.records.parent, *TAKEN_OVER), "")
    if changed:
        warn(f"{folder}: the corpus is damaged ({changed}): all its sources are read now")
        return True
    return False
