"""Fast typing in a library of 5,000 entries: nothing that is shown is of a text that is gone.

How long an editor computes meanwhile is measured by `benchmarks/editor_typing.py`.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.editors import typing
from tests.editors.emacs import Emacs, has_package
from tests.editors.neovim import Neovim

ENTRIES = 5000

pytestmark = pytest.mark.slow


def check(seen: dict[str, Any]) -> None:
    assert seen["lists"]
    for shown in seen["lists"]:
        assert shown["filter"].startswith(shown["text"]), shown
    assert seen["lists"][-1]["text"] == "adaptive graph retrieval"
    assert seen["lists"][-1]["items"] == 18
    assert re.fullmatch(re.escape(typing.BEFORE + typing.BEGUN) + r"key\d{5}", seen["line"])


def test_neovim_shows_no_stale_list_and_drops_no_key(neovim: Neovim) -> None:
    typing.write_project(neovim.folder, ENTRIES)
    check(neovim.type_fast())


def test_emacs_shows_no_stale_list_and_drops_no_key(emacs: Emacs) -> None:
    if not has_package("company"):
        pytest.skip("needs company for Emacs: .ci/editors installs it")
    typing.write_project(emacs.folder, ENTRIES)
    check(emacs.type_fast())
