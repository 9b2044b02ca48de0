"""A real server process, driven by a client that has the capabilities of a real editor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

from tests import warm_server

CURSOR = "¦"
EDITORS = ("neovim@v0.7", "neovim@v0.11", "visual_studio_code", "emacs")
PATIENCE = 240.0
"""Seconds after which a wait is given up. No test takes them where all is well, and how long a
machine takes that does other things as well says nothing."""

BIBLIOGRAPHY = """\
@inproceedings{vaswani2017attention,
  title = {Attention Is All You Need},
  author = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2017},
  abstract = {A network for translation that is built from attention alone.},
  doi = {10.5555/3295222},
}

@inproceedings{devlin2019bert,
  title = {{BERT}: Pre-training of Deep Bidirectional Transformers},
  author = {Devlin, Jacob and Chang, Ming-Wei},
  booktitle = {NAACL},
  year = {2019},
}

@inproceedings{he2016resnet,
  title = {Deep Residual Learning for Image Recognition},
  author = {He, Kaiming},
  booktitle = {CVPR},
  year = {2016},
}

@book{DBLP:books/lib/Knuth86a,
  title = {The {\\TeX}book},
  author = {Knuth, Donald E.},
  publisher = {Addison-Wesley},
  year = {1986},
}

@article{müller2020,
  title = {Über die Ähnlichkeit von Sätzen},
  author = {M{\\"u}ller, J{\\"o}rg},
  journal = {Sprache},
  year = {2020},
}

