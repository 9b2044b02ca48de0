"""From a key to the page or the file of the work."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import Buffer, Session

RECORDS = """\
@article{both, title = {A}, doi = {10.1000/182}, file = {paper.pdf}}
@article{preprint, title = {B}, eprint = {2101.00001}, archiveprefix = {arXiv}}
@article{nothing, title = {C}}
"""
DRAFT = "---\nbibliography: works.bib\n---\n\n[@both; @preprint; @nothing]\n"


async def type_definition(buffer: Buffer) -> object:
    return await buffer.session.client.text_document_type_definition_async(
        types.TypeDefinitionParams(buffer.identifier, buffer.position())
    )


async def implementation(buffer: Buffer) -> object:
    return await buffer.session.client.text_document_implementation_async(
        types.ImplementationParams(buffer.identifier, buffer.position())
    )


@pytest.mark.parametrize("editor", ["neovim@v0.11", "visual_studio_code"])
async def test_an_editor_that_shows_addresses_is_requested_to(tmp_path: Path, editor: str) -> None:
    (tmp_path / "works.bib").write_text(RECORDS)
    (tmp_path / "paper.pdf").write_bytes(b"%PDF")
    async with Session(tmp_path, editor) as session:
        draft = session.open("a.md", DRAFT)
        shown = session.client.shown_documents
        assert not await type_definition(draft.at("@both"))
        assert not await implementation(draft)
        assert not await type_definition(draft.at("@preprint"))
        bib = session.open("works.bib", RECORDS)
        assert not await type_definition(bib.at("@article{bo"))
        assert not await type_definition(bib.at("title = {B"))
        assert not await type_definition(draft.at("@nothing"))
        assert [params.uri for params in shown] == [
            "https://doi.org/10.1000/182",
            (tmp_path / "paper.pdf").as_uri(),
            "https://arxiv.org/abs/2101.00001",
            "https://doi.org/10.1000/182",
            "https://arxiv.org/abs/2101.00001",
        ]
        assert all(params.external for params in shown)


async def test_others_are_given_a_place_to_go_to(tmp_path: Path) -> None:
    (tmp_path / "works.bib").write_text(RECORDS)
    (tmp_path / "paper.pdf").write_bytes(b"%PDF")
    async with Session(tmp_path, "emacs") as session:
        draft = session.open("a.md", DRAFT)
        assert "https://doi.org/10.1000/182" in str(await type_definition(draft.at("@both")))
        assert (tmp_path / "paper.pdf").as_uri() in str(await implementation(draft))
        assert not await implementation(draft.at("@nothing"))
