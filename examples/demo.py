"""What a writer sees: a real server over stdio, a sample draft, and what it answers there.

The client below does what an editor does: it starts `cite-lsp serve`, opens the draft, asks for
completions inside three empty citations, and for code actions on a sentence that cites nothing,
and puts a wrong key into a citation. It ends with status 1 when an answer is missing.
"""

from __future__ import annotations

import asyncio
import difflib
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

DRAFT = Path(__file__).parent / "demo" / "paper.tex"
EMPTY_CITATION = r"\citep{"
UNCITED = "Older word vectors had nothing to say"
RIGHT_KEY, WRONG_KEY = "karpukhin2020dense", "devlin2019bert"
SHOWN = 5
WIDTH = 96
PATIENCE = 60.0
"""Seconds that an answer may take, the loading of the encoder on a busy machine included."""


class DemoError(Exception):
    """The server did not do what the demo shows."""


class Client(LanguageClient):
    """An editor reduced to what the demo needs."""

    def __init__(self) -> None:
        super().__init__("cite-lsp-demo", "1")
        self.status: asyncio.Queue[Any] = asyncio.Queue()
        self.diagnostics: asyncio.Queue[types.Diagnostic] = asyncio.Queue()
        self.errors = ""
        self._listening: asyncio.Task[None] | None = None

        def note(client: Client, status: object) -> None:
            client.status.put_nowait(status)

        def take(client: Client, published: types.PublishDiagnosticsParams) -> None:
            for diagnostic in published.diagnostics:
                client.diagnostics.put_nowait(diagnostic)

        self.feature("citeLsp/status")(note)
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(take)

    async def start(self, home: str) -> None:
        """Start the server; its caches and settings live in `home`, so each demo starts afresh."""
        environment = {**os.environ, "CITE_LSP_HOME": home}
        await self.start_io(sys.executable, "-m", "cite_lsp", "serve", env=environment)
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        # A pipe that nobody empties would stop the server once it is full.
        stream = self._server.stderr if self._server else None
        while stream and (chunk := await stream.read(4096)):
            self.errors = (self.errors + chunk.decode("utf-8", "replace"))[-4000:]

    async def server_exit(self, server: asyncio.subprocess.Process) -> None:
        """Tell whoever waits for the server that there is none any more."""
        message = f"it ended with status {server.returncode}"
        self.status.put_nowait(SimpleNamespace(state="error", message=message))

    async def ready(self) -> None:
        """Wait until the server ranks by meaning, not by words alone."""
        while True:
            status = await self.status.get()
            if status.state == "error":
                raise DemoError(f"the server is not ready: {status.message}")
            if status.state == "ready":
                return

    async def open(self, path: Path) -> str:
        """Introduce the client, open a draft and return its text once the server is ready."""
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(
                position_encodings=[types.PositionEncodingKind.Utf16]
            ),
            text_document=types.TextDocumentClientCapabilities(
                completion=types.CompletionClientCapabilities(
                    completion_item=types.ClientCompletionItemOptions(
                        documentation_format=[types.MarkupKind.PlainText]
                    )
                ),
                code_action=types.CodeActionClientCapabilities(
                    code_action_literal_support=types.ClientCodeActionLiteralOptions(
                        code_action_kind=types.ClientCodeActionKindOptions(
                            value_set=[types.CodeActionKind.QuickFix, types.CodeActionKind.Source]
                        )
                    )
                ),
            ),
        )
        folder = path.parent
        await self.initialize_async(
            types.InitializeParams(
                capabilities=capabilities,
                process_id=os.getpid(),
                initialization_options={"diagnostics": {"doubtfulCitation": True}},
                root_uri=folder.as_uri(),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
            )
        )
        self.initialized(types.InitializedParams())
        text = path.read_text(encoding="utf-8")
        self.text_document_did_open(
            types.DidOpenTextDocumentParams(
                types.TextDocumentItem(path.as_uri(), types.LanguageKind.LaTeX, 1, text)
            )
        )
        await self.ready()
        return text

    async def complete(self, path: Path, position: types.Position) -> list[types.CompletionItem]:
        """Ask for completions and, for the first few, for their documentation."""
        answer = await self.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(path.as_uri()), position)
        )
        items = answer.items if isinstance(answer, types.CompletionList) else list(answer or ())
        if not items:
            raise DemoError(f"no completions in line {position.line + 1} of {path.name}")
        items = sorted(items, key=lambda item: item.sort_text or item.label)
        return [await self.completion_item_resolve_async(item) for item in items[:SHOWN]]

    async def code_actions(self, path: Path, position: types.Position) -> list[types.CodeAction]:
        """Ask for the code actions at a position."""
        answer = await self.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(path.as_uri()),
                types.Range(position, position),
                types.CodeActionContext(diagnostics=[]),
            )
        )
        actions = [action for action in answer or () if isinstance(action, types.CodeAction)]
        if not actions:
            raise DemoError(f"no code action in line {position.line + 1} of {path.name}")
        return actions

    async def save(self, path: Path, text: str) -> types.Diagnostic:
        """Change and save the draft, as far as the server knows; return the doubtful citation."""
        document = types.VersionedTextDocumentIdentifier(2, path.as_uri())
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        saved = types.TextDocumentIdentifier(path.as_uri())
        self.text_document_did_save(types.DidSaveTextDocumentParams(saved))
        while (diagnostic := await self.diagnostics.get()).code != "doubtful-citation":
            pass  # what the empty citations of the draft are told
        return diagnostic

    async def leave(self) -> None:
        """Say goodbye as the protocol wants it, and see to it that the server ends."""
        if self._server is None or self._server.returncode is not None:
            return
        try:
            await asyncio.wait_for(self.shutdown_async(None), 5)
            self.exit(None)
            await asyncio.wait_for(self._server.wait(), 5)
        except TimeoutError:
            self._server.kill()


