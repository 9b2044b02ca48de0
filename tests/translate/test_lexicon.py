"""What Chinese words mean: the file, and what is made of a damaged one."""

from pathlib import Path

import pytest

from cite_lsp.translate import lexicon as module
from cite_lsp.translate.lexicon import Lexicon, LexiconError, Sense, write_lexicon

SENSES = {
    "网络": [Sense("network", 0.8), Sense("Internet", 0.125)],
    "神经网络": [Sense("neural network", 0.95)],
}


def test_a_lexicon_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_lexicon(tmp_path, SENSES, ["神经网络"])
    lexicon = Lexicon.open(tmp_path)
    assert sorted(lexicon) == sorted(SENSES) and len(lexicon) == 2
    assert lexicon.senses("网络") == (Sense("network", 0.8), Sense("Internet", 0.125))
    assert lexicon.senses("没有") == ()
    assert lexicon.terms == {"神经网络"}


def test_the_likeliest_sense_stands_first(tmp_path: Path) -> None:
    write_lexicon(tmp_path, {"网络": SENSES["网络"][::-1]}, [])
    assert Lexicon.open(tmp_path).senses("网络")[0].english == "network"


def test_equal_files_have_equal_fingerprints_and_others_not(tmp_path: Path) -> None:
    write_lexicon(tmp_path / "a", SENSES, [])
    write_lexicon(tmp_path / "b", dict(reversed(SENSES.items())), [])
    write_lexicon(tmp_path / "c", {"网络": SENSES["网络"]}, [])
    first, second, third = (Lexicon.open(tmp_path / name).fingerprint for name in "abc")
    assert first == second != third


@pytest.mark.parametrize("content", [None, b"", b"no archive"])
def test_a_damaged_lexicon_says_what_to_do(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        write_lexicon(tmp_path, SENSES, [])
        (tmp_path / module.TABLE).write_bytes(content)
    with pytest.raises(LexiconError, match="reinstall cite-lsp"):
        Lexicon.open(tmp_path)


def test_without_the_lexicon_that_ships_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING", logger="cite_lsp")  # whatever a server of before has set
    monkeypatch.setattr(module, "shipped_model", lambda _: tmp_path / "nothing")
    assert len(module.shipped_lexicon.__wrapped__()) == 0
    assert "Chinese words are not translated" in caplog.text


def test_the_lexicon_that_ships_knows_the_words_of_science() -> None:
    lexicon = module.shipped_lexicon()
    for word, english in {"神经网络": "neural network", "注意力": "attention"}.items():
        assert lexicon.senses(word)[0].english.lower() == english
