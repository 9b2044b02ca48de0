"""Start-up and settings: what the client is asked for, and what a change of settings changes.

Settings of the client win over those of `cite-lsp.toml`. Complaints about them are shown once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from attrs import evolve
from lsprotocol import types

from cite_lsp.paths import expanded
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.config.options import SECTION, Options, Source, read_options
from cite_lsp.server.config.settings_files import FILE_NAME, file_settings
from cite_lsp.server.rpc.capabilities import read_client
from cite_lsp.server.session.engine import setup_of
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.session.uris import named_path

logger = logging.getLogger(__name__)

_WATCHED = (
    "**/*.{bib,bibtex,biblatex,json,yml,yaml,ris}",
    "**/*.{tex,ltx,latex,Rnw,rnw,sty,cls,md,markdown,mdown,qmd,Rmd,rmd,mdx,typ,org}",
    f"**/{FILE_NAME}",
)


def register(server: CiteServer) -> None:
    """Answer what belongs to the beginning of a session and to its settings."""
    server.apply_settings = partial(apply, server)
    server.complain = partial(complain, server)

    @server.feature(types.INITIALIZE)
    def initialize(ls: CiteServer, params: types.InitializeParams) -> None:
        encoding = ls.workspace.position_encoding or "utf-16"
        ls.client = read_client(params.capabilities, encoding)
        ls.trusted, settings = _trust(params.initialization_options)
        ls.client_options = [("initializationOptions", settings)]
        ls.documents.encoding = ls.client.encoding
        apply(ls)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: CiteServer, params: types.InitializedParams) -> None:
        ls.started = True
        registering = asyncio.create_task(_register_dynamically(ls))
        await pull(ls)
        await ls.load()
        await registering  # last: there are clients that never answer

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration_changed(
        ls: CiteServer, params: types.DidChangeConfigurationParams
    ) -> None:
        if ls.client.configuration:
            await pull(ls)
        elif isinstance(params.settings, dict):
            _take(ls, params.settings.get(SECTION, params.settings))
        await ls.load()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(
        ls: CiteServer, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        apply(ls)
        await ls.load()


async def pull(ls: CiteServer) -> None:
    """Ask the client for its settings, where it can be asked."""
    if not ls.client.configuration:
        return
    item = types.ConfigurationItem(section=SECTION)
    try:
        answer = await ls.workspace_configuration_async(types.ConfigurationParams([item]))
    except Exception as error:
        # Whatever the client answers with: the settings known so far are good ones.
        logger.warning("the client did not tell its settings: %s", error)
        return
    _take(ls, answer[0] if answer else None)


def apply(ls: CiteServer) -> None:
    """Read the settings from all sources and pass them on to what depends on them."""
    folders, before = workspace_folders(ls), ls.options
    ls.settings_files.keep(folders)
    by_client, _ = read_options(*ls.client_options)
    paths = WorkspacePaths(folders, ls.trusted).naming(
        (*by_client.bibliography, by_client.add_entries_to)
    )
    files = [(folder, _file_source(ls, folder, paths)) for folder in folders]
    ls.options, complaints = _read_all(ls, [source for _, source in files])
    for complaint in complaints:
        complain(ls, complaint)
    ls.targets = {
        folder: read_options(source, *ls.client_options)[0].add_entries_to
        for folder, source in files
    }
    logging.getLogger("cite_lsp").setLevel(ls.options.log.level.upper())
    ls.documents.folder = folders[0] if folders else None
    bibliographies = _bibliographies(ls.options, files)
    changed = ls.engine.configure(setup_of(ls.options, bibliographies, folders), paths)
    if ls.started and (changed or ls.options != before):
        for tell in ls.settings_changed:
            tell(before)


def _file_source(ls: CiteServer, folder: Path, paths: WorkspacePaths) -> Source:
    """Return what the settings file of a folder may decide; complaints about the rest are shown."""
    values, complaints = file_settings(folder, paths)
    for complaint in complaints:
        complain(ls, complaint)
    return str(folder / FILE_NAME), values


def _read_all(ls: CiteServer, files: Sequence[Source]) -> tuple[Options, tuple[str, ...]]:
    """Return the settings, and complaints; the client's win, then those of the first file.

    The bibliographies of the other files are left out: they belong to their own folders.
    """
    options, complaints = read_options(*reversed(files), *ls.client_options)
    first, _ = read_options(*files[:1], *ls.client_options)
    return evolve(options, bibliography=first.bibliography), complaints


def _bibliographies(options: Options, files: Sequence[tuple[Path, Source]]) -> list[Path]:
    """Return the bibliographies of the settings, then those that the files of other folders name.

    A path that the client names counts from the first folder.
    """
    first = files[0][0] if files else Path.cwd()
    found = [first / expanded(path) for path in options.bibliography]
    for folder, source in reversed(files):
        if folder != first:
            own, _ = read_options(source)
            found += map(Path, own.bibliography)
    return list(dict.fromkeys(found))


def workspace_folders(ls: CiteServer) -> tuple[Path, ...]:
    """Return the folders of the workspace, its root first."""
    uris = [folder.uri for folder in ls.workspace.folders.values()] or [ls.workspace.root_uri]
    paths = (named_path(uri) for uri in uris if uri)
    return tuple(path for path in paths if path is not None)


def complain(ls: CiteServer, message: str) -> None:
    """Show and log a complaint, unless it was shown before."""
    if message in ls.complaints:
        return
    ls.complaints.add(message)
    logger.warning("%s", message)
    # Before the answer to `initialize` the protocol allows showMessage, so no need to wait.
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))


def _trust(options: object) -> tuple[bool | None, object]:
    """Return whether the client trusts the workspace, None if it does not say, and its settings."""
    if not isinstance(options, Mapping):
        return None, options
    settings = {name: value for name, value in options.items() if name != "trusted"}
    said = options.get("trusted")
    return said if isinstance(said, bool) else None, settings


def _take(ls: CiteServer, settings: object) -> None:
    """Take over the settings of the editor.

    Whether the workspace is trusted was said at the start, and counts from there alone: an editor
    may read settings from the workspace as well, which must not trust itself.
    """
    _, settings = _trust(settings)
    ls.client_options = [*ls.client_options[:1], ("settings of the editor", settings)]
    apply(ls)


async def _register_dynamically(ls: CiteServer) -> None:
    """Ask to be told of changed settings and files, where the client lets itself be asked."""
    registrations: list[types.Registration] = []

    def register(method: str, options: object) -> None:
        registrations.append(types.Registration(method, method, options))

    if ls.client.configuration_changes:
        register(
            types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            types.DidChangeConfigurationRegistrationOptions(section=SECTION),
        )
    if ls.client.file_watching:
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
        register(
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
    if not registrations:
        return
    params = types.RegistrationParams(registrations)
    try:
        await ls.client_register_capability_async(params)
    except Exception as error:
        # Files are looked at on every request anyway, and then now and then.
        ls.client = evolve(ls.client, file_watching=False)
        logger.warning("the client does not watch files: %s", error)
