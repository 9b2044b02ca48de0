"""Recipe `corpus-encoder`: one encoder for contexts and papers, from three tasks at once.

Multiple-negatives ranking with in-batch negatives over context → cited paper (with a mined hard
negative), title → abstract of papers of the pool, and paper → paper cited beside it. The base
model guides: what it takes for as good as the truth is no negative (Solatorio, "GISTEmbed", 2024).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from cite_lsp.train.data.encoder_data import (
    EncoderData,
    columns_of,
    read_encoder_data,
)
from cite_lsp.train.data.sampling import (
    Example,
    cocited_examples,
    context_examples,
    mine_negatives,
    sections_of,
)
from cite_lsp.train.encoders.losses import guided_ranking
from cite_lsp.train.encoders.publish import open_base, train_and_publish
from cite_lsp.train.run.encoding import Encode, encode_with
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import ENCODER

TAKES = (*ENCODER, "pool", "edges")
"""The options that it takes beside those of all recipes."""

HARD_NEGATIVES = 1
MINED_FROM = 20_000
"""Papers among which hard negatives are looked for: the cited ones, filled up by chance."""
EACH_GROUP = 4
"""Pairs taken from the papers that a section, or a paper of the citation graph, cites together."""


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it as it ships; returns what it gained.

    Raises:
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: it cannot be written.
    """
    data, seed = read_encoder_data(job), job.seed
    negatives = job.options.negatives or HARD_NEGATIVES
    base, guide = open_base(job), open_base(job).model.eval()
    job.progress("mining negatives", 0, 0)
    examples = [one for example in _contexts(data, seed) for one in example.single()]
    mined = with_hard_negatives(examples, data, encode_with(guide), negatives, seed)
    columns = {
        "context": columns_of(mined, data.texts, negatives),
        "title": title_columns(data, len(examples), seed),
        "co-cited": columns_of(_together(data, len(examples), seed), data.texts, 0),
    }
    return train_and_publish(
        job,
        base,
        columns,
        lambda trained: guided_ranking(trained, guide),
        data.context_task(seed),
        no_duplicates=True,
        negatives=negatives,
    )


def with_hard_negatives(
    examples: Sequence[Example], data: EncoderData, encode: Encode, count: int, seed: int
) -> list[Example]:
    """Give each example of one positive `count` papers that `encode` finds near, uncited."""
    if not count or not examples:
        return list(examples)
    cited = {name for example in examples for name in example.positives}
    others = sorted(set(data.pool) - cited)
    dice = random.Random(f"mining {seed}")
    names = sorted(cited) + dice.sample(others, min(max(0, MINED_FROM - len(cited)), len(others)))
    place = {name: row for row, name in enumerate(names)}
    own: dict[str, set[int]] = {}
    for example in examples:
        own.setdefault(example.anchor, set()).update(place[name] for name in example.positives)
    mined = mine_negatives(
        encode([example.anchor for example in examples]),
        encode([data.texts[name] for name in names]),
        [own[example.anchor] for example in examples],
        [place[example.positives[0]] for example in examples],
        count=count,
    )
    return [
        Example(example.anchor, example.positives, tuple(names[row] for row in rows))
        for example, rows in zip(examples, mined, strict=True)
    ]


def title_columns(data: EncoderData, count: int, seed: int) -> dict[str, list[str]]:
    """Return titles and their abstracts, of papers of the pool chosen by chance."""
    chosen = random.Random(f"titles {seed}").sample(data.pool, min(count, len(data.pool)))
    return {
        "anchor": [data.papers[name].title for name in chosen],
        "positive": [data.papers[name].abstract for name in chosen],
    }


def _contexts(data: EncoderData, seed: int) -> list[Example]:
    return context_examples(data.train, data.pool, 0, seed)


def _together(data: EncoderData, count: int, seed: int) -> list[Example]:
    """Return up to `count` pairs of papers cited together, in a section or by a paper."""
    references: dict[str, list[str]] = {}
    for edge in data.edges:
        references.setdefault(edge.citing, []).append(edge.cited)
    groups = [*sections_of(data.train), *references.values()]
    pairs = cocited_examples(groups, data.pool, EACH_GROUP, seed)
    return random.Random(f"pairs {seed}").sample(pairs, min(count, len(pairs)))
