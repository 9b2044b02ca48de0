from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import Bibliography
from cite_lsp.library.csl.yaml import parse_references, parse_yaml

PATH = Path("refs.yaml")
CSL = """\
---
# exported
references:
- id: doe2020
  type: article-journal
  title: "Marshes: a study"
  author:
  - family: Doe
    given: J.
  issued: 2020-01
  container-title: Mud
- type: book
  id: 'o''dd, key'
  title: |
    Three
    - id: no item
  issued:
    date-parts:
    - - 2001
      - 5

- id: 7
  title: Seven
...
"""
HAYAGRIVA = """\
# my library
smith2020:
    type: Article
    title: Deep mud
    author: ["Smith, Jane", "Cruz, Juan, Jr."]
    date: 2020-05-17
    serial-number:
        doi: 10.1000/xyz
        arxiv: "2005.00001"
    parent:
        type: Periodical
        title: Journal
        volume: 3
"odd key":
    type: Web
    title: {value: "W", verbatim: true}
    author: {name: Mann, given-name: Thomas, prefix: von}
    url: {value: "https://example.org", date: 2020-01-01}
"""


def read(text: str) -> Bibliography:
    return parse_yaml(text, PATH)


def keys(bibliography: Bibliography) -> list[str]:
    return [entry.key for entry in bibliography.entries]


def test_csl_items_are_entries_with_their_positions() -> None:
    bibliography = read(CSL)
    assert bibliography.problems == ()
    assert [(e.key, e.kind, e.line, e.source) for e in bibliography.entries] == [
        ("doe2020", "article-journal", 4, "csl-yaml"),
        ("o'dd, key", "book", 12, "csl-yaml"),
        ("7", "", 22, "csl-yaml"),
    ]
    assert [CSL[e.key_start : e.key_end] for e in bibliography.entries] == [
        "doe2020",
        "o''dd, key",
        "7",
    ]
    for entry in bibliography.entries:
        assert CSL[entry.start : entry.end] == entry.raw


def test_csl_items_are_papers() -> None:
    first, second, _ = (entry.paper for entry in read(CSL).entries)
    assert (first.title, first.authors, first.year) == ("Marshes: a study", ("J. Doe",), 2020)
    assert first.venue == "Mud"
    assert (second.title, second.year) == ("Three - id: no item", 2001)


def test_hayagriva_is_recognised_by_its_content() -> None:
    bibliography = read(HAYAGRIVA)
    assert bibliography.problems == ()
    assert [(e.key, e.kind, e.line, e.source) for e in bibliography.entries] == [
        ("smith2020", "article", 2, "hayagriva"),
        ("odd key", "web", 14, "hayagriva"),
    ]
    for entry in bibliography.entries:
        assert HAYAGRIVA[entry.key_start : entry.key_end] == entry.key
        assert HAYAGRIVA[entry.start : entry.end] == entry.raw


def test_braces_that_keep_the_letters_of_hayagriva_are_no_part_of_a_text() -> None:
    text = """\
a:
    type: article
    title: {value: "Over {TLS} at $x_{1}$", short: TLS}
    parent: {type: periodical, title: "{IEEE} Access", publisher: {name: "{imagiNary} Press"}}
b:
    type: book
    title: {value: "Sets {a, b}", verbatim: true}
"""
    first, second = read(text).entries
    assert (first.paper.title, first.paper.venue) == ("Over TLS at $x_{1}$", "IEEE Access")
    assert first.fields["publisher"] == "imagiNary Press"
    assert second.paper.title == "Sets {a, b}"


def test_a_hayagriva_item_takes_from_its_parent_what_it_lacks() -> None:
    first, second = read(HAYAGRIVA).entries
    paper = first.paper
    assert (paper.title, paper.authors) == ("Deep mud", ("Jane Smith", "Juan Cruz Jr."))
    assert (paper.year, paper.venue, paper.doi) == (2020, "Journal", "10.1000/xyz")
    assert paper.url == "https://arxiv.org/abs/2005.00001"
    assert first.fields["volume"] == "3"
    assert second.paper.authors == ("Thomas von Mann",)
    assert (second.paper.title, second.paper.url) == ("W", "https://example.org")
    assert second.fields["urldate"] == "2020-01-01"


def test_a_broken_item_is_reported_and_costs_no_other() -> None:
    bibliography = read(CSL.replace('"Marshes: a study"', "Marshes: a study"))
    assert keys(bibliography) == ["o'dd, key", "7"]
    (problem,) = bibliography.problems
    assert problem.line == 6 and "the item is left out, correct this line" in problem.message
    bibliography = read(HAYAGRIVA.replace('"Cruz, Juan, Jr."]', '"Cruz, Jr., Juan"'))
    assert keys(bibliography) == ["odd key"] and len(bibliography.problems) == 1


def test_items_without_key_or_content_are_reported() -> None:
    bibliography = read("- title: X\n- id: b\n")
    assert keys(bibliography) == ["b"]
    assert [(p.line, p.message) for p in bibliography.problems] == [
        (1, 'the item has no "id": add one')
    ]
    (problem,) = read("a: {type: Book}\nb: 5\n").problems
    assert (problem.line, '"b" has neither type nor title' in problem.message) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "references: [{id: f, title: F}, {id: g, title: G}]\n",
        "[{id: f, title: F},\n {id: g, title: G}]\n",
        "  - id: f\n    title: F\n  - id: g\n    title: G\n",
        "a: 1\nreferences:\n  - title: F\n    id: f\n  # note\n  - {id: g, title: G}\nb: 2\n",
        "- &one\n  id: f\n  title: &t F\n- <<: *one\n  id: g\n  title: *t\n",
        "references: # below\n\n-   id: f\n    title: F\n-   id: g\n    title: G\n",
        "f: {type: Book, title: F}\ng: {type: Book, title: G}\n",
        "{f: {title: F}, g: {title: G}}",
    ],
)
def test_every_layout_of_yaml_is_understood(text: str) -> None:
    bibliography = read(text)
    assert keys(bibliography) == ["f", "g"] and bibliography.problems == ()
    assert [text[e.key_start : e.key_end] for e in bibliography.entries] == ["f", "g"]


