"""Print the recommendations for the places of a draft."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.corpus_names import REMOTE_SECONDS, addresses_in, expect_corpora
from cite_lsp.cli.arguments.project_settings import (
    build_recommender,
    expect_draft,
    project_settings,
    require_entries,
    warn_of_problems,
)
from cite_lsp.cli.printing.output import (
    SlowNotice,
    Stages,
    from_here,
    print_json,
    recommendation_record,
    say,
    warn,
)
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.display import shown
from cite_lsp.manuscript import Manuscript, Marker
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.paths import expanded
from cite_lsp.project.draft import Draft
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.folders import absolute
from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.recommend.missing.dismissed import Dismissals, dismissals_in, project_root
from cite_lsp.recommend.wording import describe
from cite_lsp.server.config.options import EVERY
from cite_lsp.server.render.cards import quoted

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

_PLACE = lazy_re(r"(?P<file>.+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?", re.DOTALL)
_NUMBERS = lazy_re(r"\d+(?::\d+)?")


def run(options: argparse.Namespace) -> int:
    """Print the recommendations."""
    named, line, column = _split_place(options.place)
    corpora = None if options.corpus is None else [name for name in options.corpus if name]
    choices = {"corpora": corpora, "translator": options.translator, "method": options.method}
    records = []

    def show(done: int, total: int) -> None:
        if total > 1:
            stages.show(f"{named.name}, places", done, total)

    with (
        closing(Stages()) as stages,
        _recommender_for(named, options.bibliography, **choices) as recommender,
    ):
        _require_papers(recommender, named, options.bibliography)
        for record, items in _suggestions(recommender, named, line, column, options.k, show):
            records.append(record)
            if not options.json:
                stages.clear()
                file = from_here(Path(record["file"])) if "file" in record else named
                say(f"{file}:{record['line']}:{record['column']}: {record['sentence']}")
                _print_items(items)
        semantic = recommender.semantic
    if options.json:
        print_json(_document(named, records, semantic=semantic))
    return 0


def suggest(
    draft: Path, line: int | None = None, column: int | None = None, limit: int = 10
) -> dict[str, Any]:
    """Return the recommendations for a place as JSON has them, `semantic` if they are by meaning.

    Line and column count from 1, in characters; without a line they are for all of the draft.
    `limit` is the number of papers. What is wrong with the draft goes to stderr.

    Raises:
        CommandError: nothing can be recommended there.
    """
    with _recommender_for(draft) as recommender:
        _require_papers(recommender, draft)
        records = [record for record, _ in _suggestions(recommender, draft, line, column, limit)]
        return _document(draft, records, semantic=recommender.semantic)


def _document(draft: Path, records: Sequence[dict[str, Any]], *, semantic: bool) -> dict[str, Any]:
    return {"file": str(draft.absolute()), "semantic": semantic, "places": records}


def _recommender_for(
    draft: Path,
    bibliographies: Sequence[Path] = (),
    *,
    corpora: Sequence[str] | None = None,
    translator: str | None = None,
    method: Sequence[str] | None = None,
) -> DraftRecommender:
    """Return the recommender for a draft, to be closed; what is None is as the settings have it."""
    here, _ = addresses_in(corpora or ())
    expect_corpora(name for name in here if name != EVERY)
    path = draft.absolute()  # first: the current folder may be gone
    expect_draft(draft)
    _, setup = project_settings(
        path, bibliographies, corpora=corpora, translator=translator, method=method
    )
    return build_recommender(evolve(setup, remote_wait=REMOTE_SECONDS), FilesOnDisk())


def _suggestions(
    recommender: DraftRecommender,
    named: Path,
    line: int | None,
    column: int | None,
    limit: int,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Iterator[tuple[dict[str, Any], Sequence[Recommendation]]]:
    """Yield places of a draft as JSON has them, and what is recommended there, when it is known.

    `progress` is called with how many places are done, and of how many.
    """
    path = named.absolute()
    draft = recommender.draft(path)
    places = _places(draft, named, line, column)
    if not places:
        warn(f"{named}: there is no sentence and no citation in it")
    with SlowNotice():
        recommender.prepare(path)
    recommender.adapt(path)
    dismissed = dismissals_in(project_root(path))
    parts = {part.path: part for part, _ in places}
    lines = {file: LineIndex(part.manuscript.text) for file, part in parts.items()}
    for number, (part, offset) in enumerate(places):
        progress(number, len(places))
        items = _recommend(recommender, part, offset, limit, dismissed)
        if line is not None:  # for all places of a thesis it would take minutes
            items = _with_passages(recommender, part, offset, items)
        record = _record(part.manuscript, lines[part.path], offset, items)
        if part is not draft:
            record = {"file": str(part.path), **record}
        yield record, items
    progress(len(places), len(places))


def _places(
    draft: Draft, named: Path, line: int | None, column: int | None
) -> list[tuple[Draft, int]]:
    """Return what is asked about: files of a draft, each as the opened one, with offsets.

    A file that only includes others stands for them. What needs no citation is asked about where
    there is nothing else.

    Raises:
        CommandError: nothing can be recommended at the line that is named.
    """
    if line is not None:
        return [(draft, _offset_named(named, draft.manuscript, line, column))]
    others = [draft.opened_at(file) for file in draft.project.read_in_by(draft.path)[1:]]
    for exempt, parts in product((False, True), ([draft], others)):
        places = [(part, at) for part in parts for at in _all_places(part.manuscript, exempt)]
        if places:
            return places
    return []


def _require_papers(
    recommender: DraftRecommender, named: Path, bibliographies: Sequence[Path] = ()
) -> None:
    """Make sure that there are papers to recommend; what else is wrong with a draft is reported."""
    draft = recommender.draft(named.absolute())
    read = {os.path.realpath(source.path): source for source in draft.library.bibliographies}
    for file in bibliographies:
        if file.is_file():
            continue  # what is wrong with one that is there leaves the papers of the others
        require_entries(file, read[os.path.realpath(absolute(file))])
    warn_of_problems(draft)
    if not draft.library.entries and not recommender.corpora.names():
        raise CommandError(
            f"{named}: no bibliography with entries belongs to this draft; name one in the "
            "draft (\\bibliography, \\addbibresource, bibliography:), in cite-lsp.toml or with "
            "--bibliography"
        )


def _recommend(
    recommender: DraftRecommender, draft: Draft, offset: int, limit: int, dismissed: Dismissals
) -> tuple[Recommendation, ...]:
    """Recommend as the server does: for the key at the cursor in a marker, else for the sentence.

    Before a key, papers are for this key, not for another to stand beside it. What was dismissed
    for a sentence is left out there.
    """
    completion = recommender.complete(draft, offset, limit=limit, ahead=False)
    if completion is not None:
        return completion.recommendations
    sentence = draft.manuscript.sentence_at(offset)
    unwanted = dismissed.keys(sentence.text) if sentence else frozenset()
    recommendations = recommender.recommend(draft, offset, limit=limit + len(unwanted))
    return tuple(item for item in recommendations if item.key not in unwanted)[:limit]


def _with_passages(
    recommender: DraftRecommender, draft: Draft, offset: int, items: Sequence[Recommendation]
) -> tuple[Recommendation, ...]:
    cited_for = CitedFor.at(draft, offset)
    return tuple(recommender.with_passages(item, cited_for) for item in items)


def _all_places(manuscript: Manuscript, exempt: bool) -> list[int]:
    """Return the offset of every marker and of every sentence without one, in reading order.

    Names and addresses, thanks, captions and the like are left out, unless they are `exempt`.
    """
    places = [_inside(marker) for marker in manuscript.markers if not marker.silent]
    bare = [sentence for sentence in manuscript.sentences if not sentence.citing]
    places += [sentence.start for sentence in bare if exempt or not is_exempt(manuscript, sentence)]
    return sorted(places)


def _offset_named(named: Path, manuscript: Manuscript, line: int, column: int | None) -> int:
    """Return the offset of a line and a column, both from 1, where something can be recommended.

    Raises:
        CommandError: there is no such line, or nothing in it that could cite.
    """
    lines = LineIndex(manuscript.text)
    if not 1 <= line <= len(lines):
        raise CommandError(f"{named}: line {line} is not in the file, which has {len(lines)}")
    offset = _offset(manuscript, lines, line - 1, column)
    if site_at(manuscript, offset) is None and not manuscript.sentence_at(offset):
        raise CommandError(f"{named}: there is no sentence and no citation in line {line}")
    return offset


def _offset(manuscript: Manuscript, lines: LineIndex, line: int, column: int | None) -> int:
    """Return the offset of a column from 1; without one the line's first marker or sentence."""
    start, end = lines.starts[line], lines.line_end(line)
    if column is not None:
        return min(start + column - 1, end)
    for marker in manuscript.markers:
        if start <= marker.start < end:
            return _inside(marker)
    text = manuscript.text[start:end]
    first = start + len(text) - len(text.lstrip())
    inside = (inner for inner in manuscript.sentences if inner.end > first and inner.start < end)
    sentence = next(inside, None)
    return max(first, sentence.start) if sentence else first


