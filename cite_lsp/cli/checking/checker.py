"""The rules applied to drafts and bibliographies on disk, with the settings of their projects.

What of a draft cannot be checked is said too: parts that are not there, keys without a
bibliography.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from cite_lsp.cli import CommandError
from cite_lsp.cli.arguments.project_settings import (
    build_recommender,
    is_binary_file,
    project_settings,
)
from cite_lsp.cli.checking.draft_folders import is_about_project
from cite_lsp.cli.checking.report import ReportedFinding, Unchecked
from cite_lsp.cli.printing.output import SlowNotice, Stages
from cite_lsp.library.entries import Entry
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.suppress import suppressions_of
from cite_lsp.manuscript.parse import format_of
from cite_lsp.project.citations import Citation, waiting_in
from cite_lsp.project.draft import Draft
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.missing_files import missing_files
from cite_lsp.project.workspace import Surroundings, is_bibliography
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.recommend.missing.dismissed import dismissals_in, project_root
from cite_lsp.recommend.missing.doubts import find_doubts
from cite_lsp.recommend.missing.gaps import GapOptions, Progress, find_gaps
from cite_lsp.rules.draft_rules import keys_to_look_up, keys_unchecked
from cite_lsp.rules.examine import Examination, examine_bibliography, examine_draft
from cite_lsp.rules.findings import Finding, Hint, Ranked
from cite_lsp.rules.lookups import Lookups
from cite_lsp.rules.missing_citations import hints_of
from cite_lsp.rules.rule_names import Rule
from cite_lsp.server.config.active_rules import active_rules, hinted_once_in, missing_level
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.settings_files import naming_settings

if TYPE_CHECKING:
    from cite_lsp.recommend.engine import DraftRecommender

RULES_OF_ENTRIES = ("duplicate-work", "unused-entry", "preprint", "unverified-entry")
"""Rules that look at the entries of a bibliography, and are on where they are named."""
_ON_WHERE_NAMED = (*RULES_OF_ENTRIES, "doubtful-citation")


class UnreadableFileError(CommandError):
    """A file that is to be checked cannot be read."""


@frozen
class Choices:
    """What the options of the command choose; None leaves it to the settings.

    `only` are the rules that are wanted, all of them where there are none.
    """

    only: tuple[str, ...] = ()
    bibliographies: tuple[Path, ...] = ()
    level: str | None = None
    threshold: float | None = None
    confidence: float | None = None

    def admits(self, rule: str) -> bool:
        """Whether the findings of a rule are wanted."""
        return not self.only or rule in self.only

    def look_through(self, rule: str) -> bool:
        """Whether a rule of entries looks through the bibliographies that a draft names.

        That a library has a work twice is no fault of the draft.
        """
        return rule in RULES_OF_ENTRIES and (rule != "duplicate-work" or rule in self.only)

    def applied_to(self, settings: Options) -> Options:
        """Return the settings with what was chosen."""
        missing_settings: dict[str, Any] = {
            "level": self.level,
            "threshold": self.threshold,
            "confidence": self.confidence,
            "hints": "onSave" if self.admits("missing-citation") else "off",
        }
        named = [rule for rule in _ON_WHERE_NAMED if rule in self.only]
        return evolve(
            settings,
            missing=evolve(
                settings.missing,
                **{name: value for name, value in missing_settings.items() if value is not None},
            ),
            diagnostics=evolve(
                settings.diagnostics, **{rule.replace("-", "_"): True for rule in named}
            ),
        )


class Checker:
    """Applies the rules to files, to each once, however many drafts include it.

    `unchecked` is what could not be checked so far. `files` are those to come, for the progress;
    of those `from_folders`, what is about a project is not searched for missing citations.
    """

    def __init__(
        self,
        choices: Choices,
        stages: Stages,
        files: Iterable[Path] = (),
        from_folders: Collection[Path] = (),
    ) -> None:
        self.unchecked: list[Unchecked] = []
        self._choices = choices
        self._stages = stages
        self._from_folders = frozenset(from_folders)
        self._drafts = {path for path in files if format_of(path) is not None}
        self._slow_notice = SlowNotice()
        self._checked: set[Path] = set()

    def check(self, path: Path) -> Iterator[ReportedFinding]:
        """Yield the findings about a draft, with the files that it includes, or about a .bib file.

        Raises:
            UnreadableFileError: the file cannot be read.
        """
        if path in self._checked:
            return
        files = FilesOnDisk()
        if files.read(path) is None:
            raise UnreadableFileError(f"{path}: cannot be read; check the path and the permissions")
        settings, setup = project_settings(path, self._choices.bibliographies)
        options = self._choices.applied_to(settings)
        with build_recommender(setup, files) as recommender:
            project = _Project(options, files, recommender)
            if is_bibliography(path):
                self._checked.add(path)
                yield from self._of_bibliography(project, path)
            else:
                yield from self._of_draft(project, path)

    def _of_draft(self, project: _Project, path: Path) -> Iterator[ReportedFinding]:
        rules, recommender = project.rules, project.recommender
        doubting = "doubtful-citation" in rules and self._choices.admits("doubtful-citation")
        lacking = "missing-citation" in rules and self._may_lack(recommender.draft(path), path)
        if lacking or doubting:
            with self._slow_notice:
                recommender.prepare(path)
        draft = recommender.draft(path)
        self.unchecked += missing_parts(draft)
        if self._choices.admits("unknown-key") and "unknown-key" in rules:
            self.unchecked += unchecked_keys(draft)
        parts = draft.project.read_in_by(path)
        self._drafts |= {file for file in parts if format_of(file) is not None}
        for file in parts:
            if file not in self._checked and format_of(file) is not None:
                self._checked.add(file)
                part = draft.opened_at(file)
                examination = project.examination(file)
                ranked = Ranked()
                if "missing-citation" in rules and self._may_lack(part, file):
                    ranked = evolve(ranked, hints=self._hints(project, part))
                if doubting:
                    ranked = evolve(ranked, doubts=self._doubts(project, part))
                examination = evolve(examination, ranked=ranked)
                yield from self._reported(project, examine_draft(part, examination, path))
        rules_of_entries = set(filter(self._choices.look_through, rules))
        for file in draft.project.bibliographies if rules_of_entries else ():
            if file not in self._checked and is_bibliography(file) and file.is_file():
                self._checked.add(file)
                yield from self._of_bibliography(project, file, rules_of_entries, parts)

    def _of_bibliography(
        self,
        project: _Project,
        path: Path,
        rules: Collection[str] | None = None,
        opened: Collection[Path] = (),
    ) -> Iterator[ReportedFinding]:
        """Yield the findings of some rules, or of all that are on, about a .bib file.

        Of the drafts that use it, those that are `opened` are looked at first.
        """
        reader = project.recommender.reader
        surroundings = Surroundings(path, opened, (), project.files.read, reader)
        examination = project.examination(path)
        if rules is not None:
            examination = evolve(examination, rules=rules)
        yield from self._reported(project, examine_bibliography(surroundings, examination))

    def _may_lack(self, draft: Draft, file: Path) -> bool:
        """Whether missing citations are looked for in a file."""
        return file not in self._from_folders or not is_about_project(draft.manuscript, file)

    def _hints(self, project: _Project, draft: Draft) -> Mapping[str, Hint]:
        recommender = project.recommender
        if any(waiting_in(draft, sentence) for sentence in draft.manuscript.sentences):
            recommender.adapt(draft.path)  # it changes nothing for sentences without a marker
        level = missing_level(project.options.missing)
        options = GapOptions(level, dismissed=dismissals_in(project_root(draft.path)))
        progress = self._progress(draft, "sentences")
        return hints_of(draft, find_gaps(recommender, draft, options=options, progress=progress))

    def _doubts(self, project: _Project, draft: Draft) -> Mapping[Citation, Entry | None]:
        project.recommender.adapt(draft.path)
        progress = self._progress(draft, "citations")
        return find_doubts(project.recommender, draft, progress=progress)

    def _progress(self, draft: Draft, what: str) -> Progress:
        name, drafts = draft.path.name, len(self._drafts)
        if drafts > 1:
            name += f" ({len(self._drafts & self._checked)} of {drafts})"

        def show(done: int, total: int) -> None:
            if total:  # a file of macros has none
                self._stages.show(f"{name}, {what}", done, total)

        return show

    def _reported(
        self, project: _Project, findings: Iterable[Finding]
    ) -> Iterator[ReportedFinding]:
        for finding in findings:
            if self._choices.admits(finding.rule):
                yield ReportedFinding.of(finding, project.files.lines(finding.path))


@frozen
class _Project:
    """The settings of the project of a file, and what reads and ranks with them."""

    options: Options
    files: FilesOnDisk
    recommender: DraftRecommender

    @property
    def rules(self) -> frozenset[Rule]:
        """The rules that are on."""
        return active_rules(self.options)

    def examination(self, file: Path) -> Examination:
        """Return which rules are applied to a file, and with what."""
        named = self.options.bibliography
        lookups = Lookups(
            lines=self.files.lines,
            is_open=lambda path: False,
            known_works=self.recommender.known_works,
            paths=WorkspacePaths(),
            naming_settings=lambda path: naming_settings(path, file, (), named),
        )
        return Examination(
            self.rules,
            lookups,
            hinted_once_in=hinted_once_in(self.options.missing),
            at_names=False,
        )


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
