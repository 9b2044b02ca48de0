"""The `config.json` of an encoder's folder: its kind, its files, and where these lie.

Encoders that were trained from one another read the same word pieces, and their tables of these are
most of their size. A folder whose `config.json` names a `base` lacks files that the base has too;
which version of them it needs, its checksums fix. Files that were copied into it come first, so
that a folder can always be made whole. A graph or a table may lie compressed
(`storage.compressed_files`); checksums are those of the content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from cite_lsp.encode.encoder import EncoderError
from cite_lsp.paths import shipped_model
from cite_lsp.storage.compressed_files import stored_path


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
        record: dict[str, Any] = json.loads(_path(folder).read_text(encoding="utf-8"))
        if record.get("kind", "") != kind:
            raise ValueError(f"kind {record.get('kind')!r}")
        described = form(**record)
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
        record = json.loads(_path(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _path(folder: Path) -> Path:
    return folder / "config.json"


def on_other_weights(folder: Path, base: str) -> EncoderError:
    """Return what is said of what stands on an encoder if it was trained on other weights of it."""
    return EncoderError(
        f"{folder}: it was trained on other weights of {base} than those installed;"
        " install what it was trained on, or train it again"
    )


class SharingDescription(Protocol):
    """The description of a folder that may lack files which its base has."""

    @property
    def sha256(self) -> Mapping[str, str]:
        """The checksums of the files, by their names."""

    @property
    def base(self) -> str:
        """The encoder in whose folder the missing files lie; "" where none is missing."""


def located(folder: Path, file: str, sha256: Mapping[str, str], base: str) -> Path:
    """Return where a file of an encoder lies: in its folder, in that of its base, or in its base's.

    The base is looked for beside the folder and among the encoders that ship. Checksums are
    compared as the two descriptions state them; the file is not read.

    Raises:
        EncoderError: no base by that name has the file with that checksum.
    """
    path = stored_path(folder / file)
    if not base or path.is_file():
        return path
    for home in _homes(folder, base):
        shared = stored_path(home / file)
        if shared.is_file() and file in sha256 and _stated(home, file) == sha256[file]:
            return shared
    raise EncoderError(
        f"{path}: missing, and no {base} is installed whose {file} is the same; copy the file here"
        " from the version that the encoder came with"
    )


def _homes(folder: Path, base: str, passed: Sequence[str] = ()) -> Iterator[Path]:
    """Yield where the files of a base may lie, and where those of its own base may."""
    for home in (folder.absolute().parent / base, shipped_model(base)):
        yield home
        further = stated(home).get("base")
        if isinstance(further, str) and further and further not in (*passed, base):
            yield from _homes(home, further, (*passed, base))


def is_located(folder: Path, file: str) -> bool:
    """Return whether a file of an encoder lies in its folder or in that of the base it names."""
    if stored_path(folder / file).is_file():
        return True
    described = stated(folder)
    base, sums = described.get("base"), described.get("sha256")
    if not (isinstance(base, str) and base and isinstance(sums, dict)):
        return False
    try:
        return located(folder, file, sums, base).is_file()
    except EncoderError:
        return False


def _stated(folder: Path, file: str) -> str | None:
    sums = stated(folder).get("sha256")
    return sums.get(file) if isinstance(sums, dict) else None
