"""What is wrong with a draft's citations: none where one is begun, keys that no entry has.

And bibliographies that are not there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import evolve

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry, Problem
from cite_lsp.library.formats.zotero_part import COLLECTION, LIBRARY
from cite_lsp.library.load.read import ABSENT, is_database
from cite_lsp.library.match.identifiers import doi_of_key
from cite_lsp.library.text.display import seen_from
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.begun import closing_of
from cite_lsp.manuscript.edit.insertion import is_cited_as_string, key_replacement
from cite_lsp.manuscript.empty_keys import EmptyKey, is_open
from cite_lsp.manuscript.markdown.chunks import is_written_by_code
from cite_lsp.manuscript.model import PLACEHOLDER, Marker, MarkerKey
from cite_lsp.manuscript.placeholders.placeholder_words import is_placeholder_key
from cite_lsp.manuscript.typst.patterns import CROSS_REFERENCE
from cite_lsp.paths import SETTINGS_FILE
from cite_lsp.project.citations import cited_keys, empty_keys_of
from cite_lsp.project.draft import Draft
from cite_lsp.project.folders import in_another_case
from cite_lsp.rules.bibliography_rules import did_you_mean, replacements, rule_of
from cite_lsp.rules.did_you_mean import nearest_keys, nearest_lists, split_keys
from cite_lsp.rules.findings import Finding, Fix
from cite_lsp.rules.lookups import Lookups

# The cross-references of Quarto and of pandoc-crossref look like citations, with a capital, too:
# https://quarto.org/docs/authoring/cross-references, https://lierdakil.github.io/pandoc-crossref
_CROSS_REFERENCE = lazy_re(
    r"(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau|apx"
    r"|ref\(|suppfig|vid)[-(:]",
    re.IGNORECASE,
)
_QUARTO = ".qmd"
_ZOTERO_SETTINGS = (f"{COLLECTION}: ", f"{LIBRARY}: ")
_COMPUTED = lazy_re(r"[\\#${}]")
_LONGEST_KEY = 200


def empty_citations(
    draft: Draft, hints: Mapping[int, Finding], cancelled: Cancel | None = None
) -> Iterator[Finding]:
    """Yield the places of a draft where a citation has no key, or a word that stands in for one.

    One that nothing closes is among them: its keys are not known. `hints` are findings that
    name papers for such markers, by where the markers start.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    people = _mentions_people(draft)
    for marker in (*draft.manuscript.markers, *draft.manuscript.markers_outside_prose):
        stop_if(cancelled)
        if people and marker.command == "@":
            continue
        if not marker.closed:
            if is_open(draft.manuscript, marker):
                message = _unclosed_message(draft.manuscript, marker)
                yield Finding("empty-citation", draft.path, marker.start, marker.end, message)
            continue
        hint = hints.get(marker.start)
        for empty in empty_keys_of(draft, marker):
            if hint is not None and empty.alone:
                yield hint
                break
            if hint is None:
                message = _empty_message(marker, empty)
                yield Finding("empty-citation", draft.path, empty.start, empty.end, message)
            else:
                yield evolve(hint, start=empty.start, end=empty.end)
            hint = None


def _unclosed_message(manuscript: Manuscript, marker: Marker) -> str:
    closing = closing_of(manuscript, marker) or (")" if manuscript.format == "typst" else "]")
    if marker.keys:
        return f'unclosed citation: write "{closing}" behind its last key'
    return f'empty citation: it is not closed; write a key and "{closing}", or take it out'


def _empty_message(marker: Marker, empty: EmptyKey) -> str:
    if marker.command == PLACEHOLDER:
        return "empty citation: a note asks for one; cite a paper here"
    if empty.placeholder:
        return (
            f'empty citation: "{empty.placeholder}" stands in for a key; write the key of a paper'
        )
    if empty.alone:
        return "empty citation: write a key into it or take it out"
    return "empty citation: a key is missing here; write one or take out the separator"


