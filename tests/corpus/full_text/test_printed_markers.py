"""Citations as full texts print them: which stretch of a sentence they are, and what is left."""

from __future__ import annotations

import pytest

from cite_lsp.corpus.full_text.printed_markers import (
    around_first_marker,
    around_marker,
    printed_markers,
    raised_markers,
)
from tests.growth import LINEAR, growth


@pytest.mark.parametrize(
    "marker",
    [
        "(Moor, 2001)",
        "(Moor and Fen, 2001a; Lee et al., 2003)",
        "[3]",
        "[3, 5–7]",
        "[for example, 3]",
        "[see 2, 3, for examples of this]",
        "[4 and references therein]",
        "[Moor et al., 2001]",
        "[FHL+07]",
        "[FHL +07, BO99b; see05]",
        "[see Moo01, p. 3]",
        "Moor (2001)",
        "Moor's (2001)",
        "Moor and Fen (2001)",
        "Moor & Fen 2001",
        "Moor, Fen, and Lee (2001)",
        "Moor et al. (2001, p. 3)",
        "Moor et al 2001",
        "Moor et al.'s (2001)",
        "Ångström and Çelik (1998b)",
        "McMoor-Fen and O'Lee (2001; 2003)",
    ],
)
def test_a_marker_is_found_whole(marker: str) -> None:
    text = f"tides as {marker} rise"
    assert [text[slice(*span)] for span in printed_markers(text)] == [marker]


@pytest.mark.parametrize(
    "text",
    [
        "Tides rise (twice a day).",
        "The survey of 2003 covers SemEval 2007 and the Treebank.",
        "It began in March 2001.",
        "An array a[i] of x[n] values",
        "The code [ISO] of a [draft] and [x9]",
        "(see the next section)",
    ],
)
def test_what_cites_nothing_is_no_marker(text: str) -> None:
    assert printed_markers(text) == []


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("Everybody knows the sea.¹ Mud", "¹"),
        ("mud²,³ is wet", "²,³"),
        ("as Fen et al.¹⁰–¹² say", "¹⁰–¹²"),
        ("silt (see above)³, and", "³"),
        ("mud and/or silt (see above)³ are", "³"),
        ("of input/output that is slow at night (see above)² and", "²"),
        ("the Fens’² mud", "²"),
        ("of age and ageing² in", "²"),
        ("of age and age⁴ in", "⁴"),
        ("was “wet”⁴; so", "⁴"),
        ("a survey of 2010⁵ says", "⁵"),
        ("fell by half⁶", "⁶"),
        ("of 300 marshes¹² near", "¹²"),
        ("研究³表明", "³"),
        ("有300个盐沼³的研究", "³"),
        ("使用BERT模型¹,²和", "¹,²"),
    ],
)
def test_raised_numbers_behind_words_and_signs_are_a_marker(text: str, marker: str) -> None:
    assert [text[slice(*span)] for span in raised_markers(text)] == [marker]


@pytest.mark.parametrize(
    "text",
    [
        "10³ m² or x² and y¹²",
        "an area of 5 km² or 3 hectares² or 5 mètres²",
        "where R² = 0.9, RMSE² < 3 and max² and GeV² are",
        "(x + y)² grows",
        "where x'² and y’’³ are",
        "controls for age and age² with income, Income³",
        "the index (weight in kg)/(height in metres)² or kilograms divided by (metres tall)²",
        "that is (weight/height)² or weight/height (metres)²",
        "the ¹⁴C age of ³He",
        "Ca²⁺ and Fe³⁺ and Mill³(a)",
        "5千米²的海岸，10³个，R²为0.9，x²与m²",
        "潮汐沼泽 王小明¹，李四²，张三丰¹,*",
        "Ann Lee¹,² and Bo Fen³ Department of Mud,² Institute of Silt",
    ],
)
def test_powers_isotopes_and_addresses_are_no_raised_markers(text: str) -> None:
    assert raised_markers(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The Growth of Marshes Ada Moor,¹ Ben Li,² and Cy Wu³",
        "Ada Moor, PhD,¹ Bo Fen, M.D., Ph.D.,² Cy Wu Jr.³",
        "Moor A.,¹ Li B. C.²",
        "Ada Moor,¹,² Fen,² Cy Wu.³",
        "Ada Moor *,¹ Bo Fen†,² and Cy Wu¹,*",
        "Ada van der Moor¹ and Bo de Fen,²",
        "A. B. Moor,¹ C.-D. Fen,² and E. von der Lee³",
    ],
)
def test_numbers_of_authors_are_no_raised_markers(text: str) -> None:
    assert raised_markers(text) == []
    said = f"{text}{'. Mud is wet, as all know' * 200}, says Ada Moor,³ and so on"
    assert [said[slice(*span)] for span in raised_markers(said)] == ["³"]


