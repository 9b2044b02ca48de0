"""Ask TeX's own search (kpathsea) for a bibliography, where it is installed.

`kpsewhich` may take seconds on a cold disk, so it runs beside: who asks waits a moment, and if the
answer is not there yet, the next who asks gets it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from pathlib import Path

from attrs import define, field

log = logging.getLogger(__name__)

_PATIENCE = 0.25
"""Seconds that one question may wait."""
_LIMIT = 20.0
"""Seconds after which the program is stopped."""
_KEPT = 60.0
"""Seconds for which a file that was not found is not looked for again."""
_FOUND_KEPT = 600.0
_SETTINGS = ("PATH", "BIBINPUTS", "TEXINPUTS", "TEXMFHOME", "TEXMFCNF")


@define
class _Search:
    """One run of the program: its answer, once it is `done`."""

    done: threading.Event = field(factory=threading.Event)
    found: Path | None = None
    ended: float = 0.0

    def run(self, program: str, name: str) -> None:
        """Ask for a file; for use on a thread of its own."""
        try:
            answer = subprocess.run(
                [program, "-format=bib", "--", name],
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_LIMIT,
                stdin=subprocess.DEVNULL,
                check=False,
            ).stdout.strip()
            path = Path(answer.splitlines()[0]) if answer else None
            self.found = path if path is not None and path.is_file() else None
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            log.info("%s gives no answer for %s: %s", program, name, error)
        self.ended = time.monotonic()
        self.done.set()

    @property
    def stale(self) -> bool:
        """Whether it is time to ask again."""
        kept = _FOUND_KEPT if self.found else _KEPT
        return self.done.is_set() and time.monotonic() - self.ended > kept


_PROGRAM = "kpsewhich.exe" if os.name == "nt" else "kpsewhich"


def _program() -> str | None:
    """Return the program, None where it is not installed.

    It is not looked for where the server was started, in the folder of a draft that somebody else
    may have written: `shutil.which` does so on Windows, and for a PATH with a relative folder.
    """
    folders = filter(os.path.isabs, os.get_exec_path())
    programs = (os.path.join(folder, _PROGRAM) for folder in folders)
    return next((one for one in programs if os.path.isfile(one) and os.access(one, os.X_OK)), None)


_searches: dict[tuple[str, ...], _Search] = {}
_lock = threading.Lock()


def kpathsea(name: str) -> Path | None:
    """Return the file that TeX finds under a name; None if none, or if it is not known yet."""
    program = _program()
    if program is None:
        return None
    question = (name, os.getcwd(), *(os.environ.get(setting, "") for setting in _SETTINGS))
    with _lock:
        search = _searches.get(question)
        if search is None or search.stale:
            search = _searches[question] = _Search()
            threading.Thread(target=search.run, args=(program, name), daemon=True).start()
    search.done.wait(_PATIENCE)
    return search.found if search.done.is_set() else None
