"""What the writer's other drafts cite, and beside which words: kept from one draft for the next.

Of a draft's prose no running text is kept, only checksums of the words around each citation, in no
order, and where the query encoder puts the place; of what it cites, title, first author and DOI.
One file a draft, in the user's cache folder and readable by the user alone; one that is damaged is
done without, and written again when its draft is opened.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp import paths
from cite_lsp.encode.model import Encoder, Vectors, unit
from cite_lsp.library import Library
from cite_lsp.manuscript import Context, Document, Mention
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.word_overlap import checksums
from cite_lsp.recommend.evidence.draft_versions import is_version
from cite_lsp.recommend.evidence.other_drafts import CitingDraft, Elsewhere
from cite_lsp.recommend.library.draft_features import mention_sentence, query_text_of_mention
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.words.hashes import WordHashes, text_hashes
from cite_lsp.storage.array_folder import flat_lists, lists_of
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.storage.npz_cache import read_arrays, write_arrays

log = logging.getLogger(__name__)

_FORMAT = 1
_SUFFIX = ".npz"
_FILES_KEPT = 100
_PLACES_READ = 5_000
"""Places that cite of which other drafts are asked, those of the newest drafts."""
_SECONDS_BETWEEN = 30.0
"""A draft that is being written is kept at most this often."""

_Signature = tuple[str, int, int]
_Cited = tuple[Mention, Sequence[Paper]]
_Draft = tuple[Document, Library, Encoder | None, Sequence[Path]]


@frozen
class _Written:
    """The last attempt to write a draft: of what, "" where that failed, and when."""

    digest: str
    at: float


class OtherDrafts:
    """The drafts in a folder, by default the user's own. Thread-safe; nothing here raises."""

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder, which need not exist."""
        self._folder = folder if folder is not None else paths.cache_folder() / "drafts"
        self.unkept: set[Path] = set()
        """Main files of drafts that could not be written when they were last to be kept."""
        self._lock = Lock()
        self._writing: Turns[Path] = Turns()
        self._written: dict[Path, _Written] = {}
        self._late: dict[Path, _Draft] = {}
        self._read: dict[_Signature, CitingDraft | None] = {}
        self._all: tuple[frozenset[_Signature], tuple[CitingDraft, ...]] = frozenset(), ()
        self._joined: LastUsed[Path, tuple[tuple[_Signature, ...], str, Elsewhere | None]] = (
            LastUsed()
        )

    def beside(self, root: Path, title: str = "") -> Elsewhere | None:
        """Return what the drafts other than that of a main file cite; None where there are none.

        Versions of that draft, which is called by `title`, are none.
        """
        for other in tuple(self._late):
            late = self._late.pop(other, None) if other != root else None
            if late is not None:
                self._keep(other, *late)
        with self._lock:
            own = self._path(root)
            present = tuple(one for one in self._present() if one[0] != own.name)
            known = self._joined.get(root)
            if known is None or known[:2] != (present, title):
                itself = (_opened(own) if own.is_file() else None) or _unkept(root, title)
                drafts = [
                    one for one in self._drafts(present) if not is_version(itself, one, title)
                ]
                known = present, title, Elsewhere(drafts) if drafts else None
                self._joined.keep(root, known)
            return known[2]

    def all(self) -> tuple[CitingDraft, ...]:
        """Return what drafts cite, the newest first.

        It is the same tuple until there is a new draft, one is gone, or somebody else has changed
        one: what is written here meanwhile is of no use to the draft itself, and can wait.
        """
        with self._lock:
            before, _ = self._all
            present = self._present()
            names = {name for name, _, _ in before}
            own = {self._path(root).name for root in self._written} & names
            unlike = {one for one in present if one not in before and one[0] not in own}
            if unlike or names != {name for name, _, _ in present}:
                self._all = frozenset(present), tuple(self._drafts(present))
            return self._all[1]

    def kept(self) -> list[CitingDraft]:
        """Return all that is kept, the newest first, of drafts that are gone as well."""
        found = (_opened(self._folder / name) for name, _, _ in self._present())
        return [draft for draft in found if draft is not None]

    def forget(self, root: Path) -> bool:
        """Remove what is kept of a draft, damaged or not; return whether there was anything.

        Raises:
            OSError: it cannot be removed.
        """
        with self._lock:
            self._late.pop(root, None)
            self._written.pop(root, None)
            there = self._path(root).is_file()
            self._path(root).unlink(missing_ok=True)
            return there

    def date_back(self, root: Path) -> None:
        """Let what is kept of a draft be as old as it is: of too many drafts the newest stay."""
        with suppress(OSError):
            changed = root.stat().st_mtime_ns
            os.utime(self._path(root), ns=(changed, changed))

    def _drafts(self, present: Sequence[_Signature]) -> list[CitingDraft]:
        """Return the drafts in some files; what was read of one before is not read again."""
        read = {
            one: self._read[one] if one in self._read else _opened(self._folder / one[0])
            for one in present
        }
        self._read.update(read)
        while len(self._read) > 2 * _FILES_KEPT:
            self._read.pop(next(iter(self._read)))
        return list(_newest(read.values()))

    def keep(
        self,
        root: Path,
        document: Document,
        library: Library,
        query_encoder: Encoder | None,
        parts: Sequence[Path] = (),
    ) -> None:
        """Keep what a draft cites, where that has changed.

        One that was kept a moment ago waits, until it changes again or another draft asks for it.
        A draft is known by its main file, `root`, and called by its title or else by that file. The
        query encoder puts its places among the papers; without it only words are kept. Files that
        are `parts` of the draft are no drafts any more, if they were.
        """
        if root.is_file():  # a buffer that was never saved is no draft yet
            before = self._written.get(root)
            if before is not None and time.monotonic() - before.at < _SECONDS_BETWEEN:
                self._late[root] = document, library, query_encoder, parts
            else:
                self._late.pop(root, None)
                self._keep(root, document, library, query_encoder, parts)

    def _keep(
        self,
        root: Path,
        document: Document,
        library: Library,
        query_encoder: Encoder | None,
        parts: Sequence[Path],
    ) -> None:
        title = document.title
        cited = [(one, papers) for one in document.mentions if (papers := _papers(one, library))]
        placed_by = query_encoder.fingerprint if query_encoder is not None else ""
        digest = _digest(title, placed_by, cited)
        with self._writing.of(root):
            before = self._written.get(root)
            if before is not None and before.digest == digest:
                return
            written = False
            try:
                for part in parts:
                    if part != root:
                        self._path(part).unlink(missing_ok=True)
                if cited:
                    self._write(self._path(root), _arrays(root, title, cited, query_encoder))
                else:
                    self._path(root).unlink(missing_ok=True)
                written = True
            except OSError as error:
                if cited:
                    self.unkept.add(root)
                log.warning("%s: what the draft cites cannot be kept (%s)", self._folder, error)
            else:
                self.unkept.discard(root)
            finally:
                with self._lock:
                    attempt = _Written(digest if written else "", time.monotonic())
                    self._written[root] = attempt

    def _path(self, root: Path) -> Path:
        # Editors and terminals spell the letter of a drive of Windows differently.
        path = os.fsencode(os.path.normcase(root))
        name = hashlib.blake2b(path, digest_size=16).hexdigest()
        return self._folder / f"{name}-{_FORMAT}{_SUFFIX}"

    def _present(self) -> list[_Signature]:
        """Return what tells the files and their states apart, the newest first."""
        found: list[tuple[int, _Signature]] = []
        with suppress(OSError), os.scandir(self._folder) as files:
            for file in files:
                if file.name.endswith(f"-{_FORMAT}{_SUFFIX}"):
                    with suppress(OSError):
                        status = file.stat()
                        changed = status.st_mtime_ns
                        found.append((changed, (file.name, changed, status.st_size)))
        return [signature for _, signature in sorted(found, reverse=True)]

    def _write(self, path: Path, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Put a file in place in one step, and remove the oldest of too many.

        Raises:
            OSError: it cannot be written.
        """
        write_arrays(path, arrays)
        for name, _, _ in self._present()[_FILES_KEPT:]:
            with suppress(OSError):
                (self._folder / name).unlink(missing_ok=True)


