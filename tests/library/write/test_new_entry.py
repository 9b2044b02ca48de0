"""A paper written into a bibliography: in its format, in its hand, and nothing else touched."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from unicodedata import normalize

import pytest
import yaml
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.library import parse_bibliography
from cite_lsp.library.csl.item import Item
from cite_lsp.library.csl.json import parse_csl_json
from cite_lsp.library.csl.yaml import parse_references, parse_yaml
from cite_lsp.library.entries import Bibliography
from cite_lsp.library.formats.bibitem import bibitems
from cite_lsp.library.formats.ris import parse_ris
from cite_lsp.library.text.people import named, untied
from cite_lsp.library.write.new_entry import (
    NewEntry,
    NotWritable,
    appended,
    embedded_entry,
    new_bibitem,
    new_entry,
    new_reference,
)
from cite_lsp.library.write.to_csl import csl_details
from cite_lsp.manuscript import parse
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.paper import Paper
from cite_lsp.storage.encodings import decode_bytes

PAPER = Paper(
    "x",
    "BERT: Pre-training & Ünderstanding of 50% things",
    abstract="What it says.",
    authors=("Jörg Müller", "Jan van der Berg", "李明"),
    year=2019,
    doi="10.1000/abc_d",
    venue="Proceedings of NAACL",
)


def written(
    text: str,
    name: str,
    paper: Paper = PAPER,
    *,
    details: Mapping[str, str] = MappingProxyType({}),
    variables: Item = MappingProxyType({}),
    ascii_only: bool = False,
) -> str:
    new = NewEntry("new2019", paper, details=details, variables=variables)
    added = new_entry(text, Path(name), new, ascii_only=ascii_only)
    return added.applied_to(text)


def same(paper: Paper, read: Paper) -> bool:
    return (paper.title, paper.authors, paper.year, paper.doi) == (
        read.title,
        read.authors,
        read.year,
        read.doi,
    )


@pytest.mark.parametrize("name", ["a.bib", "a.json", "a.yaml"])
def test_a_doi_has_the_capital_letters_of_its_source(name: str) -> None:
    assert "10.1000/ABC_d" in written("", name, evolve(PAPER, written_doi="10.1000/ABC_d"))


def test_a_new_file_gets_a_record_that_any_tool_reads() -> None:
    text = written("", "a.bib")
    assert text == (
        "@inproceedings{new2019,\n"
        "  title = {{BERT}: Pre-training \\& Ünderstanding of 50\\% things},\n"
        "  author = {Müller, Jörg and van der Berg, Jan and 李明},\n"
        "  booktitle = {Proceedings of NAACL},\n"
        "  year = {2019},\n"
        "  doi = {10.1000/abc_d},\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            '@Article{a,\n\tAuthor = "J. Doe",\n\tTitle = "{T}",\n\tYear = 2001}\n',
            '\n@Inproceedings{new2019,\n\tAuthor = "Anne Doe",\n\tTitle = "{A Thing}",\n'
            '\tBooktitle = "Proc. of X",\n\tYear = 2019}\n',
        ),
        (
            "@article{a,\n  author    = {Doe, J.},\n  title     = {T},\n  year      = {2001}\n}",
            "\n\n@inproceedings{new2019,\n  author    = {Doe, Anne},\n  title     = {A Thing},\n"
            "  booktitle = {Proc. of X},\n  year      = {2019}\n}\n",
        ),
        (
            "@article{a, author={Doe, J.}, title={T}, year={2001}}\n",
            "\n@inproceedings{new2019, author={Doe, Anne}, title={A Thing}, "
            "booktitle={Proc. of X}, year={2019}}\n",
        ),
        (
            "@ARTICLE{a,\n  author = {Doe, J.},\n  journaltitle = {J},\n  date = {2001},\n}\n",
            "\n@INPROCEEDINGS{new2019,\n  author = {Doe, Anne},\n  booktitle = {Proc. of X},\n"
            "  title = {A Thing},\n  date = {2019},\n}\n",
        ),
        (
            '@ARTICLE{a,\n       author = {{Doe}, J.},\n        title = "{T}",\n'
            "    booktitle = {B},\n         year = 2001,\n       volume = {7}\n}\n\n",
            "@INPROCEEDINGS{new2019,\n       author = {Doe, Anne},\n        title = {{A Thing}},\n"
            "    booktitle = {Proc. of X},\n         year = 2019\n}\n",
        ),
        (
            "@misc{a,\n  title = {A},\n  year = 2001\n}\n@misc{b, title = {B}}\n",
            "@inproceedings{new2019,\n  title = {A Thing},\n  author = {Doe, Anne},\n"
            "  booktitle = {Proc. of X},\n  year = 2019\n}\n",
        ),
    ],
)
def test_a_record_is_written_in_the_hand_of_its_file(before: str, expected: str) -> None:
    paper = Paper("x", "A Thing", authors=("Anne Doe",), year=2019, venue="Proc. of X")
    text = written(before, "a.bib", paper)
    assert text.startswith(before)
    if "journaltitle" in before:  # where the file does not tell the place of a field, any will do
        assert sorted(text[len(before) :]) == sorted(expected)
    else:
        assert text[len(before) :] == expected


@pytest.mark.parametrize(
    ("title", "before", "language"),
    [
        ("图神经网络综述", "@misc{a, title={深度学习}, langid={chinese}}", "langid={chinese}"),
        ("图神经网络综述", '@misc{a, title="深度学习", language="zh"}', 'language="zh"'),
        ("图神经网络综述", "@misc{a, title={深度学习}}", ""),
        ("Graphs", "@misc{a, title={深度学习}, langid={chinese}}", ""),
        ("深層学習の応用", "@misc{a, title={深度学习}, langid={chinese}}", ""),
        ("图神经网络综述", "@misc{a, title={Depth}, langid={english}}", ""),
    ],
)
def test_a_chinese_record_tells_its_language_where_the_others_do(
    title: str, before: str, language: str
) -> None:
    paper = Paper("x", title, authors=("李明",), year=2020)
    added = new_entry(before, Path("a.bib"), NewEntry("li2020", paper)).text
    assert language in added
    assert ("lang" in added) is bool(language)


@pytest.mark.parametrize("venue", ["MNRAS", "ApJ", "JMLR"])
def test_a_journal_that_goes_by_its_letters_is_no_meeting(venue: str) -> None:
    assert "@article{" in written("", "a.bib", Paper("x", "A Thing", venue=venue))


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("", "{World Health Organization} and Vargas Llosa, Mario and Moor, Ada"),
        (
            "@misc{a,\n  author = {Jane Doe},\n}\n",
            "{World Health Organization} and Mario {Vargas Llosa} and Ada Moor",
        ),
    ],
)
def test_bibtex_can_take_the_names_of_a_record_apart(before: str, expected: str) -> None:
    names = ("World Health Organization", named("Mario", "Vargas Llosa"), "Ada Moor")
    paper = Paper("x", "T", authors=names)
    text = written(before, "a.bib", paper)
    assert f"author = {{{expected}}}" in text
    assert parse_bibliography(text, Path("a.bib")).entries[-1].paper.authors == names


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_csl_has_family_names_and_institutions(name: str) -> None:
    paper = Paper("x", "T", authors=("World Health Organization", named("Ada", "Vargas Llosa")))
    items = yaml.safe_load(written("", name, paper))
    (item,) = items["references"] if name == "a.yaml" else items
    assert item["author"] == [
        {"literal": "World Health Organization"},
        {"family": "Vargas Llosa", "given": "Ada"},
    ]


ITEMS = """[
 {"id": "llosa2010", "type": "article-journal", "title": "Salt & Pepper_s", "DOI": "10.1000/a_b",
  "author": [{"family": "Vargas Llosa", "given": "Mario"}], "container-title": "Letras",
  "editor": [{"family": "Eco", "given": "Umberto"}], "volume": 3, "issue": 3, "page": "12-34",
  "publisher": "Mud Press", "publisher-place": "Lima", "event-title": "Salt Days",
  "issued": {"date-parts": [[2010, 5, 7]]}},
 {"id": "who2021", "type": "report", "title": "Health", "publisher": "WHO Press",
  "author": [{"literal": "World Health Organization"}], "issued": {"date-parts": [[2021]]}},
 {"id": "web", "type": "webpage", "title": "Mud", "URL": "https://mud.org",
  "issued": {"raw": "May 2001"}}
]"""
BIBTEX_FILE = "@article{a,\n  author = {Doe, J.},\n  journal = {J},\n  year = {2001},\n}\n"
BIBLATEX_FILE = "@article{a,\n  author = {Jane Doe},\n  journaltitle = {J},\n  date = {2001},\n}\n"


def copied(before: str, number: int) -> tuple[str, dict[str, str]]:
    """Return the kind and the fields of an item of CSL that was copied to a .bib file."""
    item = parse_csl_json(ITEMS, Path("a.json")).entries[number]
    added = new_entry(before, Path("a.bib"), NewEntry(item.key, item.paper, details=item.fields))
    bibliography = parse_bibliography(before + added.text, Path("a.bib"))
    assert not bibliography.problems and same(item.paper, bibliography.entries[-1].paper)
    return bibliography.entries[-1].kind, dict(bibliography.entries[-1].fields)


HAYAGRIVA = "a:\n  type: book\n  title: T\n"


@pytest.mark.parametrize(
    ("before", "name", "expected"),
    [
        ("", "a.json", [{"family": "King", "given": "Martin", "suffix": "Jr."}]),
        (HAYAGRIVA, "a.yaml", ["King, Martin, Jr."]),
    ],
)
def test_what_stands_behind_a_family_name_is_no_part_of_the_given_name(
    before: str, name: str, expected: list[object]
) -> None:
    paper = Paper("x", "T", authors=("Martin King Jr.", "Ada Moor"))
    text = written(before, name, paper)
    items = yaml.safe_load(text)
    assert (items["new2019"] if before else items[0])["author"][:1] == expected
    parse = parse_yaml if before else parse_csl_json
    assert parse(text, Path(name)).entries[-1].paper.authors[0] == "Martin King Jr."


def test_a_whole_name_with_a_comma_stays_whole_in_hayagriva() -> None:
    paper = Paper("x", "T", authors=("Barnes and Noble, Inc.",))
    text = written(HAYAGRIVA, "a.yaml", paper)
    (name,) = parse_yaml(text, Path("a.yaml")).entries[-1].paper.authors
    assert untied(name) == "Barnes and Noble, Inc."


def test_an_item_of_csl_becomes_a_record_that_bibtex_knows() -> None:
    assert copied(BIBTEX_FILE, 0) == (
        "article",
        {
            "title": r"Salt \& Pepper\_s",
            "author": "Vargas Llosa, Mario",
            "editor": "Eco, Umberto",
            "journal": "Letras",
            "year": "2010",
            "volume": "3",
            "number": "3",
            "pages": "12--34",
            "publisher": "Mud Press",
            "address": "Lima",
            "doi": "10.1000/a_b",
        },
    )
    assert copied(BIBTEX_FILE, 1) == (
        "techreport",
        {
            "title": "Health",
            "author": "{World Health Organization}",
            "institution": "WHO Press",
            "year": "2021",
        },
    )
    assert copied(BIBTEX_FILE, 2)[0] == "misc"


@pytest.mark.parametrize("before", ["", "@misc{a,\n  journaltitle = {J},\n  date = {2001},\n}\n"])
def test_a_date_that_is_no_year_stays(before: str) -> None:
    text = '[{"id": "a", "type": "book", "title": "T", "issued": {"literal": "forthcoming"}}]'
    (entry,) = parse_csl_json(text, Path("a.json")).entries
    added = new_entry(before, Path("a.bib"), NewEntry("k", entry.paper, details=entry.fields)).text
    assert "  year = {forthcoming}" in added
    (entry,) = parse_bibliography(added, Path("a.bib")).entries
    added = new_entry(
        "", Path("b.json"), NewEntry("k", entry.paper, variables=csl_details(entry))
    ).text
    assert json.loads(added)[0]["issued"] == {"literal": "forthcoming"}


def test_an_item_of_csl_becomes_a_record_of_biblatex_where_the_file_is_of_that() -> None:
    kind, fields = copied(BIBLATEX_FILE, 0)
    assert kind == "article"
    assert (fields["journaltitle"], fields["date"]) == ("Letras", "2010-05-07")
    assert (fields["author"], fields["editor"]) == ("Mario {Vargas Llosa}", "Umberto Eco")
    assert (fields["location"], fields["eventtitle"]) == ("Lima", "Salt Days")
    assert "year" not in fields and "journal" not in fields
    assert copied(BIBLATEX_FILE, 1)[0] == "report"
    assert copied(BIBLATEX_FILE, 2)[0] == "online"
    assert copied(BIBLATEX_FILE, 2)[1]["date"] == "2001"


RECORDS = r"""@article{he2016, title = {Deep M{\"u}ller}, author = {He, Kaiming and {Open AI}},
  journal = {Letters of X}, year = 2016, month = jun, volume = {12}, number = {3},
  pages = {770--778}, publisher = {IEEE}, doi = {10.1000/he}, issn = {1234-5678}}
@inproceedings{vaswani2017, title = {Attention}, author = {Vaswani, Ashish}, year = 2017,
  booktitle = {Advances in NIPS}, editor = {Guyon, Isabelle and Bengio, Samy}, pages = {1--11},
  publisher = {Curran}, address = {Red Hook}, volume = 30}
@incollection{roe1999, title = {A Chapter}, booktitle = {The Whole}, editor = {Roe, Richard},
  publisher = {Mud \& Press}, pages = {5--9}, year = 1999}
@book{knuth1986, title = {The Book}, author = {Knuth, Donald}, publisher = {Addison},
  edition = {2}, isbn = {0-201-13447-0}, year = 1986}
"""
READ_BACK = {
    "he2016": {
        "title": "Deep Müller", "journaltitle": "Letters of X", "volume": "12", "number": "3",
        "pages": "770-778", "publisher": "IEEE", "doi": "10.1000/he", "issn": "1234-5678",
        "year": "2016",
    },
    "vaswani2017": {
        "author": "Ashish Vaswani", "booktitle": "Advances in NIPS", "volume": "30",
        "editor": "Isabelle Guyon and Samy Bengio", "pages": "1-11", "publisher": "Curran",
        "location": "Red Hook",
    },
    "roe1999": {
        "booktitle": "The Whole", "editor": "Richard Roe", "publisher": "Mud & Press",
        "pages": "5-9", "author": "",
    },
    "knuth1986": {"publisher": "Addison", "edition": "2", "isbn": "0-201-13447-0"},
}  # fmt: skip


@pytest.mark.parametrize("key", READ_BACK)
@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("a.json", '[\n  {"id": "a", "type": "book", "title": "T"}\n]\n'),
        ("a.yaml", "references:\n- id: a\n  title: T\n"),
        ("a.yml", "a:\n  type: book\n  title: T\n"),
    ],
)
def test_a_record_of_bibtex_loses_nothing_in_another_format(
    name: str, before: str, key: str
) -> None:
    entries = parse_bibliography(RECORDS, Path("all.bib")).entries
    (entry,) = (candidate for candidate in entries if candidate.key == key)
    path, variables = Path(name), csl_details(entry)
    added = new_entry(before, path, NewEntry(key, entry.paper, variables=variables))
    after = added.applied_to(before)
    parser = parse_csl_json if path.suffix == ".json" else parse_yaml
    new = parser(after, path).entries[-1]
    assert new.key == key
    expected = READ_BACK[key]
    assert {field: new.fields.get(field, "") for field in expected} == expected


@pytest.mark.parametrize(
    ("record", "kind", "parts"),
    [
        ("@article{a, title={T}, year=2016}", "article-journal", [2016]),
        ("@inproceedings{a, title={T}, year=2016, month=jun}", "paper-conference", [2016, 6]),
        ("@book{a, title={T}, year={2016}, month={June}}", "book", [2016, 6]),
        ("@techreport{a, title={T}, year={2016}, month={12}}", "report", [2016, 12]),
        ("@inbook{a, title={T}, year={2016}, month={13}}", "chapter", [2016]),
        ("@phdthesis{a, title={T}, date={2016-06-03}}", "thesis", [2016, 6, 3]),
        ("@online{a, title={T}, date={2016-06}}", "webpage", [2016, 6]),
    ],
)
def test_the_kind_and_the_date_of_a_record_come_along(
    record: str, kind: str, parts: list[int]
) -> None:
    (entry,) = parse_bibliography(record, Path("a.bib")).entries
    added = new_entry("", Path("a.json"), NewEntry("a", entry.paper, variables=csl_details(entry)))
    (item,) = json.loads(added.text)
    assert (item["type"], item["issued"]["date-parts"]) == (kind, [parts])


def test_hayagriva_says_of_the_whole_what_belongs_to_the_whole() -> None:
    entry = parse_bibliography(RECORDS, Path("all.bib")).entries[1]
    text = "a:\n  type: book\n  title: T\n"
    added = new_entry(text, Path("a.yml"), NewEntry("b", entry.paper, variables=csl_details(entry)))
    assert yaml.safe_load(added.text)["b"]["parent"] == {
        "type": "proceedings",
        "title": "Advances in NIPS",
        "editor": ["Guyon, Isabelle", "Bengio, Samy"],
        "publisher": {"name": "Curran", "location": "Red Hook"},
        "volume": 30,
    }


def test_a_file_that_spells_accents_as_commands_gets_commands() -> None:
    before = '@article{a,\n  author = {G{\\"o}del, K.},\n  title = {T},\n}\n'
    assert 'M{\\"u}ller, J{\\"o}rg' in written(before, "a.bib")
    assert 'M{\\"u}ller' in written("", "a.bib", ascii_only=True)


HEAVY = r"Measurement of $\sqrt{s}=13$ TeV $pp\to t\bar{t}$ \emph{new} Schr\"odinger"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (HEAVY, HEAVY),
        ("Memory in $O(n^2)$ on GPU", "Memory in {$O(n^2)$} on {GPU}"),
        (r"$\Lambda$ and $\lambda$", r"{$\Lambda$} and $\lambda$"),
        ("H_2O", r"H\_2O"),
        ("Q^2 for $100 & 50% #1", r"Q\^{}2 for \$100 \& 50\% \#1"),
        ("At $ s = $ 8 TeV", "At $ s = $ 8 {TeV}"),
        ("To $ ^+ ^-$ and $ ^ $", r"To \$ \^{}+ \^{}-\$ and \$ \^{} \$"),
        ("$a & b$ for $5 to $10", r"$a \& b$ for \$5 to \$10"),
        (r"Sch\^on and R\&D", r"Sch\^on and R\&D"),
        ("$x_{1$ and {y", "$x_1$ and y"),
        (r"Galaxies at z ~ 6, ~3 GHz, $x$~2", r"Galaxies at z $\sim$ 6, $\sim$3 {GHz}, $x$~2"),
    ],
)
def test_latex_stays_latex_and_all_else_is_set_as_it_stands(title: str, expected: str) -> None:
    assert f"  title = {{{expected}}},\n" in written("", "a.bib", Paper("x", title))


def test_accents_become_commands_outside_of_formulas() -> None:
    text = written("", "a.bib", Paper("x", "Größe $a×b$"), ascii_only=True)
    assert r"title = {Gr{\"o}{\ss}e $a×b$}" in text
    text = written("", "a.bib", Paper("x", "5½ per 10⁻³ ﬁg"), ascii_only=True)
    assert "title = {5½ per 10⁻³ fig}" in text
    text = written("", "a.bib", Paper("x", "T", authors=("Nguyễn Việt",)), ascii_only=True)
    assert r"author = {Vi{\d{\^e}}t, Nguy{\~{\^e}}n}" in text


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_a_format_that_is_not_latex_gets_what_a_reader_sees(name: str) -> None:
    text = written("", name, Paper("x", r"Decay of $\Lambda \to p$"))
    assert "Decay of Λ → p" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_tex_sets_any_title_that_was_written(tmp_path: Path) -> None:
    titles = [HEAVY, "$O(n^2)$, H_2O, Q^2 & 50% of $100 #1", "$ ^+ ^-$ and $ ^ $", "$x_{1$ {y"]
    fields = [written("", "a.bib", Paper("x", title)).splitlines()[1] for title in titles]
    shown = [field.strip().removeprefix("title = {").removesuffix("},") for field in fields]
    source = "\n\n".join(shown)
    draft = f"\\documentclass{{article}}\n\\begin{{document}}\n{source}\n\\end{{document}}\n"
    (tmp_path / "d.tex").write_text(draft, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "d.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("latin-1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_encoding_and_line_breaks_stay_and_so_does_every_byte(
    encoding: str, line_break: str
) -> None:
    before = "@article{a,\n  author = {Gödel, K.},\n  title = {T},\n}\n".replace("\n", line_break)
    text, problem = decode_bytes(before.encode(encoding))
    paper = Paper("x", "Über café", authors=("Jörg Müller",), year=2019)
    after = written(text, "a.bib", paper, ascii_only=bool(problem))
    assert after.encode(encoding).startswith(before.encode(encoding))
    assert after.count("\n") == after.count(line_break)
    assert same(paper, parse_bibliography(decode_bytes(after.encode(encoding))[0], Path("a.bib"))
                .entries[-1].paper)  # fmt: skip


@pytest.mark.parametrize("of_record", ["\n", "\r\n"])
@pytest.mark.parametrize("of_file", ["\n", "\r\n"])
def test_a_record_of_another_file_takes_the_line_breaks_of_its_new_one(
    of_file: str, of_record: str
) -> None:
    record = "@misc{b,\n  title = {T},\n}".replace("\n", of_record)
    text = "@misc{a,\n}\n".replace("\n", of_file)
    assert appended(text, record).text == "\n@misc{b,\n  title = {T},\n}\n".replace("\n", of_file)


def test_a_file_of_ris_keeps_its_line_breaks() -> None:
    before = "TY  - JOUR\r\nTI  - T\r\nID  - a\r\nER  - \r\n"
    after = written(before, "a.ris", Paper("x", "U", authors=("Jörg Müller",), year=2019))
    assert after.startswith(before)
    assert after.count("\n") == after.count("\r\n") == after.count("\r") > 6


JSON = {
    "indented": '[\n  {\n    "id": "a",\n    "title": "T"\n  },\n  {\n    "id": "b"\n  }\n]\n',
    "tabs": '{"items": [\n\t{\n\t\t"id": "a"\n\t}\n]}\n',
    "one line": '[{"id":"a","title":"T"},{"id":"b"}]',
    "empty list": "[]",
    "nothing": "",
    "windows": '[\r\n  {\r\n    "id": "a"\r\n  }\r\n]\r\n',
}
YAML = {
    "references": "references:\n- id: a\n  title: T\n- id: b\n  issued: 2001\n",
    "indented, no last break": "references:\n  - id: a\n    title: T\n\n  - id: b\n    title: U",
    "bare list": "- id: a\n  title: T\n",
    "nothing": "",
    "hayagriva": "a:\n    type: article\n    title: T\n\nb:\n    type: book\n    title: U\n",
    "windows": "references:\r\n- id: a\r\n  title: T\r\n",
}


@pytest.mark.parametrize("layout", JSON)
def test_csl_json_stays_json(layout: str) -> None:
    text = written(JSON[layout], "a.json")
    json.loads(text)
    check(parse_csl_json(JSON[layout], Path("a.json")), parse_csl_json(text, Path("a.json")))
    assert ("\n" in text) == ("\n" in JSON[layout] or layout in ("empty list", "nothing"))
    assert text.count("\r\n") in (0, text.count("\n"))


@pytest.mark.parametrize("layout", YAML)
def test_yaml_stays_yaml_of_its_kind(layout: str) -> None:
    text = written(YAML[layout], "a.yaml")
    yaml.safe_load(text)
    check(parse_yaml(YAML[layout], Path("a.yaml")), parse_yaml(text, Path("a.yaml")))
    assert text.count("\r\n") in (0, text.count("\n"))


@pytest.mark.parametrize("mark", ["...", "---\n", "... # end\n"])
@pytest.mark.parametrize("layout", ["references", "bare list", "hayagriva"])
def test_what_ends_a_document_of_yaml_stays_at_its_end(layout: str, mark: str) -> None:
    text = written(YAML[layout] + mark, "a.yaml")
    assert text.endswith(f"\n{mark}")
    assert "new2019" in str(next(yaml.safe_load_all(text)))
    entries = parse_yaml(text, Path("a.yaml")).entries
    assert [entry.raw for entry in entries if mark.strip() in entry.raw] == []


@pytest.mark.parametrize(
    ("name", "before", "expected"),
    [
        ("a.json", '[{"id": "a"}]', ', {"id": "k", "type": "document", "title": "U"}'),
        ("a.json", '[{"id":"a"},\n{"id":"b"}]', ',\n{"id":"k","type":"document","title":"U"}'),
        (
            "a.json",
            '{"items": [\n\t{\n\t\t"id": "a"\n\t}\n]}',
            ',\n\t{\n\t\t"id": "k",\n\t\t"type": "document",\n\t\t"title": "U"\n\t}',
        ),
        (
            "a.json",
            '[{"id":"a"}, {"id": }, {"id":"b"}]',
            ',\n{"id":"k","type":"document","title":"U"}',
        ),
        ("a.yaml", "- id: a\n- id: b\n", "- id: k\n  type: document\n  title: U\n"),
        ("a.yaml", "- id: a\n\n- id: b\n", "\n- id: k\n  type: document\n  title: U\n"),
        ("a.yaml", "a: {title: T}\nb: {title: T}\n", "k:\n  type: article\n  title: U\n"),
        ("a.tex", "\\bibitem{a} A.\n\\bibitem{b} B.\n", "\n\\bibitem{k}\nU."),
        ("a.tex", "\\bibitem{a} A.\n\n\\bibitem{b} B.\n", "\n\n\\bibitem{k}\nU."),
    ],
)
def test_an_item_stands_apart_from_the_last_as_that_does_from_the_one_before(
    name: str, before: str, expected: str
) -> None:
    write = new_bibitem if name == "a.tex" else new_entry
    assert write(before, Path(name), NewEntry("k", Paper("x", "U"))).text == expected


@pytest.mark.parametrize("before", ["@misc{a}\n@misc{b}", "@misc{a}\n@misc{b}\n"])
def test_a_record_that_is_copied_has_a_blank_line_before_it(before: str) -> None:
    assert before + appended(before, "@misc{k}").text == "@misc{a}\n@misc{b}\n\n@misc{k}\n"


ABSTRACTS = {
    "a.json": '[{"id": "a", "abstract": "A."}]',
    "a.yaml": "- id: a\n  abstract: A.\n",
    "a.ris": "TY  - JOUR\nTI  - T\nN2  - A.\nER  - \n",
    "a.bib": "@misc{a,\n  title = {T},\n  abstract = {A.},\n}\n",
}


@pytest.mark.parametrize("name", ABSTRACTS)
def test_an_abstract_is_written_where_the_others_have_theirs(name: str) -> None:
    lines = ABSTRACTS[name]
    assert "What it says." in written(lines, name)
    without = "".join(line for line in lines.splitlines(True) if "A." not in line)
    assert "What it says." not in written(without or '[{"id": "a"}]', name)


def test_references_in_a_draft_are_added_to_and_the_draft_stays() -> None:
    before = "---\nreferences:\n- id: a\n  title: T\nlang: en\n---\n\nText [@a].\n"
    added = new_reference(before, Path("d.md"), NewEntry("new2019", PAPER))
    after = added.applied_to(before)
    assert after.endswith("\nlang: en\n---\n\nText [@a].\n")
    old, new = (parse_references(text, Path("d.md")) for text in (before, after))
    assert old is not None and new is not None
    check(old, new)


def test_bibitems_are_added_to() -> None:
    before = "\\begin{thebibliography}{9}\n\\bibitem{a} A thing.\n\\end{thebibliography}\n"
    added = new_bibitem(before, Path("d.tex"), NewEntry("new2019", PAPER))
    after = added.applied_to(before)
    assert after.endswith("\n\\end{thebibliography}\n")
    items = bibitems(parse(after, "latex"), Path("d.tex")).entries
    assert [item.key for item in items] == ["a", "new2019"]
    assert "\nJörg Müller, Jan van der Berg and 李明.\n" in items[1].raw
    assert "of 50\\% things" in items[1].raw
    assert "\\emph{Proceedings of NAACL}, 2019." in items[1].raw


@pytest.mark.parametrize(("year", "last"), [(2019, "\n\\newblock 2019."), (None, "")])
def test_a_bibitem_of_a_single_author_names_it_alone(year: int | None, last: str) -> None:
    paper = Paper("x", "T", authors=("Ann Moor",), year=year)
    added = new_bibitem("\\bibitem{a} A.\n", Path("d.tex"), NewEntry("k", paper)).text
    assert added.strip() == f"\\bibitem{{k}}\nAnn Moor.\n\\newblock T.{last}"


@pytest.mark.parametrize("record", ["", "@misc{new2019,\n  title = {New},\n}"])
def test_a_bibliography_within_a_draft_is_added_to(record: str) -> None:
    opening, closing = "\\begin{filecontents}{refs.bib}\n", "\\end{filecontents}\n"
    before = f"{opening}@misc{{a,\n  title = {{T}},\n}}\n{closing}Text @misc{{b}}.\n"
    added = embedded_entry(before, Path("d.tex"), NewEntry("new2019", PAPER, record))
    after = added.applied_to(before)
    assert after.startswith(opening) and after.endswith(f"}}\n{closing}Text @misc{{b}}.\n")
    body = after[len(opening) : after.index(closing)]
    assert [entry.key for entry in parse_bibliography(body, Path("a.bib")).entries] == [
        "a",
        "new2019",
    ]


def test_what_is_known_of_an_item_comes_along_into_a_draft() -> None:
    before = "\\begin{filecontents}{refs.bib}\n@misc{a,\n  title = {T},\n}\n\\end{filecontents}\n"
    added = embedded_entry(before, Path("d.tex"), NewEntry("k", PAPER, details={"volume": "7"}))
    assert "  volume = {7},\n" in added.text


def in_references(text: str) -> TextEdit:
    return new_reference(text, Path("d.md"), NewEntry("k", PAPER))


def as_bibitem(text: str) -> TextEdit:
    return new_bibitem(text, Path("d.tex"), NewEntry("k", PAPER))


def in_filecontents(text: str) -> TextEdit:
    return embedded_entry(text, Path("d.tex"), NewEntry("k", PAPER))


@pytest.mark.parametrize(
    ("add", "text"),
    [
        (in_references, "Text [@a].\n"),
        (in_references, "---\nreferences: []\n---\n"),
        (in_references, "---\nreferences: [{id: a, title: T}]\n---\n"),
        (as_bibitem, "Text \\cite{a}.\n"),
        (in_filecontents, "Text \\cite{a}.\n"),
    ],
)
def test_a_draft_without_a_place_for_an_entry_says_so(
    add: Callable[[str], TextEdit], text: str
) -> None:
    with pytest.raises(NotWritable, match=r"^d\."):
        add(text)


def test_entries_of_amsrefs_are_not_added_to_as_bibitems() -> None:
    with pytest.raises(NotWritable, match=r"not written as \\bibitem"):
        new_bibitem("\\bib{a}{book}{title={T}}\n", Path("d.tex"), NewEntry("new2019", PAPER))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("zotero.sqlite", ""),
        ("a.json", '{"name": 1}'),
        ("a.json", '{"collections": [], "items": []}'),
        ("a.json", '[{"itemType": "book", "citationKey": "a", "title": "T"}]'),
        ("a.yaml", "references: [{id: a, title: T}]\n"),
        ("a.yaml", "{a: {type: book, title: T}}\n"),
        ("a.yaml", "# nothing\n"),
    ],
)
def test_what_cannot_be_written_says_so(name: str, text: str) -> None:
    with pytest.raises(NotWritable, match=name):
        new_entry(text, Path(name), NewEntry("k", PAPER))


def check(before: Bibliography, after: Bibliography) -> None:
    assert not after.problems
    assert [entry.raw for entry in after.entries[:-1]] == [entry.raw for entry in before.entries]
    assert after.entries[-1].key == "new2019"
    assert same(PAPER, after.entries[-1].paper)


READERS = {
    "a.bib": parse_bibliography,
    "a.json": parse_csl_json,
    "a.yaml": parse_yaml,
    "a.ris": parse_ris,
}
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\\{}$~\"^`'-", exclude_categories=("C", "Z"))
    | st.just(" "),
    min_size=1,
    max_size=30,
).map(lambda text: " ".join(text.split())).filter(bool)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(title=TEXTS, venue=TEXTS, abstract=TEXTS, name=st.sampled_from(list(READERS)))
def test_whatever_a_paper_says_is_read_back(
    title: str, venue: str, abstract: str, name: str
) -> None:
    paper = Paper("x", title, abstract, ("Anne Doe",), 2019, venue)
    text = written(written("", name), name, paper)
    bibliography = READERS[name](text, Path(name))
    assert len(bibliography.entries) == 2
    read = normalize("NFC", bibliography.entries[1].paper.title)
    assert "".join(read.split()) == "".join(normalize("NFC", title).split())


def test_real_files_keep_every_record(drafts: Path) -> None:
    for path in sorted(drafts.rglob("*.bib")):
        text, _ = decode_bytes(path.read_bytes())
        before = parse_bibliography(text, path)
        after = parse_bibliography(written(text, str(path)), path)
        assert [entry.raw for entry in after.entries[:-1]] == [
            entry.raw for entry in before.entries
        ]
        assert len(after.problems) == len(before.problems), path
        assert same(PAPER, after.entries[-1].paper), path


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
@pytest.mark.parametrize("name", ["a.bib", "a.json", "a.yaml"])
def test_pandoc_prints_the_paper_from_what_was_written(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(written(written("", name), name), encoding="utf-8")
    (tmp_path / "draft.md").write_text("See @new2019.\n", encoding="utf-8")
    command = ["pandoc", "--citeproc", f"--bibliography={name}", "-t", "plain", "draft.md"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    text = " ".join(printed.stdout.split()).lower()
    assert "see müller" in text
    assert "pre-training & ünderstanding of 50% things" in text


@pytest.mark.parametrize("name", [*READERS, "a.hayagriva.yaml"])
def test_a_list_of_authors_that_is_cut_short_stays_so(name: str) -> None:
    paper = evolve(PAPER, authors=("Georges Aad",), more_authors=True)
    before = HAYAGRIVA if "hayagriva" in name else ""
    parse = READERS["a" + Path(name).suffix]
    entry = parse(written(before, name, paper), Path(name)).entries[-1]
    assert (entry.paper.authors, entry.paper.more_authors) == (("Georges Aad",), True)


def test_a_copied_entry_has_the_others_among_its_editors_and_authors() -> None:
    source = "@book{k, author={Aad, G. and others}, title={T}, editor={Moor, A. and others}}"
    (entry,) = parse_bibliography(source, Path("a.bib")).entries
    added = new_entry("", Path("b.bib"), NewEntry("k", entry.paper, details=entry.fields))
    assert "author = {Aad, G. and others}" in added.text
    assert "editor = {Moor, A. and others}" in added.text
    item = new_entry("", Path("b.json"), NewEntry("k", entry.paper, variables=csl_details(entry)))
    assert json.loads(item.text)[0]["author"][-1] == {"literal": "others"}


def test_an_item_of_a_draft_names_the_first_author_and_the_others() -> None:
    draft = "\\begin{thebibliography}{9}\n\\bibitem{a} A thing.\n\\end{thebibliography}\n"
    paper = evolve(PAPER, authors=("Georges Aad",), more_authors=True)
    assert "Georges Aad, et al.\n" in new_bibitem(draft, Path("a.tex"), NewEntry("k", paper)).text
