"""Read CSL-YAML, Hayagriva YAML and the `references:` of a Markdown draft, with positions.

YAML that is not valid anywhere is not valid at all, so the items are first cut apart by their
indentation and read one by one: a broken one costs no other. A file laid out in another way, or
whose items refer to each other by anchors, is read in one piece.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.hayagriva import hayagriva_to_csl
from cite_lsp.library.csl.item import CSL
from cite_lsp.library.csl.item_scan import ItemScan
from cite_lsp.library.csl.markdown_text import plain_item
from cite_lsp.library.entries import Bibliography, Record, Source
from cite_lsp.manuscript import parse
from cite_lsp.manuscript.text.bounded_yaml import MOST_REPEATED, Values, as_text, compose
from cite_lsp.manuscript.text.comments import blanked

_CHARACTER = lazy_re(r"[^\n]")
_REFERENCES = lazy_re(r"^(?:references|\"references\"|'references')[ \t]*:(?P<rest>.*)$", re.M)
_TOP = lazy_re(r"^(?=[^\s#\-%]|-(?!--[ \t]*$)(?=\S)(?!-)|---(?=\S))", re.MULTILINE)
_LINE_OF_ITEM = lazy_re(r"^([ \t]*)-(?=[ \t\r\n]|$)", re.MULTILINE)
_DOCUMENT_MARK = lazy_re(r"^(?:---|\.\.\.)(?=\s|$)[^\n]*", re.MULTILINE)
_ABOVE = lazy_re(r"(?:[^\S\n]*(?:#[^\n]*)?\n)*")
"""Blank lines and comments. No line can be taken in two ways: the time would double with each."""
_LIST = lazy_re(r"[ \t]*(?:-\s|\[)")


_Piece = tuple[int, int]
"""The range of a file that holds one item."""


def parse_yaml(text: str, path: Path) -> Bibliography:
    """Read a bibliography in YAML: CSL (a list, or `references:`) or Hayagriva, told by content."""
    scan = _YamlScan(text, path)
    body = blanked(_DOCUMENT_MARK, text)
    references = _REFERENCES.search(body)
    if references:
        scan.read_list(body, references.end() if not _value(references) else -1, len(body))
    elif (above := _ABOVE.match(body)) and _LIST.match(body, above.end()):
        scan.read_list(body, 0 if not re.match(r"\s*\[", body) else -1, len(body))
    else:
        scan.read_mapping(body)
    return scan.bibliography()


def parse_references(
    text: str, path: Path, places: Iterable[tuple[int, int]] | None = None
) -> Bibliography | None:
    """Read the `references:` in the metadata of a draft; None where there are none.

    `places` are the ranges of the YAML that holds them, if they are known.
    """
    if places is None:
        places = parse(text, "markdown").layout.reference_lists
    scan = None
    for start, end in places:
        if references := _REFERENCES.search(text, start, end):
            scan = scan or _YamlScan(text, path)
            body = _CHARACTER.sub(" ", text[:start]) + text[start:end]
            scan.read_list(body, references.end() if not _value(references) else -1, len(body))
    return scan.bibliography() if scan else None


def _value(references: re.Match[str]) -> str:
    """Return what stands behind `references:` on its line, if that is not a comment."""
    return references["rest"].split("#")[0].strip()


class _YamlScan(ItemScan):
    """Reads the items of a file: lists of CSL, and mappings of Hayagriva."""

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self._values = Values(as_text)

    def read_list(self, body: str, start: int, end: int) -> None:
        """Read CSL items: the block list at `start`, or (-1) wherever they stand in the whole."""
        pieces = list(_list_pieces(body, start, end)) if start >= 0 else []
        if self._read_pieces(body, pieces, self._listed):
            return
        node = self._whole(body, pieces)
        if isinstance(node, yaml.MappingNode):
            named = [value for name, value in node.value if name.value == "references"]
            node = named[0] if named else None
        self._listed(node, (0, len(body)))

    def read_mapping(self, body: str) -> None:
        """Read Hayagriva: a mapping from keys to items."""
        tops = [key_line.start() for key_line in _TOP.finditer(body)]
        pieces = [] if body.lstrip().startswith("{") else list(pairwise([*tops, len(body)]))
        if not self._read_pieces(body, pieces, self._mapped):
            self._mapped(self._whole(body, pieces), (0, len(body)))

    def _read_pieces(
        self, body: str, pieces: list[_Piece], read: Callable[[yaml.Node | None, _Piece], None]
    ) -> bool:
        """Read items one by one, and return whether that is all there is to do.

        Where it is not, the file has to be read in one piece.
        """
        nodes: list[tuple[yaml.Node | None, _Piece]] = []
        flaws: list[tuple[int, str]] = []
        for start, end in pieces:
            try:
                nodes.append((compose(body[start:end]), (start, end)))
            except yaml.YAMLError as error:
                offset, reason = _flaw(error)
                flaws.append((min(start + offset, end), reason))
        if not pieces or (flaws and _compose(body) is not None):
            return False
        for node, piece in nodes:
            read(node, piece)
        for offset, reason in flaws:
            self.problem(
                offset, f"not valid YAML ({reason}): the item is left out, correct this line"
            )
        return True

    def _whole(self, body: str, pieces: list[_Piece]) -> yaml.Node | None:
        """Return the node of a file; where it is not valid, and not cut apart, it is a problem."""
        try:
            return compose(body)
        except yaml.YAMLError as error:
            if not pieces:
                offset, reason = _flaw(error)
                self.problem(
                    min(offset, len(body)),
                    f"not valid YAML ({reason}), so nothing is read: correct this line",
                )
            return None

    def _listed(self, node: yaml.Node | None, piece: _Piece) -> None:
        for item in node.value if isinstance(node, yaml.SequenceNode) else ():
            self._csl(item, *piece)

    def _mapped(self, node: yaml.Node | None, piece: _Piece) -> None:
        for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
            self._hayagriva(name, value, *piece)

    def _written_out(self, node: yaml.Node, start: int) -> Any:  # noqa: ANN401 - whatever it is
        """Return what an item holds; where its aliases repeat too much, that is a problem."""
        was_cut = self._values.cut
        item = self._values.of(node)
        if self._values.cut and not was_cut:
            message = f"aliases repeat more than {MOST_REPEATED:,} characters"
            self.problem(start, f"{message}: from here on they are left out, write it out instead")
        return item

    def _csl(self, node: yaml.Node, base: int, end: int) -> None:
        start = base + node.start_mark.index
        item = self._written_out(node, start)
        keys = node.value if isinstance(node, yaml.MappingNode) else []
        key = next((value for name, value in keys if name.value == "id"), None)
        if not isinstance(key, yaml.ScalarNode) or not key.value or not isinstance(item, dict):
            self.problem(start, 'the item has no "id": add one')
            return
        kind = str(item.get("type") or "").lower()
        stop = min(base + node.end_mark.index, end)
        self._add(key, kind, (start, stop), base, "csl-yaml", plain_item(item))

    def _hayagriva(self, name: yaml.Node, value: yaml.Node, base: int, end: int) -> None:
        start = base + name.start_mark.index
        item = self._written_out(value, start)
        if not isinstance(name, yaml.ScalarNode) or not name.value:
            return
        if not isinstance(item, dict) or not ("type" in item or "title" in item):
            self.problem(start, f'the entry "{name.value}" has neither type nor title: add them')
            return
        kind = str(item.get("type") or "").lower()
        stop = min(base + value.end_mark.index, end)
        self._add(name, kind, (start, stop), base, "hayagriva", hayagriva_to_csl(item))

    def _add(
        self,
        key: yaml.ScalarNode,
        kind: str,
        piece: _Piece,
        base: int,
        source: Source,
        item: dict[str, Any],
    ) -> None:
        start, end = piece
        at, stop = base + key.start_mark.index, base + key.end_mark.index
        if key.style in ('"', "'"):
            at, stop = at + 1, stop - 1
        mark = _DOCUMENT_MARK.search(self.text, start, end)  # the last item would have it
        raw = self.text[start : mark.start() if mark else end].rstrip()
        data = json.dumps(item, ensure_ascii=False)
        name = str(key.value).strip()
        if not start <= at <= stop <= start + len(raw):  # an alias: it stands elsewhere
            at, stop = start, start
        record = Record(name, kind, self.path, raw, at - start, stop - at, source, data, reader=CSL)
        self.add(record, start, item)


def _compose(text: str) -> yaml.Node | None:
    """Return the node of a text, or None where it is not valid."""
    try:
        return compose(text)
    except yaml.YAMLError:
        return None


def _flaw(error: yaml.YAMLError) -> tuple[int, str]:
    """Return where a text is not valid, 0 where that is not known, and why."""
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or "a character that may not stand here"
    return (mark.index if mark else 0), reason


def _list_pieces(body: str, start: int, end: int) -> Iterator[_Piece]:
    """Cut a block list at the lines that open an item, up to the line that ends the list."""
    first = _LINE_OF_ITEM.search(body, start, end)
    if first is None or body[start : first.start()].strip().split("\n")[0][:1] not in ("", "#"):
        return
    indent = first[1]
    border = re.compile(
        rf"^(?:{indent}(?P<item>-(?=[ \t\r\n]|$))|(?P<out>(?!{indent}[ \t-])\S))", re.M
    )
    if not indent:
        border = re.compile(r"^(?:(?P<item>-(?=[ \t\r\n]|$))|(?P<out>[^\s#-]))", re.M)
    opened = -1
    for line in border.finditer(body, first.start(), end):
        if line["out"] == "#":
            continue
        if opened >= 0:
            yield opened, line.start()
        if line["out"]:
            return
        opened = line.start()
    if opened >= 0:
        yield opened, end
