from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import Bibliography, parse_bibliography

Parsed = Callable[[str], Bibliography]

WELL_WRITTEN = """\
% made by hand
@string{ieee = "IEEE"}
@article{DBLP:conf/nips/A+B, title = {One {Nested {Title}}}, year = 2017}

@comment{ @article{hidden, title = {Not an entry}} }
junk between records, me@example.org
@preamble{"\\newcommand{\\x}{y}"}
@Book (müller_2020-b, title = "A (quoted) title", publisher = ieee # " Press")
@misc{张三2019, title = {标题}, year = {2019}}
@misc{bare}
"""


def keys(bibliography: Bibliography) -> list[str]:
    return [entry.key for entry in bibliography.entries]


def messages(bibliography: Bibliography) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in bibliography.problems]


def test_entries_are_found_with_their_keys_as_written(parsed: Parsed) -> None:
    bibliography = parsed(WELL_WRITTEN)
    assert keys(bibliography) == ["DBLP:conf/nips/A+B", "müller_2020-b", "张三2019", "bare"]
    assert [entry.kind for entry in bibliography.entries] == ["article", "book", "misc", "misc"]
    assert [entry.line for entry in bibliography.entries] == [3, 8, 9, 10]
    assert bibliography.problems == ()


def test_offsets_enclose_exactly_the_record_and_the_key(parsed: Parsed) -> None:
    for entry in parsed(WELL_WRITTEN).entries:
        assert WELL_WRITTEN[entry.key_start : entry.key_end] == entry.key
        assert WELL_WRITTEN[entry.start : entry.end] == entry.raw
        assert entry.raw[0] == "@" and entry.raw[-1] in "})"


def test_a_macro_is_known_to_every_entry_whatever_its_case(parsed: Parsed) -> None:
    entry = parsed('@STRING(AcM = {ACM})\n@book{a, publisher = acm # " Press"}').entries[0]
    assert entry.fields["publisher"] == "ACM Press"


def test_a_macro_may_be_made_of_others(parsed: Parsed) -> None:
    text = '@string{a = "A"}\n@string{b = a # { and B}}\n@misc{k, note = b}'
    assert parsed(text).entries[0].fields["note"] == "A and B"


def test_a_record_behind_a_percent_sign_is_commented_out(parsed: Parsed) -> None:
    assert keys(parsed("% @misc{old, title={x}}\n@misc{new, title={100% y}}\n")) == ["new"]


def test_two_records_on_one_line_are_two(parsed: Parsed) -> None:
    assert keys(parsed("@misc{a, title={x}} @misc{b, title={y}}")) == ["a", "b"]


def test_braces_nested_deeper_than_any_title_are_balanced(parsed: Parsed) -> None:
    title = "{" * 40 + "x" + "}" * 40
    bibliography = parsed(f"@misc{{a, title = {title}}}\n@misc{{b, title = {{y}}}}")
    assert keys(bibliography) == ["a", "b"] and bibliography.problems == ()


def test_a_comment_without_braces_is_a_line(parsed: Parsed) -> None:
    bibliography = parsed("@Comment Taken from elsewhere\n@misc{a, title={x}}")
    assert keys(bibliography) == ["a"] and bibliography.problems == ()


def test_a_comment_that_is_not_closed_hides_nothing(parsed: Parsed) -> None:
    assert keys(parsed("@comment{ old stuff\n@misc{a, title={x}}\n")) == ["a"]


def test_an_entry_that_is_not_closed_ends_before_the_next_and_stays(parsed: Parsed) -> None:
    bibliography = parsed("@misc{a, title = {One}, year = {2001\n\n  @misc{b, title={Two}}\n")
    assert keys(bibliography) == ["a", "b"]
    assert bibliography.entries[0].raw == "@misc{a, title = {One}, year = {2001"
    assert dict(bibliography.entries[0].fields) == {"title": "One", "year": "2001"}
    assert messages(bibliography) == [(1, 'the entry "a" is not closed: add the missing "}"')]


