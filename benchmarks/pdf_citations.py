r"""How much of what drafts cite is read back from the PDF files that TeX makes of them.

python -m benchmarks.pdf_citations DRAFT… [--keep FOLDER]

Each draft (.tex, .md, .Rmd) with the .bib files beside it is set by pandoc, natbib and pdflatex in
four styles, without its figures and tables. A citation is found if its own title, DOI or number
is among the marks of what the PDF cites there. Needs pandoc, TeX with natbib, and pypdf.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from attrs import define

from cite_lsp.cli.output import table
from cite_lsp.corpus.citations import Cites
from cite_lsp.corpus.identity import mark_by_title, marks
from cite_lsp.corpus.sources import read_works
from cite_lsp.library.read import read_bibliography
from cite_lsp.manuscript import parse

STYLES = {
    "plainnat": ("", ""),
    "unsrtnat": ("numbers,sort&compress", "twocolumn"),
    "apalike": ("", "twocolumn"),
    "ieeetr": ("numbers", ""),
}
"""Of BibTeX: what natbib is told, and the class."""
_LEFT_OUT = re.compile(
    r"\\begin\{(figure|longtable|Highlighting)\}.*?\\end\{\1\}|\\(?:begin|end)\{Shaded\}"
    r"|\\(?:bibliography|bibliographystyle|label|hypertarget)\{[^}]*\}"
    r"|\\includegraphics(?:\[[^\]]*\])?\{[^}]*\}",
    re.DOTALL,
)
_PREFIX = re.compile(r"\\citep?\[\\?[^\]]*\]\{")
_SECONDS = 120


@define
class Tally:
    """Titles that are cited and found; citations in the text, found ones, and those right."""

    titles: int = 0
    titles_found: int = 0
    cited: int = 0
    told: int = 0
    right: int = 0

    def add(self, other: Tally) -> None:
        """Add what another has counted."""
        for name in ("titles", "titles_found", "cited", "told", "right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name: str) -> list[str]:
        """Return it as a row of the table."""
        shares = (
            (self.titles_found, self.titles), (self.right, self.cited), (self.right, self.told)
        )  # fmt: skip
        return [name, f"{self.titles:,}", f"{self.cited:,}"] + [
            f"{part / whole:.2f}" if whole else "–" for part, whole in shares
        ]


def body_of(draft: Path) -> str:
    """Return a draft as LaTeX that cites by natbib, without what needs other files to be set."""
    kind = "latex" if draft.suffix == ".tex" else "markdown"
    options = ["--from", kind, "--to", "latex", "--natbib", draft.name]
    made = subprocess.run(
        ["pandoc", *options], cwd=draft.parent, check=True, capture_output=True, text=True
    )
    return _PREFIX.sub(r"\\citep{", _LEFT_OUT.sub(" ", made.stdout))


def typeset(folder: Path, body: str, bibliographies: list[Path], style: str) -> Path:
    """Set a text in a style; return the PDF file."""
    natbib, column = STYLES[style]
    for file in bibliographies:
        shutil.copy(file, folder)
    names = ",".join(file.stem for file in bibliographies)
    (folder / "main.tex").write_text(
        rf"\documentclass[{column}]{{article}}\usepackage[utf8]{{inputenc}}\usepackage[T1]{{fontenc}}"
        rf"\usepackage{{amsmath,amssymb,hyperref,url,textcomp}}\usepackage[{natbib}]{{natbib}}"
        r"\providecommand{\tightlist}{}\providecommand{\texorpdfstring}[2]{#1}"
        r"\newcommand{\passthrough}[1]{#1}\title{A draft that was set to be read}"
        rf"\begin{{document}}\maketitle {body}"
        rf"\bibliographystyle{{{style}}}\bibliography{{{names}}}\end{{document}}"
    )
    for program in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=batchmode"] if program == "pdflatex" else []
        command = [program, *options, "main"]
        subprocess.run(command, cwd=folder, capture_output=True, timeout=_SECONDS, check=False)
    return folder / "main.pdf"


def tally(folder: Path) -> Tally:
    """Compare what the PDF of a folder cites with what its source does."""
    papers = {
        entry.key: entry.paper
        for file in folder.glob("*.bib")
        for entry in read_bibliography(file).entries
    }
    work_of: dict[str, str] = {}  # an entry may stand twice, under two keys
    for key, paper in papers.items():
        own = [mark for mark in (mark_by_title(paper), *marks(paper)) if mark]
        name = next((work_of[mark] for mark in own if mark in work_of), key)
        work_of.update(dict.fromkeys([*own, f"key {key}"], name))
    manuscript = parse((folder / "main.tex").read_text(), "latex")
    cited = Counter(
        work_of[f"key {key.text}"]
        for marker in manuscript.markers
        for key in marker.keys
        if key.text in papers
    )
    works = list(read_works(folder / "main.pdf", print))
    found = [
        (bool(one.contexts), {work_of[mark] for mark in one.cited if mark in work_of})
        for one in works
        if isinstance(one, Cites)
    ]
    told = Counter(name for in_words, names in found if in_words for name in names)
    everything = set().union(*(names for _, names in found))
    return Tally(
        len(cited), len(everything & cited.keys()), cited.total(), told.total(),
        (cited & told).total(),
    )  # fmt: skip


def main() -> None:
    """Print a row for each style, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("drafts", type=Path, nargs="+")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the files stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = options.keep or Path(scratch)
        by_style = {style: Tally() for style in STYLES}
        for number, draft in enumerate(options.drafts):
            body, bibliographies = body_of(draft), sorted(draft.parent.glob("*.bib"))
            for style, sum_of in by_style.items():
                folder = root / f"{number}-{style}"
                folder.mkdir(parents=True, exist_ok=True)
                typeset(folder, body, bibliographies, style)
                sum_of.add(tally(folder))
    total = Tally()
    for sum_of in by_style.values():
        total.add(sum_of)
    rows = [sum_of.row(style) for style, sum_of in by_style.items()] + [total.row("all")]
    headings = ("style", "references", "citations", "references found", "citations found", "right")
    print(table(headings, rows))


if __name__ == "__main__":
    main()
