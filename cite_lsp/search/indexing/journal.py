"""What an unfinished build of a corpus has done already, so that the next one need not do it again.

The journal lies in the folder of the version that is being built. It notes what the papers there
were read from, and which steps were finished for exactly these papers.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, frozen

from cite_lsp.storage.atomic_write import write_atomically

_FILE = "build.json"


@frozen
class Journal:
    """What a build has done.

    `inputs` is the signature of what was read ("": not known), `papers` of what came of it;
    `encoder` is the name of what embeds it, `max_tokens` where it cuts texts ("" and 0: not known).
    """

    version: Path
    inputs: str = ""
    papers: str = ""
    done: tuple[str, ...] = ()
    encoder: str = ""
    max_tokens: int = 0

    @classmethod
    def read(cls, version: Path) -> Journal:
        """Read the journal of a version; an empty one where there is none."""
        try:
            record = json.loads((version / _FILE).read_text(encoding="utf-8"))
            names = ("inputs", "papers", "encoder")
            values = {name: str(record[name]) for name in names}
            done = tuple(record["done"])
            return cls(version, done=done, max_tokens=int(record["max_tokens"]), **values)
        except (OSError, ValueError, TypeError, KeyError):
            return cls(version)

    def noted(self, **changes: Any) -> Journal:  # noqa: ANN401 - those of the attributes
        """Write down what has changed, by the names of the attributes.

        Raises:
            OSError: it cannot be written.
        """
        journal = evolve(self, **changes)
        record = asdict(journal, filter=lambda attribute, _: attribute.name != "version")
        write_atomically(self.version / _FILE, json.dumps(record))
        return journal


def inputs_signature(names: Sequence[str], also: Sequence[str]) -> str:
    """Return what changes whenever one of some files does, "" where one is no file.

    `also` is what else decides which papers come out of them.
    """
    parts = list(also)
    for name in names:
        try:
            status = os.stat(name)
        except OSError:
            return ""
        parts.append(f"{name}\n{status.st_size}\n{status.st_mtime_ns}")
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
