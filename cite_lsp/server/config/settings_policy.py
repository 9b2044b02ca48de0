"""What a `cite-lsp.toml` may decide: it comes with the draft, from whoever wrote it.

What an editor says after the start may decide no more: it may have read that from a file of the
workspace as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.paths import SETTINGS_FILE, expanded, models_folder, shipped_model
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.config.options import ACCESS, SECRET, by_name
from cite_lsp.server.config.settings_files import read_file

LATER = "settings of the editor"
"""What an editor says after the start, as complaints call it."""
_CHOICES = ("addEntriesTo", "corpora", "encoder", "hover.style", "translator")
"""The settings that choose which file is written, which models and files of styles are loaded, and
what is searched."""
_MODELS = ("encoder", "translator")
_MODEL_NAME = lazy_re(r"[\w-][\w.-]*")
_OWN_SETTINGS = "the editor's own settings (initializationOptions)"
_ALLOW = (
    f"name it in {_OWN_SETTINGS} or as an option of the command, or let the editor say "
    '"trusted": true'
)


def file_settings(folder: Path, paths: WorkspacePaths) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return what the `cite-lsp.toml` of a folder may decide, and complaints about the rest.

    Paths in it are as seen from the folder; a model is one where the folder has it. `paths` says
    which of them it may name.
    """
    values, unreadable = read_file(folder)
    source = str(folder / SETTINGS_FILE)
    values, complaints = _allowed(with_own_paths(values, folder), source, folder, paths)
    return values, tuple(filter(None, (unreadable, *complaints)))


def later_settings(
    values: Mapping[str, Any], at_start: Mapping[str, Any], folder: Path, paths: WorkspacePaths
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return what an editor may decide after the start, and complaints about the rest.

    It may read such settings from the workspace, so they count as those of a `cite-lsp.toml` in
    the workspace's first folder; but what was said at the start as well is taken for granted.
    """
    known = dict(by_name(at_start))
    new = {name: value for name, value in by_name(values) if known.get(name) != value}
    return _allowed(new, LATER, folder, paths)


def _allowed(
    values: Mapping[str, Any], source: str, folder: Path, paths: WorkspacePaths
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return the settings that a file of a folder may decide, and complaints about the rest."""
    values, choices = without_choices(values, source) if paths.trusted is False else (values, "")
    values, addresses = without_addresses(values, source)
    values, access = without_access(values, source)
    values, ignored = without_refused_paths(values, source, folder, paths)
    return values, tuple(filter(None, (choices, addresses, access, *ignored)))


def without_addresses(values: Mapping[str, Any], source: str) -> tuple[Mapping[str, Any], str]:
    """Return the settings of a file without remote corpora, and a complaint or "".

    A file comes with the draft, from whoever wrote it: it must not decide where text is sent.
    """
    named = values.get("corpora")
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list):
        return values, ""
    remote = [name for name in names if isinstance(name, str) and name.startswith("milvus+")]
    if not remote:
        return values, ""
    local = [name for name in names if name not in remote]
    return {**values, "corpora": local}, (
        f"{source}: the remote corpus {SECRET.sub('…@', remote[0])} is ignored: name it in "
        f"{_OWN_SETTINGS}"
    )


def without_access(values: Mapping[str, Any], source: str) -> tuple[Mapping[str, Any], str]:
    """Return the settings of a file without what opens remote corpora, and a complaint or "".

    A file that is handed on with the draft is no place for a secret, and whoever wrote it must not
    decide which server is trusted.
    """
    remaining, named = _without(values, ACCESS)
    if not named:
        return values, ""
    are, them = ("are", "them") if len(named) > 1 else ("is", "it")
    return remaining, (
        f"{source}: {' and '.join(named)} {are} ignored, as others may read or write {them}: name "
        f"{them} in {_OWN_SETTINGS} or in the environment, and take {them} out here"
    )


def without_choices(values: Mapping[str, Any], source: str) -> tuple[Mapping[str, Any], str]:
    """Return the settings of a file that choose no model, and a complaint or "".

    For a workspace that the writer does not trust: whoever wrote the file chose what is loaded.
    """
    remaining, chosen = _without(values, _CHOICES)
    if not chosen:
        return values, ""
    return (
        remaining,
        f"{source}: until the workspace is trusted, this is ignored: {', '.join(chosen)}",
    )


def without_refused_paths(
    values: Mapping[str, Any], source: str, folder: Path, paths: WorkspacePaths
) -> tuple[Mapping[str, Any], list[str]]:
    """Return the settings of a file without the paths that it may not name, and complaints.

    The settings are by their full names, paths as seen from a folder. Where entries go is judged
    when one is added: that depends on the draft, and on what the file holds by then.
    """
    allowed = dict(values)
    complaints: list[str] = []
    for name in _MODELS:
        model = allowed.get(name)
        if isinstance(model, str) and is_model_folder(model) and not paths.may_load_models:
            del allowed[name]
            complaints.append(
                f"{source}: {name} names the folder {model}, which is ignored, as nobody has "
                f"trusted this workspace; {_ALLOW}"
            )
    style = allowed.get("hover.style")
    if isinstance(style, str) and style.lower().endswith(".csl"):
        if not paths.admits(folder / expanded(style)):
            del allowed["hover.style"]
            complaints.append(_outside(source, "hover.style", style))
    named = allowed.get("bibliography")
    listed = [named] if isinstance(named, str) else named
    if isinstance(listed, list):
        refused = [
            path
            for path in listed
            if isinstance(path, str) and path and not paths.may_read(folder / expanded(path))
        ]
        if refused:
            allowed["bibliography"] = [path for path in listed if path not in refused]
            complaints += [_outside(source, "bibliography", path) for path in refused]
    return allowed, complaints


def is_model_folder(model: str) -> bool:
    """Whether the name of a model, as seen from a settings file, leads to a folder.

    One that is installed or ships has a name, as has one of the hub; no path is among them.
    """
    if not model or _has_name(model):
        return False
    parts = model.split("/")
    hub = len(parts) <= 2 and all(map(_MODEL_NAME.fullmatch, parts))
    return not hub or expanded(model).is_dir()


def _outside(source: str, name: str, path: str) -> str:
    return (
        f"{source}: {name} names {path}, which is ignored, as it leads outside a workspace that "
        f"nobody has trusted; {_ALLOW}"
    )


def _without(
    values: Mapping[str, Any], names: Sequence[str]
) -> tuple[Mapping[str, Any], list[str]]:
    """Return settings by their full names without some, and the names of those that were there."""
    remaining = dict(by_name(values))
    return remaining, [name for name in names if remaining.pop(name, None) is not None]


def with_own_paths(values: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return the settings of a folder's file by their full names, paths as seen from the folder."""
    return {name: _seen_from(folder, name, value) for name, value in by_name(values)}


def _seen_from(folder: Path, name: str, value: object) -> object:
    match name, value:
        case "bibliography", [*paths]:
            return [_seen_from(folder, name, path) for path in paths]
        case "bibliography" | "addEntriesTo", str(path) if path:
            return str(folder / expanded(path))
        case "hover.style", str(style) if style.lower().endswith(".csl"):
            return str(folder / expanded(style))
        case "encoder" | "translator", str(model) if model and not _has_name(model):
            own = folder / expanded(model)
            return str(own) if own.is_dir() else model
    return value


def _has_name(model: str) -> bool:
    """Whether a model is one that ships or is installed, whatever folder is called like it."""
    return model in ("default", "dictionary") or (
        bool(_MODEL_NAME.fullmatch(model))
        and any(folder.is_dir() for folder in (shipped_model(model), models_folder() / model))
    )