def position_of(text: str, offset: int) -> types.Position:
    """Return the position of an offset in a text that is pure ASCII, as the sample draft is."""
    return types.Position(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def offset_of(text: str, position: types.Position) -> int:
    """Return the offset of a position; the inverse of `position_of`."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: position.line])) + position.character


def sentence_at(text: str, offset: int) -> tuple[int, int]:
    """Return the range of the sentence around an offset, good enough for the sample draft."""
    borders = [match.end() for match in re.finditer(r"[.?!]\s+(?=[A-Z])|\n\n", text)]
    start = max((border for border in borders if border <= offset), default=0)
    end = re.compile(r"[.?!](?=\s)").search(text, offset)
    return start, end.end() if end else len(text)


def paragraph(text: str, indent: str = "    ") -> str:
    """Fill a text to the width of the page."""
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def shorten(text: str, width: int) -> str:
    """Cut a text to a width, as the pop-up of an editor does."""
    return text if len(text) <= width else text[: width - 1] + "…"


def emphasise(text: str) -> str:
    """Print a text bold where that is possible."""
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


def reason_of(item: types.CompletionItem) -> str:
    """Return the paragraph of an item's documentation that says why it is proposed."""
    documentation = item.documentation
    text = documentation if isinstance(documentation, str) else getattr(documentation, "value", "")
    try:
        _title, _authors, _venue, reason, _abstract = text.split("\n\n")
    except ValueError as incomplete:
        raise DemoError(f"the documentation of {item.label} gives no reason") from incomplete
    return str(reason)


def edits_of(action: types.CodeAction) -> list[types.TextEdit]:
    """Return the edits that an action makes in the draft."""
    edit = action.edit
    if edit is None:
        return []
    edits: list[Any] = [change for changes in (edit.changes or {}).values() for change in changes]
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            edits.extend(change.edits)
    return [change for change in edits if isinstance(change, types.TextEdit)]


def apply(text: str, edits: Sequence[types.TextEdit]) -> str:
    """Return the text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit: offset_of(text, edit.range.start), reverse=True):
        start, end = offset_of(text, edit.range.start), offset_of(text, edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


def diff(before: str, after: str) -> Iterator[str]:
    """Yield the lines that differ, marked - and +."""
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""):
        if line[:1] in "-+" and line[:3] not in ("---", "+++"):
            yield line


async def show_completions(client: Client, text: str) -> None:
    """Print what the pop-up holds inside each empty citation of the draft."""
    for match in re.finditer(re.escape(EMPTY_CITATION + "}"), text):
        cursor = match.start() + len(EMPTY_CITATION)
        items = await client.complete(DRAFT, position_of(text, cursor))
        start, end = sentence_at(text, cursor)
        line = position_of(text, cursor).line + 1
        print(emphasise(f"\n{DRAFT.name}, line {line}: completion at ▮\n"))
        print(paragraph(text[start:cursor] + "▮" + text[cursor:end]) + "\n")
        for rank, item in enumerate(items, 1):
            print(f"  {rank}  {shorten(item.label, WIDTH - 5)}")
            print(textwrap.indent(textwrap.fill(reason_of(item), WIDTH - 7), "       "))


async def show_missing_citation(client: Client, text: str) -> None:
    """Print the code actions on the sentence that cites nothing, and what the first one does."""
    offset = text.index(UNCITED)
    position = position_of(text, offset)
    actions = await client.code_actions(DRAFT, position)
    start, end = sentence_at(text, offset)
    print(emphasise(f"\n{DRAFT.name}, line {position.line + 1}: code actions on a sentence\n"))
    print(paragraph(text[start:end]) + "\n")
    for action in actions:
        print(f"  *  {shorten(action.title, WIDTH - 5)}")
    changed = list(diff(text, apply(text, edits_of(actions[0]))))
    if not changed:
        raise DemoError(f"the code action “{actions[0].title}” changes nothing")
    print("\n    The first one changes the draft:\n")
    for line in changed:
        print(f"    {line}")


async def show_wrong_key(client: Client, text: str) -> None:
    """Print what is said of a citation when its key is mistaken for another."""
    mistaken = text.replace(f"{{{RIGHT_KEY}}}", f"{{{WRONG_KEY}}}")
    diagnostic = await client.save(DRAFT, mistaken)
    start, end = sentence_at(mistaken, offset_of(mistaken, diagnostic.range.start))
    print(emphasise(f"\n{DRAFT.name}, line {diagnostic.range.start.line + 1}: a wrong key\n"))
    print(paragraph(mistaken[start:end]) + "\n")
    print(
        textwrap.fill(diagnostic.message, WIDTH, initial_indent="  !  ", subsequent_indent="     ")
    )


async def show() -> None:
    """Run the demo.

    Raises:
        DemoError: the server failed or left something unanswered.
    """
    client = Client()
    with tempfile.TemporaryDirectory(prefix="cite-lsp-demo-") as home:
        try:
            await client.start(home)
            text = await asyncio.wait_for(client.open(DRAFT), PATIENCE)
            await asyncio.wait_for(show_completions(client, text), PATIENCE)
            await asyncio.wait_for(show_missing_citation(client, text), PATIENCE)
            await asyncio.wait_for(show_wrong_key(client, text), PATIENCE)
        except TimeoutError as late:
            raise DemoError(f"the server gave no answer in {PATIENCE:.0f} s") from late
        finally:
            await client.leave()
            if client.errors:
                print(client.errors, file=sys.stderr, end="")


def main() -> int:
    """Run the demo and return its exit status."""
    try:
        asyncio.run(show())
    except (DemoError, JsonRpcException, OSError, RuntimeError) as error:
        print(f"the demo failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
