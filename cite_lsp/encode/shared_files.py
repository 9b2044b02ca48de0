"""Files that an encoder has not in its own folder but in that of its base.

Encoders that were trained from one another read the same word pieces, and their tables of these are
most of their size. A folder whose `config.json` names a `base` lacks files that the base has too;
which version of them it needs, its checksums fix. Files that were copied into it come first, so
that a folder can always be made whole. A graph or a table may lie compressed
(`storage.packed_files`); checksums are those of the content.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from cite_lsp.encode.description import stated
from cite_lsp.encode.encoder import EncoderError
from cite_lsp.paths import shipped_model
from cite_lsp.storage.packed_files import stored


class Sharing(Protocol):
    """The description of a folder that may lack files which its base has."""

    @property
    def sha256(self) -> Mapping[str, str]:
        """The checksums of the files, by their names."""

    @property
    def base(self) -> str:
        """The encoder in whose folder the missing files lie; "" where none is missing."""


def located(folder: Path, file: str, sha256: Mapping[str, str], base: str) -> Path:
    """Return where a file of an encoder lies: in its folder, or in that of its base.

    The base is looked for beside the folder and among the encoders that ship. Checksums are
    compared as the two descriptions state them; the file is not read.

    Raises:
        EncoderError: no base by that name has the file with that checksum.
    """
    own = stored(folder / file)
    if not base or own.is_file():
        return own
    for home in (folder.absolute().parent / base, shipped_model(base)):
        shared = stored(home / file)
        if shared.is_file() and file in sha256 and _stated(home, file) == sha256[file]:
            return shared
    raise EncoderError(
        f"{own}: missing, and no {base} is installed whose {file} is the same; copy the file here"
        " from the version that the encoder came with"
    )


def is_located(folder: Path, file: str) -> bool:
    """Return whether a file of an encoder lies in its folder or in that of the base it names."""
    if stored(folder / file).is_file():
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
