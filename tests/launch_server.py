"""Stands for a server that `warm_server.py` forks: `launch_server.py SOCKET ARGUMENTS`.

It imports nothing that takes time: what it is there for is to start at once.
"""

import _socket
import os
import signal
import sys


def launch(address: str, *arguments: str) -> int:
    """Hand on streams, folder, arguments and environment; return the exit status of the server."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(address)
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    variables = [name + b"=" + text for name, text in os.environb.items()]
    words = [str(len(arguments)).encode(), *map(os.fsencode, arguments)]
    request = b"\0".join([os.getcwdb(), *words, *variables])
    length = len(request).to_bytes(4, "little")
    connection.sendmsg([length], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    connection.sendall(request)
    server = int.from_bytes(connection.recv(4), "little")
    if not server:
        return 1
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(ending, lambda number, frame: os.kill(server, number))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):  # the server has them: their other ends are to see it close them
        os.dup2(nowhere, number)
    status = connection.recv(1)
    return status[0] if status else 1


if __name__ == "__main__":
    os._exit(launch(*sys.argv[1:]))
