"""A BibTeX file after an edit: what is read again, and what stays the same object."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import Bibliography
from cite_lsp.library.bibtex.incremental import BibtexText, read_text

PATH = Path("refs.bib")
TEXT = """\
% made by hand
@string{ieee = "IEEE"}
@article{first, title = {One {Nested {Title}}}, year = 2017}

@comment{ @article{hidden, title = {Not an entry}} }
junk between records, me@example.org
@Book (müller_2020-b, title = "A (quoted) title", publisher = ieee # " Press")
@misc{张三2019, title = {标题}, year = {2019}}
@inproceedings{part, title = {Part}, crossref = {whole}}
@misc{twice, title = {x}
  year = 2000}
@misc{twice, title = {y}}
@proceedings{whole, title = {Whole}, year = 1999}
@misc{left, note = {b}} @misc{right, note = {b}}
@misc{last, title = {Last}}
"""


def read(text: str, before: BibtexText | None = None) -> BibtexText:
    return read_text(text, PATH, before)


def content(bibliography: Bibliography) -> list[object]:
    entries = [
        (e.key, e.kind, e.start, e.end, e.line, e.raw, dict(e.fields)) for e in bibliography.entries
    ]
    return [entries, bibliography.problems]


pieces = st.one_of(
    st.sampled_from(
        ["", "{", "}", '"', "@", "(", ")", ",", "=", "%", "#", "\n", "@misc{new, title={N}}\n",
         "@string{ieee={X}}\n", "@comment{", "crossref={whole}", "\n@misc{q, title={Q},\n",
         "\n<<<<<<< HEAD\n", "\n=======\n"]
    ),
    st.text(max_size=5),
)  # fmt: skip


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), pieces), min_size=1, max_size=4))
def test_edits_read_as_the_edited_file_reads(edits: list[tuple[float, int, str]]) -> None:
    text = TEXT
    parsed = read(text)
    for where, deleted, inserted in edits:
        at = round(where * len(text))
        text = text[:at] + inserted + text[at + deleted :]
        parsed = read(text, parsed)
        assert content(parsed.bibliography) == content(read(text).bibliography)


@given(
    st.floats(0, 1), st.sampled_from(["\n", "\r\n", "\n@misc{new, title={N}}\n"]), st.floats(0, 1)
)
def test_line_breaks_of_another_system_are_read_as_the_whole_file_is(
    where: float, inserted: str, then: float
) -> None:
    text = TEXT.replace("\n", "\r")
    parsed = read(text)
    for place, piece in ((where, inserted), (then, "(")):
        at = round(place * len(text))
        text = text[:at] + piece + text[at:]
        parsed = read(text, parsed)
        assert content(parsed.bibliography) == content(read(text).bibliography)


def test_only_the_record_that_changed_is_a_new_object() -> None:
    before = read(TEXT)
    after = read(TEXT.replace("标题", "新标题\n更长"), before)
    old = {entry.key: entry.record for entry in before.bibliography.entries}
    changed = [e.key for e in after.bibliography.entries if old[e.key] is not e.record]
    assert set(changed) <= {"张三2019", "twice"} and "张三2019" in changed  # two are called twice
    assert after.bibliography.entries[-1].line == before.bibliography.entries[-1].line + 1


def test_an_unchanged_text_is_the_same_object() -> None:
    before = read(TEXT)
    assert read(TEXT, before) is before


def test_a_changed_macro_renews_the_records_that_use_it_and_no_others() -> None:
    before = read(TEXT)
    after = read(TEXT.replace('"IEEE"', '"ACM"'), before)
    old = {id(entry.record) for entry in before.bibliography.entries}
    renewed = [entry for entry in after.bibliography.entries if id(entry.record) not in old]
    assert [entry.fields["publisher"] for entry in renewed] == ["ACM Press"]


def fields(text: str, key: str) -> dict[str, str]:
    (entry,) = (entry for entry in read(text).bibliography.entries if entry.key == key)
    return dict(entry.fields)


def test_a_part_inherits_from_its_whole_whichever_stands_first() -> None:
    part = "@inproceedings{part, title={P}, author={A}, CrossRef = {Whole}}\n"
    whole = "@proceedings{whole, title={W}, year=1999, publisher={Q}, editor={E}}\n"
    for text in (part + whole, whole + part):
        inherited = fields(text, "part")
        assert inherited["title"] == "P" and inherited["booktitle"] == "W"
        assert (inherited["year"], inherited["publisher"], inherited["editor"]) == (
            "1999",
            "Q",
            "E",
        )


def test_the_title_of_a_whole_is_never_that_of_a_part() -> None:
    text = "@incollection{p, crossref = b}\n@book{b, title={B}, booktitle={Classic}}"
    assert fields(text, "p") == {"crossref": "b", "booktitle": "Classic"}


def test_an_article_takes_the_title_of_its_periodical_as_its_journal() -> None:
    text = '@article{a, title={A}, crossref="j"}\n@periodical{j, title={J}, volume=7}'
    assert fields(text, "a") == {"title": "A", "crossref": "j", "journaltitle": "J", "volume": "7"}


def test_xdata_lends_every_field_that_is_missing_over_several_steps() -> None:
    text = (
        "@book{b, title={B}, xdata={press, place}}\n@xdata{press, publisher={P}, title={no}}\n"
        "@xdata{place, location={L}, xdata={deep}}\n@xdata{deep, note={N}}"
    )
    inherited = fields(text, "b")
    assert (inherited["title"], inherited["publisher"]) == ("B", "P")
    assert (inherited["location"], inherited["note"]) == ("L", "N")


@pytest.mark.parametrize("text", ["@misc{a, crossref={a}}", "@misc{a, crossref={none}, title={A}}"])
def test_an_entry_that_inherits_from_itself_or_from_nobody_stays_as_it_is(text: str) -> None:
    assert "crossref" in fields(text, "a")


def test_a_cycle_of_inheritance_ends() -> None:
    text = "@misc{a, crossref={b}, note={A}}\n@misc{b, crossref={a}, year={1999}}"
    assert fields(text, "a")["year"] == "1999"


@pytest.mark.parametrize(
    "text",
    [
        "@misc{a, crossref={b}, note={A}}\n@misc{b, crossref={a}, year={1999}}\n@misc{c}\n",
        "".join(f"@misc{{k{n}, crossref={{k{n + 1}}}, f{n}={{{n}}}}}\n" for n in range(80)),
    ],
    ids=["cycle", "long chain"],
)
def test_inheritance_grows_no_longer_with_the_edits(text: str) -> None:
    first = last = read(text)
    for _ in range(20):
        last = read(last.text + "typed ", last)
    entries, anew = last.bibliography.entries, read(last.text).bibliography.entries
    assert [entry.fields for entry in entries] == [entry.fields for entry in anew]
    for entry, before in zip(entries, first.bibliography.entries, strict=True):
        assert entry.record is before.record


def test_a_chain_of_inheritance_without_end_costs_nothing_else() -> None:
    chain = "".join(
        f"@misc{{k{n}, crossref = {{k{n + 1}}}, note = {{{n}}}}}\n" for n in range(3000)
    )
    entries = read(chain + "@misc{k3000, title = {T}}").bibliography.entries
    assert [entry.fields["note"] for entry in entries[:3000]] == [str(n) for n in range(3000)]
    assert entries[2990].fields["title"] == "T"


def test_what_an_edit_changes_in_the_whole_its_parts_see() -> None:
    before = read(TEXT)
    after = read(TEXT.replace("{Whole}", "{Renamed}"), before)
    part = next(entry for entry in after.bibliography.entries if entry.key == "part")
    assert part.fields["booktitle"] == "Renamed"


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("@misc{a,\n title = {One}\n year = 2001}", 2, "title"),
        ("@misc{a, title = {One} year = {2001}}", 1, "title"),
        ('@misc{a,\n title = "One"\n year = 2001}', 2, "title"),
        ("@misc{a,\n title = {One},\n year = 2001\n note = {x}}", 3, "year"),
        ("@misc{a,\r\n year = 2001\r\n note = {x}}", 2, "year"),
    ],
)
def test_a_missing_comma_between_fields_is_reported(text: str, line: int, field: str) -> None:
    bibliography = read(text).bibliography
    message = f'no comma after the field "{field}" of "a": add ","'
    assert [(problem.line, problem.message) for problem in bibliography.problems] == [
        (line, message)
    ]
    assert len(bibliography.entries[0].fields) >= 2


@pytest.mark.parametrize(
    "text",
    [
        "@misc{a, abstract = {We set {x}\n n = 5, and}, year = 2001}",
        '@misc{a, title = {"x" y = z}, year = "2001"}',
        "@misc{a, title = {One} # { y = 2}, year = 2001\n}",
    ],
)
def test_what_only_looks_like_a_field_lacks_no_comma(text: str) -> None:
    assert read(text).bibliography.problems == ()
