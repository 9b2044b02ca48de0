"""Links in drafts and .bib files."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.server.editor_session import Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECORDS = """\
@article{a,
  title = {深 😀},
  doi = {https://doi.org/10.1000/182},
  url = {https://example.org/a\\_b},
  eprint = {2101.00001}, archiveprefix = {arXiv},
  file = {:paper.pdf:PDF},
}
@misc{c, eprint = {arXiv:2101.00002}}
@misc{b, eprint = {12345}, doi = {none}, file = {gone.pdf}}
"""


async def links(buffer: Buffer) -> dict[str, str | None]:
    links = await buffer.session.client.text_document_document_link_async(
        types.DocumentLinkParams(buffer.identifier)
    )
    return {buffer.words(link.range): link.target for link in links or []}


async def test_fields_of_a_record_lead_to_the_work(session: Session) -> None:
    (session.folder / "paper.pdf").write_bytes(b"%PDF")
    assert await links(session.open("a.bib", RECORDS)) == {
        "https://doi.org/10.1000/182": "https://doi.org/10.1000/182",
        "https://example.org/a\\_b": "https://example.org/a_b",
        "2101.00001": "https://arxiv.org/abs/2101.00001",
        "arXiv:2101.00002": "https://arxiv.org/abs/2101.00002",
        ":paper.pdf:PDF": (session.folder / "paper.pdf").as_uri(),
    }


async def test_signs_in_addresses_and_dois_are_read_however_they_are_set(session: Session) -> None:
    record = (
        "@misc{a, url = {http://example.org/{\\textasciitilde}doe},\n"
        "doi = {10.1002/(SICI)10(99)18:1{\\textless}24{\\textgreater}3.CO}}\n"
    )
    assert list((await links(session.open("a.bib", record))).values()) == [
        "http://example.org/~doe",
        "https://doi.org/10.1002/(SICI)10(99)18:1<24>3.CO",
    ]


async def test_a_draft_links_to_the_bibliographies_that_exist(session: Session) -> None:
    text = "\\documentclass{article}\n深 😀 \\bibliography{refs,gone}\n"
    uri = (session.folder / "refs.bib").as_uri()
    assert await links(session.open("a.tex", text)) == {"refs": uri}