@article{李明2021,
  title = {基于深度学习的文本分类研究},
  author = {李明},
  journal = {计算机学报},
  year = {2021},
}
"""


def units(text: str, encoding: str) -> int:
    """Return the length of a text as the protocol counts it."""
    codec, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[
        encoding
    ]
    return len(text.encode(codec)) // size


class Buffer:
    """A document in the editor, with a cursor."""

    def __init__(self, session: Session, path: Path, text: str, language: str) -> None:
        self.session = session
        self.path = path
        self.uri = path.as_uri()
        self.version = 1
        self.cursor = max(text.find(CURSOR), 0)
        self.text = text.replace(CURSOR, "", 1)
        item = types.TextDocumentItem(self.uri, language, self.version, self.text)
        session.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def position(self, offset: int | None = None) -> types.Position:
        before = self.text[: self.cursor if offset is None else offset].split("\n")
        return types.Position(len(before) - 1, units(before[-1], self.session.encoding))

    def offset(self, position: types.Position) -> int:
        lines = self.text.split("\n")
        line = lines[position.line]
        for count in range(len(line) + 1):
            if units(line[:count], self.session.encoding) == position.character:
                return sum(len(before) + 1 for before in lines[: position.line]) + count
        raise AssertionError(f"{position} is not between two characters")

    def at(self, words: str) -> Buffer:
        """Put the cursor behind the first occurrence of some words."""
        self.cursor = self.text.index(words) + len(words)
        return self

    def type(self, text: str) -> None:
        """Type at the cursor."""
        self.replace(self.cursor, self.cursor, text)

    def replace(self, start: int, end: int, text: str) -> None:
        """Edit the text, and send the server the edit alone."""
        self.version += 1
        place = types.Range(self.position(start), self.position(end))
        change = types.TextDocumentContentChangePartial(place, text)
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = start + len(text)
        self.session.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, [change])
        )

    def type_whole(self, text: str) -> None:
        """Type at the cursor, and send the whole text, as some editors do."""
        self.version += 1
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)
        change = types.TextDocumentContentChangeWholeDocument(self.text)
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.session.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, [change])
        )

    def words(self, place: types.Range) -> str:
        """Return the text in a range."""
        return self.text[self.offset(place.start) : self.offset(place.end)]

    def after_all(self, edits: Sequence[types.TextEdit | types.AnnotatedTextEdit]) -> str:
        """Return what the text would be after several edits."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: self.offset(edit.range.start), reverse=True):
            start, end = self.offset(edit.range.start), self.offset(edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        return text

    def after(self, edit: types.TextEdit | types.AnnotatedTextEdit) -> str:
        """Return what the text would be after an edit."""
        start, end = self.offset(edit.range.start), self.offset(edit.range.end)
        return self.text[:start] + edit.new_text + self.text[end:]

    async def complete(
        self, kind: types.CompletionTriggerKind = types.CompletionTriggerKind.Invoked
    ) -> types.CompletionList | None:
        """Ask for completions at the cursor."""
        context = types.CompletionContext(kind)
        completions = await self.session.client.text_document_completion_async(
            types.CompletionParams(self.identifier, self.position(), context)
        )
        assert completions is None or isinstance(completions, types.CompletionList)
        return completions

    async def keys(self) -> list[str]:
        """Return the keys that are proposed at the cursor."""
        completions = await self.complete()
        return [inserted(item) for item in completions.items] if completions else []

    async def actions(
        self, only: list[str] | None = None, end: int | None = None
    ) -> list[types.CodeAction | types.Command]:
        """Ask for code actions at the cursor, or from there to `end`."""
        place = types.Range(self.position(), self.position(end))
        kinds = [types.CodeActionKind(kind) for kind in only] if only else None
        actions = await self.session.client.text_document_code_action_async(
            types.CodeActionParams(self.identifier, place, types.CodeActionContext([], only=kinds))
        )
        return list(actions or [])

    def save(self) -> None:
        """Write the text to its file and say so."""
        self.path.write_text(self.text, encoding="utf-8")
        self.session.client.text_document_did_save(types.DidSaveTextDocumentParams(self.identifier))

    def close(self) -> None:
        """Close the document."""
        self.session.client.text_document_did_close(
            types.DidCloseTextDocumentParams(self.identifier)
        )


class Session:
    """One run of the server in a folder: `async with Session(folder, "emacs") as session`."""

    def __init__(
        self,
        folder: Path,
        editor: str = "visual_studio_code",
        *,
        encodings: tuple[str, ...] = (),
        options: object = None,
        configuration: dict[str, Any] | None = None,
        command: tuple[str, ...] = (),
        folders: tuple[Path, ...] = (),
    ) -> None:
        self.folder = folder
        self.client: LanguageClient = make_test_lsp_client()
        self.client.set_configuration(configuration or {})
        self.capabilities = client_capabilities(editor)
        if encodings:
            kinds = [types.PositionEncodingKind(encoding) for encoding in encodings]
            self.capabilities.general = types.GeneralClientCapabilities(position_encodings=kinds)
        self.options = options
        self.workspace = [
            types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders
        ] or None
        self.command = command or warm_server.serve()
        self.encoding = "utf-16"
        self.result: types.InitializeResult

        self.buffers: list[Buffer] = []
        self.registered: list[str] = []
        self.watched: list[str] = []
        self.applied: list[types.WorkspaceEdit] = []
        self.status: list[str] = []
        self.refreshed: list[str] = []

        def register(params: types.RegistrationParams) -> None:
            self.registered += [registration.method for registration in params.registrations]
            for registration in params.registrations:
                options = registration.register_options
                watchers = options.get("watchers", []) if isinstance(options, dict) else []
                self.watched += [str(watcher["globPattern"]) for watcher in watchers]

        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.applied.append(params.edit)
            return types.ApplyWorkspaceEditResult(applied=True)

        def note(what: str) -> None:
            self.client.feature(what)(lambda params: self.refreshed.append(what))

        note(types.WORKSPACE_INLAY_HINT_REFRESH)
        note(types.WORKSPACE_CODE_LENS_REFRESH)
        self.client.feature(types.CLIENT_REGISTER_CAPABILITY)(register)
        self.client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
        self.client.feature("citeLsp/status")(lambda status: self.status.append(status.state))

    async def __aenter__(self) -> Session:
        environment = {**os.environ, "CITE_LSP_HOME": str(self.folder / ".home")}
        await self.client.start_io(*self.command, env=environment, cwd=self.folder)
        self.result = await self.client.initialize_session(
            types.InitializeParams(
                self.capabilities,
                root_uri=self.folder.as_uri(),
                initialization_options=self.options,
                workspace_folders=self.workspace,
            )
        )
        self.encoding = self.result.capabilities.position_encoding or "utf-16"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.client.shutdown_session()
        await self.client.stop()  # type: ignore[no-untyped-call]

    def open(self, name: str, text: str, language: str = "") -> Buffer:
        """Open a document that stands (or would stand) in the folder."""
        guess = {".tex": "latex", ".md": "markdown", ".bib": "bibtex"}.get(Path(name).suffix, "")
        self.buffers.append(Buffer(self, self.folder / name, text, language or guess))
        return self.buffers[-1]

    def leave(self) -> None:
        """Close what is open and forget what was received."""
        for buffer in self.buffers:
            buffer.close()
        self.buffers.clear()
        self.applied.clear()
        self.client.shown_documents.clear()
        self.refreshed.clear()
        self.client.messages.clear()
        self.client.diagnostics.clear()

    async def diagnostics(self, path: Path) -> list[types.Diagnostic]:
        """Return the diagnostics of a file once the server has published some for it."""
        return list(await self.until(lambda: self.client.diagnostics.get(path.as_uri())))

    def change_configuration(self) -> None:
        """Say that settings have changed; the server asks for them."""
        self.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))

    async def ready(self) -> None:
        """Wait until papers are ranked by meaning, in the draft that was opened first.

        The server reports it once: the state of drafts that come later is not sent.

        Raises:
            AssertionError: they are ranked by words only, or the server has ended.
        """
        said = len(self.status)
        await self.until(lambda: "ready" in self.status or "error" in self.status[said:])
        assert "ready" in self.status, "papers are ranked by words only: see the server's log"

    async def until(self, condition: Any) -> Any:  # noqa: ANN401
        """Wait until a condition holds, and return what it gave.

        Raises:
            AssertionError: it never did, or the server has ended.
        """
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while asyncio.get_running_loop().time() < deadline:
            if result := condition():
                return result
            assert not self.client.stopped, "the server has ended"
            await asyncio.sleep(0.02)
        raise AssertionError(f"nothing came from the server in {PATIENCE:.0f} seconds")


def in_fresh_folder(session: Session) -> Iterator[Session]:
    """Give a server of several tests a fresh folder of its workspace with the bibliography."""
    workspace = session.folder
    folder = workspace / f"folder{len(list(workspace.iterdir()))}"
    folder.mkdir()
    (folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    session.folder = folder
    yield session
    session.leave()
    session.folder = workspace


def inserted(item: types.CompletionItem) -> str:
    """Return the text that accepting an item puts in."""
    assert item.text_edit is not None
    return item.text_edit.new_text
