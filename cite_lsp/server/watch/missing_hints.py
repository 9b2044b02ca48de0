"""Hints at sentences that may lack a citation, where the writer wants them.

Looking for them ranks papers for many sentences, so it is done in the background, when a draft is
opened or saved or, by setting, after a pause in the typing. What was found is kept by the words of
the sentence: it stays where its sentence goes, and ends when that cites.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from cite_lsp.rules.findings import Finding, Hint, Offer
from cite_lsp.server.edits.citation_places import cited_until, paragraph_of
from cite_lsp.server.features.missing_citations import gaps_in
from cite_lsp.server.render import cards
from cite_lsp.server.session.progress import Report
from cite_lsp.server.session.request import Request, is_bibliography
from cite_lsp.server.session.server import CiteServer

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.missing.gaps import Gap

logger = logging.getLogger(__name__)

PAUSE = 1.5
"""Seconds without an edit after which a draft is looked through while it is being typed."""


class Hinting:
    """Looks through drafts in the background, the last request for one counting."""

    def __init__(self, server: CiteServer, changed: Callable[[str], None]) -> None:
        """Take the server, and what is to be called when a draft has other hints than before."""
        self._server = server
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def opened_or_saved(self, uri: str) -> None:
        """Look through a draft, unless hints are off."""
        if self._wanted(uri) != "off":
            self._want(uri, 0.0)

    def typed(self, uri: str) -> None:
        """Look through a draft after a pause, where hints are wanted while typing."""
        if self._wanted(uri) == "onType":
            self._want(uri, PAUSE)

    def forget(self, uri: str) -> None:
        """Forget a draft that was closed."""
        self._stop(uri)
        self._server.hinted.pop(uri, None)

    def renew(self) -> None:
        """Look through all drafts again, or forget all hints where they are now off."""
        for document in self._server.documents:
            if self._wanted(document.uri) == "off":
                self.forget(document.uri)
            else:
                self._want(document.uri, 0.0)

    def _wanted(self, uri: str) -> str:
        """Return when hints are wanted in a document."""
        document = self._server.documents.get(uri)
        return self._server.options_for(document.path).missing.hints if document else "off"

    def _want(self, uri: str, after: float) -> None:
        document = self._server.documents.get(uri)
        if document is None or is_bibliography(document.path):
            return
        self._stop(uri)
        self._tasks[uri] = asyncio.create_task(self._look(uri, after))

    def _stop(self, uri: str) -> None:
        if task := self._tasks.pop(uri, None):
            task.cancel()

    async def _look(self, uri: str, after: float) -> None:
        await asyncio.sleep(after)
        try:
            found = await self._server.prepare(uri, hints)
        except Exception:
            # Nobody awaits this task: what failed is said here or nowhere.
            logger.exception("%s could not be looked through for missing citations", uri)
            return
        if found is not None and found != self._server.hinted.get(uri):
            self._server.hinted[uri] = found
            self._changed(uri)


def hints(request: Request, report: Report | None = None) -> dict[str, Hint]:
    """Return what is to be said of the sentences of a draft, by their plain text."""
    found: dict[str, Hint] = {}
    draft = request.draft()
    for gap in gaps_in(request, draft, None, report=report):
        found.setdefault(gap.sentence.text, _hint(draft, gap))
    return found


def hint_findings(
    draft: Draft, known: Mapping[str, Hint], cancelled: Callable[[], bool]
) -> Iterator[Finding]:
    """Yield the findings for the sentences that hints are known of, as the draft stands now.

    Those at a marker that waits for a key, and is printed, are of the rule `empty-citation`. A
    paper that its paragraph has cited before, or that a hint has named there, is not named again.
    """
    from cite_lsp.project.draft import empty_keys_of, open_to_citation, waiting_in
    from cite_lsp.recommend.missing.gaps import RULE

    if not known:
        return
    named: dict[int, set[str]] = {}
    for sentence in draft.manuscript.sentences:
        if cancelled():
            return
        hint = known.get(sentence.text)
        if hint is None or not open_to_citation(draft, sentence):
            continue
        keys = {one.key for one in hint.offers}
        paragraph = paragraph_of(draft, sentence)
        before = cited_until(draft, sentence) | named.setdefault(paragraph, set())
        if before.isdisjoint(keys):
            named[paragraph] |= keys
            waiting = waiting_in(draft, sentence)
            waiting = waiting[hint.marker or 0 :] or waiting[-1:]
            at = waiting[0] if waiting else sentence
            empty = bool(waiting) and any(empty_keys_of(draft, waiting[0]))
            missing = "empty citation" if empty else "a citation may be missing here"
            yield Finding(
                "empty-citation" if empty else RULE,
                draft.path,
                at.start,
                at.end,
                f"{missing}: {hint.names}?",
                "warning" if empty else "hint",
                offers=hint.offers,
                said=sentence.text,
                sentence=(sentence.start, sentence.end),
            )


def _hint(draft: Draft, gap: Gap) -> Hint:
    from cite_lsp.project.draft import waiting_in

    names = ", ".join(cards.headline(one.paper) for one in gap.chosen)
    offers = tuple(Offer(one.key, one.paper.title) for one in gap.chosen)
    waiting = waiting_in(draft, gap.sentence)
    return Hint(names, offers, None if gap.marker is None else waiting.index(gap.marker))
