"""Reading the arguments of a LaTeX command: optional ones, braced groups, lists of keys.

What is not closed is reported as such and never read past a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import MarkerKey
from cite_lsp.manuscript.text.brackets import closings
from cite_lsp.manuscript.text.comments import blanked

_COMMENT_LINES = r"(?>(?:%[^\n]*+\n[ \t]*+)*)"
_GAP = rf"(?:[ \t]*+{_COMMENT_LINES}(?:\r?\n)?[ \t]*+{_COMMENT_LINES})"
# Nothing is taken back: an unclosed bracket is given up at once, not tried every way. Groups are
# made so by `(?>…)`, as `(?:…)*+` matches wrongly up to Python 3.11.2 (python/cpython#100061).
_INSIDE = r"[^{}\\\n]++|\\.|\n(?![ \t\r]*\n)"
_BRACED = rf"\{{(?>(?:{_INSIDE}|\{{(?>(?:{_INSIDE}|\{{[^{{}}]*+\}})*)\}})*)\}}"
_BRACKETED = rf"\[(?>(?:[^\[\]{{}}\\\n]++|\\.|\n(?![ \t\r]*\n)|{_BRACED}|\[[^\[\]\n]*+\])*)\]"
_POINTED = r"<[^<>\n{}]*+>"
_ROUND = r"(?<=[\w*)])\([^()\n{}]*+\)"
_OPTIONS = lazy_re(rf"(?>(?:{_GAP}(?:{_BRACKETED}|{_POINTED}|{_ROUND}))*)")
_BRACKETS = lazy_re(rf"(?>(?:{_GAP}{_BRACKETED})*)")
_GROUP = lazy_re(rf"{_GAP}{_BRACED}")
_OPENING = lazy_re(rf"{_GAP}\{{")
_NEXT_LIST = lazy_re(rf"[{{\[]|{_GAP}{_GAP}(?>(?:{_BRACKETED}{_GAP})*)\{{[^{{}}\\\n]*\}}")
_BRACE = lazy_re(r"\\.|[{}]", re.DOTALL)
_BRACE_OR_COMMENT = lazy_re(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_NOTES = lazy_re(rf"\*(?>(?:[ \t]*+{_BRACKETED})+)")
"""What REVTeX has before a key of a list to be said with it: `\\cite{a,*[{see }][{, p. 3}]b}`."""
_ACCENT = (
    r"(?:\{\\[\"'`^~=.](?:\{[^\W\d_]\}|[^\W\d_])\}"
    r"|\\[\"'`^~=.](?:\{[^\W\d_]\}|(?!\{))|\\[cHkruv]\{[^\W\d_]\})"
)
"""A letter with an accent, which no key has, but the name that is typed to find one."""
_LIST = lazy_re(
    rf"(?>(?:[^{{}}%*\\\n]++|{_ACCENT}|{_NOTES.pattern}|\*|(?<!\\)%[^\n]*+|\n(?![ \t\r]*\n))*)"
)
_LONG_LIST = lazy_re(rf"(?>(?:[^{{}}%*\\]++|{_NOTES.pattern}|\*|(?<!\\)%[^\n]*+)*)")
"""A list with blank lines in it, where the next key is about to be typed."""
NO_KEYS = lazy_re(rf"(?<!\\)%[^\n]*|{_NOTES.pattern}")
"""What may stand in a list of keys beside them: comments, and REVTeX's notes."""
_WITH_MACROS = lazy_re(r"(?>(?:[^\s{}%\\]++|[ \t\r]++|\n(?![ \t\r]*\n)|\\[A-Za-z@]++(?:\{\})?)*)\}")
"""A list of keys in which macros stand for some, or for parts of them: `\\cite{\\mykey, a}`."""
_KEY = lazy_re(r"[ \t]*\w[^\s,%]*[ \t\r]*(?:[,\n]|\Z)")
_COMMENT = lazy_re(r"%[^\n]*")
_PIECE = lazy_re(r"%[^\n]*|[^,%]+")
_PART = lazy_re(r"%[^\n]*\n?[ \t]*|(?P<comma>,)|(?P<text>(?:[^,%\\]|\\.?)+)", re.DOTALL)
_BLANK_LINES = lazy_re(r"\n(?:[ \t\r]*\n)+")
_MOST_WORDS_OF_KEY = 6
_LONGEST = 4000
_SHORT = 2000
"""Characters of a text up to which its groups are looked for one by one."""


@frozen
class KeyList:
    """A list of keys as read: the range inside its braces, its keys, and whether it is closed."""

    start: int
    end: int
    keys: tuple[MarkerKey, ...]
    closed: bool

    @property
    def after(self) -> int:
        """The offset behind the closing brace, or where reading stopped."""
        return self.end + 1 if self.closed else self.end


def skip_options(text: str, start: int) -> int:
    """Return the offset behind any `[…]`, `<…>` and `(…)` at `start` (round ones need no blank)."""
    match = _OPTIONS.match(text, start)
    return match.end() if match else start


def skip_brackets(text: str, start: int) -> int:
    """Return the offset behind any `[…]` at `start`."""
    match = _BRACKETS.match(text, start)
    return match.end() if match else start


def skip_groups(text: str, start: int, count: int) -> int | None:
    """Return the offset behind `count` braced groups (options between them), or None."""
    for _ in range(count):
        match = _GROUP.match(text, skip_options(text, start))
        if not match:
            return None
        start = match.end()
    return start


