"""The style of a library's keys, and new keys in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.library import parse_bibliography, read_bibliography
from cite_lsp.library.write.key_style import DEFAULT, KeyStyle, key_style
from cite_lsp.paper import Paper
from tests.sample_drafts import FOLDERS, REAL, SHIPPED, name_of

ATTENTION = Paper(
    "x",
    "Attention Is All You Need",
    authors=("Ashish Vaswani", "Noam Shazeer", "Niki Parmar", "Jakob Uszkoreit", "Llion Jones"),
    year=2017,
    doi="10.5555/3295222",
)
LIBRARY = """
@article{%s, author={Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton}, year=2019,
 title={{BERT}: Pre-training of Deep Bidirectional Transformers}, doi={10.1000/a}}
@article{%s, author={van der Berg, Jan}, title={On the Müller Problem}, year={1998},
 doi={10.1000/b}}
@article{%s, author={Smith, Anne and Jones, Bo}, title={A Word of Advice}, year={2004}}
"""


def free(key: str) -> bool:
    return False


def style_of(*keys: str) -> KeyStyle:
    return key_style(parse_bibliography(LIBRARY % keys, Path("a.bib")).entries)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("devlin2019bert", "vanderberg1998muller", "smith2004word"), "vaswani2017attention"),
        (("Devlin2019", "VanderBerg1998", "Smith2004"), "Vaswani2017"),
        (("devlin19", "berg98", "smith04"), "vaswani17"),
        (("Devlin:2019abc", "Berg:1998xyz", "Smith:2004qrs"), "Vaswani:2017aay"),
        (
            ("devlin-etal-2019-bert", "van-der-berg-1998-muller", "smith-jones-2004-word"),
            "vaswani-etal-2017-attention",
        ),
        (("devlin_bert_2019", "van_der_berg_muller_1998", "smith_word_2004"),
         "vaswani_attention_2017"),
        (("Devlin.Chang.Lee.2019", "Berg.1998", "Smith.Jones.2004"),
         "Vaswani.Shazeer.Parmar.ea.2017"),
        (("DevlinEtAl2019", "Berg1998", "SmithJones2004"), "VaswaniEtAl2017"),
        (("DCL19", "Ber98", "SJ04"), "VSP+17"),
        (("devlinBERTPretrainingDeep2019", "vanderbergMullerProblem1998", "smithWordAdvice2004"),
         "vaswaniAttentionAllYou2017"),
        (("ref:Devlin2019", "ref:Berg1998", "ref:Smith2004"), "ref:Vaswani2017"),
        (("10.1000/a", "10.1000/b", "smith"), "10.5555/3295222"),
    ],
)  # fmt: skip
def test_a_new_key_is_in_the_style_of_those_that_are_there(
    keys: tuple[str, str, str], expected: str
) -> None:
    style = style_of(*keys)
    assert style.key(ATTENTION, free) == expected
    assert 0.5 < style.share <= 1.0


def test_keys_of_dblp_are_made_only_where_dblp_would_have_them() -> None:
    style = style_of("DBLP:conf/naacl/DevlinCL19", "DBLP:journals/x/Berg98", "DBLP:conf/a/SmithJ04")
    known = Paper("DBLP:conf/nips/VaswaniSPUJ17", "Attention", year=2017)
    preprint = Paper("x", "Attention", arxiv="1706.03762", year=2017)
    assert style.key(known, free) == "DBLP:conf/nips/VaswaniSPUJ17"
    assert style.key(preprint, free) == "DBLP:journals/corr/abs-1706-03762"
    assert style.key(ATTENTION, free) == "VaswaniSPUJ17"


def test_letters_with_accents_stay_only_where_the_library_has_them() -> None:
    paper = Paper("x", "Über Ähnlichkeit", authors=("Jörg Müller",), year=2020)
    entry = '@article{%s, author={M{\\"u}ller, J.}, title={Eins}, year={2001}}'
    for key, expected in (
        ("müller2001", "müller2020"),
        ("mueller2001", "mueller2020"),
        ("muller2001", "muller2020"),
    ):
        style = key_style(parse_bibliography(entry % key, Path("a.bib")).entries)
        assert style.key(paper, free) == expected


def test_keys_without_a_rule_give_the_default_style() -> None:
    for style in (style_of("one", "two", "three"), key_style([])):
        assert style.parts == DEFAULT.parts and style.share == 0.0
        assert style.key(ATTENTION, free) == "vaswani2017attention"


def test_a_key_that_is_taken_is_never_given_again() -> None:
    taken = {"vaswani2017", "vaswani2017a"}
    style = style_of("devlin2019", "berg1998", "smith2004")
    assert style.key(ATTENTION, taken.__contains__) == "vaswani2017b"
    assert DEFAULT.key(ATTENTION, {"vaswani2017attention"}.__contains__) == "vaswani2017attention2"


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (Paper("x", "No Authors Here", year=2001), "no2001no"),
        (Paper("x", "{Odd}, title% \\cite", authors=("A{n}, B#",)), "anodd"),
        (Paper("x", "", authors=()), "paper"),
        (Paper("x", "基于深度学习", authors=("李明",), year=2021), "liming2021ji"),
        (Paper("x", "О ёмкости", authors=("Юрий Чайковский",), year=2011), "чайковский2011ёмкости"),
        (Paper("x", "신경망 번역", authors=("김철수",), year=2019), "김철수2019신경망"),
        (Paper("x", "ガスの", authors=("Đặng Yıldız",), year=2020), "yildiz2020ガスの"),
    ],
)
def test_what_a_paper_lacks_is_left_out_and_what_no_key_can_hold_too(
    paper: Paper, key: str
) -> None:
    assert DEFAULT.key(paper, free) == key


def report(organisation: str) -> Paper:
    return Paper("x", "Global Report", authors=(organisation,), year=2021)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("World Health Organization", "who2021global"),
        ("Intergovernmental\u00a0Panel\u00a0on\u00a0Climate\u00a0Change", "ipcc2021global"),
        ("Organisation for Economic Co-operation and Development (OECD)", "oecd2021global"),
        ("Institut national de la statistique et des études économiques", "insee2021global"),
        ("Deutsches Institut für Normung", "din2021global"),
        ("Robert Koch-Institut", "rki2021global"),
        ("U.S. Department of Energy", "usde2021global"),
        ("The ATLAS Collaboration", "atlas2021global"),
        ("European Commission", "europeancommission2021global"),
        ("R Core Team", "rcoreteam2021global"),
        ("UNESCO", "unesco2021global"),
    ],
)
def test_a_key_has_the_acronym_of_an_organisation_or_its_short_name(name: str, key: str) -> None:
    assert DEFAULT.key(report(name), free) == key


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("Smith2004", "WHO2019", "OECD2020"), "FAO2021"),
        (("smith2004", "worldhealthorganization2019", "organisationeconomiccooperation2020"),
         "foodagricultureorganization2021"),
        (("smith2004", "world2019", "organisation2020"), "food2021"),
        (("smith2004word", "who2019guide", "oecd2020health"), "fao2021global"),
        (("Smith_2004", "organization_2019", "cooperation_2020"), "organization_2021"),
    ],
)  # fmt: skip
def test_organisations_are_called_as_in_the_keys_that_are_there(
    keys: tuple[str, str, str], expected: str
) -> None:
    text = """
