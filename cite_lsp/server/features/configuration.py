"""Start-up and settings: requests for the client's settings, and what a change of them changes.

Settings of the client win over those of `cite-lsp.toml`. Complaints about them are shown once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from lsprotocol import types

from cite_lsp.paths import SETTINGS_FILE
from cite_lsp.server.config.options import SECTION
from cite_lsp.server.features import formatting
from cite_lsp.server.rpc.capabilities import read_client
from cite_lsp.server.session.server import CiteServer

logger = logging.getLogger(__name__)

_NO_SETTINGS = ("trusted", "token", "trace")
"""What a client says of itself, or has for itself, beside its settings."""
_WATCHED = (
    "**/*.{bib,bibtex,biblatex,json,yml,yaml,ris}",
    "**/*.{tex,ltx,latex,Rnw,rnw,sty,cls,md,markdown,mdown,qmd,Rmd,rmd,mdx,typ,org}",
    f"**/{SETTINGS_FILE}",
)


def register(server: CiteServer) -> None:
    """Answer what belongs to the beginning of a session and to its settings."""

    @server.feature(types.INITIALIZE)
    def initialize(ls: CiteServer, params: types.InitializeParams) -> None:
        encoding = ls.workspace.position_encoding or "utf-16"
        ls.client = read_client(params.capabilities, encoding)
        ls.trusted, settings = _trust(params.initialization_options)
        ls.start_options = settings
        ls.buffers.encoding = ls.client.encoding
        if not ls.client.formatting_registration:
            formatting.answer_formatting(ls)
        ls.apply_settings()

    @server.feature(types.INITIALIZED)
    async def initialized(ls: CiteServer, params: types.InitializedParams) -> None:
        ls.started = True
        if ls.client.formatting_registration:
            formatting.answer_formatting(ls)
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
        ls.apply_settings()
        await ls.load()


async def pull(ls: CiteServer) -> None:
    """Request the client's settings, where it supports that."""
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


def _trust(options: object) -> tuple[bool | None, object]:
    """Return whether the client trusts the workspace, None if it does not say, and its settings."""
    if not isinstance(options, Mapping):
        return None, options
    settings = {name: value for name, value in options.items() if name not in _NO_SETTINGS}
    trusted = options.get("trusted")
    return trusted if isinstance(trusted, bool) else None, settings


def _take(ls: CiteServer, settings: object) -> None:
    """Take over the settings of the editor.

    Whether the workspace is trusted comes with the start, and from nowhere else: an editor
    may read settings from the workspace as well, which must not trust itself.
    """
    _, settings = _trust(settings)
    ls.later_options = settings
    ls.apply_settings()


async def _register_dynamically(ls: CiteServer) -> None:
    """Register for changes of settings and files and for formatting, where the client can."""
    registrations: list[types.Registration] = []
    if ls.client.formatting_registration:
        registrations += formatting.registrations()

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
        # Files are looked at on every request anyway, and bibliographies now and then.
        logger.warning("the client does not watch files: %s", error)
