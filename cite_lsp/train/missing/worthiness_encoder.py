"""Recipe `worthiness-encoder`: an encoder that reads sentences in context and finds citing ones.

It learns from documents all of whose sentences are known, but for Chinese ones, whose characters
the bundled encoder does not know. From a base that reads Chinese, an encoder of Chinese sentences
is made: as it starts, its layers are those of the encoder of the others, and its words those of the
base. It learns from what stands around markers, too, as there are few Chinese documents. What it is
worth is measured in the form that is written, on other documents.
"""

from __future__ import annotations

import hashlib
import math
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.encode.checkpoints import (
    DEFAULT,
    ENCODER_FILES,
    OWN_TABLE_FILE,
    TABLE,
    TABLE_FILE,
    checksum_of,
    read_config,
)
from cite_lsp.encode.kinds.onnx import tables_of
from cite_lsp.encode.tokens.tokenizer import load_tokenizer
from cite_lsp.evaluate.tasks.worthiness import best_threshold, figures_at
from cite_lsp.option_types import OptionGroup, positive
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.missing.worthiness_encoder import (
    CHINESE_MODEL,
    KIND,
    MODEL,
    WorthinessEncoder,
    WorthinessEncoderConfig,
    is_read,
    tokenizer_of,
    windows_of,
)
from cite_lsp.recommend.query.encoder_input import CHINESE_QUERY_ENCODER
from cite_lsp.storage import compressed_files
from cite_lsp.train.data.labelled_sentences import (
    CITING_SHARE,
    LabelledSentence,
    draft_sentences,
    read_sentences,
)
from cite_lsp.train.encoders.encoder_run import base_folder, load_model
from cite_lsp.train.missing.window_network import (
    WindowSettings,
    build_network,
    export,
    fit,
    keep_lower,
)
from cite_lsp.train.run.card import Card, settings_line, write_config
from cite_lsp.train.run.export import licence_of, write_tokenizer
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import LEARNING
from cite_lsp.train.run.read_back import read_back
from cite_lsp.train.run.report import Figures, TrainingError, require
from cite_lsp.train.run.shared_table import (
    division_of,
    inputs_of,
    load_graph,
    own_table,
    take_out,
    take_out_own_rows,
)

if TYPE_CHECKING:
    import torch

TAKES = ("contexts", "dev", "test", "without", "manuscripts", "base", *LEARNING)

_CHINESE = "zh"
_MAX_TOKENS = 256
_GRAPH, _RULES = ENCODER_FILES
_PACKED = f"{_GRAPH}.zst"
_TABLES = TABLE_FILE, OWN_TABLE_FILE


