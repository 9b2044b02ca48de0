"""The store of the writer's drafts: what each cites, and the contexts of its citations.

No running text of a draft is stored, only checksums of the words around each citation, in no order,
and the query encoder's vector of the context; of the cited papers title, first author and DOI. Each
draft is one file in the user's cache folder, readable by the user alone. A damaged file is ignored,
and written again when its draft is opened.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp import paths
from cite_lsp.encode.encoder import Encoder, Vectors, unit
from cite_lsp.library import Library
from cite_lsp.manuscript import Context, Document, Mention
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.word_overlap import checksums
from cite_lsp.recommend.evidence.draft_versions import is_version
from cite_lsp.recommend.evidence.other_drafts import CitingDraft, OtherDraftCitations
from cite_lsp.recommend.query.encoder_input import query_text_of_mention
from cite_lsp.recommend.query.query import mention_sentence, read_query
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.words.hashes import WordHashes, text_hashes
from cite_lsp.storage.array_folder import flat_lists, lists_of
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.storage.eviction import remove_oldest
from cite_lsp.storage.npz_cache import read_arrays, write_arrays

log = logging.getLogger(__name__)

_FORMAT = 1
_SUFFIX = ".npz"
_MOST_FILES = 100
_MOST_CONTEXTS = 5_000
"""Citing places that are read, those of the newest drafts."""
_SECONDS_BETWEEN_WRITES = 30.0
"""The least time between two writes of the same draft."""

_Signature = tuple[str, int, int]
_Cited = tuple[Mention, Sequence[Paper]]
_Pending = tuple[Document, Library, Encoder | None, Sequence[Path]]


@frozen
class _WriteAttempt:
    """The last attempt to write a draft: its digest, "" if that failed, and when it was."""

    digest: str
    at: float


class OtherDrafts:
    """The stored drafts of a folder, by default the user's. Thread-safe; only `forget` raises."""

    def __init__(
        self, folder: Path | None = None, may_share: Callable[[Path], bool] | None = None
    ) -> None:
        """Take the folder, which need not exist.

        `may_share` returns whether a file may take part, by default any. A draft with a file that
        may not is not to be stored, nor to learn from others.
        """
        self.may_share = may_share if may_share is not None else lambda path: True
        self._folder = folder if folder is not None else paths.cache_folder() / "drafts"
        self.unwritten: set[Path] = set()
        """Main files of drafts whose last write failed."""
        self._lock = Lock()
        self._writing: Turns[Path] = Turns()
        self._attempts: dict[Path, _WriteAttempt] = {}
        self._postponed: dict[Path, _Pending] = {}
        self._read: LastUsed[_Signature, CitingDraft | None] = LastUsed(2 * _MOST_FILES)
        self._all: tuple[frozenset[_Signature], tuple[CitingDraft, ...]] = frozenset(), ()
        self._citations: LastUsed[
            Path, tuple[tuple[_Signature, ...], str, OtherDraftCitations | None]
        ] = LastUsed()

    def beside(self, root: Path, title: str = "") -> OtherDraftCitations | None:
        """Return the citations of all drafts but that of a main file; None if there are none.

        Versions of that draft, whose title is `title`, do not count.
        """
        for other_root in tuple(self._postponed):
            pending = self._postponed.pop(other_root, None) if other_root != root else None
            if pending is not None:
                self._keep(other_root, *pending)
        with self._lock:
            own_path = self._path(root)
            present = tuple(
                signature for signature in self._present() if signature[0] != own_path.name
            )
            cached = self._citations.get(root)
            if cached is None or cached[:2] != (present, title):
                this_draft = _read_draft(own_path) if own_path.is_file() else None
                this_draft = this_draft or _not_stored(root, title)
                drafts = [
                    draft
                    for draft in self._drafts(present)
                    if not is_version(this_draft, draft, title)
                ]
                cached = present, title, OtherDraftCitations(drafts) if drafts else None
                self._citations.keep(root, cached)
            return cached[2]

    def all(self) -> tuple[CitingDraft, ...]:
        """Return all drafts, the newest first.

        It is the same tuple until a draft is added, removed, or changed by another process: what
        this process writes meanwhile is of no use to the draft itself, and can wait.
        """
        with self._lock:
            before, _ = self._all
            present = self._present()
            names = {name for name, _, _ in before}
            written_names = {self._path(root).name for root in self._attempts} & names
            changed = {
                signature
                for signature in present
                if signature not in before and signature[0] not in written_names
            }
            if changed or names != {name for name, _, _ in present}:
                self._all = frozenset(present), tuple(self._drafts(present))
            return self._all[1]

    def stored(self) -> list[CitingDraft]:
        """Return all stored drafts, the newest first, also those whose files are gone."""
        drafts = (_read_draft(self._folder / name) for name, _, _ in self._present())
        return [draft for draft in drafts if draft is not None]

    def forget(self, root: Path) -> bool:
        """Remove a draft from the store; return whether it was there.

        Raises:
            OSError: the file cannot be removed.
        """
        with self._lock:
            self._postponed.pop(root, None)
            self._attempts.pop(root, None)
            existed = self._path(root).is_file()
            self._path(root).unlink(missing_ok=True)
            return existed

    def set_age(self, root: Path) -> None:
        """Give a stored draft the age of its main file: the oldest drafts are removed first."""
        with suppress(OSError):
            changed = root.stat().st_mtime_ns
            os.utime(self._path(root), ns=(changed, changed))

    def _drafts(self, present: Sequence[_Signature]) -> list[CitingDraft]:
        """Return the drafts in some files; unchanged files are not read again."""
        drafts = self._read.known(present)
        drafts |= {
            signature: _read_draft(self._folder / signature[0])
            for signature in present
            if signature not in drafts
        }
        self._read.keep_all(drafts)
        return list(_newest(drafts[signature] for signature in present))

    def keep(
        self,
        root: Path,
        document: Document,
        library: Library,
        query_encoder: Encoder | None,
        parts: Sequence[Path] = (),
    ) -> None:
        """Store a draft, if its citations have changed.

        A draft that was stored a moment ago waits until it changes again or another draft needs it.
        It is identified by its main file, `root`, and has the document's title or else the name of
        that file. The query encoder encodes the contexts; without it only words are stored. Files
        that are `parts` of the draft are removed from the store as drafts of their own.
        """
        if root.is_file():  # a buffer that was never saved is not stored
            before = self._attempts.get(root)
            if before is not None and time.monotonic() - before.at < _SECONDS_BETWEEN_WRITES:
                self._postponed[root] = document, library, query_encoder, parts
            else:
                self._postponed.pop(root, None)
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
        cited = [
            (mention, papers)
            for mention in document.mentions
            if (papers := _papers(mention, library))
        ]
        encoder_fingerprint = query_encoder.fingerprint if query_encoder is not None else ""
        digest = _digest(title, encoder_fingerprint, cited)
        with self._writing.of(root):
            before = self._attempts.get(root)
            if before is not None and before.digest == digest:
                return
            is_written = False
            try:
                for part in parts:
                    if part != root:
                        self._path(part).unlink(missing_ok=True)
                if cited:
                    self._write(self._path(root), _arrays(root, title, cited, query_encoder))
                else:
                    self._path(root).unlink(missing_ok=True)
                is_written = True
            except OSError as error:
                if cited:
                    self.unwritten.add(root)
                log.warning("%s: what the draft cites cannot be kept (%s)", self._folder, error)
            else:
                self.unwritten.discard(root)
            finally:
                with self._lock:
                    attempt = _WriteAttempt(digest if is_written else "", time.monotonic())
                    self._attempts[root] = attempt

    def _path(self, root: Path) -> Path:
        # Editors and terminals spell the letter of a drive of Windows differently.
        path = os.fsencode(os.path.normcase(root))
        name = hashlib.blake2b(path, digest_size=16).hexdigest()
        return self._folder / f"{name}-{_FORMAT}{_SUFFIX}"

    def _present(self) -> list[_Signature]:
        """Return the signatures of the files (name, time, size), the newest first."""
        files_by_age: list[tuple[int, _Signature]] = []
        with suppress(OSError), os.scandir(self._folder) as files:
            for file in files:
                if file.name.endswith(f"-{_FORMAT}{_SUFFIX}"):
                    with suppress(OSError):
                        status = file.stat()
                        changed = status.st_mtime_ns
                        files_by_age.append((changed, (file.name, changed, status.st_size)))
        return [signature for _, signature in sorted(files_by_age, reverse=True)]

    def _write(self, path: Path, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Put a file in place in one step, and remove the oldest of too many.

        Raises:
            OSError: it cannot be written.
        """
        write_arrays(path, arrays)
        remove_oldest(self._folder, f"-{_FORMAT}{_SUFFIX}", _MOST_FILES)


def _papers(mention: Mention, library: Library) -> list[Paper]:
    entries = (library.get(key) for key in mention.keys)
    return [entry.paper for entry in entries if entry is not None and entry.paper.title]


def _digest(title: str, encoder_fingerprint: str, cited: Sequence[_Cited]) -> str:
    parts = [title, encoder_fingerprint]
    for mention, papers in cited:
        parts += [mention.left, mention.right, *(f"{paper.title}\0{paper.doi}" for paper in papers)]
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _arrays(
    root: Path, title: str, cited: Sequence[_Cited], query_encoder: Encoder | None
) -> dict[str, NDArray[np.generic]]:
    papers = {paper.id: paper for _, papers in cited for paper in papers}
    index_of = {name: place for place, name in enumerate(papers)}
    about = {
        "root": str(root),
        "title": title or root.stem,
        "placed_by": query_encoder.fingerprint if query_encoder is not None else "",
        "year": date.fromtimestamp(root.stat().st_mtime).year,
        "works": [
            [paper.title, next(iter(paper.authors), ""), paper.doi] for paper in papers.values()
        ],
    }
    words = [checksums(mention_sentence(mention.left, mention.right)) for mention, _ in cited]
    vectors: Vectors = np.zeros((0, 0), dtype=np.float32)
    if query_encoder is not None:
        vectors = query_encoder.encode(
            [query_text_of_mention(mention, title) for mention, _ in cited]
        )
    text = json.dumps(about, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return {
        "about": np.frombuffer(text, dtype=np.uint8),
        **flat_lists(
            "cites", [[index_of[paper.id] for paper in papers] for _, papers in cited], np.int32
        ),
        **flat_lists("words", words, np.uint32),
        **flat_lists("near", [_near_window_hashes(mention) for mention, _ in cited], np.uint64),
        "placed": encoded(vectors, "i8"),
    }


def _near_window_hashes(mention: Mention) -> WordHashes:
    """Return the hashes of the words around a marker, sorted by hash."""
    return text_hashes(read_query(Context(mention.left, mention.right)).near)


def _read_draft(path: Path) -> CitingDraft | None:
    """Read a stored draft; None if the file is damaged."""
    try:
        arrays = read_arrays(path)
        text = arrays["about"].tobytes().decode("utf-8", "surrogatepass")
        about: dict[str, Any] = json.loads(text)
        return CitingDraft(
            title=str(about["title"]),
            papers=tuple(
                Paper(title, title, authors=(author,) if author else (), doi=doi)
                for title, author, doi in about["works"]
            ),
            cites=lists_of(arrays, "cites"),
            words=lists_of(arrays, "words"),
            vectors=unit(arrays["placed"]),
            encoder_fingerprint=str(about["placed_by"]),
            near=lists_of(arrays, "near"),
            root=Path(about["root"]),
            year=int(about["year"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("%s: damaged, it is done without (%s)", path, error)
        return None


def _not_stored(root: Path, title: str) -> CitingDraft:
    """Return a draft without citations, for one that is not in the store."""
    return CitingDraft(title, (), (), (), np.zeros((0, 0), dtype=np.float32), root=root)


def _newest(drafts: Iterable[CitingDraft | None]) -> Iterator[CitingDraft]:
    """Yield the drafts whose files exist, in their order, up to `_MOST_CONTEXTS` places."""
    left = _MOST_CONTEXTS
    for draft in drafts:
        if draft is not None and left > 0 and draft.root.is_file():
            left -= len(draft.words)
            yield draft
