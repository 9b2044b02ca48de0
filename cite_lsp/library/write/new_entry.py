"""Add a paper to a bibliography as a new entry.

The file changes by one insertion, in its own format and style.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from attrs import evolve, frozen

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.library.csl.item import Item
from cite_lsp.library.entries import Entry
from cite_lsp.library.formats.bibitem import bibitems
from cite_lsp.library.text.invisible_characters import without_invisible
from cite_lsp.library.text.latex_escape import escaped
from cite_lsp.library.text.people import untied
from cite_lsp.library.write.bibtex_style import bibtex_habits, bibtex_record
from cite_lsp.manuscript import parse
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.paper import Paper


@frozen
class NewEntry:
    """A paper that is added under a key, which no entry has yet.

    `record` is its BibTeX record, where one is written already.
    `details` are what else a bibliography in another format says of it (`volume`, `pages`), under
    BibTeX's names, for a .bib file; `variables` the same under those of CSL (`csl_details`), for a
    file in another format.
    """

    key: str
    paper: Paper
    record: str = ""
    details: Mapping[str, str] = MappingProxyType({})
    variables: Item = MappingProxyType({})


class NotWritable(ValueError):
    """An entry cannot be added to this file; the message says why."""


def new_entry(
    text: str,
    path: Path,
    new: NewEntry,
    *,
    parsed_entries: Sequence[Entry] | None = None,
    ascii_only: bool = False,
) -> TextEdit:
    """Return what adds an entry to a bibliography, behind its last one.

    Args:
        text: The bibliography as it stands, line breaks as in the file; "" for a new one.
        path: Its path, of which the suffix tells the format.
        new: What is added.
        parsed_entries: The entries of the text, where it was parsed already.
        ascii_only: Write accents as LaTeX commands, for a .bib file that is not in UTF-8.

    Raises:
        NotWritable: the file is of a format that is not written, or laid out as none is.
    """
    match path.suffix.lower():
        case ".json":
            added = _json(text, path, new, parsed_entries)
        case ".yaml" | ".yml":
            added = _yaml(text, path, new, parsed_entries)
        case ".ris":
            added = _ris(text, new)
        case ".sqlite":
            raise NotWritable(f"{path.name}: entries are added to Zotero in Zotero")
        case _:
            entries = parsed_entries or parse_bibliography(text, path).entries
            habits = bibtex_habits(text, entries)
            habits = evolve(habits, ascii_only=ascii_only or habits.ascii_only)
            record = bibtex_record(new.paper, new.key, habits, new.details)
            added = appended(text, record, habits.blank_lines)
    return _with_line_breaks_of(text, added)


def new_reference(text: str, path: Path, new: NewEntry) -> TextEdit:
    """Return what adds an entry to the `references:` in the front matter of a draft.

    Raises:
        NotWritable: there are none, or they are not written as a block list.
    """
    # Imported where needed: a server starts without what writes other formats than BibTeX.
    from cite_lsp.library.csl.yaml import parse_references

    bibliography = parse_references(text, path)
    if bibliography is None or not bibliography.entries:
        raise NotWritable(f"{path.name}: it has no references: to add to")
    return _with_line_breaks_of(text, _yaml_list(text, path, bibliography.entries, new))


def new_bibitem(text: str, path: Path, new: NewEntry) -> TextEdit:
    r"""Return what adds an entry behind the last `\bibitem` of a draft.

    Raises:
        NotWritable: there is none.
    """
    entries = bibitems(parse(text, "latex"), path).entries
    if not entries:
        raise NotWritable(f"{path.name}: it has no \\bibitem to add to")
    paper = new.paper
    people = [escaped(untied(author)) for author in paper.authors]
    if paper.more_authors:
        listed = ", ".join([*people, "et al"])
    else:
        listed = ", ".join(people[:-1]) + " and " * (len(people) > 1) + "".join(people[-1:])
    venue = f"\\emph{{{escaped(paper.venue)}}}, " if paper.venue else ""
    parts = (listed, escaped(paper.title), f"{venue}{paper.year or ''}".rstrip(", "))
    body = ".\n\\newblock ".join(part for part in parts if part)
    last = entries[-1]
    if not last.raw.startswith("\\bibitem"):
        raise NotWritable(f"{path.name}: its entries are not written as \\bibitem")
    end = last.start + len(last.raw.rstrip())
    gap = "\n\n" if len(entries) < 2 or _blank_line(text, entries[-2], last) else "\n"
    added = TextEdit.insertion(end, f"{gap}\\bibitem{{{new.key}}}\n{body}.")
    return _with_line_breaks_of(text, added)


def embedded_entry(text: str, path: Path, new: NewEntry) -> TextEdit:
    """Return what adds an entry at the end of the last bibliography that a draft embeds.

    Raises:
        NotWritable: there is none.
    """
    places = [
        embedded
        for embedded in parse(text, "latex").layout.embedded
        if embedded.path.lower().endswith(".bib")
    ]
    if not places:
        raise NotWritable(f"{path.name}: it has no bibliography in a filecontents to add to")
    place = places[-1]
    body = text[place.start : place.end]
    if new.record:
        added = appended(body, new.record)
    else:
        added = new_entry(body, path.with_suffix(".bib"), new)
    return TextEdit.insertion(place.start + added.start, added.text)


def _blank_line(text: str, before: Entry, after: Entry) -> bool:
    raw = before.raw.replace("\r", "")
    return raw.endswith("\n\n") or "\n\n" in text[before.end : after.start].replace("\r", "")


def appended(text: str, record: str, blank_lines: int = 1) -> TextEdit:
    """Return what puts a BibTeX record at the end of a file, apart from what stands before it."""
    record = without_invisible(record)
    if not text.strip():
        return _with_line_breaks_of(text, TextEdit.insertion(len(text), record + "\n"))
    breaks = len(text) - len(text.rstrip("\r\n"))
    breaks = text.count("\n", len(text) - breaks)
    before = "\n" * max(blank_lines + 1 - breaks, 0)
    return _with_line_breaks_of(text, TextEdit.insertion(len(text), f"{before}{record}\n"))


_ParsedEntries = Sequence[Entry] | None


def _json(text: str, path: Path, new: NewEntry, parsed_entries: _ParsedEntries) -> TextEdit:
    from cite_lsp.library.csl.json import parse_csl_json
    from cite_lsp.library.write.item_writer import indentation, json_item

    if not text.strip():
        item = json_item(new.paper, new.key, text, None, new.variables)
        return TextEdit.insertion(len(text), f"[\n  {item}\n]\n")
    entries = parsed_entries or parse_csl_json(text, path).entries
    if not entries:
        opening = text.find("[")
        if opening < 0 or text[opening + 1 :].strip() != "]":
            raise NotWritable(f"{path.name}: it is no list of CSL items")
        item = json_item(new.paper, new.key, text, None, new.variables)
        return TextEdit.insertion(opening + 1, f"\n  {item}\n")
    last = entries[-1]
    if last.record.data:
        raise NotWritable(f"{path.name}: it is an export of Zotero, which would write it again")
    between = ", " if "\n" not in last.raw else ",\n" + indentation(text, last.start)
    if len(entries) > 1:
        between = text[entries[-2].end : last.start]
        if between.strip() != ",":
            between = ",\n"
    return TextEdit.insertion(
        last.end, between + json_item(new.paper, new.key, text, last, new.variables)
    )


def _ris(text: str, new: NewEntry) -> TextEdit:
    from cite_lsp.library.formats.ris import ris_record

    abstract = not text.strip() or re.search(r"^(?:AB|N2) {0,2}-", text, re.MULTILINE) is not None
    return appended(text, ris_record(new.paper, new.key, new.variables, abstract=abstract))


def _yaml(text: str, path: Path, new: NewEntry, parsed_entries: _ParsedEntries) -> TextEdit:
    from cite_lsp.library.csl.yaml import parse_yaml
    from cite_lsp.library.write.item_writer import hayagriva_item, yaml_item

    if not text.strip():
        item = yaml_item(new.paper, new.key, text, None, new.variables)
        return TextEdit.insertion(len(text), f"references:\n{item}\n")
    entries = parsed_entries or parse_yaml(text, path).entries
    if not entries:
        raise NotWritable(f"{path.name}: it holds no entry whose layout could be followed")
    last = entries[-1]
    if last.source == "csl-yaml":
        return _yaml_list(text, path, entries, new)
    if text.lstrip().startswith("{"):
        raise NotWritable(f"{path.name}: its entries are written in one line")
    return _appended_item(
        text, entries, lambda: hayagriva_item(new.paper, new.key, text, last, new.variables)
    )


def _yaml_list(text: str, path: Path, entries: Sequence[Entry], new: NewEntry) -> TextEdit:
    from cite_lsp.library.write.item_writer import yaml_item

    def item() -> str:
        try:
            return yaml_item(new.paper, new.key, text, entries[-1], new.variables)
        except ValueError as error:
            raise NotWritable(f"{path.name}: {error}") from error

    return _appended_item(text, entries, item)


def _appended_item(text: str, entries: Sequence[Entry], item: Callable[[], str]) -> TextEdit:
    """Return the addition of an item behind the line on which the last entry ends."""
    last = entries[-1]
    gap = "\n" if len(entries) > 1 and _blank_line(text, entries[-2], last) else ""
    end = text.find("\n", last.end)
    if end < 0:
        return TextEdit.insertion(len(text), f"\n{gap}{item()}\n")
    return TextEdit.insertion(end + 1, f"{gap}{item()}\n")


def _with_line_breaks_of(text: str, added: TextEdit) -> TextEdit:
    """Return an addition with its line breaks changed to those of the text."""
    unix_text = added.text.replace("\r\n", "\n")
    return evolve(added, text=unix_text.replace("\n", "\r\n") if "\r\n" in text else unix_text)