@pytest.mark.parametrize(
    "text",
    [
        "Silt of the North Sea,³ and mud",
        "It is wet. Mud,³ and",
        "says Ada Moor.³ Mud",
        "Here, Moor³ says",
    ],
)
def test_near_the_top_raised_numbers_cite_behind_other_words(text: str) -> None:
    assert [text[slice(*span)] for span in raised_markers(text)] == ["³"]


@pytest.mark.parametrize(
    ("text", "name", "year", "left", "right"),
    [
        ("We tag with TnT (Moor, 2001).", "Moor", 2001, "We tag with TnT", "."),
        ("Moor (2001) tags words.", "Moor", 2001, "", "tags words."),
        (
            "Tides (Lee, 1999) and waves (Moor et al., 2001) rise [3].",
            *("Moor", 2001),
            "Tides and waves",
            "rise.",
        ),
        ("Moor (1999) and later Moor (2001) rise", "Moor", 2001, "and later", "rise"),
        ("As Moor (1999) says, tides rise", "Moor", 2001, "As", "says, tides rise"),
        ("Tools of van Fen and Lee (2001) work", "van Fen", 2001, "Tools of van", "work"),
        ("Ponds by Müller 2001 are deep", "Müller", 2001, "Ponds by", "are deep"),
        ("Ponds (Muller, 2001) are deep", "Müller", 2001, "Ponds", "are deep"),
        (
            "Tides rise (e.g., (Moor, 2001), (Lee, 2003)), as seas do",
            *("Lee", 2003),
            "Tides rise (e.g.,",
            "), as seas do",
        ),
    ],
)
def test_what_stands_around_the_marker_of_a_paper_holds_no_other(
    text: str, name: str, year: int, left: str, right: str
) -> None:
    assert around_marker(text, name, year) == (left, right)


@pytest.mark.parametrize("text", ["Tides rise (Lee, 2001).", "The moor of 2001 was wet.", ""])
def test_a_sentence_that_does_not_name_the_paper_says_nothing_of_it(text: str) -> None:
    assert around_marker(text, "Moor", 2001) is None


def test_a_passage_is_cut_at_its_first_marker() -> None:
    text = "Lee et al. (2003) find that tides (Moor, 2001) rise [4]."
    assert around_first_marker(text) == ("", "find that tides rise.")
    assert around_first_marker("Tides rise.") is None


@pytest.mark.parametrize(
    "piece", ["(", "A.", "Moor, ", "Moor and ", "[1", "et al. ", "Moor's ", "(a", "¹,"]
)
def test_a_long_text_does_not_hold_up_reading(piece: str) -> None:
    """A pattern that goes back over names again and again would take minutes here."""
    assert printed_markers(piece * 20_000) == []
    assert raised_markers(piece * 20_000) == []


def test_many_markers_in_a_row_are_left_out_in_time_by_their_number() -> None:
    assert growth(lambda times: "A word " + "[1] " * times, around_first_marker, 4_000) < LINEAR
