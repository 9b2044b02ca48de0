"""Addresses of remote corpora: what they name, what is refused, and how to put it right."""

from __future__ import annotations

import pytest

from cite_lsp.search.corpus.filters import Filters
from cite_lsp.search.remote.address import (
    TOKEN_VARIABLE,
    RemoteAccess,
    is_address,
    read_address,
)


def test_an_address_names_a_server_a_collection_and_what_is_wanted_of_it() -> None:
    address = read_address(
        "milvus+https://milvus.example.org:19530/science"
        "?database=lab&years=2010-2020&venue=acl,emnlp&language=en,zh"
    )
    assert (address.uri, address.collection, address.database) == (
        "https://milvus.example.org:19530",
        "science",
        "lab",
    )
    assert address.filters == Filters(2010, 2020, ("acl", "emnlp"), ("en", "zh"))
    assert address.encrypted
    assert not address.local


def test_a_file_of_lite_is_an_address_too() -> None:
    address = read_address("milvus+file:///home/ada/my%20papers.db/science")
    assert (address.uri, address.collection) == ("/home/ada/my papers.db", "science")
    assert address.local


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_a_server_of_this_machine_is_local(host: str) -> None:
    assert read_address(f"milvus+http://{host}:19530/science").local


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("https://host/science", "write milvus+https://HOST:PORT/COLLECTION"),
        ("milvus+ftp://host/science", "write milvus+https://HOST:PORT/COLLECTION"),
        ("milvus+https://host:19530", "end it with /COLLECTION"),
        ("milvus+https://host:19530/", "end it with /COLLECTION"),
        ("milvus+https://host:19530/a/b", "end it with /COLLECTION"),
        ("milvus+https://host:19530/7 papers", "cannot name a collection"),
        ("milvus+file:///science", "end it with /COLLECTION"),
        ("milvus+https://ada:secret@host/science", TOKEN_VARIABLE),
        ("milvus+https://host/science?year=2010", "there is no year="),
        ("milvus+https://host/science?years=recent", "are no years"),
    ],
)
def test_what_is_no_address_is_reported_with_the_remedy(text: str, remedy: str) -> None:
    assert is_address(text)
    with pytest.raises(ValueError, match=remedy.replace("+", r"\+").replace("?", r"\?")):
        read_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "milvus+https://ada:secret@host/science",
        "milvus+ftp://ada:secret@host/science",
        "milvus+https://ada:sec/secret@host/science",
        "milvus+https://ada:sec?secret@host/science",
        "milvus+https://[ada:secret@host/science",
        "milvus+https://host/science?token=secret",
        "https://ada:secret@host/science",
    ],
)
def test_a_password_is_never_repeated(text: str) -> None:
    assert is_address(text)
    with pytest.raises(ValueError) as raised:
        read_address(text)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    ["milvus+https://host:19530/science?database=our%20lab", "milvus+file:///a%20b.db/science"],
)
def test_an_address_is_written_as_it_was_read(text: str) -> None:
    assert read_address(text).written == text
    assert read_address(f"{text.partition('?')[0]}?years=2010").filters


def test_what_is_given_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "of the environment")
    assert RemoteAccess.from_environment().token == "of the environment"
    assert RemoteAccess.from_environment("given").token == "given"
