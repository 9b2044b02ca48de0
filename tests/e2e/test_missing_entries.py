"""A paper that the library lacks is cited, entry and all; the author's own tools find it.

LaTeX with BibTeX and with biber, pandoc with CSL JSON and YAML: each sets the draft then
without a complaint.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.encode import load_encoder
from cite_lsp.library import read_bibliography
from cite_lsp.search.indexing.build import build_corpus
from tests.e2e.typesetting import BIBER, LATEX, typeset
from tests.server.editor_session import Session
from tests.server.test_corpora import DEMO, applied

pytestmark = pytest.mark.slow

KEY = "bojanowski2017enriching"
PAPERS = (KEY, "peters2018deep", "gururangan2020dont", "strubell2019energy")
SENTENCE = "Word vectors are made of the pieces of spelling that words consist of"
BIBTEX = """@inproceedings{devlin2019bert,
  title = {{BERT}: Pre-training of Deep Bidirectional Transformers for Language Understanding},
  author = {Devlin, Jacob and Chang, Ming-Wei},
  booktitle = {NAACL},
  year = {2019},
}
"""
LATEX_DRAFT = r"""\documentclass{article}
%s
\begin{document}
Language models read both sides at once~%s. Größe & mehr: 5\%% of it.
%s
Gulls nest on cliffs.
%s
\end{document}
""".replace("&", r"\&")
SETUPS = {
    "bibtex": (
        "\\usepackage{natbib,url}",
        "\\citep{devlin2019bert}",
        "\\bibliographystyle{plainnat}\n\\bibliography{refs}",
    ),
    "biber": (
        "\\usepackage[backend=biber,style=authoryear]{biblatex}\n\\addbibresource{refs.bib}",
        "\\parencite{devlin2019bert}",
        "\\printbibliography",
    ),
}
ITEM = {
    "id": "devlin2019bert",
    "type": "paper-conference",
    "title": "BERT: Pre-training of Deep Bidirectional Transformers",
    "author": [{"family": "Devlin", "given": "Jacob"}],
    "issued": {"date-parts": [[2019]]},
}
YAML = """references:
- id: devlin2019bert
  type: paper-conference
  title: "BERT: Pre-training of Deep Bidirectional Transformers"
  author:
  - family: Devlin
    given: Jacob
  issued: 2019
"""
LIBRARIES = {"refs.json": json.dumps([ITEM], indent=2) + "\n", "refs.yaml": YAML}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of some of the demo's papers (ACL Anthology, CC BY 4.0)."""
    folder = tmp_path_factory.mktemp("corpora") / "acl"
    entries = [entry for entry in read_bibliography(DEMO).entries if entry.key in PAPERS]
    build_corpus(folder, [entry.paper for entry in entries], load_encoder(max_tokens=32))
    return folder


async def cited(folder: Path, corpus: Path, name: str, text: str, library: str) -> tuple[str, str]:
    """Cite a paper of the corpus in a draft; return the draft and its library afterwards."""
    shutil.copytree(corpus, folder / ".home" / "corpora" / "acl")
    path, entries = folder / name, folder / library
    path.write_text(text, encoding="utf-8")
    before = entries.read_text(encoding="utf-8")
    async with Session(folder) as session:
        draft = session.open(name, text).at(SENTENCE)
        await session.ready()
        actions = await draft.actions()
        action = next(action for action in actions if "Bojanowski" in action.title)
        assert isinstance(action, types.CodeAction) and action.edit is not None
        session.applied.append(action.edit)
        after = applied(session, path, text), applied(session, entries, before)
    for was, now in zip((text, before), after, strict=True):
        _only_inserted(was, now)
    path.write_text(after[0], encoding="utf-8")
    entries.write_text(after[1], encoding="utf-8")
    return after


def _only_inserted(before: str, after: str) -> None:
    size = len(after) - len(before)
    assert size > 0
    assert any(before == after[:at] + after[at + size :] for at in range(len(before) + 1))


@pytest.mark.parametrize("program", SETUPS)
async def test_latex_finds_the_new_entry(tmp_path: Path, corpus: Path, program: str) -> None:
    if not (BIBER if program == "biber" else LATEX):
        pytest.skip(f"needs LaTeX and {program}")
    package, citation, list_of_works = SETUPS[program]
    (tmp_path / "refs.bib").write_text(BIBTEX, encoding="utf-8")
    text = LATEX_DRAFT % (package, citation, f"{SENTENCE}.", list_of_works)
    await cited(tmp_path, corpus, "draft.tex", text, "refs.bib")
    typeset_draft = typeset(tmp_path / "draft.tex")
    assert (dict(typeset_draft.errors), typeset_draft.undefined) == ({}, frozenset())
    assert typeset_draft.cited >= {KEY, "devlin2019bert"}
    assert "Warning" not in typeset_draft.complaints and "WARN" not in typeset_draft.complaints


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.skipif(not shutil.which("pandoc"), reason="needs pandoc")
async def test_pandoc_finds_the_new_entry(tmp_path: Path, corpus: Path, library: str) -> None:
    (tmp_path / library).write_text(LIBRARIES[library], encoding="utf-8")
    text = f"---\nbibliography: {library}\n---\n\nBoth sides [@devlin2019bert].\n\n{SENTENCE}.\n"
    await cited(tmp_path, corpus, "draft.md", text, library)
    done = subprocess.run(
        ["pandoc", "--citeproc", "--to", "plain", "draft.md"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "consist of (Bojanowski" in " ".join(done.stdout.split())
    assert "Enriching Word Vectors with Subword Information" in " ".join(done.stdout.split())
