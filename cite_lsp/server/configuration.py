"""Start-up and settings: what the client is asked for, and what a change of settings changes.

Settings of the client win over those of `cite-lsp.toml`. Complaints about them are shown once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from attrs import evolve
from lsprotocol import types
from pygls.uris import to_fs_path

from cite_lsp.library.folders import absolute
from cite_lsp.paths import expanded
from cite_lsp.server.client import read_client
from cite_lsp.server.engine import setup_of
from cite_lsp.server.options import SECTION, read_options
from cite_lsp.server.server import CiteServer
from cite_lsp.server.settings_files import FILE_NAME, file_settings, with_own_target

logger = logging.getLogger(__name__)

_WATCHED = (
    "**/*.{bib,bibtex,biblatex,json,yml,yaml,ris}",
    "**/*.{tex,ltx,latex,Rnw,rnw,sty,cls,md,markdown,mdown,qmd,Rmd,rmd,mdx,typ,org}",
    f"**/{FILE_NAME}",
)


def register(server: CiteServer) -> None:
    """Answer what belongs to the beginning of a session and to its settings."""
    server.apply_settings = partial(apply, server)

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
    folders = workspace_folders(ls)
    ls.settings_files.keep(folders)
    before = ls.options
    sources: list[tuple[str, object]] = []
    elsewhere: list[Path] = []
    for folder in reversed(folders):
        values, complaints = file_settings(folder, trusted=ls.trusted)
        sources.append((str(folder / FILE_NAME), with_own_target(values, folder)))
        for complaint in complaints:
            complain(ls, complaint)
        if folder != folders[0]:
            # Of the settings of several folders those of the first count, but for bibliographies
            # and the file for new entries: each folder may have its own.
            own, _ = read_options(sources[-1])
            elsewhere += [folder / expanded(path) for path in own.bibliography]
    ls.targets = {
        folder: read_options(source, *ls.client_options)[0].add_entries_to
        for folder, source in zip(reversed(folders), sources, strict=True)
    }
    first = sources[-1:]
    options, complaints = read_options(*sources, *ls.client_options)
    bibliography = read_options(*first, *ls.client_options)[0].bibliography
    ls.options = evolve(options, bibliography=bibliography)
    for complaint in complaints:
        complain(ls, complaint)
    logging.getLogger("cite_lsp").setLevel(ls.options.log.level.upper())
    ls.documents.folder = folders[0] if folders else None
    base = folders[0] if folders else Path.cwd()
    own_paths = [base / expanded(path) for path in ls.options.bibliography]
    extra = dict.fromkeys((*own_paths, *elsewhere))
    changed = ls.engine.configure(setup_of(ls.options, extra, folders))
    if ls.started and (changed or ls.options != before):
        for tell in ls.settings_changed:
            tell(before)


def workspace_folders(ls: CiteServer) -> tuple[Path, ...]:
    """Return the folders of the workspace, its root first."""
    uris = [folder.uri for folder in ls.workspace.folders.values()] or [ls.workspace.root_uri]
    paths = (to_fs_path(uri) for uri in uris if uri)
    return tuple(absolute(Path(path)) for path in paths if path)


def complain(ls: CiteServer, message: str) -> None:
    """Show and log a complaint, unless it was shown before."""
    if message in ls.complaints:
        return
    ls.complaints.add(message)
    logger.warning("%s", message)
    # Before the answer to `initialize` the protocol allows showMessage, so no need to wait.
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))


def _trust(options: object) -> tuple[bool, object]:
    """Return whether the client trusts the workspace (it says so if not), and its settings."""
    if not isinstance(options, Mapping):
        return True, options
    settings = {name: value for name, value in options.items() if name != "trusted"}
    return options.get("trusted") is not False, settings


def _take(ls: CiteServer, settings: object) -> None:
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
