"""Numbers that stand for texts in files: the same in every process, system and version."""

from __future__ import annotations

import hashlib


def text_hash(text: str, size: int = 8) -> int:
    """Return the hash of a text, of `size` bytes (BLAKE2b)."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
    return int.from_bytes(digest, "little")
