"""The words that Chinese is cut into: cut as jieba does, kept in a file, terms added."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.train.lexicon.zh_words import dictionary_counts, main
from cite_lsp.translate import unigrams as module
from cite_lsp.translate.lexicon import shipped_lexicon
from cite_lsp.translate.unigrams import (
    FILE,
    Unigrams,
    UnigramsError,
    shipped_unigrams,
    write_unigrams,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # old escapes in its source, pkg_resources
    import jieba

COUNTS = {"海鸥": 30, "海": 90, "鸥": 10, "的": 900, "海鸥巢穴": 1, "穴": 5}
WORDS = sorted(word for word in dictionary_counts() if "一" <= word[0] <= "龥")


@cache
def shipped() -> Unigrams:
    return shipped_unigrams(shipped_lexicon().terms)


@cache
def reference() -> jieba.Tokenizer:
    """Return jieba with the same terms, without the file that it would write for everyone."""
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ = tokenizer.gen_pfdict(tokenizer.get_dict_file())[0]
    tokenizer.total = sum(tokenizer.FREQ.values())
    tokenizer.initialized = True
    for term in shipped_lexicon().terms:
        if not tokenizer.FREQ.get(term):
            tokenizer.add_word(term, 2000)
    return tokenizer


@given(
    st.lists(
        st.sampled_from(WORDS)
        | st.sampled_from(sorted(shipped_lexicon().terms))
        | st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), max_size=4),
        max_size=20,
    )
)
def test_text_is_cut_as_jieba_does(parts: list[str]) -> None:
    run = "".join(parts)
    assert shipped().cut(run) == reference().lcut(run, HMM=False)


def test_the_words_that_ship_are_those_of_jieba() -> None:
    assert shipped_unigrams().counts == dictionary_counts()


def test_the_likeliest_words_are_taken_together() -> None:
    words = Unigrams(COUNTS)
    assert words.cut("海鸥的巢穴") == ["海鸥", "的", "巢", "穴"]
    assert words.cut("海鸥巢穴") == ["海鸥巢穴"]
    assert words.cut("") == []


def test_a_term_stays_whole() -> None:
    assert Unigrams(COUNTS).cut("拓扑的海") == ["拓", "扑", "的", "海"]
    assert Unigrams(COUNTS, ["拓扑"]).cut("拓扑的海") == ["拓扑", "的", "海"]


def test_words_come_back_as_they_were_written(tmp_path: Path) -> None:
    write_unigrams(tmp_path / "words", COUNTS)
    assert Unigrams.open(tmp_path / "words").counts == COUNTS


def test_the_command_writes_what_ships(tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path)]) == 0
    assert Unigrams.open(tmp_path).counts == shipped_unigrams().counts
    assert main(["--out", str(tmp_path / FILE)]) == 1


@pytest.mark.parametrize("content", [None, b"", b"no archive"])
def test_damaged_words_say_what_to_do(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(UnigramsError, match="reinstall cite-lsp"):
        Unigrams.open(tmp_path)


def test_without_the_words_that_ship_characters_are_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING", logger="cite_lsp")  # whatever a server of before has set
    monkeypatch.setattr(module, "shipped_model", lambda _: tmp_path / "nothing")
    assert shipped_unigrams(["引文"]).cut("海鸥引文") == ["海", "鸥", "引文"]
    assert "Chinese is not cut into words" in caplog.text
