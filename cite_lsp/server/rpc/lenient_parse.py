"""Reading requests that hold something that the protocol does not know, or not yet.

A kind of symbol or of diagnostic that is new in an editor is not worth an editor that gets no
answer at all: such a field is taken for one that was not sent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from cattrs import AttributeValidationNote, BaseValidationError, IterableValidationNote

from cite_lsp.lazy_re import lazy_re

logger = logging.getLogger(__name__)

T = TypeVar("T")
_Step = str | int
"""The name of a field, or a place in a list."""

_WORD = lazy_re(r"_([a-z])")


def read_leniently(data: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> T:
    """Return what `read` makes of a message; fields of its params that it cannot read are removed.

    Raises:
        BaseValidationError: something is missing without which the message means nothing.
    """
    while True:
        try:
            return read(data)
        except BaseValidationError as error:
            flaws = [_present(data, flaw) for flaw in _flaws(error)]
            flaw = next((flaw_path for flaw_path in flaws if len(flaw_path) > 1), None)
            if flaw is None:
                raise
            logger.info("%s: %s is left out", data.get("method"), ".".join(map(str, flaw)))
            _remove(data, flaw)


def _flaws(error: BaseException) -> Iterator[tuple[_Step, ...]]:
    """Yield the ways that lead to what could not be read, or is missing."""
    if not isinstance(error, BaseValidationError):
        yield ()
        return
    for nested in error.exceptions:
        step = tuple(_steps(getattr(nested, "__notes__", ())))
        for rest in _flaws(nested):
            yield (*step, *rest)


def _steps(notes: Iterable[object]) -> Iterator[_Step]:
    for note in notes:
        if isinstance(note, AttributeValidationNote):
            yield _WORD.sub(lambda match: match[1].upper(), note.name)
        elif isinstance(note, IterableValidationNote):
            yield note.index


def _present(data: object, way: Iterable[_Step]) -> tuple[_Step, ...]:
    """Return a way as far as there is something: to what is of no use without what is missing."""
    steps: list[_Step] = []
    for step in way:
        try:
            data = data[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            break
        steps.append(step)
    return tuple(steps)


def _remove(data: Any, way: tuple[_Step, ...]) -> None:  # noqa: ANN401 - any part of a message
    for step in way[:-1]:
        data = data[step]
    del data[way[-1]]
