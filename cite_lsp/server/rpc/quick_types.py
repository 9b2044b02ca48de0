"""The types of the protocol, built in little more than half the time.

`lsprotocol.types` is 554 classes of attrs. For each, attrs writes, compiles and runs the source of
its methods, which was half of a server's start (https://github.com/microsoft/lsprotocol/issues/441;
attrs keeps none of it, https://github.com/python-attrs/attrs/issues/575). Nearly half of that
source is `__eq__` and `__repr__`, which are the same here for all classes, and a class that has
them when attrs gets it keeps them.
"""

from __future__ import annotations

import importlib
import sys
from typing import TypeVar

import attrs

T = TypeVar("T")


def load() -> None:
    """Import the types of the protocol, unless something has imported them."""
    if "lsprotocol.types" in sys.modules:
        return
    define = attrs.define

    def define_quickly(cls: type[T]) -> type[T]:
        if "__eq__" not in vars(cls):
            cls.__eq__ = _is_equal  # type: ignore[assignment]
            cls.__hash__ = None  # type: ignore[assignment]
        if "__repr__" not in vars(cls):
            cls.__repr__ = _written  # type: ignore[assignment]
        return define(cls)

    attrs.define = define_quickly  # type: ignore[assignment]
    try:
        importlib.import_module("lsprotocol.types")
    finally:
        attrs.define = define


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
