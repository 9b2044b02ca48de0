"""Recommendations for a draft on the writer's disk: from a file and an offset to papers.

This is what the server, the command line and the evaluation all call. It keeps what costs time
(parsed drafts, libraries, indexed pools, the encoder) and renews only what has changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from attrs import evolve, frozen

from cite_lsp import paths
from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.model import Encoder, stop_if
from cite_lsp.library import (
    Bibliography,
    EntryMatcher,
    Library,
    LibraryCache,
    Problem,
    Project,
    ProjectCache,
)
from cite_lsp.library.folders import holding
from cite_lsp.manuscript import (
    CitationSite,
    Context,
    Document,
    Manuscript,
    Marker,
    context_at,
    context_of,
    format_of,
    parse,
)
from cite_lsp.paper import Paper
from cite_lsp.recommend.adaptation import (
    Named,
    Observation,
    Observations,
    ObservedDrafts,
    named,
)
from cite_lsp.recommend.asking import kept_query_encoder
from cite_lsp.recommend.cited_before import Precedented
from cite_lsp.recommend.elsewhere import InLibrary
from cite_lsp.recommend.habits import remember_mentions
from cite_lsp.recommend.kept import Kept
from cite_lsp.recommend.meant import meant_first
from cite_lsp.recommend.model import Recommendation
from cite_lsp.recommend.other_drafts import OtherDrafts
from cite_lsp.recommend.pool import Pool
from cite_lsp.recommend.query import own_sentence
from cite_lsp.recommend.ranker import RankerError, library_ranker
from cite_lsp.recommend.recommender import Recommender, System
from cite_lsp.recommend.shelves import Shelf, Shelves
from cite_lsp.search.remote_address import RemoteAccess, is_address
from cite_lsp.translate.kept import CachedTranslator, open_translator
from cite_lsp.translate.segment import has_han, warm
from cite_lsp.translate.translator import DictionaryTranslator, Translator, TranslatorError

if TYPE_CHECKING:
    from cite_lsp.recommend.offers import Found, Offers

log = logging.getLogger(__name__)

PLAUSIBLE = 0.3
"""Score of the best recommendation from which on there is something to put in at a sentence."""

_ENDS = ("。", "！", "？", "…", ".", "!", "?")

Reader = Callable[[Path], str | None]
Cancel = Callable[[], bool]


@frozen
class Draft:
    """A draft as it stands now: the opened file, its project, the library it cites from."""

    path: Path
    manuscript: Manuscript
    project: Project
    library: Library

    @property
    def document(self) -> Document:
        """All files of the draft in reading order."""
        return self.project.document

    def opened_at(self, path: Path) -> Draft:
        """Return the same draft with another of its files as the opened one.

        Raises:
            KeyError: that is no file of the draft.
        """
        return evolve(self, path=path, manuscript=dict(self.project.files)[path])

    @property
    def bibliographies(self) -> tuple[Bibliography, ...]:
        """Those of the library but for what only the drafts beside this one name."""
        others = self._beside
        return tuple(one for one in self.library.bibliographies if one.path not in others)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files of the project and its bibliographies."""
        others = self._beside
        found = self.project.problems + self.library.problems
        return tuple(problem for problem in found if problem.path not in others)

    @property
    def _beside(self) -> frozenset[Path]:
        """The bibliographies, and the drafts that hold one, that only drafts beside this name."""
        project, others = self.project, self.project.beside
        own = {*project.bibliographies, *(one.path for one in project.inline)}
        named = {path for other in others for path in other.bibliographies}
        named.update(one.path for other in others for one in other.inline)
        return frozenset(named - own)


@frozen
class Completion:
    """What to offer where a key is being typed: matches of what is typed, best first."""

    site: CitationSite
    recommendations: tuple[Recommendation, ...]
    draft: Draft


