"""`train cross-lingual`: the student that reads Chinese for the default encoder."""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp.cli import UsageError
from cite_lsp.cli.options import add_paths, positive
from cite_lsp.cli.output import Problems, Stages
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import contexts_in, one_line_errors, print_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokenizers import Tokenizer

    from cite_lsp.corpus.bilingual import Parallel, Term
    from cite_lsp.encode import Encoder, Vectors
    from cite_lsp.search.corpus.index import CorpusIndex
    from cite_lsp.train.encoders.static_encoder import TaughtTexts
    from cite_lsp.train.run.card import Origin

RECIPE = "cross-lingual"
TAKES = {
    RECIPE: (
        *("papers", "parallel", "glossary", "without", "abstracts"),
        *("titles", "parallel_sentences", "epochs"),
    )
}
"""The options that it takes beside those of all recipes."""
ABSTRACTS, TITLES, SENTENCES, HELD_OUT = 40_000, 40_000, 20_000, 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that this recipe has beside those of all recipes."""
    group = parser.add_argument_group("cross-lingual student", f"options of {RECIPE}")
    for name, what in (("parallel", "texts in both languages"), ("glossary", "Chinese terms")):
        add_paths(group, f"--{name}", help=what)
    for name, count, what in (
        ("abstracts", ABSTRACTS, "papers with an abstract to learn from"),
        ("parallel-sentences", SENTENCES, "sentences of parallel text"),
    ):
        group.add_argument(
            f"--{name}", type=positive, metavar="N", help=f"{what}, at most ({count:,})"
        )


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the student with its card, and print what it is worth beside its teacher."""
    from cite_lsp.train.run.card import Origin

    if len(options.papers) != 2:
        raise UsageError(
            f"{RECIPE} takes two files with --papers: those to learn from, and those that the"
            " contexts of --dev cite"
        )
    with one_line_errors(options.out) as (stages, problems):
        figures = _train(options, stages, problems, Origin(data, command))
    print_figures(figures, "held out")
    return 0


def _train(
    options: argparse.Namespace, stages: Stages, problems: Problems, origin: Origin
) -> dict[str, dict[str, float]]:
    """Train the student and write it with its card; return what it is worth beside its teacher."""
    from attrs import asdict

    from cite_lsp.evaluate.pool import open_pool
    from cite_lsp.train.encoders import cross_lingual as recipe
    from cite_lsp.train.encoders.cross_lingual_data import term_vectors
    from cite_lsp.train.encoders.cross_lingual_publish import write_student, write_student_card
    from cite_lsp.train.encoders.cross_lingual_task import StudentTask, open_teacher
    from cite_lsp.train.run.checkpoints import CHECKPOINTS, claim, finish

    settings = recipe.Settings(seed=options.seed, **chosen(options, "epochs"))
    dice = random.Random(f"{RECIPE} {options.seed}")
    dev = contexts_in(options.dev, problems)
    texts = _read(options, dice, problems)
    pool = open_pool(options.papers[0], stage=stages.show, report=problems.add)
    asked = open_pool(options.papers[1], stage=stages.show, report=problems.add)
    teacher = open_teacher()
    task = StudentTask.build(texts.held_out, dev, asked, teacher)
    stages.show("words", 0, 0)
    tokenizer, chinese = _vocabulary(texts, settings.words)
    stages.show("senses", 0, 0)
    senses = term_vectors((term for term in texts.terms if term.zh in chinese), teacher)
    papers = _papers(pool, options, dice)
    parts = _gathered(options, texts, papers, senses, tokenizer, teacher, stages)
    kept = options.out / CHECKPOINTS
    claim(kept, recipe.identity(settings, parts, texts.terms, tokenizer, teacher))
    start = recipe.starting_table([*parts.values()], tokenizer, teacher, senses)
    fitted = recipe.fit(
        [*parts.values()],
        start,
        settings,
        kept,
        lambda done, total: stages.show("fitting", done, total),
    )
    stages.show("measuring", 0, 0)
    figures = task.baselines()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / options.out.name
        write_student(scratch, start, tokenizer, teacher=teacher)
        figures["before training"] = task.figures_of(scratch)
    config = write_student(options.out, fitted, tokenizer, teacher=teacher)
    figures["the student"] = task.figures_of(options.out)
    write_student_card(
        options.out,
        config,
        origin,
        figures,
        tokens=tokenizer.get_vocab_size(),
        chinese=len(chinese),
        material={kind: len(part) for kind, part in parts.items()},
        held_out=task.described,
        settings=asdict(settings),
    )
    finish(options.out)
    return figures


