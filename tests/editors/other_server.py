"""A stand-in for texlab: it lists the keys of the bibliography beside a draft inside citations.

Its items have the kinds that texlab gives to entries, one for each sort of them; elsewhere it
completes a command. Nothing else of texlab is here.
"""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

KINDS = {
    "article": types.CompletionItemKind.Event,
    "book": types.CompletionItemKind.Struct,
    "inproceedings": types.CompletionItemKind.Operator,
    "phdthesis": types.CompletionItemKind.Unit,
    "proceedings": types.CompletionItemKind.TypeParameter,
}
server = LanguageServer("texlab", "stand-in")


@server.feature(
    types.TEXT_DOCUMENT_COMPLETION,
    types.CompletionOptions(trigger_characters=["\\", "{", "}", "@", "/"]),
)
def complete(ls: LanguageServer, params: types.CompletionParams) -> types.CompletionList:
    """List the keys inside a citation, a command elsewhere."""
    document = ls.workspace.get_text_document(params.text_document.uri)
    before = document.lines[params.position.line][: params.position.character]
    if not re.search(r"\\[a-zA-Z]*cite[a-zA-Z]*\{[^}]*$", before):
        other = types.CompletionItem("section", kind=types.CompletionItemKind.Function)
        return types.CompletionList(is_incomplete=True, items=[other])
    folder = Path(to_fs_path(params.text_document.uri) or "").parent
    entries = re.findall(r"@(\w+)\{([^,\s]+),", (folder / "references.bib").read_text("utf-8"))
    items = [
        types.CompletionItem(key, kind=KINDS.get(sort, types.CompletionItemKind.Interface))
        for sort, key in entries
    ]
    return types.CompletionList(is_incomplete=True, items=items)


if __name__ == "__main__":
    server.start_io()