def unknown_keys(draft: Draft, cancelled: Cancel | None = None) -> Iterator[Finding]:
    """Yield the keys of a draft that its library does not hold.

    Nothing is said while a bibliography is missing or none is named: the keys may be there. What
    is `@name` in a list of changes or thanks is no key, nor is a word that stands in for one.
    BibTeX finds a key in another case, and then takes it in no further one.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    if keys_unchecked(draft):
        return
    first = _first_spellings(draft) if draft.project.folds_case else {}
    for marker, key in keys_to_look_up(draft):
        stop_if(cancelled)
        text = key.text
        if (entry := draft.cited_entry(text)) is not None:
            if is_cited_as_string(draft.manuscript, marker, key.start):
                yield _string_for_label(draft, key)
                continue
            spelling = first.get(text.lower(), text)
            if (finding := _unprintable(draft, key, entry, spelling)) is not None:
                yield finding
            continue
        if draft.library.by_doi and doi_of_key(text):
            continue
        if (finding := _read_in_part(draft, marker, key)) is not None:
            yield finding
            continue
        open_ended = not marker.lists or key.end == marker.end
        apart = split_keys(draft.library, text, words=open_ended)
        listed = marker.lists and draft.manuscript.format != "typst"
        lists = nearest_lists(draft.library, text) if listed and not apart else ()
        near = (apart,) if apart else lists or nearest_keys(draft.library, text)
        message = f'no entry has the key "{" ".join(text.split())}"' + did_you_mean(near)
        several = apart or lists
        fixes = replacements(key.start, key.end, near) if several else key_fixes(draft, key, near)
        yield Finding("unknown-key", draft.path, key.start, key.end, message, "warning", fixes)


def _string_for_label(draft: Draft, key: MarkerKey) -> Finding:
    """Return what is wrong with a key that Typst is given as a string."""
    label = key_replacement(draft.manuscript, key, key.text)
    message = f'"{key.text}" is a string, and Typst cites by labels: write "{label.text}"'
    fix = Fix(f"Change to “{label.text}”", label, preferred=True)
    return Finding("unknown-key", draft.path, key.start, key.end, message, "warning", (fix,))


def _read_in_part(draft: Draft, marker: Marker, key: MarkerKey) -> Finding | None:
    """Return what is wrong with `@a/b` in Typst, which reads `@a` there; None with other keys."""
    manuscript = draft.manuscript
    if manuscript.format != "typst" or marker.command != "@":
        return None
    word = manuscript.text[key.start : key.start + _LONGEST_KEY].split(maxsplit=1)[0]
    longer_keys = (
        word[:length]
        for length in range(len(word), len(key.text), -1)
        if draft.library.get(word[:length]) is not None
    )
    whole = next(longer_keys, None)
    if whole is None:
        return None
    end = key.start + len(whole)
    label = evolve(key_replacement(manuscript, key, whole), end=end)
    message = f'Typst reads only "@{key.text}" of "@{whole}": write "{label.text}"'
    fix = Fix(f"Change to “{label.text}”", label, preferred=True)
    return Finding("unknown-key", draft.path, key.start, end, message, "warning", (fix,))


def _unprintable(draft: Draft, key: MarkerKey, entry: Entry, spelling: str) -> Finding | None:
    """Return what keeps a key with an entry from being printed, None for most.

    `spelling` is how the draft cites it first.
    """
    fixes: tuple[Fix, ...] = ()
    if entry.source != "bibtex":
        return None
    if spelling != key.text:
        message = f'"{key.text}" is cited as "{spelling}" before: BibTeX takes one spelling'
        fixes = key_fixes(draft, key, (spelling,))
    elif entry.kind == "xdata" and _made_by_biber(draft):
        message = f'"{key.text}" is an @xdata record, which cannot be cited: cite another'
    else:
        return None
    return Finding("unknown-key", draft.path, key.start, key.end, message, "warning", fixes)


def _made_by_biber(draft: Draft) -> bool:
    return draft.manuscript.format == "latex" and not draft.project.folds_case


def _first_spellings(draft: Draft) -> dict[str, str]:
    spellings: dict[str, str] = {}
    for key in cited_keys(draft):
        spellings.setdefault(key.lower(), key)
    return spellings


def keys_to_look_up(draft: Draft) -> Iterator[tuple[Marker, MarkerKey]]:
    """Yield the keys of the opened file that are to be entries of a bibliography, with markers."""
    people = _mentions_people(draft)
    begins_key = cache(
        lambda kind: any(entry.key.startswith(kind) for entry in draft.library.entries)
    )
    for marker in (*draft.manuscript.markers, *draft.manuscript.markers_outside_prose):
        if not marker.closed or (people and marker.command == "@"):
            continue
        for key in marker.keys:
            if key.text == "*" or _COMPUTED.search(key.text):
                continue
            if _is_numbered(draft, key.text, begins_key):
                continue
            if draft.library.get(key.text) is None and (
                is_placeholder_key(key.text) or draft.takes_over(key.text)
            ):
                continue
            yield marker, key


def _is_numbered(draft: Draft, key: str, begins_key: Callable[[str], bool]) -> bool:
    """Whether a key is read as a reference to a figure or the like, not as a citation.

    Outside Quarto it is a citation where keys of the bibliography begin so.
    """
    if draft.manuscript.format not in ("markdown", "typst"):
        return False
    in_typst = draft.manuscript.format == "typst"
    if not (CROSS_REFERENCE if in_typst else _CROSS_REFERENCE).match(key):
        return False
    if _QUARTO in (draft.path.suffix.lower(), draft.project.root.suffix.lower()):
        return True
    kind = re.split(r"(?<=[-:(])", key, maxsplit=1)[0]
    return not begins_key(kind)


def keys_unchecked(draft: Draft) -> str:
    """Return why it cannot be said which keys of a draft are unknown, "" where it can."""
    if unread := _unread_database(draft):
        return f"{unread.path.name}: {unread.message}"
    if not draft.library.entries:
        return (
            "no bibliography with entries belongs to this draft; name one in the draft, in "
            f"{SETTINGS_FILE} or with --bibliography"
        )
    if names := _unreadable_names(draft):
        if addresses := [name for name in names if "://" in name]:
            return f"{', '.join(addresses)} is not fetched; name a copy of it on this disk"
        return f"{', '.join(names)} cannot be read; name a file that is there"
    if missing := missing_bibliographies(draft):
        return f"{', '.join(seen_from(draft.project.root, path) for path in missing)} is missing"
    return ""


def _unread_database(draft: Draft) -> Problem | None:
    """Return why Zotero's database, or the part of it that the settings name, holds no entry."""
    return next(
        (
            file.problems[0]
            for file in draft.library.bibliographies
            if is_database(file.path) and file.problems and not file.entries
        ),
        None,
    )


