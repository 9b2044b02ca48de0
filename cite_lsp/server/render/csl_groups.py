"""What stands before a missing number is not printed alone: a mending of the processor of styles.

CSL 1.0.2 says of `cs:group`: it is left out where it calls variables and none of them is there. The
processor (citeproc-py 0.11) takes a word from a branch of `cs:choose` for one, as other branches
call some: "(Publication)" stood behind the title of every thesis without a number. It takes the
classes of elements by name, the last one defined: that of this module, once it has been imported.
"""

# ruff: noqa: ANN401 - the processor has no types
from __future__ import annotations

from typing import Any

from citeproc import model
from citeproc.source import VariableError


class Group(model.Group, model.CitationStylesElement):  # type: ignore[misc]
    """A group that is left out where only words of its own would be printed."""

    def process(self, item: Any, context: Any = None, **rest: Any) -> Any:
        """Return the text of the group.

        Raises:
            VariableError: the group is left out.
        """
        texts, calls, shown = [], False, False
        for child in self.iterchildren():
            called, text = _rendered(
                child, item, context=context, **rest, **_inherited(self, child)
            )
            calls = calls or called
            if text is not None:
                texts.append(text)
                shown = shown or called
        if not texts or (calls and not shown):
            raise VariableError
        return self.join(texts)


def _inherited(group: Any, child: Any) -> dict[str, str]:
    """Return what a choice takes over from the group: the delimiter of what it prints."""
    return {"delimiter": group.get("delimiter", "")} if isinstance(child, model.Choose) else {}


def _rendered(element: Any, item: Any, **rest: Any) -> tuple[bool, Any]:
    """Return whether an element calls variables, of a choice the branch taken, and its text."""
    for part in element.getchildren() if isinstance(element, model.Choose) else [element]:
        try:
            return part.calls_variable(), part.render(item, **rest)
        except model.ConditionFailed:
            continue
        except VariableError:
            return True, None
    return False, None
