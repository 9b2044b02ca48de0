"""Read a bibliography file from disk, whatever its encoding and whatever is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.library.bibtex.incremental import BibtexText, read_text
from cite_lsp.library.entries import Bibliography, Entry, Problem
from cite_lsp.library.formats.zotero_part import WHOLE, ZoteroPart
from cite_lsp.library.load import parsed_cache
from cite_lsp.storage.encodings import decode_bytes
from cite_lsp.storage.regular_files import (
    UnsuitableFileError,
    read_regular,
)
from cite_lsp.storage.stamps import Stamp, stamp

Reader = Callable[[Path], str | None]
"""Returns the text of a file, or None where there is none."""

BIBTEX_SUFFIXES = (".bib", ".bibtex", ".biblatex")
DATA_SUFFIXES = (".json", ".yaml", ".yml", ".ris", ".sqlite")
SUFFIXES = (".bib", *DATA_SUFFIXES)
"""The suffixes of bibliographies; files with any other are read as BibTeX."""

ABSENT = "the bibliography does not exist"
"""The beginning of the problem of a bibliography that is not there."""
_NO_ENTRY = {
    ".json": "a CSL-JSON file",
    ".yaml": "a CSL-YAML or Hayagriva file",
    ".yml": "a CSL-YAML or Hayagriva file",
    ".ris": "a RIS file",
}
_NOT_READ = {
    ".nbib": "PubMed's format", ".enw": "EndNote's format", ".xml": "XML",
    ".ciw": "the format of the Web of Science", ".enl": "a library of EndNote",
}  # fmt: skip
"""What people have from reference managers and databases that a draft cannot cite from."""


def is_database(path: Path) -> bool:
    """Whether a bibliography is Zotero's database: no text, and often a large one."""
    return path.suffix.lower() == ".sqlite"


@frozen
class BibliographyFile:
    """A bibliography as read from disk; `bibtex` is what reading it again after an edit needs.

    One that was refused may be read the next time, though it has not changed: on Windows a program
    that writes a file, or synchronises it, keeps others out.
    """

    bibliography: Bibliography
    bibtex: BibtexText | None = None
    refused: bool = False


def read_bibliography(path: Path) -> Bibliography:
    """Read a bibliography in the format that its name tells: BibTeX, CSL, Hayagriva, RIS, Zotero.

    Never raises: what is wrong becomes a problem of the bibliography.
    """
    return read_file(path).bibliography


def read_file(
    path: Path, before: BibliographyFile | None = None, zotero: ZoteroPart = WHOLE
) -> BibliographyFile:
    """Read a bibliography; after an edit, records that say the same stay the same objects.

    Of Zotero's database a part is read.
    """
    if is_database(path) and os.path.isfile(path):
        # Imported where needed: most bibliographies are in BibTeX.
        from cite_lsp.library.formats.zotero import read_zotero

        return BibliographyFile(_same_records(read_zotero(path, zotero), before))
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return _no_entry(path, f"{ABSENT}: create it or correct its name")
    except (OSError, ValueError) as error:
        return _unreadable(path, error)
    text, problem = decode_bytes(data)
    if not text or text.isspace():
        return _no_entry(path, "the bibliography is empty: add entries to it")
    parse = _data_parser(path)
    parsed = _parse_or_load(text, data, path, before.bibtex if before else None)
    bibliography = (
        parsed.bibliography if parse is None else _same_records(parsed.bibliography, before)
    )
    if not (bibliography.entries or bibliography.problems or parsed.macros):
        if format_name := _NOT_READ.get(path.suffix.lower()):
            return _no_entry(
                path, f"{format_name} is not read as a bibliography: export it as BibTeX"
            )
        expected = _NO_ENTRY.get(path.suffix.lower(), "a BibTeX file")
        return _no_entry(path, f"the bibliography holds no entry: is it {expected}?")
    if problem:
        problems = (Problem(path, 1, problem), *bibliography.problems)
        bibliography = evolve(bibliography, problems=problems)
    return BibliographyFile(bibliography, parsed if parse is None else None)


def _parse_or_load(text: str, data: bytes, path: Path, before: BibtexText | None) -> BibtexText:
    """Parse a bibliography; a large one that was parsed before is taken from the cache."""
    parse = _data_parser(path)
    if before is not None:
        return read_text(text, path, before)
    if len(data) < parsed_cache.WORTHWHILE:
        return BibtexText(text, parse(text, path)) if parse else read_text(text, path)
    digest = parsed_cache.content_digest(data, path.suffix.lower())
    parsed = parsed_cache.load_parse(text, path, digest)
    if parsed is None:
        parsed = BibtexText(text, parse(text, path)) if parse else read_text(text, path)
        parsed_cache.keep_parse(parsed, digest)
    return parsed


def parse_as_named(text: str, path: Path) -> Bibliography:
    """Read the text of a bibliography, not a database, in the format that its name tells."""
    parse = _data_parser(path)
    return parse(text, path) if parse else read_text(text, path).bibliography


def _data_parser(path: Path) -> Callable[[str, Path], Bibliography] | None:
    """Return the parser of a data format, None for BibTeX."""
    match path.suffix.lower():
        case ".json":
            from cite_lsp.library.csl.json import parse_csl_json

            return parse_csl_json
        case ".yaml" | ".yml":
            from cite_lsp.library.csl.yaml import parse_yaml

            return parse_yaml
        case ".ris":
            from cite_lsp.library.formats.ris import parse_ris

            return parse_ris
    return None


def _same_records(read: Bibliography, before: BibliographyFile | None) -> Bibliography:
    if before is None:
        return read
    return with_known_records(read, before.bibliography)


def with_known_records(read: Bibliography, before: Bibliography) -> Bibliography:
    """Return `read` with the records of `before` where they are equal."""
    records = {(entry.raw, entry.record.data): entry.record for entry in before.entries}
    entries: list[Entry] = []
    for entry in read.entries:
        record = records.get((entry.raw, entry.record.data))
        entries.append(evolve(entry, record=record) if record == entry.record else entry)
    bibliography = evolve(read, entries=tuple(entries))
    return before if bibliography == before else bibliography


def stamps(path: Path) -> tuple[Stamp, ...]:
    """Return a value that changes when a bibliography, or a file that it depends on, does."""
    if not is_database(path):
        return (stamp(path),)
    from cite_lsp.library.formats.zotero import files_read

    return tuple(map(stamp, files_read(path)))


def _unreadable(path: Path, error: OSError | ValueError) -> BibliographyFile:
    if os.path.isdir(path):  # to Windows that is a lack of permission
        return _no_entry(path, "the bibliography is a folder: name a .bib file in it")
    if isinstance(error, UnsuitableFileError):
        return _no_entry(path, f"the bibliography is not read: {error.strerror}")
    message = "the bibliography may not be read: give yourself permission to read it"
    if not isinstance(error, PermissionError):
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the bibliography cannot be read ({reason}): check its name and disk"
    return evolve(_no_entry(path, message), refused=True)


def _no_entry(path: Path, message: str) -> BibliographyFile:
    return BibliographyFile(Bibliography(path, (), (Problem(path, 1, message),)))
