"""Values that no calendar, no number and no text has, and what is nested without end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.chaos.limited import Client
from tests.chaos.trials import ALSO, Trial

KIND = "odd values"
TEX = "\\cite{¦}\n\\bibliography{good,bad}\n"
MATTER = "---\nbibliography: good.bib\n---\n[@¦]\n"

DIGITS = "1" * 5_000
VALUES = {
    "a date that is none": "2020-13-45",
    "a date without end": f"{DIGITS}-01-01",
    "5,000 digits": DIGITS,
    "a very large number": "1e999",
    "no number": ".nan",
    "a number to the base of 60": "99:99:99",
    "binary data that is none": "!!binary '='",
    "a number that is none": "!!int x",
    "a date by its tag": "!!timestamp x",
    "a tag of a program": "!!python/object/apply:os.system ['true']",
    "half a character": '"\\ud800"',
    "digits that are not ASCII": "²⁰²⁰",
    "a list": "[[[1]], {a: b}]",
    "a table": "{a: {b: [c]}}",
    "itself": "&a [*a]",
    "no text": "~",
}
"""As YAML writes them."""
JSON_VALUES = {
    "5,000 digits": DIGITS,
    "a very large number": "1e999",
    "no number": "NaN",
    "without end": "-Infinity",
    "half a character": '"\\ud800"',
    "the other half": '"a\\udfffb"',
    "the first character": '"\\u0000"',
    "digits that are not ASCII": '"²⁰²⁰"',
    "a list of lists": '[[["a"]], {"b": null}]',
    "a table": '{"a": {"b": [1, true]}}',
    "date parts of all kinds": '{"date-parts": [[1e999, "²", [], null]]}',
    "an odd year": f'{{"date-parts": [[{"9" * 400}, 99, -1]]}}',
    "a season": '{"date-parts": [["x"], {}], "season": [], "raw": 7}',
    "none": "null",
    "true": "true",
}
CSL_NAMES = ("id", "type", "title", "author", "issued", "container-title", "DOI", "URL", "keyword")
SOURCE_NAMES = ("id", "title", "authors", "year", "venue", "doi", "abstract", "arxiv", "references")
DEEP = 100_000


def _text(name: str, text: str, folder: Path, _: float) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def _matter(text: str) -> str:
    return f"---\nbibliography: [good.bib, bad.{text}]\n---\n[@¦]\n"


def _own(value: str, name: str) -> str:
    """Return a value whose anchor, if it has one, is that of a field."""
    return value.replace("&a [*a]", f"&{name} [*{name}]")


def _csl_yaml(value: str) -> str:
    items = [f"- id: i{name}\n  title: T\n  {name}: {_own(value, name)}\n" for name in CSL_NAMES]
    return "".join([*items, "- id: also2020\n  title: Tides\n"])


def _hayagriva(value: str) -> str:
    names = ("type", "title", "author", "date", "parent", "serial-number", "url", "page-range")
    items = [f"i{name}:\n  title: T\n  {name}: {_own(value, name)}\n" for name in names]
    return "".join([*items, "also2020:\n  title: Tides\n"])


def _csl_json(value: str) -> str:
    items = [f'{{"id": "i{name}", "title": "T", "{name}": {value}}}' for name in CSL_NAMES]
    items += [f'{{"{name}": {value}, "title": "T"}}' for name in ("citationKey", "itemType")]
    return "[" + ",\n".join([*items, '{"id": "also2020", "title": "Tides"}']) + "]"


def _zotero_json(value: str) -> str:
    names = ("itemType", "title", "creators", "date", "tags", "extra", "DOI")
    items = [
        f'{{"citationKey": "i{name}", "itemType": "book", "title": "T", "{name}": {value}}}'
        for name in names
    ]
    return '{"items": [' + ",\n".join(items) + "]}"


def _records(value: str) -> str:
    rows = [f'{{"id": "i{name}", "title": "T", "{name}": {value}}}' for name in SOURCE_NAMES]
    rows += [f'{{"paperId": "p{name}", "title": "T", "{name}": {value}}}' for name in SOURCE_NAMES]
    openalex = ("title", "authorships", "publication_year", "referenced_works", "ids", "doi")
    rows += [
        f'{{"id": "https://openalex.org/W{number}", "title": "T", "{name}": {value}}}'
        for number, name in enumerate(openalex)
    ]
    crossref = ("title", "author", "issued", "reference", "container-title")
    rows += [f'{{"DOI": "10.1/{name}", "title": ["T"], "{name}": {value}}}' for name in crossref]
    return "\n".join([*rows, '{"id": "also2020", "title": "Tides"}', ""])


def _document(value: str) -> str:
    return "[" + ",\n".join(_records(value).splitlines()) + "]"


BIBTEX_VALUES = {
    "5,000 digits": f"{{{DIGITS}}}",
    "digits that are not ASCII": "{²⁰²⁰}",
    "Arabic digits": "{٢٠٢٠}",
    "a date that is none": "{2020-13-45}",
    "deep braces": "{" * 20_000 + "}" * 20_000,
    "commands within each other": "{" + "\\emph{" * 20_000 + "x" + "}" * 20_001,
    "characters by their numbers": r"{\char1114112 \char'777777777 \symbol{99999999999} \^^d800}",
    "entities": f"{{&#{DIGITS}; &#xd800; &#x110000; &#-1;}}",
    "the first character": "{a\0b}",
    "marks of other directions": "{\u202e\u2066\ufeff\ufffe}",
}
BIBTEX_NAMES = ("title", "author", "year", "date", "month", "doi", "url", "crossref", "pages")


def _bibtex(value: str) -> str:
    entries = [f"@book{{i{name}, title = {{T}}, {name} = {value}}}\n" for name in BIBTEX_NAMES]
    return "".join([*entries, ALSO])


RIS_NAMES = ("TY", "ID", "TI", "AU", "PY", "DA", "SP", "DO")


def _ris(value: str) -> str:
    records = [f"TY  - BOOK\nTI  - T\n{name}  - {value}\nER  - \n" for name in RIS_NAMES]
    return "".join(records)


def _of_bibliographies() -> Iterator[Trial]:
    for name, value in VALUES.items():
        for form, write in (("CSL", _csl_yaml), ("Hayagriva", _hayagriva)):
            make = partial(_text, "bad.yaml", write(value))
            yield Trial(KIND, f"{form} in YAML: {name}", make, _matter("yaml"), ".md")
    for name, value in JSON_VALUES.items():
        for form, write in (("CSL", _csl_json), ("Better BibTeX", _zotero_json)):
            make = partial(_text, "bad.json", write(value))
            yield Trial(KIND, f"{form} in JSON: {name}", make, _matter("json"), ".md")
    for name, value in BIBTEX_VALUES.items():
        yield Trial(KIND, f"BibTeX: {name}", partial(_text, "bad.bib", _bibtex(value)), TEX)
        if "\0" not in value:
            make = partial(_text, "bad.ris", _ris(value[1:-1]))
            yield Trial(KIND, f"RIS: {name}", make, _matter("ris"), ".md")


def _of_drafts() -> Iterator[Trial]:
    for name, value in VALUES.items():
        fields = ("title", "date", "year", "abstract", "nocite", "csl", "metadata-files", "format")
        lines = "\n".join(f"{field}: {_own(value, field)}" for field in fields)
        matter = f"---\n{lines}\nbibliography: good.bib\n---\n[@¦]\n"
        yield Trial(KIND, f"front matter: {name}", partial(_text, "x", ""), matter, ".md")
        if "ud800" not in value:
            matter = f"---\nbibliography: good.bib\nreferences:\n{_csl_yaml(value)}---\n[@¦]\n"
            yield Trial(
                KIND, f"references of a draft: {name}", partial(_text, "x", ""), matter, ".md"
            )
        quarto = f"bibliography: good.bib\nbook:\n  chapters: {value}\nproject: {value}\n"
        yield Trial(
            KIND, f"_quarto.yml: {name}", partial(_text, "_quarto.yml", quarto), MATTER, ".md"
        )
        myst = f"version: 1\nproject:\n  toc: {value}\n  bibliography: {value}\n"
        yield Trial(KIND, f"myst.yml: {name}", partial(_text, "myst.yml", myst), MATTER, ".md")
        toml = f"+++\ntitle = {value}\nbibliography = 'good.bib'\n+++\n[@¦]\n"
        yield Trial(KIND, f"front matter in TOML: {name}", partial(_text, "x", ""), toml, ".md")
        settings = f"bibliography = {value}\nmaxItems = {value}\n"
        yield Trial(KIND, f"cite-lsp.toml: {name}", partial(_text, "cite-lsp.toml", settings))
    numbers = f"\\newcommand{{\\a}}[{DIGITS}]{{x}}\\def\\b#{DIGITS}{{x}}\\newcommand\\c[²]{{#²}}\n"
    yield Trial(
        KIND, "numbers of arguments", lambda *_: None, numbers + "\\cite{¦}\n\\bibliography{good}\n"
    )
    for name in ("a" * 5_000, "a\x01b", "\u202e", "a/" * 3_000, "~" * 100, "\ufffe"):
        text = f"\\input{{{name}}}\\cite{{¦}}\n\\bibliography{{good,{name}}}\n"
        yield Trial(KIND, f"the name of a file: {name[:10]!r}", lambda *_: None, text)


DEEP_FILES = {
    "_quarto.yml": ("[" * DEEP, MATTER, ".md", ""),
    "myst.yml": ("project:\n  toc: " + "{a: " * DEEP, MATTER, ".md", ""),
    "cite-lsp.toml": ("a = " + "[" * DEEP, TEX, ".tex", "too deeply"),
    ".cite-lsp/dismissed.json": ("[" * DEEP, "\\bibliography{good}\nTides \\cite{¦}\n", ".tex", ""),
    "conf.py": ("bibtex_bibfiles = " + "(" * DEEP, MATTER, ".md", ""),
    "bad.json": ('[{"id": "a", "author": ' + "[" * DEEP, _matter("json"), ".md", "deeply"),
    "bad.yaml": ("- id: a\n  author: " + "[" * DEEP, _matter("yaml"), ".md", "deeply"),
    "bad.bib": ("@book{a, title = " + "{" * DEEP, TEX, ".tex", "closed"),
    ".latexmkrc": ("$a = " + "(" * DEEP, TEX, ".tex", ""),
}


def _deep() -> Iterator[Trial]:
    for name, (text, draft, suffix, said) in DEEP_FILES.items():
        yield Trial(KIND, f"{name}: nested deeply", partial(_text, name, text), draft, suffix, said)


def _surrogate_names(folder: Path, _: float) -> None:
    for name in (b"bad\xff.bib", b"bad\xff.tex", b"\xed\xa0\x80.yaml", b"bad\xff.json"):
        with open(os.path.join(os.fsencode(folder), name), "w") as file:
            file.write(ALSO)


def _named(name: bytes, text: str, folder: Path, _: float) -> None:
    place = os.path.join(os.fsencode(folder), name)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w") as file:
        file.write(text)


# Messages about an open draft


def _change(client: Client, uri: str, *changes: object, version: object = 2) -> None:
    document = {"uri": uri, "version": version}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


def _range(start: tuple[int, int], end: tuple[int, int]) -> dict[str, dict[str, int]]:
    return {
        side: {"line": line, "character": character}
        for side, (line, character) in (("start", start), ("end", end))
    }


def _long_numbers(client: Client, uri: str) -> None:
    """Send an edit whose places are numbers of 5,000 digits."""
    change = {"range": _range((7, 7), (7, 7)), "text": ""}
    params = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}
    message = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}
    body = json.dumps(message).replace(": 7", f": {DIGITS}").encode()
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


LAST = {"range": _range((9, 0), (9, 0)), "text": ""}
MESSAGES: dict[str, Callable[[Client, str], None]] = {
    "a reversed range": lambda client, uri: _change(
        client, uri, {"range": _range((0, 1), (0, 0)), "text": "\\"}
    ),
    "a reversed range beside an unknown key": lambda client, uri: _change(
        client, uri, {"range": _range((0, 1), (0, 0)), "text": "\\", "surprise": 1}
    ),
    "an unknown key": lambda client, uri: _change(client, uri, LAST | {"surprise": [1]}),
    "a range beyond the text": lambda client, uri: _change(
        client, uri, {"range": _range((2**31 - 1, 0), (2**31 - 1, 9)), "text": ""}
    ),
    "a negative range": lambda client, uri: _change(
        client, uri, {"range": _range((-1, -1), (-1, -1)), "text": ""}
    ),
    "a range of 5,000 digits": _long_numbers,
    "half a character": lambda client, uri: _change(client, uri, LAST | {"text": "% \ud800\n"}),
    "both halves in two edits": lambda client, uri: _change(
        client, uri, LAST | {"text": "% \ud83d\n"}, LAST | {"text": "% \ude00\n"}
    ),
    "no text": lambda client, uri: _change(client, uri, {"range": _range((0, 0), (0, 0))}),
    "no edits": lambda client, uri: _change(client, uri),
    "a version of another kind": lambda client, uri: _change(client, uri, LAST, version="x"),
}


def _of_messages() -> Iterator[Trial]:
    for name, send in MESSAGES.items():
        text = "\\cite{¦}\n\\bibliography{good}\n"
        if name.startswith("a reversed"):
            text = " " + text[1:]
        yield Trial(KIND, f"a message: {name}", lambda *_: None, text, send=send)


def _of_names() -> Iterator[Trial]:
    yield Trial(KIND, "names that are no text", _surrogate_names, "\\cite{¦}\n")
    yield Trial(KIND, "names that are no text: Markdown", _surrogate_names, "[@¦]\n", ".md")
    yield Trial(KIND, "names that are no text: Typst", _surrogate_names, "@¦\n", ".typ")
    draft = "\\cite{¦}\n\\bibliography{good}\n\\addbibresource[glob]{b*}\n\\input{bad\ufffd}\n"
    yield Trial(KIND, "names that are no text: a pattern", _surrogate_names, draft)
    for name in (b"parts\xff/main.tex", b"\xff.sty", b"b\xff/cite-lsp.toml"):
        make = partial(_named, name, "\\input{paper}\\bibliography{good}\n")
        yield Trial(KIND, f"a name that is no text: {name!r}", make, "\\cite{¦}\n")


SOURCES = {
    "records.jsonl": (JSON_VALUES, _records),
    "document.json": (JSON_VALUES, _document),
    "items.json": (JSON_VALUES, _csl_json),
    "items.yaml": (VALUES, _csl_yaml),
    "entries.yaml": (VALUES, _hayagriva),
    "records.ris": ({name: value[1:-1] for name, value in BIBTEX_VALUES.items()}, _ris),
    "entries.bib": (BIBTEX_VALUES, _bibtex),
}


def _every_value(
    name: str, values: dict[str, str], write: Callable[[str], str], folder: Path, _: float
) -> None:
    """Put a source for each value into a folder."""
    for number, value in enumerate(values.values()):
        (folder / "sources").mkdir(exist_ok=True)
        (folder / "sources" / f"{number}-{name}").write_text(write(value), encoding="utf-8")


def _of_sources() -> Iterator[Trial]:
    for name, (values, write) in SOURCES.items():
        arguments = [f"{{folder}}/sources/{number}-{name}" for number in range(len(values))]
        yield Trial(
            KIND,
            f"sources: {name}",
            partial(_every_value, name, values, write),
            command=("index", "{folder}/good.bib", *arguments, "--corpus", "trial"),
        )
    for name, text in {
        "deep.jsonl": '{"id": "a", "title": ' + "[" * DEEP,
        "deep.json": '[{"id": "a", "title": ' + "[" * DEEP,
        "deep.yaml": "- id: a\n  author: " + "[" * DEEP,
        "deep.bib": "@book{a, title = " + "{" * DEEP,
        "deep.xml": "<PubmedArticleSet><PubmedArticle>" + "<a>" * DEEP,
        "title.xml": "<PubmedArticleSet><PubmedArticle><ArticleTitle>"
        + "<i>" * DEEP
        + "x"
        + "</i>" * DEEP
        + "</ArticleTitle></PubmedArticle></PubmedArticleSet>",
    }.items():
        yield Trial(
            KIND,
            f"sources: {name}",
            partial(_text, name, text),
            command=("index", "{folder}/good.bib", f"{{folder}}/{name}", "--corpus", "trial"),
            said=name,
            status=1,
        )
    yield Trial(
        KIND,
        "sources: names that are no text",
        _surrogate_names,
        command=("index", "{folder}", "--corpus", "trial"),
    )
    yield Trial(
        KIND,
        "check: names that are no text",
        _surrogate_names,
        command=("check", "{folder}"),
    )


TRIALS = (
    *_of_bibliographies(),
    *_of_drafts(),
    *_deep(),
    *_of_names(),
    *_of_messages(),
    *_of_sources(),
)
