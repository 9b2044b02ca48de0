"""What a `cite-lsp.toml` may decide: it comes with the draft, from whoever wrote it.

What an editor says after the start may decide no more: it may have read that from a file of the
workspace as well.
"""

from __future__ import annotations

from collections.abc import Mapping
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
_LISTS = ("bibliography", "corpora")
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
    settings = {name: _seen_from(folder, name, value) for name, value in by_name(values)}
    allowed, complaints = allowed_settings(settings, source, folder, paths)
    return allowed, tuple(filter(None, (unreadable, *complaints)))


def later_settings(
    values: Mapping[str, Any], at_start: Mapping[str, Any], folder: Path, paths: WorkspacePaths
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return what an editor may decide after the start, and complaints about the rest.

    It may read such settings from the workspace, so they count as those of a `cite-lsp.toml` in
    the workspace's first folder; but what was said at the start as well is taken for granted.
    """
    settings_at_start = dict(by_name(at_start))
    new = {name: value for name, value in by_name(values) if settings_at_start.get(name) != value}
    return allowed_settings(new, LATER, folder, paths)


def allowed_settings(
    values: Mapping[str, Any], source: str, folder: Path, paths: WorkspacePaths
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return the settings that a file of a folder may decide, by full names, and complaints.

    Where entries go is judged when one is added: that depends on the draft, and on what the file
    holds by then.
    """
    settings, allowed = dict(by_name(values)), {}
    doubted = [name for name in _CHOICES if name in settings and paths.trusted is False]
    complaints = []
    if doubted:
        ignored = ", ".join(doubted)
        complaints.append(f"{source}: until the workspace is trusted, this is ignored: {ignored}")
    for name, value in settings.items():
        if name in doubted:
            continue
        items = value if isinstance(value, list) else [value]
        refusals = {
            item: refusal
            for item in items
            if isinstance(item, str) and (refusal := _refusal(name, item, folder, paths))
        }
        complaints += [f"{source}: {refusal}" for refusal in refusals.values()]
        if not refusals:
            allowed[name] = value
        elif name in _LISTS:
            allowed[name] = [item for item in items if item not in refusals]
    return allowed, tuple(complaints)


def _refusal(name: str, value: str, folder: Path, paths: WorkspacePaths) -> str:
    """Return why a file may not name a value for a setting, or in the list of one; "" if it may.

    Whoever wrote the file, which is handed on with the draft, must not decide where text is sent,
    which server is trusted or what is loaded, and the file is no place for a secret.
    """
    if name in ACCESS:
        return (
            f"{name} is ignored, as others may read or write it: name it in {_OWN_SETTINGS} or in "
            "the environment, and take it out here"
        )
    if name == "corpora" and value.startswith("milvus+"):
        address = SECRET.sub("…@", value)
        return f"the remote corpus {address} is ignored: name it in {_OWN_SETTINGS}"
    if name in _MODELS and is_model_folder(value) and not paths.may_load_models:
        return (
            f"{name} names the folder {value}, which is ignored, as nobody has trusted this "
            f"workspace; {_ALLOW}"
        )
    path, is_style = folder / expanded(value), value.lower().endswith(".csl")
    if (name == "bibliography" and value and not paths.may_read(path)) or (
        name == "hover.style" and is_style and not paths.admits(path)
    ):
        return (
            f"{name} names {value}, which is ignored, as it leads outside a workspace that nobody "
            f"has trusted; {_ALLOW}"
        )
    return ""


def is_model_folder(model: str) -> bool:
    """Whether the name of a model, as seen from a settings file, leads to a folder.

    One that is installed or ships has a name, as has one of the hub; no path is among them.
    """
    if not model or _has_name(model):
        return False
    parts = model.split("/")
    hub = len(parts) <= 2 and all(map(_MODEL_NAME.fullmatch, parts))
    return not hub or expanded(model).is_dir()


def _seen_from(folder: Path, name: str, value: object) -> object:
    match name, value:
        case "bibliography", [*paths]:
            return [_seen_from(folder, name, path) for path in paths]
        case "bibliography" | "addEntriesTo", str(path) if path:
            return str(folder / expanded(path))
        case "hover.style", str(style) if style.lower().endswith(".csl"):
            return str(folder / expanded(style))
        case "encoder" | "translator", str(model) if model and not _has_name(model):
            model_folder = folder / expanded(model)
            return str(model_folder) if model_folder.is_dir() else model
    return value


def _has_name(model: str) -> bool:
    """Whether a model is one that ships or is installed, whatever folder is called like it."""
    return model in ("default", "dictionary") or (
        bool(_MODEL_NAME.fullmatch(model))
        and any(folder.is_dir() for folder in (shipped_model(model), models_folder() / model))
    )
