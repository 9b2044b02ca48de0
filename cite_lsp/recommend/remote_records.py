"""Records of remote papers as files, for editors that show where something stands."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

from attrs import asdict

from cite_lsp.paper import Paper
from cite_lsp.paths import cache_folder

log = logging.getLogger(__name__)


def remote_record(corpus: str, paper: Paper) -> Path | None:
    """Return a file that holds the record of a paper, in the cache; None where it has no room."""
    name = hashlib.blake2b(paper.id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    path = cache_folder() / "remote" / corpus / f"{name}.json"
    text = json.dumps({key: value for key, value in asdict(paper).items() if value}, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        log.warning("%s: a record cannot be kept (%s)", path, error)
        return None
    return path
