"""Recipe `cross-lingual`: a student that puts Chinese texts where the teacher puts English ones.

Multilingual distillation (Reimers & Gurevych, "Making monolingual sentence embeddings multilingual
using knowledge distillation", EMNLP 2020) into a static encoder: a table of the vectors of Chinese
words beside those of the teacher's own word pieces, so that a text costs no more than looking its
words up. A word's row starts as the mean of the teacher's vectors of its English senses; then all
rows are fitted to texts whose meaning is known in English (`train/encoders/cross_lingual_data.py`).
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray
from tokenizers import Tokenizer

from cite_lsp.corpus.parallel_texts import (
    GlossaryTerm,
    ParallelText,
    read_glossary,
    read_parallel,
    sentences,
)
from cite_lsp.encode.checkpoints import checksum_of, find
from cite_lsp.encode.encoder import Encoder, Vectors
from cite_lsp.encode.kinds.static import KIND, STATIC_FILES, StaticConfig, write_table
from cite_lsp.encode.tokens.chinese import CHINESE
from cite_lsp.language import has_han
from cite_lsp.option_types import OptionGroup, positive
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.train.data.code_switching import CodeSwitcher
from cite_lsp.train.encoders import chinese_vocabulary as vocabulary
from cite_lsp.train.encoders.chinese_vocabulary import CONTINUED
from cite_lsp.train.encoders.cross_lingual_data import ChineseWords, Material, gather, term_vectors
from cite_lsp.train.encoders.cross_lingual_task import StudentTask, open_teacher
from cite_lsp.train.encoders.static_encoder import SIF, Settings, TaughtTexts, fit, tokenise
from cite_lsp.train.run.card import Card, settings_line, write_config
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, OptionError

NAME = "cross-lingual"
TAKES = (*DATA, "parallel", "glossary", "without", "epochs")

WORDS = 22_000
"""Chinese words of the vocabulary, at most."""
ABSTRACTS, TITLES, SENTENCES, HELD_OUT = 40_000, 40_000, 20_000, 200
MAX_TOKENS = 256
"""Where the finished encoder cuts texts."""
LICENCE = "CC-BY-SA-3.0"
_UNKNOWN = 0.01
"""Standard deviation of the numbers in the row of a token of which nothing is known."""
SETTINGS = Settings(batch=768, learning_rate=2e-3)
"""How the table is fitted."""


def add_arguments(group: OptionGroup) -> None:
    """Declare the options that this recipe has beside those of several."""
    for name, count, description in (
        ("abstracts", ABSTRACTS, "papers with an abstract to learn from"),
        ("titles", TITLES, "papers without an abstract to learn from"),
        ("parallel-sentences", SENTENCES, "sentences of parallel text"),
    ):
        group.add_argument(
            f"--{name}", type=positive, metavar="N", help=f"{description}, at most ({count:,})"
        )


def run(job: Job) -> list[Figures]:
    """Train, write the student with its card; returns what it is worth beside its teacher."""
    if len(job.options.papers) != 2:
        raise OptionError(
            f"{NAME} takes two files with --papers: those to learn from, and those that the"
            " contexts of --dev cite"
        )
    settings = job.settings(SETTINGS)
    rng = random.Random(f"{NAME} {job.seed}")
    dev = job.contexts(job.options.dev)
    texts = _read(job, rng)
    pool, cited_pool = (job.open_pool(path) for path in job.options.papers)
    teacher = open_teacher()
    task = StudentTask.build(texts.held_out, dev, cited_pool, teacher)
    job.progress("words", 0, 0)
    tokenizer, chinese = _vocabulary(texts)
    job.progress("senses", 0, 0)
    senses = term_vectors((term for term in texts.terms if term.zh in chinese), teacher)
    papers = _papers(pool, job, rng)
    parts = _gathered(job, texts, papers, senses, tokenizer, teacher)
    start = starting_table([*parts.values()], tokenizer, teacher, senses)
    fitted = fit(
        [*parts.values()],
        start,
        settings,
        partial(job.progress, "fitting"),
        sparse=True,
    )
    job.progress("measuring", 0, 0)
    rows = task.baselines()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / job.out.name
        write_student(scratch, start, tokenizer, teacher=teacher)
        rows["before training"] = task.figures_of(scratch)
    config = write_student(job.out, fitted, tokenizer, teacher=teacher)
    rows["the student"] = task.figures_of(job.out)
    material = {kind: len(part) for kind, part in parts.items()}
    return CARD.write(
        job.out,
        job.origin,
        [Figures(rows, heading="encoder")],
        **asdict(config),
        tokens=tokenizer.get_vocab_size(),
        chinese=len(chinese),
        material=", ".join(f"{count:,} {kind}" for kind, count in material.items()),
        held_out=task.described,
        settings=settings_line(asdict(settings)),
    )


@frozen
class _Texts:
    """What was read: parallel texts to learn from and held out, a glossary, Chinese contexts.

    `counts` says how often what is learned from has each Chinese word.
    """

    parallel: Sequence[ParallelText]
    held_out: Sequence[ParallelText]
    terms: Sequence[GlossaryTerm]
    counts: Mapping[str, int]


def _read(job: Job, rng: random.Random) -> _Texts:
    options = job.options
    terms = [term for path in options.glossary for term in read_glossary(path)]
    parallel = [
        text
        for path in options.parallel
        for text in read_parallel(path, job.report)
        if not any(name in text.source for name in options.without)
    ]
    rng.shuffle(parallel)
    held_out, parallel = parallel[:HELD_OUT], parallel[HELD_OUT:]
    contexts = (row.context for row in job.contexts(options.contexts))
    around = (f"{context.left} {context.right}" for context in contexts)
    counts = vocabulary.count_words([*(text.zh for text in parallel), *around])
    return _Texts(parallel, held_out, terms, counts)


def _vocabulary(texts: _Texts) -> tuple[Tokenizer, set[str]]:
    glossary_words = vocabulary.openly_licensed(texts.terms)
    words = vocabulary.choose_words(texts.counts, glossary_words, WORDS)
    characters = vocabulary.choose_characters(texts.counts)
    teacher = find("default")[0].folder / "tokenizer.json"
    return vocabulary.extend_tokenizer(teacher, words, characters), {*words, *characters}


def _papers(pool: CorpusIndex, job: Job, rng: random.Random) -> tuple[list[str], Vectors]:
    """Choose papers to learn from by chance; the vectors are those that indexed the pool."""
    rows = []
    for with_abstract, count in (
        (True, job.options.abstracts or ABSTRACTS),
        (False, job.options.titles or TITLES),
    ):
        matching = np.flatnonzero(np.asarray(pool.has_abstract) == with_abstract).tolist()
        rows += rng.sample(matching, min(count, len(matching)))
    rows.sort()
    texts = [encoder_text(pool.paper(row)) for row in rows]
    return texts, pool.vectors.vectors(np.array(rows, dtype=np.int64))


def _gathered(
    job: Job,
    texts: _Texts,
    papers: tuple[list[str], Vectors],
    senses: dict[str, Vectors],
    tokenizer: Tokenizer,
    teacher: Encoder,
) -> dict[str, TaughtTexts]:
    parallel = _some(texts.parallel, job.options.parallel_sentences or SENTENCES)
    material = gather(
        Material(parallel, texts.terms, *papers),
        ChineseWords(senses, CodeSwitcher.build(texts.terms, texts.counts)),
        teacher,
        frozenset(tokenizer.get_vocab()),
        job.seed,
        lambda kind: job.progress(kind, 0, 0),
    )
    return {kind: tokenise(part, where, tokenizer) for kind, (part, where) in material}


def _some(texts: Sequence[ParallelText], count: int) -> list[ParallelText]:
    """Take texts until they have about so many sentences."""
    sample: list[ParallelText] = []
    total = 0
    for text in texts:
        if total >= count:
            break
        sample.append(text)
        total += len(sentences(text))
    return sample


def starting_table(
    parts: Sequence[TaughtTexts],
    tokenizer: Tokenizer,
    teacher: Encoder,
    words: Mapping[str, Vectors],
) -> Vectors:
    """Return the untrained table, shape (tokens, dimensions).

    `words` are the vectors of Chinese words by their senses. A character that is no word starts as
    the mean of the words that it stands in, any other token as next to nothing. Every row is scaled
    by a / (a + p(token)) (SIF).
    """
    size = tokenizer.get_vocab_size()
    names = [tokenizer.id_to_token(number) or "" for number in range(size)]
    counts = sum(np.bincount(part.tokens, minlength=size) for part in parts) + np.zeros(size)
    table = np.zeros((size, teacher.dimensions), dtype=np.float32)
    latin = [number for number in range(size) if counts[number] and not has_han(names[number])]
    table[latin] = teacher.encode([names[number].removeprefix(CONTINUED) for number in latin])
    inside: dict[str, list[Vectors]] = {}
    for word, vector in words.items():
        for character in set(word):
            inside.setdefault(character, []).append(vector)
    for number, name in enumerate(names):
        if not has_han(name):
            continue
        word = name.removeprefix(CONTINUED)
        if word in words:
            table[number] = words[word]
        else:
            vectors_by_part = [
                [words[part]] if part in words else inside.get(part) for part in word
            ]
            means = [np.mean(vectors, axis=0) for vectors in vectors_by_part if vectors is not None]
            if means:
                table[number] = np.mean(means, axis=0)
    unknown = ~table.any(axis=1)  # a text of nothing but zeros has no direction to learn from
    noise = np.random.default_rng(teacher.dimensions).normal(0, _UNKNOWN, table.shape)
    table[unknown] = noise[unknown]
    weights = SIF / (SIF + counts / max(counts.sum(), 1))
    return np.asarray(table * weights[:, None], dtype=np.float32)


def write_student(
    out: Path, table: NDArray[np.floating], tokenizer: Tokenizer, *, teacher: Encoder
) -> StaticConfig:
    """Write `model.safetensors`, `tokenizer.json` and `config.json` to `out`.

    Raises:
        OSError: it cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_table(out / STATIC_FILES[0], table, int8=True)
    (out / STATIC_FILES[1]).write_text(tokenizer.to_str() + "\n", encoding="utf-8")
    config = StaticConfig(
        kind=KIND,
        name=out.name,
        dimensions=table.shape[1],
        max_tokens=MAX_TOKENS,
        sha256={name: checksum_of(out / name) for name in STATIC_FILES},
        teacher=teacher.fingerprint,
        licence=LICENCE,
        words=CHINESE,
    )
    write_config(out, asdict(config))
    return config


CARD = Card(
    what="""\
Reads Chinese for the default encoder: puts a Chinese text, or one of both languages, where
`{teacher}` puts its English translation. A static encoder: the text is cut into words, their
vectors are added and made unit length. {dimensions} dimensions, {tokens:,} tokens, of which
{chinese:,} are Chinese words and characters; texts cut at {max_tokens} tokens; numpy alone runs
it.""",
    data="{data}",
    recipe="`{file}` (Reimers & Gurevych 2020, into a static encoder), {settings}.",
    points={
        "Material": "{material}.",
        "Vocabulary": """\
that of the teacher, and Chinese words of [CC-CEDICT](https://cc-cedict.org/) (CC BY-SA 3.0) and of
[jieba](https://github.com/fxsjy/jieba)'s dictionary (MIT).""",
    },
    form="""\
safetensors: `embeddings`, int8, tokens × {dimensions}, and `scales`, float16, the number that each
row is multiplied by.""",
    licence="""\
CC BY-SA 3.0, for the words of CC-CEDICT. No text of the other data is in it: the table holds one
vector a token.""",
    measured="On texts that it has not seen ({held_out}):",
    files=(*STATIC_FILES, "config.json"),
)