def missing_bibliographies(draft: Draft) -> list[Path]:
    """Return the bibliographies of a draft that are not there: its keys may be in them."""
    empty = (file.path for file in draft.library.bibliographies if not file.entries)
    return [path for path in empty if not os.path.isfile(path)]


def key_fixes(draft: Draft, key: MarkerKey, near: Sequence[str]) -> tuple[Fix, ...]:
    """Return the fixes that put one of some keys in the place of another, as the format has it."""
    return tuple(
        evolve(fix, edit=key_replacement(draft.manuscript, key, fix.edit.text))
        for fix in replacements(key.start, key.end, near)
    )


def at_declarations(
    draft: Draft, path: Path, problems: Sequence[Problem], lookups: Lookups, top: Path
) -> Iterator[Finding]:
    """Sum up a bibliography's problems where it is named.

    A missing one that the draft does not name is reported at the beginning of the file `top`, with
    what names it, and there a setting that chooses nothing of Zotero's database.
    """
    is_open = lookups.is_open(path)
    missing = not (is_open or os.path.isfile(path))
    first = problems[0]
    other = in_another_case(path) if missing and first.message.startswith(ABSENT) else None
    absent = missing and not os.path.lexists(path)  # a pipe is there, and no bibliography
    by_code = absent and other is None and _is_written_by_code(draft, path)
    if by_code:
        said = ": a chunk of code writes it, and has not yet: knit the draft once"
    elif other is not None and other != path:
        name = Path(os.path.relpath(other, path.parent)).as_posix()
        said = f': {ABSENT}: the file is called "{name}", write that'
    elif missing or is_database(path):
        said = f": {first.message}"
    else:
        said = f", line {first.line}: {first.message}"
    if len(problems) > 1:
        said += f" ({len(problems) - 1} more in this file)"
    rule = rule_of(first, is_open)
    creatable = absent and not by_code and not lookups.paths.around(draft.path).refusal(path)
    fixes = (Fix(f"Create {path.name}", create=path),) if creatable else ()
    named = False
    real = os.path.realpath(path)
    for file, declaration, resolved in draft.project.declared:
        if resolved != path and os.path.realpath(resolved) != real:
            continue
        named = True
        yield Finding(
            rule,
            file,
            declaration.start,
            declaration.end,
            seen_from(file, path) + said,
            "information" if by_code else "error" if missing else "warning",
            fixes,
        )
    message = seen_from(top, path) + said
    if first.message.startswith(_ZOTERO_SETTINGS) and not named:
        yield Finding(rule, top, 0, 0, message)
    if missing and not named:
        if first.message.startswith(ABSENT) and (place := lookups.naming_settings(path)):
            remedy = "create it or correct the setting"
            message = f"{path.name}, named in {place}, does not exist: {remedy}"
        yield Finding(rule, top, 0, 0, message, "error", fixes)


def _is_written_by_code(draft: Draft, path: Path) -> bool:
    return any(
        is_written_by_code(manuscript.text, path.name)
        for _, manuscript in draft.project.files
        if manuscript.format in ("markdown", "latex")
    )


def _mentions_people(draft: Draft) -> bool:
    """Whether `@name` is a person: in Markdown that neither names a bibliography nor cites one.

    A person may happen to be called as an entry is. Outside brackets, a key without a digit counts
    only where more names are keys than not.
    """
    manuscript, project = draft.manuscript, draft.project
    if manuscript.format != "markdown" or project.declared or project.inline:
        return False
    names: dict[str, bool] = {}
    for marker in manuscript.markers:
        for key in marker.keys:
            is_key = draft.library.get(key.text) is not None
            if is_key and (marker.command != "@" or any(map(str.isdigit, key.text))):
                return False
            names[key.text] = is_key
    return 2 * sum(names.values()) <= len(names)


def _unreadable_names(draft: Draft) -> list[str]:
    """Return what a draft names, beside what is read, that cannot be: an address, say."""
    names: dict[str, None] = {}
    for project in (draft.project, *draft.project.beside):
        read = {(file, declaration) for file, declaration, _ in project.declared}
        for file, manuscript in project.files if read else ():
            for declaration in manuscript.declarations:
                if (file, declaration) not in read:
                    names[declaration.path] = None
    return list(names)