def _inside(marker: Marker) -> int:
    """Return the offset in a marker at which nothing is typed yet: where its first key starts."""
    starts: Iterator[int] = (start for start, _ in marker.lists)
    return marker.keys[0].start if marker.keys else next(starts, marker.end)


def _record(
    manuscript: Manuscript, lines: LineIndex, offset: int, recommendations: Sequence[Recommendation]
) -> dict[str, Any]:
    line, character = lines.position(offset, "utf-32")
    sentence = manuscript.sentence_at(offset)
    return {
        "line": line + 1,
        "column": character + 1,
        "sentence": readable_sentence(manuscript, sentence) if sentence else "",
        "recommendations": [recommendation_record(item) for item in recommendations],
    }


def _print_items(recommendations: Sequence[Recommendation]) -> None:
    for rank, item in enumerate(recommendations, 1):
        paper = shown(item.paper)
        named = short_name(item.paper if paper.authors else paper) or "(no title)"
        title = f": {paper.title}" if paper.authors and paper.title else ""
        retracted = " (retracted)" if paper.retracted else ""
        say(f"  {rank:2}. {item.key}  {named}{title}{retracted}")
        say(f"      {describe(item)}")
        for paragraph in quoted(item):
            say(f"      {paragraph}")
    print(flush=True)


def _split_place(place: str) -> tuple[Path, int | None, int | None]:
    """Split FILE:LINE:COLUMN; a file whose name ends in such numbers is itself.

    Raises:
        UsageError: the line or the column is no number.
    """
    whole = expanded(place)
    match = None if whole.exists() else _PLACE.fullmatch(place)
    if match is None:
        return whole, None, None
    for colon in re.finditer(":", place):
        rest = place[colon.end() :]
        if expanded(place[: colon.start()]).is_file() and not _NUMBERS.fullmatch(rest):
            raise UsageError(
                f"{place}: “{rest}” is no line and no line with a column; write FILE:LINE or"
                " FILE:LINE:COLUMN, numbers from 1"
            )
    line, column = match["line"], match["column"]
    return (
        expanded(match["file"]),
        int(line) if line else None,
        max(int(column), 1) if column else None,
    )
