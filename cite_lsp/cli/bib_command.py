"""Work on bibliographies: the entries that drafts cite, works that are in twice, false entries.

With --cited-only, FILE is a draft: the entries that it cites are printed as they stand in its
bibliographies, with the entries, macros and comments that belong to them. The exit status is 1
where a key that it cites has no entry.

With --duplicates, FILE is a .bib file, or a draft that names some: entries that are one work under
several keys are listed, and the exit status is 1 where there are any. An editor can merge them.

With --format, FILE is a .bib file, which is printed with its fields aligned and in order; with
--sort its entries are in the order of their keys, too.

With --verify, FILE is as for --duplicates: entries whose title, authors or year a corpus of this
machine contradicts under their DOI or arXiv number are listed, and those that no corpus knows. The
exit status is 1 where an entry is contradicted.

With --from, the entry of a work that a corpus of this machine has is printed, in the style of the
.bib file FILE if one is given.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.bib.cited_only import cited_only
from cite_lsp.cli.bib.files import write_result
from cite_lsp.cli.bib.findings import findings_of
from cite_lsp.cli.bib.formatting import formatted
from cite_lsp.cli.bib.from_corpus import entry_from_corpus
from cite_lsp.cli.output import warn
from cite_lsp.library.text.visible import printable
from cite_lsp.option_types import add_paths
from cite_lsp.paths import corpora_folder, expanded
from cite_lsp.search.corpus.index import list_corpora

if TYPE_CHECKING:
    from cite_lsp.cli.checking.report import ReportedFinding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files", nargs="*", type=expanded, metavar="FILE", help="drafts, or .bib files"
    )
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument(
        "--cited-only",
        action="store_true",
        help="print the entries that the drafts cite, byte for byte, with what these need",
    )
    action.add_argument(
        "--duplicates", action="store_true", help="list the works that are in under several keys"
    )
    action.add_argument(
        "--format", action="store_true", help="print a .bib file with its fields aligned, in order"
    )
    action.add_argument(
        "--verify", action="store_true", help="list the entries that a corpus contradicts"
    )
    action.add_argument(
        "--from",
        dest="work",
        metavar="WORK",
        help="print the entry of a work by its DOI, arXiv number or title",
    )
    parser.add_argument(
        "--sort", action="store_true", help="with --format: entries in the order of their keys"
    )
    add_paths(
        parser, "--bibliography", "-b", help="a bibliography beside those that the drafts name"
    )
    parser.add_argument(
        "--output", "-o", type=expanded, metavar="FILE", help="write to this file (standard output)"
    )


def run(options: argparse.Namespace) -> int:
    """Do what is asked for; 1 where something is found or missing, else 0."""
    if options.sort and not options.format:
        raise UsageError("--sort belongs to --format; add that or leave it out")
    if options.work is not None:
        return _from_corpus(options)
    if not options.files:
        raise UsageError("no FILE is given; name a draft or a .bib file")
    if options.format:
        return _format(options)
    if options.duplicates:
        return 1 if _report(options, "duplicate-work") else 0
    if options.verify:
        return _verify(options)
    return _cited_only(options)


def _report(options: argparse.Namespace, rule: str) -> list[ReportedFinding]:
    if options.output is not None:
        raise UsageError("--output is for --cited-only and --format; leave it out")
    findings = findings_of(options.files, rule, options.bibliography)
    for finding in findings:
        print(*map(printable, finding.text_lines()), sep="\n")
    return findings


def _verify(options: argparse.Namespace) -> int:
    if not list_corpora(corpora_folder()):
        raise CommandError("no corpus has been indexed; build one with `cite-lsp index SOURCE`")
    findings = _report(options, "unverified-entry")
    contradicted = sum(finding.severity != "hint" for finding in findings)
    warn(f"{contradicted} contradicted, {len(findings) - contradicted} not found")
    return 1 if contradicted else 0


def _cited_only(options: argparse.Namespace) -> int:
    content, complete = cited_only(options.files, options.bibliography, options.output)
    write_result(content, options.output)
    return 0 if complete else 1


def _format(options: argparse.Namespace) -> int:
    if options.bibliography:
        raise UsageError("--bibliography is for drafts; leave it out")
    if len(options.files) > 1:
        raise UsageError("--format takes one file at a time")
    (path,) = options.files
    write_result(formatted(path, sort=options.sort), options.output)
    return 0


def _from_corpus(options: argparse.Namespace) -> int:
    if len(options.files) > 1 or options.bibliography or options.output is not None:
        raise UsageError("--from takes no more than the .bib file that the entry is for")
    print(printable(entry_from_corpus(options.work, next(iter(options.files), None))), end="")
    return 0
