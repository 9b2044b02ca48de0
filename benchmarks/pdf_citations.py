r"""How much of what drafts cite is read back from the PDF files that TeX makes of them.

python -m benchmarks.pdf_citations DRAFT… [--keep FOLDER]

Each draft (.tex, .md, .Rmd) with the .bib files beside it is set by pandoc and pdflatex in styles
of natbib and of biblatex, without its figures and tables. A citation that TeX has set is found if
its own title, DOI or number identifies something that the PDF cites there; a venue of four words
or more is taken for a title if its name is. Needs pandoc, TeX with biblatex and biber, and pypdf.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from attrs import asdict, define, frozen

from cite_lsp.cli.printing.output import table
from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.corpus.paper_identifiers import identifier_by_title, identifiers_of, title_identifier
from cite_lsp.corpus.sources import read_source
from cite_lsp.library.load.read import read_bibliography
from cite_lsp.manuscript import parse


@frozen
class Style:
    """What a text is set with: what the class is told, what cites, what prints the list."""

    options: str
    package: str
    listed: str
    program: str


def _natbib(style: str, natbib: str = "", options: str = "") -> Style:
    package = rf"\usepackage[{natbib}]{{natbib}}"
    return Style(options, package, rf"\bibliographystyle{{{style}}}", "bibtex")


def _biblatex(style: str, options: str = "") -> Style:
    package = rf"\usepackage[natbib=true,style={style}]{{biblatex}}"
    return Style(options, package, r"\printbibliography", "biber")


STYLES = {
    "plainnat": _natbib("plainnat"),
    "unsrtnat": _natbib("unsrtnat", "numbers,sort&compress", "twocolumn"),
    "apalike": _natbib("apalike", "", "twocolumn"),
    "ieeetr": _natbib("ieeetr", "numbers"),
    "siam": _natbib("siam", "numbers", "twocolumn"),
    "alpha": _natbib("alpha", "numbers"),
    "raised": _natbib("unsrtnat", "super,sort&compress"),
    "acm raised": _natbib("acm", "super", "twocolumn"),
    "numeric-comp": _biblatex("numeric-comp"),
    "authoryear": _biblatex("authoryear", "twocolumn"),
}
"""Of BibTeX and of biblatex: by numbers, names, labels, and raised numbers."""
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
    """Titles that are cited and found; citations in the text, found ones, and those right.

    And names of venues, and those that are taken for titles.
    """

    titles: int = 0
    titles_found: int = 0
    cited: int = 0
    claimed: int = 0
    right: int = 0
    venues: int = 0
    venues_taken: int = 0

    def add(self, other: Tally) -> None:
        """Add what another has counted."""
        for name, count in asdict(other).items():
            setattr(self, name, getattr(self, name) + count)

    def row(self, name: str) -> list[str]:
        """Return it as a row of the table."""
        shares = (
            (self.titles_found, self.titles), (self.right, self.cited), (self.right, self.claimed),
            (self.venues_taken, self.venues),
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


def typeset(body: str, bibliographies: list[Path], folder: Path, style: Style) -> Path:
    """Set a text in a style in a folder, which is made; return the PDF file."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in bibliographies:
        shutil.copy(file, folder)
    biber = style.program == "biber"
    package, listed = style.package, style.listed
    if biber:
        package += "".join(rf"\addbibresource{{{file.name}}}" for file in bibliographies)
    else:
        listed += rf"\bibliography{{{','.join(file.stem for file in bibliographies)}}}"
    (folder / "main.tex").write_text(
        rf"\documentclass[{style.options}]{{article}}"
        r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}"
        rf"\usepackage{{amsmath,amssymb,hyperref,url,textcomp}}{package}"
        r"\providecommand{\tightlist}{}\providecommand{\texorpdfstring}[2]{#1}"
        r"\newcommand{\passthrough}[1]{#1}\title{A draft that was set to be read}"
        rf"\begin{{document}}\maketitle {body}{listed}\end{{document}}"
    )
    for program in ("pdflatex", style.program, "pdflatex", "pdflatex"):
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
        own = [
            identifier
            for identifier in (identifier_by_title(paper), *identifiers_of(paper))
            if identifier
        ]
        name = next((work_of[identifier] for identifier in own if identifier in work_of), key)
        work_of.update(dict.fromkeys([*own, f"key {key}"], name))
    manuscript = parse((folder / "main.tex").read_text(), "latex")
    listed = (folder / "main.bbl").read_text(errors="replace")
    cited = Counter(
        work_of[f"key {key.text}"]
        for marker in manuscript.markers
        for key in marker.keys
        if key.text in papers and f"{{{key.text}}}" in listed
    )
    records = list(read_source(folder / "main.pdf", print))
    citing = [
        (
            bool(record.contexts),
            {work_of[identifier] for identifier in record.cited if identifier in work_of},
        )
        for record in records
        if isinstance(record, PaperCitations)
    ]
    claimed = Counter(name for in_words, names in citing if in_words for name in names)
    everything = set().union(*(names for _, names in citing))
    venues = {title_identifier(paper.venue) for paper in papers.values()} - {"", *work_of}
    every_identifier = {
        identifier
        for record in records
        if isinstance(record, PaperCitations)
        for identifier in record.cited
    }
    return Tally(
        len(cited), len(everything & cited.keys()), cited.total(), claimed.total(),
        (cited & claimed).total(), len(venues), len(every_identifier & venues),
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
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # TeX runs in processes of its own
            for number, draft in enumerate(options.drafts):
                body, bibliographies = body_of(draft), sorted(draft.parent.glob("*.bib"))
                folders = [root / f"{number}-{style}" for style in STYLES]
                list(pool.map(partial(typeset, body, bibliographies), folders, STYLES.values()))
                for folder, sum_of in zip(folders, by_style.values(), strict=True):
                    sum_of.add(tally(folder))
    total = Tally()
    for sum_of in by_style.values():
        total.add(sum_of)
    rows = [sum_of.row(style) for style, sum_of in by_style.items()] + [total.row("all")]
    headings = (
        "style",
        "references",
        "citations",
        "references found",
        "citations found",
        "right",
        "venues taken",
    )
    print(table(headings, rows))


if __name__ == "__main__":
    main()
