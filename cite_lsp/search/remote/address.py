"""Where a corpus on a distributed engine is: how it is written in settings and on a command line.

milvus+https://milvus.example.org:19530/science?years=2010-&venue=acl&language=en,zh
milvus+file:///home/ada/papers.db/science
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.search.corpus.filters import Filters, read_filters
from cite_lsp.search.vectors.vector_index import SearchIndexError

_PREFIX = "milvus+"
_SCHEMES = ("http", "https", "file")
_COLLECTION = lazy_re(r"[A-Za-z_]\w{0,200}", re.ASCII)
_QUESTIONS = ("database", "years", "venue", "language")
_SECRET = lazy_re(r"(?<=//).*@")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
TOKEN_VARIABLE = "CITE_LSP_MILVUS_TOKEN"
CERTIFICATE_VARIABLE = "CITE_LSP_MILVUS_CERTIFICATE"


class RemoteError(SearchIndexError):
    """A remote corpus cannot be used; the message says which, why and what to do, in one line."""


@frozen
class RemoteAddress:
    """A collection on a server, or in a file of Milvus Lite, and which of its papers are wanted."""

    uri: str
    collection: str
    database: str = ""
    filters: Filters = Filters()

    @property
    def place(self) -> str:
        """The address without filters, for messages."""
        return f"{self.uri}/{self.collection}"

    @property
    def written(self) -> str:
        """The address without filters as it is written in settings."""
        uri = Path(self.uri).as_uri() if self.in_file else self.uri
        where = f"{_PREFIX}{uri}/{self.collection}"
        return f"{where}?database={quote(self.database)}" if self.database else where

    @property
    def in_file(self) -> bool:
        """Whether it is a file of Milvus Lite."""
        return "://" not in self.uri

    @property
    def encrypted(self) -> bool:
        """Whether the connection is TLS."""
        return self.uri.startswith("https:")

    @property
    def local(self) -> bool:
        """Whether nothing leaves this machine."""
        return self.in_file or urlsplit(self.uri).hostname in _LOOPBACK


@frozen
class RemoteAccess:
    """What opens a server: a token ("user:password" or an API key), and a file of certificates.

    `certificate` is a PEM file of the authorities that sign the server's; "" for the system's.
    """

    token: str = ""
    certificate: str = ""

    @classmethod
    def from_environment(cls, token: str = "", certificate: str = "") -> RemoteAccess:
        """Take what is given, and what is not from the environment."""
        return cls(
            token or os.environ.get(TOKEN_VARIABLE, ""),
            certificate or os.environ.get(CERTIFICATE_VARIABLE, ""),
        )


def is_address(text: str) -> bool:
    """Whether a text means a remote corpus, rightly written or not: no name has a "://"."""
    return text.startswith(_PREFIX) or "://" in text


def read_address(text: str) -> RemoteAddress:
    """Read the address of a remote corpus.

    Raises:
        ValueError: it is none; the message says what is wrong with it.
    """
    shown = _SECRET.sub("…@", text).partition("?")[0]
    parts = _parted(text)
    if parts is None or parts.scheme not in _SCHEMES:
        raise ValueError(
            f"{shown}: not a remote corpus; write milvus+https://HOST:PORT/COLLECTION, "
            "milvus+http://… or milvus+file:///PATH.db/COLLECTION"
        )
    if parts.username or parts.password:
        raise ValueError(f"the address of a remote corpus holds no password; set {TOKEN_VARIABLE}")
    place, _, collection = parts.path.rpartition("/")
    if parts.scheme == "file":
        uri = str(Path(unquote(place)).absolute())
        named = bool(place) and not parts.netloc
    else:
        uri = f"{parts.scheme}://{parts.netloc}"
        named = bool(parts.hostname) and not place.strip("/")
    if not named or not collection:
        raise ValueError(f"{shown}: names no collection; end it with /COLLECTION")
    if not _COLLECTION.fullmatch(collection):
        raise ValueError(
            f"{shown}: {collection!r} cannot name a collection; use the letters a to z, digits and"
            " _"
        )
    questions = parse_qs(parts.query, keep_blank_values=True)
    unknown = sorted(set(questions) - set(_QUESTIONS))
    if unknown:
        raise ValueError(f"{shown}: there is no {unknown[0]}=; use {', '.join(_QUESTIONS)}")
    filters = read_filters(
        "".join(questions.get("years", [])[-1:]),
        [name for value in questions.get("venue", []) for name in value.split(",")],
        ",".join(questions.get("language", [])),
    )
    return RemoteAddress(uri, collection, "".join(questions.get("database", [])[-1:]), filters)


def _parted(text: str) -> SplitResult | None:
    """Return the parts of an address, None where it is none."""
    try:
        return urlsplit(text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else None
    except ValueError:  # a "[" in the name of the host
        return None
