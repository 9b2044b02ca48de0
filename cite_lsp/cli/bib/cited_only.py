"""`bib --cited-only`: the entries that drafts cite, byte for byte, with what these need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import define, field

from cite_lsp.cli import CommandError
from cite_lsp.cli.arguments.project_settings import (
    expect_bibliography,
    expect_draft,
    project_settings,
)
from cite_lsp.cli.bib.bibliography_files import joined, read_exactly
from cite_lsp.cli.printing.output import from_here, warn
from cite_lsp.cli.printing.output_files import files_of, refuse_inputs
from cite_lsp.library.entries import Problem
from cite_lsp.library.load.read import DATA_SUFFIXES
from cite_lsp.library.write.excerpt import BibFile, excerpt, item_excerpt
from cite_lsp.project.citations import cites_all, keys_named_in
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.folders import absolute
from cite_lsp.rules.draft_rules import keys_to_look_up

_READ_ONLY = (".sqlite",)
_NAMED = 10
"""Unknown keys that are named."""


@define
class _Cited:
    """What drafts cite: keys of entries, and from which files, in the order of these.

    `problems` are those of the files.
    """

    keys: set[str] = field(factory=set)
    unknown: dict[str, None] = field(factory=dict)
    problems: dict[Problem, None] = field(factory=dict)
    paths: dict[Path, None] = field(factory=dict)
    everything: bool = False
    folds_case: bool = False

    def add(self, draft: Draft) -> None:
        """Add what a draft cites."""
        inline = {bibliography.path for bibliography in draft.project.inline}
        paths = (bibliography.path for bibliography in draft.bibliographies)
        self.paths.update((path, None) for path in paths if path not in inline)
        self.problems.update((problem, None) for problem in draft.problems)
        self.folds_case |= draft.project.folds_case
        for path, manuscript in draft.project.files:
            self.everything |= cites_all(manuscript)
            for name in keys_named_in(manuscript):
                if (entry := draft.library.get(name)) is not None:
                    self.keys.add(entry.key)
            for _, key in keys_to_look_up(draft.opened_at(path)):
                if draft.library.get(key.text) is None:
                    self.unknown[key.text] = None


def cited_only(
    drafts: Sequence[Path], bibliographies: Sequence[Path], output: Path | None
) -> tuple[bytes, bool]:
    """Return the entries that drafts cite, and whether each key that they cite has one.

    Raises:
        CommandError: that cannot be told, or not in the format of the bibliographies; or the
            `output` is one of the files that are read.
    """
    cited = _Cited()
    for path in bibliographies:
        expect_bibliography(path)
    for path in drafts:
        draft = _draft(path, bibliographies)
        refuse_inputs(output, files_of(draft))
        cited.add(draft)
    paths = [path for path in cited.paths if path.is_file()]
    if not paths:
        raise CommandError(
            f"{drafts[0]}: names no bibliography that is a file; name one in the draft or with "
            "--bibliography"
        )
    content = _excerpt(paths, cited)
    if cited.unknown:
        named = ", ".join(f'"{key}"' for key in list(cited.unknown)[:_NAMED])
        more = len(cited.unknown) - _NAMED
        warn(f"no entry has the key {named}{f' and {more} more' * (more > 0)}")
    return content, not cited.unknown


def _draft(path: Path, bibliographies: Sequence[Path]) -> Draft:
    expect_draft(path)
    path = absolute(path)
    _, setup = project_settings(path, bibliographies)
    reader = DraftReader(
        FilesOnDisk().read,
        extra_bibliographies=setup.extra_bibliographies,
        zotero=setup.zotero,
        cite_commands=setup.cite_commands,
        patience=setup.patience,
    )
    return reader.draft(path)


def _excerpt(paths: Sequence[Path], cited: _Cited) -> bytes:
    data = [path for path in paths if path.suffix.lower() in DATA_SUFFIXES]
    if not data:
        return _of_bibtex(paths, cited)
    if len(paths) > 1:
        names = ", ".join(path.name for path in paths)
        raise CommandError(f"{names}: cannot become one file; only .bib files can")
    if paths[0].suffix.lower() in _READ_ONLY:
        raise CommandError(f"{paths[0]}: is a database; only the entries of text files are taken")
    return _of_items(paths[0], cited)


def _of_bibtex(paths: Sequence[Path], cited: _Cited) -> bytes:
    texts = [read_exactly(path) for path in paths]
    ranges_by_file = excerpt(
        [BibFile.of(path, text.text) for path, text in zip(paths, texts, strict=True)],
        cited.keys,
        everything=cited.everything,
        folds_case=cited.folds_case,
    )
    for path, text, ranges in zip(paths, texts, ranges_by_file, strict=True):
        file_problems = [problem for problem in cited.problems if problem.path == path]
        _report_broken(path, file_problems, text.text, ranges)
    return joined(
        (text, _cut(text.exact, ranges)) for text, ranges in zip(texts, ranges_by_file, strict=True)
    )


def _report_broken(
    path: Path, problems: Sequence[Problem], text: str, ranges: Sequence[tuple[int, int]]
) -> None:
    """Say what is wrong with the records that are taken: what is printed of them is uncertain."""
    for start, end in ranges if problems else ():
        first, last = (text.count("\n", 0, offset) + 1 for offset in (start, end - 1))
        for problem in problems:
            if first <= problem.line <= last:
                warn(f"{from_here(path)}:{problem.line}: {problem.message}")


def _of_items(path: Path, cited: _Cited) -> bytes:
    text = read_exactly(path)
    if cited.everything:
        return joined([(text, text.exact)])
    try:
        ranges = item_excerpt(text.text, path, cited.keys)
    except ValueError as error:
        raise CommandError(f"{path}: {error}; only of a .bib file can a part be taken") from error
    return joined([(text, _cut(text.exact, ranges))])


def _cut(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(text[start:end] for start, end in ranges)
