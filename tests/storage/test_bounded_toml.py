"""TOML nested deeply is refused in a line, whichever way it is nested."""

from __future__ import annotations

import pytest

from cite_lsp.storage.bounded_toml import load_toml


def test_settings_are_read() -> None:
    assert load_toml('a.b = "../../x.bib"\n[c]\nd = [1.5, {e = 2}]\n') == {
        "a": {"b": "../../x.bib"},
        "c": {"d": [1.5, {"e": 2}]},
    }


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 100_000 + " = 1",
        "[a" + " . a" * 100_000 + "]",
        "a = " + "[" * 100_000,
        "a = " + "{b = " * 100_000,
        "a = ",
    ],
)
def test_what_is_deep_or_broken_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        load_toml(text)
