"""The keys of papers that corpora add to libraries: those of their entries, or new ones.

The key that a paper was recommended with is remembered: the writer accepts it, and the entry is
written with it.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from threading import Lock

from attrs import evolve, frozen

from cite_lsp.library import Library
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.library.write.key_style import KeyStyle, key_style
from cite_lsp.paper import Paper, joined_title
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.citation_links import CitationLinks
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.storage.caches import Turns

_REMEMBERED = 20_000

_Identity = tuple[Path, str, str]


@frozen
class _View:
    """What is computed once for a library: its entries by work, and the style of its keys."""

    same_work: SameWork
    style: KeyStyle


class CorpusKeys:
    """The keys by which drafts cite the papers of corpora. Thread-safe."""

    def __init__(self, corpora: Corpora) -> None:
        self._corpora = corpora
        self._views: weakref.WeakKeyDictionary[Library, _View] = weakref.WeakKeyDictionary()
        self._viewing: Turns[Library] = Turns()
        self._keys: dict[_Identity, str] = {}
        self._papers: dict[tuple[Path, str], Recommendation] = {}
        self._styles: dict[Path, KeyStyle] = {}
        self._lock = Lock()

    def same_work(self, library: Library) -> SameWork:
        """Return what finds the entry of a work in a library; computed once."""
        return self._view(library).same_work

    def existing_key(self, library: Library, paper: Paper) -> str | None:
        """Return the key of a paper in a library, None if the library lacks it."""
        entry = self.same_work(library).find(paper)
        return entry.key if entry else None

    def recommended_as(self, library: Library, root: Path, key: str) -> Recommendation | None:
        """Return the paper of a corpus that was recommended with a key, or would be."""
        with self._lock:
            recommendation = self._papers.get((root, key))
        if recommendation is not None:
            return recommendation
        for name, papers in self._corpora.with_words(key):
            style = self._view(library).style
            for paper in papers:
                if style.key(paper, lambda other: False) == key:
                    return Recommendation(paper, 0.0, corpus=name, new_key=key)
        return None

    def linked(
        self, library: Library, root: Path, links: CitationLinks, limit: int
    ) -> list[Recommendation]:
        """Return linked papers, those that the library has as its entries, others with a key."""
        same_work = self.same_work(library)
        return [
            Recommendation(paper, 0.0, entry=entry)
            if (entry := same_work.find(paper)) is not None
            else self.keyed(library, root, Recommendation(paper, 0.0, corpus=name))
            for name, paper in links.papers(limit)
        ]

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

    def _view(self, library: Library) -> _View:
        with self._viewing.of(library):
            with self._lock:
                view = self._views.get(library)
            if view is None:
                view = _View(SameWork(library.entries), key_style(library.entries))
                with self._lock:
                    self._views[library] = view
        return view
