"""What fast typing asks of Neovim and Emacs: ten keys a second, a library of 5,000 entries.

    python benchmarks/editor_typing.py [--entries N] [--json]

Told are, for every editor that is here, how many lists it showed while a citation was typed, the
most that it computed in one go and how much of that went into collecting garbage, and the longest
time between two turns of its main loop, which other work on the machine lengthens. Emacs is
measured with company.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.editors import typing  # noqa: E402 - the checkout is not installed
from tests.editors.emacs import Emacs, has_package, install_package  # noqa: E402
from tests.editors.neovim import Neovim, find_neovims  # noqa: E402

SERVER = [sys.executable, "-m", "cite_lsp", "serve"]


def measure(folder: Path, entries: int) -> dict[str, dict[str, Any]]:
    """Type in every editor that is here, each in a project of its own; return what was seen."""
    environment = {
        **os.environ,
        "HOME": str(folder),
        "CITE_LSP_HOME": str(folder / "cite-lsp"),
        "PYTHONPATH": str(ROOT),
    }
    package = folder / "package"
    package.mkdir()
    seen = {}

    def project(name: str) -> Path:
        drafts = folder / name / "drafts"
        drafts.mkdir(parents=True)
        typing.write_project(drafts, entries)
        return drafts

    for neovim in find_neovims():
        name = f"Neovim {neovim.version}"
        seen[name] = Neovim(neovim.program, project(name), SERVER, environment).type_fast()
    if has_package("company"):
        install_package(package)
        for client in filter(has_package, ("eglot", "lsp-mode")):
            name = f"Emacs, {client}"
            seen[name] = Emacs(package, client, project(name), SERVER, environment).type_fast()
    return seen


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = {
            editor: {
                "lists": len(seen["lists"]),
                "most_computed_ms": round(seen["most_computed_ms"], 1),
                "collecting_ms": round(seen.get("collecting_ms", 0.0), 1),
                "longest_ms": round(seen["longest_ms"], 1),
            }
            for editor, seen in measure(Path(folder), options.entries).items()
        }
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'':18}{'lists':>6}{'computed at most':>18}{'of it garbage':>15}{'longest turn':>14}")
    for editor, row in rows.items():
        computed, longest = f"{row['most_computed_ms']} ms", f"{row['longest_ms']} ms"
        garbage = f"{row['collecting_ms']} ms"
        print(f"{editor:18}{row['lists']:>6}{computed:>18}{garbage:>15}{longest:>14}")


if __name__ == "__main__":
    main()
