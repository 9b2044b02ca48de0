"""The sentence of an abstract that is nearest to what a writer says."""

from collections.abc import Callable, Sequence

import numpy as np

from cite_lsp.encode import Vectors
from cite_lsp.paper import Paper
from cite_lsp.recommend.evidence.nearest_sentence import abstract_sentence, nearest_sentence

ABSTRACT = "Marshes keep pace with the sea.  Storms take their\n edge away. We measure both."


class ColdEncoder:
    """To it what is cold is alike."""

    name = fingerprint = checkpoint = "cold"
    dimensions = 2

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Vectors:
        cold = [float("ice" in text or "winter" in text) for text in texts]
        return np.array([[each, 1 - each] for each in cold], dtype=np.float32)


def test_without_an_encoder_words_decide_and_with_one_the_meaning() -> None:
    sentences = ["Summer is long.", "The ice is thick.", "A winter tale is long."]
    assert nearest_sentence(sentences, "How long is summer?", None) == 0
    assert nearest_sentence(sentences, "The winter", ColdEncoder()) in (1, 2)
    assert nearest_sentence(sentences, "", ColdEncoder()) == 0


def test_the_abstract_is_quoted_as_it_is_shown() -> None:
    paper = Paper("1", "Marshes", abstract=ABSTRACT.replace("Storms", "\\emph{Storms}"))
    assert abstract_sentence(paper, "The edge is taken by storms.", None) == (
        "Storms take their edge away."
    )


def test_there_has_to_be_something_to_choose_from_and_to_choose_by() -> None:
    assert abstract_sentence(Paper("1", "T", abstract=ABSTRACT), "", None) == ""
    assert abstract_sentence(Paper("1", "T", abstract="Marshes."), "Marshes", None) == ""
    assert abstract_sentence(Paper("1", "T"), "Marshes", None) == ""
