"""Citations between papers as sources give them: by identifiers, as either paper may come later.

An identifier is what `identifiers_of` gives of a paper ("id openalex:W1", "doi 10.1/x").
What is read goes to scratch files as it comes, so that a citation graph of any size can be taken.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.full_text.printed_markers import around_first_marker
from cite_lsp.corpus.paper_identifiers import identifier_hash
from cite_lsp.paper import Paper

PAIR = np.dtype([("citing", "<u8"), ("cited", "<u8"), ("origin", "<i4")])
"""A citation on disk: hashes of the two identifiers, and the number of the source that has it."""
MOST_CONTEXTS = 5
"""Contexts of one citation that are stored; more add nothing new."""
_LONGEST_SIDE = 600
_BUFFERED = 1 << 14

Pairs = NDArray[np.void]
"""Citations, of type `PAIR`."""


@frozen
class CitationContext:
    """The words around a citation without its marker; `intents` are in the source's words."""

    left: str
    right: str = ""
    intents: tuple[str, ...] = ()


@frozen
class PaperCitations:
    """A paper and those that it cites, by their identifiers; of one citation, its words too."""

    citing: str
    cited: tuple[str, ...]
    contexts: tuple[CitationContext, ...] = ()


SourceItem = Paper | PaperCitations
"""What a source holds: papers, and who cites whom."""


@frozen
class StoredContext:
    """A context on disk: hashes of the identifiers, the number of its source, the words."""

    citing: int
    cited: tuple[int, ...]
    origin: int
    words: CitationContext

    def line(self) -> str:
        """Return it as a line of JSON."""
        record = {
            "citing": self.citing,
            "cited": self.cited,
            "origin": self.origin,
            "left": self.words.left,
            "right": self.words.right,
            "intents": self.words.intents,
        }
        return json.dumps(record, ensure_ascii=False) + "\n"


def split_context(text: str) -> CitationContext:
    """Return a passage as what stands on either side of its first marker, without the others.

    A passage without one stands on the left whole.
    """
    text = " ".join(text.split())
    return cited_in(*(around_first_marker(text) or (text, "")))


def cited_in(left: str, right: str) -> CitationContext:
    """Return what stands on either side of a marker, as much of it as is kept."""
    return CitationContext(left[-_LONGEST_SIDE:], right[:_LONGEST_SIDE])


class CitationScratch:
    """Stores citations in scratch files until the papers are known."""

    def __init__(self, pairs: Path, contexts: Path) -> None:
        """Open the scratch files anew.

        Raises:
            OSError: they cannot be written.
        """
        self._paths = pairs, contexts
        self._pairs = pairs.open("wb")
        self._contexts = contexts.open("w", encoding="utf-8", errors="replace")
        self._unwritten: list[tuple[int, int, int]] = []
        self._count = 0
        self._source = 0, 0
        self._added: set[int] = set()
        self._contexts_of_cited: Counter[tuple[int, ...]] = Counter()

    def __len__(self) -> int:
        return self._count

    def add(self, cites: PaperCitations, origin: int) -> None:
        """Add the citations of one paper by a source; what a source repeats at once counts once.

        Raises:
            OSError: it cannot be written.
        """
        citing = identifier_hash(cites.citing)
        cited = tuple(identifier_hash(identifier) for identifier in cites.cited)
        if (citing, origin) != self._source:
            self._source, self._added, self._contexts_of_cited = (citing, origin), set(), Counter()
        fresh = [cited_hash for cited_hash in dict.fromkeys(cited) if cited_hash not in self._added]
        self._added.update(fresh)
        self._count += len(fresh)
        self._unwritten += [(citing, cited_hash, origin) for cited_hash in fresh]
        if len(self._unwritten) >= _BUFFERED:
            self._write()
        for words in cites.contexts:
            self._contexts_of_cited[cited] += 1
            if self._contexts_of_cited[cited] <= MOST_CONTEXTS:
                self.add_context(StoredContext(citing, cited, origin, words))

    def add_pairs(self, pairs: Pairs) -> None:
        """Add citations that were stored before.

        Raises:
            OSError: they cannot be written.
        """
        self._count += len(pairs)
        self._write()
        self._pairs.write(np.ascontiguousarray(pairs, dtype=PAIR).tobytes())

    def add_context(self, context: StoredContext) -> None:
        """Add a context.

        Raises:
            OSError: it cannot be written.
        """
        self._contexts.write(context.line())

    def place(self) -> tuple[int, int, int]:
        """Return the position that `rewind` needs to remove all that is added from now on.

        Raises:
            OSError: what was taken before cannot be written.
        """
        self._write()
        return self._count, self._pairs.tell(), self._contexts.tell()

    def rewind(self, place: tuple[int, int, int]) -> None:
        """Remove all that was added since `place` returned this position.

        Raises:
            OSError: it cannot be taken out of the files.
        """
        self._unwritten, self._source = [], (0, 0)
        self._count, pairs, contexts = place
        self._pairs.seek(pairs)
        self._pairs.truncate()
        self._contexts.seek(contexts)
        self._contexts.truncate()

    def pairs(self) -> Pairs:
        """Return all citations, memory-mapped; none may be added afterwards.

        Raises:
            OSError: they cannot be written.
        """
        self._write()
        self._pairs.close()
        if not self._count:
            return np.zeros(0, dtype=PAIR)
        return np.memmap(self._paths[0], dtype=PAIR, mode="r")

    def contexts(self) -> Iterator[StoredContext]:
        """Yield all contexts; none may be added afterwards."""
        self._contexts.close()
        yield from read_stored_contexts(self._paths[1])

    def close(self) -> None:
        """Remove the scratch files."""
        for file, path in zip((self._pairs, self._contexts), self._paths, strict=True):
            with suppress(
                OSError
            ):  # what a full disk has left in the buffer is not wanted any more
                file.close()
            path.unlink(missing_ok=True)

    def _write(self) -> None:
        self._pairs.write(np.array(self._unwritten, dtype=PAIR).tobytes())
        self._unwritten = []


def read_stored_contexts(path: Path) -> Iterator[StoredContext]:
    """Yield the contexts of a file, in order.

    Raises:
        OSError, ValueError, KeyError: it is missing or holds something else.
    """
    with path.open(encoding="utf-8") as lines:
        yield from map(read_stored_context, lines)


def read_stored_context(line: str) -> StoredContext:
    """Return the context of a line that `StoredContext.line` wrote.

    Raises:
        ValueError, KeyError, TypeError: it holds something else.
    """
    record = json.loads(line)
    words = CitationContext(record["left"], record["right"], tuple(map(str, record["intents"])))
    cited = tuple(int(hash_text) for hash_text in record["cited"])
    return StoredContext(int(record["citing"]), cited, int(record["origin"]), words)
