"""YAML from whoever wrote the draft: read in a time, a depth and a size that its length bounds.

PyYAML follows nesting with the stack of the process, which ends with it, and aliases of aliases
(`*a`) can multiply a few lines without end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from cite_lsp.lazy_re import lazy_re

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 100
"""Levels of nesting that are read; a thread of macOS has the stack for a few hundred."""
MOST_REPEATED = 500_000
"""Characters, and values, that the aliases of a text may repeat."""
_OPENING = lazy_re(r"^[ \t?:-]{20,}|[\[{\]}]", re.MULTILINE)
_BEGINS = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_ENDS = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
_TEXT = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"
_MERGE = "tag:yaml.org,2002:merge"


class TooDeepError(yaml.YAMLError):
    """A text is nested more deeply than is read."""

    problem = "nested too deeply"


def compose(text: str) -> yaml.Node | None:
    """Return the node of a text in YAML, None where it holds nothing.

    Raises:
        yaml.YAMLError: it is not valid, or nested too deeply.
    """
    if _may_be_deep(text) and _is_deep(text):
        raise TooDeepError(TooDeepError.problem)
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=LOADER)
    except ValueError as error:  # half a character, which has no bytes
        raise yaml.YAMLError("a character that may not stand here") from error
    return node


def values_of(node: yaml.Node | None) -> Any:  # noqa: ANN401 - whatever the text holds
    """Return what a node holds: dictionaries, lists and texts; None for what else a scalar is."""
    return Values(lambda scalar: scalar.value if scalar.tag == _TEXT else None).of(node)


def as_text(scalar: yaml.ScalarNode) -> str:
    """Return a scalar as it is written, whatever its type; "" for null."""
    return "" if scalar.tag == _NULL else str(scalar.value)


class Values:
    """What the nodes of a text hold, each alias written out up to a limit.

    What an alias would repeat beyond that, or within itself, is "". `cut` says whether the limit
    has been met.
    """

    def __init__(self, read: Callable[[yaml.ScalarNode], Any]) -> None:
        """Take what reads a scalar."""
        self._read = read
        self._met: dict[int, yaml.Node] = {}
        self._within: set[int] = set()
        self._left = MOST_REPEATED
        self.cut = False

    def of(self, node: yaml.Node | None, depth: int = 0) -> Any:  # noqa: ANN401
        """Return what a node holds: dictionaries, lists, and what its scalars are read as."""
        if node is None:
            return None
        if depth > DEEPEST or id(node) in self._within or not self._may_read(node):
            return ""
        if isinstance(node, yaml.ScalarNode):
            return self._read(node)
        self._within.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            value: Any = [self.of(item, depth + 1) for item in node.value]
        else:
            value = self._table(node, depth + 1)
        self._within.remove(id(node))
        return value

    def _table(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for name, value in node.value:
            if name.tag == _MERGE:
                merged = self.of(value, depth)
                for source in merged if isinstance(merged, list) else [merged]:
                    if isinstance(source, dict):
                        table = source | table
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.tag != _MERGE:
                table[name.value] = self.of(value, depth)
        return table

    def _may_read(self, node: yaml.Node) -> bool:
        """Count a node that was met before; return whether that is within the limit."""
        if id(node) in self._met:
            self._left -= 1 + (len(node.value) if isinstance(node, yaml.ScalarNode) else 0)
            self.cut |= self._left < 0
            return self._left >= 0
        self._met[id(node)] = node
        return True


def _may_be_deep(text: str) -> bool:
    """Whether a text may be nested too deeply: a quick check without false negatives."""
    depth = indented = 0
    for mark in _OPENING.finditer(text):
        match mark.group():
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth = max(depth - 1, 0)
            case indent:
                indented = max(indented, len(indent))
        if depth + indented + 20 > DEEPEST:
            return True
    return False


def _is_deep(text: str) -> bool:
    depth = 0
    try:
        for event in yaml.parse(text, Loader=LOADER):
            if isinstance(event, _BEGINS):
                depth += 1
                if depth > DEEPEST:
                    return True
            elif isinstance(event, _ENDS):
                depth -= 1
    except yaml.YAMLError:
        return False
    return False
