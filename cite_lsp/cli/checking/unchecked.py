"""What of a draft cannot be checked: parts that are not there, keys without a bibliography."""

from __future__ import annotations

from collections.abc import Iterator

from cite_lsp.cli.checking.report import Unchecked
from cite_lsp.cli.project_settings import is_binary_file
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.suppress import suppressions_of
from cite_lsp.project.draft import Draft
from cite_lsp.project.missing_files import missing_files
from cite_lsp.rules.draft_rules import keys_to_look_up, keys_unchecked


def unchecked_keys(draft: Draft) -> Iterator[Unchecked]:
    """Yield why it cannot be said which keys of a draft are unknown, unless none is looked up."""
    reason = keys_unchecked(draft)
    if reason and any(
        not _is_suppressed(manuscript, "unknown-key", key.start)
        for path, manuscript in draft.project.files
        for _, key in keys_to_look_up(draft.opened_at(path))
    ):
        message = f"its keys were not checked, because {reason}"
        yield Unchecked(str(draft.path), message)


def missing_parts(draft: Draft) -> Iterator[Unchecked]:
    """Yield what a draft includes, from the opened file on, and is no text or not there."""
    parts = draft.project.read_in_by(draft.path)
    for file, offset, path in missing_files(draft.project):
        manuscript = draft.opened_at(file).manuscript
        if file in parts and not _is_suppressed(manuscript, "", offset):
            line = LineIndex(manuscript.text).line_of(offset) + 1
            message = f"includes {path.name}, which is not there; create it or correct the path"
            yield Unchecked(str(file), message, line)
    for file in parts:
        if is_binary_file(file):
            yield Unchecked(str(file), "is no text; save it as UTF-8")


def _is_suppressed(manuscript: Manuscript, rule: str, offset: int) -> bool:
    """Whether a comment silences a rule at an offset; "" is what only silencing all rules does."""
    lines = LineIndex(manuscript.text)
    return suppressions_of(lines).covers(rule, lines.line_of(offset))
