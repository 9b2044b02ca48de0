"""A lexicon is learned from a dictionary and from texts in both languages."""

import pytest

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.parallel_texts import GlossaryTerm, ParallelText
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.train.lexicon.zh_lexicon import Settings, learn, read_dictionary
from cite_lsp.train.run.report import TrainingError

TERMS = [
    GlossaryTerm("matter", "目标", "cc-cedict"),
    GlossaryTerm("goal (of an effort)", "目标", "cc-cedict"),
    GlossaryTerm("object", "目标", "cc-cedict"),
    GlossaryTerm("neural network", "神经网络", "d2l-terminology"),
    GlossaryTerm("network", "网络", "cc-cedict"),
    GlossaryTerm("examine", "检测", "cc-cedict"),
    GlossaryTerm("quokka", "短尾矮袋鼠", "cc-cedict"),
    GlossaryTerm("secret", "秘密", "all rights reserved"),
]
PARALLEL = [
    ParallelText("目标检测。", "Object detection."),
    ParallelText("检测。", "Detection."),
    ParallelText("检测网络。", "Detection networks."),
    ParallelText("神经网络。", "Neural networks."),
    ParallelText("目标。", "Objects."),
]
PAPERS = {"p": Paper("p", "Quiet Harbours of the North")}
CONTEXT = Context(left="关于神经网络", right="", language="zh")


def test_texts_decide_which_sense_comes_first() -> None:
    learned = learn(TERMS, PARALLEL, [], {}, Settings(prior=0.5, iterations=20))
    assert learned.senses["目标"][0].english == "object"
    assert learned.senses["检测"][0].english == "detection"


def test_an_expression_of_several_words_stays_one_sense() -> None:
    learned = learn(TERMS, PARALLEL, [], {}, Settings())
    assert learned.senses["神经网络"][0].english == "neural network"


def test_what_the_texts_never_have_keeps_the_senses_of_the_dictionary() -> None:
    learned = learn(TERMS, PARALLEL, [], {}, Settings())
    assert [sense.english for sense in learned.senses["短尾矮袋鼠"]] == ["quokka"]


def test_titles_of_cited_papers_teach_too() -> None:
    row = LabelledContext("c", "d", CONTEXT, ("p",), ())
    learned = learn(TERMS, PARALLEL, [row] * 30, PAPERS, Settings(prior=0.1))
    assert {"quiet", "north"} & {sense.english for sense in learned.senses["神经网络"]}


def test_a_word_that_stood_beside_another_once_is_no_sense_of_it() -> None:
    row = LabelledContext("c", "d", CONTEXT, ("p",), ())
    learned = learn(TERMS, PARALLEL, [row], PAPERS, Settings(prior=0.1))
    assert "north" not in {sense.english for sense in learned.senses["神经网络"]}


def test_glossaries_that_may_not_ship_are_left_out() -> None:
    assert "秘密" not in read_dictionary(TERMS)


def test_notes_in_brackets_are_taken_out() -> None:
    assert read_dictionary(TERMS)["目标"] == ("matter", "goal", "object")


def test_without_an_open_dictionary_or_without_texts_nothing_can_be_learned() -> None:
    with pytest.raises(TrainingError, match="--glossary"):
        learn([], PARALLEL, [], {}, Settings())
    with pytest.raises(TrainingError, match="--parallel"):
        learn(TERMS, [], [], {}, Settings())
