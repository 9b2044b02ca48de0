"""List, check and export the corpora."""

from __future__ import annotations

import argparse
import functools
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import asdict

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.arguments.corpus_names import NO_CORPUS, addresses_in, expect_corpora
from cite_lsp.cli.printing.output import counted, print_json, say, size, warn
from cite_lsp.paths import corpora_folder
from cite_lsp.search.corpus.corpus_index import (
    CorpusIndex,
    corpus_folders,
    list_corpora,
)
from cite_lsp.search.indexing.check import CorpusCheck, check_corpus
from cite_lsp.search.indexing.export import export_corpus
from cite_lsp.search.milvus.check import RemoteCheck, RemoteState, check_remote, remote_state
from cite_lsp.search.remote.address import RemoteAccess
from cite_lsp.search.vectors.vector_index import SearchIndexError


def run(options: argparse.Namespace) -> int:
    """Print a line for every corpus; 1 if one is damaged."""
    if options.action == "export":
        return _export(options)
    if options.out is not None:
        raise UsageError("--out is where `corpora export` writes to; leave it out")
    return _check(options) if options.action == "check" else _list(options)


def _list(options: argparse.Namespace) -> int:
    names, addresses = addresses_in(options.names)
    expect_corpora(names)
    corpora: list[CorpusIndex | SearchIndexError] = []
    if names or not addresses:
        corpora += list_corpora(corpora_folder(), names or None)
    whole = [corpus for corpus in corpora if not isinstance(corpus, SearchIndexError)]
    damaged = [str(corpus) for corpus in corpora if isinstance(corpus, SearchIndexError)]
    if not options.json:
        for corpus in whole:
            say(_line(corpus))
        for message in damaged:
            say(f"damaged: {message}")
    states = []
    for address in addresses:
        states.append(remote_state(address, RemoteAccess.from_environment()))
        if not options.json:
            say(_remote_line(states[-1]))
    if options.json:
        print_json(
            {
                "folder": str(corpora_folder()),
                "corpora": [
                    asdict(corpus.manifest)
                    | {
                        "folder": str(corpus.folder),
                        "bytes": size_of(corpus.folder),
                        "citations": _references(corpus),
                    }
                    for corpus in whole
                ],
                "damaged": damaged,
                "remote": [_remote_record(state) for state in states],
            }
        )
    elif not corpora and not states:
        print(f"no corpora in {corpora_folder()}; build one with `cite-lsp index SOURCE`")
    return 1 if damaged or any(state.fault for state in states) else 0


def _line(corpus: CorpusIndex) -> str:
    about = corpus.manifest
    references = _references(corpus)
    holds = counted(about.papers, "paper")
    holds += f", {counted(references, 'citation')}" if references else ""
    room = size(size_of(corpus.folder))
    return f"{about.name}: {holds}, encoder {about.encoder}, {room}, {corpus.folder}"


def _check(options: argparse.Namespace) -> int:
    root = corpora_folder()
    names, addresses = addresses_in(options.names)
    expect_corpora(names)
    folders = [root / name for name in names] or ([] if addresses else corpus_folders(root))
    if not folders and not addresses:
        raise CommandError(NO_CORPUS)
    checks: list[CorpusCheck] = []
    for folder in folders:
        checks.append(check_corpus(folder, functools.partial(_report_step, folder.name)))
        if not options.json:
            _print_check(checks[-1])
    remote = []
    for address in addresses:
        _report_step(address.collection, "asking its server")
        remote.append(check_remote(address, RemoteAccess.from_environment()))
        if not options.json:
            for line in _remote_check_lines(remote[-1]):
                say(line)
    if options.json:
        corpora = [asdict(check) | {"recall": _rounded(check.recall)} for check in checks]
        print_json({"corpora": corpora, "remote": [_remote_record(check) for check in remote]})
    return 1 if _faulty(checks) or _faulty(remote) else 0


def _faulty(checks: Sequence[CorpusCheck] | Sequence[RemoteCheck]) -> bool:
    return any(check.faults for check in checks)


def _print_check(check: CorpusCheck) -> None:
    recall = "" if math.isnan(check.recall) else f", recall@10 {check.recall:.3f}"
    state = "whole" if not check.faults else "damaged"
    say(f"{check.name}: {state}, {counted(check.papers, 'paper')}{recall}")
    for fault in check.faults:
        say(f"  {fault}")


def _export(options: argparse.Namespace) -> int:
    if len(options.names) != 1 or options.out is None:
        raise UsageError("name one corpus and a folder: cite-lsp corpora export NAME --out DIR")
    names, addresses = addresses_in(options.names)
    if addresses:
        raise CommandError(f"{addresses[0].place}: only a corpus of this machine can be exported")
    expect_corpora(names)
    name = names[0]
    exported = export_corpus(CorpusIndex(corpora_folder() / name), options.out)
    if options.json:
        print_json(asdict(exported) | {"corpus": name, "folder": str(options.out)})
    else:
        say(
            f"{name}: {counted(exported.papers, 'paper')}, "
            f"{counted(exported.citations, 'citation')}, "
            f"{counted(exported.contexts, 'context')}, in {options.out}"
        )
    return 0


def _report_step(name: str, step: str) -> None:
    warn(f"{name}: {step} …")


def _references(corpus: CorpusIndex) -> int:
    """Return how many citations a corpus has, 0 where they are damaged: `check` reports that."""
    try:
        return len(corpus.references or ())
    except SearchIndexError:
        return 0


def _remote_line(state: RemoteState) -> str:
    if state.fault:
        return f"{state.name}: not reachable after {_seconds(state.seconds)}: {state.fault}"
    words = "" if state.words else ", found by vectors only"
    return (
        f"{state.name}: {counted(state.papers, 'paper')}, encoder {state.encoder}{words}, answered "
        f"in {_seconds(state.seconds)}, {state.address}"
    )


def _remote_check_lines(check: RemoteCheck) -> Iterator[str]:
    if check.state.fault:
        yield _remote_line(check.state)
        return
    recall = "" if math.isnan(check.recall) else f", {check.recall:.0%} of a sample found"
    took = "" if math.isnan(check.question) else f", {_seconds(check.question)} a question"
    state = "damaged" if check.faults else "whole"
    yield (
        f"{check.state.name}: {state}, {counted(check.counted, 'paper')}{recall}, answered in "
        f"{_seconds(check.state.seconds)}{took}"
    )
    for fault in check.faults:
        yield f"  {fault}"


def _remote_record(result: RemoteState | RemoteCheck) -> dict[str, Any]:
    record = asdict(result)
    record |= record.pop("state", {})
    return {name: _rounded(value) for name, value in record.items()}


def _rounded(value: Any) -> Any:  # noqa: ANN401 - of a record, whatever it holds
    """Return a number as JSON has it: four places, and null where there is none."""
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else round(value, 4)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder, from which a build may be taking some away."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                size += os.stat(os.path.join(place, name)).st_size
    return size
