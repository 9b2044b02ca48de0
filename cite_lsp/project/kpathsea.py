"""Ask TeX's own search (kpathsea) for a bibliography, where it is installed.

`kpsewhich` may take seconds on a cold disk, so it runs beside: who asks waits a moment or not at
all, and if the answer is not there yet, the next who asks gets it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from pathlib import Path

from attrs import define, field

from cite_lsp.storage.caches import LastUsed

log = logging.getLogger(__name__)

PATIENCE = 0.25
"""Seconds that one question may wait where it is not asked again, as on the command line."""
_RESTED = 0.5
"""Seconds after which a name that is still asked for is looked for, where nobody waits: while it is
being typed, every letter makes another one."""
_LIMIT = 20.0
"""Seconds after which the program is stopped."""
_KEPT = 60.0
"""Seconds for which a file that was not found is not looked for again."""
_FOUND_KEPT = 600.0
_SEARCHES_KEPT = 64
_SETTINGS = ("PATH", "BIBINPUTS", "TEXINPUTS", "TEXMFHOME", "TEXMFCNF")


@define
class _Search:
    """One run of the program: its answer, once it is `done`, and till then the one `before`."""

    before: Path | None = None
    asked: float = field(factory=time.monotonic)
    begun: bool = False
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
    def answer(self) -> Path | None:
        """The file, as far as it is known."""
        return self.found if self.done.is_set() else self.before

    @property
    def rested(self) -> bool:
        """Whether the name was asked for a while ago, so that it is not just being typed."""
        return time.monotonic() >= self.asked + _RESTED

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


_searches: LastUsed[tuple[str, ...], _Search] = LastUsed(_SEARCHES_KEPT)
_lock = threading.Lock()


def _question(name: str) -> tuple[str, ...]:
    return (name, os.getcwd(), *(os.environ.get(setting, "") for setting in _SETTINGS))


def kpathsea(name: str, patience: float) -> Path | None:
    """Return the file that TeX finds under a name; None if none, or if it is not known yet.

    `patience` is how many seconds to wait for that. Who has none, as a server that is asked letter
    by letter, has the program started by asking for the same name again, half a second later.
    """
    program = _program()
    if program is None:
        return None
    question = _question(name)
    with _lock:
        search = _searches.get(question)
        if search is None or search.stale:
            known = search
            search = _Search(known.found, known.asked) if known else _Search()
            _searches.keep(question, search)
        if not search.begun and (patience > 0 or search.rested):
            search.begun = True
            threading.Thread(target=search.run, args=(program, name), daemon=True).start()
    if patience > 0:
        search.done.wait(patience)
    return search.answer


def awaited(name: str) -> float | None:
    """Return in how many seconds to ask again for a name whose file was not found.

    None where that helps nothing: nobody asked for it of late, or TeX does not have it either.
    """
    search = _searches.get(_question(name))
    if search is None:
        return None
    just_ended = search.done.is_set() and time.monotonic() < search.ended + _RESTED
    return _RESTED if just_ended or not search.done.is_set() else None


def has_tex_file(name: str) -> bool | None:
    r"""Return whether TeX finds a file to `\input` by its name, None where it is not installed."""
    program = _program()
    if program is None:
        return None
    try:
        answer = subprocess.run(
            [program, "-format=tex", "--", name],
            capture_output=True,
            timeout=_LIMIT,
            stdin=subprocess.DEVNULL,
            check=False,
        ).stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        log.info("%s gives no answer for %s: %s", program, name, error)
        return None
    return bool(answer)
