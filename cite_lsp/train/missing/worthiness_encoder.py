"""Recipe `worthiness-encoder`: an encoder that reads sentences in context and finds citing ones.

It learns from documents all of whose sentences are known, but for Chinese ones, whose characters
the bundled encoder does not know. One document of four is left out, for what learns from its
logits: those of the others are too good. What it is worth is measured in the form that is written.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np
from attrs import asdict

from cite_lsp.evaluate.tasks.worthiness import curve, decide
from cite_lsp.option_types import OptionGroup, positive
from cite_lsp.train.data.labelled_sentences import LabelledSentence, read_sentences
from cite_lsp.train.data.sentence_windows import windows_of
from cite_lsp.train.encoders.encoder_run import base_folder, load_model
from cite_lsp.train.missing.draft_sentences import draft_sentences
from cite_lsp.train.missing.window_network import (
    Logits,
    WindowSettings,
    build_network,
    export,
    exported_logits,
    fit,
)
from cite_lsp.train.run.card import Card, settings_line, write_config
from cite_lsp.train.run.errors import TrainingError, require
from cite_lsp.train.run.export import licence_of
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job

NAME = "worthiness-encoder"
_SETTINGS = ("epochs", "batch", "learning_rate")
TAKES = ("test", "without", "manuscripts", "base", "layers", *_SETTINGS)
"""The options that it takes beside those of all recipes."""

LEFT_OUT = 4
"""One document of so many is not learned from."""
_UNREAD = "zh"
_MAX_TOKENS = 256
_GRAPH = "model.onnx"

Read = Callable[[Sequence[LabelledSentence]], Logits]
"""Sentences, in the order of their documents, to their logits, (n,)."""


def add_arguments(group: OptionGroup) -> None:
    """Declare the option that this recipe has beside those of several."""
    group.add_argument(
        "--layers", type=positive, metavar="N", help="layers of the base that are kept (3)"
    )


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it is worth."""
    require("onnx")
    options, settings = job.options, WindowSettings(**job.chosen("layers", *_SETTINGS, "seed"))
    drafts = draft_sentences(job)
    learn = [
        sentence
        for sentence in (*read_sentences(options.contexts, job.report), *drafts.learn)
        if sentence.whole and _is_read(sentence) and not is_left_out(sentence.document)
        if not any(name in sentence.document for name in options.without)
    ]
    if len({sentence.cited for sentence in learn}) < 2:
        raise TrainingError(
            "sentences that cite and sentences that do not are needed, of documents all of whose"
            " sentences are known; give more --contexts"
        )
    base, base_name = base_folder(options.base)
    model = load_model(base, _MAX_TOKENS)
    tokenizer = model.tokenizer.backend_tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()
    network = build_network(model, settings.layers)
    cited = np.array([sentence.cited for sentence in learn])
    seconds = fit(
        network,
        windows_of(learn, tokenizer),
        cited,
        settings,
        lambda done, total: job.progress("steps", done, total),
    )
    job.out.mkdir(parents=True, exist_ok=True)
    export(network, job.out / _GRAPH)
    shutil.copyfile(base / "tokenizer.json", job.out / "tokenizer.json")
    graph = exported_logits(job.out / _GRAPH)

    def read(sentences: Sequence[LabelledSentence]) -> Logits:
        return graph(windows_of(sentences, tokenizer), len(sentences))

    dev = read_sentences(options.dev, job.report)
    measured = {
        "development": (dev, dev),
        "test": (dev, read_sentences(options.test, job.report)),
        "drafts held out": (dev, drafts.check),
    }
    figures = [
        _measured(name, read, [row for row in check if _is_read(row)], kept)
        for name, (check, rows) in measured.items()
        if (kept := [row for row in rows if _is_read(row)])
    ]
    config = {
        "name": NAME,
        "base": base_name,
        "sentences": len(learn),
        "settings": asdict(settings),
    }
    write_config(job.out, config)
    CARD.write(
        job.out,
        job.origin,
        figures,
        base=base_name,
        layers=settings.layers,
        sentences=len(learn),
        cited=int(cited.sum()),
        settings=settings_line(asdict(settings)),
        minutes=seconds / 60,
        licence=licence_of(base) or "not declared by the base",
    )
    return figures


def is_left_out(document: str) -> bool:
    """Whether a document is not learned from, for the sake of what learns from logits."""
    return crc32(f"worth {document}".encode()) % LEFT_OUT == 0


def _is_read(sentence: LabelledSentence) -> bool:
    return sentence.language != _UNREAD


def _measured(
    name: str, read: Read, check: Sequence[LabelledSentence], rows: Sequence[LabelledSentence]
) -> Figures:
    """Measure on `rows`, from the logit on that has the best F1 on `check`."""
    precision, recall, logits = curve([row.cited for row in check], read(check))
    best = logits[(2 * precision * recall / (precision + recall + 1e-9)).argmax()]
    truth = [row.cited for row in rows]
    decision = decide(truth, read(rows), float(best))
    figures = {
        "precision": decision.precision,
        "recall": decision.recall,
        "f1": decision.f1,
        "average precision": decision.average_precision,
    }
    title = f"{name}: {len(rows):,} sentences, {sum(truth):,} cite"
    return Figures({f"logit, from {best:.2f} on": figures}, heading="decided by", title=title)


CARD = Card(
    what="""\
Says of the sentences in a window how much each looks like one that cites. The lower {layers}
layers of `{base}`, trained further, and a layer of hidden units on the mean of the states of a
sentence's tokens.""",
    data="""\
{sentences:,} sentences, {cited:,} of which cited: {data}.
Markers were taken out, and what they leave behind with them. One document of four was left out, for
models that learn from the logits.""",
    recipe="`{file}`, {settings}, minutes {minutes:.1f}.",
    form="""\
`model.onnx`, int8 per channel: token ids, their mask and the weights by which states are averaged
to sentences, to `logits` (windows × sentences).""",
    licence="""\
{licence}: that of the base, whose weights these are, trained further. No text of the data is in
it.""",
    measured="As written, from the logit on that has the best F1 on development documents:",
    files=(_GRAPH, "tokenizer.json", "config.json"),
)
