"""`cite-lsp index --engine milvus`: a corpus on a server that everyone in the building shares."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from cite_lsp.cli import UsageError
from cite_lsp.cli.arguments.options import AUTO, MAX_TOKENS
from cite_lsp.cli.indexing.cluster import on_cluster
from cite_lsp.cli.indexing.source_files import named_files
from cite_lsp.cli.printing.output import counted, print_json, reporting, say, warn
from cite_lsp.corpus.sources import read_source, read_whole_source
from cite_lsp.encode import load_encoder
from cite_lsp.paths import cache_folder, expanded
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import UpdateListener
from cite_lsp.search.milvus.build import update_remote
from cite_lsp.search.milvus.connection import Connection, connect
from cite_lsp.search.milvus.schema import read_about
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, is_address, read_address

_CONNECT_SECONDS = 20.0


def wants_remote(options: argparse.Namespace) -> bool:
    """Whether the options name a remote corpus, by its engine or by its address.

    Raises:
        UsageError: they have a server or an index, but name no remote corpus.
    """
    if options.engine == "milvus" or is_address(options.corpus):
        return True
    for name, is_set in (
        ("--uri", options.uri),
        ("--vector-index", options.vector_index != "auto"),
    ):
        if is_set:
            raise UsageError(f"{name} is of a corpus on a server; add --engine milvus")
    return False


def _encoder_name(options: argparse.Namespace, connection: Connection) -> str:
    """Return the encoder that is named, else the one that the corpus has, else the accurate one.

    Another one of the same space would embed all papers of the sources anew.
    """
    if options.encoder != AUTO:
        return str(options.encoder)
    before = read_about(connection)
    if before is None:
        return "default"
    name = before.manifest.encoder
    warn(f"encoder {name}: as the corpus has it; --encoder names another")
    return name


def index_remote(options: argparse.Namespace) -> int:
    """Build or update the collection, and print a summary."""
    address = _address(options)
    # What is not read of a source would be removed; else it stays, and no harm is done.
    read = read_whole_source if options.replace else read_source
    if not options.sources:
        raise UsageError(
            f"{address.written}: of a remote corpus the sources are not kept here; name a SOURCE"
        )
    access = RemoteAccess.from_environment()
    started = time.monotonic()
    with reporting(json=options.json_progress) as (stages, problems):
        files = named_files(options.sources)
        with closing(connect(address, access, timeout=_CONNECT_SECONDS)) as connection:
            name = _encoder_name(options, connection)
            max_tokens = options.max_tokens or MAX_TOKENS
            local_encoder = load_encoder(name, threads=os.cpu_count() or 1, max_tokens=max_tokens)
            encoder = on_cluster(options, local_encoder, max_tokens)
            result = update_remote(
                connection,
                cache_folder() / "remote-builds" / address.collection,
                Sources(
                    files,
                    lambda name: read(Path(name), problems.add),
                    replace=options.replace,
                ),
                encoder,
                vector_index=options.vector_index,
                listener=UpdateListener(stage=stages.show, waiting=warn if options.wait else None),
            )
    seconds = time.monotonic() - started
    summary = {
        "corpus": address.written,
        "papers": result.manifest.papers,
        "written": result.written,
        "unchanged": result.unchanged,
        "removed": result.removed,
        "words": result.words,
        "files": len(files),
        "bad_records": problems.count,
        "encoder": encoder.name,
        "seconds": round(seconds, 1),
    }
    if options.json:
        print_json(summary)
    else:
        _report(summary)
    return 0


def _report(summary: Mapping[str, Any]) -> None:
    say(
        f"{summary['corpus']}: {counted(summary['papers'], 'paper')} "
        f"({summary['written']:,} written, {summary['unchanged']:,} as they were, "
        f"{summary['removed']:,} removed) from {counted(summary['files'], 'file')}, "
        f"{counted(summary['bad_records'], 'bad record')}, encoder {summary['encoder']}, "
        f"{summary['seconds']:.0f} s"
    )
    if not summary["words"]:
        print(
            "this server has no sparse vectors (Milvus 2.4 has): papers are found by vectors only"
        )


def _address(options: argparse.Namespace) -> RemoteAddress:
    """Return the address that the options give, whole or as URI and name.

    Raises:
        UsageError: they give none, or filters, by which no papers are chosen here.
    """
    text = options.corpus
    if not is_address(text):
        if not options.uri:
            raise UsageError(
                "--engine milvus needs --uri https://HOST:PORT, or a file of Milvus Lite"
            )
        uri = options.uri.rstrip("/")
        if "://" not in uri:
            uri = expanded(uri).absolute().as_uri()
        text = f"milvus+{uri}/{options.corpus}"
    try:
        address = read_address(text)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if address.filters:
        raise UsageError(f"{address.written}: filters are for who asks; leave out those behind ?")
    return address
