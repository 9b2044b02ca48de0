"""Embedding on a Ray cluster, where `cite-lsp index` is given one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cite_lsp.cli.arguments.options import AUTO

if TYPE_CHECKING:
    from cite_lsp.encode.encoder import Encoder


def expect_cluster(options: argparse.Namespace) -> None:
    """Expect that the Ray cluster answers, where one is named; reading a dump takes hours.

    Raises:
        EncoderError: Ray is not installed, or the cluster cannot be reached.
    """
    if options.ray:
        # Imported where needed: only a cluster needs Ray.
        from cite_lsp.encode.kinds.ray_encoder import join

        join(options.ray)


def on_cluster(options: argparse.Namespace, encoder: Encoder, max_tokens: int) -> Encoder:
    """Return an encoder that works on the Ray cluster, where one is named.

    There, too, texts are cut at `max_tokens`.

    Raises:
        EncoderError: Ray is not installed, or the cluster cannot be reached.
    """
    if not options.ray:
        return encoder
    from cite_lsp.encode.kinds.ray_encoder import RayEncoder

    name = encoder.name if options.encoder == AUTO else options.encoder
    return RayEncoder.connect(encoder, options.ray, name=name, max_tokens=max_tokens)
