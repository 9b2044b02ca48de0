r"""The entries that a LaTeX draft holds itself, `\bibitem` and its kin, and groups of entries."""

from __future__ import annotations

import re

from cite_lsp.manuscript.latex.arguments import (
    opening_brace,
    read_key_list,
    skip_groups,
    skip_options,
)
from cite_lsp.manuscript.latex.prose import LATEX
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.model import BibliographyItem, EntrySet, Marker, MarkerKey
from cite_lsp.manuscript.text.paragraphs import plain_text

_LONGEST_ITEM = 4000


def _bibitem(scan: LatexScan, match: re.Match[str], name: str) -> int:
    """Read the key of an entry; harvard has two groups, people and year, before it."""
    position = skip_options(scan.text, match.end())
    before = skip_groups(scan.text, position, 2) if name == "harvarditem" else position
    opening = None if before is None else opening_brace(scan.text, before)
    if opening is None:
        return match.end()
    read = read_key_list(scan.text, opening)
    if read.keys and read.closed:
        first, last = read.keys[0], read.keys[-1]
        key = MarkerKey(scan.text[first.start : last.end], first.start, last.end)
        scan.items.append((match.start(), key, read.after, None))
    scan.borders.append((match.start(), read.after))
    return read.after


def _amsrefs_item(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    r"""Read an entry of amsrefs, `\bib{key}{article}{title={…}, …}`."""
    opening = opening_brace(scan.text, match.end())
    behind = skip_groups(scan.text, match.end(), 2)
    fields = None if behind is None else opening_brace(scan.text, behind)
    closing = None if fields is None else scan.closing(fields, _LONGEST_ITEM)
    if opening is None or fields is None or closing is None:
        return match.end()
    keys = read_key_list(scan.text, opening).keys
    if len(keys) == 1:
        scan.items.append((match.start(), keys[0], fields + 1, closing + 1))
    return scan.omit(match.start(), closing + 1)


def _group(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Read a group of biblatex: a name and the keys behind it, which are cited as by `\nocite`."""
    named = opening_brace(scan.text, match.end())
    behind = skip_groups(scan.text, match.end(), 1)
    opening = None if behind is None else opening_brace(scan.text, behind)
    if named is None or opening is None:
        return match.end()
    read = read_key_list(scan.text, opening)
    if not read.closed:
        return match.end()
    place = (read.start, read.end)
    marker = Marker(name, tuple(read.keys), match.start(), read.after, True, (place,))
    scan.markers_outside_prose.append(marker)
    set_name = read_key_list(scan.text, named)
    if name == "defbibentryset" and set_name.closed and len(set_name.keys) == 1:
        defined = EntrySet(set_name.keys[0], tuple(read.keys), match.start(), read.after)
        scan.entry_sets.append(defined)
    return scan.set_apart(match.start(), read.after)


def items_of(scan: LatexScan) -> tuple[BibliographyItem, ...]:
    """Return the entries in the order of the text, each up to the next or the end of the list."""
    items = []
    for number, (start, key, after, known_end) in enumerate(scan.items):
        close = scan.text.find("\\end{thebibliography}", after) if known_end is None else known_end
        end = len(scan.text) if close < 0 else close
        if number + 1 < len(scan.items):
            end = min(end, scan.items[number + 1][0])
        items.append(BibliographyItem(key, start, end, plain_text(scan.text[after:end], LATEX)))
    return tuple(items)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("bibitem", "harvarditem"), _bibitem),
    "bib": _amsrefs_item,
    **dict.fromkeys(("defbibentryset", "addtocategory"), _group),
}
