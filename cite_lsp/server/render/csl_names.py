"""Lists that leave people out, and names without capitals: a mending of the processor of styles.

BibTeX's "and others" comes as a last name of its own, which styles would print as any: "Aad, G., &
others". What they print for people whom they leave out themselves ("et al.") stands in its place.
Of given names the processor (citeproc-py 0.11) takes what begins with no capital for a particle,
even behind a hyphen, and puts the stop of an initial before and behind it: "hooks, . bell .",
"Wang, X.-. ming .". It takes the classes of
elements by name, the last one defined: that of this module, once it has been imported.
"""

# ruff: noqa: ANN401 - the processor has no types
from __future__ import annotations

from itertools import groupby
from typing import Any

from citeproc import model

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.people import OTHERS

_HYPHENED = lazy_re(r"(?<=-)[^\W\d_]")


class Name(model.Name, model.CitationStylesElement):  # type: ignore[misc]
    """Names of which the last may stand for others, and some may have no capitals."""

    def process(
        self, item: Any, variable: str, context: Any = None, sort_options: Any = None, **rest: Any
    ) -> Any:
        """Return the names as the style wants them."""
        named = len(item.reference.get(variable, ())) - 1
        if named > 0 and item.reference[variable][-1].get("literal") == OTHERS:
            least = self.get_option("et-al-min", context, sort_options)
            sort_options = {**(sort_options or {}), "et-al-use-last": "false"}
            if not 0 < least <= named:
                sort_options |= {"et-al-min": named + 1, "et-al-use-first": named}
        return super().process(item, variable, context, sort_options, **rest)

    def initialize(self, given: Any, mark: str, context: Any) -> Any:
        """Return the initials of given names, and as they stand the words that begin small."""
        parts = []
        for large, words in groupby(str(given).split(), lambda word: word[0].isupper()):
            text = " ".join(words)
            if large:
                text = super().initialize(
                    _HYPHENED.sub(lambda letter: letter[0].upper(), text), mark, context
                )
            parts.append(text)
        return " ".join(parts)


model.Name = Name  # which the processor makes where a style has no element for names
