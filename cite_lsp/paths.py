"""Where cite-lsp keeps a user's files: corpora and models, caches.

They live in the platform's user folders; `CITE_LSP_HOME` moves all of them into one folder.
Nothing is created here: whoever writes makes the folder.
"""

from __future__ import annotations

import os
from pathlib import Path

_APPLICATION = "cite-lsp"
SETTINGS_FILE = "cite-lsp.toml"
"""The name of the file of settings that a folder may hold."""


def home() -> Path | None:
    """Return the folder named by `CITE_LSP_HOME`, or None where it is unset or empty."""
    named = os.environ.get("CITE_LSP_HOME", "").strip()
    return expanded(named).absolute() if named else None


def expanded(path: str | Path) -> Path:
    """Return a path with the user's folder for "~"; that of a user who is not known stays."""
    return Path(os.path.expanduser(path))  # where `Path.expanduser` raises


def data_folder() -> Path:
    """Return the folder of what is worth keeping: corpora, installed models."""
    home_folder = home()
    if home_folder is not None:
        return home_folder
    # Imported where needed: with CITE_LSP_HOME no folder of the system is looked up.
    from platformdirs import user_data_path

    return user_data_path(_APPLICATION, appauthor=False)


def cache_folder() -> Path:
    """Return the folder of what can be made again at any time."""
    home_folder = home()
    if home_folder is not None:
        return home_folder / "cache"
    from platformdirs import user_cache_path

    return user_cache_path(_APPLICATION, appauthor=False)


def models_folder() -> Path:
    """Return the folder of checkpoints that the user installed beside those that ship."""
    return data_folder() / "models"


def corpora_folder() -> Path:
    """Return the folder of indexed corpora, one folder each."""
    return data_folder() / "corpora"


def shipped_model(name: str) -> Path:
    """Return the folder of a model that ships: beside the package in a checkout, inside a wheel."""
    package = Path(__file__).parent
    packed = package / "model_zoo" / name
    return packed if packed.is_dir() else package.parent / "model_zoo" / name


def keep_torch_files() -> None:
    """Have torch, Triton and CUDA store what they compile in the cache folder.

    torch looks when it is imported, and makes a folder in that for temporary files otherwise; CUDA
    would make one in the user's. Where somebody has named another one, that stays.
    """
    for variable, name in (("TORCHINDUCTOR_CACHE_DIR", "torch"), ("CUDA_CACHE_PATH", "cuda")):
        os.environ.setdefault(variable, str(cache_folder() / name))
