"""Starting is quick, because nothing heavy is loaded before the client is answered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import EDITORS, Session
from tests.warm_server import SERVE

HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "onnxruntime",
    "numpy",
    "tokenizers",
    "lxml",
)


@pytest.mark.parametrize(
    "start",
    [
        "import cite_lsp.server",
        "from cite_lsp.server.app import create_server; create_server()",
        "from cite_lsp.cli import build_parser; build_parser().parse_args(['serve'])",
    ],
)
def test_nothing_heavy_is_loaded_on_the_way_to_the_first_answer(start: str) -> None:
    code = f"import sys; {start}; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_command_line_leaves_the_protocol_to_the_server() -> None:
    """What imports its types first decides how long that takes: `rpc/quick_types.py`."""
    code = "import sys, cite_lsp.cli.serve_command; print('lsprotocol' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


@pytest.mark.parametrize("editor", EDITORS)
async def test_the_capabilities_suit_the_editor(folder: Path, editor: str) -> None:
    async with Session(folder, editor) as session:
        capabilities = session.result.capabilities
        assert capabilities.completion_provider is not None
        assert capabilities.completion_provider.resolve_provider
        assert capabilities.hover_provider and capabilities.definition_provider
        assert capabilities.type_definition_provider and capabilities.implementation_provider
        assert capabilities.references_provider and capabilities.rename_provider
        assert capabilities.document_symbol_provider and capabilities.workspace_symbol_provider
        assert capabilities.document_link_provider and capabilities.diagnostic_provider
        assert capabilities.inlay_hint_provider and capabilities.code_lens_provider
        assert (
            isinstance(capabilities.rename_provider, bool)
            or capabilities.rename_provider.prepare_provider
        )
        assert isinstance(capabilities.code_action_provider, types.CodeActionOptions)
        sync = capabilities.text_document_sync
        assert isinstance(sync, types.TextDocumentSyncOptions)
        assert sync.change == types.TextDocumentSyncKind.Incremental
        assert sync.save
        expected = {"emacs": "utf-32", "neovim@v0.11": "utf-8"}.get(editor, "utf-16")
        assert capabilities.position_encoding == expected


async def test_the_exit_status_tells_whether_the_client_said_goodbye(folder: Path) -> None:
    session = Session(folder, command=SERVE)
    async with session:
        pass
    assert session.client._server is not None
    assert session.client._server.returncode == 0
    rude = Session(folder, command=SERVE)
    async with rude:
        rude.client.exit(None)
        assert rude.client._server is not None
        assert await rude.client._server.wait() == 1
        rude.client.capabilities = None  # no server is left to shut down


SETTINGS = """
import os, sys
from types import SimpleNamespace
from cite_lsp.server import app

def show(stdout):
    assert "numpy" not in sys.modules
    print(os.environ["OPENBLAS_NUM_THREADS"], file=sys.stderr, flush=True)

over = SimpleNamespace(ended_well=True)
app.run(SimpleNamespace(start_io=show, close=int, protocol=over))
"""

COLLECTION = SETTINGS.replace("import os,", "import gc, os,").replace(
    'print(os.environ["OPENBLAS_NUM_THREADS"],',
    "print(gc.get_freeze_count(), gc.collect() and gc.get_freeze_count() > 10_000,",
)


@pytest.mark.parametrize(("before", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_products_of_matrices_stay_on_a_single_thread_unless_set_otherwise(
    before: dict[str, str], threads: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", SETTINGS],
        env={**environment, **before},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.split() == [threads]


def test_what_was_no_garbage_once_is_not_looked_through_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLLECTION], capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["0", "True"]
