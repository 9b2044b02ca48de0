"""Read CSL-JSON, and the JSON of Better BibTeX: items one by one, with their positions.

Each item is decoded by itself, so that a broken one costs no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.item import CSL
from cite_lsp.library.csl.item_scan import ItemScan
from cite_lsp.library.csl.zotero_items import zotero_to_csl
from cite_lsp.library.entries import Bibliography, Record

_LIST_IN_OBJECT = lazy_re(r'"(?:items|references|entries)"\s*:\s*\[')
_LIST_OF_OBJECTS = lazy_re(_LIST_IN_OBJECT.pattern + r"(?=\s*\{)")
"""Unlike the numbers by the same name in a collection of Better BibTeX."""
_BETWEEN = lazy_re(r"[\s,]*+")
_ITEM = lazy_re(r'(?<=[\s,\[}])\{(?=\s*"[^"\\]*"\s*:)')
_TOKEN = lazy_re(r'"(?>(?:[^"\\]|\\.)*)"|[{}\[\]]', re.DOTALL)
_NOT_CITED = ("attachment", "note", "annotation")
"""Items of Zotero that are no works; Better BibTeX writes those that stand by themselves."""
_KEY_NAMES = ("citationKey", "citekey", "id")
_KEY_VALUE = lazy_re(r'\s*:\s*("((?>(?:[^"\\]|\\.)*))"|-?[\w.+-]++)', re.DOTALL)
_DECODER = json.JSONDecoder()


def parse_csl_json(text: str, path: Path) -> Bibliography:
    """Read the text of a CSL-JSON file: a list of items, or an object that holds one.

    Items that are not valid JSON, or have no id, become problems.
    """
    return _JsonScan(text, path).run()


class _JsonScan(ItemScan):
    def run(self) -> Bibliography:
        for start, end, item in self._items(self._first()):
            self._item(start, end, item)
        return self.bibliography()

    def _first(self) -> int:
        """Return where the first item may stand."""
        text = self.text
        start = len(text) - len(text.lstrip())
        if text.startswith("{", start):
            listed = _LIST_OF_OBJECTS.search(text, start) or _LIST_IN_OBJECT.search(text, start)
            return listed.end() if listed else start
        return start + 1 if text.startswith("[", start) else start

    def _items(self, position: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
        text, comma = self.text, True
        while True:
            between = _BETWEEN.match(text, position)
            assert between is not None  # it matches the empty text, too
            comma = comma or "," in between.group()
            position = between.end()
            if not text.startswith("{", position):
                return
            if not comma:
                self.problem(position, 'no comma before this item: add ","')
            try:
                item, end = _DECODER.raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                where = getattr(error, "pos", position)
                message = f"not valid JSON ({fault(error)})"
                self.problem(where, f"{message}: the item is left out, correct it")
                behind = self._behind(position) if isinstance(error, RecursionError) else where
                next_start = self._next_item(max(behind, position + 1))
                if next_start is None:
                    return
                position, comma = next_start, True
                continue
            yield position, end, item
            position, comma = end, False

    def _next_item(self, start: int) -> int | None:
        """Return where the next valid item after a broken one starts."""
        while match := _ITEM.search(self.text, start):
            start = match.end()
            try:
                item, _ = _DECODER.raw_decode(self.text, match.start())
            except (ValueError, RecursionError) as error:
                if re.compile(r'\{\s*"id"').match(self.text, match.start()):
                    return match.start()
                if isinstance(error, RecursionError):
                    start = self._behind(match.start())
                continue
            if _key_of(item)[1]:
                return match.start()
        return None

    def _behind(self, start: int) -> int:
        """Return where an item ends by its brackets; the end of the text where nothing does."""
        depth = 0
        for token in _TOKEN.finditer(self.text, start):
            depth += (token.group() in "{[") - (token.group() in "}]")
            if depth == 0:
                return token.end()
        return len(self.text)

    def _item(self, start: int, end: int, item: dict[str, Any]) -> None:
        name, key = _key_of(item)
        if not key and item.get("itemType") in _NOT_CITED:
            return
        if not key:
            self.problem(start, 'the item has no "id": add one')
            return
        raw = self.text[start:end]
        at, size = _value_place(raw, name, item[name])
        foreign = "itemType" in item
        kind = str(item.get("type") or item.get("itemType") or "").lower()
        data = json.dumps(zotero_to_csl(item), ensure_ascii=False) if foreign else ""
        record = Record(key, kind, self.path, raw, at, size, "csl-json", data, reader=CSL)
        self.add(record, start, item)


def fault(error: ValueError | RecursionError) -> str:
    """Return what is wrong with a text that Python does not decode as JSON."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return getattr(error, "msg", "a number has too many digits")


def _key_of(item: dict[str, Any]) -> tuple[str, str]:
    """Return the name and the value of the field that holds the key; "" without one."""
    for name in _KEY_NAMES:
        value = item.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return name, str(value)
    return "", ""


def _value_place(raw: str, name: str, value: object) -> tuple[int, int]:
    """Return where in an item the value of a field of its own stands, and how long it is."""
    depth, place = 0, (0, 0)
    for token in _TOKEN.finditer(raw):
        token_text = token.group()
        if token_text in "{[":
            depth += 1
        elif token_text in "}]":
            depth -= 1
        elif depth == 1 and token_text == f'"{name}"':
            match = _KEY_VALUE.match(raw, token.end())
            if match and json.loads(match[1]) == value:
                group = 2 if match[2] is not None else 1
                place = match.start(group), len(match[group])
                break
    return place
