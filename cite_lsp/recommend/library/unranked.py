"""The entries for a key that is being typed in a large library that is not indexed yet.

Indexing a library for the first time takes ten times as long as reading it. Until that is done,
entries are found by what their records say as written, and none is ranked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cite_lsp.library.entries import Entry
from cite_lsp.recommend.base.recommendation import Recommendation


def unranked(
    typed: str, entries: Sequence[Entry], cited: Collection[str], limit: int
) -> tuple[Recommendation, ...]:
    """Return up to `limit` entries whose records have all typed words, in any case.

    Keys that begin with what is typed come first, then those that the draft has `cited`; entries
    that are alike in this stand in the order of their files.
    """
    words, start = typed.casefold().split(), typed.casefold()
    found = (entry for entry in entries if all(word in _written(entry) for word in words))
    order = sorted(
        found,
        key=lambda entry: (not entry.key.casefold().startswith(start), entry.key not in cited),
    )
    return tuple(Recommendation(entry.paper, 0.0, entry) for entry in order[:limit])


def _written(entry: Entry) -> str:
    record = entry.record
    return f"{record.key} {record.data or record.raw}".casefold()