def add_arguments(group: OptionGroup) -> None:
    """Declare the option that this recipe has beside those of several."""
    group.add_argument(
        "--layers",
        type=positive,
        metavar="N",
        help="the lower layers to begin with (6, or all of a smaller base)",
    )


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it is worth."""
    require("onnx")
    options, settings = job.options, job.settings(WindowSettings())
    base = _base(options.base)
    drafts = draft_sentences(job)
    learn = _to_learn(job, base, drafts.learn)
    job.out.mkdir(parents=True, exist_ok=True)
    network = base.begin(settings.layers, job.out / _RULES)
    cited = np.array([sentence.cited for sentence in learn])
    tokenizer = tokenizer_of(job.out / _RULES, base.words)
    windows = windows_of([sentence.passage for sentence in learn], tokenizer)
    steps = partial(job.progress, "steps")
    fit(network, windows, cited, settings, steps, surplus=_surplus(learn))
    export(network, job.out / _GRAPH)
    described = share_files(job.out, base.bundled, base.words)
    reader = WorthinessEncoder(job.out)
    held_out = (
        read_sentences(options.dev, job.report),
        read_sentences(options.test, job.report),
        drafts.check,
    )
    dev, test, check = ([row for row in rows if _is_read(row, base.words)] for rows in held_out)
    measured = {"development": (dev, dev), "test": (dev, test), "drafts held out": (dev, check)}
    figures = [
        _measured(name, reader, [row for row in threshold_rows if row.whole] or rows, rows)
        for name, (threshold_rows, rows) in measured.items()
        if rows
    ]
    start = _CHINESE_LAYERS if base.words else _LOWER
    encoder: Any = network.encoder
    layers = len(encoder.encoder.layer)  # of a smaller base all that it has
    return CARD.write(
        job.out,
        job.origin,
        figures,
        start=start.format(layers=layers, base=base.name),
        chosen_on="development documents" if any(row.whole for row in dev) else "what is measured",
        partly=_PARTLY if base.words else "",
        table=_SHARED.format(base=described.base) if described.base else "",
        sentences=len(learn),
        cited=int(cited.sum()),
        settings=settings_line(asdict(settings)),
        licence=base.licence,
    )


@frozen
class _Base:
    """What the network starts from.

    Attributes:
        name: what a card calls it.
        licence: that of its weights.
        bundled: the folder of the encoder that ships whose words it has.
        begin: makes the network of so many layers, and writes the tokenizer to a file.
        words: how texts are cut for it (`OnnxConfig.words`).
    """

    name: str
    licence: str
    bundled: Path
    begin: Callable[[int, Path], torch.nn.Module]
    words: str = ""


def _base(name: str) -> _Base:
    """Return the checkpoint of a name, or the encoder of Chinese that ships with its graph alone.

    Raises:
        TrainingError: there is none, or training needs a package.
        EncoderError: the encoder of Chinese cannot be read.
    """
    chinese = shipped_model(CHINESE_QUERY_ENCODER)
    if name == CHINESE_QUERY_ENCODER:
        about = read_config(chinese)
        start = partial(_begin_chinese, chinese)
        return _Base(name, about.licence, chinese, start, about.words)
    folder, called = base_folder(name)
    licence = licence_of(folder) or "not declared by the base"
    return _Base(called, licence, shipped_model(DEFAULT), partial(_begin, folder))


def _begin(folder: Path, layers: int, rules: Path) -> torch.nn.Module:
    model = load_model(folder, _MAX_TOKENS)
    write_tokenizer(model, rules)
    return build_network(model, layers)


def _begin_chinese(folder: Path, layers: int, rules: Path) -> torch.nn.Module:
    """Start with the words of an encoder of Chinese, and the layers of the encoder that ships."""
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    shutil.copy(folder / _RULES, rules)
    model: Any = load_model(base_folder("default")[0], _MAX_TOKENS)
    bert = model[0].auto_model
    bert.config.vocab_size = len(load_tokenizer(rules).vocabulary)
    bert.set_input_embeddings(torch.nn.Embedding(bert.config.vocab_size, bert.config.hidden_size))
    read_back(folder / _GRAPH, model)
    network: Any = build_network(model, len(bert.encoder.layer))
    read_back(shipped_model(MODEL) / _GRAPH, network, table=False)
    keep_lower(network.encoder, layers)
    return network  # type: ignore[no-any-return]


def _surplus(sentences: Sequence[LabelledSentence]) -> NDArray[np.float32]:
    """Return by how much the log odds of each sentence are too high, (n,): 0 in whole documents.

    Of others only what stands around markers is known, where citing is far more frequent.
    """
    partly = np.array([not sentence.whole for sentence in sentences])
    surplus = np.zeros(len(sentences), dtype=np.float32)
    cited = np.array([sentence.cited for sentence in sentences])[partly]
    if 0 < cited.sum() < len(cited):
        surplus[partly] = _log_odds(cited.mean()) - _log_odds(CITING_SHARE)
    return surplus


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share))


def share_files(folder: Path, bundled: Path, words: str) -> WorthinessEncoderConfig:
    """Describe a written encoder in `config.json`, and take out what a bundled one has, too.

    That is the tokenizer and the tables of word vectors, if all are the same to the last bit.
    """
    about, model = read_config(bundled), load_graph(folder / _GRAPH)
    of_bundled = load_graph(bundled / _GRAPH).graph
    tables = tables_of(bundled, about, inputs_of(of_bundled))
    division = division_of(of_bundled, tables)
    shared = tables[TABLE]
    sums = {_RULES: checksum_of(folder / _RULES)}
    table = own_table(model.graph)
    assert table is not None  # every graph that `export` writes has one
    whole = shared if division is None else division.whole(shared)
    same = sums[_RULES] == about.sha256[_RULES] and np.array_equal(table, whole)
    if same:
        take_out(model.graph, shared, division)
        take_out_own_rows(model.graph)
        (folder / _RULES).unlink()
        sums |= {file: about.sha256[file] for file in _TABLES if file in about.sha256}
    graph = model.SerializeToString()
    sums[_GRAPH] = hashlib.sha256(graph).hexdigest()
    compressed_files.write(folder / _PACKED, graph)
    (folder / _GRAPH).unlink()
    name = CHINESE_MODEL if words else MODEL
    config = WorthinessEncoderConfig(KIND, name, sums, about.name if same else "", words)
    write_config(folder, asdict(config))
    return config


def _to_learn(
    job: Job, base: _Base, from_drafts: Iterable[LabelledSentence]
) -> list[LabelledSentence]:
    """Return the sentences that are learned from.

    Raises:
        TrainingError: they all cite, or none does.
    """
    learn = [
        sentence
        for sentence in (*read_sentences(job.options.contexts, job.report), *from_drafts)
        if (sentence.whole or base.words) and _is_read(sentence, base.words)
        if not any(name in sentence.document for name in job.options.without)
    ]
    if len({sentence.cited for sentence in learn}) < 2:
        raise TrainingError(
            "sentences that cite and sentences that do not are needed, of documents all of whose"
            " sentences are known; give more --contexts"
        )
    return learn


def _is_read(sentence: LabelledSentence, words: str) -> bool:
    if not words:
        return sentence.language != _CHINESE
    return sentence.language == _CHINESE and is_read(sentence.passage.sentence, words)


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


_SHARED = """
The tokenizer, and the table of word vectors that the graph is given, are those of `{base}`."""
_LOWER = "The lower {layers}\nlayers of `{base}`, trained further"
_CHINESE_LAYERS = f"""\
The lower {{layers}}
layers of `{MODEL}`, trained further above the words of `{{base}}` into which texts are cut first
(`cite_lsp/encode/tokens/chinese.py`)"""
_PARTLY = """
Of drafts every sentence is known, of other documents those in the windows around citation markers,
where citing is far more frequent: there the logit was to be lower by that."""
CARD = Card(
    what="""\
Says of the sentences in a window how much each looks like one that cites. {start}, and
a layer of hidden units on the mean of the states of a sentence's tokens.""",
    data="""\
{sentences:,} sentences, {cited:,} of which cited: {data}.
Markers were taken out, and what they leave behind with them.{partly}""",
    recipe="`{file}`, {settings}.",
    form="""\
`model.onnx.zst`, int8 per channel: token ids, their mask and the weights by which states are
averaged to sentences, to `logits` (windows × sentences).{table}""",
    licence="""\
{licence}: that of the base, whose weights these are, trained further. No text of the data is in
it.""",
    measured="""\
As written, from the logit on that has the best F1 on {chosen_on}:""",
    files=(_PACKED, "config.json"),
)
