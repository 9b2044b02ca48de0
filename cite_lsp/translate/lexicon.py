"""A probabilistic lexicon: what the words of a Chinese text may mean in English, and how likely.

It lies in a folder: `lexicon.tsv.zst`, a row per Chinese word (the word, then English expressions
and their probabilities in thousandths, the likeliest first), and `terms.txt`, scientific terms that
cutting into words keeps whole. `cite_lsp.train.lexicon.zh_lexicon` makes one.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import frozen

from cite_lsp.errors import CiteLspError
from cite_lsp.paths import shipped_model
from cite_lsp.storage import compressed_files
from cite_lsp.storage.compressed_files import zstd

log = logging.getLogger(__name__)

MODEL = "zh-lexicon"
TABLE, TERMS = "lexicon.tsv.zst", "terms.txt"
_THOUSANDTHS = 1000


class LexiconError(CiteLspError):
    """A lexicon cannot be used; the message says which, why and what to do, in one line."""


@frozen
class Sense:
    """One English expression for a Chinese word, and p(expression | word)."""

    english: str
    probability: float


class Lexicon:
    """Chinese words with their English senses. Safe to share between threads.

    The rows are parsed when their word is first needed: a draft uses a few thousand.
    """

    def __init__(
        self, rows: Mapping[str, str], terms: frozenset[str] = frozenset(), fingerprint: str = ""
    ) -> None:
        """Take rows as they stand in the file, by word; `fingerprint` names their content."""
        self._rows = rows
        self._senses: dict[str, tuple[Sense, ...]] = {}
        self.terms = terms
        self.fingerprint = fingerprint

    @classmethod
    def open(cls, folder: Path) -> Lexicon:
        """Open a lexicon.

        Raises:
            LexiconError: it is missing or damaged.
        """
        try:
            packed = (folder / TABLE).read_bytes()
            text = zstd.decompress(packed).decode("utf-8")
            terms = (folder / TERMS).read_text(encoding="utf-8").split()
            rows = dict(line.split("\t", 1) for line in text.splitlines())
            fingerprint = hashlib.sha256(packed).hexdigest()[:12]
        except (OSError, ValueError, zstd.ZstdError) as error:
            raise LexiconError(
                f"{folder}: the Chinese lexicon cannot be read ({error}); reinstall cite-lsp, or "
                "name a folder that holds one"
            ) from error
        return cls(rows, frozenset(terms), f"{MODEL}-{fingerprint}")

    @classmethod
    def of(cls, senses: Mapping[str, Sequence[Sense]], terms: Iterable[str] = ()) -> Lexicon:
        """Make a lexicon of senses, as it would come back from a file."""
        rows = dict(_row(word, senses[word]).split("\t", 1) for word in senses)
        return cls(rows, frozenset(terms), hashlib.sha256(repr(rows).encode()).hexdigest()[:12])

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def senses(self, word: str) -> tuple[Sense, ...]:
        """Return the senses of a word, the likeliest first; none where it is not known."""
        senses = self._senses.get(word)
        if senses is None:
            columns = self._rows.get(word, "").split("\t")
            senses = self._senses[word] = tuple(
                Sense(english, int(share) / _THOUSANDTHS)
                for english, share in zip(columns[::2], columns[1::2], strict=False)
            )
        return senses


def write_lexicon(
    folder: Path, senses: Mapping[str, Sequence[Sense]], terms: Iterable[str]
) -> None:
    """Write a lexicon to a folder.

    Raises:
        OSError: it cannot be written.
    """
    lines = [_row(word, senses[word]) for word in sorted(senses)]
    folder.mkdir(parents=True, exist_ok=True)
    compressed_files.write(folder / TABLE, "\n".join([*lines, ""]).encode())
    (folder / TERMS).write_text("\n".join([*sorted(set(terms)), ""]), encoding="utf-8")


def _row(word: str, senses: Sequence[Sense]) -> str:
    columns = [word]
    for sense in sorted(senses, key=lambda sense: -sense.probability):
        columns += [sense.english, str(round(sense.probability * _THOUSANDTHS))]
    return "\t".join(columns)


@cache
def shipped_lexicon() -> Lexicon:
    """Return the lexicon that ships, opened once; an empty one, logged, if it is damaged.

    Chinese drafts are then ranked by everything else.
    """
    try:
        return Lexicon.open(shipped_model(MODEL))
    except LexiconError as error:
        log.error("%s; Chinese words are not translated", error)
        return Lexicon({})
