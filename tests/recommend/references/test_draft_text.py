"""What a draft says as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.manuscript import Context, Document, parse
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import (
    MOST_PASSAGES,
    PASSAGE_WORDS,
    DraftText,
    SectionPassage,
    query_of,
    rarities,
    text_of_context,
    text_of_document,
)
from tests.recommend.references.conftest import ROW
from tests.recommend.shores import TopicEncoder


def text_of(text: str, kind: str = "markdown") -> DraftText:
    return text_of_document(Document((parse(text, kind),)), "en")


def test_title_abstract_and_authors_come_from_the_front_matter() -> None:
    text = text_of("---\ntitle: On tides\nabstract: They rise.\nauthor: Ada Moor\n---\n")
    assert (text.title, text.abstract, text.authors) == ("On tides", "They rise.", ("Ada Moor",))
    assert text.summary == "On tides. They rise." and text.head == "On tides"


def test_a_section_is_cut_into_passages_without_its_citations() -> None:
    words = " ".join(f"word{number}" for number in range(PASSAGE_WORDS + 20))
    text = text_of(f"# Method\n\n{words} [@moor2001]\n")
    assert [passage.section for passage in text.passages] == ["Method", "Method"]
    assert text.passages[0].text.split()[-1] == f"word{PASSAGE_WORDS - 1}"
    assert "moor2001" not in text.passages[1].text


def test_of_a_long_draft_passages_are_spread_over_all_of_it() -> None:
    section = (
        "# Part {}\n\n" + "some words of a part that is long enough to say anything at all\n\n"
    )
    text = text_of("".join(section.format(number) for number in range(3 * MOST_PASSAGES)))
    assert len(text.passages) == MOST_PASSAGES
    assert text.passages[1].section == "Part 3"


def test_a_draft_that_is_just_begun_says_what_its_short_sections_say() -> None:
    text = text_of("# Tides\n\nTides rise.\n\n# Birds\n\nGulls nest [@moor2001].\n")
    assert [(passage.section, passage.text) for passage in text.passages] == [
        ("Tides", "Tides rise."),
        ("Birds", "Gulls nest."),
    ]
    long = "Marshes grow where silt settles between the stems of plants in all of the years."
    begun = text_of(f"# Tides\n\nTides rise.\n\n# Marshes\n\n{long}\n")
    assert [passage.section for passage in begun.passages] == ["Marshes"]


def test_without_a_title_the_first_passage_heads() -> None:
    prose = "A dozen words or so are what it takes to be read as a passage."
    text = text_of(f"\\section{{One}}\n{prose}\n", "latex")
    assert text.title.startswith("A dozen words") and text.abstract == ""
    titled = text_of("---\ntitle: On tides\n---\n# One\n\n" + "Marshes grow on silt " * 5)
    assert titled.abstract.startswith("Marshes grow")


def test_acknowledgements_are_no_passage() -> None:
    text = text_of("# Acknowledgements\n\n" + "We thank all who have helped us with it " * 3)
    assert text.passages == ()


def test_words_that_are_always_capitalised_may_be_names() -> None:
    prose = "Then Moor's tide rose, as Müller and van Luz say; then the Tide fell with the tide."
    assert text_of(f"# One\n\n{prose}\n").names == {"moor", "muller", "luz"}


def test_of_a_context_title_abstract_year_and_authors_are_known() -> None:
    context = Context("", "", title="On tides", abstract="They rise.", year=2001)
    text = text_of_context(context, ("Ada Moor",))
    assert (text.summary, text.year) == ("On tides. They rise.", 2001)
    assert text.authors == ("Ada Moor",) and text.passages == ()


def test_newer_documents_and_the_draft_itself_are_not_known(graph: CitationGraph) -> None:
    assert query_of(DraftText("Tides"), None, (), graph).known_documents.tolist() == [1, 1, 1]
    of_2004 = query_of(DraftText("Tides", year=2004), None, (), graph, draft_row=ROW["dune"])
    assert of_2004.known_documents.tolist() == [1, 0, 0]


def test_summary_and_passages_are_encoded_and_words_counted() -> None:
    text = DraftText("Tide", "Marsh", (SectionPassage("Gull", "dune dune"),))
    query = query_of(text, TopicEncoder(), [3, 1, 3])
    assert query.vectors is not None and query.vectors.shape == (2, 5)
    assert query.vectors[1].argmax() == 3
    assert query.passages[0]["dune"] == 2 and query.cited.tolist() == [1, 3]
    assert query_of(text, None).vectors is None


def test_encoding_is_given_up_when_it_is_cancelled() -> None:
    class Slow(TopicEncoder):
        def encode(self, texts, *, cancelled=None):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            if cancelled and cancelled():
                raise Cancelled
            return super().encode(texts)

    with pytest.raises(Cancelled):
        query_of(DraftText("Tide"), Slow(), cancelled=lambda: True)


def test_a_name_that_few_bear_says_more() -> None:
    names = np.array([5, 5, 5, 7, 9], dtype=np.uint32)
    common, *_, rare, other = rarities(names, np.array([5, 7, 11], dtype=np.uint32))
    assert 0 < common < rare <= 1 and other == 0
