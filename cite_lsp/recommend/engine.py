"""The DraftRecommender: recommendations for a place in a draft on the writer's disk.

The server, the command line and the evaluation all call it. It keeps what takes time (parsed
drafts, libraries, indexed pools, the encoder) and computes only what has changed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Self

from attrs import evolve, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder
from cite_lsp.language import has_han
from cite_lsp.library import EntryMatcher, Library
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.manuscript import CitationSite, Context, context_at, context_of_site
from cite_lsp.manuscript.draft.document import mentions_of
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.placeholders.placeholders import work_named_by
from cite_lsp.paper import Paper
from cite_lsp.project.citations import (
    behind_known_keys,
    cited_keys,
    context_without_keys,
    known_keys,
    on_known_key,
)
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation
from cite_lsp.recommend.base.threads import ENCODING_THREADS
from cite_lsp.recommend.corpus.keys import CorpusKeys
from cite_lsp.recommend.corpus.known_works import KnownWorks
from cite_lsp.recommend.corpus.merge import CorpusMerger, CorpusQuery
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.evidence.cited_elsewhere import abstract_sentence
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.library.adaptation import (
    Observation,
    Observations,
    fit_to_all,
    marker_key,
)
from cite_lsp.recommend.library.citation_history import CitationHistory
from cite_lsp.recommend.library.draft_features import encode_mentions
from cite_lsp.recommend.library.features import open_ranker_beside
from cite_lsp.recommend.library.library_index import LibraryIndex, LibraryIndexes
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.library.recommender import Recommender, System
from cite_lsp.recommend.library.typed_match import best_match_first
from cite_lsp.recommend.models import DraftModels, ModelNames
from cite_lsp.recommend.published.methods import NO_METHODS, Methods
from cite_lsp.recommend.query.author_year_mentions import author_year_mentions, cited_in_words_first
from cite_lsp.translate.segment import warm

PLAUSIBLE = 0.3
"""Score of the best recommendation from which on a citation is proposed for a sentence."""


@frozen
class Completion:
    """The recommendations for a key that is being typed: those that match it, best first."""

    site: CitationSite
    recommendations: tuple[Recommendation, ...]
    draft: Draft


class DraftRecommender:
    """Recommends papers for places in drafts. Thread-safe.

    Every method may block and belongs on a worker thread.
    """

    def __init__(
        self,
        reader: DraftReader,
        *,
        models: DraftModels | ModelNames | None = None,
        methods: Methods = NO_METHODS,
        corpora: Corpora | None = None,
        other_drafts: OtherDrafts | None = None,
        typing: bool = True,
    ) -> None:
        """Take what reads drafts; nothing is loaded yet.

        Args:
            reader: reads drafts and their libraries.
            models: the encoder and the translator, which stay open when this is closed, or the
                names of those to load, by default those that ship, which are closed with it.
            methods: what ranks the library and the corpora at the writer's cursor, where it ranks
                for the language there.
            corpora: the corpora that take part beside the library, by default none; they are closed
                with this.
            other_drafts: the store of the writer's drafts; without it none learns from another.
            typing: whether recommendations are for text that is being typed, the vectors of which
                are not worth storing on disk, and which work in the background may not hold up;
                else all processors encode.
        """
        self.reader = reader
        """What reads the drafts and their libraries."""
        self._owns_models = not isinstance(models, DraftModels)
        if not isinstance(models, DraftModels):
            threads = ENCODING_THREADS if typing else os.cpu_count() or 1
            models = DraftModels(models, threads=threads)
        self._models = models
        self._methods = methods
        self._typing = typing
        self.corpora = corpora or Corpora(())
        """The corpora that take part."""
        self.keys = CorpusKeys(self.corpora)
        """The keys of their papers."""
        self.known_works = KnownWorks(self.corpora)
        """What they know of the works of libraries."""
        self.merger = CorpusMerger(self.corpora, self.keys)
        """What adds their papers to those of libraries."""
        self._indexes = LibraryIndexes(own_process=typing)
        self._history = CitationHistory(other_drafts)
        self._embed_lock = Lock()
        self._closed = False
        if typing:
            open_ranker_beside()  # while the draft and its library are read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close corpora, their servers and the files of caches; work in other threads ends soon.

        Later calls are answered from what is in memory. Models that were passed in stay open.
        """
        self._closed = True
        self.corpora.close()
        if self._owns_models:
            self._models.close()

    @property
    def semantic(self) -> bool:
        """Whether the encoder is loaded; until then every ranking is by words only."""
        return self.encoder is not None

    def load_encoder(self) -> None:
        """Load the encoder, once; if that fails, log an error and rank by words only."""
        self._models.load_encoder()

    def draft(self, path: Path) -> Draft:
        """Read a draft and its library as they stand now."""
        return self.reader.draft(path)

    def prepare(self, path: Path, *, cancelled: Cancel | None = None) -> None:
        """Read the draft, index its library, load the models, and encode what is new.

        Idempotent, and cheap when nothing has changed.

        Raises:
            Cancelled: `cancelled` returned true, or this was closed; the vectors so far are cached.
        """
        cancelled = self._until_closed(cancelled)
        stop_if(cancelled)
        draft, models, history = self.draft(path), self._models, self._history
        if any(has_han(manuscript.text) for manuscript in draft.document.files):
            warm()
            models.load_translator()
        index = self._indexes.get(draft.library, cancelled)
        index.matcher.prepare()
        models.load_encoder()
        self.merger.prepare(
            draft.library, cited_keys(draft), models.typing.papers, history.drafts()
        )
        encoders = models.stored
        if encoders.papers is not None:
            if not index.pool.embedded:
                text = " ".join(manuscript.text for manuscript in draft.document.files)
                first = index.pool.wanted_first(text, cited_keys(draft))
                self._embed(index, encoders.papers, first, cancelled)
            encode_mentions(
                (mention for file in draft.document.files for mention in mentions_of(file)),
                draft.document.title,
                encoders,
                cancelled=cancelled,
            )
            self._embed(index, encoders.papers, (), cancelled)
        # Completed papers have abstracts, which take longer to encode: titles are used until then.
        index = self._indexes.complete(draft.library, self.known_works.completed(draft.library))
        if encoders.papers is not None:
            self._embed(index, encoders.papers, (), cancelled)
            self._methods.prepare(LibraryPapers(index.pool), encoders.papers)
            self._update_precedents(index.pool, encoders.papers)
        history.exchange_drafts(draft, index.pool, encoders.precedents)

    def adapt(
        self, path: Path, *, most: int | None = None, cancelled: Cancel | None = None
    ) -> bool:
        """Learn how the writer of a prepared draft cites: rank for its markers without their keys.

        With `most`, only so many now. Returns whether no marker is left; see `adaptation.py`.

        Raises:
            Cancelled: `cancelled` returned true, or this was closed; the observations so far
            remain.
        """
        if not self.semantic:
            return True
        draft, observed = self.draft(path), self._history.observed
        root, papers = draft.project.root, len(self._indexes.get(draft.library).pool)
        cancelled = self._until_closed(cancelled)
        stale = observed.stale(root, draft.document.files, papers)
        for place in stale[:most]:
            stop_if(cancelled)
            context = context_without_keys(draft, place.manuscript, place.marker)
            key = marker_key(draft.document.mentions[context.order])
            observation = self.observe(draft, context, known_keys(draft, place.marker))
            observed.keep(root, place, key, observation)
        done = most is None or len(stale) <= most
        if done:
            fit_to_all(observed.of(root))  # now, not while the writer waits
        return done

    def _until_closed(self, cancelled: Cancel | None) -> Cancel:
        """Return a `cancelled` that also returns true once this recommender is closed."""
        return lambda: self._closed or (cancelled is not None and cancelled())

    def _update_precedents(self, pool: Pool, encoder: Encoder) -> None:
        precedents = self._models.stored.precedents
        if precedents is not None:
            corpora = tuple(corpus.index for corpus in self.corpora.opened())
            fingerprint = precedents.fingerprint
            self._history.update_precedents(pool, encoder.checkpoint, fingerprint, corpora)

    def observe(self, draft: Draft, context: Context, keys: Sequence[str]) -> Observation:
        """Rank for a marker that cites some keys of the library; `context` is without them."""
        index = self._indexes.get(draft.library)
        return self._recommender(index, draft, {}, typed=False).observe(context, keys)

    def pool(self, library: Library) -> Pool:
        """Return the pool of a library: its papers, indexed."""
        return self._indexes.get(library).pool

    def matcher(self, library: Library) -> EntryMatcher:
        """Return the matcher of a library, which finds entries by typed words."""
        return self._indexes.get(library).matcher

    def complete(
        self,
        draft: Draft,
        offset: int,
        *,
        limit: int = 50,
        ahead: bool = True,
        cancelled: Cancel | None = None,
    ) -> Completion | None:
        """Recommend for the key being typed at an offset of a draft; None where no key can stand.

        Right before a key, with `ahead`, a new key is typed in front of it; else it is that key.
        The entries of a large library are unranked until `prepare` has indexed it.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        site = site_at(draft.manuscript, offset)
        if site is None or (
            site.several_words and draft.library.get(site.typed.split()[0]) is not None
        ):
            return None
        site = on_known_key(site, draft.library, ahead=ahead)
        typed = decode(site.typed) if "\\" in site.typed else site.typed
        index = self._indexes.ready(draft.library)
        if index is None:
            entries = self._indexes.unindexed(draft.library)
            cited, without = cited_keys(draft), site.other_keys
            matching = entries.match(typed, limit, cited, without, cancelled)
            return Completion(site, matching, draft)
        rows = index.matcher.match(typed)
        if not rows and (behind := behind_known_keys(site, draft.library)):
            site, typed = behind, behind.typed
            rows = index.matcher.match(typed)
        context = context_of_site(draft.manuscript, site, draft.document)
        context = self._models.translated(evolve(context, marker_cited=site.other_keys), cancelled)
        matches = self._recommender(index, draft, by_method=True).recommend(
            context, limit=limit, rows=rows, cancelled=cancelled
        )
        place = CorpusQuery(draft.library, draft.project.root, context, typed, by_method=True)
        matches = self.merger.join(place, matches, limit=limit, cancelled=cancelled)
        return Completion(site, tuple(best_match_first(typed, matches)), draft)

    def recommend(
        self, draft: Draft, offset: int, *, limit: int = 50, cancelled: Cancel | None = None
    ) -> tuple[Recommendation, ...]:
        """Recommend for the marker, or else the sentence, at an offset of a draft.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        context = context_at(draft.manuscript, offset, draft.document)
        marker = draft.manuscript.marker_at(offset)
        adapted = (marker or site_at(draft.manuscript, offset)) is not None
        named = work_named_by(draft.manuscript.text, marker) if marker else ""
        index = self._indexes.get(draft.library)
        ranking = self._recommender(index, draft, None if adapted else {}, by_method=True)
        place = CorpusQuery(draft.library, draft.project.root, context, named, by_method=True)
        return self._recommend(ranking, place, limit, cancelled, in_words=not adapted)

    def recommend_for(
        self,
        draft: Draft,
        context: Context,
        *,
        limit: int = 50,
        adapted: bool = True,
        named: str = "",
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Recommend papers of the draft's library, and of the corpora, by the default method.

        Its scores are probabilities, which the search for missing citations goes by.

        `adapted` is for places with a marker: the adaptation learns what markers cite. For a
        sentence without a marker the question is whether it lacks a citation of a paper at all.
        `named` are words that the papers have to match, unless none does.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        ranking = self._recommender(
            self._indexes.get(draft.library), draft, None if adapted else {}
        )
        place = CorpusQuery(draft.library, draft.project.root, context, named)
        return self._recommend(ranking, place, limit, cancelled, in_words=not adapted)

    def _recommend(
        self,
        recommender: Recommender,
        place: CorpusQuery,
        limit: int,
        cancelled: Cancel | None,
        *,
        in_words: bool,
    ) -> tuple[Recommendation, ...]:
        """Recommend papers for a place that match its typed words, unless none does.

        With `in_words`, works that the sentence cites by author and year come first.
        """
        context = self._models.translated(place.context, cancelled)
        place = evolve(place, context=context)

        def matching(words: str) -> tuple[Recommendation, ...]:
            rows = self._indexes.get(place.library).matcher.match(words) if words else None
            papers = recommender.recommend(context, limit=limit, rows=rows, cancelled=cancelled)
            query = evolve(place, typed=words)
            return self.merger.join(query, papers, limit=limit, cancelled=cancelled)

        papers = (matching(place.typed) if place.typed else ()) or matching("")
        if not in_words:
            return papers
        mentions = author_year_mentions(context.sentence)
        mentioned = [paper for mention in mentions for paper in matching(mention.words)]
        return cited_in_words_first(mentions, (*mentioned, *papers))[:limit]

    def with_passages(self, recommendation: Recommendation, cited_for: CitedFor) -> Recommendation:
        """Return a recommendation with the passages that support it, nearest to what is cited for.

        They are a sentence in which another paper cites it, as far as corpora know, and one of its
        abstract. It may take seconds the first time.
        """
        paper, encoder = recommendation.paper, self._models.typing.papers
        return evolve(
            recommendation,
            cited_elsewhere=self.known_works.cited_elsewhere(
                paper, recommendation.entry, cited_for, encoder
            ),
            abstract_sentence=abstract_sentence(paper, cited_for.sentence, encoder),
        )

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of drafts and libraries, None until it is loaded, and where it cannot be."""
        return self._models.stored.papers

    def paper(self, entry: Entry) -> Paper:
        """Return the paper of an entry, completed from corpora if that is done already."""
        return self._indexes.paper(entry)

    def compare(
        self,
        draft: Draft,
        context: Context,
        systems: Sequence[System],
        observations: Observations | None = None,
    ) -> dict[System, tuple[tuple[str, float], ...]]:
        """Return the keys of the draft's library with their scores, best first, by each system.

        `observations` replace those of the draft.
        """
        index = self._indexes.get(draft.library)
        pool = index.pool
        recommender = self._recommender(index, draft, observations, by_method=True)
        rankings = recommender.compare(context, systems)
        return {
            system: tuple(
                (pool.names[row], float(score))
                for row, score in zip(ranking.rows, ranking.scores, strict=True)
            )
            for system, ranking in rankings.items()
        }

    def _recommender(
        self,
        index: LibraryIndex,
        draft: Draft,
        observations: Observations | None = None,
        *,
        typed: bool = True,
        by_method: bool = False,
    ) -> Recommender:
        history = self._history.of(index.pool, draft.project.root)
        if observations is not None:
            history = evolve(history, observations=observations)
        return Recommender(
            index.pool,
            self._models.typing if typed and self._typing else self._models.stored,
            system=self._methods if by_method else "default",
            history=history,
        )

    def _embed(
        self,
        index: LibraryIndex,
        encoder: Encoder,
        first: Sequence[int],
        cancelled: Cancel | None,
    ) -> None:
        with self._embed_lock:
            if not index.pool.embedded:
                index.pool.embed(encoder, first=first, cancelled=cancelled)
        self._indexes.keep(index)  # that may have taken minutes, with other libraries used
