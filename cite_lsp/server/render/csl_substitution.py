"""What stands in for a missing author is printed once: a mending of the processor of CSL styles.

CSL 1.0.2 says of `cs:substitute`: what is substituted is suppressed in the rest of the output. The
processor (citeproc-py 0.11) does that for a variable that stands in `cs:substitute` itself, not for
one in a macro, where styles have it, nor for names. It takes the classes of elements by name, the
last one defined: those of this module, once it has been imported.
"""

# ruff: noqa: ANN401 - the processor has no types
from __future__ import annotations

from typing import Any

from citeproc import model

_SHOWN, _SUBSTITUTED = "shown", "substituted"


class Text(model.Text, model.CitationStylesElement):  # type: ignore[misc]
    """A text that is empty where its variable has been substituted."""

    def _variable(self, item: Any, context: Any) -> Any:
        variable, state = self.get("variable"), _state(self, context)
        if variable in state[_SUBSTITUTED]:
            return None
        text = super()._variable(item, context)
        if text:
            state[_SHOWN].append(variable)
        return text


class Names(model.Names, model.CitationStylesElement):  # type: ignore[misc]
    """Names that are empty where they have been substituted."""

    def process(
        self, item: Any, names_context: Any = None, context: Any = None, **rest: Any
    ) -> Any:
        """Return the names as the style wants them, None where there are none to show."""
        variables, state = self.get("variable").split(), _state(self, context)
        if not state[_SUBSTITUTED].isdisjoint(variables):
            return None
        text = super().process(item, names_context=names_context, context=context, **rest)
        if text:
            state[_SHOWN] += [name for name in variables if name in item.reference]
        return text


class Substitute(model.Substitute, model.CitationStylesElement):  # type: ignore[misc]
    """A substitution that notes all that it shows."""

    def render(self, item: Any, context: Any = None, **rest: Any) -> Any:
        """Return what stands in for the names, None where nothing can."""
        state = _state(self, context)
        before = len(state[_SHOWN])
        text = super().render(item, context=context, **rest)
        if text:
            state[_SUBSTITUTED].update(state[_SHOWN][before:])
        return text

    def add_to_repressed_list(self, child: Any, context: Any) -> None:
        """Note nothing: `render` does."""


def _state(element: Any, context: Any) -> dict[str, Any]:
    """Return what has been shown of an item so far; the processor begins a new dict with each."""
    layout = (element if context is None else context).get_layout()
    state: dict[str, Any] = layout.repressed
    state.setdefault(_SHOWN, [])
    state.setdefault(_SUBSTITUTED, set())
    return state
