"""The schema of `cite-lsp.toml` says what the server says of the file, and is up to date."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from attrs import fields, has
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.config.options import ACCESS, Options, by_name, camel_case, read_options
from cite_lsp.server.config.settings_files import read_file
from cite_lsp.server.config.settings_policy import allowed_settings
from cite_lsp.server.config.settings_schema import settings_schema

FILE = Path(__file__).parents[3] / "docs" / "cite-lsp.schema.json"
SCHEMA = settings_schema()
VALIDATOR = Draft4Validator(SCHEMA)


def settings(options: Any, prefix: str = "") -> Iterator[str]:  # noqa: ANN401 - any options class
    """The full names of all settings."""
    for attribute in fields(type(options)):
        value, name = getattr(options, attribute.name), prefix + camel_case(attribute.name)
        if has(type(value)):
            yield from settings(value, f"{name}.")
        else:
            yield name


NAMES = sorted(settings(Options()))
IN_FILES = [name for name in NAMES if name not in ACCESS]


def nested(name: str, value: object) -> dict[str, Any]:
    """One setting as a file has it."""
    for part in reversed(name.split(".")):
        value = {part: value}
    assert isinstance(value, dict)
    return value


def setting(name: str) -> dict[str, Any]:
    """What the schema has of a setting."""
    schema: dict[str, Any] = SCHEMA
    for part in name.split("."):
        schema = schema["properties"][part]
    return schema


@pytest.mark.skipif(not FILE.exists(), reason="the documentation is not part of this copy")
def test_the_file_is_what_the_options_make() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == SCHEMA, (
        "run: python -m cite_lsp.server.config.settings_schema >docs/cite-lsp.schema.json"
    )


def test_the_schema_conforms_to_draft_4() -> None:
    Draft4Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"].startswith("http://json-schema.org/draft-04/")


@pytest.mark.parametrize("name", IN_FILES)
def test_every_setting_is_described_in_a_sentence(name: str) -> None:
    text = setting(name)["description"]
    assert text[0] == text[0].upper() and text.endswith(".") and len(text) > 20


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(IN_FILES)))
def test_what_only_an_editor_may_set_is_refused(name: str) -> None:
    assert not VALIDATOR.is_valid(nested(name, "messages"))


def test_the_defaults_are_those_of_the_server() -> None:
    defaults = {name: setting(name)["default"] for name in IN_FILES if "default" in setting(name)}
    values: dict[str, Any] = {}
    for name, value in defaults.items():
        table = values
        *tables, last = name.split(".")
        for part in tables:
            table = table.setdefault(part, {})
        table[last] = value
    assert read_options(("the schema", values)) == (Options(), ())
    assert {name for name, _ in by_name(values)} == set(IN_FILES) - {
        "corpora",  # these have none
        "missing.confidence",
        "missing.threshold",
    }
    VALIDATOR.validate(values)


TEXTS = ["", "x", "a b", "\\Quelle*", " see ", "*", "refs/all.bib", "careful", "onSave", "debug"]
VALUES = st.sampled_from([True, False, -1, 0, 1, 7, 300, 0.5, 1.5, 2.0, *TEXTS]) | st.lists(
    st.sampled_from([True, 3, *TEXTS, "acl", "中文", "milvus+https://host/science"]), max_size=2
)


@given(st.sampled_from(IN_FILES), VALUES)
def test_the_schema_takes_what_the_server_takes(name: str, value: object) -> None:
    assert VALIDATOR.is_valid(nested(name, value)) == (not complaints(nested(name, value)))


@pytest.mark.parametrize("name", ["unknown", "completion.size", "missing.Level", "limit"])
def test_the_schema_takes_no_setting_that_the_server_does_not_know(name: str) -> None:
    assert complaints(nested(name, 1))
    assert not VALIDATOR.is_valid(nested(name, 1))


def complaints(values: dict[str, Any]) -> tuple[str, ...]:
    """What the server complains of in a file with these settings."""
    with TemporaryDirectory() as folder:
        lines = [f"{name} = {json.dumps(value)}\n" for name, value in by_name(values)]
        (Path(folder) / "cite-lsp.toml").write_text("".join(lines), encoding="utf-8")
        read, unreadable = read_file(Path(folder))
    trusted = WorkspacePaths(trusted=True)
    allowed, refusals = allowed_settings(read, "cite-lsp.toml", Path("/paper"), trusted)
    _, wrong = read_options(("cite-lsp.toml", allowed))
    return (*filter(None, (unreadable, *refusals)), *wrong)
