"""In a real Emacs, with eglot and with lsp-mode: completion, code actions, the commands."""

from __future__ import annotations

from tests.editors.emacs import Emacs

SENTENCE = "the training data, until words came to be described by the pieces of spelling they are made of"


def test_words_of_a_title_find_a_paper_and_the_first_is_taken(emacs: Emacs) -> None:
    seen = emacs.play(r"""
        (go-behind "alike, whether labels are plenty or few \\citep{")
        (insert "pretraining adapt")
        (seen "listed" (complete-first))
        (seen "line" (line))
        (seen "status" (cite-lsp-status))
    """)
    assert seen["line"] == r"alike, whether labels are plenty or few \citep{gururangan2020dont}."
