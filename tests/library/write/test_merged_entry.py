from __future__ import annotations

from pathlib import Path

from cite_lsp.library import Entry, parse_bibliography
from cite_lsp.library.write.merged_entry import fuller, merged_record


def entries(text: str) -> tuple[Entry, ...]:
    return parse_bibliography(text, Path("/drafts/refs.bib")).entries


def test_fields_that_only_the_other_has_are_added_as_they_are_written() -> None:
    first, second = entries(
        "@article{a,\n  title = {T},\n  year  = 2001\n}\n"
        '@ARTICLE{b, Title={t}, Date={2001-05}, note = "N" # acm, DOI={10.1/a}}\n'
    )
    assert merged_record(first, second, "b") == (
        '@article{b,\n  title = {T},\n  year  = 2001,\n  note = "N" # acm,\n  DOI={10.1/a}\n}'
    )


def test_a_comma_behind_the_last_field_stays() -> None:
    first, second = entries("@a{a,\r\n title = {T},\r\n}\r\n@a{b, note = {N}}")
    assert merged_record(first, second, "a") == "@a{a,\r\n title = {T},\r\n note = {N},\r\n}"


def test_what_only_a_preprint_has_is_not_said_of_its_publication() -> None:
    preprint, publication = entries(
        "@article{p, title = {T}, journal = {arXiv:2001.01234}, volume = {abs/2001.01234},"
        " eprint = {2001.01234}, year = 2020}\n"
        "@inproceedings{c, title = {T}, booktitle = {Fens}, year = 2021}\n"
    )
    assert fuller(preprint, publication) is publication
    assert merged_record(publication, preprint, "p") == (
        "@inproceedings{p, title = {T}, booktitle = {Fens}, year = 2021, eprint = {2001.01234}}"
    )


def test_the_entry_that_says_more_is_the_fuller() -> None:
    first, second = entries("@a{a, title = {T}}\n@a{b, title = {T}, note = {N}}")
    assert fuller(first, second) is fuller(second, first) is second


def test_entries_that_lean_on_others_are_not_merged() -> None:
    first, second = entries("@a{a, title = {T}}\n@a{b, crossref = {c}, title = {T}}\n@a{c}")[:2]
    assert merged_record(first, second, "a") is None
