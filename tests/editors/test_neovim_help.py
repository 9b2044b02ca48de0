"""`:help cite-lsp` in a Neovim into which the plugin was copied as its README says."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.editors.neovim import PLUGIN, Neovim


def install(home: Path) -> Path:
    """Follow the steps of the README; return the copy of the plugin."""
    plugin = home / ".local/share/nvim/site/pack/cite-lsp/start/cite-lsp"
    shutil.copytree(PLUGIN, plugin, ignore=shutil.ignore_patterns("tags"))
    init = home / ".config" / "nvim" / "init.lua"
    init.parent.mkdir(parents=True)
    init.write_text("require('cite_lsp').setup({ autocomplete = true })\n", encoding="utf-8")
    return plugin


def page(neovim: Neovim, home: Path, subject: str) -> str:
    """Return the page that `:help` opens and the line it opens it at, or what went wrong."""
    environment: Mapping[str, str] = {
        name: value for name, value in neovim.environment.items() if not name.startswith("XDG_")
    }
    shown = "echo expand('%:t') getline('.')"
    show = f"try | help {subject} | {shown} | catch | echo v:exception | endtry"
    done = subprocess.run(
        [neovim.program, "--headless", "-n", "-i", "NONE", "-c", show, "-c", "qa!"],
        env={**environment, "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stderr


def test_the_installed_plugin_answers_help(neovim: Neovim, tmp_path: Path) -> None:
    plugin = install(tmp_path)
    assert "cite-lsp.txt" in page(neovim, tmp_path, "cite-lsp")
    assert "*cite-lsp-setup*" in page(neovim, tmp_path, "cite-lsp-setup")
    # A newer copy has other pages.
    text = plugin / "doc" / "cite-lsp.txt"
    text.write_text(text.read_text(encoding="utf-8") + "\n*cite-lsp-news*\n", encoding="utf-8")
    later = (plugin / "doc" / "tags").stat().st_mtime + 10
    os.utime(text, (later, later))
    assert "*cite-lsp-news*" in page(neovim, tmp_path, "cite-lsp-news")


def test_where_the_folder_may_not_be_changed_nothing_is_said(
    neovim: Neovim, tmp_path: Path
) -> None:
    plugin = install(tmp_path)
    tags = plugin / "doc" / "tags"
    tags.mkdir()  # root may write into any folder
    os.utime(tags, (0, 0))
    said = page(neovim, tmp_path, "help")
    assert "help.txt" in said and "Error" not in said and "E152" not in said
