"""An Emacs that plays a scenario in a folder with drafts."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "editors" / "emacs"
DRIVER = Path(__file__).with_name("emacs_driver.el")
_LONGEST = 180


def has_package(name: str) -> bool:
    """Whether this machine's Emacs has a package."""
    program = shutil.which("emacs")
    if program is None:
        return False
    form = f"(progn (package-initialize) (kill-emacs (if (locate-library \"{name}\") 0 1)))"
    return subprocess.run([program, "-q", "--batch", "--eval", form], stderr=subprocess.DEVNULL).returncode == 0


@frozen
class Emacs:
    """Emacs with one client; each scenario runs in a fresh process of it."""

    client: str
    folder: Path
    server: list[str]
    environment: Mapping[str, str]

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
            ["emacs", "-q", "--batch", "-L", str(PACKAGE), "-l", str(DRIVER), "-f", "play"],
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
        found: dict[str, Any] = json.loads(seen.read_text(encoding="utf-8"))
        assert "problem" not in found, f"{found['problem']}\n{done.stderr}"
        return {"stderr": done.stderr, **found}
