"""The findings about documents, until anything that they depend on has changed.

The client asks for diagnostics, the server looks unasked, and every move of the cursor asks for
actions: all want the findings of the same state of a document.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

from attrs import frozen

from cite_lsp.library.load.read import stamps
from cite_lsp.rules.findings import Finding, Hint
from cite_lsp.server.config.options import Options
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.storage.stamps import Stamp

if TYPE_CHECKING:
    from cite_lsp.library.entries import Bibliography
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.server.session.documents import Document

MOMENT = 0.25
"""Seconds for which findings of a bibliography count: they depend on all drafts of a workspace."""
_MOST_DOCUMENTS = 8

Findings = tuple[Finding, ...]


class _Examined(Protocol):
    """What is examined: the document of a `Request`."""

    @property
    def path(self) -> Path: ...
    @property
    def snapshot(self) -> Mapping[Path, Document]: ...
    @property
    def options(self) -> Options: ...
    @property
    def hints(self) -> Mapping[str, Hint]: ...
    @property
    def cancelled(self) -> Callable[[], bool]: ...
    @property
    def recommender(self) -> DraftRecommender: ...
    @property
    def is_bibliography(self) -> bool: ...
    def draft(self) -> Draft: ...
    def bibliography(self) -> Bibliography: ...


@frozen
class _State:
    """What findings depend on: the open documents, the settings, the hints, the draft read.

    `read` are weak references to its project, its library and the corpora: a change makes others.
    """

    snapshot: int
    options: Options
    hints: Mapping[str, Hint]
    read: tuple[ref[Any], ...]


@frozen(eq=False)
class _CachedFindings:
    state: _State
    snapshot: object
    files: tuple[tuple[Path, tuple[Stamp, ...]], ...]
    until: float
    findings: Findings


class RecentFindings:
    """The findings of the documents that were examined last. Thread-safe."""

    def __init__(self) -> None:
        self._cached: LastUsed[Path, _CachedFindings] = LastUsed(_MOST_DOCUMENTS)
        self._turns: Turns[Path] = Turns()

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop the findings of other documents than these."""
        self._cached.forget_unless(paths.__contains__)

    def of(self, request: _Examined, examine: Callable[[], Findings]) -> Findings:
        """Return the findings of the document of a request; `examine` finds them where need be.

        A request for them during an examination waits for its findings.
        """
        with self._turns.of(request.path):
            state = _state_of(request)
            known = self._cached.get(request.path)
            if known is not None and known.state == state and _holds(known):
                return known.findings
            findings = examine()
            if not request.cancelled():  # else they may be no more than the first of them
                self._cached.keep(request.path, _cacheable(request, state, findings))
            return findings


def _state_of(request: _Examined) -> _State:
    recommender = request.recommender
    if request.is_bibliography:
        read: tuple[object, ...] = (request.bibliography(),)
    else:
        draft = request.draft()
        read = draft.project, draft.library
    return _State(
        id(request.snapshot),
        request.options,
        request.hints,
        tuple(
            ref(dependency) for dependency in (recommender, *read, *recommender.corpora.searched())
        ),
    )


def _cacheable(request: _Examined, state: _State, findings: Findings) -> _CachedFindings:
    own = set(request.snapshot)
    if not request.is_bibliography:
        draft = request.draft()
        own.update(path for path, _ in draft.project.files)
        own.update(bibliography.path for bibliography in draft.library.bibliographies)
    others = dict.fromkeys(finding.path for finding in findings if finding.path not in own)
    lasting = not request.is_bibliography
    return _CachedFindings(
        state,
        request.snapshot,  # so that no other gets its id
        tuple((path, stamps(path)) for path in others),
        float("inf") if lasting else time.monotonic() + MOMENT,
        findings,
    )


def _holds(cached: _CachedFindings) -> bool:
    """Whether time has not run out, and the other files that findings stand in are the same."""
    return time.monotonic() <= cached.until and all(
        stamps(path) == before for path, before in cached.files
    )
