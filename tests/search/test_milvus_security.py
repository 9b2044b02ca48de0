"""A corpus on a real Milvus server that asks for TLS and a token, and what happens without them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve, frozen

from cite_lsp.search.milvus.check import check_remote
from cite_lsp.search.remote.address import (
    CERTIFICATE_VARIABLE,
    TOKEN_VARIABLE,
    RemoteAccess,
    RemoteAddress,
    read_address,
)
from tests.recommend.shores import TopicEncoder, many_papers
from tests.search.milvus_corpus import SECONDS, opened, running_server, written

pytest.importorskip("pymilvus", reason="needs the milvus extra")
pytest.importorskip("milvus", reason="needs the server: pip install milvus==2.3.5")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl for certificates"),
]

PAPERS = many_papers()
FIRST_TOKEN = "root:Milvus"
"""What a new server takes, by its documentation."""


@frozen
class Guarded:
    """A server, and the certificate of the authority that signed its own."""

    address: RemoteAddress
    certificate: str

    @property
    def written(self) -> str:
        """The address as it is written in settings."""
        return f"milvus+{self.address.place}"

    @property
    def access(self) -> RemoteAccess:
        return RemoteAccess(FIRST_TOKEN, self.certificate)


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def authority(folder: Path, name: str) -> None:
    """Make an authority: a key, and a certificate signed with it."""
    openssl(
        folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
        f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem",
    )  # fmt: skip


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the server's certificate, that of its authority, and of a stranger."""
    folder = tmp_path_factory.mktemp("certificates")
    authority(folder, "ca")
    authority(folder, "stranger")
    openssl(
        folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
        "-keyout", "server.key", "-out", "server.csr",
    )  # fmt: skip
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(
        folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.pem",
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def guarded(certificates: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that takes encrypted connections of whom it knows, with a corpus."""
    settings: dict[str, object] = {
        "tls_mode": 1,
        "server_pem_path": str(certificates / "server.pem"),
        "server_key_path": str(certificates / "server.key"),
        "ca_pem_path": str(certificates / "ca.pem"),
        "authorization_enabled": True,
    }
    with running_server(tmp_path_factory.mktemp("milvus-server"), **settings) as (_, port):
        guarded = Guarded(
            read_address(f"milvus+https://localhost:{port}/shores"), str(certificates / "ca.pem")
        )
        scratch = tmp_path_factory.mktemp("build")
        assert written(guarded.address, scratch, PAPERS, access=guarded.access).written == len(
            PAPERS
        )
        yield guarded


def test_with_certificate_and_token_papers_are_written_and_found(guarded: Guarded) -> None:
    remote = opened(guarded.address, guarded.access)
    numbers = remote.nearest(TopicEncoder().encode(["gull"]), 5, timeout=SECONDS)[0]
    assert all("gull" in fetched.paper.title for fetched in remote.fetch(numbers, timeout=SECONDS))
    remote.close()
    check = check_remote(guarded.address, guarded.access)
    assert (check.faults, check.counted, check.recall) == ((), len(PAPERS), 1.0)


def fault_of(guarded: Guarded, **different: str) -> str:
    """Return what `cite-lsp corpora` says, with something else than what opens the server.

    Within one process a connection that stands is used again, whoever asks.
    """
    access = evolve(guarded.access, **different)
    ran = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "corpora", "list", guarded.written, "--json"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=os.environ | {TOKEN_VARIABLE: access.token, CERTIFICATE_VARIABLE: access.certificate},
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    (state,) = json.loads(ran.stdout)["remote"]
    assert "\n" not in state["fault"]
    return str(state["fault"])


@pytest.mark.parametrize("token", ["", "root:wrong", "nobody:Milvus"])
def test_without_the_right_token_the_server_refuses(guarded: Guarded, token: str) -> None:
    fault = fault_of(guarded, token=token)
    assert "the server refuses (" in fault
    assert fault.endswith("; set CITE_LSP_MILVUS_TOKEN")


def test_a_server_whose_authority_is_not_known_is_not_trusted(
    guarded: Guarded, certificates: Path
) -> None:
    for certificate in ("", str(certificates / "stranger.pem")):
        fault = fault_of(guarded, certificate=certificate)
        assert "no safe connection" in fault and "CERTIFICATE_VERIFY_FAILED" in fault
        assert fault.endswith("; set CITE_LSP_MILVUS_CERTIFICATE to the authority's PEM")


def test_a_certificate_that_is_not_there_is_named(guarded: Guarded, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.pem")
    assert fault_of(guarded, certificate=missing).startswith(f"{missing}: No such file")


def test_nothing_is_said_to_it_unencrypted(guarded: Guarded) -> None:
    uri = guarded.address.uri.replace("https:", "http:")
    plain = evolve(guarded, address=evolve(guarded.address, uri=uri))
    assert "the server does not answer" in fault_of(plain, token="")
