"""YAML that would never end, or end the process, is read like any other, or refused."""

from __future__ import annotations

import pytest
import yaml

from cite_lsp.manuscript.text.bounded_yaml import (
    DEEPEST,
    MOST_REPEATED,
    TooDeepError,
    Values,
    as_text,
    compose,
    values_of,
)

MANY = 100_000
"""Levels of which a few thousand end a process that follows them with its stack."""


@pytest.mark.parametrize(
    "text",
    [
        "[" * MANY,
        "[" * MANY + "]" * MANY,
        "a: " + "{b: " * MANY,
        "- " * MANY + "a",
        "? " * MANY + "a",
        "- [" * 1 + "[\n" * MANY,
        "\n".join(" " * level + "a:" for level in range(DEEPEST * 3)),
    ],
)
def test_what_is_nested_too_deeply_is_refused_whatever_the_stack_holds(text: str) -> None:
    with pytest.raises(TooDeepError, match="nested too deeply"):
        compose(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1),
        "a: '" + "[" * MANY + "'",
        "a: |\n  " + "[{" * MANY,
        "\n".join(f"- half-open [0, {number})" for number in range(1000)),
        "-" * 3 + "\n" + "# " + "-" * 80 + "\na: b\n",
        "a: b\n" + " " * 300 + "c",
    ],
)
def test_brackets_in_texts_and_long_lines_are_no_nesting(text: str) -> None:
    assert compose(text) is not None


def test_a_text_that_is_not_valid_says_where() -> None:
    with pytest.raises(yaml.MarkedYAMLError):
        compose("a: [\nb: c\n")
    assert compose("") is None


def test_values_are_texts_and_nothing_else_is() -> None:
    text = "a: x\nb: [y, 2020, true, null, !expr z]\nc: {d: 'true'}\ne: 2020-13-45\n"
    values = values_of(compose(text))
    assert values == {"a": "x", "b": ["y", None, None, None, None], "c": {"d": "true"}, "e": None}


def test_merged_tables_yield_to_what_is_written_beside_them() -> None:
    text = "base: &b {x: one, y: two}\nother: {<<: *b, y: own}\nboth: {<<: [{x: first}, *b]}\n"
    values = values_of(compose(text))
    assert values["other"] == {"x": "one", "y": "own"}
    assert values["both"] == {"x": "first", "y": "two"}


@pytest.mark.parametrize(
    "level", ["[*a{0}, *a{0}]", "{{x: *a{0}, y: *a{0}}}", "{{<<: [*a{0}, *a{0}]}}"]
)
def test_aliases_of_aliases_are_written_out_up_to_a_limit(level: str) -> None:
    levels = "".join(f"a{n}: &a{n} {level.format(n - 1)}\n" for n in range(1, 200))
    values = values_of(compose(f"a0: &a0 {{k: v}}\n{levels}last: read\n"))
    assert len(values) == 201
    assert values["last"] == "read"
    assert len(repr(values)) < 30 * MOST_REPEATED


def test_a_long_text_is_repeated_up_to_a_limit() -> None:
    reader = Values(as_text)
    read = reader.of(compose(f"- &t {'x' * 1_000}\n" + "- *t\n" * MANY + "- last\n"))
    assert reader.cut
    assert read[0] == read[1] == "x" * 1_000
    assert read[-2:] == ["", "last"]
    assert sum(map(len, read)) < MOST_REPEATED + 2_000


def test_a_table_within_itself_is_left_out_there() -> None:
    values = values_of(compose("a: &a\n  b: *a\n  <<: *a\n  c: d\n"))
    assert values["a"] == {"b": "", "c": "d"}


def test_half_a_character_is_a_fault_of_the_text() -> None:
    with pytest.raises(yaml.YAMLError):
        compose("a: \ud800\n")
