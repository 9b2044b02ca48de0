"""The settings that VS Code shows are those that the server has, with the same defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from cite_lsp.server.config.options import SECTION, Options, camel_case, read_options

MANIFEST = Path(__file__).parents[3] / "editors" / "vscode" / "package.json"
if not MANIFEST.exists():
    pytest.skip("the extension is not part of this copy", allow_module_level=True)

OF_THE_EXTENSION = {"server.path", "server.package", "suggest.enabled", "trace.server"}


def shown() -> dict[str, dict[str, Any]]:
    """The settings in the manifest by their names without the section."""
    groups = json.loads(MANIFEST.read_text(encoding="utf-8"))["contributes"]["configuration"]
    settings = {name: value for group in groups for name, value in group["properties"].items()}
    return {name.removeprefix(f"{SECTION}."): value for name, value in settings.items()}


def known(options: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    """The settings of the server with their defaults."""
    kind = type(options)
    assert attrs.has(kind)
    for attribute in attrs.fields(kind):
        name, value = prefix + camel_case(attribute.name), getattr(options, attribute.name)
        if attrs.has(type(value)):
            yield from known(value, f"{name}.")
        else:
            yield name, list(value) if isinstance(value, tuple) else value


def test_every_setting_of_the_server_is_shown_with_its_default() -> None:
    server = dict(known(Options()))

    assert server == {
        name: setting["default"]
        for name, setting in shown().items()
        if name not in OF_THE_EXTENSION
    }


@pytest.mark.parametrize("name", sorted(set(shown()) - OF_THE_EXTENSION))
def test_what_is_offered_for_a_setting_is_what_the_server_takes(name: str) -> None:
    setting = shown()[name]

    not_set = ("", None)
    for value in setting.get("enum", [setting["default"]]):
        if value in not_set:
            continue
        _, complaints = read_options(("VS Code", {name: value}))
        assert complaints == ()


def test_every_setting_is_described() -> None:
    assert all(len(setting["markdownDescription"]) > 20 for setting in shown().values())
