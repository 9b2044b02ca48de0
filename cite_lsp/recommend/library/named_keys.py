"""Entries whose key stands before the marker as a word: "sampled with emcee", of the entry `emcee`.

Writers file software, data and methods under the names that they call them by. A key that is a
surname of an author, or a word of the title, says nothing that these do not say already.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from cite_lsp.lazy_re import lazy_re
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.search.words.tokens import STOP_WORDS
from cite_lsp.storage.caches import ByObject

LOGIT = 3.0
"""What a named entry gains. Fitted beside the trees it is 2.4 on the 105 drafts that these learned
from, where they need it less, and 4.8 on 35 others (docs/research/experiments.md)."""
REACH = 30
"""Characters before the marker in which a word ends that names an entry."""
_LONGEST_WORD = 40
_SHORTEST_KEY = 3
_WORD = lazy_re(r"[A-Za-z0-9][A-Za-z0-9+./_-]*[A-Za-z0-9+]")
_SIGNS = dict.fromkeys(map(ord, string.punctuation + " "))
_YEAR = lazy_re(r"(?:19|20)?\d\d[a-z]?$", re.MULTILINE)

_indexes: ByObject[Pool, dict[str, list[int]]] = ByObject()


def prepare(pool: Pool) -> None:
    """Read the keys of a pool before `named_by_key` needs them: of 72,000 it takes .3 s."""
    _index_of(pool)


def named_by_key(left: str, pool: Pool) -> Column:
    """Return 1 for each paper of a pool that the text left of a marker names by its key, else 0.

    Shape (n,).
    """
    index = _index_of(pool)
    named = np.zeros(len(pool), dtype=np.float32)
    for word in filter(_may_name, _words_before(left)):
        for row in index.get(word, ()):
            paper_words = (*pool.surnames[row], *pool.papers[row].title.split())
            named[row] = word not in map(_letters, paper_words)
    return named


def _index_of(pool: Pool) -> dict[str, list[int]]:
    return _indexes.setdefault(pool, lambda: _rows_by_key(pool))


def _words_before(left: str) -> Iterator[str]:
    """Yield the words that end near the marker, and each two with one character between them."""
    text = left[-REACH - _LONGEST_WORD :]
    last, end = "", -1
    for match in _WORD.finditer(text):
        word = _letters(match.group())
        if len(text) - match.end() <= REACH:
            yield word
            if match.start() == end + 1:
                yield last + word
        last, end = word, match.end()


def _rows_by_key(pool: Pool) -> dict[str, list[int]]:
    """Return the rows of entries by the letters of their keys.

    Also without a year, or the number of a series, where that is the name of one entry alone.
    """
    rows = [row for row, entry in enumerate(pool.entries) if entry is not None]  # others have ids
    if not rows:
        return {}
    joined_keys = "\n".join(pool.names[row].replace("\n", " ") for row in rows)
    keys = _letters(joined_keys)  # of all entries at once: a library may have 72,000
    names = _YEAR.sub("", keys).split("\n")
    with_name = Counter(names)
    index: defaultdict[str, list[int]] = defaultdict(list)
    for row, key, name in zip(rows, keys.split("\n"), names, strict=True):
        index[key].append(row)
        if name != key and with_name[name] == 1:
            index[name].append(row)
    return dict(index)


def _may_name(key: str) -> bool:
    """Whether a word is a name rather than a number or one of the words that all texts have."""
    return len(key) >= _SHORTEST_KEY and not key.isdigit() and key not in STOP_WORDS


def _letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return text.lower().translate(_SIGNS)
