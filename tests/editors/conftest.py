"""What the tests in real editors share: a folder with drafts, the server's command, the editors.

The drafts are copies of the demo; a test is skipped, and says so, where its editor is missing.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests import warm_server
from tests.editors.emacs import Emacs, has_package, install_package
from tests.editors.neovim import Neovim, Program, find_neovims

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"

MARKDOWN = """\
---
bibliography: references.bib
---

# 引用推荐 😀

Siamese training makes sentence vectors whose cosine can be trusted [@].

深度学习 😀 双向编码器 masked words are predicted by a bidirectional encoder [@].

Older word vectors had nothing to say about a term that was missing from the training data, until
words came to be described by the pieces of spelling they are made of.
"""

CHINESE = """\
---
bibliography: references.bib
---

预训练语言模型用双向编码器预测被遮住的词 [@]。
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("editor")
            if {"neovim", "emacs"} & set(getattr(item, "fixturenames", ())):
                item.add_marker("slow")


@pytest.fixture(scope="session")
def server() -> list[str]:
    """The command line of the server in this checkout."""
    return list(warm_server.serve())


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with an empty home; the caches of cite-lsp are shared by the session."""
    home = tmp_path_factory.mktemp("home")
    own = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
    return {
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        **own,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "CITE_LSP_HOME": str(home / "cite-lsp"),
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture
def drafts(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A folder with the demo's draft and library, and a Markdown draft with Chinese and emoji.

    Nothing is known of corpora and drafts of other tests.
    """
    home = Path(environment["CITE_LSP_HOME"])
    for left in (home / "corpora", home / "cache" / "drafts"):
        shutil.rmtree(left, ignore_errors=True)
    folder = tmp_path / "论文 drafts"
    folder.mkdir()
    for name in ("paper.tex", "references.bib"):
        shutil.copy(DEMO / name, folder / name)
    (folder / "notes.md").write_text(MARKDOWN, encoding="utf-8")
    # The default level is sparing; here there are to be sentences to go through.
    (folder / "cite-lsp.toml").write_text('[missing]\nlevel = "balanced"\n', encoding="utf-8")
    return folder


NEOVIMS: list[Program | None] = [*find_neovims()] or [None]


@pytest.fixture(params=NEOVIMS, ids=lambda program: program.version if program else "")
def neovim(
    request: pytest.FixtureRequest, drafts: Path, server: list[str], environment: dict[str, str]
) -> Neovim:
    """Every Neovim of the machine, in the folder with the drafts."""
    if request.param is None:
        pytest.skip("needs Neovim: .ci/editors installs it")
    return Neovim(request.param.program, drafts, server, environment)


@pytest.fixture(scope="session")
def emacs_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the Emacs package, compiled."""
    folder = tmp_path_factory.mktemp("cite-lsp.el")
    if shutil.which("emacs"):
        install_package(folder)
    return folder


@pytest.fixture(params=["eglot", "lsp-mode"])
def emacs(
    request: pytest.FixtureRequest,
    emacs_package: Path,
    drafts: Path,
    server: list[str],
    environment: dict[str, str],
) -> Emacs:
    """Emacs with each of its two clients, in the folder with the drafts."""
    if not has_package(request.param):
        pytest.skip(f"needs Emacs with {request.param}: .ci/editors installs it")
    return Emacs(emacs_package, request.param, drafts, server, environment)
