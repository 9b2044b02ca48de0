"""The papers of corpora beside those of a library: each paper once, with the key it would get.

Of the places that an editor shows at once the first are the library's, the others those of corpora;
a paper of a corpus that the library has is that entry, whatever its key, and never listed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder
from cite_lsp.library import Library
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper, fold
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.corpus_records import CorpusRecord, completed
from cite_lsp.recommend.corpus.joint import SHARE, by_screens, each_once, joint
from cite_lsp.recommend.corpus.keys import CorpusKeys
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.corpus.remote_records import remote_records
from cite_lsp.recommend.evidence.other_drafts import CitingDraft

_SHOWN_AT_ONCE = 10
"""Places of a list among which they have their share: about as many as an editor shows."""
_MOST_CITED = 20
"""Cited papers of the section that those of a corpus are compared with."""


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
    """Adds papers of corpora to those of libraries. Thread-safe.

    Without corpora nothing is read, and every list stays as it is.
    """

    def __init__(self, corpora: Corpora, keys: CorpusKeys) -> None:
        self.corpora, self.keys = corpora, keys

    def prepare(
        self,
        library: Library,
        cited: Sequence[str],
        encoder: Encoder | None,
        drafts: tuple[CitingDraft, ...] = (),
    ) -> None:
        """Open the corpora, and compute what every ranking for a library needs.

        `cited` are the keys that the draft cites, `encoder` is that of drafts, if it is loaded,
        `drafts` are the stored drafts of the writer.
        """
        self.corpora.prepare(encoder, drafts)
        opened = self.corpora.opened()
        if opened or self.corpora.remote():
            self.keys.same_work(library)
        for corpus in opened:
            self.corpora.rows_of(corpus, _papers(library, cited))

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
        corpora, remote = self.corpora.opened(), self.corpora.remote()
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
                    cited=self.corpora.rows_of(corpus, section),
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
        same_work = self.keys.same_work(library)
        checkpoints = {corpus.name: corpus.index.manifest.checkpoint for corpus in corpora}
        for candidate in each_once(joint(lists, checkpoints)):
            entry = same_work.find(candidate.paper)
            if entry is None:
                keyed = self.keys.keyed(library, query.root, candidate)
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

    def search(self, typed: str, libraries: Sequence[Library], limit: int) -> list[CorpusPaper]:
        """Return papers of the corpora that have all typed words and are in no library."""

        def is_new(paper: Paper) -> bool:
            return all(self.keys.existing_key(library, paper) is None for library in libraries)

        matches = []
        for corpus in self.corpora.opened():
            for row in corpus.with_words(typed, limit):
                paper = corpus.index.paper(row)
                if is_new(paper):
                    matches.append(CorpusPaper(paper, corpus.name, corpus.index.records, row))
        for remote in self.corpora.remote():
            fetched = remote.with_words(typed, limit)
            papers = [paper for paper in fetched if is_new(paper)]
            papers = papers[: max(limit - len(matches), 0)]
            records = remote_records(remote.name, papers)
            matches += [
                CorpusPaper(paper, remote.name, record, 0)
                for paper, record in zip(papers, records, strict=True)
                if record is not None
            ]
        return matches[:limit]


def _papers(library: Library, keys: Sequence[str]) -> list[Paper]:
    entries = (library.get(key) for key in dict.fromkeys(keys))
    return [entry.paper for entry in entries if entry is not None]
