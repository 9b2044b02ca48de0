r"""The commands of biblatex that group entries: `\defbibentryset` and `\addtocategory`."""

from __future__ import annotations

import re

from cite_lsp.manuscript.latex.arguments import opening_brace, read_key_list, skip_groups
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.model import EntrySet, Marker


def _group(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Read a name and the keys behind it, which the command uses as `\nocite` does."""
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
    own = read_key_list(scan.text, named)
    if name == "defbibentryset" and own.closed and len(own.keys) == 1:
        defined = EntrySet(own.keys[0], tuple(read.keys), match.start(), read.after)
        scan.entry_sets.append(defined)
    scan.borders.append((match.start(), read.after))
    scan.code.append((match.start(), read.after))
    return read.after


HANDLERS: dict[str, Handler] = dict.fromkeys(("defbibentryset", "addtocategory"), _group)
