from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, parse_bibliography


@pytest.fixture
def parsed() -> Callable[[str], Bibliography]:
    return lambda text: parse_bibliography(text, Path("/drafts/refs.bib"))
