"""A Neovim that plays a scenario in a folder with drafts."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.editors import typing

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "editors" / "neovim"
DRIVER = Path(__file__).with_name("neovim_driver.lua")
TYPING = Path(__file__).with_name("neovim_typing.lua")
SEVERAL = ("nvim", str(ROOT / ".editors" / "bin" / "nvim"))
"""The one on the PATH, and the one that `.ci/editors` gets from PyPI."""
_LONGEST = 600


@frozen
class Program:
    """A Neovim on this machine."""

    program: str
    version: str


def find_neovims() -> list[Program]:
    """Return the Neovims of this machine, each version once."""
    programs: dict[str, Program] = {}
    for name in SEVERAL:
        if program := shutil.which(name):
            output = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            version = output.partition("\n")[0].removeprefix("NVIM v")
            programs.setdefault(version, Program(program, version))
    return list(programs.values())


@frozen
class Neovim:
    """One Neovim; each scenario runs in a fresh process of it."""

    program: str
    folder: Path
    server: list[str]
    environment: Mapping[str, str]

    def type_fast(self) -> dict[str, Any]:
        """Type into the project of `typing`, and return every list that was shown."""
        pace = {"TYPING_PAUSE": str(typing.PAUSE_MS), "TYPING_KEYS": typing.KEYS}
        fast = Neovim(self.program, self.folder, self.server, {**self.environment, **pace})
        return fast.play(TYPING.read_text(encoding="utf-8"), setup="autocomplete = true")

    def play(self, scenario: str, setup: str = "") -> dict[str, Any]:
        """Run a scenario after `setup({ cmd = …, <setup> })` and return what it has seen."""
        command = ", ".join(json.dumps(word) for word in self.server)
        init = f"require('cite_lsp').setup({{ cmd = {{ {command} }}, {setup} }})"
        return self.run(init, scenario)

    def run(self, init: str, scenario: str) -> dict[str, Any]:
        """Run a scenario after lines of Lua that stand for the user's init.lua.

        Raises:
            AssertionError: the scenario failed; the message is that of Neovim.
        """
        seen, script = self.folder.parent / "seen.json", self.folder.parent / "scenario.lua"
        begin = self.folder.parent / "init.lua"
        seen.unlink(missing_ok=True)
        script.write_text(scenario, encoding="utf-8")
        begin.write_text(
            f"vim.opt.runtimepath:prepend({json.dumps(str(PLUGIN))})\n"
            f"dofile({json.dumps(str(DRIVER))})\n{init}\n",
            encoding="utf-8",
        )
        done = subprocess.run(
            [self.program, "--headless", "-n", "-i", "NONE", "-u", str(begin)],
            cwd=self.folder,
            env={**self.environment, "SCENARIO": str(script), "SCENARIO_SEEN": str(seen)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LONGEST,
        )
        assert seen.exists(), done.stderr
        seen_by_neovim: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
        assert "problem" not in seen_by_neovim, f"{seen_by_neovim['problem']}\n{done.stderr}"
        return {"stderr": done.stderr, **seen_by_neovim}
