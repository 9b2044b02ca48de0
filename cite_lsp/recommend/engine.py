"""Recommendations for a draft on the writer's disk: from a file and an offset to papers.

This is what the server, the command line and the evaluation all call. It keeps what costs time
(parsed drafts, libraries, indexed pools, the encoder) and renews only what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from attrs import evolve, frozen

from cite_lsp.encode.model import Cancel, Encoder, stop_if
from cite_lsp.language import has_han
from cite_lsp.library import EntryMatcher, Library
from cite_lsp.library.model import Entry
from cite_lsp.manuscript import CitationSite, Context, context_at, context_of
from cite_lsp.manuscript.draft.document import mentions_of
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.placeholders.placeholders import work_named_by
from cite_lsp.paper import Paper
from cite_lsp.project.draft import Draft, DraftReader, Reader, cited_keys, on_known_key
from cite_lsp.project.kpathsea import PATIENCE
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.corpus.lazy_merge import LateOffers
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.library.adaptation import Observation, Observations
from cite_lsp.recommend.library.draft_features import remember_mentions
from cite_lsp.recommend.library.evidence import Experience
from cite_lsp.recommend.library.library_index import Shelf, Shelves
from cite_lsp.recommend.library.recommender import Recommender, System
from cite_lsp.recommend.library.typed_match import meant_first
from cite_lsp.recommend.models import DraftModels
from cite_lsp.search.remote.address import RemoteAccess
from cite_lsp.translate.segment import warm

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.merge import Found
    from cite_lsp.recommend.corpus.metadata import Known
    from cite_lsp.search.corpus.index import CorpusIndex

PLAUSIBLE = 0.3
"""Score of the best recommendation from which on there is something to put in at a sentence."""


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
        teaches: Callable[[Path], bool] | None = None,
        models: DraftModels | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Take `read`, which returns the text of a file: open buffer, else disk, else None.

        `buffer` returns the text of an open buffer alone: a bibliography that is being edited.
        `corpora` are the names of those that take part beside the library, or the addresses of
        remote ones; None for all of this machine. `remote_access` opens remote ones, by default
        what the environment says; `remote_wait` is how many seconds a list waits for them.
        `translator` names what puts Chinese sentences into English beside the lexicon, if not that
        alone: a Marian model. `other_drafts` are asked how the writer cites elsewhere, and are told
        how here; without them every draft stands alone, and so does one with a file that `teaches`
        is false of. `models` are those of `encoder` and `translator`, where they are there already.
        `patience` is how many seconds a bibliography may take that TeX itself is asked for.
        """
        self._reader = DraftReader(
            read,
            buffer,
            extra_bibliographies=extra_bibliographies,
            workspaces=workspaces,
            cite_commands=cite_commands,
            patience=patience,
        )
        self._models = models or DraftModels(encoder, translator)
        self._owns_models = models is None
        self._system: System = system
        models = self._models  # and not this recommender, which would hold itself
        self._corpora = LateOffers(
            corpora, remote_access, remote_wait, lambda: models.typing_encoder
        )
        self._shelves = Shelves()
        self._experience = Experience(other_drafts, teaches)
        self._embed_lock = Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of corpora, their servers and the files of caches; what runs in others ends soon.

        Who still asks is answered from what is in memory. Models that were given stay open.
        """
        self._closed = True
        self._corpora.close()
        if self._owns_models:
            self._models.close()

    @property
    def semantic(self) -> bool:
        """Whether the encoder is loaded; until then every ranking is lexical."""
        return self._models.encoder is not None

    def load_encoder(self) -> None:
        """Load the encoder, once; if it cannot be had, say so in the log and stay lexical."""
        self._models.load_encoder()

    def draft(self, path: Path) -> Draft:
        """Read a draft and its library as they stand now."""
        return self._reader.draft(path)

    def library(self, paths: Sequence[Path]) -> Library:
        """Return the library of some bibliography files, whoever uses them."""
        return self._reader.library(paths)

    def unsettled(self, library: Library) -> float | None:
        """Return in how many seconds a library may be another one though no file changes.

        None where it will not: none of its files seems half written, and TeX looks for none.
        """
        return self._reader.unsettled(library)

    def prepare(self, path: Path, *, cancelled: Cancel | None = None) -> None:
        """Read the draft, its library and the words of that, load the encoder, embed what is new.

        Idempotent, and cheap when nothing has changed.

        Raises:
            Cancelled: `cancelled` said so, or it was closed; what was embedded is kept.
        """
        cancelled = self._until_closed(cancelled)
        stop_if(cancelled)
        draft, models, experience = self.draft(path), self._models, self._experience
        if any(has_han(manuscript.text) for manuscript in draft.document):
            warm()
            models.load_translator()
        shelf = self._shelves.of(draft.library)
        shelf.matcher.prepare()
        models.load_encoder()
        corpora = self._corpora.get()
        corpora.prepare(draft.library, cited_keys(draft), experience.drafts())
        if models.encoder is not None:
            self._embed(shelf, models.encoder, cancelled)
        # Abstracts take longer to embed than titles, which do until they are.
        shelf = self._shelves.complete(draft.library, corpora.completed(draft.library))
        if models.encoder is not None:
            self._embed(shelf, models.encoder, cancelled)
            self._look_up(shelf.pool, models.encoder)
            remember_mentions(
                (one for manuscript in draft.document for one in mentions_of(manuscript)),
                draft.document.title,
                models.encoder,
                models.query_encoder,
                cancelled=cancelled,
            )
        experience.exchange(draft, shelf.pool, models.query_encoder)

    def adapt(
        self, path: Path, *, most: int | None = None, cancelled: Cancel | None = None
    ) -> bool:
        """Learn how the writer of a draft cites, once it is prepared: its markers are asked again.

        With `most`, only so many now. Returns whether none is left to ask; see `adaptation.py`.

        Raises:
            Cancelled: `cancelled` said so, or it was closed; what was learned is kept.
        """
        if self._models.encoder is None or self._system != "default":
            return True
        draft = self.draft(path)
        papers = len(self._shelves.of(draft.library).pool)
        cancelled = self._until_closed(cancelled)
        return self._experience.observe(draft, papers, self.observe, most, cancelled)

    def _until_closed(self, cancelled: Cancel | None) -> Cancel:
        """Return a `cancelled` that says so, too, once this recommender is closed."""
        return lambda: self._closed or (cancelled is not None and cancelled())

    def _look_up(self, pool: Pool, encoder: Encoder) -> None:
        query_encoder = self._models.query_encoder
        if query_encoder is None or self._system != "default":
            return
        corpora = self._corpora.get().indexes()
        self._experience.look_up(pool, encoder.checkpoint, query_encoder.fingerprint, corpora)

    def observe(self, draft: Draft, context: Context, keys: Sequence[str]) -> Observation:
        """Ask for keys of the draft's library again that stand in the marker of a context."""
        return self._recommender(self._shelves.of(draft.library), draft, {}).observe(context, keys)

    def pool(self, library: Library) -> Pool:
        """Return the papers of a library, ready to be ranked."""
        return self._shelves.of(library).pool

    def matcher(self, library: Library) -> EntryMatcher:
        """Return what finds the entries of a library by what a writer types."""
        return self._shelves.of(library).matcher

    def complete(
        self,
        path: Path,
        offset: int,
        *,
        limit: int = 50,
        ahead: bool = True,
        cancelled: Cancel | None = None,
    ) -> Completion | None:
        """Recommend as `complete_in` does, in a draft as it stands now.

        Raises:
            Cancelled: `cancelled` said so.
        """
        draft = self.draft(path)
        return self.complete_in(draft, offset, limit=limit, ahead=ahead, cancelled=cancelled)

    def complete_in(
        self,
        draft: Draft,
        offset: int,
        *,
        limit: int = 50,
        ahead: bool = True,
        cancelled: Cancel | None = None,
    ) -> Completion | None:
        """Recommend for the key being typed at an offset of a draft; None where no key can stand.

        Right before a key another one is typed, `ahead` of it; else that key is asked for again.

        Raises:
            Cancelled: `cancelled` said so.
        """
        site = site_at(draft.manuscript, offset)
        if site is None or (
            site.several_words and draft.library.get(site.typed.split()[0]) is not None
        ):
            return None
        site = on_known_key(site, draft.library, ahead=ahead)
        shelf = self._shelves.of(draft.library)
        context = context_of(draft.manuscript, site.marker, draft.document)
        context = self._models.translated(evolve(context, marker_cited=site.other_keys), cancelled)
        found = self._recommender(shelf, draft).recommend(
            context, limit=limit, rows=shelf.matcher.match(site.typed), cancelled=cancelled
        )
        found = self._with_corpora(draft, found, context, site.typed, limit, cancelled)
        return Completion(site, tuple(meant_first(site.typed, found)), draft)

    def recommend(
        self, path: Path, offset: int, *, limit: int = 50, cancelled: Cancel | None = None
    ) -> tuple[Recommendation, ...]:
        """Recommend as `recommend_in` does, in a draft as it stands now.

        Raises:
            Cancelled: `cancelled` said so.
        """
        return self.recommend_in(self.draft(path), offset, limit=limit, cancelled=cancelled)

    def recommend_in(
        self, draft: Draft, offset: int, *, limit: int = 50, cancelled: Cancel | None = None
    ) -> tuple[Recommendation, ...]:
        """Recommend for the marker, or else the sentence, at an offset of a draft.

        Raises:
            Cancelled: `cancelled` said so.
        """
        context = context_at(draft.manuscript, offset, draft.document)
        marker = draft.manuscript.marker_at(offset)
        return self.recommend_for(
            draft,
            context,
            limit=limit,
            adapted=(marker or site_at(draft.manuscript, offset)) is not None,
            named=work_named_by(draft.manuscript.text, marker) if marker else "",
            cancelled=cancelled,
        )

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
        """Recommend papers of the draft's library, and of the corpora, for a context.

        `adapted` is for places where a marker stands: what the others tell is what markers cite. Of
        a sentence without one it is not asked which paper it cites, but whether it lacks this one.
        `named` are words that the papers have to match, unless none does.

        Raises:
            Cancelled: `cancelled` said so.
        """
        shelf = self._shelves.of(draft.library)
        context = self._models.translated(context, cancelled)
        recommender = self._recommender(shelf, draft, None if adapted else {})
        for words in (named, "") if named else ("",):
            rows = shelf.matcher.match(words) if words else None
            found = recommender.recommend(context, limit=limit, rows=rows, cancelled=cancelled)
            found = self._with_corpora(draft, found, context, words, limit, cancelled)
            if found:
                break
        return found

    def corpora(self) -> tuple[str, ...]:
        """Return the names of the corpora that take part and can be opened."""
        return self._corpora.get().names()

    def offered(self, draft: Draft, key: str) -> Recommendation | None:
        """Return the paper of a corpus that is offered to a draft under a key."""
        return self._corpora.get().offered(draft.library, draft.project.root, key)

    def existing_key(self, draft: Draft, paper: Paper) -> str | None:
        """Return the key under which the draft's library has a paper of a corpus already."""
        return self._corpora.get().existing_key(draft.library, paper)

    def paper(self, entry: Entry) -> Paper:
        """Return the paper of an entry, with what corpora add to it if that is known by now."""
        return self._shelves.paper(entry)

    def known(self, entries: Sequence[Entry]) -> list[tuple[Known, ...]]:
        """Return the records that the corpora on this machine have of entries, whoever cites them.

        Needs nothing prepared.
        """
        return self._corpora.get().known(entries)

    def searched_corpora(self) -> tuple[CorpusIndex, ...]:
        """Return the corpora in which `known` looks: others as soon as one is built anew."""
        return self._corpora.get().searched()

    def search_corpora(
        self, typed: str, libraries: Sequence[Library], *, limit: int = 50
    ) -> list[Found]:
        """Return papers of the corpora that have all typed words, and that no library has."""
        return self._corpora.get().search(typed, libraries, limit)

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
        return self._corpora.get().join(
            draft.library,
            draft.project.root,
            found,
            context,
            typed=typed,
            limit=limit,
            cancelled=cancelled,
        )

    def _recommender(
        self, shelf: Shelf, draft: Draft, observations: Observations | None = None
    ) -> Recommender:
        root, models, experience = draft.project.root, self._models, self._experience
        return Recommender(
            shelf.pool,
            models.typing_encoder,
            query_encoder=models.placing_encoder,
            system=self._system,
            observations=experience.observations(root) if observations is None else observations,
            elsewhere=experience.elsewhere(shelf.pool, root),
            before=experience.before(shelf.pool),
        )

    def _embed(self, shelf: Shelf, encoder: Encoder, cancelled: Cancel | None) -> None:
        with self._embed_lock:
            if not shelf.pool.embedded:
                shelf.pool.embed(encoder, cancelled=cancelled)
        self._shelves.keep(shelf)  # that may have taken minutes, in which others were used
