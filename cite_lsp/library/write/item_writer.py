"""Write a paper as an item of a JSON or YAML bibliography, in the layout of its neighbours."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.hayagriva import hayagriva_entry
from cite_lsp.library.csl.item import Item
from cite_lsp.library.csl.markdown_text import markdown_item
from cite_lsp.library.entries import Entry, Source
from cite_lsp.library.text.key_parts import arxiv_number
from cite_lsp.library.text.paper_fields import paper_to_csl
from cite_lsp.manuscript.text.bounded_yaml import compose
from cite_lsp.paper import Paper

_WIDE = 100_000
_DASH = lazy_re(r"[ \t]*-[ \t]+")


def json_item(paper: Paper, key: str, text: str, last: Entry | None, details: Item) -> str:
    """Return the text of a CSL-JSON item, indented as the last one is; its first line is not.

    `details` are what CSL's variables say of the paper elsewhere, here and below.
    """
    item = paper_to_csl(paper, key, details)
    if last is not None and '"abstract"' not in text:
        item.pop("abstract", None)
    ascii_too = text.isascii() and "\\u" in text
    if last is not None and "\n" not in last.raw:
        separators = (", ", ": ") if '": ' in last.raw else (",", ":")
        return json.dumps(item, ensure_ascii=ascii_too, separators=separators)
    outer = indentation(text, last.start) if last is not None else "  "
    inner = re.search(r"\n([ \t]+)\S", last.raw) if last is not None else None
    step = inner[1].removeprefix(outer) if inner else "  "
    item_json = json.dumps(item, ensure_ascii=ascii_too, indent=step or 1)
    return item_json.replace("\n", "\n" + outer)


def yaml_item(paper: Paper, key: str, text: str, last: Entry | None, details: Item) -> str:
    """Return the lines of a CSL-YAML item of a block list, with its dash, without the last break.

    Raises:
        ValueError: the last item does not stand in a block list.
    """
    item = paper_to_csl(paper, key, details)
    if last is not None and "abstract:" not in text:
        item.pop("abstract", None)
    dash = "- "
    if last is not None:
        dash = text[text.rfind("\n", 0, last.start) + 1 : last.start]
        if not _DASH.fullmatch(dash):
            raise ValueError("the list is written in one line")
        if re.search(r"^\s*issued:\s*['\"]?\d{4}", last.raw, re.MULTILINE) and paper.year:
            item["issued"] = paper.year
    return dash + _dumped(markdown_item(item), 2).replace("\n", "\n" + " " * len(dash))


def hayagriva_item(paper: Paper, key: str, text: str, last: Entry | None, details: Item) -> str:
    """Return the lines of a Hayagriva entry, without the last break."""
    csl, number = paper_to_csl(paper, key, details), arxiv_number(paper)
    if last is not None and "abstract:" not in text:
        csl.pop("abstract", None)
    if not paper.url:
        csl.pop("URL", None)
    arxiv = number if csl["type"] == "article" or not paper.doi else ""
    item = hayagriva_entry(csl, arxiv)
    inner = re.search(r"\n([ ]+)\S", last.raw) if last is not None else None
    return _dumped({key: item}, min(max(len(inner[1]), 2), 8) if inner else 2)


def item_key(key: str, source: Source, before: str) -> str:
    """Return a key as it is written where the one of an item stands, `before` being what precedes.

    In quotes, what would end them is escaped; without, a key that would not be read as that word
    gets some.
    """
    quoted = json.dumps(key, ensure_ascii=False)
    if before == '"':
        return quoted[1:-1]
    if source == "csl-json":
        return quoted
    if before == "'":
        return key.replace("'", "''")
    return key if _is_plain(key) else quoted


def _is_plain(text: str) -> bool:
    """Whether a text without quotes is a word of YAML, in a list of one line as well."""
    try:
        node = compose(f"[{text}]")
    except yaml.YAMLError:
        return False
    words = [(node_item.tag, node_item.value) for node_item in node.value] if node else []
    return words == [("tag:yaml.org,2002:str", text)]


def _dumped(value: dict[str, Any], indent: int) -> str:
    item_yaml: str = yaml.safe_dump(
        value, allow_unicode=True, sort_keys=False, indent=indent, width=_WIDE
    )
    return item_yaml.rstrip("\n")


def indentation(text: str, offset: int) -> str:
    """Return the blanks that the line of an offset begins with, if nothing else stands before."""
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    return before if not before.strip() else ""
