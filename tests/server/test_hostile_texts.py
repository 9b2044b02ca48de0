"""What a bibliography or a draft of somebody else shows in an editor: words, nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

from lsprotocol import converters, types

from tests.server.editor_session import Session

MISLEADING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ACTIVE = re.compile(r"(?<!\\)\[[^\]]*\]\((?!<https?://)|(?<!\\)<(?!https?://)\w|(?<!\\)&\w+;")
"""A link to what is not on the web, HTML, or an entity, where Markdown is read."""
BIBLIOGRAPHY = """\
@article{good\u202elive, title = {\u202eT <img src="https://attacker.example/p.png"> &#x202e;
  [Read](command:workbench.action.terminal.new) ![p](https://attacker.example/p.png)},
  author = {\u2066Ev\x1b[31mil, <b>Ann</b>}, journal = {J [x](javascript:alert)},
  year = 2020, abstract = {A &lt;script&gt; [y](command:a)}, url = {command:workbench.action.quit}}
@article{[x](command:y), title = {Trust & <iframe>}, author = {Doe, Jane}, year = 2021,
  url = {https://a.b/c<![x](https://attacker.example/p.png)}}
"""
DRAFT = "We show it \\cite{good\u202elive, [x](command:y), gone\u202e}. The end \\cite{go¦}.\n"


async def test_nothing_misleads_and_nothing_is_active(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (tmp_path / "cite-lsp.toml").write_text(
        'encoder = "[Fix it](command:workbench.action.terminal.new)/\\u202e"\n', encoding="utf-8"
    )
    options = {"inlayHints": {"enabled": True}, "codeLens": {"enabled": True}}
    answers: list[object] = []
    async with Session(tmp_path, options=options) as session:
        draft = session.open("a.tex", DRAFT)
        bibliography = session.open("refs.bib", BIBLIOGRAPHY)
        client, whole = session.client, types.Range(draft.position(0), draft.position(9999))

        completions = await draft.complete()
        assert completions is not None and completions.items
        labels = [{"label": item.label, "shown": item.label_details} for item in completions.items]
        answers += labels
        answers += [
            (await client.completion_item_resolve_async(item)).documentation
            for item in completions.items
        ]
        for words in ("\\cite{go", "live, [x"):
            hover = types.HoverParams(draft.identifier, draft.at(words).position())
            answers.append(await client.text_document_hover_async(hover))
        hints = types.InlayHintParams(draft.identifier, whole)
        answers.append(await client.text_document_inlay_hint_async(hints))
        actions = await draft.at("gone").actions()
        assert actions
        answers += [action.title for action in actions]
        answers.append(
            await client.text_document_document_symbol_async(
                types.DocumentSymbolParams(bibliography.identifier)
            )
        )
        answers += await session.diagnostics(draft.path)
        messages = [message.message for message in client.messages]

    texts = [text for answer in answers for text in strings(answer)]
    assert len(texts) >= 20
    assert [text for text in texts if MISLEADING.search(text)] == []
    cards = [text for text in texts if "**T" in text or "*Trust" in text or "Evil" in text]
    assert cards and [text for text in cards if ACTIVE.search(text)] == []
    (message,) = messages
    assert "](" not in message and not MISLEADING.search(message)


def strings(answer: object) -> list[str]:
    """Return all texts in an answer."""
    plain = converters.get_converter().unstructure(answer)
    texts: list[str] = []

    def visit(part: object) -> None:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict | list):
            for inner in part.values() if isinstance(part, dict) else part:
                visit(inner)

    visit(json.loads(json.dumps(plain)))
    return texts
