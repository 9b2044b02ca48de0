"""An Emacs that plays a scenario in a folder with drafts."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import termios
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from attrs import frozen

from tests.editors import typing

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "editors" / "emacs"
TYPING = Path(__file__).with_name("emacs_typing.el")
DRIVER = Path(__file__).with_name("emacs_driver.el")
_LONGEST = 600


def has_package(name: str) -> bool:
    """Whether this machine's Emacs has a package."""
    program = shutil.which("emacs")
    if program is None:
        return False
    form = f'(progn (package-initialize) (kill-emacs (if (locate-library "{name}") 0 1)))'
    done = subprocess.run([program, "-q", "--batch", "--eval", form], stderr=subprocess.DEVNULL)
    return done.returncode == 0


def install_package(folder: Path) -> None:
    """Put the package into a folder, compiled as an installation does."""
    for file in PACKAGE.glob("*.el"):
        shutil.copy(file, folder)
    files = sorted(path.name for path in folder.glob("*.el"))
    compile_all = ["emacs", "-q", "--batch", "-L", ".", "-f", "batch-byte-compile", *files]
    subprocess.run(compile_all, cwd=folder, check=True, capture_output=True)


@frozen
class Emacs:
    """Emacs with the package and one client; each scenario runs in a fresh process of it."""

    package: Path
    client: str
    folder: Path
    server: list[str]
    environment: Mapping[str, str]

    @property
    def _load(self) -> list[str]:
        return ["-L", str(self.package), "-l", str(DRIVER)]

    def type_fast(self) -> dict[str, Any]:
        """Type into the project of `typing`, with company, and return every list that was shown."""
        seen, state = self.folder.parent / "seen.json", self.folder.parent / "state"
        for file in (seen, state):
            file.unlink(missing_ok=True)
        begin = f"(begin-typing '{self.client} {json.dumps(typing.DRAFT)})"
        command = ["emacs", "-q", "-nw", *self._load, "-l", str(TYPING)]
        screen, terminal = pty.openpty()
        termios.tcsetwinsize(terminal, (40, 120))
        process = subprocess.Popen(
            [*command, "--eval", begin],
            cwd=self.folder,
            env={
                **self.environment,
                "SCENARIO_SEEN": str(seen),
                "SCENARIO_SERVER": "\n".join(self.server),
                "TYPING_STATE": str(state),
            },
            preexec_fn=partial(os.login_tty, terminal),
        )
        os.close(terminal)
        reader = Thread(target=_read_screen, args=(screen,), daemon=True)
        reader.start()
        try:
            _wait_for(lambda: "text" in _state(state), "Emacs to be ready")
            for letter in typing.KEYS:
                os.write(screen, letter.encode())
                time.sleep(typing.PAUSE_MS / 1000)
            whole = f"list\n{typing.BEFORE}{typing.KEYS}"
            _wait_for(lambda: _state(state).startswith(whole), "the last list")
            os.write(screen, b"\r")
            _wait_for(lambda: typing.BEGUN + "key" in _state(state), "the key")
            os.write(screen, b"\x03t")
            process.wait(_LONGEST)
        finally:
            process.kill()
            process.wait()
            os.close(screen)
        seen_by_emacs: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
        return seen_by_emacs

    def play(self, scenario: str, draft: str = "paper.tex", before: str = "") -> dict[str, Any]:
        """Run a scenario on a draft that the server is ready for and return what it has seen.

        Raises:
            AssertionError: the scenario failed; the message is that of Emacs.
        """
        seen, script = self.folder.parent / "seen.json", self.folder.parent / "scenario.el"
        seen.unlink(missing_ok=True)
        opening = f"{before}\n(draft '{self.client} {json.dumps(draft)})\n"
        script.write_text(
            f";; -*- lexical-binding: t; coding: utf-8 -*-\n{opening}{scenario}", encoding="utf-8"
        )
        done = subprocess.run(
            ["emacs", "-q", "--batch", *self._load, "-f", "play"],
            cwd=self.folder,
            env={
                **self.environment,
                "SCENARIO": str(script),
                "SCENARIO_SEEN": str(seen),
                "SCENARIO_SERVER": "\n".join(self.server),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LONGEST,
        )
        assert seen.exists(), done.stderr
        seen_by_emacs: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
        assert "problem" not in seen_by_emacs, f"{seen_by_emacs['problem']}\n{done.stderr}"
        return {"stderr": done.stderr, **seen_by_emacs}


def _read_screen(screen: int) -> None:
    """Take what Emacs draws, or it would wait for somebody to look."""
    try:
        while os.read(screen, 65536):
            pass
    except OSError:
        return  # Emacs has left


def _state(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _LONGEST
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)
