"""Title case takes no full stop for the end of a title: a mending of the processor of styles.

CSL 1.0.2 keeps "of" and its like in lower case unless they are the first or the last word, or
follow a colon. The processor (citeproc-py 0.11) writes them large behind a full stop, too, which
is mostly that of an abbreviation: "Proc. Of the Nat. Acad. Of Sci.". (Where a sentence does end,
the next word is written large already and stays so.)
"""

# ruff: noqa: ANN401 - the processor has no types
from __future__ import annotations

from typing import Any

from citeproc import model

_case = model.TextCased.case
_SMALL = frozenset(model.TextCased._stop_words)


def _title_case(self: Any, text: Any, language: str | None = None) -> Any:
    """Return a text in the case that the style wants."""
    if self.get("text-case") != "title" or language != "en":
        return _case(self, text, language)
    words, before = [], ":"
    for word in text.words():
        if not word.islower():
            words.append(word)
        elif str(word) in _SMALL and before != ":":
            words.append(word.soft_lower())
        else:
            words.append(word.capitalize_first())
        before = word[-1]
    return " ".join(words)


model.TextCased.case = _title_case
