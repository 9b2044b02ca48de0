"""YAML from whoever wrote the draft: read in a time and a depth that its length bounds.

PyYAML follows nesting with the stack of the process, which ends with it, and whoever follows
aliases (`*a`) node by node can be led through a few lines for ever.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 100
"""Levels of nesting that are read; a thread of macOS has the stack for a few hundred."""
_OPENING = re.compile(r"^[ \t?:-]{20,}|[\[{\]}]", re.MULTILINE)
_BEGINS = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_ENDS = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
_TEXT = "tag:yaml.org,2002:str"
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
    node: yaml.Node | None = yaml.compose(text, Loader=LOADER)
    return node


def values_of(node: yaml.Node | None) -> Any:  # noqa: ANN401 - whatever the text holds
    """Return what a node holds: dictionaries, lists and texts; None for what else a scalar is.

    What aliases repeat is the same object each time, maybe within itself.
    """
    return _value(node, {})


def _value(node: yaml.Node | None, known: dict[int, Any]) -> Any:  # noqa: ANN401
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.tag == _TEXT else None
    if node is None or id(node) in known:
        return known.get(id(node))
    if isinstance(node, yaml.SequenceNode):
        items: list[Any] = []
        known[id(node)] = items
        items += (_value(item, known) for item in node.value)
        return items
    table: dict[str, Any] = {}
    known[id(node)] = table
    for name, value in node.value:
        if name.tag == _MERGE:
            merged = _value(value, known)
            for source in merged if isinstance(merged, list) else [merged]:
                if isinstance(source, dict) and source is not table:
                    table.update(
                        {key: content for key, content in source.items() if key not in table}
                    )
    for name, value in node.value:
        if isinstance(name, yaml.ScalarNode) and name.tag != _MERGE:
            table[name.value] = _value(value, known)
    return table


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
