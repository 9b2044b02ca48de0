"""Recipe `worthiness-encoder`: an encoder that reads sentences in context and finds citing ones.

It learns from documents all of whose sentences are known, but for Chinese ones, whose characters
the bundled encoder does not know. What it is worth is measured in the form that is written, on
other documents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import asdict

from cite_lsp.encode.checkpoints import DEFAULT, ENCODER_FILES, TABLE_FILE, checksum_of, read_config
from cite_lsp.encode.kinds.onnx import word_vectors
from cite_lsp.encode.tokens.tokenizer import load_tokenizer
from cite_lsp.evaluate.tasks.worthiness import best_threshold, figures_at
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.missing.worthiness_encoder import (
    KIND,
    MODEL,
    WorthinessEncoder,
    WorthinessEncoderConfig,
    windows_of,
)
from cite_lsp.storage import compressed_files
from cite_lsp.train.data.labelled_sentences import LabelledSentence, draft_sentences, read_sentences
from cite_lsp.train.encoders.encoder_run import base_folder, load_model
from cite_lsp.train.missing.window_network import WindowSettings, build_network, export, fit
from cite_lsp.train.run.card import Card, settings_line, write_config
from cite_lsp.train.run.export import licence_of, write_tokenizer
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures, TrainingError, require
from cite_lsp.train.run.shared_table import load_graph, own_table, take_out

_SETTINGS = ("epochs", "batch", "learning_rate")
TAKES = ("contexts", "dev", "test", "without", "manuscripts", "base", *_SETTINGS)

_UNREAD = "zh"
_MAX_TOKENS = 256
_GRAPH, _RULES = ENCODER_FILES
_PACKED = f"{_GRAPH}.zst"


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it is worth."""
    require("onnx")
    options, settings = job.options, WindowSettings(**job.chosen(*_SETTINGS, "seed"))
    drafts = draft_sentences(job)
    learn = [
        sentence
        for sentence in (*read_sentences(options.contexts, job.report), *drafts.learn)
        if sentence.whole and _is_read(sentence)
        if not any(name in sentence.document for name in options.without)
    ]
    if len({sentence.cited for sentence in learn}) < 2:
        raise TrainingError(
            "sentences that cite and sentences that do not are needed, of documents all of whose"
            " sentences are known; give more --contexts"
        )
    base, base_name = base_folder(options.base)
    model = load_model(base, _MAX_TOKENS)
    job.out.mkdir(parents=True, exist_ok=True)
    write_tokenizer(model, job.out / _RULES)
    network = build_network(model, settings.layers)
    cited = np.array([sentence.cited for sentence in learn])
    fit(
        network,
        windows_of([sentence.passage for sentence in learn], load_tokenizer(job.out / _RULES)),
        cited,
        settings,
        lambda done, total: job.progress("steps", done, total),
    )
    export(network, job.out / _GRAPH)
    described = share_files(job.out)
    reader = WorthinessEncoder(job.out)
    dev = read_sentences(options.dev, job.report)
    measured = {
        "development": (dev, dev),
        "test": (dev, read_sentences(options.test, job.report)),
        "drafts held out": (dev, drafts.check),
    }
    figures = [
        _measured(name, reader, [row for row in check if _is_read(row)], readable)
        for name, (check, rows) in measured.items()
        if (readable := [row for row in rows if _is_read(row)])
    ]
    CARD.write(
        job.out,
        job.origin,
        figures,
        base=base_name,
        table=_SHARED if described.base else "",
        layers=settings.layers,
        sentences=len(learn),
        cited=int(cited.sum()),
        settings=settings_line(asdict(settings)),
        licence=licence_of(base) or "not declared by the base",
    )
    return figures


def share_files(folder: Path) -> WorthinessEncoderConfig:
    """Describe a written encoder in `config.json`, and take out what the bundled one has, too.

    That is the tokenizer and the table of word vectors, if both are the same to the last bit.
    """
    bundled = shipped_model(DEFAULT)
    about, model = read_config(bundled), load_graph(folder / _GRAPH)
    shared = word_vectors(bundled, about)
    sums = {_RULES: checksum_of(folder / _RULES)}
    table = own_table(model.graph)
    assert table is not None  # every graph that `export` writes has one
    same = sums[_RULES] == about.sha256[_RULES] and np.array_equal(table, shared)
    if same:
        take_out(model.graph, shared, None)
        (folder / _RULES).unlink()
        sums[TABLE_FILE] = about.sha256[TABLE_FILE]
    graph = model.SerializeToString()
    sums[_GRAPH] = hashlib.sha256(graph).hexdigest()
    compressed_files.write(folder / _PACKED, graph)
    (folder / _GRAPH).unlink()
    config = WorthinessEncoderConfig(KIND, MODEL, sums, about.name if same else "")
    write_config(folder, asdict(config))
    return config


def _is_read(sentence: LabelledSentence) -> bool:
    return sentence.language != _UNREAD


def _measured(
    name: str,
    reader: WorthinessEncoder,
    check: Sequence[LabelledSentence],
    rows: Sequence[LabelledSentence],
) -> Figures:
    best = best_threshold([row.cited for row in check], _read(reader, check))
    truth = [row.cited for row in rows]
    figures = figures_at(truth, _read(reader, rows), best)
    title = f"{name}: {len(rows):,} sentences, {sum(truth):,} cite"
    return Figures({f"logit, from {best:.2f} on": figures}, heading="decided by", title=title)


def _read(reader: WorthinessEncoder, rows: Sequence[LabelledSentence]) -> Column:
    return reader.logits([row.passage for row in rows])


_SHARED = f"""
The tokenizer, and the table of word vectors that the graph is given, are those of `{DEFAULT}`."""
CARD = Card(
    what="""\
Says of the sentences in a window how much each looks like one that cites. The lower {layers}
layers of `{base}`, trained further, and a layer of hidden units on the mean of the states of a
sentence's tokens.""",
    data="""\
{sentences:,} sentences, {cited:,} of which cited: {data}.
Markers were taken out, and what they leave behind with them.""",
    recipe="`{file}`, {settings}.",
    form="""\
`model.onnx.zst`, int8 per channel: token ids, their mask and the weights by which states are
averaged to sentences, to `logits` (windows × sentences).{table}""",
    licence="""\
{licence}: that of the base, whose weights these are, trained further. No text of the data is in
it.""",
    measured="As written, from the logit on that has the best F1 on development documents:",
    files=(_PACKED, "config.json"),
)
