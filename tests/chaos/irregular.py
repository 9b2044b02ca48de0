"""Files that are none: pipes, devices, standard input, files without end; and very many of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.chaos.trials import GOOD, Trial, sized

KIND = "files that are no files"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(target: str, path: Path) -> None:
    path.symlink_to(target)


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 36)


UNUSUAL: dict[str, tuple[Callable[[Path], None], str]] = {
    "a pipe": (_pipe, "a pipe"),
    "a link to /dev/zero": (partial(_link, "/dev/zero"), "a device"),
    "a link to /dev/tty": (partial(_link, "/dev/tty"), "a device"),
    "standard input": (partial(_link, "/dev/stdin"), "a pipe"),
    "standard input by its number": (partial(_link, "/proc/self/fd/0"), "a pipe"),
    "a sparse file": (_sparse, "larger than"),
    "the log of the kernel": (partial(_link, "/proc/kmsg"), ""),
    "pages of a process": (partial(_link, "/proc/self/pagemap"), ""),
    "a link to itself": (lambda path: path.symlink_to(path), ""),
}
PLACES = {
    "a bibliography": ("bad.bib", ".tex", "\\cite{¦}\n\\bibliography{good,bad}\n"),
    "a CSL-JSON file": ("bad.json", ".md", "---\nbibliography: [good.bib, bad.json]\n---\n[@¦]\n"),
    "a YAML file": ("bad.yaml", ".md", "---\nbibliography: [good.bib, bad.yaml]\n---\n[@¦]\n"),
    "an included file": ("bad.tex", ".tex", "\\input{bad}\n\\cite{¦}\n\\bibliography{good}\n"),
    "an included file in Typst": (
        "bad.typ",
        ".typ",
        '#include "bad.typ"\n#cite(<¦>)\n#bibliography("good.bib")\n',
    ),
    "the settings": ("cite-lsp.toml", ".tex", "\\cite{¦}\n\\bibliography{good}\n"),
    "a Quarto project": ("_quarto.yml", ".md", "---\nbibliography: good.bib\n---\n[@¦]\n"),
    "a MyST project": ("myst.yml", ".md", "---\nbibliography: good.bib\n---\n[@¦]\n"),
    "Sphinx's configuration": ("conf.py", ".md", "---\nbibliography: good.bib\n---\n[@¦]\n"),
    "a neighbour": ("other.tex", ".tex", "\\cite{¦}\n\\bibliography{good}\n"),
    "a neighbour of a part": ("main.tex", ".tex", "\\cite{¦}\n"),
    "a package": ("own.sty", ".tex", "\\usepackage{own}\n\\cite{¦}\n\\bibliography{good}\n"),
    "latexmk's settings": (".latexmkrc", ".tex", "\\cite{¦}\n\\bibliography{good}\n"),
    "Zotero's database": (
        "zotero.sqlite",
        ".md",
        "---\nbibliography: [good.bib, zotero.sqlite]\n---\n[@¦]\n",
    ),
    "Better BibTeX's database": (
        "better-bibtex.sqlite",
        ".md",
        "---\nbibliography: good.bib\n---\n[@¦]\n",
    ),
    "a bibliography as BibTeX makes it": ("paper.bbl", ".tex", "\\cite{¦}\n\\bibliography{good}\n"),
}
SILENT = (
    "a neighbour",
    "a neighbour of a part",
    "a package",
    "latexmk's settings",
    "Better BibTeX's database",
    "a bibliography as BibTeX makes it",
)
"""Places where a file that cannot be used is as good as none."""


def _put(place: str, put: Callable[[Path], None], folder: Path, _: float) -> None:
    put(folder / place)


def _trials() -> Iterator[Trial]:
    for unusual, (put, said) in UNUSUAL.items():
        for place, (name, suffix, text) in PLACES.items():
            expected = "" if place in SILENT else said
            if name == "zotero.sqlite" and unusual == "a sparse file":
                expected = "not a Zotero database"
            yield Trial(
                KIND, f"{place}: {unusual}", partial(_put, name, put), text, suffix, expected
            )


def _many(suffix: str, folder: Path, size: float) -> None:
    for number in range(sized(300, 20_000, size)):
        (folder / f"z{number}{suffix}").write_text(GOOD.replace("good2020", f"z{number}"))


def _declared(folder: Path, size: float) -> None:
    names = [f"\\addbibresource{{z{number}}}\n" for number in range(sized(300, 20_000, size))]
    (folder / "many.tex").write_text("".join(names))


def _included(folder: Path, size: float) -> None:
    for number in range(sized(520, 5_000, size)):
        (folder / f"z{number}.tex").write_text(f"Text.\n\\input{{z{number + 1}}}\n")


def _source(name: str, put: Callable[[Path], None], folder: Path, _: float) -> None:
    put(folder / name)


TRIALS = (
    *_trials(),
    Trial(
        "too many files",
        "bibliographies in the folder",
        partial(_many, ".bib"),
        "\\cite{¦}\n",
        said="only 200",
    ),
    Trial("too many files", "drafts in the folder", partial(_many, ".tex")),
    Trial(
        "too many files",
        "a pattern over the disk",
        lambda folder, _: None,
        "\\cite{¦}\n\\bibliography{good}\n\\addbibresource[glob]{/*/*/*/*}\n",
        said="leads to too many files",
    ),
    Trial(
        "too many files",
        "named bibliographies",
        _declared,
        "\\bibliography{good}\n\\input{many}\\cite{¦}\n",
        said="only 200",
    ),
    Trial(
        "too many files",
        "included files",
        _included,
        "\\bibliography{good}\n\\cite{¦}\n\\input{z0}\n",
        said="no further file",
    ),
    *(
        Trial(
            "sources of an index",
            f"{name}: {unusual}",
            partial(_source, name, put),
            text="",
            command=("index", "{folder}/good.bib", f"{{folder}}/{name}", "--corpus", "trial"),
            said=name,
            status=1,
        )
        for name in ("bad.bib", "bad.jsonl")
        for unusual, (put, _) in UNUSUAL.items()
        if unusual in ("a pipe", "a link to /dev/zero", "standard input")
    ),
)
