"""Which of the chosen methods ranks for a context."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from cite_lsp.manuscript import Context
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.published import cross_language
from cite_lsp.recommend.published.methods import NO_METHODS, REGISTRY, MethodChoice, Methods
from cite_lsp.server.config.options import METHODS
from tests.recommend.shores import TopicEncoder

ENGLISH, CHINESE = Context(left="On the tide", right=""), Context("潮汐", "", language="zh")


def chosen(*names: str) -> Methods:
    return Methods(MethodChoice(names))


def test_the_settings_name_the_methods_that_there_are() -> None:
    assert METHODS == ("default", *REGISTRY)


@pytest.mark.parametrize("name", REGISTRY)
def test_a_method_bears_the_name_it_is_chosen_by(name: str) -> None:
    methods = chosen(name)
    (method,) = filter(None, (methods.of(ENGLISH), methods.of(CHINESE)))
    assert method.name == name


def test_the_default_method_is_none() -> None:
    assert not NO_METHODS and not chosen("default")
    assert NO_METHODS.of(ENGLISH) is NO_METHODS.of(CHINESE) is None


def test_a_language_without_a_method_has_the_default_one_which_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    methods = chosen("two-phase")
    assert methods.of(ENGLISH) is not None
    with caplog.at_level(logging.WARNING):
        assert methods.of(CHINESE) is methods.of(CHINESE) is None
    (record,) = caplog.records
    assert "two-phase" in record.getMessage() and "Chinese" in record.getMessage()


def test_each_language_of_a_draft_has_its_own_method() -> None:
    methods = chosen("blsrec-2", "two-phase", "mp-bert4cr")
    english, chinese = methods.of(ENGLISH), methods.of(CHINESE)
    assert english is not None and english.name == "two-phase"
    assert chinese is not None and chinese.name == "blsrec-2"


def test_without_its_model_a_method_gives_way_to_the_default_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cross_language, "shipped_model", lambda name: tmp_path / name)
    methods = chosen("blsrec-1")
    methods.prepare(LibraryPapers(Pool([])), TopicEncoder())
    assert methods.of(CHINESE) is None and "train it again" in caplog.text


def test_an_english_sentence_of_a_chinese_draft_has_the_method_of_english() -> None:
    context = Context("潮汐由月球引起。The tide rises twice a day", ".", language="zh")
    method = chosen("blsrec-2", "two-phase").of(context)
    assert method is not None and method.name == "two-phase"


def test_of_several_for_a_language_the_first_one_counts() -> None:
    assert chosen("default", "two-phase").of(ENGLISH) is None
    method = chosen("two-phase", "default").of(ENGLISH)
    assert method is not None and method.name == "two-phase"
