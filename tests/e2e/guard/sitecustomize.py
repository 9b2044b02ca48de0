"""Watches over a Python process: what it writes on the disk, and whom it talks to.

Python imports it at start where its folder is on PYTHONPATH. `GUARD_FOLDERS` are the folders that
may be written to. Anything else is refused, and appended to the file `GUARD_REPORT`, one a line.
What libraries in C do by themselves cannot be seen here.
"""

import ipaddress
import os
import sys
from typing import Any
from urllib.parse import unquote, urlsplit

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    "os.link": (1,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.symlink": (1,),
    "os.truncate": (0,),
}
"""The events that change what is on the disk, and which of their arguments are paths."""
LOOK_UPS = {"socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname"}
"""The events that look up a host; it is their first argument."""
TALKS = {"socket.bind", "socket.connect", "socket.getnameinfo", "socket.sendmsg", "socket.sendto"}
"""The events that talk to somebody; the address is their last argument."""
DEVICES = ("/dev/null", "/dev/tty")

_report = os.open(os.environ["GUARD_REPORT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_folders = tuple(os.environ["GUARD_FOLDERS"].split(os.pathsep))
_home = os.path.expanduser("~")


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse an event that writes elsewhere or talks to another machine.

    Raises:
        PermissionError: it is one.
    """
    for what in strange(event, arguments):
        os.write(_report, f"{event} {what!r}\n".encode())
        raise PermissionError(f"{event}: the guard refuses {what!r}")


def strange(event: str, arguments: tuple[Any, ...]) -> list[Any]:
    """Return the paths, hosts and addresses of an event that are not allowed."""
    if event == "open":
        path, _, flags = arguments
        return [path] if flags & WRITING and not may_write(path) else []
    if event == "os.mkdir":
        return [] if may_make(arguments[0]) else [arguments[0]]
    if event in CHANGES:
        return [arguments[at] for at in CHANGES[event] if not may_write(arguments[at])]
    if event == "sqlite3.connect":
        path = written_database(os.fsdecode(arguments[0]))
        return [] if path is None or may_write(path) else [path]
    if event in LOOK_UPS:
        return [] if is_here(arguments[0]) else [arguments[0]]
    if event in TALKS:
        address = arguments[-1]  # a tuple, or the path of a Unix socket
        return [address] if isinstance(address, tuple) and not is_here(address[0]) else []
    return []


def may_write(path: Any) -> bool:  # noqa: ANN401 - whatever the event brings
    """Whether a file may be changed."""
    if isinstance(path, int):  # it is open already
        return True
    name = os.path.abspath(os.fsdecode(path))
    if f"{os.sep}__pycache__" in name and not name.startswith(_home):
        return True  # beside the modules, where the interpreter keeps what it made of them
    return name in DEVICES or any(
        name == folder or name.startswith(folder + os.sep) for folder in _folders
    )


def may_make(path: Any) -> bool:  # noqa: ANN401
    """Whether a folder may be made: one that may be written to, or one above."""
    way = os.path.join(os.path.abspath(os.fsdecode(path)), "")
    return may_write(path) or any(folder.startswith(way) for folder in _folders)


def written_database(name: str) -> str | None:
    """Return the path of a database of SQLite that is opened to be written, or None."""
    if not name.startswith("file:"):
        return name if name not in ("", ":memory:") else None
    parts = urlsplit(name)
    return None if "mode=ro" in parts.query else unquote(parts.path)


def is_here(host: Any) -> bool:  # noqa: ANN401
    """Whether a host is this machine, by an address that no other can reach."""
    if host in (None, "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(os.fsdecode(host)).is_loopback
    except (TypeError, ValueError):
        return False


sys.addaudithook(watch)
