"""The options of `cite-lsp index` for more than one machine: where papers go, what embeds them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_lsp.encode.model import Encoder

AUTO = "auto"
"""The encoder that is chosen by what there is to embed."""
MAX_TOKENS = 128
"""Where texts are cut for the encoder, unless an option or the corpus has another number."""
ENGINES = ("usearch", "milvus")
_VECTOR_INDEXES = ("auto", "hnsw", "ivf_sq8", "diskann")


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default=ENGINES[0],
        help="what searches: usearch on this machine, or a Milvus server",
    )
    parser.add_argument(
        "--uri",
        default="",
        metavar="URI",
        help="the Milvus server, https://HOST:PORT, or a file of Milvus Lite",
    )
    parser.add_argument(
        "--vector-index",
        choices=_VECTOR_INDEXES,
        default="auto",
        help="how a new Milvus collection indexes vectors (auto: as the server sees fit)",
    )
    parser.add_argument(
        "--ray",
        default="",
        metavar="ADDRESS",
        help="embed on this Ray cluster, HOST:PORT or auto",
    )


def expect_cluster(options: argparse.Namespace) -> None:
    """Expect that the Ray cluster answers, where one is named; reading a dump takes hours.

    Raises:
        EncoderError: Ray is not installed, or the cluster cannot be reached.
    """
    if options.ray:
        # Imported where needed: only a cluster needs Ray.
        from cite_lsp.encode.ray_encoder import join

        join(options.ray)


def on_cluster(options: argparse.Namespace, encoder: Encoder, max_tokens: int) -> Encoder:
    """Return an encoder that works on the Ray cluster, where one is named.

    There, too, texts are cut at `max_tokens`.

    Raises:
        EncoderError: Ray is not installed, or the cluster cannot be reached.
    """
    if not options.ray:
        return encoder
    from cite_lsp.encode.ray_encoder import RayEncoder

    name = encoder.name if options.encoder == AUTO else options.encoder
    return RayEncoder.connect(encoder, options.ray, name=name, max_tokens=max_tokens)
