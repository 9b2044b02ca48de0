"""Build or update a corpus from files, folders and globs.

Their format is told by their content. New and changed papers of a source are taken in, those that
it no longer has go; papers of other sources stay. Without a source all that were named before are
read again. An interrupted run goes on where it was when the same command is given again.
"""

from __future__ import annotations

import argparse
import glob
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError
from cite_lsp.cli.cluster_options import add_cluster_arguments, on_cluster
from cite_lsp.cli.output import Problems, Stages, positive, print_json, warn

if TYPE_CHECKING:
    from cite_lsp.search.corpus_update import Plan

_NAME = re.compile(r"\w[\w.-]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("sources", metavar="SOURCE", nargs="*", help="file, folder or glob")
    parser.add_argument("--corpus", default="papers", metavar="NAME", help="its name (papers)")
    parser.add_argument("--encoder", default="default", help="name or folder of the encoder")
    add_cluster_arguments(parser)
    parser.add_argument(
        "--max-tokens",
        type=positive,
        default=128,
        metavar="N",
        help="where titles and abstracts are cut for the encoder (128)",
    )
    parser.add_argument(
        "--replace", action="store_true", help="forget the papers of all other sources"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(options: argparse.Namespace) -> int:
    """Build the corpus and print a summary."""
    from cite_lsp.cli.remote_index import index_remote, wants_remote
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.corpus.sources import find_files, read_works
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.paths import corpora_folder
    from cite_lsp.search.corpus_index import current_version
    from cite_lsp.search.corpus_update import update_corpus
    from cite_lsp.search.vectors import SearchIndexError

    if wants_remote(options):
        return index_remote(options)
    if not _NAME.fullmatch(options.corpus):
        raise CommandError(f"--corpus {options.corpus!r}: not a name; use letters and digits")
    folder = corpora_folder() / options.corpus
    if not options.sources and current_version(folder) is None:
        warn("usage: cite-lsp index SOURCE… [--corpus NAME]")
        warn("cite-lsp index: error: name a SOURCE; there is no corpus yet to read again")
        return 2
    problems = Problems()
    started = time.monotonic()
    stages = Stages()
    try:
        files = find_files(expand(options.sources) or _sources_before(folder))
        encoder = on_cluster(
            options,
            load_encoder(
                options.encoder, threads=os.cpu_count() or 1, max_tokens=options.max_tokens
            ),
        )
        corpus = update_corpus(
            folder,
            [str(file.absolute()) for file in files],
            lambda name: read_works(Path(name), problems.add),
            encoder,
            replace=options.replace,
            stage=stages.show,
            announce=lambda plan: _announce(plan, stages),
        )
    except (RecordError, EncoderError, SearchIndexError) as error:
        raise CommandError(str(error)) from error
    finally:
        stages.close()
        problems.close()
    seconds = time.monotonic() - started
    summary = {
        "corpus": options.corpus,
        "papers": len(corpus),
        "with_abstract": int(corpus.has_abstract.sum()),
        "files": len(files),
        "bad_records": problems.count,
        "encoder": encoder.name,
        "seconds": round(seconds, 1),
        "folder": str(corpus.folder),
    }
    if options.json:
        print_json(summary)
    else:
        print(
            f"{options.corpus}: {len(corpus):,} papers ({summary['with_abstract']:,} with an "
            f"abstract) from {len(files)} file(s), {problems.count} bad record(s), encoder "
            f"{encoder.name}, {seconds:.0f} s, in {corpus.folder}"
        )
    return 0


def _sources_before(folder: Path) -> list[Path]:
    """Return the sources that a corpus was built from, as far as they still exist.

    Raises:
        CommandError: there is no such corpus, or none of its sources is left.
    """
    from cite_lsp.search.corpus_index import CorpusIndex
    from cite_lsp.search.vectors import SearchIndexError

    try:
        named = CorpusIndex(folder).manifest.sources
    except SearchIndexError as error:
        raise CommandError(f"name a SOURCE to index: {error}") from error
    found = [path for path in map(Path, named) if path.exists()]
    if not found:
        raise CommandError(f"{folder.name}: none of its sources exists any more; name a SOURCE")
    return found


def _announce(plan: Plan, stages: Stages) -> None:
    stages.close()
    warn(
        f"{plan.papers:,} records read; needs up to {plan.bytes_needed / 1e6:,.0f} MB on disk, "
        f"{plan.bytes_free / 1e6:,.0f} MB are free"
    )


def expand(sources: list[str]) -> list[Path]:
    """Expand globs that the shell left alone; a path that exists is itself.

    Raises:
        CommandError: a pattern matches nothing.
    """
    paths: list[Path] = []
    for source in sources:
        path = Path(source).expanduser()
        if path.exists() or not glob.has_magic(source):
            paths.append(path)
            continue
        found = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
        if not found:
            raise CommandError(f"{source}: matches no file; check the pattern")
        paths += found
    return paths
