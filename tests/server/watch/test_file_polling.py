"""Which bibliographies are looked at now and then, as the client does not tell of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cite_lsp.server.rpc.capabilities import Client
from cite_lsp.server.session.documents import DocumentStore
from cite_lsp.server.session.engine import Engine, Setup
from cite_lsp.server.watch.file_polling import bibliography_stamps

NAMES = ["desk/open.bib", "desk/refs.bib", "desk/zotero.sqlite", "refs.bib"]


@pytest.mark.parametrize(
    ("client", "workspace", "followed"),
    [
        (Client(), "desk", NAMES[1:]),
        (Client(file_watching=True), "desk", NAMES[2:]),
        (Client(file_watching=True), "link", NAMES[2:]),
        (Client(file_watching=True), "", NAMES[1:]),
    ],
)
def test_what_the_client_tells_of_is_not_followed(
    client: Client, workspace: str, followed: list[str], tmp_path: Path
) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "desk")
    engine = Engine(DocumentStore())
    engine.configure(Setup("default", workspaces=(tmp_path / workspace,) if workspace else ()))
    paths = [tmp_path / name.replace("desk", workspace or "desk") for name in NAMES]
    library = SimpleNamespace(bibliographies=[SimpleNamespace(path=path) for path in paths])
    request: Any = SimpleNamespace(
        is_bibliography=False,
        draft=lambda: SimpleNamespace(library=library),
        snapshot={paths[0]: None},
        client=client,
        engine=engine,
    )
    found = [path for path, _ in bibliography_stamps(request)]
    assert found == [path for path, name in zip(paths, NAMES, strict=True) if name in followed]
