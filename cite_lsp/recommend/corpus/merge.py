"""The papers of corpora beside those of a library: each paper once, with the key it would get.

Of the places that an editor shows at once the first are the library's, the others those of corpora;
a paper of a corpus that the library has is that entry, whatever its key, and never listed twice.
The key that a paper was recommended with is remembered: the writer accepts it, and the entry is
written with it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

from attrs import evolve, frozen

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder
from cite_lsp.library import Library
from cite_lsp.library.entries import Entry
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.library.write.key_style import KeyStyle, key_style
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper, fold, joined_title
from cite_lsp.recommend.base.recommendation import CitedElsewhere, CitedFor, Recommendation
from cite_lsp.recommend.corpus.citation_links import CitationLinks, Direction, citation_links
from cite_lsp.recommend.corpus.corpus_records import (
    CorpusRecord,
    CorpusRecords,
    completed,
    numbered_records,
    numbers_of,
    published_numbers,
)
from cite_lsp.recommend.corpus.encoders import WarnOnce
from cite_lsp.recommend.corpus.joint import SHARE, by_screens, each_once, joint
from cite_lsp.recommend.corpus.registry import Corpora, Corpus
from cite_lsp.recommend.corpus.remote_records import remote_records
from cite_lsp.recommend.evidence.cited_elsewhere import cited_elsewhere
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.caches import Turns

_SHOWN_AT_ONCE = 10
"""Places of a list among which they have their share: about as many as an editor shows."""
_MOST_CITED = 20
"""Cited papers of the section that those of a corpus are compared with."""
_REMEMBERED = 20_000

_Completed = tuple[Mapping[str, CorpusIndex], Mapping[int, Paper]]
"""The corpora that were searched, and the papers of a library that they completed, by row."""
_Identity = tuple[Path, str, str]


@frozen
class _View:
    """What is computed once for a library: its entries by work, and the style of its keys."""

    same_work: SameWork
    style: KeyStyle


@frozen
class CorpusPaper:
    """A paper of a corpus, with the file of its record and the line there, from 0."""

    paper: Paper
    corpus: str
    path: Path
    line: int


@frozen(eq=False)
class CorpusQuery:
    """A place in a draft where papers of corpora may be cited.

    library: what the draft cites from. root: the main file of the draft, for which recommended keys
    are remembered. context: where a citation is wanted. typed: the words typed at a key, which
    every paper has to match. by_method: whether the methods that the writer chose rank.
    """

    library: Library
    root: Path
    context: Context
    typed: str = ""
    by_method: bool = False


class CorpusMerger:
    """Adds papers of corpora to those of libraries, and remembers their keys. Thread-safe."""

    def __init__(self, corpora: Corpora, encoder: Callable[[], Encoder | None]) -> None:
        """Take the corpora, and what returns the encoder of drafts, if it is loaded.

        Without corpora nothing is read, and every list stays as it is.
        """
        self._corpora = corpora
        self._warn = WarnOnce()
        self._encoder = encoder
        self._drafts: tuple[CitingDraft, ...] = ()
        self._views: weakref.WeakKeyDictionary[Library, _View] = weakref.WeakKeyDictionary()
        self._viewing: Turns[Library] = Turns()
        self._keys: dict[_Identity, str] = {}
        self._papers: dict[tuple[Path, str], Recommendation] = {}
        self._styles: dict[Path, KeyStyle] = {}
        self._records = CorpusRecords()
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
        """Open the corpora, and compute what every ranking for a library needs.

        `cited` are the keys that the draft cites, `drafts` the stored drafts of the writer.
        """
        self._drafts = drafts
        self._corpora.prepare(self._encoder(), drafts)
        if self._corpora.remote():
            self._view(library)
        for corpus in self._corpora.opened(self._encoder()):
            self._view(library)
            self._corpora.rows_of(corpus, _papers(library, cited))

    def close(self) -> None:
        """Close the corpora."""
        self._corpora.close()

    def indexes(self) -> tuple[CorpusIndex, ...]:
        """Return the corpora on this machine that can be opened."""
        return tuple(corpus.index for corpus in self._corpora.opened(self._encoder()))

    def opened(self) -> tuple[Corpus, ...]:
        """Return the corpora on this machine, opened; none before `prepare` was called."""
        return self._corpora.opened(self._encoder())

    def rows_of(self, corpus: Corpus, papers: Sequence[Paper]) -> list[int]:
        """Return the rows in a corpus of those papers that it has."""
        return self._corpora.rows_of(corpus, papers)

    def searched(self) -> tuple[CorpusIndex, ...]:
        """Return the corpora that `known` searches: new objects once one is rebuilt."""
        return tuple(self._corpora.indexes().values())

    def searched_names(self) -> tuple[str, ...]:
        """Return the names of these corpora."""
        return tuple(index.manifest.name for index in self.searched())

    def known(self, entries: Sequence[Entry]) -> list[tuple[CorpusRecord, ...]]:
        """Return the records of each entry in the corpora on this machine.

        Nothing needs to be prepared.
        """
        return self._records.of(self._corpora.indexes(), entries)

    def numbered(self, entries: Sequence[Entry]) -> list[tuple[CorpusRecord, ...]]:
        """Return the records that these corpora have under the numbers of each entry."""
        return numbered_records(self._corpora.indexes(), entries)

    def completed(self, library: Library) -> Mapping[int, Paper]:
        """Return the papers of a library that corpora on this machine complete, by row.

        They have abstracts that their entries lack, or are marked as retracted.
        """
        corpora = self._corpora.indexes()
        with self._lock:
            cached = self._completed.get(library)
        if cached is None or cached[0] != corpora:
            cached = corpora, self._complete(library, corpora)
            with self._lock:
                self._completed[library] = cached
        return cached[1]

    def _complete(
        self, library: Library, corpora: Mapping[str, CorpusIndex]
    ) -> Mapping[int, Paper]:
        entry_records = self._records.of(corpora, library.entries)
        rows = [row for row, records in enumerate(entry_records) if records]
        papers = {row: library.entries[row].paper for row in rows}
        filled = {row: completed(paper, entry_records[row]) for row, paper in papers.items()}
        return {row: paper for row, paper in filled.items() if paper is not papers[row]}

    def names(self) -> tuple[str, ...]:
        """Return the names of the corpora that can be opened."""
        self._corpora.prepare(self._encoder(), self._drafts)
        local = [corpus.name for corpus in self._corpora.opened(self._encoder())]
        return (*local, *(remote.name for remote in self._corpora.remote() if remote.ready))

    def join(
        self,
        query: CorpusQuery,
        from_library: tuple[Recommendation, ...],
        *,
        limit: int,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers, of any ten six of the library, and then four of the corpora.

        Where either has fewer, the other has more. `from_library` are the recommendations from the
        library, best first; `cancelled` is checked between steps. Where no paper of the corpora has
        what is typed, their papers for the place are taken whose keys begin with it.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        corpora, remote = self._corpora.opened(self._encoder()), self._corpora.remote()
        room = max(limit - len(from_library), limit * SHARE[0] // SHARE[1])
        if not (corpora or remote) or room <= 0:
            return from_library[:limit]
        library, context, typed = query.library, query.context, query.typed
        section = _papers(library, context.section_cited[-_MOST_CITED:])
        count = room + len(section) + len(context.marker_cited)
        for corpus in remote:
            corpus.begin(context, section)

        def matching(words: str) -> list[Sequence[Recommendation]]:
            local_lists = [
                corpus.recommend(
                    context,
                    words,
                    limit=count,
                    cited=self._corpora.rows_of(corpus, section),
                    draft=query.root,
                    by_method=query.by_method,
                    cancelled=cancelled,
                )
                for corpus in corpora
            ]
            remote_lists = [
                corpus.recommend(context, words, limit=count, cited=section, cancelled=cancelled)
                for corpus in remote
            ]
            return [*local_lists, *remote_lists]

        lists, key_start = matching(typed), ""
        if typed and not any(lists):  # a key may hold what the paper does not: an acronym, initials
            lists, key_start = matching(""), fold(typed)
        keys = {recommendation.key for recommendation in from_library} | set(context.marker_cited)
        in_library, added = [], []
        same_work = self._view(library).same_work
        checkpoints = {corpus.name: corpus.index.manifest.checkpoint for corpus in corpora}
        for candidate in each_once(joint(lists, checkpoints)):
            entry = same_work.find(candidate.paper)
            if entry is None:
                keyed = self.keyed(library, query.root, candidate)
                if keyed.key not in keys and fold(keyed.key).startswith(key_start):
                    added.append(keyed)
            elif typed and not key_start and entry.key not in keys:
                record = CorpusRecord(candidate.corpus, candidate.paper)
                paper = completed(entry.paper, [record])
                in_library.append(evolve(candidate, paper=paper, entry=entry, corpus=""))
                keys.add(entry.key)
        return tuple(
            by_screens([*from_library, *in_library], added[:room], min(limit, _SHOWN_AT_ONCE))
        )[:limit]

    def recommended_as(self, library: Library, root: Path, key: str) -> Recommendation | None:
        """Return the paper of a corpus that was recommended with a key, or would be."""
        with self._lock:
            recommendation = self._papers.get((root, key))
        if recommendation is not None:
            return recommendation
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
        """Return the key of a paper in a library, None if the library lacks it."""
        entry = self._view(library).same_work.find(paper)
        return entry.key if entry else None

    def links(self, library: Library, entry: Entry, direction: Direction) -> CitationLinks | None:
        """Return what citations link to the work of an entry; None where no corpus knows."""
        try:
            return citation_links(self._corpora.indexes(), library, entry, direction)
        except SearchIndexError as error:
            self._warn(str(error))
            return None

    def linked(
        self, library: Library, root: Path, links: CitationLinks, limit: int
    ) -> list[Recommendation]:
        """Return linked papers, those that the library has as its entries, others with a key."""
        same_work = self._view(library).same_work
        return [
            Recommendation(paper, 0.0, entry=entry)
            if (entry := same_work.find(paper)) is not None
            else self.keyed(library, root, Recommendation(paper, 0.0, corpus=name))
            for name, paper in links.papers(limit)
        ]

    def have_contexts(self) -> bool:
        """Whether a corpus on this machine knows in which words papers are cited."""
        references_by_corpus = (index.references for index in self._corpora.indexes().values())
        return any(
            references is not None and references.has_contexts
            for references in references_by_corpus
        )

    def cited_elsewhere(
        self, paper: Paper, entry: Entry | None, cited_for: CitedFor
    ) -> CitedElsewhere | None:
        """Return how another paper cites one, nearest to what the writer says; None if unknown.

        `entry` is that of the library, if it has one. It may take seconds the first time.
        """
        numbers = list(published_numbers(entry)) if entry else list(numbers_of(paper))
        try:
            return cited_elsewhere(
                self._corpora.indexes(), paper, numbers, cited_for, self._encoder()
            )
        except SearchIndexError as error:
            self._warn(str(error))
            return None

    def search(self, typed: str, libraries: Sequence[Library], limit: int) -> list[CorpusPaper]:
        """Return papers of the corpora that have all typed words and are in no library."""
        matches = []
        for corpus in self._corpora.opened(self._encoder()):
            for row in corpus.with_words(typed, limit):
                paper = corpus.index.paper(row)
                if self._is_new(paper, libraries):
                    matches.append(CorpusPaper(paper, corpus.name, corpus.index.records, row))
        for remote in self._corpora.remote():
            fetched = remote.with_words(typed, limit)
            papers = [paper for paper in fetched if self._is_new(paper, libraries)]
            papers = papers[: max(limit - len(matches), 0)]
            records = remote_records(remote.name, papers)
            matches += [
                CorpusPaper(paper, remote.name, record, 0)
                for paper, record in zip(papers, records, strict=True)
                if record is not None
            ]
        return matches[:limit]

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

    def keyed(self, library: Library, root: Path, candidate: Recommendation) -> Recommendation:
        """Return a paper with the key that it was given before in a draft, or gets now."""
        view, paper = self._view(library), candidate.paper
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
            keyed = evolve(candidate, new_key=key)
            self._papers[root, key] = keyed
            return keyed

    def _taken(self, library: Library, root: Path, key: str, identity: _Identity) -> bool:
        """Whether a key belongs to an entry, or was given to another paper."""
        if library.get(key) is not None:
            return True
        recommended = self._papers.get((root, key))
        if recommended is None:
            return False
        paper = recommended.paper
        return (root, joined_title(paper.title), paper.doi or paper.id) != identity


def _papers(library: Library, keys: Sequence[str]) -> list[Paper]:
    entries = (library.get(key) for key in dict.fromkeys(keys))
    return [entry.paper for entry in entries if entry is not None]
