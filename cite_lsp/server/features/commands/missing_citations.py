"""Missing citations as data: `citeLsp.missing` lists them, `citeLsp.dismiss` rules one out.

`citeLsp.missing` [uri, range?] returns the sentences that lack a citation, with the papers for
each and the position that the other commands take for it; `citeLsp.dismiss` and `citeLsp.restore`
[uri, position, key] store, for this project, that a paper is not wanted for the sentence there, or
take that back, and return whether that is news.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence
from cite_lsp.manuscript.model import Sentence
from cite_lsp.project.draft import Draft
from cite_lsp.server.edits.citation_places import CitationPlace, sentences_between
from cite_lsp.server.edits.gaps import dismissals, gaps_in
from cite_lsp.server.render.rows import row
from cite_lsp.server.rpc.commands import (
    DISMISS_COMMAND,
    MISSING_COMMAND,
    RESTORE_COMMAND,
    place_arguments,
    range_arguments,
)
from cite_lsp.server.session.progress import ReportProgress, answer_with_progress
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

if TYPE_CHECKING:
    from cite_lsp.recommend.missing.dismissed import Dismissals


def register(server: CiteServer) -> None:
    """Answer the commands."""

    @server.command(MISSING_COMMAND)
    async def missing_command(ls: CiteServer, *arguments: object) -> list[dict[str, Any]] | None:
        uri, place = range_arguments(arguments)
        return await answer_with_progress(
            ls,
            uri,
            "Looking for missing citations",
            lambda request, report: missing(request, place, report),
        )

    def keep(command: str, work: Callable[[Request, types.Position, str], bool]) -> None:
        @server.command(command)
        async def dismissal(ls: CiteServer, *arguments: object) -> bool:
            uri, position, key = place_arguments(arguments, None, str)
            news = bool(await ls.answer(uri, lambda request: work(request, position, key)))
            if news:
                for notify in ls.dismissals_changed:
                    notify(uri)
            return news

    keep(DISMISS_COMMAND, dismiss)
    keep(RESTORE_COMMAND, restore)


def missing(
    request: Request, place: types.Range | None, report: ReportProgress | None
) -> list[dict[str, Any]]:
    """Return what is missing in a range of the draft, or in all of it, in order."""
    draft = request.draft()
    rows = []
    sentences = None
    if place is not None:
        sentences = sentences_between(draft, request.offset(place.start), request.offset(place.end))
    for gap in gaps_in(request, draft, sentences, report=report):
        where = CitationPlace(draft, gap.marker, gap.sentence)
        insert = _within(draft, gap.sentence, where.citing_all(gap.chosen)[0].edit.start)
        rows.append(
            {
                "range": _plain(request.range(gap.sentence.start, gap.sentence.end)),
                "insert": _plain(request.range(insert, insert))["start"],
                "text": printable_line(readable_sentence(draft.manuscript, gap.sentence)),
                "confidence": round(gap.confidence, 4),
                "recommendations": [
                    row(recommendation, where.cited) for recommendation in gap.recommendations
                ],
            }
        )
    return rows


def _within(draft: Draft, sentence: Sentence, offset: int) -> int:
    """Return the offset by which commands find a sentence again that gets a citation at an offset.

    That is the offset; behind a full stop without a blank, where the next one begins, before it.
    """
    for place in (offset, offset - 1):
        sentence_there = draft.manuscript.sentence_at(place)
        if sentence_there is not None and sentence_there.start == sentence.start:
            return place
    return sentence.start


def dismiss(request: Request, position: types.Position, key: str) -> bool:
    """Store that a key is not wanted for the sentence at a position."""
    return _keep(request, position, lambda store, text: store.dismiss(text, key))


def restore(request: Request, position: types.Position, key: str) -> bool:
    """Take back that a key is not wanted for the sentence at a position."""
    return _keep(request, position, lambda store, text: store.restore(text, key))


def _keep(
    request: Request, position: types.Position, change: Callable[[Dismissals, str], bool]
) -> bool:
    # Imported where needed: a server starts without models.
    from cite_lsp.recommend.missing.dismissed import DismissalError

    sentence = request.draft().manuscript.sentence_at(request.offset(position))
    if sentence is None:
        return False
    try:
        return change(dismissals(request), sentence.text)
    except DismissalError as error:
        request.complain(str(error))
        return False


def _plain(place: types.Range) -> dict[str, dict[str, int]]:
    return {
        name: {"line": end.line, "character": end.character}
        for name, end in (("start", place.start), ("end", place.end))
    }
