"""Entries of a bibliography that are one work under several keys."""

from __future__ import annotations

from collections.abc import Iterator

from cite_lsp.library.entries import Bibliography, Entry
from cite_lsp.library.match import duplicate_works as match
from cite_lsp.rules.findings import Finding


def duplicate_works(bibliography: Bibliography) -> Iterator[Finding]:
    """Yield the entries that are the work of an earlier one."""
    for entry, earlier in match.duplicate_works(bibliography.entries):
        yield Finding(
            "duplicate-work",
            entry.path,
            entry.key_start,
            entry.key_end,
            f'"{entry.key}" is the same work as "{earlier.key}" in line {earlier.line}: merge them',
            "information",
            related=(earlier.path, earlier.key_start, earlier.key_end, "the same work"),
        )


def entries_of(finding: Finding, bibliography: Bibliography) -> tuple[Entry, Entry] | None:
    """Return the entry that a finding is about and the earlier one; None if they are gone."""
    by_place = {entry.key_start: entry for entry in bibliography.entries}
    if finding.rule != "duplicate-work" or finding.related is None:
        return None
    entry, earlier = by_place.get(finding.start), by_place.get(finding.related[1])
    return (entry, earlier) if entry is not None and earlier is not None else None
