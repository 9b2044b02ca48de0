"""Mendings of the processor of citation styles (citeproc-py 0.11), which departs from CSL 1.0.2.

It takes the classes of elements by name, the last one defined: those of this module, once it has
been imported.
"""

# ruff: noqa: ANN401 - the processor has no types
from __future__ import annotations

from itertools import groupby
from typing import Any

from citeproc import model
from citeproc.source import VariableError

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.people import OTHERS

_HYPHENED = lazy_re(r"(?<=-)[^\W\d_]")
_SHOWN, _SUBSTITUTED = "shown", "substituted"
_case = model.TextCased.case
_SMALL = frozenset(model.TextCased._stop_words)


class Group(model.Group, model.CitationStylesElement):  # type: ignore[misc]
    """A group that is left out where only words of its own would be printed.

    CSL says of `cs:group`: it is left out where it calls variables and none of them is there. The
    processor takes a word from a branch of `cs:choose` for one, as other branches call some:
    "(Publication)" stood behind the title of every thesis without a number.
    """

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


class Name(model.Name, model.CitationStylesElement):  # type: ignore[misc]
    """Names of which the last may stand for others, and some may have no capitals.

    BibTeX's "and others" comes as a last name of its own, which styles would print as any: "Aad,
    G., & others". What they print for people whom they leave out themselves ("et al.") stands in
    its place. Of given names the processor takes what begins with no capital for a particle, even
    behind a hyphen, and puts the stop of an initial before and behind it: "hooks, . bell .", "Wang,
    X.-. ming .".
    """

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


class Label(model.Label, model.CitationStylesElement):  # type: ignore[misc]
    """A label in the case that the style wants, which the processor gives English texts alone.

    It does not know the language of a term, and wrote "(eds.)" for "(Eds.)".
    """

    def case(self, text: Any, language: str | None = None) -> Any:
        """Return the label in the case that the style wants, in the language of the style."""
        return super().case(text, language or self.get_root().get("default-locale", "en")[:2])


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
    """A substitution that notes all that it shows.

    CSL says of `cs:substitute`: what is substituted is suppressed in the rest of the output. The
    processor does that for a variable that stands in `cs:substitute` itself, not for one in a
    macro, where styles have it, nor for names.
    """

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


def _title_case(self: Any, text: Any, language: str | None = None) -> Any:
    """Return a text in the case that the style wants.

    CSL keeps "of" and its like in lower case unless they are the first or the last word, or follow
    a colon. The processor writes them large behind a full stop, too, which is mostly that of an
    abbreviation: "Proc. Of the Nat. Acad. Of Sci.". (Where a sentence does end, the next word is
    written large already and stays so.)
    """
    if self.get("text-case") != "title" or language != "en":
        return _case(self, text, language)
    words, before = [], ":"
    for word in text.words():
        if not word.islower():
            words.append(word)
        elif str(word) in _SMALL and before != ":":
            words.append(word.soft_lower())
        else:
            words.append(word.capitalize_first())
        before = word[-1]
    return " ".join(words)


model.TextCased.case = _title_case
