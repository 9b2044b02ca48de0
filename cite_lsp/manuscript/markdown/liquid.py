"""The tags of Jekyll in Markdown: `{% include x.html %}`, and jekyll-scholar's `{% cite a b %}`.

A tag is no prose. Those of jekyll-scholar name keys, parted by blanks, and then their options.
"""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import Marker, MarkerKey

TAG = r"(?<!\{\{)%-?[ \t]*(?P<liquid_name>\w++)(?P<liquid_rest>(?>(?:[^%{\n]++|%(?!\}))*))%\}"
"""A pattern for a tag behind its first brace; it does not match Hugo's `{{% name %}}`."""
CITE = "{% cite %}"
CITET = "{% citet %}"
"""The commands of the markers that stand in the prose; the second prints the names in it."""
_IN_PROSE = frozenset(("cite", "citet"))
_OUTSIDE_PROSE = frozenset("nocite cite_details reference quote".split())
_HOLDING_CODE = frozenset("highlight raw comment".split())
_KEYS = lazy_re(r"[ \t](?P<keys>(?:(?!-)\S+[ \t]*|[ \t]+)*)")
_KEY = lazy_re(r"[^\s,]+")


def read_tag(match: re.Match[str]) -> Marker | None:
    """Return the marker that a tag is, None where it cites nothing; see `is_outside_prose`."""
    name = match["liquid_name"]
    keys = _KEYS.match(match.string, *match.span("liquid_rest"))
    if not keys or not (name in _IN_PROSE or name in _OUTSIDE_PROSE):
        return None
    listed = keys.span("keys")
    read = tuple(MarkerKey(key[0], *key.span()) for key in _KEY.finditer(match.string, *listed))
    return Marker(f"{{% {name} %}}", read, match.start(), match.end(), True, (listed,))


def is_outside_prose(marker: Marker) -> bool:
    """Whether a tag names keys without citing them at its place in the prose."""
    return marker.command not in (CITE, CITET)


def closing_tag(match: re.Match[str]) -> str | None:
    """Return the tag that ends the code or comment which a tag begins, None for another."""
    name = match["liquid_name"]
    return f"{{% end{name} %}}" if name in _HOLDING_CODE else None


def is_tag(marker: Marker) -> bool:
    """Whether a marker is a tag, whose keys blanks part."""
    return marker.command.startswith("{%")
