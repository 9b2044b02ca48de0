"""BibTeX and biber make the same .bbl of what `bib` writes as of the file that it comes from."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from cite_lsp.cli import main
from tests.e2e.typesetting import BIBER, LATEX
from tests.sample_drafts import FOLDERS, name_of

pytestmark = pytest.mark.slow

Printed = Callable[[str, Sequence[str], bytes], bytes]

LIBRARY = r"""@preamble{"\providecommand{\moor}{Moor}"}
@string{fens = "Journal of Fens"} @string(jf = fens # { and Marshes})

% of the north
@Article{peat,YEAR=1999 , Title="On {P}eat" # { and } # "Silt", Author = {Moor, Ada and Li, Bo},
  Journal=jf, MONTH = jan, pages = {1--9}}
@InProceedings{storm, crossref = {shore}, title = {Storms}, author = "Tern, Di", pages = 3, }

@comment{jabref-meta: groupstree: 0;}
@inproceedings{gull, title={Gulls, {\"a} la {C}arte}, Author={M{\"u}ller, J.}, crossref={shore}}
@online(dune, title = {A (wide) Dune}, author = {{The Dune Society}}, url = {http://x.org/%7Ea_b},
  date = {2011-02/2011-03}, xdata = {given})
@xdata{given, publisher = {North}, location = {Fenton}}
@proceedings{shore, title={Shores}, booktitle={Shores}, editor={Fenn, Cy}, year={2005},
  publisher={Shore}}
@set{both, entryset = {peat,unused}}
@book{unused, title = {Unused}, author = {Lind, Bo}, year = 2001, publisher = {P}}
@book{other, title = {Other}, author = {Lark, Eva}, year = 2002, publisher = {P}, note = fens}
"""
CITED = {
    "bibtex": ["storm", "gull", "peat"],
    "biber": ["storm", "dune", "both"],
}
PACKAGES = {
    "bibtex": "\\bibliographystyle{plainnat}\\bibliography{refs}",
    "biber": "\\usepackage[backend=biber,style=authoryear]{biblatex}\\addbibresource{refs.bib}",
}
CONTROL = """\\documentclass{article}
\\usepackage[backend=biber,style=authoryear]{biblatex}
\\addbibresource{refs.bib}
\\begin{document}
\\nocite{*}
\\printbibliography
\\end{document}
"""
needs_bibtex = pytest.mark.skipif(not LATEX, reason="needs BibTeX")
needs_biber = pytest.mark.skipif(not BIBER, reason="needs LaTeX and biber")
PROGRAMS = [pytest.param("bibtex", marks=needs_bibtex), pytest.param("biber", marks=needs_biber)]
FILES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.bib"))]


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What biblatex tells biber of a draft that cites all of refs.bib."""
    folder = tmp_path_factory.mktemp("control")
    (folder / "draft.tex").write_text(CONTROL, encoding="utf-8")
    _run(folder, "pdflatex", "-interaction=nonstopmode", "-draftmode", "draft.tex")
    return (folder / "draft.bcf").read_text(encoding="utf-8")


@pytest.fixture
def printed(tmp_path: Path, request: pytest.FixtureRequest) -> Printed:
    """Return the .bbl that a program makes of keys ("*" for all) and a bibliography."""

    def bbl(program: str, keys: Sequence[str], bibliography: bytes) -> bytes:
        folder = tmp_path / "printed"
        folder.mkdir(exist_ok=True)
        (folder / "refs.bib").write_bytes(bibliography)
        result = folder / "draft.bbl"
        result.unlink(missing_ok=True)
        if program == "biber":
            control = re.sub(
                r"<bcf:citekey [^>]*>\*</bcf:citekey>",
                "".join(
                    f'<bcf:citekey order="{number}" intorder="1">{escape(key)}</bcf:citekey>'
                    for number, key in enumerate(keys, 1)
                ),
                request.getfixturevalue("control"),
            )
            (folder / "draft.bcf").write_text(control, encoding="utf-8")
        else:
            cited = "".join(f"\\citation{{{key}}}\n" for key in keys)
            (folder / "draft.aux").write_text(
                f"{cited}\\bibstyle{{plainnat}}\n\\bibdata{{refs}}\n", encoding="utf-8"
            )
        _run(folder, program, "draft")
        return result.read_bytes() if result.is_file() else b""

    return bbl


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)


def formatted(path: Path, target: Path, *options: str) -> bytes:
    assert main(["bib", "--format", *options, str(path), "-o", str(target)]) == 0
    return target.read_bytes()


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_draft_cites_is_all_that_is_needed(
    tmp_path: Path, printed: Printed, program: str
) -> None:
    (tmp_path / "refs.bib").write_text(LIBRARY, encoding="utf-8")
    keys = CITED[program]
    text = f"{PACKAGES[program]}\\begin{{document}}\\cite{{{','.join(keys)}}}\\end{{document}}"
    (tmp_path / "draft.tex").write_text(text, encoding="utf-8")
    target = tmp_path / "cited.bib"
    assert main(["bib", "--cited-only", str(tmp_path / "draft.tex"), "-o", str(target)]) == 0
    before = printed(program, keys, LIBRARY.encode())
    assert b"Storms" in before
    assert printed(program, keys, target.read_bytes()) == before
    assert b"@book{other" not in target.read_bytes()


@pytest.mark.parametrize("options", [(), ("--sort",)], ids=["as it is", "sorted"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_layout_changes_nothing_that_is_printed(
    tmp_path: Path, printed: Printed, program: str, options: tuple[str, ...]
) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(LIBRARY, encoding="utf-8")
    before = printed(program, ["*"], path.read_bytes())
    after = formatted(path, tmp_path / "formatted.bib", *options)
    assert after != path.read_bytes() and b"Storms" in before
    assert printed(program, ["*"], after) == before


@needs_bibtex
@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_of_writers_are_printed_as_before(
    tmp_path: Path, printed: Printed, path: Path
) -> None:
    before = printed("bibtex", ["*"], path.read_bytes())
    if b"\\bibitem" not in before:
        pytest.skip("BibTeX prints nothing of it")
    assert printed("bibtex", ["*"], formatted(path, tmp_path / "formatted.bib")) == before
