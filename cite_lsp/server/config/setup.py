"""What the recommender of a draft depends on of all settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from attrs import field, frozen

from cite_lsp.library.formats.zotero_part import WHOLE, ZoteroPart
from cite_lsp.project.folders import absolute
from cite_lsp.server.config.options import Options, TwoPhaseOptions


@frozen
class Setup:
    """All that the recommender depends on; a different setup is a different recommender.

    `patience` is how many seconds TeX itself may take to find a bibliography: a server does not
    wait, since requests come with every letter.
    """

    encoder: str
    extra_bibliographies: tuple[Path, ...] = ()
    workspaces: tuple[Path, ...] = ()
    cite_commands: tuple[str, ...] = ()
    corpora: tuple[str, ...] | None = None
    remote_token: str = field(default="", repr=False)
    remote_certificate: str = ""
    remote_wait: float = 0.3
    translator: str = "dictionary"
    other_drafts: bool = True
    method: tuple[str, ...] = ("default",)
    two_phase: TwoPhaseOptions = TwoPhaseOptions()
    zotero: ZoteroPart = WHOLE
    patience: float = 0.0


def setup_of(
    options: Options, extra_bibliographies: Iterable[Path], workspaces: tuple[Path, ...] = ()
) -> Setup:
    """Return what the recommender depends on of all settings."""
    return Setup(
        encoder=options.encoder,
        extra_bibliographies=tuple(map(absolute, extra_bibliographies)),
        workspaces=workspaces,
        cite_commands=options.cite_commands,
        corpora=options.corpora,
        remote_token=options.remote.token,
        remote_certificate=options.remote.certificate,
        remote_wait=options.remote.wait / 1000,
        translator=options.translator,
        other_drafts=options.other_drafts,
        method=options.method,
        two_phase=options.two_phase,
        zotero=ZoteroPart(options.zotero.collection, options.zotero.library),
    )


SetupOf = Callable[[Path], Setup]
"""Says what the recommender of a draft at a path depends on."""
