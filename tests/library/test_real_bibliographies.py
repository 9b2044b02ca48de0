"""Files of writers, compared with an obvious count and with another parser."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from bibtexparser.entrypoint import parse_string

from cite_lsp.library import Bibliography, Entry, parse_bibliography, read_bibliography
from cite_lsp.library.bibtex.values import assignments, read_value
from cite_lsp.library.write.bibtex_style import bibtex_habits
from cite_lsp.library.write.preprints import VENUES, published_record
from cite_lsp.paper import Paper
from tests.sample_drafts import REAL


def all_bibliographies(drafts: Path) -> dict[Path, Bibliography]:
    bibliographies = {path: read_bibliography(path) for path in sorted(drafts.rglob("*.bib"))}
    assert len(bibliographies) >= (18 if drafts == REAL else 7)
    return bibliographies


def heads(path: Path) -> list[str]:
    """Return the lines that open an entry, read as simply as can be."""
    text = path.read_text(encoding="utf-8")
    lines = re.findall(r"^\s*@(\w+)\s*[{(]\s*(\S*?)\s*(?:,|$)", text, re.MULTILINE)
    return [key for kind, key in lines if kind.lower() not in ("comment", "string", "preamble")]


def test_no_entry_is_lost(drafts: Path) -> None:
    for path, bibliography in all_bibliographies(drafts).items():
        without_key = sum("has no key" in problem.message for problem in bibliography.problems)
        keys = [key for key in heads(path) if key]
        assert [entry.key for entry in bibliography.entries] == keys, path
        assert len(bibliography.entries) + without_key == len(heads(path)), path


def test_positions_lead_to_the_record_and_its_key(drafts: Path) -> None:
    for path, bibliography in all_bibliographies(drafts).items():
        text = path.read_bytes().decode("utf-8-sig")
        lines = text.split("\n")
        for entry in bibliography.entries:
            assert text[entry.key_start : entry.key_end] == entry.key
            assert text[entry.start : entry.end] == entry.raw
            assert lines[entry.line - 1].lstrip().startswith("@")


def test_fields_are_those_that_another_parser_reads(drafts: Path) -> None:
    compared = 0
    for bibliography in all_bibliographies(drafts).values():
        for entry in bibliography.entries:
            theirs = parse_string(entry.raw, parse_stack=[]).entries
            if theirs:
                compared += 1
                assert ours(entry) == [
                    (field.key.lower(), read_value(f"{field.value},", 0, entry.macros)[0])
                    for field in theirs[0].fields
                ], entry
    assert compared > (6400 if drafts == REAL else 70)


def test_a_record_that_becomes_a_publication_loses_nothing_else(drafts: Path) -> None:
    paper = Paper("x", "T", authors=("A B",), year=2031, venue="Proc. of X", doi="10.1/x", url="u")
    changed_names = {*"year date month doi url volume number pages eid".split(), *VENUES}
    written = 0
    for path, bibliography in all_bibliographies(drafts).items():
        habits = bibtex_habits(path.read_text(encoding="utf-8"), bibliography.entries)
        for entry in bibliography.entries[::3]:
            record = published_record(entry, paper, habits)
            if record is not None:
                written += 1
                again = parse_bibliography(record, path)
                (new,) = again.entries
                before = parse_bibliography(entry.raw, path)
                assert new.key == entry.key and len(again.problems) <= len(before.problems)
                merged = {**before.entries[0].fields, **new.fields}
                assert {name: merged[name] for name in merged if name not in changed_names} == {
                    name: text
                    for name, text in before.entries[0].fields.items()
                    if name not in changed_names
                }
    assert written > (2000 if drafts == REAL else 25)


def ours(entry: Entry) -> list[tuple[str, str]]:
    return list(assignments(entry.raw, entry.key_end - entry.start, entry.macros))


def test_papers_are_plain_text(drafts: Path) -> None:
    markup = re.compile(r"\\[A-Za-z]|[{}]")
    for bibliography in all_bibliographies(drafts).values():
        for entry in bibliography.entries:
            if "textbackslash" in entry.raw:
                continue
            shown = (entry.paper.title, entry.paper.venue, *entry.paper.authors)
            assert not any(markup.search(text) for text in shown), entry


def test_every_duplicate_key_is_reported_once(drafts: Path) -> None:
    name, count = ("nasty_bib/sjtu-dups.bib", 107) if drafts == REAL else ("broken/twice.bib", 5)
    bibliography = read_bibliography(drafts / name)
    taken = [
        problem for problem in bibliography.problems if "is already used in" in problem.message
    ]
    assert len(taken) == len(bibliography.problems) == count
    assert len(taken) == len(bibliography.entries) - len(
        {entry.key.lower() for entry in bibliography.entries}
    )


def test_macros_are_known(drafts: Path) -> None:
    name, count, macro, text = (
        ("nasty_bib/sympy-strings.bib", 110, "j:acm", "Journal of the ACM")
        if drafts == REAL
        else ("broken/macros.bib", 8, "j:jce", "Journal of Coastal Ecology")
    )
    bibliography = read_bibliography(drafts / name)
    assert len(bibliography.entries[0].macros) == count
    assert bibliography.entries[0].macros[macro] == text


def test_one_missing_brace_in_a_large_file_costs_no_other_entry(drafts: Path) -> None:
    path = drafts / ("nasty_bib/acmcr-jasist.bib" if drafts == REAL else "thesis/refs.bib")
    text = path.read_text(encoding="utf-8")
    whole = read_bibliography(path)
    entry = whole.entries[len(whole.entries) // 2]
    assert text[entry.end - 1] == "}"
    broken = parse_bibliography(text[: entry.end - 1] + text[entry.end :], path)
    assert [e.key for e in broken.entries] == [e.key for e in whole.entries]
    assert broken.entries[len(whole.entries) // 2].fields == entry.fields
    (problem,) = broken.problems
    assert (problem.line, entry.key in problem.message) == (entry.line, True)


def test_a_stretch_cut_out_anywhere_costs_only_the_entries_that_it_touches(drafts: Path) -> None:
    for path in sorted(drafts.rglob("*.bib")):
        text = path.read_bytes().decode("utf-8-sig")
        whole = parse_bibliography(text, path).entries
        draw = Random(path.name)
        for _ in range(12):
            start = draw.randrange(len(text) + 1)
            end = min(start + draw.choice((1, 7, 300, len(text))), len(text))
            entries = parse_bibliography(text[:start] + text[end:], path).entries
            before = [entry.raw for entry in whole if entry.end <= start]
            # One that the cut has moved into the line of another may be taken for its field.
            after = [
                entry.raw
                for entry in whole
                if entry.start > end and text[:end].count("\n") < entry.line - 1
            ]
            raws = [entry.raw for entry in entries]
            assert raws[: len(before)] == before, (path, start, end)
            assert raws[len(raws) - len(after) :] == after, (path, start, end)