def test_a_value_that_is_not_closed_costs_no_other_field(parsed: Parsed) -> None:
    bibliography = parsed("@misc{a,\n  title = {One,\n  year = {2001}\n}\n@misc{b, title={Two}}\n")
    assert keys(bibliography) == ["a", "b"]
    assert dict(bibliography.entries[0].fields) == {"title": "One", "year": "2001"}


def test_a_merge_conflict_is_reported_where_it_begins_and_costs_no_entry(parsed: Parsed) -> None:
    bibliography = parsed(
        "<<<<<<< HEAD\n@misc{a, title={A}}\n=======\n@misc{b, title={B}}\n>>>>>>> other\n"
        "@misc{c,\n  title = {C},\n<<<<<<< HEAD\n  year = 1999\n=======\n  year = 2000\n"
        ">>>>>>> other\n}\n"
    )
    assert keys(bibliography) == ["a", "b", "c"]
    message = "a merge conflict is left here: keep one side of it, and remove its lines of "
    message += '"<", "=" and ">"'
    assert messages(bibliography) == [(1, message), (8, message)]


def test_an_entry_that_a_merge_conflict_cuts_off_is_not_to_be_closed(parsed: Parsed) -> None:
    sides = "@misc{a,\n  title = {Gulls},\n=======\n@misc{a,\n  title = {Two Gulls},\n"
    bibliography = parsed(f"<<<<<<< HEAD\n{sides}>>>>>>> other\n}}\n")
    messages_of_entry = [message for line, message in messages(bibliography) if line == 2]
    assert messages_of_entry == [
        'the entry "a" is cut off by a merge conflict: keep one side of it'
    ]


def test_a_missing_parenthesis_is_reported(parsed: Parsed) -> None:
    bibliography = parsed("@misc(a, title = {One}\n@misc{b, title={Two}}\n")
    assert messages(bibliography) == [(1, 'the entry "a" is not closed: add the missing ")"')]


def test_an_entry_still_being_typed_is_reported_and_left_out(parsed: Parsed) -> None:
    bibliography = parsed("@misc{a, title={x}}\n\n@article{smith")
    assert keys(bibliography) == ["a"]
    assert messages(bibliography) == [
        (3, 'no comma after the key "smith": add ","'),
        (3, 'the entry "smith" is not closed: add the missing "}"'),
    ]


@pytest.mark.parametrize("head", ["@misc{, ", "@misc{", "@misc{\n  "])
def test_an_entry_without_key_is_reported_and_left_out(parsed: Parsed, head: str) -> None:
    bibliography = parsed(head + "title = {One}}\n@misc{b, title={Two}}")
    assert keys(bibliography) == ["b"]
    assert messages(bibliography) == [
        (1, 'the entry "@misc" has no key: write one after "{", followed by ","')
    ]


def test_a_missing_comma_after_the_key_is_reported_and_the_entry_stays(parsed: Parsed) -> None:
    bibliography = parsed("@misc{a\n  title = {One},\n  year = 2001}\n")
    assert keys(bibliography) == ["a"]
    assert dict(bibliography.entries[0].fields) == {"title": "One", "year": "2001"}
    assert messages(bibliography) == [(1, 'no comma after the key "a": add ","')]


def test_a_semicolon_for_the_comma_after_the_key_is_reported_and_no_part_of_it(
    parsed: Parsed,
) -> None:
    bibliography = parsed("@misc{a;\n  title = {One}}\n")
    assert keys(bibliography) == ["a"]
    assert dict(bibliography.entries[0].fields) == {"title": "One"}
    assert messages(bibliography) == [(1, '";" stands for the comma after the key "a": write ","')]


def test_full_width_commas_are_reported_and_the_entry_stays(parsed: Parsed) -> None:
    bibliography = parsed(
        '@misc{a，\n  title = {网，络}，\n  note = "二" ，\n  year = {2001}，}\n'
        "@misc{b，c, title={三}}"
    )
    assert keys(bibliography) == ["a", "b，c"]
    assert dict(bibliography.entries[0].fields) == {"title": "网，络", "note": "二", "year": "2001"}
    assert messages(bibliography) == [
        (1, 'the comma after the key "a" is full-width: write ","'),
        (2, 'the comma after the field "title" of "a" is full-width: write ","'),
        (3, 'the comma after the field "note" of "a" is full-width: write ","'),
        (4, 'the comma after the field "year" of "a" is full-width: write ","'),
    ]


