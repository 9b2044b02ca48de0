"""Sources that are long, and records that are: read in parts, or left out with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.corpus.formats.json_lines import LONGEST_RECORD
from cite_lsp.paper import LONGEST_FIELD
from tests.corpus.sources_read import papers_of_source

LONG = "x" * (2 * LONGEST_RECORD + 200_000)
BLANK = (" " * 999_999 + "\n") * 17
OF_PUBMED = (
    "<PubmedArticle><MedlineCitation><PMID>{0}</PMID><Article><ArticleTitle>{1}</ArticleTitle>"
    "</Article></MedlineCitation></PubmedArticle>"
)
NO_RECORD = "<other>" + "x" * (LONGEST_RECORD // 2) + "</other>"


def read(folder: Path, name: str, text: str) -> tuple[list[str], list[str]]:
    """Return the titles that a file gives, and what is said of it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    messages: list[str] = []
    papers = list(papers_of_source(path, messages.append))
    return [paper.title for paper in papers], messages


@pytest.mark.parametrize(
    ("name", "text", "said", "stored"),
    [
        (
            "a.ris",
            f"TY  - BOOK\nTI  - One\nER  - \nTY  - BOOK\nTI  - {LONG}\nER  - \n"
            "TY  - BOOK\nTI  - Two\nER  - \n",
            "a.ris:5: more than",
            ["One", "Two"],
        ),
        (
            "b.ris",
            "TY  - BOOK\nTI  - One\nER  - \nTY  - BOOK\n"
            + f"N1  - {'x' * 1_000_000}\n" * 17
            + "ER  - \nTY  - BOOK\nTI  - Two\nER  - \n",
            "b.ris:4: the record has more than",
            ["One", "Two"],
        ),
        (
            "a.xml",
            f"<PubmedArticleSet>{OF_PUBMED.format(1, 'One')}{OF_PUBMED.format(2, LONG)}",
            "what follows is left out",
            ["One"],
        ),
        (
            "a.json",
            f'[{{"id": "1", "title": "One"}}, {{"id": "2", "title": "{LONG}"}}]',
            "a.json:1: not valid JSON",
            ["One"],
        ),
        ("b.json", f'{{\n"title": "{LONG}"}}', "no list of records", []),
    ],
)
def test_a_very_long_record_costs_a_line(
    tmp_path: Path, name: str, text: str, said: str, stored: list[str]
) -> None:
    titles, messages = read(tmp_path, name, text)
    assert titles == stored
    assert said in messages[0]


@pytest.mark.parametrize(
    ("name", "begins", "record", "ends"),
    [
        ("a.json", "[", '{{"id": "w{0}", "title": "Tides {0}"}},\n', '{"id": "w", "title": "X"}]'),
        ("b.json", '{"meta": {"n": 1}, "results": [', '{{"id": "w{0}", "title": "Tides {0}"}},\n',
         '{"id": "w", "title": "X"}]}'),
        ("c.json", "[", '{{"id": "w{0}", "type": "book", "title": "Tides {0}"}},\n',
         '{"id": "w", "type": "book", "title": "X"}]'),
        ("a.ris", "", "TY  - BOOK\nTI  - Tides {0}\nER  - \n", "TY  - BOOK\nTI  - X\nER  - \n"),
        ("a.xml", "<PubmedArticleSet>", OF_PUBMED.format("{0}", "Tides {0}") + NO_RECORD,
         OF_PUBMED.format(9, "X") + "</PubmedArticleSet>"),
    ],
)  # fmt: skip
def test_of_a_long_source_every_record_is_read(
    tmp_path: Path, name: str, begins: str, record: str, ends: str
) -> None:
    blank = "" if name.endswith("xml") else BLANK
    text = begins + blank.join(record.format(number) for number in range(4)) + ends
    titles, messages = read(tmp_path, name, text)
    assert titles == ["Tides 0", "Tides 1", "Tides 2", "Tides 3", "X"]
    assert messages == []


def test_what_is_wrong_in_a_long_list_is_said_with_its_line(tmp_path: Path) -> None:
    good = '{"id": "a", "title": "A"},\n'
    text = f'[{good}{BLANK}{{"type": "book"}},\n{good.strip()}{{"id": "b", "title": "B"'
    titles, messages = read(tmp_path, "a.json", text)
    assert titles == ["A", "A"]
    line = 19
    assert messages[0].startswith(f"{tmp_path}/a.json:{line}: the item has no")
    assert messages[1].startswith(f"{tmp_path}/a.json:{line + 1}: the list ends in the middle")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.bib", "@book{{a, title = {{{0}}}}}"),
        ("a.jsonl", '{{"id": "a", "title": "{0}"}}'),
        ("a.ris", "TY  - BOOK\nTI  - {0}\nER  - \n"),
    ],
)
def test_of_a_very_long_field_only_so_much_is_kept(tmp_path: Path, name: str, text: str) -> None:
    titles, messages = read(tmp_path, name, text.format("Moon " * LONGEST_FIELD))
    assert [len(title) for title in titles] in ([LONGEST_FIELD], [LONGEST_FIELD - 1])
    assert len(messages) == 1 and f"{LONGEST_FIELD:,}" in messages[0]
