"""A list of names that leaves people out ends in "et al.": a mending of the processor of styles.

BibTeX's "and others" comes as a last name of its own, which styles would print as any: "Aad, G., &
others". What they print for people whom they leave out themselves stands in its place. The
processor (citeproc-py 0.11) takes the classes of elements by name, the last one defined: that of
this module, once it has been imported.
"""

# ruff: noqa: ANN401 - the processor has no types
from __future__ import annotations

from typing import Any

from citeproc import model

from cite_lsp.library.people import OTHERS


class Name(model.Name, model.CitationStylesElement):  # type: ignore[misc]
    """Names of which the last may stand for others."""

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


model.Name = Name  # which the processor makes where a style has no element for names
