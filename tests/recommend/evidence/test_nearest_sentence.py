"""The sentence of an abstract that is nearest to what a writer says."""

from cite_lsp.paper import Paper
from cite_lsp.recommend.evidence.cited_elsewhere import abstract_sentence, nearest_sentence
from tests.recommend.two_sides import TwoSides

ABSTRACT = "Marshes keep pace with the sea.  Storms take their\n edge away. We measure both."


COLD = TwoSides(lambda text: "ice" in text or "winter" in text)


def test_without_an_encoder_words_decide_and_with_one_the_meaning() -> None:
    sentences = ["Summer is long.", "The ice is thick.", "A winter tale is long."]
    assert nearest_sentence(sentences, "How long is summer?", None) == 0
    assert nearest_sentence(sentences, "The winter", COLD) in (1, 2)
    assert nearest_sentence(sentences, "", COLD) == 0


def test_the_abstract_is_quoted_as_it_is_shown() -> None:
    paper = Paper("1", "Marshes", abstract=ABSTRACT.replace("Storms", "\\emph{Storms}"))
    assert abstract_sentence(paper, "The edge is taken by storms.", None) == (
        "Storms take their edge away."
    )


def test_there_has_to_be_something_to_choose_from_and_to_choose_by() -> None:
    assert abstract_sentence(Paper("1", "T", abstract=ABSTRACT), "", None) == ""
    assert abstract_sentence(Paper("1", "T", abstract="Marshes."), "Marshes", None) == ""
    assert abstract_sentence(Paper("1", "T"), "Marshes", None) == ""
