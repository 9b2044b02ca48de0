"""The types of the protocol, each of them built when it is first used.

`lsprotocol.types` is 554 classes of attrs. For each, attrs collects the fields, writes, compiles
and runs the source of its methods, and has them keep a copy of all names of the module: a third of
a server's start (https://github.com/microsoft/lsprotocol/issues/441). A session uses few of the
classes. The others stay what they were before attrs got them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")

_BUILDING = RLock()
_DEFINE = attrs.define


def load() -> None:
    """Import the types of the protocol, unless something has imported them."""
    if "lsprotocol.types" in sys.modules:
        return
    attrs.define = _define_later  # type: ignore[assignment]
    try:
        importlib.import_module("lsprotocol.types")
    finally:
        attrs.define = _DEFINE


def converter() -> Converter:
    """Return what reads and writes messages, as pygls has it, with no type built for that.

    lsprotocol would resolve the names in the fields of all types, which a type does by itself here.
    """
    # Imported where needed: the types have to be loaded first.
    from lsprotocol import types
    from pygls.protocol import default_converter

    everything = types.ALL_TYPES_MAP
    if types.Hover.__repr__ is _written:
        types.ALL_TYPES_MAP = {}
    try:
        made: Converter = default_converter()  # type: ignore[no-untyped-call]
    finally:
        types.ALL_TYPES_MAP = everything
    return made


def _define_later(kind: type[T]) -> type[T]:
    """Return a class that attrs builds when its fields, or an object of it, are first needed."""
    if "__eq__" not in vars(kind):
        kind.__eq__ = _is_equal  # type: ignore[assignment]
        kind.__hash__ = None  # type: ignore[assignment]
    if "__repr__" not in vars(kind):
        kind.__repr__ = _written  # type: ignore[assignment]

    def build() -> None:
        with _BUILDING:  # workers make objects, too
            if vars(kind)["__attrs_attrs__"] is fields:
                # Without slots it stays this class, the one that others refer to.
                _DEFINE(kind, slots=False, init=True, field_transformer=_resolve)

    def build_and_initialize(self: T, *values: object, **named: object) -> None:
        build()
        kind.__init__(self, *values, **named)

    fields = _Fields(build)
    kind.__attrs_attrs__ = fields  # type: ignore[attr-defined]
    kind.__init__ = build_and_initialize  # type: ignore[method-assign, assignment]
    return kind


class _Fields:
    """Stands for the fields of a class that is not built: who asks for them has it built."""

    def __init__(self, build: Callable[[], None]) -> None:
        self._build = build

    def __get__(self, instance: object, kind: type) -> Any:  # noqa: ANN401 - a class of attrs's own
        self._build()
        return kind.__attrs_attrs__  # type: ignore[attr-defined]


def _resolve(kind: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    attrs.resolve_types(kind, attribs=fields)
    return fields


def _is_equal(this: attrs.AttrsInstance, other: object) -> object:
    """Return whether both are of one class, and their fields are equal, as attrs does."""
    if type(other) is not type(this):
        return NotImplemented
    names = (field.name for field in attrs.fields(type(this)))
    return all(getattr(this, name) == getattr(other, name) for name in names)


def _written(this: attrs.AttrsInstance) -> str:
    kind = type(this)
    parts = (f"{field.name}={getattr(this, field.name)!r}" for field in attrs.fields(kind))
    return f"{kind.__name__}({', '.join(parts)})"
