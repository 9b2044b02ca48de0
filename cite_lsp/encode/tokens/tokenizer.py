"""Tokenizers: what cuts texts into the numbers that an encoder reads, by its `tokenizer.json`.

The rules of BERT are ours (`word_pieces`); whatever else such a file may state is left to the
package `tokenizers`, which comes with the extra `torch`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cite_lsp.encode.encoder import EncoderError, well_formed
from cite_lsp.encode.tokens.word_pieces import UnknownRulesError, WordPieces
from cite_lsp.installation import how_to_install

if TYPE_CHECKING:
    import tokenizers


class Tokenizer(Protocol):
    """Cuts texts into pieces; `vocabulary` has their numbers, `around` those around a text."""

    vocabulary: Mapping[str, int]
    around: tuple[tuple[int, ...], tuple[int, ...]]

    def pieces(self, texts: Sequence[str], most: int | None = None) -> list[list[int]]:
        """Return the numbers of the pieces of each text, at most so many."""
        ...


def load_tokenizer(path: Path) -> Tokenizer:
    """Load the tokenizer of a file; whoever loads the same file gets the same one.

    Raises:
        EncoderError: the file is missing or no tokenizer, or needs a package that is missing.
    """
    try:
        state = path.stat()
        return _read(path.resolve(), state.st_size, state.st_mtime_ns)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, error) from error


def with_bounds(tokenizer: Tokenizer, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
    """Return texts as an encoder reads them, at most `max_tokens` with what stands around them."""
    before, behind = tokenizer.around
    room = max(0, max_tokens - len(before) - len(behind))
    return [[*before, *pieces, *behind] for pieces in tokenizer.pieces(texts, room)]


@lru_cache(maxsize=4)
def _read(path: Path, size: int, changed: int) -> Tokenizer:
    """Read a file; its size and when it was changed tell one from that before it."""
    try:
        return WordPieces(json.loads(path.read_text(encoding="utf-8")))
    except UnknownRulesError:
        return LibraryTokenizer(open_with_library(path))


class LibraryTokenizer:
    """A tokenizer of the package `tokenizers`, which must neither cut nor pad. A `Tokenizer`."""

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        """Take an opened one."""
        self._tokenizer = tokenizer
        self.vocabulary: Mapping[str, int] = tokenizer.get_vocab()
        token_ids, whole = (
            tokenizer.encode("a", add_special_tokens=each).ids for each in (False, True)
        )
        places = range(len(whole) - len(token_ids) + 1)
        start = next(
            place for place in places if whole[place : place + len(token_ids)] == token_ids
        )
        self.around = tuple(whole[:start]), tuple(whole[start + len(token_ids) :])

    def pieces(self, texts: Sequence[str], most: int | None = None) -> list[list[int]]:
        """Return the numbers of the pieces of each text, at most so many."""
        valid_texts = [well_formed(text) for text in texts]
        encoded = self._tokenizer.encode_batch_fast(valid_texts, add_special_tokens=False)
        return [encoding.ids[:most] for encoding in encoded]


def open_with_library(path: Path) -> tokenizers.Tokenizer:
    """Open a file by the package `tokenizers`; it neither cuts nor pads.

    Raises:
        EncoderError: the package is missing, or the file no tokenizer.
    """
    try:
        # Imported where needed: an extra has it, and other rules than BERT's are rare.
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EncoderError(
            f"{path}: these rules need the package tokenizers ({error}); {how_to_install('torch')}"
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the binding raises bare Exception for every fault
        raise _unreadable(path, error) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _unreadable(path: Path, error: Exception) -> EncoderError:
    return EncoderError(
        f"{path}: cannot be read as a tokenizer ({error!r}); install the checkpoint again"
    )
