"""What the corpora add to the papers of a library: each paper once, under the key it would get.

Papers of the library come first; a paper of a corpus that the library has is that entry, whatever
its key, and never stands there twice. The key that a paper was offered under is remembered: it is
what a writer accepts, and what the entry is written under.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from threading import Lock

from attrs import evolve, frozen

from cite_lsp.encode.model import Cancel, Encoder
from cite_lsp.library import Library
from cite_lsp.library.match.dedupe import SameWork, same_first_author
from cite_lsp.library.model import Entry
from cite_lsp.library.write.key_style import KeyStyle, key_style
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper, joined_title
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.recommend.corpus.metadata import Known, KnownWorks, completed
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.corpus.remote_records import remote_records
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.search.corpus.index import CorpusIndex
from cite_lsp.storage.caches import Turns

_SHARE = 2, 5
"""Of a full list, the places that papers of corpora get though the library could fill them."""
_CITED = 20
"""Papers of the section that those of a corpus are compared with."""
_REMEMBERED = 20_000

_Completed = tuple[Mapping[str, CorpusIndex], Mapping[int, Paper]]
"""The corpora that were asked, and what they say of the papers of a library, by rows."""
_Identity = tuple[Path, str, str]


@frozen
class _View:
    """What is known of a library: its works, and how it writes keys."""

    works: SameWork
    style: KeyStyle


@frozen
class Found:
    """A paper of a corpus, and where its record stands: the file, and its line from 0."""

    paper: Paper
    corpus: str
    path: Path
    line: int


class Offers:
    """Joins libraries and corpora, and remembers what was offered. Thread-safe."""

    def __init__(self, corpora: Corpora, encoder: Callable[[], Encoder | None]) -> None:
        """Take the corpora, and what returns the encoder that drafts are read with, if any.

        Without corpora nothing is read, and every list stays as it is.
        """
        self._corpora = corpora
        self._encoder = encoder
        self._drafts: tuple[CitingDraft, ...] = ()
        self._views: weakref.WeakKeyDictionary[Library, _View] = weakref.WeakKeyDictionary()
        self._viewing: Turns[Library] = Turns()
        self._keys: dict[_Identity, str] = {}
        self._papers: dict[tuple[Path, str], Recommendation] = {}
        self._styles: dict[Path, KeyStyle] = {}
        self._works = KnownWorks()
        self._completed: weakref.WeakKeyDictionary[Library, _Completed] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = Lock()

    def prepare(
        self,
        library: Library,
        cited: Sequence[str],
        drafts: tuple[CitingDraft, ...] = (),
    ) -> None:
        """Open the corpora, and find out what is asked of a library again and again.

        `cited` are the keys that the draft cites, `drafts` what the writer cited before.
        """
        self._drafts = drafts
        self._corpora.prepare(self._encoder(), drafts)
        if self._corpora.remote():
            self._view(library)
        for corpus in self._corpora.opened(self._encoder()):
            self._view(library)
            self._corpora.rows_of(corpus, _papers(library, cited))

    def close(self) -> None:
        """Let go of the corpora."""
        self._corpora.close()

    def indexes(self) -> tuple[CorpusIndex, ...]:
        """Return the corpora on this machine that can be opened."""
        return tuple(corpus.index for corpus in self._corpora.opened(self._encoder()))

    def searched(self) -> tuple[CorpusIndex, ...]:
        """Return the corpora in which `known` looks; others as soon as one is built anew."""
        return tuple(self._corpora.indexes().values())

    def known(self, entries: Sequence[Entry]) -> list[tuple[Known, ...]]:
        """Return the records that the corpora on this machine have of entries of a library."""
        return self._works.of(self._corpora.indexes(), entries)

    def completed(self, library: Library) -> Mapping[int, Paper]:
        """Return the papers of a library that corpora on this machine say more of, by their rows.

        They have the abstracts that their entries lack, and are marked where one was retracted.
        """
        corpora = self._corpora.indexes()
        with self._lock:
            found = self._completed.get(library)
        if found is None or found[0] != corpora:
            found = corpora, self._more_of(library, corpora)
            with self._lock:
                self._completed[library] = found
        return found[1]

    def _more_of(self, library: Library, corpora: Mapping[str, CorpusIndex]) -> Mapping[int, Paper]:
        known = self._works.of(corpora, library.entries)
        rows = [row for row, records in enumerate(known) if records]
        papers = {row: library.entries[row].paper for row in rows}
        whole = {row: completed(paper, known[row]) for row, paper in papers.items()}
        return {row: paper for row, paper in whole.items() if paper is not papers[row]}

    def names(self) -> tuple[str, ...]:
        """Return the names of the corpora that can be opened."""
        self._corpora.prepare(self._encoder(), self._drafts)
        local = [corpus.name for corpus in self._corpora.opened(self._encoder())]
        return (*local, *(remote.name for remote in self._corpora.remote() if remote.ready))

    def join(
        self,
        library: Library,
        root: Path,
        found: tuple[Recommendation, ...],
        context: Context,
        *,
        typed: str = "",
        limit: int,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers: those found in the library, then those of the corpora.

        Args:
            library: What the draft cites from.
            root: The main file of the draft: keys are remembered for each draft.
            found: The papers of the library, best first.
            context: Where a citation is wanted.
            typed: The words typed at a key, which every paper has to match.
            limit: The most papers to return.
            cancelled: Asked between steps.

        Raises:
            Cancelled: `cancelled` said so.
        """
        corpora, remote = self._corpora.opened(self._encoder()), self._corpora.remote()
        room = max(limit - len(found), limit * _SHARE[0] // _SHARE[1])
        if not (corpora or remote) or room <= 0:
            return found[:limit]
        section = _papers(library, context.section_cited[-_CITED:])
        wanted = room + len(section) + len(context.marker_cited)
        for far in remote:
            far.begin(context, section)
        lists = [
            corpus.recommend(
                context,
                typed,
                limit=wanted,
                cited=self._corpora.rows_of(corpus, section),
                draft=root,
                cancelled=cancelled,
            )
            for corpus in corpora
        ]
        lists += [
            far.recommend(context, typed, limit=wanted, cited=section, cancelled=cancelled)
            for far in remote
        ]
        here = {one.key for one in found} | set(context.marker_cited)
        own, added = [], []
        for one in _each_once(lists):
            entry = self._view(library).works.find(one.paper)
            if entry is None:
                offered = self._under_its_key(library, root, one)
                if offered.key not in here:
                    added.append(offered)
            elif typed and entry.key not in here:
                paper = completed(entry.paper, [Known(one.corpus, one.paper)])
                own.append(evolve(one, paper=paper, entry=entry, corpus=""))
                here.add(entry.key)
        added = added[:room]
        return (*(*found, *own)[: limit - len(added)], *added)

    def offered(self, library: Library, root: Path, key: str) -> Recommendation | None:
        """Return the paper of a corpus that was offered under a key, or would be."""
        with self._lock:
            known = self._papers.get((root, key))
        if known is not None:
            return known
        for name, papers in self._with_words(key):
            style = self._view(library).style
            for paper in papers:
                if style.key(paper, lambda other: False) == key:
                    return Recommendation(paper, 0.0, corpus=name, new_key=key)
        return None

    def _with_words(self, typed: str) -> Iterator[tuple[str, Iterable[Paper]]]:
        """Yield the papers of each corpus that have all typed words, with its name."""
        for corpus in self._corpora.opened(self._encoder()):
            yield corpus.name, map(corpus.index.paper, corpus.with_words(typed))
        for remote in self._corpora.remote():
            yield remote.name, remote.with_words(typed)

    def existing_key(self, library: Library, paper: Paper) -> str | None:
        """Return the key under which a library has a paper, None where it lacks it."""
        entry = self._view(library).works.find(paper)
        return entry.key if entry else None

    def search(self, typed: str, libraries: Sequence[Library], limit: int) -> list[Found]:
        """Return papers of the corpora that have all typed words and that no library has."""
        found = []
        for corpus in self._corpora.opened(self._encoder()):
            for row in corpus.with_words(typed, limit):
                paper = corpus.index.paper(row)
                if self._is_new(paper, libraries):
                    found.append(Found(paper, corpus.name, corpus.index.records, row))
        for remote in self._corpora.remote():
            fetched = remote.with_words(typed, limit)
            papers = [paper for paper in fetched if self._is_new(paper, libraries)]
            papers = papers[: max(limit - len(found), 0)]
            records = remote_records(remote.name, papers)
            found += [
                Found(paper, remote.name, record, 0)
                for paper, record in zip(papers, records, strict=True)
                if record is not None
            ]
        return found[:limit]

    def _is_new(self, paper: Paper, libraries: Sequence[Library]) -> bool:
        return all(self.existing_key(library, paper) is None for library in libraries)

    def _view(self, library: Library) -> _View:
        with self._viewing.of(library):
            with self._lock:
                view = self._views.get(library)
            if view is None:
                view = _View(SameWork(library.entries), key_style(library.entries))
                with self._lock:
                    self._views[library] = view
        return view

    def _under_its_key(self, library: Library, root: Path, one: Recommendation) -> Recommendation:
        view, paper = self._view(library), one.paper
        identity = (root, joined_title(paper.title), paper.doi or paper.id)
        with self._lock:
            if self._styles.get(root) != view.style or len(self._papers) > _REMEMBERED:
                self._styles[root] = view.style
                self._keys.clear()
            if len(self._papers) > _REMEMBERED:
                self._papers.clear()
            key = self._keys.get(identity)
            if key is None or library.get(key) is not None:
                key = view.style.key(paper, lambda key: self._taken(library, root, key, identity))
            self._keys[identity] = key
            offered = evolve(one, new_key=key)
            self._papers[root, key] = offered
            return offered

    def _taken(self, library: Library, root: Path, key: str, identity: _Identity) -> bool:
        """Whether a key belongs to an entry, or was offered for another paper."""
        if library.get(key) is not None:
            return True
        offered = self._papers.get((root, key))
        if offered is None:
            return False
        paper = offered.paper
        return (root, joined_title(paper.title), paper.doi or paper.id) != identity


def _papers(library: Library, keys: Sequence[str]) -> list[Paper]:
    entries = (library.get(key) for key in dict.fromkeys(keys))
    return [entry.paper for entry in entries if entry is not None]


def _each_once(lists: Sequence[Sequence[Recommendation]]) -> Iterator[Recommendation]:
    """Yield the papers of several lists by their rank; one that is in two of them once."""
    dois: set[str] = set()
    titles: dict[str, list[Paper]] = {}
    for rank in zip_longest(*lists):
        for candidate in rank:
            if candidate is None:
                continue
            paper, title = candidate.paper, joined_title(candidate.paper.title)
            alike = titles.setdefault(title, [])
            if paper.doi in dois or any(same_first_author(paper, other) for other in alike):
                continue
            alike.append(paper)
            dois.update(filter(None, [paper.doi]))
            yield candidate
