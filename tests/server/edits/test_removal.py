"""A record is removed from a file without leaving a hole."""

from __future__ import annotations

import pytest

from cite_lsp.server.edits.merge_entries import behind_record


def without(text: str, record: str) -> str:
    start = text.index(record)
    return text[:start] + text[behind_record(text, start, start + len(record)) :]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_one_of_two_blank_lines_goes_with_it(end: str) -> None:
    text = f"@a{{}}{end}{end}@b{{}}{end}{end}@c{{}}{end}"
    for record in ("@a{}", "@b{}"):
        left = [other for other in ("@a{}", "@b{}", "@c{}") if other != record]
        assert without(text, record) == f"{left[0]}{end}{end}{left[1]}{end}"
    assert without(text, "@c{}") == f"@a{{}}{end}{end}@b{{}}{end}{end}"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_its_line_goes_with_it_where_there_are_no_blank_lines(end: str) -> None:
    assert without(f"@a{{}}{end}@b{{}}{end}@c{{}}", "@b{}") == f"@a{{}}{end}@c{{}}"


def test_a_blank_line_behind_it_stays_where_there_is_none_before_it() -> None:
    assert without("@a{}\n@b{}\n\n@c{}", "@b{}") == "@a{}\n\n@c{}"


def test_what_stands_behind_it_in_its_line_stays() -> None:
    assert without("@a{} @b{} @c{}\n", "@b{}") == "@a{}  @c{}\n"
    assert without("@a{}", "@a{}") == ""