class DraftRecommender:
    """Thread-safe; every method may block and belongs on a worker thread."""

    def __init__(
        self,
        *,
        read: Reader,
        buffer: Reader | None = None,
        encoder: str = "default",
        extra_bibliographies: Sequence[Path] = (),
        workspaces: Sequence[Path] = (),
        cite_commands: Sequence[str] = (),
        system: System = "default",
        corpora: Sequence[str] | None = (),
        remote_access: RemoteAccess | None = None,
        remote_wait: float | None = None,
        translator: str = "dictionary",
        other_drafts: OtherDrafts | None = None,
    ) -> None:
        """Take `read`, which returns the text of a file: open buffer, else disk, else None.

        `buffer` returns the text of an open buffer alone: a bibliography that is being edited.
        `corpora` are the names of those that take part beside the library, or the addresses of
        remote ones; None for all of this machine. `remote_access` opens remote ones, by default
        what the environment says; `remote_wait` is how many seconds a list waits for them.
        `translator` names what puts Chinese sentences into English beside the lexicon, if not that
        alone: a Marian model. `other_drafts` are asked how the writer cites elsewhere, and are told
        how here; without them every draft stands alone.
        """
        self._read = read
        self._encoder_name = encoder
        self._extra = tuple(extra_bibliographies)
        self._workspaces = tuple(workspaces)
        self._system: System = system
        self._projects = ProjectCache(cite_commands, buffer)
        self._libraries = LibraryCache(buffer)
        self._encoder: CachedEncoder | None = None  # of what stays: papers, the draft's markers
        self._typing_encoder: CachedEncoder | None = None  # of what is being typed
        self._query_encoder: CachedEncoder | None = None  # places markers among the papers
        self._placing: CachedEncoder | None = None  # places what is being typed there
        self._encoder_failed = False
        self._translator_name = translator
        self._translator: Translator | None = None
        self._typing_translator: Translator | None = None
        self._translator_failed = translator == DictionaryTranslator.name  # words need no loading
        self._corpora = tuple(corpora) if corpora is not None else None
        self._remote_access, self._remote_wait = remote_access, remote_wait
        self._offers: Offers | None = None
        self._shelves = Shelves()
        self._observed = ObservedDrafts()
        self._other_drafts = other_drafts
        self._precedented = Precedented()
        self._elsewhere: WeakKeyDictionary[Pool, Kept[InLibrary | None]] = WeakKeyDictionary()
        self._offers_lock = Lock()
        self._encoder_lock = Lock()
        self._embed_lock = Lock()

    @property
    def semantic(self) -> bool:
        """Whether the encoder is loaded; until then every ranking is lexical."""
        return self._encoder is not None

    def load_encoder(self) -> None:
        """Load the encoder, once; if it cannot be had, say so in the log and stay lexical."""
        with self._encoder_lock:
            if self._encoder is not None or self._encoder_failed:
                return
            try:
                encoder = CachedEncoder(load_encoder(self._encoder_name))
            except EncoderError as error:
                self._encoder_failed = True
                log.error("%s; ranking by words only", error)
                return
            self._typing_encoder = encoder.without_writing()
            self._query_encoder = _query_encoder_of(encoder)
            if self._query_encoder is not None:
                self._placing = self._query_encoder.without_writing()
            self._encoder = encoder

    def _load_translator(self) -> None:
        """Load the translator of the settings, once; without it the lexicon does what it can."""
        with self._encoder_lock:
            if self._translator is not None or self._translator_failed:
                return
            try:
                found = self._typing_translator = open_translator(self._translator_name)
                if isinstance(found, CachedTranslator):
                    self._typing_translator = found.without_writing()
                self._translator = found
            except TranslatorError as error:
                self._translator_failed = True
                log.error("%s; Chinese is translated by the lexicon alone", error)

    def _translated(self, context: Context, cancelled: Cancel | None) -> Context:
        """Return a context with its translation, where there is a translator and Chinese.

        A sentence without its end is one being typed: it is soon another.

        Raises:
            Cancelled: `cancelled` said so.
        """
        sentence = own_sentence(context.left, context.right)
        ended = sentence.endswith(_ENDS)
        translator = self._translator if ended else self._typing_translator
        if translator is None or not has_han(sentence):
            return context
        found = translator.translate([sentence], check=lambda: stop_if(cancelled))
        return evolve(context, translation=found[0])

    def prepare(self, path: Path, *, cancelled: Cancel | None = None) -> None:
        """Read the draft and its library, load the encoder, embed what is new.

        Idempotent, and cheap when nothing has changed.

        Raises:
            Cancelled: `cancelled` said so; what was embedded is kept.
        """
        draft = self.draft(path)
        if any(has_han(manuscript.text) for manuscript in draft.document):
            warm()
            self._load_translator()
        shelf = self._shelves.of(draft.library)
        self.load_encoder()
        if (offers := self._offers_of_corpora()) is not None:
            before = self._other_drafts.all() if self._other_drafts is not None else ()
            offers.prepare(draft.library, _cited_keys(draft), self._typing_encoder, before)
        if self._encoder is not None:
            self._embed(shelf, self._encoder, cancelled)
            self._look_up(shelf.pool, self._encoder)
            remember_mentions(
                (one for manuscript in draft.document for one in manuscript.mentions),
                draft.document.title,
                self._encoder,
                self._query_encoder,
                cancelled=cancelled,
            )
        if self._other_drafts is not None:
            self._exchange(self._other_drafts, draft, shelf)
        if self._encoder is not None:
            self._observe(draft, shelf, cancelled)

    def _look_up(self, pool: Pool, encoder: Encoder) -> None:
        """Find out how others cited the papers of a library before."""
        if self._query_encoder is None or self._system != "default":
            return
        offers = self._offers_of_corpora()
        corpora = offers.indexes(self._typing_encoder) if offers is not None else ()
        try:
            placed_by = self._query_encoder.fingerprint
            self._precedented.renew(pool, encoder.checkpoint, placed_by, corpora)
        except RankerError as error:
            log.error("%s; the library is ranked without how others cite its papers", error)

    def _exchange(self, others: OtherDrafts, draft: Draft, shelf: Shelf) -> None:
        """Keep how this draft cites, and read how the others cite papers of its library."""
        root = draft.project.root
        files = [path for path, _ in draft.project.files]
        others.keep(root, draft.document, draft.library, self._query_encoder, files)
        kept = self._elsewhere.setdefault(shelf.pool, Kept())
        told, known = others.beside(root), kept.get(root)
        if told is None or known is None or known.elsewhere is not told:
            kept.keep(root, told.within(draft.library.entries) if told is not None else None)

    def _observe(self, draft: Draft, shelf: Shelf, cancelled: Cancel | None) -> None:
        """Ask for some markers of the draft again, to learn what its writer does.

        Raises:
            Cancelled: `cancelled` said so; what was asked is kept.
        """
        if self._system != "default":
            return

        def ask(manuscript: Manuscript, marker: Marker) -> tuple[Named, Observation]:
            stop_if(cancelled)
            context = context_without_keys(draft, manuscript, marker)
            own = draft.document.mentions[context.order]
            return named(own), self.observe(draft, context, known_keys(draft, marker))

        self._observed.renew(draft.project.root, draft.document, len(shelf.pool), ask)

    def observe(self, draft: Draft, context: Context, keys: Sequence[str]) -> Observation:
        """Ask for keys of the draft's library again that stand in the marker of a context."""
        return self._recommender(self._shelves.of(draft.library), draft, {}).observe(context, keys)

    def draft(self, path: Path) -> Draft:
        """Read a draft and its library as they stand now."""
        # The outermost one: the main file of a chapter may well stand above the chapter's folder.
        border = next(reversed(holding(path, self._workspaces)), None)
        project = self._projects.open(path, self._read, border, self._workspaces)
        manuscript = project.manuscript(path) or parse("", format_of(path) or "markdown")
        drafts = (project, *project.beside)
        named = dict.fromkeys(one for draft in drafts for one in draft.bibliographies)
        inline: dict[Path, Bibliography] = {}
        for one in (one for draft in drafts for one in draft.inline):
            inline.setdefault(one.path, one)
        library = self._libraries.load((*named, *self._extra), tuple(inline.values()))
        return Draft(path, manuscript, project, library)

    def library(self, paths: Sequence[Path]) -> Library:
        """Return the library of some bibliography files, whoever uses them."""
        return self._libraries.load(paths)

    def pool(self, library: Library) -> Pool:
        """Return the papers of a library, ready to be ranked."""
        return self._shelves.of(library).pool

    def matcher(self, library: Library) -> EntryMatcher:
        """Return what finds the entries of a library by what a writer types."""
        return self._shelves.of(library).matcher

    def complete(
        self, path: Path, offset: int, *, limit: int = 50, cancelled: Cancel | None = None
    ) -> Completion | None:
        """Recommend for the key being typed at an offset; None where no key can stand.

        Raises:
            Cancelled: `cancelled` said so.
        """
        draft = self.draft(path)
        site = draft.manuscript.site_at(offset)
        if site is None or (site.wordy and draft.library.get(site.typed.split()[0]) is not None):
            return None
        site = on_known_key(site, draft.library)
        shelf = self._shelves.of(draft.library)
        context = context_of(draft.manuscript, site.marker, draft.document)
        context = self._translated(evolve(context, marker_cited=site.other_keys), cancelled)
        found = self._recommender(shelf, draft).recommend(
            context, limit=limit, rows=shelf.matcher.match(site.typed), cancelled=cancelled
        )
        found = self._with_corpora(draft, found, context, site.typed, limit, cancelled)
        return Completion(site, tuple(meant_first(site.typed, found)), draft)

    def recommend(
        self, path: Path, offset: int, *, limit: int = 50, cancelled: Cancel | None = None
    ) -> tuple[Recommendation, ...]:
        """Recommend for the marker, or else the sentence, at an offset.

        Raises:
            Cancelled: `cancelled` said so.
        """
        draft = self.draft(path)
        context = context_at(draft.manuscript, offset, draft.document)
        marked = draft.manuscript.marker_at(offset) or draft.manuscript.site_at(offset)
        return self.recommend_for(
            draft, context, limit=limit, adapted=marked is not None, cancelled=cancelled
        )

    def recommend_for(
        self,
        draft: Draft,
        context: Context,
        *,
        limit: int = 50,
        adapted: bool = True,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Recommend papers of the draft's library, and of the corpora, for a context.

        `adapted` is for places where a marker stands: what the others tell is what markers cite. Of
        a sentence without one it is not asked which paper it cites, but whether it lacks this one.

        Raises:
            Cancelled: `cancelled` said so.
        """
        shelf = self._shelves.of(draft.library)
        context = self._translated(context, cancelled)
        recommender = self._recommender(shelf, draft, None if adapted else {})
        found = recommender.recommend(context, limit=limit, cancelled=cancelled)
        return self._with_corpora(draft, found, context, "", limit, cancelled)

    def corpora(self) -> tuple[str, ...]:
        """Return the names of the corpora that take part and can be opened."""
        offers = self._offers_of_corpora()
        return offers.names(self._typing_encoder) if offers is not None else ()

    def offered(self, draft: Draft, key: str) -> Recommendation | None:
        """Return the paper of a corpus that is offered to a draft under a key."""
        offers = self._offers_of_corpora()
        if offers is None:
            return None
        return offers.offered(draft.library, draft.project.root, key, self._typing_encoder)

    def existing_key(self, draft: Draft, paper: Paper) -> str | None:
        """Return the key under which the draft's library has a paper of a corpus already."""
        offers = self._offers_of_corpora()
        return offers.existing_key(draft.library, paper) if offers is not None else None

    def search_corpora(
        self, typed: str, libraries: Sequence[Library], *, limit: int = 50
    ) -> list[Found]:
        """Return papers of the corpora that have all typed words, and that no library has."""
        offers = self._offers_of_corpora()
        if offers is None:
            return []
        return offers.search(typed, libraries, self._typing_encoder, limit)

    def compare(
        self,
        draft: Draft,
        context: Context,
        systems: Sequence[System],
        observations: Observations | None = None,
    ) -> dict[System, tuple[tuple[str, float], ...]]:
        """Return the keys of the draft's library with their scores, best first, by each system.

        `observations` stand in for what the markers of the draft told when it was prepared.
        """
        shelf = self._shelves.of(draft.library)
        pool = shelf.pool
        recommender = self._recommender(shelf, draft, observations)
        rankings = recommender.compare(context, systems)
        return {
            system: tuple(
                (pool.names[row], float(score))
                for row, score in zip(ranking.rows, ranking.scores, strict=True)
            )
            for system, ranking in rankings.items()
        }

    def _with_corpora(
        self,
        draft: Draft,
        found: tuple[Recommendation, ...],
        context: Context,
        typed: str,
        limit: int,
        cancelled: Cancel | None,
    ) -> tuple[Recommendation, ...]:
        offers = self._offers_of_corpora()
        if offers is None:
            return found
        return offers.join(
            draft.library,
            draft.project.root,
            found,
            context,
            self._typing_encoder,
            typed=typed,
            limit=limit,
            cancelled=cancelled,
        )

    def _offers_of_corpora(self) -> Offers | None:
        """Return what joins corpora in; None, and nothing is imported, where none can be."""
        remote = any(map(is_address, self._corpora or ()))
        if self._corpora == () or not (remote or paths.corpora_folder().is_dir()):
            return None
        with self._offers_lock:
            if self._offers is None:
                from cite_lsp.recommend.corpora import Corpora
                from cite_lsp.recommend.offers import Offers
                from cite_lsp.recommend.remote_corpus import WAIT

                self._offers = Offers(
                    Corpora(
                        self._corpora,
                        load_encoder=load_encoder,
                        access=self._remote_access,
                        wait=WAIT if self._remote_wait is None else self._remote_wait,
                    )
                )
            return self._offers

    def _recommender(
        self, shelf: Shelf, draft: Draft, observations: Observations | None = None
    ) -> Recommender:
        kept = self._elsewhere.get(shelf.pool)
        return Recommender(
            shelf.pool,
            self._typing_encoder,
            query_encoder=self._placing,
            system=self._system,
            observations=self._observed.of(draft.project.root)
            if observations is None
            else observations,
            elsewhere=kept.get(draft.project.root) if kept is not None else None,
            before=self._precedented.of(shelf.pool),
        )

    def _embed(self, shelf: Shelf, encoder: Encoder, cancelled: Cancel | None) -> None:
        with self._embed_lock:
            if not shelf.pool.embedded:
                shelf.pool.embed(encoder, cancelled=cancelled)
        self._shelves.keep(shelf)  # that may have taken minutes, in which others were used


def context_without_keys(draft: Draft, manuscript: Manuscript, marker: Marker) -> Context:
    """Return the context of a marker of a draft's file with all of its keys taken out."""
    return evolve(context_of(manuscript, marker, draft.document), marker_cited=())


def known_keys(draft: Draft, marker: Marker) -> tuple[str, ...]:
    """Return the keys of a marker that the draft's library has, as the library writes them."""
    found = (draft.library.get(key.text) for key in marker.keys)
    return tuple(dict.fromkeys(entry.key for entry in found if entry is not None))


def on_known_key(site: CitationSite, library: Library) -> CitationSite:
    """Return a site whose end is that of the key under the cursor, where the library has that."""
    ends = (
        key.end
        for key in site.marker.keys
        if key.start == site.start and key.end > site.end and library.get(key.text) is not None
    )
    return evolve(site, end=next(ends, site.end))


def _query_encoder_of(encoder: Encoder) -> CachedEncoder | None:
    """Return the query encoder, if it places contexts among the vectors of this encoder."""
    try:
        return kept_query_encoder() if encoder.checkpoint == library_ranker().checkpoint else None
    except (EncoderError, RankerError) as error:
        log.error("%s; ranking without the query encoder", error)
        return None


def _cited_keys(draft: Draft) -> list[str]:
    return [
        key.text
        for manuscript in draft.document
        for marker in manuscript.markers
        for key in marker.keys
    ]
