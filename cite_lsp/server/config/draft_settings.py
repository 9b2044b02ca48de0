"""The settings for each draft: the client's, and those of the `cite-lsp.toml` files above it.

The client wins, then the file nearest to the draft. The files of the other folders of the workspace
count where neither says anything.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.paths import SETTINGS_FILE, expanded
from cite_lsp.project.folders import folders_above, holding
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.config.options import Options, Source, read_options
from cite_lsp.server.config.settings_files import SettingsFiles, has_file
from cite_lsp.server.config.settings_policy import file_settings
from cite_lsp.server.config.setup import Setup, setup_of


@frozen
class EffectiveSettings:
    """The settings for the documents of a folder, and what their recommender depends on."""

    options: Options
    setup: Setup


class DraftSettings:
    """Reads each file once: settings that have changed are another object. Thread-safe."""

    def __init__(
        self,
        workspaces: Sequence[Path] = (),
        client: Sequence[Source] = (),
        *,
        paths: WorkspacePaths | None = None,
        files: SettingsFiles | None = None,
    ) -> None:
        """Take the folders of the workspace, its root first, and the settings of the client.

        `paths` says what the files in the workspace may name; `files` learns which files the
        settings depend on.
        """
        self._workspaces = tuple(workspaces)
        self._client = tuple(client)
        self._paths = paths or WorkspacePaths(self._workspaces)
        self._files = files or SettingsFiles()
        self._lock = threading.Lock()
        self._complaints: dict[str, None] = {}
        self._sources: dict[Path, Source] = {}
        self._effective: dict[Path | None, EffectiveSettings] = {}

    def general(self) -> EffectiveSettings:
        """Return the settings of the workspace, for what belongs to no document."""
        return self._of(None)

    def of(self, path: Path) -> EffectiveSettings:
        """Return the settings for a document."""
        return self._of(path.parent)

    def complaints(self) -> tuple[str, ...]:
        """Return what is wrong with the settings read so far, each once."""
        with self._lock:
            return tuple(self._complaints)

    def _of(self, folder: Path | None) -> EffectiveSettings:
        with self._lock:
            if folder not in self._effective:
                self._effective[folder] = self._read(folder)
            return self._effective[folder]

    def _read(self, folder: Path | None) -> EffectiveSettings:
        enclosing_workspace = (
            next(iter(holding(folder, self._workspaces)), None) if folder is not None else None
        )
        above = self._above(folder, enclosing_workspace) if folder is not None else ()
        elsewhere = [workspace for workspace in self._workspaces if workspace not in above]
        sources = [self._source(source_folder) for source_folder in (*reversed(elsewhere), *above)]
        options, complaints = read_options(*sources, *self._client)
        self._complaints.update(dict.fromkeys(complaints))

        # The bibliographies of every folder of the workspace can be cited. A path that the client
        # names counts from the first folder, and stands in for what that folder's files name.
        first, *rest = self._workspaces or (None,)
        nearest = [self._source(source_folder) for source_folder in above]
        of_first = nearest if first in (enclosing_workspace, None) else [self._source(first)]
        named = read_options(*of_first, *self._client)[0].bibliography
        bibliographies = [(first or Path.cwd()) / expanded(path) for path in named]
        for workspace in reversed(rest):
            bibliographies += map(
                Path,
                _bibliography(
                    nearest if workspace == enclosing_workspace else [self._source(workspace)]
                ),
            )
        if enclosing_workspace is None and first is not None:
            bibliographies += map(Path, _bibliography(nearest))
        setup = setup_of(options, dict.fromkeys(bibliographies), self._workspaces)
        return EffectiveSettings(evolve(options, bibliography=named), setup)

    def _above(self, folder: Path, workspace: Path | None) -> tuple[Path, ...]:
        """Return the folders whose files count for the drafts of a folder, the nearest last.

        Without a workspace they are those of the project, or else the nearest one above it.
        """
        project = folders_above(folder, workspace)
        beyond = (
            ()
            if workspace is not None
            else [parent for parent in folder.parents if parent not in project]
        )
        holders = [candidate for candidate in project if self._has_file(candidate)]
        if not holders:
            holders = [candidate for candidate in beyond if self._has_file(candidate)][:1]
        return tuple(reversed(holders))

    def _has_file(self, folder: Path) -> bool:
        self._files.add(folder)
        return has_file(folder)

    def _source(self, folder: Path) -> Source:
        """Return what the settings file of a folder may decide."""
        if folder not in self._sources:
            self._files.add(folder)
            values, complaints = file_settings(folder, self._paths_for(folder))
            self._complaints.update(dict.fromkeys(complaints))
            self._sources[folder] = str(folder / SETTINGS_FILE), values
        return self._sources[folder]

    def _paths_for(self, folder: Path) -> WorkspacePaths:
        """Return what the file of a folder may name; outside the workspace nobody trusts it."""
        paths = self._paths.around(folder / SETTINGS_FILE)
        return evolve(paths, trusted=None) if paths.trusted and paths != self._paths else paths


def _bibliography(sources: Sequence[Source]) -> tuple[str, ...]:
    return read_options(*sources)[0].bibliography
