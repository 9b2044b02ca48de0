"""Find a bibliography with TeX's own search (kpathsea), where it is installed.

`kpsewhich` may take seconds on a cold disk, so it runs on a thread of its own: a caller waits a
moment or not at all, and if the answer is not there yet, a later call gets it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from pathlib import Path

from attrs import define, field

from cite_lsp.project.folders import absolute
from cite_lsp.storage.caches import LastUsed

log = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds that a call may wait where it is not repeated, as on the command line: a build must not
fail for a bibliography that TeX is still looking for."""
_TYPING_PAUSE = 0.5
"""Seconds without a change after which a name is looked for where nobody waits: while it is
being typed, every letter makes another one."""
_LIMIT = 20.0
_RETRY_AFTER = 60.0
"""Seconds after which a file that was not found is looked for again."""
_RECHECK_AFTER = 600.0
_MOST_SEARCHES = 64
_SETTINGS = ("PATH", "BIBINPUTS", "TEXINPUTS", "TEXMFHOME", "TEXMFCNF")


@define
class _Search:
    """One run of the program: its answer once it is `done`, until then the previous one."""

    previous_path: Path | None = None
    requested_at: float = field(factory=time.monotonic)
    started: bool = False
    done: threading.Event = field(factory=threading.Event)
    path: Path | None = None
    finished_at: float = 0.0

    def run(self, program: str, name: str, folder: Path) -> None:
        """Search for a file; runs on a thread of its own."""
        path = _answer(program, "bib", name, folder)
        self.path = absolute(folder / path) if path and os.path.isfile(folder / path) else None
        self.finished_at = time.monotonic()
        self.done.set()

    @property
    def answer(self) -> Path | None:
        """The file, as far as it is known."""
        return self.path if self.done.is_set() else self.previous_path

    @property
    def settled(self) -> bool:
        """Whether the name was asked for a while ago, so that it is not just being typed."""
        return time.monotonic() >= self.requested_at + _TYPING_PAUSE

    @property
    def stale(self) -> bool:
        """Whether it is time to ask again."""
        lifetime = _RECHECK_AFTER if self.path else _RETRY_AFTER
        return self.done.is_set() and time.monotonic() - self.finished_at > lifetime


_PROGRAM = "kpsewhich.exe" if os.name == "nt" else "kpsewhich"


def _program() -> str | None:
    """Return the program, None where it is not installed.

    It is not looked for where the server was started, in the folder of a draft that somebody else
    may have written: `shutil.which` does so on Windows, and for a PATH with a relative folder.
    """
    folders = filter(os.path.isabs, os.get_exec_path())
    candidates = (os.path.join(folder, _PROGRAM) for folder in folders)
    return next(
        (path for path in candidates if os.path.isfile(path) and os.access(path, os.X_OK)), None
    )


_searches: LastUsed[tuple[str, ...], _Search] = LastUsed(_MOST_SEARCHES)
_lock = threading.Lock()


def _answer(program: str, format: str, name: str, folder: Path) -> str | None:
    """Return the path that the program prints, relative if in `folder`, or ""; None if it fails."""
    try:
        answer = subprocess.run(  # nosec B603  # no shell; what follows `--` is no option
            [program, f"-format={format}", "--", name],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT,
            stdin=subprocess.DEVNULL,
            check=False,
        ).stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        log.info("%s gives no answer for %s: %s", program, name, error)
        return None
    return answer.partition("\n")[0]


def _cache_key(name: str, folder: Path) -> tuple[str, ...]:
    return (name, str(folder), *(os.environ.get(setting, "") for setting in _SETTINGS))


def kpathsea(name: str, folder: Path, patience: float) -> Path | None:
    """Return the file that TeX, run in a folder, finds under a name; None if it is not known yet.

    `patience` is how many seconds to wait for that. Without any, as for a completion at every
    letter, the program starts when the same name is asked for again, half a second later.
    """
    program = _program()
    if program is None:
        return None
    key = _cache_key(name, folder)
    with _lock:
        search = _searches.get(key)
        if search is None or search.stale:
            previous = search
            search = _Search(previous.path, previous.requested_at) if previous else _Search()
            _searches.keep(key, search)
        if not search.started and (patience > 0 or search.settled):
            search.started = True
            threading.Thread(target=search.run, args=(program, name, folder), daemon=True).start()
    if patience > 0:
        search.done.wait(patience)
    return search.answer


def awaited(name: str, folder: Path) -> float | None:
    """Return in how many seconds to ask again for a name whose file was not found.

    None where that is of no use: there was no recent search, or TeX does not have it either.
    """
    search = _searches.get(_cache_key(name, folder))
    if search is None:
        return None
    just_ended = search.done.is_set() and time.monotonic() < search.finished_at + _TYPING_PAUSE
    return _TYPING_PAUSE if just_ended or not search.done.is_set() else None


def has_tex_file(name: str, folder: Path) -> bool | None:
    r"""Return whether a file that a draft in a folder reads by `\input` comes with TeX.

    None where TeX is not installed, or gives no answer. TeX may take a file of the folder itself
    under another spelling of its name: that is none of its own.
    """
    program = _program()
    answer = _answer(program, "tex", name, folder) if program is not None else None
    return None if answer is None else os.path.isabs(answer)
