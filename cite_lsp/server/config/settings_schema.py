"""The JSON schema of `cite-lsp.toml`, made from the options.

`python -m cite_lsp.server.config.settings_schema` prints it, in draft 4, which TOML editors read.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from typing import Any

from attrs import fields, has

from cite_lsp.server.config.options import ACCESS, Options, camel_case


def settings_schema() -> dict[str, Any]:
    """Return the schema of the settings that a `cite-lsp.toml` may hold."""
    return {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "cite-lsp.toml",
        **_table(Options(), ""),
        "description": "Settings of cite-lsp for the drafts in this folder and below.",
    }


def _table(options: Any, prefix: str) -> dict[str, Any]:  # noqa: ANN401 - any options class
    """Return the schema of a table: what each setting does and may be, and its default."""
    texts = _texts(type(options))
    properties = {}
    for attribute in fields(type(options)):
        name = camel_case(attribute.name)
        value = getattr(options, attribute.name)
        if f"{prefix}{name}" in ACCESS:  # which only editors may set
            continue
        if has(type(value)):
            summary = (type(value).__doc__ or "").partition(": ")[2]
            properties[name] = {
                "description": summary[:1].upper() + summary[1:],
                **_table(value, f"{prefix}{name}."),
            }
            continue
        if isinstance(value, tuple):
            value = list(value)
        default = {} if value is None else {"default": value}
        properties[name] = {
            "description": texts[attribute.name],
            **attribute.metadata["kind"].shape,
            **default,
        }
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _texts(options: type) -> dict[str, str]:
    """Return what the docstring below each attribute of a class says."""
    (defined,) = ast.parse(inspect.getsource(options)).body
    assert isinstance(defined, ast.ClassDef)
    texts = {}
    for attribute, below in zip(defined.body, defined.body[1:], strict=False):
        match attribute, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                texts[name] = " ".join(text.split())
    return texts


if __name__ == "__main__":
    sys.stdout.write(json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n")
