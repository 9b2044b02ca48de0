"""What a text in another language asks for are its words of content, not "der" and "die"."""

from __future__ import annotations

import pytest

from cite_lsp.search.words.function_words import without_function_words
from cite_lsp.search.words.query_words import (
    close_words,
    faded_words,
    query_words,
    words_with_translations,
)
from cite_lsp.search.words.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Die Sprache der Daten wird in der Forschung untersucht.",
         "sprache daten forschung untersucht"),
        ("Les réseaux à mémoire longue ont dominé le domaine.",
         "reseaux memoire longue domine domaine"),
        ("El método se basa en la atención.", "metodo basa atencion"),
        ("Il metodo si basa sulla memoria.", "metodo basa memoria"),
        ("O método não usa a memória da rede.", "metodo usa memoria rede"),
        ("Metoda nie jest oparta na pamięci.", "metoda oparta pamieci"),
        ("Metoda není založena na paměti, ale na síti.", "metoda zalozena pameti siti"),
        ("Этот метод не использует память для обучения.", "метод использует память обучения"),
        ("Bu yöntem bir bellek için gereklidir.", "yontem bellek gereklidir"),
        ("Phương pháp này không được dùng trong mạng.", "phuong phap dung mang"),
    ],
)  # fmt: skip
def test_stop_words_of_other_languages_are_not_required(text: str, content: str) -> None:
    assert " ".join(without_function_words(text, tokenise(text))) == content
    assert set(query_words(text)) == set(faded_words(text, "")) == set(content.split())
    assert words_with_translations(text) == set(close_words(text, "")) == set(content.split())


@pytest.mark.parametrize(
    "text",
    [
        "The cells die in a de novo assembly of la Niña and der Waals forces.",
        "We say that they die.",
        "El Niño",
        "Deep nets win at many tasks, as in the work of van der Berg and de la Cruz.",
        "基于BERT的文本分类",
        "",
    ],
)
def test_english_and_chinese_keep_all_their_words(text: str) -> None:
    assert without_function_words(text, tokenise(text)) == tokenise(text)


def test_a_quotation_in_english_does_not_make_a_german_text_english() -> None:
    text = "Der Satz „attention is all you need“ ist der Titel, und die Arbeit ist bekannt."
    assert "der" not in query_words(text) and "attention" in query_words(text)
