"""What is wrong with a draft's citations: keys that no entry has, bibliographies not there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from cite_lsp.library.load.read import ABSENT
from cite_lsp.library.model import Problem
from cite_lsp.paths import expanded
from cite_lsp.project.folders import absolute
from cite_lsp.server.config.options import read_options
from cite_lsp.server.config.settings_files import FILE_NAME, read_file
from cite_lsp.server.rules.bibliography_rules import did_you_mean, replacements, rule_of
from cite_lsp.server.rules.did_you_mean import nearest_keys, put_apart
from cite_lsp.server.rules.findings import Finding, Fix
from cite_lsp.server.session.request import Request

if TYPE_CHECKING:
    from cite_lsp.manuscript.model import MarkerKey
    from cite_lsp.project.draft import Draft

# The cross-references of Quarto and of pandoc-crossref look like citations, with a capital, too:
# https://quarto.org/docs/authoring/cross-references, https://lierdakil.github.io/pandoc-crossref
_CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau|apx"
    r"|ref\(|suppfig|vid)[-(:]",
    re.IGNORECASE,
)
_COMPUTED = re.compile(r"[\\#${}]")


def unknown_keys(request: Request, draft: Draft) -> Iterator[Finding]:
    """Yield the keys of a draft that its library does not hold.

    Nothing is said while a bibliography is missing or none is named: the keys may be there. What
    is `@name` in a list of changes or thanks is no key.
    """
    if not draft.library.entries or _names_others(draft):
        return
    if lost_bibliographies(draft):
        return
    people = _mentions_people(draft)
    for marker in (*draft.manuscript.markers, *draft.manuscript.markers_outside_prose):
        if request.cancelled() or not marker.closed or (people and marker.command == "@"):
            continue
        for key in marker.keys:
            text = key.text
            if text == "*" or draft.library.get(text) is not None or _COMPUTED.search(text):
                continue
            if draft.manuscript.format == "markdown" and _CROSS_REFERENCE.match(text):
                continue
            open_ended = not marker.lists or key.end == marker.end
            apart = put_apart(draft.library, text, words=open_ended)
            near = (apart,) if apart else nearest_keys(draft.library, text, request.cancelled)
            message = f'no entry has the key "{text}"' + did_you_mean(near)
            fixes = replacements(key.start, key.end, near)
            if not apart:
                fixes = tuple(_respelled(draft, key, fix) for fix in fixes)
            yield Finding("unknown-key", draft.path, key.start, key.end, message, "warning", fixes)


def lost_bibliographies(draft: Draft) -> list[Path]:
    """Return the bibliographies of a draft that are not there: its keys may be in them."""
    named = draft.library.bibliographies
    return [one.path for one in named if not one.entries and not os.path.isfile(one.path)]


def _respelled(draft: Draft, key: MarkerKey, fix: Fix) -> Fix:
    """Return a fix that puts another key in the place of one, as the format of a draft has it."""
    from cite_lsp.manuscript.edit.insertion import key_replacement

    start, end, text = key_replacement(draft.manuscript, key, fix.text)
    return evolve(fix, start=start, end=end, text=text)


def at_declarations(
    request: Request, draft: Draft, path: Path, problems: Sequence[Problem]
) -> Iterator[Finding]:
    """Sum up a bibliography's problems where it is named.

    A missing one that the draft does not name is told of at the top, with who names it.
    """
    opened = request.documents.find(path) is not None
    missing = not (opened or os.path.isfile(path))
    first = problems[0]
    where = path.name if missing else f"{path.name}, line {first.line}"
    message = f"{where}: {first.message}"
    if len(problems) > 1:
        message += f" ({len(problems) - 1} more in this file)"
    rule = rule_of(first, opened)
    creatable = missing and not request.engine.paths.around(request.path).refusal(path)
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
            message,
            "error" if missing else "warning",
            fixes,
        )
    if missing and not named:
        absent = first.message.startswith(ABSENT)
        if absent and (place := _naming_settings(request, path)):
            remedy = "create it or correct the setting"
            message = f"{path.name}, named in {place}, does not exist: {remedy}"
        top = request.path if request.within is None else request.within.path
        yield Finding(rule, top, 0, 0, message, "error", fixes)


def _naming_settings(request: Request, path: Path) -> str:
    """Return which settings name a bibliography, "" where it is not known that any does."""
    workspaces = request.engine.workspaces
    for folder in dict.fromkeys((*workspaces, *request.path.parents)):
        own, _ = read_options(("", read_file(folder)[0]))
        if any(absolute(folder / expanded(name)) == path for name in own.bibliography):
            return FILE_NAME
    first = workspaces[0] if workspaces else Path.cwd()
    named = (absolute(first / expanded(name)) for name in request.options.bibliography)
    return "the settings" if path in named else ""


def _mentions_people(draft: Draft) -> bool:
    """Whether `@name` is a person: in Markdown that neither names a bibliography nor cites one."""
    manuscript, project = draft.manuscript, draft.project
    if manuscript.format != "markdown" or project.declared or project.inline:
        return False
    cited = (key.text for marker in manuscript.markers for key in marker.keys)
    return all(draft.library.get(key) is None for key in cited)


def _names_others(draft: Draft) -> bool:
    """Whether a draft names, beside what is read, what cannot be: an address, a computed name."""
    for project in (draft.project, *draft.project.beside):
        read = {(file, declaration) for file, declaration, _ in project.declared}
        named = {(file, one) for file, text in project.files for one in text.declarations}
        if read and not named <= read:
            return True
    return False
