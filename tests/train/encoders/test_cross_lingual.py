"""The student of Chinese: its vocabulary, its start, and that it learns where its teacher is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.corpus.parallel_texts import GlossaryTerm, ParallelText
from cite_lsp.encode import Vectors
from cite_lsp.encode.kinds.static import StaticEncoder
from cite_lsp.encode.tokens.chinese import spaced
from cite_lsp.paper import Paper
from cite_lsp.train.encoders.chinese_vocabulary import choose_characters, extend_tokenizer
from cite_lsp.train.run.report import TrainingError

BASE = Path(__file__).parents[3] / "model_zoo" / "all-MiniLM-L6-v2" / "tokenizer.json"
MEANING = {"潮汐": "tide", "海鸥": "gull", "沼泽": "marsh", "沙丘": "dune"}
TERMS = [GlossaryTerm(english, chinese, "cc-cedict") for chinese, english in MEANING.items()]


class Teacher:
    """Knows four words; what a text says of them is all that it sees."""

    name, dimensions, fingerprint, checkpoint = "teacher", 5, "teacher-1", "teacher"

    def encode(self, texts: Sequence[str], **options: object) -> Vectors:
        vectors = np.full((len(texts), self.dimensions), 0.05, dtype=np.float32)
        for row, text in enumerate(texts):
            for place, word in enumerate(MEANING.values()):
                vectors[row, place] += word in text.split()
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def pairs(count: int) -> list[ParallelText]:
    rng = random.Random(7)
    chosen = [rng.sample(sorted(MEANING), 2) for _ in range(count)]
    return [
        ParallelText(
            "我们研究" + "和".join(two), "we study " + " and ".join(MEANING[w] for w in two)
        )
        for two in chosen
    ]


def test_chinese_words_stay_whole_and_english_is_cut_as_before() -> None:
    from tokenizers import Tokenizer

    tokenizer = extend_tokenizer(BASE, ["潮汐"], list("海鸥潮"))
    before = Tokenizer.from_file(str(BASE))
    text = "a gull above the saltmarsh"
    assert tokenizer.encode(text).ids == before.encode(text).ids
    tokens = tokenizer.encode(
        spaced("潮汐，海鸥", {"潮汐", "海鸥"}), add_special_tokens=False
    ).tokens
    assert tokens == ["潮汐", "海", "##鸥"]


def test_a_word_that_the_vocabulary_lacks_is_cut_into_those_that_it_has() -> None:
    assert spaced("海鸥和潮汐", {"海鸥", "潮汐"}) == "海鸥 和 潮汐"
    assert spaced("标准模型", {"标准", "模型"}) == "标准 模型"
    assert spaced("标准模型 BERT", {"模型"}) == "标 准 模型 BERT"


@pytest.mark.torch
def test_the_student_learns_where_the_teacher_puts_texts(tmp_path: Path) -> None:
    from cite_lsp.train.data.code_switching import CodeSwitcher
    from cite_lsp.train.encoders import cross_lingual as recipe
    from cite_lsp.train.encoders.cross_lingual import write_student
    from cite_lsp.train.encoders.cross_lingual_data import (
        ChineseWords,
        Material,
        gather,
        term_vectors,
    )
    from cite_lsp.train.encoders.static_encoder import Settings, fit, tokenise

    teacher = Teacher()
    senses = term_vectors(TERMS, teacher)
    tokenizer = extend_tokenizer(BASE, sorted(MEANING), choose_characters(Counter())[:50])
    vocabulary = frozenset(tokenizer.get_vocab())
    papers = ["tide above dune", "gull in marsh"]
    material = Material(pairs(300), TERMS, papers, teacher.encode(papers))
    words = ChineseWords(senses, CodeSwitcher.build(TERMS, {}))
    parts = [
        tokenise(texts, vectors, tokenizer)
        for _, (texts, vectors) in gather(material, words, teacher, vocabulary, seed=3)
    ]
    start = recipe.starting_table(parts, tokenizer, teacher, senses)
    chance = np.random.default_rng(1).normal(0, 0.3, start.shape).astype(np.float32)
    settings = Settings(epochs=30, batch=50, learning_rate=0.05)
    fitted = fit(parts, chance, settings, sparse=True)

    held_out = pairs(40)
    wanted = teacher.encode([pair.en for pair in held_out])
    agreement = {}
    for name, table in (("start", start), ("chance", chance), ("fitted", fitted)):
        write_student(tmp_path / name, table, tokenizer, teacher=teacher)
        made = StaticEncoder(tmp_path / name).encode([pair.zh for pair in held_out])
        agreement[name] = float((made * wanted).sum(axis=1).mean())
    assert agreement["start"] > 0.9 and agreement["fitted"] > 0.9 > agreement["chance"] + 0.3


@pytest.mark.torch
def test_a_task_without_contexts_that_cite_its_papers_is_refused(tmp_path: Path) -> None:
    from cite_lsp.corpus.contexts import context_from_record
    from cite_lsp.search.indexing.build import build_corpus
    from cite_lsp.train.encoders.cross_lingual_task import StudentTask
    from cite_lsp.train.encoders.cross_lingual_task import Teacher as Original

    teacher = Original(Teacher())
    pool = build_corpus(tmp_path / "pool", [Paper("tide", "On the tide")], Teacher())
    strange, own = (
        context_from_record({"context_id": "c", "left": "潮汐", "cited": [name]})
        for name in ("unknown", "tide")
    )
    task = StudentTask.build(pairs(2), [strange, own], pool, teacher)
    assert task.cited == ((0,),)
    for texts, rows in ((pairs(2), [strange]), ([], [own])):
        with pytest.raises(TrainingError, match="nothing to measure on"):
            StudentTask.build(texts, rows, pool, teacher)
