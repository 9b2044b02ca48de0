"""Single sentences of full texts and what they cite: contexts without anything around them.

One JSON object a line: `citing_id`, `cited` (ids), `sentence` with its markers as they are printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.corpus.formats.json_lines import Report, read_rows


@frozen
class CitingSentence:
    """A sentence as it is printed, the document it stands in, and papers that it cites (ids)."""

    citing_id: str
    cited: tuple[str, ...]
    sentence: str


def read_citing_sentences(path: Path, report: Report | None = None) -> Iterator[CitingSentence]:
    """Yield the sentences of a JSON Lines file (plain, .gz or .zst), in file order.

    A row that lacks one of the three is passed to `report` and skipped.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad row.
    """
    needed = "a citing sentence needs `citing_id`, `cited` and `sentence`; the row is skipped"
    return read_rows(path, report, _sentence_of, needed)


def _sentence_of(record: dict[str, Any]) -> CitingSentence | None:
    citing, cited, sentence = map(record.get, ("citing_id", "cited", "sentence"))
    if citing and isinstance(cited, list) and cited and isinstance(sentence, str) and sentence:
        return CitingSentence(str(citing), tuple(map(str, cited)), sentence)
    return None