def test_a_key_with_a_blank_is_reported_and_the_entry_stays(parsed: Parsed) -> None:
    bibliography = parsed("@misc{Smith 2020, title = {One}}")
    assert keys(bibliography) == ["Smith 2020"]
    assert "holds a blank" in bibliography.problems[0].message


def test_a_record_without_its_brace_is_reported(parsed: Parsed) -> None:
    bibliography = parsed("@article\nkey, title = {x}}\n@misc{b, title={Two}}")
    assert keys(bibliography) == ["b"]
    assert messages(bibliography) == [
        (1, 'the record "@article" has no "{": add it before the key')
    ]


def test_an_entry_closed_too_early_keeps_the_fields_behind(parsed: Parsed) -> None:
    bibliography = parsed("@misc{a, title = {One}},\n  year = 2001\n}\n@misc{b, title={Two}}")
    assert keys(bibliography) == ["a", "b"]
    assert bibliography.entries[0].fields["year"] == "2001"
    assert messages(bibliography) == [(1, 'the entry "a" ends before its last field: remove a "}"')]


def test_a_string_that_is_not_closed_is_reported(parsed: Parsed) -> None:
    bibliography = parsed('@string{ieee = "IEEE"\n@misc{a, title={x}}')
    assert keys(bibliography) == ["a"]
    assert messages(bibliography) == [(1, 'the macro "ieee" is not closed: add the missing "}"')]


def test_the_second_of_two_equal_keys_is_reported_and_stays(parsed: Parsed) -> None:
    bibliography = parsed("@misc{Key, title={x}}\n@misc{other, title={y}}\n@misc{key, title={z}}")
    assert keys(bibliography) == ["Key", "other", "key"]
    assert messages(bibliography) == [
        (3, 'the key "key" is already used in line 1 (as "Key"): rename or remove one')
    ]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_lines_are_counted_in_files_of_every_system(parsed: Parsed, line_break: str) -> None:
    bibliography = parsed(line_break.join(["", "@misc{a,", "title={x", "@misc{b, title={y}}", ""]))
    assert [entry.line for entry in bibliography.entries] == [2, 4]


def test_many_broken_records_cost_linear_time(parsed: Parsed) -> None:
    broken = "@misc{k%d, title = {" + "x" * 200 + "\n"
    bibliography = parsed("".join(broken % number for number in range(3000)))
    assert len(bibliography.entries) == 3000


def test_a_word_without_end_costs_linear_time(parsed: Parsed) -> None:
    assert len(parsed("@misc{a, title={T}}\n@misc{b," + "x" * 200_000).entries) == 1


@given(st.integers(min_value=0, max_value=len(WELL_WRITTEN)))
def test_a_cut_anywhere_loses_no_entry_before_it(cut: int) -> None:
    whole = parse_bibliography(WELL_WRITTEN, Path("refs.bib"))
    before = [entry for entry in whole.entries if entry.end <= cut]
    bibliography = parse_bibliography(WELL_WRITTEN[:cut], Path("refs.bib"))
    assert list(bibliography.entries[: len(before)]) == before


@given(st.integers(min_value=0, max_value=len(WELL_WRITTEN)), st.sampled_from('{}"@(),=%#\\\n'))
def test_a_stray_character_never_raises_nor_misplaces(at: int, stray: str) -> None:
    text = WELL_WRITTEN[:at] + stray + WELL_WRITTEN[at:]
    for entry in parse_bibliography(text, Path("refs.bib")).entries:
        assert text[entry.key_start : entry.key_end] == entry.key
        assert text[entry.start : entry.end] == entry.raw
        assert entry.line == text.count("\n", 0, entry.start) + 1


@given(st.text(alphabet='@misc{}(),="#%\\ \n\r\0aé张', max_size=120))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    end = 0
    for entry in parse_bibliography(text, Path("refs.bib")).entries:
        assert end <= entry.start < entry.key_start < entry.key_end <= entry.end <= len(text)
        assert entry.fields is entry.fields and entry.paper.id == "entry:" + entry.key
        end = entry.end