@frozen
class _Texts:
    """What was read: parallel texts to learn from and held out, a glossary, Chinese contexts.

    `counts` says how often what is learned from has each Chinese word.
    """

    parallel: Sequence[Parallel]
    held_out: Sequence[Parallel]
    terms: Sequence[Term]
    counts: Mapping[str, int]


def _read(options: argparse.Namespace, dice: random.Random, problems: Problems) -> _Texts:
    from cite_lsp.corpus.bilingual import read_glossary, read_parallel
    from cite_lsp.train.encoders.chinese_vocabulary import count_words

    contexts = contexts_in(options.contexts, problems)
    terms = [term for path in options.glossary for term in read_glossary(path)]
    parallel = [
        text
        for path in options.parallel
        for text in read_parallel(path, problems.add)
        if not any(name in text.source for name in options.without)
    ]
    dice.shuffle(parallel)
    held_out, parallel = parallel[:HELD_OUT], parallel[HELD_OUT:]
    around = (f"{row.context.left} {row.context.right}" for row in contexts)
    counts = count_words([*(text.zh for text in parallel), *around])
    return _Texts(parallel, held_out, terms, counts)


def _vocabulary(texts: _Texts, size: int) -> tuple[Tokenizer, set[str]]:
    """Return the student's tokenizer, and the Chinese words and characters that it has."""
    from cite_lsp.encode.checkpoints import find
    from cite_lsp.train.encoders import chinese_vocabulary as vocabulary

    words = vocabulary.choose_words(texts.counts, openly_licensed(texts.terms), size)
    characters = vocabulary.choose_characters(texts.counts)
    teacher = find("default")[0].folder / "tokenizer.json"
    return vocabulary.extend_tokenizer(teacher, words, characters), {*words, *characters}


def _gathered(
    options: argparse.Namespace,
    texts: _Texts,
    papers: tuple[list[str], Vectors],
    senses: dict[str, Vectors],
    tokenizer: Tokenizer,
    teacher: Encoder,
    stages: Stages,
) -> dict[str, TaughtTexts]:
    """Return what the student learns from, by kind, as it will read it."""
    from cite_lsp.train.data.switched_text import Switch
    from cite_lsp.train.encoders.cross_lingual_data import Material, gather
    from cite_lsp.train.encoders.static_encoder import tokenise

    parallel = _some(texts.parallel, options.parallel_sentences or SENTENCES)
    found = gather(
        Material(parallel, texts.terms, *papers),
        senses,
        Switch.build(texts.terms, texts.counts),
        teacher,
        frozenset(tokenizer.get_vocab()),
        options.seed,
        lambda kind: stages.show(kind, 0, 0),
    )
    return {kind: tokenise(own, where, tokenizer) for kind, (own, where) in found}


def openly_licensed(terms: Sequence[Term]) -> set[str]:
    """Return the Chinese words that an openly licensed glossary has: the vocabulary is shipped."""
    return {term.zh for term in terms if term.source in ("cc-cedict", "d2l-terminology")}


def _some(texts: Sequence[Parallel], count: int) -> list[Parallel]:
    """Take texts until they have about so many sentences."""
    from cite_lsp.corpus.bilingual import sentences

    taken: list[Parallel] = []
    total = 0
    for text in texts:
        if total >= count:
            break
        taken.append(text)
        total += len(sentences(text))
    return taken


def _papers(
    pool: CorpusIndex, options: argparse.Namespace, dice: random.Random
) -> tuple[list[str], Vectors]:
    """Choose papers to learn from by chance; the vectors are those that indexed the pool."""
    import numpy as np

    from cite_lsp.search.corpus.texts import encoder_text

    rows = []
    for wanted, count in (
        (True, options.abstracts or ABSTRACTS),
        (False, options.titles or TITLES),
    ):
        there = np.flatnonzero(np.asarray(pool.has_abstract) == wanted).tolist()
        rows += dice.sample(there, min(count, len(there)))
    rows.sort()
    texts = [encoder_text(pool.paper(row)) for row in rows]
    return texts, pool.vectors.vectors(np.array(rows, dtype=np.int64))