def test_references_in_a_draft_are_read_where_they_stand() -> None:
    text = "---\ntitle: T\nreferences:\n- id: a\n  title: A\nnocite: x\n---\n\n- id: no\n"
    bibliography = parse_references(text, Path("draft.md"))
    assert (
        bibliography is not None
        and keys(bibliography) == ["a"]
        and bibliography.path == Path("draft.md")
    )
    entry = bibliography.entries[0]
    assert (entry.line, text[entry.key_start : entry.key_end]) == (4, "a")
    assert parse_references("---\ntitle: T\n---\nreferences:\n- id: a\n", PATH) is None


@given(st.sampled_from([CSL, HAYAGRIVA]), st.data())
def test_a_cut_or_a_stray_character_never_raises_nor_misplaces(
    text: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(text)))
    stray = data.draw(
        st.sampled_from(["", "{", "[", '"', "'", ":", "- ", "\n", "&a ", "*a", "\t", "\0"])
    )
    broken = text[:at] + stray + (text[at:] if data.draw(st.booleans()) else "")
    for entry in read(broken).entries:
        assert broken[entry.start : entry.end] == entry.raw
        assert entry.start <= entry.key_start <= entry.key_end <= entry.end
        assert entry.paper.id == "entry:" + entry.key and entry.fields is entry.fields


@pytest.mark.parametrize("line", ["\n", " \n", "# a\n", "\r\n", "\n#\n"])
@pytest.mark.parametrize("count", [40, 2000])
def test_lines_above_the_items_are_passed_over_once_each(line: str, count: int) -> None:
    path, above = Path("refs.yml"), line * count
    assert not parse_yaml(above, path).entries and not parse_yaml(above + "x", path).entries
    for items in ("- id: a\n  title: T\n", "[{id: a, title: T}]", "a:\n  type: book\n"):
        assert [entry.key for entry in parse_yaml(above + items, path).entries] == ["a"]


@pytest.mark.parametrize("line", ["\t\n", "\f\n", "\v\n", "\u3000\n", "\x1c\n"])
def test_lines_of_other_blanks_above_the_items_are_passed_over_as_well(line: str) -> None:
    text = line * 2000 + "- id: a\n  title: T\n"
    assert [entry.key for entry in parse_yaml(text, Path("refs.yml")).entries] == ["a"]


@pytest.mark.parametrize("count", [20, 2000])
@pytest.mark.parametrize("two", ["x: *a{0}, y: *a{0}", "x: [*a{0}, *a{0}]"])
def test_aliases_of_aliases_cost_no_more_than_they_take_to_write(count: int, two: str) -> None:
    items = (f"- &a{n} {{id: a{n}, {two.format(n - 1)}}}\n" for n in range(1, count))
    read = parse_yaml("- &a0 {id: a0, title: T}\n" + "".join(items), Path("refs.yml"))
    assert [entry.key for entry in read.entries[:12]] == [f"a{n}" for n in range(12)]


@pytest.mark.parametrize("item", ["- id: a\n  title: {0}\n", "a:\n  title: {0}\n", "{0}"])
def test_an_item_that_is_nested_too_deeply_is_a_problem_and_not_the_end(item: str) -> None:
    for many in ("[" * 100_000, "[" * 100_000 + "]" * 100_000):
        read = parse_yaml(item.format(many), Path("refs.yml"))
        assert not read.entries and "nested too deeply" in read.problems[0].message
    text = f"---\nreferences:\n{item.format('[' * 100_000)}\n---\n"
    if item.startswith("-"):
        read_in = parse_references(text, Path("a.md"))
        assert read_in is not None and not read_in.entries


def test_aliases_that_repeat_too_much_are_left_out_with_a_line() -> None:
    long = "tide " * 50_000
    items = "".join(f"- id: b{number}\n  title: *t\n" for number in range(100))
    read = parse_yaml(f"- id: a\n  title: &t {long}\n{items}", Path("a.yaml"))
    assert [entry.key for entry in read.entries] == ["a", *(f"b{number}" for number in range(100))]
    assert sum(len(entry.record.data) for entry in read.entries) < 2_000_000
    assert any("aliases repeat more than" in problem.message for problem in read.problems)


@pytest.mark.parametrize("value", ["[[a], {b: c}]", "{a: [b]}", "&a [*a]", "!!binary '='", "~"])
def test_a_value_of_another_kind_costs_no_more_than_itself(value: str) -> None:
    names = ("type", "title", "author", "issued", "container-title", "DOI", "URL", "keyword")
    for name in names:
        read = parse_yaml(f"- id: a\n  {name}: {value}\n- id: b\n  title: T\n", Path("a.yaml"))
        assert [entry.paper.id for entry in read.entries] == ["entry:a", "entry:b"]
        assert [entry.fields.get("title") for entry in read.entries][1] == "T"
