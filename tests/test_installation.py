"""A message about an extra tells a command that works: from where this copy came from."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp import installation
from cite_lsp.installation import how_to_install

ROOT = Path(__file__).parents[1]
METADATA = """\
Metadata-Version: 2.4
Name: cite-lsp
Version: 0.1.0
Requires-Dist: attrs>=23.2
Provides-Extra: styles
Requires-Dist: attrs>=1; extra == 'styles'
Provides-Extra: torch
Requires-Dist: attrs>=1; extra == 'torch'
Requires-Dist: no-such-package-anywhere>=1; extra == 'torch'
Provides-Extra: pdf
Requires-Dist: no-such-package-anywhere>=1; extra == 'pdf'
"""
BARE = re.compile(
    r"""\binstall\s+(?:-\S+\s+)*["'`]?cite[-_]lsp(?![\w./:-])"""
    r"""|["'`]cite-lsp\["""
    r"""|\b(?:uvx|pipx\s+run|uv\s+add|uv\s+tool\s+run)\s+["'`]?cite-lsp\b"""
)
"""A command that would take the package of this name from a registry."""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Have cite-lsp be installed: from where, by what, into which environment."""

    def install(
        origin: dict[str, Any] | None, *, installer: str = "pip", receipt: str | None = None
    ) -> None:
        info = tmp_path / "cite_lsp-0.1.0.dist-info"
        prefix = tmp_path / "environment"
        info.mkdir()
        prefix.mkdir()
        (info / "METADATA").write_text(METADATA)
        (info / "INSTALLER").write_text(f"{installer}\n")
        if origin is not None:
            (info / "direct_url.json").write_text(json.dumps(origin))
        if receipt is not None:
            (prefix / receipt).touch()
        real = importlib.metadata.distribution
        here = importlib.metadata.Distribution.at(info)
        monkeypatch.setattr(
            importlib.metadata,
            "distribution",
            lambda name: here if name == "cite-lsp" else real(name),
        )
        monkeypatch.setattr(sys, "prefix", str(prefix))
        monkeypatch.setattr(sys, "executable", "/opt/venv/bin/python")

    return install


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "check out"
    folder.mkdir()
    return folder


def test_pip_installs_from_the_checkout_again(install: Install, checkout: Path) -> None:
    install({"url": checkout.as_uri(), "dir_info": {}})
    assert how_to_install("pdf") == f'run `/opt/venv/bin/python -m pip install "{checkout}[pdf]"`'


def test_what_is_editable_stays_editable(install: Install, checkout: Path) -> None:
    install({"url": checkout.as_uri(), "dir_info": {"editable": True}})
    assert f' --editable "{checkout}[pdf]"`' in how_to_install("pdf")


def test_an_environment_of_uv_has_no_pip(install: Install, checkout: Path) -> None:
    install({"url": checkout.as_uri(), "dir_info": {}}, installer="uv")
    command = f'uv pip install --python /opt/venv/bin/python "{checkout}[pdf]"'
    assert how_to_install("pdf") == f"run `{command}`"


@pytest.mark.parametrize(
    ("receipt", "command"),
    [
        ("uv-receipt.toml", "uv tool install --reinstall"),
        ("pipx_metadata.json", "pipx install --force"),
    ],
)
def test_tools_that_begin_anew_are_given_the_extras_that_are_there_too(
    install: Install, checkout: Path, receipt: str, command: str
) -> None:
    install({"url": checkout.as_uri(), "dir_info": {}}, receipt=receipt)
    assert how_to_install("pdf") == f'run `{command} "{checkout}[pdf,styles]"`'


def test_a_wheel_is_named_as_long_as_it_is_there(install: Install, tmp_path: Path) -> None:
    wheel = tmp_path / "cite_lsp-0.1.0-py3-none-any.whl"
    wheel.touch()
    install({"url": wheel.as_uri(), "archive_info": {}})
    assert f'"{wheel}[pdf]"' in how_to_install("pdf")
    wheel.unlink()
    assert how_to_install("pdf") == 'run `pip install ".[pdf]"` in the checkout of cite-lsp'


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (
            {
                "url": "https://example.org/cite-lsp.git",
                "vcs_info": {"vcs": "git", "commit_id": "0" * 40, "requested_revision": "next"},
            },
            "cite-lsp[pdf] @ git+https://example.org/cite-lsp.git@next",
        ),
        (
            {"url": "https://example.org/cite_lsp-0.1.0-py3-none-any.whl", "archive_info": {}},
            "cite-lsp[pdf] @ https://example.org/cite_lsp-0.1.0-py3-none-any.whl",
        ),
    ],
)
def test_an_address_is_named_again(
    install: Install, origin: dict[str, Any], requirement: str
) -> None:
    install(origin)
    assert f'pip install "{requirement}"`' in how_to_install("pdf")


def test_where_it_came_from_an_index_the_checkout_is_advised(
    install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(None)
    module = tmp_path / "site-packages" / "cite_lsp" / "installation.py"
    monkeypatch.setattr(installation, "__file__", str(module))
    assert how_to_install("pdf") == 'run `pip install ".[pdf]"` in the checkout of cite-lsp'


def test_a_drive_of_windows_is_read() -> None:
    assert installation._path("file:///C:/my%20work/cite-lsp") == Path("C:/my work/cite-lsp")


def test_what_a_shell_would_expand_is_not_expanded(install: Install, tmp_path: Path) -> None:
    folder = tmp_path / "$HOME"
    folder.mkdir()
    install({"url": folder.as_uri(), "dir_info": {}})
    *_, requirement = shlex.split(how_to_install("pdf").split("`")[1])
    assert requirement == f"{folder}[pdf]"


def test_pip_understands_the_command_for_this_very_copy() -> None:
    pytest.importorskip("pip")
    command = shlex.split(how_to_install("no-such-extra").split("`")[1])
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    options = ["--dry-run", "--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    # It went as far as building what lies there, for which an index is needed.
    assert "Invalid requirement" not in done.stderr and "is not a valid" not in done.stderr


def texts() -> Iterator[tuple[Path, str]]:
    """Yield the files in which a writer can read commands."""
    for folder in ("cite_lsp", "docs", "editors", "model_zoo", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            built = {"node_modules", "out", "dist"}.intersection(path.parts)
            if path.is_file() and not built and path.suffix in KINDS:
                yield path, path.read_text(encoding="utf-8")
    yield ROOT / "README.md", (ROOT / "README.md").read_text(encoding="utf-8")


KINDS = {".py", ".md", ".ts", ".mjs", ".json", ".lua", ".el", ".txt", ".toml"}


def test_no_text_tells_to_install_what_a_registry_has_under_our_name() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path, text in texts()
        for line in text.splitlines()
        if BARE.search(line) and "--no-index" not in line
    ]
    assert named == []


@pytest.mark.parametrize(
    "line",
    [
        'pip install "cite-lsp[torch]"',
        "install cite-lsp",
        "uv tool install --reinstall 'cite-lsp'",
        "python -m pip install --upgrade cite_lsp",
        'needs Ray; install "cite-lsp[cluster]"',
        "uvx cite-lsp serve",
    ],
)
def test_a_command_that_asks_a_registry_is_seen(line: str) -> None:
    assert BARE.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "uv tool uninstall cite-lsp",
        "pipx uninstall cite-lsp",
        "code --install-extension cite-lsp.vsix",
        'uv tool install ".[styles,pdf]"',
    ],
)
def test_other_commands_are_left_alone(line: str) -> None:
    assert BARE.search(line) is None
