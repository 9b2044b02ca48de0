"""What a draft as a whole should cite, as plain data: for views of editors, and for `--json`.

Positions are the protocol's, from 0. A paper has the fields of a recommendation (`rows.py`), and
its `id`, all its `reasons`, its `place`, and the commands that add its entry and cite it there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence
from cite_lsp.manuscript.lines import Encoding, LineIndex
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.server.render.cards import quoted
from cite_lsp.server.render.rows import cited_elsewhere_fields, row
from cite_lsp.server.rpc.commands import ADD_COMMAND, INSERT_COMMAND

if TYPE_CHECKING:
    from cite_lsp.recommend.references.missing_references import (
        DraftReferences,
        MissingReference,
        PlaceInDraft,
    )


@frozen
class Addresses:
    """How a reader of the document addresses places: the URI of a file, the unit of characters."""

    uri: Callable[[Path], str]
    encoding: Encoding = "utf-16"


def references_document(
    references: DraftReferences, path: Path, addresses: Addresses
) -> dict[str, Any]:
    """Return what a draft lacks as one document; `path` is its opened file."""
    completeness = references.completeness
    return {
        "uri": addresses.uri(path),
        "papers": references.papers,
        "groups": [
            {
                "name": printable_line(group.name),
                "papers": [_reference(item, path, addresses) for item in group.references],
            }
            for group in references.groups
        ],
        "completeness": {
            "nearest": completeness.nearest,
            "fewest": completeness.fewest,
            "cited": completeness.cited,
            "of": completeness.of,
            "missing": [
                {**_paper(item.recommendation), "citedBy": item.count}
                for item in completeness.missing
            ],
        },
    }


def _reference(item: MissingReference, path: Path, addresses: Addresses) -> dict[str, Any]:
    recommendation, place = item.recommendation, item.place
    where = _place(place, addresses) if place else None
    add = {"command": ADD_COMMAND, "arguments": [addresses.uri(path), recommendation.key]}
    cite = None
    if where is not None:
        position = {"line": where["line"], "character": where["character"]}
        arguments = [where["uri"], position, recommendation.key]
        cite = {"command": INSERT_COMMAND, "arguments": arguments}
    return {
        **_paper(recommendation),
        "citedElsewhere": cited_elsewhere_fields(recommendation.cited_elsewhere) or None,
        "abstractSentence": recommendation.abstract_sentence,
        "quoted": printable_line(" ".join(quoted(recommendation))),
        "place": where,
        "add": None if recommendation.entry else add,
        "cite": cite,
    }


def _paper(recommendation: Recommendation) -> dict[str, Any]:
    # Imported where needed: a server starts without models.
    from cite_lsp.recommend.wording import phrases_of

    fields = row(recommendation)
    del fields["cited"]
    return {
        **fields,
        "id": recommendation.paper.id,
        "reasons": [printable_line(phrase) for phrase in phrases_of(recommendation)],
    }


def _place(place: PlaceInDraft, addresses: Addresses) -> dict[str, Any]:
    lines = LineIndex(place.manuscript.text)
    line, character = lines.position(place.sentence.start, addresses.encoding)
    return {
        "uri": addresses.uri(place.path),
        "line": line,
        "character": character,
        "section": printable_line(place.section),
        "sentence": printable_line(readable_sentence(place.manuscript, place.sentence)),
    }