def opening_brace(text: str, start: int) -> int | None:
    """Return the offset of the brace that opens a group at `start`, blanks allowed, or None."""
    match = _OPENING.match(text, start)
    return match.end() - 1 if match else None


def closing_brace(
    text: str, opening: int, limit: int = 4000, *, comments: bool = False
) -> int | None:
    """Return the offset of the closing brace for `opening`, at most `limit` characters on.

    Braces in `comments` are passed over on demand: a per cent sign in prose may be a slip.
    """
    brace = _BRACE_OR_COMMENT if comments else _BRACE
    if len(text) > _SHORT:
        closing = closings(text, brace).get(opening)
        if closing is not None:  # as it is of no brace that is escaped or in a comment
            return closing if closing < min(opening + limit, len(text)) else None
    depth = 0
    for match in brace.finditer(text, opening, opening + limit):
        character = match.group()
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if not depth:
                return match.start()
    return None


def next_list(text: str, start: int) -> bool:
    """Whether the arguments of a command of many lists go on at `start`, on the next line maybe.

    What does not follow directly must be a group that could hold keys: else it is prose.
    """
    return _NEXT_LIST.match(text, start) is not None


def read_key_list(text: str, opening: int) -> KeyList:
    """Read the keys in the braces that open at `opening`.

    A list that is not closed before a blank line (but for one where the next key is missing),
    another group or a command, or that reads like prose, ends with its first line, or with the
    last of those that go on behind a comma with a word alone.
    """
    start = opening + 1
    match = _LIST.match(text, start)
    end = match.end() if match else start
    if end < len(text) and text[end] == "}" and _holds_keys(text[start:end]):
        return KeyList(start, end, _keys(text, start, end), True)
    if text.startswith("\n", end):
        match = _LONG_LIST.match(text, start, start + _LONGEST)
        long = match.end() if match else start
        if text.startswith("}", long) and _is_unfinished(text[start:long]):
            return KeyList(start, long, _keys(text, start, long), True)
    listed = _WITH_MACROS.match(text, start, start + _LONGEST)
    if listed and all(len(piece.split()) <= 1 for piece in listed.group()[:-1].split(",")):
        end = listed.end() - 1
        keys = (key for key in _keys(text, start, end) if "\\" not in key.text)
        return KeyList(start, end, tuple(keys), True)
    line = text.find("\n", start, end)
    while line >= 0 and text[start:line].rstrip().endswith(",") and _KEY.match(text, line + 1, end):
        line = text.find("\n", line + 1, end)
    if line >= 0:
        end = line
    comment = _COMMENT.search(text, start, end)
    if comment:
        end = comment.start()
    return KeyList(start, end, _keys(text, start, end), False)


def list_items(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the items of a list with commas, and their ranges, as TeX reads them, no comments."""
    parts: list[tuple[str, int]] = []
    for match in _PART.finditer(text, start, end):
        if match["text"]:
            parts.append((match["text"], match.start()))
        elif match["comma"]:
            yield from _item(parts)
            parts = []
    yield from _item(parts)


def single_item(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """Return all of a range as one item, as `list_items` does; None where it is blank."""
    parts = _PART.finditer(text, start, end)
    pieces = [(part.group(), part.start()) for part in parts if part["text"] or part["comma"]]
    return next(_item(pieces), None)


def _item(parts: list[tuple[str, int]]) -> Iterator[tuple[str, int, int]]:
    parts = [(part, place) for part, place in parts if part.strip()]
    if parts:
        (first, start), (last, end) = parts[0], parts[-1]
        start += len(first) - len(first.lstrip())
        lines = "".join(part for part, _ in parts).strip().split("\n")
        yield " ".join(line.strip() for line in lines), start, end + len(last.rstrip())


def without_notes(keys: str) -> str:
    """Return a list of keys with blanks in the place of REVTeX's notes."""
    return blanked(_NOTES, keys) if "*" in keys else keys


def _keys(text: str, start: int, end: int) -> tuple[MarkerKey, ...]:
    """Return the keys of a list; a `*` before a key groups it with the key before."""
    keys = []
    for piece in _PIECE.finditer(without_notes(text[start:end])):
        item = piece.group()
        key = item.strip().removeprefix("*").lstrip()
        if key and key[0] != "%":
            first = start + piece.start() + item.index(key)
            keys.append(MarkerKey(key, first, first + len(key)))
    return tuple(keys)


def _holds_keys(content: str) -> bool:
    """Whether a list that spans lines holds keys rather than the prose after an unclosed brace."""
    if "\n" not in content:
        return True
    content = _COMMENT.sub("", without_notes(content))
    for piece in content.split(","):
        words, lines = piece.split(), piece.strip().splitlines()
        alone = all(len(line.split()) <= 1 for line in lines)  # only a comma lacks
        if len(words) > _MOST_WORDS_OF_KEY or (len(lines) > 1 and not alone):
            return False
    return True


def _is_unfinished(content: str) -> bool:
    """Whether the blank lines of a list all begin it or follow a comma, and the rest are keys."""
    content = _COMMENT.sub("", without_notes(content))
    if any(len(piece.split()) > 1 for piece in content.split(",")):
        return False
    before = (content[: match.start()].rstrip() for match in _BLANK_LINES.finditer(content))
    return all(keys.endswith(",") or not keys for keys in before)
