"""Regular expressions that are compiled when they are first used.

A process has hundreds of them and uses few: compiling them all took a third of the time before the
first answer. What a module needs at hand is `lazy_re(…)`, what a function makes and uses at once
`re.compile(…)`. Django's `_lazy_re_compile` is the same idea.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import AnyStr, Generic, cast


def lazy_re(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what is used as the compiled pattern; a pattern that is none fails at its first use.

    Only its own methods work: the functions of `re` take it for no pattern, and the `re` of a match
    is the compiled one (compare their `pattern`).
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _LazyPattern(Generic[AnyStr]):
    """A pattern; a method stands in the instance once it was used, as quick as of any object."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[AnyStr]:
        return re.compile(self.pattern, self._flags)

    search = cached_property(lambda self: self._compiled.search)
    match = cached_property(lambda self: self._compiled.match)
    fullmatch = cached_property(lambda self: self._compiled.fullmatch)
    finditer = cached_property(lambda self: self._compiled.finditer)
    findall = cached_property(lambda self: self._compiled.findall)
    split = cached_property(lambda self: self._compiled.split)
    sub = cached_property(lambda self: self._compiled.sub)
    subn = cached_property(lambda self: self._compiled.subn)
    flags = cached_property(lambda self: self._compiled.flags)
    groups = cached_property(lambda self: self._compiled.groups)
    groupindex = cached_property(lambda self: self._compiled.groupindex)