@article{%s, author={Smith, Anne}, title={A Word of Advice}, year={2004}}
@book{%s, author={{World Health Organization}}, title={Guide}, year={2019}}
@book{%s, author={{Organisation for Economic Cooperation}}, title={Health}, year={2020}}
"""
    style = key_style(parse_bibliography(text % keys, Path("a.bib")).entries)
    assert style.key(report("Food and Agriculture Organization"), free) == expected
    assert style.share > 0.5


REAL_LIBRARIES = [
    (REAL / "celerite/paper/celerite.bib", "Vaswani:2017"),
    (REAL / "d2l-zh-chapters/d2l.bib", "Vaswani.Shazeer.Parmar.ea.2017"),
    (REAL / "ferigo-phd-thesis/zotero.bib", "vaswani_attention_2017"),
    (REAL / "sympy-paper/paper.bib", "Vaswani2017attention"),
]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (SHIPPED / "thesis/refs.bib", "Vaswani:2017attention"),
        (SHIPPED / "notes/paper.bib", "vaswani_attention_2017"),
        (SHIPPED / "book/book.bib", "Vaswani2017attention"),
        *(REAL_LIBRARIES if REAL in FOLDERS else ()),
    ],
    ids=lambda value: name_of(value) if isinstance(value, Path) else str(value),
)
def test_the_styles_of_libraries_are_recognised(path: Path, expected: str) -> None:
    style = key_style(read_bibliography(path).entries)
    assert style.key(ATTENTION, free) == expected


@settings(max_examples=200, deadline=None)
@given(
    title=st.text(max_size=40),
    author=st.text(max_size=20),
    year=st.none() | st.integers(1, 9999),
    taken=st.integers(0, 40),
)
def test_any_paper_gets_a_key_that_can_be_cited_and_is_free(
    title: str, author: str, year: int | None, taken: int
) -> None:
    paper = Paper("x", title, authors=(author,), year=year)
    for style in (DEFAULT, style_of("Devlin:2019abc", "Berg:1998xyz", "Smith:2004qrs")):
        used: set[str] = set()
        for _ in range(taken + 1):
            key = style.key(paper, used.__contains__)
            assert key and key not in used
            assert not re.search(r"[\s{}()\[\],\"'`#%~\\=@]", key)
            used.add(key)


def test_others_who_are_not_named_count_in_a_key() -> None:
    style = style_of("devlin-etal-2019-bert", "van-der-berg-1998-muller", "smith-jones-2004-word")
    paper = evolve(ATTENTION, authors=("Ashish Vaswani",), more_authors=True)
    assert style.key(paper, free) == "vaswani-etal-2017-attention"


def test_a_style_is_recognised_by_keys_of_lists_that_are_cut_short() -> None:
    library = "@article{%s, author={Aad, G. and others}, title={On %s}, year={%s}}\n"
    entries = parse_bibliography(
        library % ("aad-etal-2012-gulls", "Gulls", 2012)
        + library % ("aad-etal-2015-tides", "Tides", 2015),
        Path("a.bib"),
    ).entries
    assert key_style(entries).key(ATTENTION, free) == "vaswani-etal-2017-attention"
