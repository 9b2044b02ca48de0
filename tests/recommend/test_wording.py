"""The reasons as a writer reads them, in the language of the draft."""

import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import Reason, Recommendation
from cite_lsp.recommend.wording import describe

KINDS = {
    "key": Reason("key", 1.0, words=("emcee",)),
    "sentence": Reason("sentence", 0.71),
    "named": Reason("named", 1.0),
    "words": Reason("words", 2.0, words=("Object", "Detection")),
    "co-cited": Reason("co-cited", 0.52, papers=("Ren et al. 2015",)),
    "cited-like": Reason("cited-like", 0.5, words=("目标检测的方法",)),
    "filed": Reason("filed", 1.0, papers=("Ren et al. 2015",)),
    "cited-by": Reason("cited-by", 12.0),
    "cited-here": Reason("cited-here", 2.0),
    "cited-elsewhere": Reason("cited-elsewhere", 1.0),
    "other-draft": Reason("other-draft", 0.5, words=("Birds of the Shore",)),
    "mp-bert4cr": Reason("mp-bert4cr", 0.5),
    "blsrec": Reason("blsrec", 0.5),
    "phase-1": Reason("phase-1", 0.5),
    "phase-2": Reason("phase-2", 0.712, papers=("Ren et al. 2015",)),
    "near-cited": Reason("near-cited", 0.6, papers=("Ren et al. 2015",)),
    "section-words": Reason("section-words", 2.0, words=("Methods", "Object", "Detection")),
    "section-words untitled": Reason("section-words", 1.0, words=("", "Object")),
}


def recommended(*reasons: Reason, corpus: str = "", language: str = "en") -> Recommendation:
    return Recommendation(Paper("p", "Title"), 0.5, None, reasons, corpus, language=language)


@pytest.mark.parametrize("kind", KINDS)
def test_every_reason_is_worded_in_chinese(kind: str) -> None:
    line = describe(recommended(KINDS[kind], language="zh"))
    bare = line
    for own in (*KINDS[kind].words, *KINDS[kind].papers):
        bare = bare.replace(own, "")
    assert bare and not any(letter.isascii() and letter.isalpha() for letter in bare)


def test_a_line_in_chinese_has_chinese_marks() -> None:
    reasons = KINDS["sentence"], KINDS["words"]
    line = describe(recommended(*reasons, corpus="acl", language="zh"))
    assert line == ("标题与本句共有词语“Object”、“Detection”；来自语料库 acl，尚未加入文献库")


@pytest.mark.parametrize("language", ["en", "de", ""])
def test_a_draft_in_any_other_language_has_its_reasons_in_english(language: str) -> None:
    line = describe(recommended(KINDS["cited-here"], language=language))
    assert line == "cited twice in this section"


def test_without_a_reason_the_paper_is_just_there() -> None:
    assert describe(recommended()) == "no single reason stands out"
    assert describe(recommended(language="zh")) == "没有特别突出的理由"


def test_a_draft_is_named_by_the_beginning_of_its_title() -> None:
    long = Reason(
        "other-draft", 0.5, words=("A Long Title on the Birds of the Shore and How They Nest",)
    )
    assert describe(recommended(KINDS["other-draft"])) == "cited in your draft “Birds of the Shore”"
    assert describe(recommended(long)) == (
        "cited in your draft “A Long Title on the Birds of the Shore and How…”"
    )


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (KINDS["sentence"], "similar to the text here"),
        (KINDS["phase-1"], "near to the text here (phase 1: 0.50)"),
        (KINDS["phase-2"], "near to Ren et al. 2015, which this section cites (phase 2: 0.71)"),
        (KINDS["co-cited"], "similar to Ren et al. 2015, which this section cites"),
        (KINDS["cited-like"], "you cite it in a similar passage: “…目标检测的方法”"),
        (KINDS["filed"], "next to Ren et al. 2015 in your bibliography, which you cite nearby"),
        (KINDS["cited-by"], "cited by 12 papers that cite-lsp knows of"),
        (Reason("precedent", 1.0), "others cite it in similar passages"),
        (KINDS["near-cited"], "similar to Ren et al. 2015, which you cite"),
        (
            KINDS["section-words"],
            "shares “Object” and “Detection” with your section “Methods”",
        ),
        (KINDS["section-words untitled"], "shares “Object” with your text"),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_a_reason_says_what_is_similar_to_what(reason: Reason, line: str) -> None:
    assert describe(recommended(reason)) == line


def test_a_paper_of_a_corpus_is_said_not_to_be_in_the_library() -> None:
    assert describe(recommended(corpus="acl")) == "from the corpus “acl”, not in your library"


@pytest.mark.parametrize(
    ("place", "line", "in_chinese"),
    [
        (1, "closest in your library to the text here", "文献库中与此处文字最接近"),
        (2, "second closest in your library to the text here", "文献库中与此处文字第二接近"),
        (3, "third closest in your library to the text here", "文献库中与此处文字第三接近"),
    ],
)
def test_that_the_text_is_similar_is_a_reason_of_the_closest_papers(
    place: int, line: str, in_chinese: str
) -> None:
    reasons = Reason("sentence", 0.71, place=place), KINDS["cited-here"]
    assert describe(recommended(*reasons)) == f"{line}; cited twice in this section"
    assert describe(recommended(*reasons, language="zh")) == f"{in_chinese}；本节已引用 2 次"
    of_corpus = describe(recommended(*reasons, corpus="acl"))
    assert of_corpus.startswith(line.replace("your library", "the corpus"))


def test_of_others_it_is_named_only_where_no_other_reason_is() -> None:
    assert describe(recommended(KINDS["sentence"], KINDS["named"])) == (
        "its author is named in the sentence"
    )
    assert describe(recommended(KINDS["sentence"])) == "similar to the text here"
    assert describe(recommended(KINDS["sentence"], language="zh")) == "与此处文字相近"
