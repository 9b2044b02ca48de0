"""Small files that grow when they are read, and large ones with one record or one field."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from cite_lsp.storage.compressed_files import zstd
from tests.chaos.trials import ALSO, GOOD, Trial, sized

KIND = "bombs"
TEX = "\\cite{good¦}\n\\bibliography{good,bad}\n"
MATTER = "---\nbibliography: [good.bib, bad.%s]\n---\n[@good¦]\n"
GOOD_LINE = json.dumps({"id": "good2020", "title": "On tides", "year": 2020})


def _text(name: str, text: Callable[[float], str], folder: Path, size: float) -> None:
    (folder / name).write_text(text(size), encoding="utf-8")


# Texts that name what stands before again and again


def _macros(size: float) -> str:
    """Thirty macros, each twice the one before."""
    count = sized(28, 40, size)
    macros = ["@string{a0 = {ten letters}}"]
    macros += [f"@string{{a{n} = a{n - 1} # a{n - 1}}}" for n in range(1, count)]
    return "\n".join([*macros, f"@book{{bomb, title = a{count - 1}}}", ALSO])


def _joined(size: float) -> str:
    """One long macro in a title many times."""
    title = " # ".join(["m"] * sized(30_000, 300_000, size))
    return f"@string{{m = {{{'tide ' * 20_000}}}}}\n@book{{bomb, title = {title}}}\n" + ALSO


def _macros_everywhere(size: float) -> str:
    """One long macro in many entries."""
    count = sized(10_000, 50_000, size)
    entries = "".join(f"@book{{b{n}, title = m}}\n" for n in range(count))
    return f"@string{{m = {{{'tide ' * 2_000}}}}}\n{entries}"


def _names_twice(size: float) -> str:
    """Names of files by macros, each twice the one before."""
    lines = [
        f"\\def\\{name}{{\\{before}\\{before}}}" for before, name in pairwise("abcdefghijklmnop")
    ]
    return "\\def\\a{long}\n" + "\n".join(lines) + "\n\\bibliography{\\p}\n"


def _crossed(size: float) -> str:
    """Each entry takes from the one before."""
    entries = (
        f"@book{{b{n}, crossref = {{b{n + 1}}}, note{n} = {{x}}}}\n"
        for n in range(sized(1_000, 30_000, size))
    )
    return "".join(entries) + ALSO


def _alias_lists(first: str) -> str:
    lines = [f"a0: &a0 [{','.join([first] * 10)}]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "\n".join(lines)


def _csl_aliases(size: float) -> str:
    """A list of ten lists of ten lists..."""
    lists = _alias_lists("x").replace("\n", "\n  ")
    return f"- id: bomb\n  title: T\n  {lists}\n  author: *a11\n- id: also2020\n  title: Tides\n"


def _csl_long_alias(size: float) -> str:
    """One long text in many items."""
    items = [f"- id: b{n}\n  title: *t" for n in range(sized(3_000, 30_000, size))]
    return f"- id: first\n  title: &t {'tide ' * 100_000}\n" + "\n".join(items)


def _csl_long_alias_inside(size: float) -> str:
    """One long text many times in one item."""
    people = ", ".join(["*t"] * sized(20_000, 100_000, size))
    return f"- id: bomb\n  title: &t {'tide ' * 50_000}\n  author: [{people}]\n"


def _hayagriva_aliases(size: float) -> str:
    lists = _alias_lists("x").replace("\n", "\n  ")
    return (
        f"bomb:\n  type: book\n  title: T\n  {lists}\n  author: *a11\nalso2020:\n  title: Tides\n"
    )


def _hayagriva_long_alias(size: float) -> str:
    items = [f"b{n}:\n  title: *t" for n in range(sized(3_000, 30_000, size))]
    return f"first:\n  title: &t {'tide ' * 100_000}\n" + "\n".join(items)


def _merges(size: float) -> str:
    """Tables each of which holds all those before."""
    count = sized(3_000, 40_000, size)
    lines = ["k0: &k0 {x0: 1}"]
    lines += [f"k{n}: &k{n} {{<<: *k{n - 1}, x{n}: 1}}" for n in range(1, count)]
    return ("bibliography: good.bib\n" + "\n".join(lines))[:990_000].rpartition("\n")[0]


def _settings_aliases(size: float) -> str:
    return f"bibliography: good.bib\n{_alias_lists('x')}\nbook:\n  chapters: *a11\n"


def _project_aliases(size: float) -> str:
    return f"{_alias_lists('x')}\nproject:\n  bibliography: *a11\n  toc: *a11\n"


def _dotted(size: float) -> str:
    return f"title = 'x'\n{'.'.join(['a'] * sized(5_000, 100_000, size))} = 1\n"


# One field that is very long


def _letters(size: float) -> str:
    return "tides and moons " * sized(60_000, 1_040_000, size)


def _long(entry: str) -> Callable[[float], str]:
    return lambda size: entry.replace("…", _letters(size))


LONG = {
    "bib": "@book{bomb, title = {…}}\n" + ALSO,
    "json": '[{"id": "bomb", "title": "…"}, {"id": "also2020", "title": "Tides"}]',
    "yaml": "- id: bomb\n  title: …\n- id: also2020\n  title: Tides\n",
    "ris": "TY  - BOOK\nID  - bomb\nTI  - …\nER  - \nTY  - BOOK\nID  - also2020\nTI  - T\nER  - \n",
}
LONG_SOURCES = {
    "bib": LONG["bib"],
    "ris": LONG["ris"],
    "json": LONG["json"],
    "yaml": LONG["yaml"],
    "jsonl": '{"id": "bomb", "title": "…"}\n' + GOOD_LINE + "\n",
    "xml": "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>"
    "…</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
    "nbib": "PMID- 1\nTI  - …\n\nPMID- 2\nTI  - Tides\n",
}
FIELDS = {
    "author": "Moon, Ada and ",
    "keywords": "tides, ",
    "abstract": "Tides of moons. ",
    "x": "y ",
}


def _long_field(name: str, size: float) -> str:
    count = sized(3_000_000, 20_000_000, size) // len(FIELDS[name])
    return f"@book{{bomb, title = {{T}}, {name} = {{{FIELDS[name] * count}}}}}\n" + ALSO


def _many_fields(size: float) -> str:
    fields = ", ".join(f"f{n} = {{x}}" for n in range(sized(100_000, 1_000_000, size)))
    return f"@book{{bomb, title = {{T}}, {fields}}}\n" + ALSO


# What is packed


def _packed(packer: str, begins: bytes, unit: bytes, path: Path, unpacked: int) -> None:
    """Pack a beginning and a unit of some kB again and again."""
    with path.open("wb") as out, ExitStack() as stack:
        if packer == "gz":
            file: Any = stack.enter_context(gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1))
        else:
            file = stack.enter_context(zstd.open(out, "wb"))
        file.write(begins)
        for _ in range(unpacked // len(unit)):
            file.write(unit)


def _bomb(packer: str, name: str, begins: str, folder: Path, size: float) -> None:
    unpacked = sized(300_000_000, 4_000_000_000, size)
    _packed(packer, begins.encode(), b"x" * 1_000_000, folder / f"{name}.{packer}", unpacked)


def _zeros(packer: str, folder: Path, size: float) -> None:
    unpacked = sized(300_000_000, 4_000_000_000, size)
    _packed(packer, b"", bytes(1_000_000), folder / f"zeros.{packer}", unpacked)


def _wide_window(folder: Path, _: float) -> None:
    """A frame that wants a window of 2 GB for a line."""
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 31}
    with zstd.open(folder / "wide.jsonl.zst", "wb", options=options) as packed:
        packed.write(f"{GOOD_LINE}\n".encode())


BEGINNINGS = {
    "jsonl": GOOD_LINE + '\n{"id": "bomb", "title": "',
    "json": f'[{GOOD_LINE}, {{"id": "bomb", "title": "',
    "bib": GOOD + "@book{bomb, title = {",
    "ris": "TY  - BOOK\nID  - good2020\nTI  - On tides\nER  - \nTY  - BOOK\nTI  - ",
    "xml": "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>"
    "On tides</ArticleTitle></Article></MedlineCitation></PubmedArticle><PubmedArticle>"
    "<MedlineCitation><PMID>2</PMID><Article><ArticleTitle>",
    "yaml": "- id: good2020\n  title: On tides\n- id: bomb\n  title: ",
    "tsv": "W1\tW2\nW1\t",
}

LINES = ("jsonl", "tsv")
"""What is read on behind a record that is too long; of others the end is missing."""

# Long documents of many records


def _document(name: str, begins: str, record: str, ends: str, folder: Path, size: float) -> None:
    """A document of records, all of the same title."""
    with (folder / name).open("w") as file:
        file.write(begins)
        written, number = 0, 0
        while written < sized(5_000_000, 500_000_000, size):
            number += 1
            part = record.replace("#", str(number)) if number < 50 else _filler(name)
            written += file.write(part)
        file.write(record.replace("#", "0").removesuffix(",") + ends)


def _filler(name: str) -> str:
    """Return a megabyte that belongs to no record, as far as a format has that."""
    if name.endswith("ris"):
        return " " * 999_999 + "\n"
    return " " * 1_000_000


def _laughs(size: float) -> str:
    entities = "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, sized(9, 12, size))
    )
    last = sized(9, 12, size) - 1
    return (
        f'<!DOCTYPE PubmedArticleSet [<!ENTITY l0 "tides">{entities}]>'
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>"
        f"<ArticleTitle>&l{last};</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        "</PubmedArticleSet>"
    )


def _index(*names: str) -> tuple[str, ...]:
    sources = (f"{{folder}}/{name}" for name in ("good.bib", *names))
    return ("index", *sources, "--corpus", "trial")


Write = Callable[[float], str]
"""Returns the text of a file, given how large to be."""


def _of_servers() -> Iterator[Trial]:
    bibtex: dict[str, Write] = {
        "macros of macros": _macros,
        "a macro many times": _joined,
        "a macro in many entries": _macros_everywhere,
        "entries that take from each other": _crossed,
        "very many fields": _many_fields,
        **{f"a long {field}": partial(_long_field, field) for field in FIELDS},
    }
    for name, text in bibtex.items():
        yield Trial(KIND, f"BibTeX: {name}", partial(_text, "bad.bib", text), TEX)
    for name, text in {
        "CSL: aliases of aliases": _csl_aliases,
        "CSL: a long text in many items": _csl_long_alias,
        "CSL: a long text many times in one": _csl_long_alias_inside,
        "Hayagriva: aliases of aliases": _hayagriva_aliases,
        "Hayagriva: a long text in many": _hayagriva_long_alias,
        "merged tables": _merges,
    }.items():
        yield Trial(KIND, name, partial(_text, "bad.yaml", text), MATTER % "yaml", ".md")
    for name, entry in LONG.items():
        draft = TEX if name == "bib" else MATTER % name
        suffix = ".tex" if name == "bib" else ".md"
        yield Trial(
            KIND,
            f"a long title in .{name}",
            partial(_text, f"bad.{name}", _long(entry)),
            draft,
            suffix,
        )
    matter = "---\nbibliography: good.bib\n---\n[@¦]\n"
    for name, text in {"_quarto.yml": _settings_aliases, "myst.yml": _project_aliases}.items():
        yield Trial(KIND, f"{name}: aliases", partial(_text, name, text), matter, ".md")
        yield Trial(KIND, f"{name}: merges", partial(_text, name, _merges), matter, ".md")
    yield Trial(
        KIND,
        "references of a draft: aliases",
        lambda folder, size: None,
        f"---\nbibliography: good.bib\nreferences:\n{_csl_aliases(0)}---\n[@¦]\n",
        ".md",
    )
    yield Trial(
        KIND,
        "references of a draft: a long text in many",
        lambda folder, size: None,
        f"---\nbibliography: good.bib\nreferences:\n{_csl_long_alias(0)}\n---\n[@good¦]\n",
        ".md",
    )
    yield Trial(
        KIND,
        "front matter: merges",
        lambda folder, size: None,
        f"---\n{_merges(0)}\n---\n[@¦]\n",
        ".md",
    )
    yield Trial(
        KIND, "cite-lsp.toml: dots", partial(_text, "cite-lsp.toml", _dotted), said="too deeply"
    )
    yield Trial(
        KIND,
        "front matter in TOML: dots",
        lambda folder, size: None,
        f"+++\nbibliography = 'good.bib'\n{_dotted(0)}+++\n[@¦]\n",
        ".md",
    )
    yield Trial(
        KIND,
        "names of files by macros",
        partial(_text, "own.tex", _names_twice),
        "\\bibliography{good}\n\\input{own}\\cite{¦}\n",
    )


def _texts(texts: dict[str, Write], folder: Path, size: float) -> None:
    for name, text in texts.items():
        _text(name, text, folder, size)


PACKED = (*(("gz", name) for name in BEGINNINGS), ("zst", "jsonl"))
REPEATED: dict[str, Write] = {
    "macros.bib": _macros,
    "joined.bib": _joined,
    "csl.yaml": _csl_aliases,
    "long.yaml": _csl_long_alias,
    "hayagriva.yaml": _hayagriva_aliases,
}


def _of_sources() -> Iterator[Trial]:
    for packer, name in PACKED:
        yield Trial(
            KIND,
            f"source: .{name}.{packer}: one record without end",
            partial(_bomb, packer, f"bad.{name}", BEGINNINGS[name]),
            command=_index(f"bad.{name}.{packer}"),
            said=f"bad.{name}.{packer}",
            status=0 if packer == "gz" and name in LINES else 1,
        )
    for packer in ("gz", "zst"):
        yield Trial(
            KIND,
            f"source: zeros.{packer}",
            partial(_zeros, packer),
            command=_index(f"zeros.{packer}"),
            said=f"zeros.{packer}",
            status=1,
        )
    yield Trial(KIND, "source: a window of 2 GB", _wide_window, command=_index("wide.jsonl.zst"))
    yield Trial(
        KIND,
        "source: entities of entities",
        partial(_text, "laughs.xml", _laughs),
        command=_index("laughs.xml"),
        said="laughs.xml",
        status=1,
    )
    long = {f"long.{name}": _long(entry) for name, entry in LONG_SOURCES.items()}
    for what, texts, said in (
        ("long titles", long, "long.jsonl"),
        ("what is repeated", REPEATED, "macros.bib"),
    ):
        yield Trial(
            KIND, f"sources: {what}", partial(_texts, texts), command=_index(*texts), said=said
        )
    record = '{"paperId": "w#", "title": "On tides #", "year": 2020},'
    ris = "TY  - BOOK\nID  - w#\nTI  - On tides #\nER  - \n\n"
    for name, begins, part, ends in (
        ("large.json", "[", record, "]"),
        ("answer.json", '{"meta": {}, "results": [', record, "]}"),
        ("large.ris", "", ris, ""),
    ):
        yield Trial(
            KIND,
            f"source: {name}: a long document",
            partial(_document, name, begins, part, ends),
            command=_index(name),
        )


TRIALS = (*_of_servers(), *_of_sources())
