"""Print what a draft as a whole should cite and does not."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.corpus_names import addresses_in, expect_corpora
from cite_lsp.cli.arguments.options import LIMIT
from cite_lsp.cli.arguments.project_settings import (
    build_recommender,
    expect_bibliography,
    expect_draft,
    project_settings,
    warn_of_problems,
)
from cite_lsp.cli.printing.output import (
    SlowNotice,
    counted,
    from_here,
    print_json,
    reporting,
    say,
    warn,
)
from cite_lsp.cli.printing.output_files import files_of, refuse_inputs, write_output
from cite_lsp.cli.printing.references_page import references_page
from cite_lsp.encode.encoder import well_formed
from cite_lsp.library.text.invisible_characters import printable
from cite_lsp.library.write.bibtex_style import BibtexHabits, bibtex_habits, bibtex_record
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence
from cite_lsp.project.draft import Draft
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.references.find import find_references
from cite_lsp.recommend.references.missing_references import (
    Completeness,
    DraftReferences,
    MissingReference,
)
from cite_lsp.recommend.wording import describe
from cite_lsp.server.config.options import EVERY
from cite_lsp.server.render.cards import line, quoted
from cite_lsp.server.render.references_document import Addresses, references_document

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

_WIDTH = 96
_MISSING_NAMED = 10


def run(options: argparse.Namespace) -> int:
    """Print what the draft lacks."""
    corpora = None if options.corpus is None else [name for name in options.corpus if name]
    draft, result = _find(
        options.file, options.k, options.bibliography, corpora, output=options.html
    )
    if options.json:
        print_json(_document(draft, result))
    elif options.html:
        page = references_page(_document(draft, result), draft.document.title or draft.path.name)
        write_output(options.html, well_formed(page))
    elif options.bibtex:
        _print_entries(draft, result)
    else:
        _print(result)
    return 0


def references(file: Path, limit: int = LIMIT) -> dict[str, Any]:
    """Return up to `limit` papers that a draft lacks, as JSON has them; progress goes to stderr.

    Raises:
        CommandError: the draft cannot be read, or there is nothing to choose from.
    """
    return _document(*_find(file, limit))


def _document(draft: Draft, result: DraftReferences) -> dict[str, Any]:
    return references_document(result, draft.path, Addresses(lambda file: file.as_uri()))


def _find(
    file: Path,
    limit: int,
    bibliographies: Sequence[Path] = (),
    corpora: Sequence[str] | None = None,
    output: Path | None = None,
) -> tuple[Draft, DraftReferences]:
    """Find what a draft lacks; corpora None are as the settings have them.

    `output` is the file to be written, which must be none that is read.
    """
    path = file.absolute()  # first: the current folder may be gone
    expect_draft(file)
    for bibliography in bibliographies:
        expect_bibliography(bibliography)
    here, remote = addresses_in(corpora or ())
    if remote:
        raise UsageError(f"--corpus {remote[0]}: only corpora on this machine take part")
    expect_corpora(name for name in here if name != EVERY)
    _, setup = project_settings(path, bibliographies, corpora=corpora)
    setup = evolve(setup, corpora=_on_this_machine(setup.corpora))
    with build_recommender(setup, FilesOnDisk()) as recommender:
        return _references(recommender, file, limit, output)


def _references(
    recommender: DraftRecommender, file: Path, limit: int, output: Path | None
) -> tuple[Draft, DraftReferences]:
    draft = recommender.draft(file.absolute())
    refuse_inputs(output, files_of(draft))
    warn_of_problems(draft)
    if not draft.library.entries and not recommender.corpora.names():
        raise CommandError(
            f"{file}: there is nothing to choose from: no bibliography with entries belongs"
            " to this draft, and no corpus is indexed; build one with `cite-lsp index`"
        )
    with SlowNotice():
        recommender.prepare(draft.path)
    with reporting() as (stages, _):
        result = find_references(
            recommender,
            draft,
            limit=limit,
            progress=lambda done, total: stages.show("steps", done, total),
        )
    if not result.groups:
        warn(_nothing(file, result))
    return draft, result


def _on_this_machine(corpora: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if corpora is None else tuple(addresses_in(corpora)[0])


def _nothing(file: Path, result: DraftReferences) -> str:
    if not result.papers:
        return (
            f"{file}: it cites every entry of its bibliographies, and no corpus takes part; build"
            " one with `cite-lsp index` to have papers that are in none of them"
        )
    return f"{file}: none of {counted(result.papers, 'paper')} is near to it"


def _print(result: DraftReferences) -> None:
    for number, group in enumerate(result.groups):
        if number:
            print()
        say(group.name)
        for item in group.references:
            _print_reference(item)
    _print_completeness(result.completeness)


def _print_reference(item: MissingReference) -> None:
    recommendation, place = item.recommendation, item.place
    say(f"  {recommendation.key}  {line(recommendation.paper)}")
    say(f"      {describe(recommendation)}")
    for paragraph in quoted(recommendation):
        say(f"      {paragraph}")
    if place is not None:
        number = place.manuscript.text.count("\n", 0, place.sentence.start) + 1
        where = f"{from_here(place.path)}:{number}"
        section = f", {place.section}" if place.section else ""
        shown = readable_sentence(place.manuscript, place.sentence)
        sentence = textwrap.shorten(shown, _WIDTH, placeholder=" …")
        say(f"      {where}{section}: {sentence}")


def _print_completeness(completeness: Completeness) -> None:
    if not completeness.of:
        return
    print(
        f"\n{completeness.cited} of the {counted(completeness.of, 'paper')} that at least"
        f" {completeness.fewest} of the {completeness.nearest} papers nearest to this draft cite"
        f" {'is' if completeness.cited == 1 else 'are'} cited here"
    )
    for common in completeness.missing[:_MISSING_NAMED]:
        recommendation = common.recommendation
        say(
            f"  missing, cited by {common.count}: {recommendation.key}"
            f"  {line(recommendation.paper)}"
        )
    if len(completeness.missing) > _MISSING_NAMED:
        print(f"  … and {len(completeness.missing) - _MISSING_NAMED:,} more")


def _print_entries(draft: Draft, result: DraftReferences) -> None:
    listed = [item.recommendation for group in result.groups for item in group.references]
    new = [recommendation for recommendation in listed if recommendation.entry is None]
    if listed and not new:
        warn(f"{draft.path.name}: no entry to add: the library has each of the papers listed")
    habits = _habits(draft)
    for recommendation in new:
        print(printable(bibtex_record(recommendation.paper, recommendation.key, habits)))


def _habits(draft: Draft) -> BibtexHabits:
    """Return the style of the draft's first .bib file with entries."""
    for bibliography in draft.bibliographies:
        if bibliography.entries and bibliography.path.suffix == ".bib":
            text = bibliography.path.read_text(encoding="utf-8", errors="replace")
            return bibtex_habits(text, bibliography.entries)
    return BibtexHabits()
