"""A server that is forked ends as one that starts by itself: with its client, and its status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.warm_server import serve

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are forked on Linux alone")


@pytest.fixture
def server() -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(serve(), stdin=pipe, stdout=pipe, stderr=pipe) as launcher:
        yield launcher
        launcher.kill()


def test_it_ends_when_its_client_leaves_and_its_status_comes_through(
    server: subprocess.Popen[bytes],
) -> None:
    assert server.communicate()[0] == b""
    assert server.returncode == 1  # nobody asked for `shutdown`


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_the_process_that_stands_for_it(
    server: subprocess.Popen[bytes], number: int
) -> None:
    assert server.stdout and server.stdin
    content = b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}'
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length")
    server.send_signal(number)
    assert server.stdout.read() is not None  # until the server has closed it
    assert server.wait() != 0


def test_it_has_arguments_folder_and_environment_of_its_client(tmp_path: os.PathLike[str]) -> None:
    arguments = [*serve()[:-1], "corpora", "list", "--json"]
    environment = {**os.environ, "CITE_LSP_HOME": "home", "EMPTY": ""}
    done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(tmp_path) in done.stdout
