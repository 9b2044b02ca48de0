"""What the recipes share that weigh signs: markers of drafts are asked for, weights fitted to them.

Signs are what something beside the ranker says for the papers of a library.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from cite_lsp.cli.output import Problems, weights_table
from cite_lsp.cli.training.training import drafts_encoder, one_line_errors

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.train.rankers.sign_weights import Question
    from cite_lsp.train.rankers.weights_card import About

Write = Callable[[Path, "list[Question]", "list[Question]", int], dict[str, Any]]


@frozen
class Material:
    """The contexts that weights are fitted to, those they are measured on, and what asks for both.

    `ask` takes contexts and, by name, `encoder`, `query_encoder`, `seed` and `progress`.
    """

    learn: list[LabelledContext]
    check: list[LabelledContext]
    ask: Callable[..., list[Question]]


def weigh_signs(
    options: argparse.Namespace,
    read: Callable[[argparse.Namespace, Problems], Material],
    write: Write,
    about: About,
    *,
    data: str,
    command: str,
) -> int:
    """Fit the weights, write them with their card, and print what they are worth.

    `read` gives what the options name and tells of bad records; `write` fits the weights to the
    first questions, measures them on the second and returns what it wrote.
    """
    from cite_lsp.recommend.base.ranker import RankerError
    from cite_lsp.recommend.query.encoder_input import kept_query_encoder
    from cite_lsp.train.rankers.weights_card import write_weights_card

    with one_line_errors(options.out, RankerError) as (stages, problems):
        material = read(options, problems)
        encoder = drafts_encoder()

        def asked(rows: list[LabelledContext], stage: str) -> list[Question]:
            return material.ask(
                rows,
                encoder=encoder,
                query_encoder=kept_query_encoder(),
                seed=options.seed,
                progress=lambda done, total: stages.show(f"drafts, {stage}", done, total),
            )

        learned = asked(material.learn, "learned from")
        held_out = asked(material.check, "measured on")
        config = write(options.out, learned, held_out, options.seed)
        write_weights_card(options.out, config, about, data=data, command=command)
    print(weights_table(config, about.column))
    return 0
