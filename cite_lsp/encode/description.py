"""The `config.json` of an encoder's folder: of which kind it is, and the checksums of its files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from cite_lsp.encode.encoder import EncoderError


class Description(Protocol):
    """What every kind of encoder says of itself."""

    @property
    def sha256(self) -> Mapping[str, str]:
        """The checksums of its files, by their names."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without, each of which has a checksum."""


D = TypeVar("D", bound=Description)


def read_description(
    folder: Path, form: Callable[..., D], *, kind: str, called: str, remedy: str
) -> D:
    """Read the `config.json` of a folder, which is of a kind ("" where it names none).

    `form` makes the description of what stands there, by name; in errors it is `called` so, and
    the `remedy`.

    Raises:
        EncoderError: it is missing or not what it should be.
    """
    try:
        stored: dict[str, Any] = json.loads(_path(folder).read_text(encoding="utf-8"))
        if stored.get("kind", "") != kind:
            raise ValueError(f"kind {stored.get('kind')!r}")
        described = form(**stored)
        if missing := [file for file in described.files if not described.sha256.get(file)]:
            raise ValueError(f"no sha256 of {missing[0]}")
        return described
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise EncoderError(
            f"{_path(folder)}: cannot be read as the description of {called} ({error}); {remedy}"
        ) from error


def stated(folder: Path) -> dict[str, object]:
    """Return what the `config.json` of any folder says; nothing where it cannot be read."""
    try:
        stored = json.loads(_path(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _path(folder: Path) -> Path:
    return folder / "config.json"
