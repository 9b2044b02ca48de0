"""The collections of a corpus: one of its papers, and one that describes it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from attrs import asdict, evolve, frozen

from cite_lsp.corpus.paper_identifiers import identifier_hash
from cite_lsp.corpus.stored_papers import paper_line
from cite_lsp.paper import Paper, fold
from cite_lsp.search.corpus.corpus_index import Manifest
from cite_lsp.search.corpus.identifiers import number_identifiers
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.statistics import CorpusStatistics
from cite_lsp.search.milvus.connection import Connection, call, call_retrying
from cite_lsp.search.remote.address import RemoteError

FORMAT = 2
VECTOR_INDEXES: Mapping[str, Mapping[str, Any]] = {
    "auto": {"index_type": "AUTOINDEX"},
    "hnsw": {"index_type": "HNSW", "params": {"M": 16, "efConstruction": 128}},
    "ivf_sq8": {"index_type": "IVF_SQ8", "params": {"nlist": 16384}},
    "diskann": {"index_type": "DISKANN"},
}
"""Indexes of vectors that a collection can be made with; auto leaves the choice to the server."""
_SIGNED = (1 << 63) - 1
"""Hashes are cut to what a signed number of 64 bits holds."""
_TEXT = 65_535
"""Bytes of the longest text that Milvus keeps."""
_CHUNK = 60_000
_MANIFEST_FIELDS = ("name", "papers", "encoder", "fingerprint", "sources", "checkpoint")
"""What of a manifest applies to a remote corpus; the rest is about files."""
NUMBERS = ("doi_key", "arxiv_key", "address_key")
"""The fields by which papers are found whose number or page is pasted; 0 where a paper has none."""
_VENUE = 512
_ABSTRACTS_CUT = (20_000, 5_000, 1_000, 0)
_AUTHORS, _NAME, _LINE = 200, 50, 2_000
"""Authors that the longest records keep, and letters of each and of what else is long."""


@frozen
class RemoteManifest:
    """The description of a remote corpus.

    complete: whether its first build is done. mean_length: the mean number of words that the
    sparse vectors were made with. words: whether there are sparse vectors. stamp: changes with
    every build.
    """

    manifest: Manifest
    dimensions: int
    complete: bool
    mean_length: float
    words: bool
    stamp: int
    parts: int = 0
    format: int = FORMAT


def paper_number(paper_id: str) -> int:
    """Return the number of a paper: of 200 million no two share one, but with a chance of 1:500."""
    return _hash(paper_id.encode("utf-8", "surrogatepass"))


def signed_key(key: int) -> int:
    """Return a `title_key` as it is stored."""
    return int(key) & _SIGNED


def number_keys(numbers: Iterable[str]) -> dict[str, int]:
    """Return identifiers of `number_identifiers` as they are stored, by their fields.

    Of several pages of a paper the last is stored, which follows from a number.
    """
    return {
        f"{identifier.split(' ', 1)[0]}_key": signed_key(identifier_hash(identifier))
        for identifier in numbers
    }


def record_text(paper: Paper) -> str:
    """Return the record of a paper as text, cut where it is too long, its abstract first."""
    line = paper_line(paper)
    for length in _ABSTRACTS_CUT:
        if len(line) <= _TEXT:
            break
        paper = evolve(paper, abstract=paper.abstract[:length])
        line = paper_line(paper)
    if len(line) > _TEXT:  # thousands of authors, or a field that holds something else
        paper = evolve(
            paper,
            authors=tuple(name[:_NAME] for name in paper.authors[:_AUTHORS]),
            more_authors=paper.more_authors or len(paper.authors) > _AUTHORS,
            title=paper.title[:_LINE],
            venue=paper.venue[:_VENUE],
            url=paper.url[:_LINE],
            doi=paper.doi[:_LINE],
            written_doi="",
        )
        line = paper_line(paper)
    return line.decode("utf-8").rstrip("\n")


def digest(manifest: Manifest, line: str) -> int:
    """Return a number that changes with a paper's record, and with the encoder of its vector.

    By name, too: a fast encoder may share the space of an accurate one, which replaces it later.
    """
    encoder = f"{manifest.encoder} {manifest.checkpoint}"
    return _hash(f"{encoder}\n{line}".encode("utf-8", "replace"))


def paper_fields(paper: Paper, line: str, manifest: Manifest) -> dict[str, Any]:
    """Return the fields of a paper, but for its vectors."""
    fields = {
        "id": paper_number(paper.id),
        "digest": digest(manifest, line),
        "title_key": signed_key(title_key(paper)),
        "year": paper.year or 0,
        "language": paper.language[:16],
        "venue": _cut(fold(paper.venue), _VENUE),
        "paper": line,
    }
    keys_by_kind = number_keys(number_identifiers(paper))
    return fields | {name: keys_by_kind.get(name, 0) for name in NUMBERS}


def create(connection: Connection, dimensions: int, vector_index: str) -> None:
    """Create the two collections, and load them.

    Raises:
        RemoteError: the server refuses.
    """
    # Imported where needed: an extra has it.
    from pymilvus import DataType

    client, collection = connection.client, connection.address.collection
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("digest", DataType.INT64)
    schema.add_field("title_key", DataType.INT64)
    for name in NUMBERS:
        schema.add_field(name, DataType.INT64)
    schema.add_field("year", DataType.INT32)
    schema.add_field("language", DataType.VARCHAR, max_length=64)
    schema.add_field("venue", DataType.VARCHAR, max_length=_VENUE)
    schema.add_field("paper", DataType.VARCHAR, max_length=_TEXT)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
    indexes = client.prepare_index_params()
    indexes.add_index("vector", metric_type="IP", **VECTOR_INDEXES[vector_index])
    for name in ("title_key", *NUMBERS):
        indexes.add_index(name, index_type=connection.abilities.number_index)
    if connection.abilities.words:
        schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
        indexes.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    about = client.create_schema(auto_id=False, enable_dynamic_field=False)
    about.add_field("part", DataType.INT64, is_primary=True)
    about.add_field("text", DataType.VARCHAR, max_length=_TEXT)
    about.add_field("vector", DataType.FLOAT_VECTOR, dim=2)  # a collection must have one
    plain = client.prepare_index_params()
    plain.add_index("vector", index_type="FLAT", metric_type="IP")

    def made() -> None:
        for name, its_schema, its_indexes in (
            (f"{collection}_about", about, plain),
            (collection, schema, indexes),
        ):
            if not client.has_collection(name):
                client.create_collection(
                    name, schema=its_schema, index_params=its_indexes, consistency_level="Bounded"
                )

    call_retrying(connection.address, made)


def load(connection: Connection, *, timeout: float | None = None) -> None:
    """Have both collections in memory, where they are; a file of Lite is opened without them.

    Raises:
        RemoteError: the server refuses.
    """
    client, about = connection.client, about_collection(connection, timeout)
    for name in (connection.address.collection, about) if about else ():
        call(connection.address, partial(client.load_collection, name, timeout=timeout))


def about_collection(connection: Connection, timeout: float | None = None) -> str | None:
    """Return the name of the collection that describes a corpus, None where there is none.

    The corpus may be named by an alias: then it is that of the collection behind it.

    Raises:
        RemoteError: the server cannot be used, or somebody else's collection has the name.
    """
    client, name = connection.client, connection.address.collection

    def find() -> str | None:
        if not client.has_collection(name, timeout=timeout):
            return None
        real = client.describe_collection(name, timeout=timeout)["collection_name"]
        about = f"{real}_about"  # made before the other one
        if not client.has_collection(about, timeout=timeout):
            raise RemoteError(
                f"{connection.address.place}: not a corpus of cite-lsp; name another collection"
            )
        return about

    return call(connection.address, find)


def read_about(connection: Connection, timeout: float | None = None) -> RemoteManifest | None:
    """Return the description of a corpus, None where there is none yet.

    Raises:
        RemoteError: it cannot be read, or another version of cite-lsp wrote it.
    """
    collection = about_collection(connection, timeout)
    if collection is None:
        return None
    texts = _texts(connection, collection, [0], timeout)
    if not texts:
        return None
    try:
        record = json.loads(texts[0])
        if record["format"] != FORMAT:
            raise RemoteError(
                f"{connection.address.place}: written by another version of cite-lsp; update the "
                "older of the two, or index into another collection"
            )
        about = record.pop("manifest")
        manifest = Manifest(**{name: about[name] for name in _MANIFEST_FIELDS})
        return RemoteManifest(evolve(manifest, sources=tuple(manifest.sources)), **record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RemoteError(
            f"{connection.address.place}: not a corpus of cite-lsp ({error}); name another "
            "collection"
        ) from error


def read_statistics(
    connection: Connection, about: RemoteManifest, timeout: float | None = None
) -> CorpusStatistics:
    """Return the statistics of a corpus.

    Raises:
        RemoteError: they are damaged, or cannot be had.
    """
    collection = about_collection(connection, timeout)
    parts = [_part(about.stamp, number) for number in range(about.parts)]
    texts = _texts(connection, collection, parts, timeout) if collection and parts else {}
    try:
        data = base64.b64decode("".join(texts[part] for part in parts))
        return CorpusStatistics.from_bytes(data)
    except (KeyError, ValueError) as error:
        raise RemoteError(
            f"{connection.address.place}: its statistics are damaged; run `cite-lsp index` for it "
            "again"
        ) from error


def write_about(
    connection: Connection, about: RemoteManifest, statistics: CorpusStatistics | None
) -> None:
    """Write what a corpus is; readers see the old or the new, never a mixture.

    Raises:
        RemoteError: it cannot be written.
    """
    client, collection = connection.client, about_collection(connection)
    assert collection is not None  # it was created before anything is written
    chunks = list(_chunks(statistics)) if statistics is not None else []
    record = asdict(about) | {"parts": len(chunks)}
    record["manifest"] = {name: record["manifest"][name] for name in _MANIFEST_FIELDS}
    rows = [(_part(about.stamp, number), chunk) for number, chunk in enumerate(chunks)]
    # What the manifest points to is there before the manifest does.
    for part, text in (*rows, (0, json.dumps(record))):
        row = {"part": part, "text": text, "vector": np.array([1, 0], dtype=np.float32)}
        call_retrying(connection.address, partial(client.upsert, collection, [row]))
    first = _part(about.stamp, 0)
    call_retrying(
        connection.address,
        lambda: client.delete(collection, filter=f"part > 0 and part < {first}"),
    )


def _texts(
    connection: Connection, collection: str, parts: list[int], timeout: float | None
) -> dict[int, str]:
    rows = call(
        connection.address,
        lambda: connection.client.query(
            collection,
            filter=f"part in {parts}",
            output_fields=["part", "text"],
            consistency_level="Strong",
            timeout=timeout,
        ),
    )
    return {int(row["part"]): str(row["text"]) for row in rows}


def _chunks(statistics: CorpusStatistics) -> Iterator[str]:
    text = base64.b64encode(statistics.to_bytes()).decode()
    for start in range(0, len(text), _CHUNK):
        yield text[start : start + _CHUNK]


def _part(stamp: int, number: int) -> int:
    return stamp * 10_000 + 1 + number


def _cut(text: str, most: int) -> str:
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") & _SIGNED
