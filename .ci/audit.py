"""Whether a vulnerability is known of a package that constraints.txt names: `audit.py PIP-AUDIT`.

PyPI knows, and cannot be asked everywhere. What it did not tell is said and fails no run; what it
told does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

_PINNED = Path(__file__).parents[1] / "constraints.txt"
_ASK = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")
_PYPI = "https://pypi.org/pypi/pip/json"
_PATIENCE = 20.0


def main(program: str) -> int:
    """Print what is known of the packages, and return the exit status."""
    command = [program, "--requirement", str(_PINNED), *_ASK]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        if _answers(_PYPI):
            print(done.stderr.strip() or f"{program} says nothing")
            return 1
        print("NOT AUDITED: PyPI cannot be asked from here")
        return 0
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown:
        print(f"NOT AUDITED, as PyPI does not tell: {len(unknown)} of {len(packages)} packages")
    flaws = list(_flaws(packages))
    print(*flaws, sep="\n", end="\n" if flaws else "")
    return 1 if flaws else 0


def _flaws(packages: list[dict[str, Any]]) -> Iterator[str]:
    for package in packages:
        for flaw in package.get("vulns", ()):
            mended = ", ".join(flaw["fix_versions"]) or "no version yet"
            yield f"{package['name']} {package['version']}: {flaw['id']}, mended in {mended}"


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=_PATIENCE):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
