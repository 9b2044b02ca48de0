"""What every recipe says when it cannot go on."""

from __future__ import annotations

import importlib

from cite_lsp.errors import CiteLspError
from cite_lsp.installation import how_to_install
from cite_lsp.paths import keep_torch_files


class TrainingError(CiteLspError):
    """Nothing can be learned; the message says why and what to do, in one line."""


class OptionError(Exception):
    """The options of a recipe do not go together; the message says which, in one line."""


def require(*packages: str) -> None:
    """Make sure that packages can be imported, before hours of work.

    Raises:
        TrainingError: one cannot.
    """
    keep_torch_files()
    for name in packages:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:  # OSError: a library beneath it is missing
            raise TrainingError(
                f"training needs {name} ({error}); {how_to_install('train')}"
            ) from error
