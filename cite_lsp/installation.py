"""How this copy of cite-lsp was installed, and so how an extra is added to it.

No message names the bare package: whoever registers that name in a public registry would be run on
every machine where the message is followed.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from attrs import frozen

from cite_lsp.lazy_re import lazy_re

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_NAME = "cite-lsp"
_EXTRA = lazy_re(r"extra\s*==\s*['\"]([\w-]+)")
_REQUIRED = lazy_re(r"[\w.-]+")


@frozen
class Source:
    """What cite-lsp was installed from: a path, or the address of a repository or a wheel."""

    where: str
    local: bool
    editable: bool = False

    def with_extras(self, extras: list[str]) -> str:
        """Return the requirement, as uv, pipx and pip read it, that has extras too."""
        names = ",".join(extras)
        return f"{self.where}[{names}]" if self.local else f"{_NAME}[{names}] @ {self.where}"


def how_to_install(extra: str) -> str:
    """Return how to install an extra, as a part of a sentence: "run `...`".

    The command installs from where this copy was installed, by the tool that installed it. Where
    that is not known any more, it is the one for a checkout.
    """
    installed = _installed(_NAME)
    source = _source(installed)
    if source is None:
        return f'run `pip install ".[{extra}]"` in the checkout of {_NAME}'
    return f"run `{_command(installed, source, extra)}`"


def _source(installed: Distribution | None) -> Source | None:
    """Return where this copy came from, or None where that is not known or not there any more."""
    origin_json = installed.read_text("direct_url.json") if installed is not None else None
    if origin_json is None:  # not installed, or from an index
        checkout = Path(__file__).parents[1]
        return Source(str(checkout), local=True) if _is_checkout(checkout) else None
    origin = json.loads(origin_json)
    url = str(origin["url"])
    if "vcs_info" in origin:
        version = origin["vcs_info"]
        revision = f"@{requested}" if (requested := version.get("requested_revision")) else ""
        return Source(f"{version['vcs']}+{url}{revision}", local=False)
    if urlsplit(url).scheme != "file":
        return Source(url, local=False)
    path = _path(url)
    if not path.exists():
        return None
    return Source(str(path), local=True, editable=bool(origin.get("dir_info", {}).get("editable")))


def _is_checkout(folder: Path) -> bool:
    try:
        return f'name = "{_NAME}"' in (folder / "pyproject.toml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _path(url: str) -> Path:
    parts = urlsplit(url)
    host = f"//{parts.netloc}" if parts.netloc not in ("", "localhost") else ""
    path = host + unquote(parts.path)
    # file:///C:/folder names the drive behind a slash that is none of the path.
    return Path(path[1:] if re.match(r"/[A-Za-z]:", path) else path)


def _command(installed: Distribution | None, source: Source, extra: str) -> str:
    prefix = Path(sys.prefix)
    editable = "--editable " if source.editable else ""
    if (prefix / "uv-receipt.toml").is_file():
        # It makes the environment anew: what is not named is not there any more.
        with_extra = source.with_extras(_with_installed_extras(installed, extra))
        return f"uv tool install --reinstall {editable}{_quoted(with_extra)}"
    if (prefix / "pipx_metadata.json").is_file():
        with_extra = source.with_extras(_with_installed_extras(installed, extra))
        return f"pipx install --force {editable}{_quoted(with_extra)}"
    requirement = _quoted(source.with_extras([extra]))
    plain = re.fullmatch(r"[\w./\\:+-]+", sys.executable)
    python = sys.executable if plain else _quoted(sys.executable)
    installer = installed.read_text("INSTALLER") if installed is not None else None
    if (installer or "").strip() == "uv":  # its environments lack pip
        return f"uv pip install --python {python} {editable}{requirement}"
    return f"{python} -m pip install {editable}{requirement}"


def _quoted(text: str) -> str:
    """Return a text in quotes, as a shell reads it; nothing else in a path of Windows needs any."""
    plain = sys.platform == "win32" or not re.search(r'["$`\\!]', text)
    return f'"{text}"' if plain else shlex.quote(text)


def _with_installed_extras(installed: Distribution | None, extra: str) -> list[str]:
    """Return the extras whose packages are all here, and one more."""
    missing: dict[str, bool] = {}
    for line in (installed.requires or []) if installed is not None else []:
        named, package = _EXTRA.search(line), _REQUIRED.match(line)
        if named and package:
            missing[named[1]] = missing.get(named[1], False) or _installed(package[0]) is None
    present = {name for name, lacks in missing.items() if not lacks}
    return sorted(present | {extra})


def _installed(package: str) -> Distribution | None:
    # Imported where needed: only advice in errors needs it.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(package)
    except PackageNotFoundError:
        return None
