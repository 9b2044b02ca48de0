"""Build or update a corpus from files, folders and globs.

They hold BibTeX, or JSON Lines of papers (plain, .gz or .zst). An interrupted run goes on where it
was when the same command is given again.
"""

from __future__ import annotations

import argparse
import glob
import os
import re
import time
from pathlib import Path

from cite_lsp.cli import CommandError
from cite_lsp.cli.output import Problems, Stages, positive, print_json

_NAME = re.compile(r"\w[\w.-]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help="file, folder or glob")
    parser.add_argument("--corpus", default="papers", metavar="NAME", help="its name (papers)")
    parser.add_argument("--encoder", default="default", help="name or folder of the encoder")
    parser.add_argument("--engine", choices=["usearch"], default="usearch", help="vector search")
    parser.add_argument(
        "--max-tokens",
        type=positive,
        default=128,
        metavar="N",
        help="where titles and abstracts are cut for the encoder (128)",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(options: argparse.Namespace) -> int:
    """Build the corpus and print a summary."""
    from cite_lsp.corpus.records import RecordError
    from cite_lsp.corpus.sources import find_files, merge_papers, read_source
    from cite_lsp.encode import EncoderError, load_encoder
    from cite_lsp.paths import corpora_folder
    from cite_lsp.search.corpus_index import build_corpus
    from cite_lsp.search.vectors import SearchIndexError

    if not _NAME.fullmatch(options.corpus):
        raise CommandError(f"--corpus {options.corpus!r}: not a name; use letters and digits")
    problems = Problems()
    started = time.monotonic()
    stages = Stages()
    try:
        files = find_files(expand(options.sources))
        encoder = load_encoder(
            options.encoder, threads=os.cpu_count() or 1, max_tokens=options.max_tokens
        )
        papers = (paper for file in files for paper in read_source(file, problems.add))
        corpus = build_corpus(
            corpora_folder() / options.corpus,
            merge_papers(papers),
            encoder,
            sources=[str(file.absolute()) for file in files],
            stage=stages.show,
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
