"""What is wrong with a .bib file: broken records, keys used twice, relations that lead nowhere."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache, partial
from itertools import chain, count
from string import ascii_lowercase

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Library
from cite_lsp.library.bibtex.relations import keys_of, relations
from cite_lsp.library.bibtex.roles import STYLE_SWITCHES
from cite_lsp.library.entries import Bibliography, Entry, Problem
from cite_lsp.library.match import duplicate_works as match
from cite_lsp.library.match.identifiers import doi_of_key
from cite_lsp.library.text.display import seen_from
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.citations import cites_all, keys_named_in
from cite_lsp.project.workspace import Scope
from cite_lsp.rules.did_you_mean import nearest_keys
from cite_lsp.rules.findings import Finding, Fix
from cite_lsp.rules.rule_names import Rule

_DUPLICATE = lazy_re(r'the key ".*" is already used in ')
_MISSING_CLOSER = lazy_re(r'is not closed: add the missing "(.)"')
_MISSING_COMMA = lazy_re(r'no comma after the key "(.*)": add')
_WIDE_COMMA = lazy_re(r"the comma after the (key|field) .* is full-width: write")
_SEMICOLON = lazy_re(r'";" stands for the comma after the key ')
_WIDE = lazy_re(r"，(?<=[}\"\s]，)")


def rule_of(problem: Problem, is_open: bool) -> Rule:
    """Return the rule that a problem of a bibliography, open in the editor or not, falls under."""
    if not (is_open or os.path.isfile(problem.path)):
        return "missing-bibliography"
    return "duplicate-key" if _DUPLICATE.match(problem.message) else "broken-record"


def broken_records(
    bibliography: Bibliography, problems: Sequence[Problem], lines: LineIndex | None
) -> Iterator[Finding]:
    """Yield the problems of single records, where they stand."""
    by_line: dict[int, Entry] = {}
    for entry in bibliography.entries:
        by_line.setdefault(entry.line, entry)
    first_lines = sorted(by_line)
    range_of = cache(partial(line_range, lines))
    wide_comma_in = cache(partial(_wide_comma, lines))
    for problem in problems:
        rule = rule_of(problem, is_open=lines is not None)
        if rule == "duplicate-key" and bibliography.entries:
            continue
        start, end = range_of(problem.line)
        broken = by_line.get(problem.line)
        if broken is None and _WIDE_COMMA.match(problem.message):
            above = bisect_right(first_lines, problem.line)
            broken = by_line[first_lines[above - 1]] if above else None
        fixes = tuple(_repairs(problem, broken, wide_comma_in)) if broken is not None else ()
        yield Finding(rule, problem.path, start, end, problem.message, fixes=fixes)


def duplicates(
    bibliographies: Sequence[Bibliography], folds_case: Callable[[], bool]
) -> Iterator[Finding]:
    """Yield the entries whose key an earlier entry has: in their file, or in one before it.

    `folds_case` says whether keys that differ in their case alone are the same, as for BibTeX.

    Within a file BibTeX stops at it; of two files the first counts, which is worth a word only, and
    none where both say the same.
    """
    keys = [entry.key for bibliography in bibliographies for entry in bibliography.entries]
    if len(set(map(str.lower, keys))) == len(keys):
        return
    first: dict[str, Entry] = {}
    free_key = cache(lambda key: _free_key(key, taken()))
    taken = cache(lambda: _keys(bibliographies))
    for bibliography in bibliographies:
        file_entries: dict[str, Entry] = {}
        for entry in bibliography.entries:
            names = (entry.key, entry.key.lower())
            earlier = next(
                (
                    entries[name]
                    for name in names
                    for entries in (file_entries, first)
                    if name in entries
                ),
                None,
            )
            for name in names:
                file_entries.setdefault(name, entry)
                first.setdefault(name, entry)
            if earlier is None:
                continue
            if earlier.key != entry.key and (entry.source != "bibtex" or not folds_case()):
                continue
            if earlier.path == entry.path or earlier.raw.split() != entry.raw.split():
                yield _duplicate(entry, earlier, free_key(entry.key))


def unknown_relations(
    bibliography: Bibliography,
    library_with: Callable[[Sequence[str]], Library],
    folds_case: Callable[[], bool],
) -> Iterator[Finding]:
    """Yield the keys in `crossref` and its kin that no entry has.

    `library_with` returns the library in which to look for some keys, `folds_case` says whether
    their case does not count.
    """
    pairs = [
        (entry, relation)
        for entry in bibliography.entries
        for relation in relations(entry)
        if relation.used
    ]
    library = library_with([relation.key for _, relation in pairs])
    for entry, relation in pairs:
        if library.exact(relation.key) is None and (
            library.get(relation.key) is None or not folds_case()
        ):
            yield unknown(entry, relation.start, relation.end, relation.key, library)


def unknown(entry: Entry, start: int, end: int, key: str, library: Library) -> Finding:
    """Return the finding for a key in a field that no entry has."""
    near = tuple(near for near in nearest_keys(library, key) if near != entry.key)
    message = f'no entry has the key "{key}"' + did_you_mean(near)
    fixes = replacements(start, end, near)
    return Finding("unknown-key", entry.path, start, end, message, fixes=fixes)


def did_you_mean(near: Sequence[str]) -> str:
    """Return the end of a message that names the nearest keys."""
    if not near:
        return ""
    names = [f'"{key}"' for key in near]
    listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
    return f": did you mean {listed}?"


def replacements(start: int, end: int, near: Sequence[str]) -> tuple[Fix, ...]:
    """Return the fixes that put one of the nearest keys in the place of one that is unknown."""
    return tuple(
        Fix(f"Change to “{key}”", TextEdit(start, end, key), preferred=rank == 0)
        for rank, key in enumerate(near)
    )


def unused(bibliography: Bibliography, scope: Scope) -> Iterator[Finding]:
    r"""Yield the entries that no draft cites and no cited entry needs; none with `\nocite{*}`."""
    used = {key.lower() for _, manuscript in scope.drafts for key in keys_named_in(manuscript)}
    if not scope.drafts or any(cites_all(manuscript) for _, manuscript in scope.drafts):
        return
    for other in scope.bibliographies:
        for entry in other.entries:
            used.update(relation.key.lower() for relation in relations(entry) if relation.used)
    dois = set(filter(None, map(doi_of_key, used)))
    for entry in bibliography.entries:
        if dois and entry.paper.doi.lower() in dois:
            continue
        keys = map(str.lower, keys_of(entry))
        if entry.kind not in STYLE_SWITCHES and used.isdisjoint(keys):
            yield Finding(
                "unused-entry",
                entry.path,
                entry.key_start,
                entry.key_end,
                f'no draft cites "{entry.key}"',
                "hint",
                (_removal(entry, "Remove the entry"),),
            )


def line_range(lines: LineIndex | None, number: int) -> tuple[int, int]:
    """Return the text of a 1-based line without the blanks before it; (0, 0) without a text."""
    if lines is None:
        return 0, 0
    line = min(max(number - 1, 0), len(lines) - 1)
    start, end = lines.starts[line], lines.line_end(line)
    return (end - len(lines.text[start:end].lstrip()) if start < end else start), end


def _keys(bibliographies: Sequence[Bibliography]) -> set[str]:
    return {entry.key.lower() for bibliography in bibliographies for entry in bibliography.entries}


def _free_key(key: str, taken: Container[str]) -> str:
    """Return a key like one that is taken, which no entry has."""
    letters = (f"{key}{letter}" for letter in ascii_lowercase)
    numbers = (f"{key}-{number}" for number in count(2))
    return next(name for name in chain(letters, numbers) if name.lower() not in taken)


def _duplicate(entry: Entry, earlier: Entry, free: str) -> Finding:
    same_file = earlier.path == entry.path
    file = "" if same_file else f"{seen_from(entry.path, earlier.path)}, "
    place = f"{file}line {earlier.line}"
    message = f'the key "{entry.key}" is already used in {place}'
    if earlier.key != entry.key:
        message += f' (as "{earlier.key}")'
    message += ": rename or remove one" if same_file else ", which counts"
    fixes = []
    if entry.raw:
        removal = _removal(entry, "Remove this entry")
        edit = TextEdit(entry.key_start, entry.key_end, free)
        renaming = Fix(f"Rename this entry to “{free}”", edit)
        fixes = [removal, renaming] if entry.fields == earlier.fields else [renaming, removal]
    return Finding(
        "duplicate-key",
        entry.path,
        entry.key_start,
        entry.key_end,
        message,
        "warning" if same_file else "information",
        tuple(fixes),
        (earlier.path, earlier.key_start, earlier.key_end, "the entry that has this key"),
    )


def _repairs(
    problem: Problem, entry: Entry, wide_comma_in: Callable[[int], int | None]
) -> Iterator[Fix]:
    if closer := _MISSING_CLOSER.search(problem.message):
        line_break = "\r\n" if "\r\n" in entry.raw else "\n"
        closing = TextEdit.insertion(entry.end, f"{line_break}{closer[1]}")
        yield Fix(f"Add “{closer[1]}”", closing, preferred=True)
    elif _MISSING_COMMA.match(problem.message):
        yield Fix("Add “,”", TextEdit.insertion(entry.key_end, ","), preferred=True)
    elif _SEMICOLON.match(problem.message):
        yield _comma_at(entry.key_end)
    elif wide := _WIDE_COMMA.match(problem.message):
        comma = entry.key_end if wide[1] == "key" else wide_comma_in(problem.line)
        if comma is not None:
            yield _comma_at(comma)


def _comma_at(offset: int) -> Fix:
    return Fix("Change to “,”", TextEdit(offset, offset + 1, ","), preferred=True)


def _wide_comma(lines: LineIndex | None, number: int) -> int | None:
    """Return the offset of the first full-width comma behind a value in a 1-based line."""
    comma = _WIDE.search(lines.text, *line_range(lines, number)) if lines is not None else None
    return comma.start() if comma else None


def _removal(entry: Entry, title: str) -> Fix:
    return Fix(title, TextEdit(entry.start, entry.end, ""))


def duplicate_works(bibliography: Bibliography) -> Iterator[Finding]:
    """Yield the entries that are the work of an earlier one."""
    for entry, earlier in match.duplicate_works(bibliography.entries):
        yield Finding(
            "duplicate-work",
            entry.path,
            entry.key_start,
            entry.key_end,
            f'"{entry.key}" is the same work as "{earlier.key}" in line {earlier.line}: merge them',
            "information",
            related=(earlier.path, earlier.key_start, earlier.key_end, "the same work"),
        )


def entries_of(finding: Finding, bibliography: Bibliography) -> tuple[Entry, Entry] | None:
    """Return the entry that a finding is about and the earlier one; None if they are gone."""
    by_place = {entry.key_start: entry for entry in bibliography.entries}
    if finding.rule != "duplicate-work" or finding.related is None:
        return None
    entry, earlier = by_place.get(finding.start), by_place.get(finding.related[1])
    return (entry, earlier) if entry is not None and earlier is not None else None