def _papers(mention: Mention, library: Library) -> list[Paper]:
    entries = (library.get(key) for key in mention.keys)
    return [entry.paper for entry in entries if entry is not None and entry.paper.title]


def _digest(title: str, placed_by: str, cited: Sequence[_Cited]) -> str:
    parts = [title, placed_by]
    for mention, papers in cited:
        parts += [mention.left, mention.right, *(f"{paper.title}\0{paper.doi}" for paper in papers)]
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _arrays(
    root: Path, title: str, cited: Sequence[_Cited], query_encoder: Encoder | None
) -> dict[str, NDArray[np.generic]]:
    works = {paper.id: paper for _, papers in cited for paper in papers}
    number = {name: place for place, name in enumerate(works)}
    about = {
        "root": str(root),
        "title": title or root.stem,
        "placed_by": query_encoder.fingerprint if query_encoder is not None else "",
        "year": date.fromtimestamp(root.stat().st_mtime).year,
        "works": [[one.title, next(iter(one.authors), ""), one.doi] for one in works.values()],
    }
    said = [checksums(mention_sentence(one.left, one.right)) for one, _ in cited]
    placed: Vectors = np.zeros((0, 0), dtype=np.float32)
    if query_encoder is not None:
        placed = query_encoder.encode([query_text_of_mention(one, title) for one, _ in cited])
    text = json.dumps(about, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return {
        "about": np.frombuffer(text, dtype=np.uint8),
        **flat_lists("cites", [[number[one.id] for one in some] for _, some in cited], np.int32),
        **flat_lists("words", said, np.uint32),
        **flat_lists("near", [_near(one) for one, _ in cited], np.uint64),
        "placed": encoded(placed, "i8"),
    }


def _near(mention: Mention) -> WordHashes:
    """Return the hashes of the words around a marker, in no order of theirs."""
    return text_hashes(read_query(Context(mention.left, mention.right)).near)


def _opened(path: Path) -> CitingDraft | None:
    """Read what was kept of a draft; None where the file is damaged."""
    try:
        arrays = read_arrays(path)
        text = arrays["about"].tobytes().decode("utf-8", "surrogatepass")
        about: dict[str, Any] = json.loads(text)
        return CitingDraft(
            title=str(about["title"]),
            works=tuple(
                Paper(title, title, authors=(author,) if author else (), doi=doi)
                for title, author, doi in about["works"]
            ),
            cites=lists_of(arrays, "cites"),
            words=lists_of(arrays, "words"),
            placed=unit(arrays["placed"]),
            placed_by=str(about["placed_by"]),
            near=lists_of(arrays, "near"),
            root=Path(about["root"]),
            year=int(about["year"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("%s: damaged, it is done without (%s)", path, error)
        return None


def _unkept(root: Path, title: str) -> CitingDraft:
    """Return a draft of which nothing is kept: it cites nothing yet, say."""
    return CitingDraft(title, (), (), (), np.zeros((0, 0), dtype=np.float32), root=root)


def _newest(drafts: Iterable[CitingDraft | None]) -> Iterator[CitingDraft]:
    """Yield the drafts that still are there, in their order, until they have places enough."""
    left = _PLACES_READ
    for draft in drafts:
        if draft is not None and left > 0 and draft.root.is_file():
            left -= len(draft.words)
            yield draft
