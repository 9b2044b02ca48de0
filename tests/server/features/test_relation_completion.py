"""Completion of the keys that fields of a .bib file can name."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Session, inserted

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("field", ["crossref", "xdata", "related"])
async def test_keys_of_the_file_are_proposed_for_fields_that_name_entries(
    session: Session, field: str
) -> None:
    more = (
        "@proceedings{cvpr2016, title = {CVPR}}\n@xdata{common, publisher = {P}}\n"
        f"@inproceedings{{own, {field} = {{¦}}, title = {{深 😀}}}}\n"
    )
    bib = session.open("refs.bib", BIBLIOGRAPHY + more)
    keys = await bib.keys()
    assert set(keys) >= {"cvpr2016", "common", "he2016resnet"} and "own" not in keys
    assert keys[0] == {"xdata": "common"}.get(field, keys[0])
    bib.type("cvpr")
    completions = await bib.complete()
    assert completions is not None and [inserted(item) for item in completions.items] == [
        "cvpr2016"
    ]
    edit = completions.items[0].text_edit
    assert isinstance(edit, types.InsertReplaceEdit)
    after = bib.after(types.TextEdit(edit.replace, edit.new_text))
    assert f"{field} = {{cvpr2016}}, title = {{深 😀}}}}" in after
    resolved = await session.client.completion_item_resolve_async(completions.items[0])
    assert "CVPR" in str(resolved.documentation)


async def test_nothing_is_proposed_elsewhere_in_a_bib_file(session: Session) -> None:
    bib = session.open("refs.bib", BIBLIOGRAPHY.replace("{CVPR}", "{CV¦PR}"))
    assert await bib.complete() is None


MAIN = "\\cite{p1}\n\\bibliography{papers,procs}\n"


PROCEEDINGS = "@proceedings{icml20, title = {ICML}, year = 2020}\n"


async def test_keys_of_the_other_files_of_a_draft_are_proposed_too(session: Session) -> None:
    alone = "\\bibliography{papers}\n"
    for name, text in (("main.tex", MAIN), ("other.tex", alone), ("procs.bib", PROCEEDINGS)):
        (session.folder / name).write_text(text, encoding="utf-8")
    papers = session.open("papers.bib", "@inproceedings{p1, crossref = {ic¦}, title = {P}}\n")
    completions = await papers.complete()
    assert completions is not None and [inserted(item) for item in completions.items] == ["icml20"]
    resolved = await session.client.completion_item_resolve_async(completions.items[0])
    assert "ICML" in str(resolved.documentation)
