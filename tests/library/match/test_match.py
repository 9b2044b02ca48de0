from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library import EntryMatcher, parse_bibliography
from cite_lsp.library.bibtex.incremental import read_text
from cite_lsp.library.entries import Record
from cite_lsp.library.match import identifiers, match
from cite_lsp.library.match.entry_words import Script, matched_text
from cite_lsp.translate.segment import fold_script
from tests.growth import LINEAR, growth

ENTRIES = parse_bibliography(
    r"""
@string{goedel = "G{\"o}del, Kurt"}
@article{vaswani2017, author = {Vaswani, Ashish and Shazeer, Noam},
    title = {Attention Is All You Need}, year = 2017, ids = {transformer17},
    abstract = {recurrence, title = {no}}}
@article{DBLP:books/Godel31, author = goedel, title = "{\"U}ber formal unentscheidbare S{\"a}tze",
    date = {1931-01}}
@article{li2019, author = {李航}, title = {统计学习方法}, year = {2019}}
@book{attn-survey, editor = {Müller, Jörg}, title = {Covid-19 and the Self-Attention}, year = 2020}
@misc{xie2020, author = {解, 晓东 and 欧阳, 明 and 仇 立}, title = {综述}}
@misc{mix, author = {张,三}, title = {基于BERT的文本分类与U-Net}}
@misc{two2020, author = {王海, 陈红 and 周}, title = {报告 一}}
@misc{stray2attention, title = {Unrelated}}
""",
    Path("refs.bib"),
).entries


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        (
            "",
            "vaswani2017 DBLP:books/Godel31 li2019 attn-survey xie2020 mix two2020 stray2attention",
        ),
        ("vas", "vaswani2017"),
        ("transformer17", "vaswani2017"),
        ("VASWANI need", "vaswani2017"),
        ("need shazeer 2017", "vaswani2017"),
        ("attention", "vaswani2017 attn-survey stray2attention"),
        ("ttention", "stray2attention"),
        ("godel", "DBLP:books/Godel31"),
        ("gödel uber 1931", "DBLP:books/Godel31"),
        ("DBLP:books/G", "DBLP:books/Godel31"),
        ("muller", "attn-survey"),
        ("covid-19", "attn-survey"),
        ("学习", "li2019"),
        ("李航 方法", "li2019"),
        ("lihang", "li2019"),
        ("LH", "li2019"),
        ("tongjixuexi", "li2019"),
        ("xuexifang", "li2019"),
        ("tjxxff", "li2019"),
        ("xxff 2019", "li2019"),
        ("tongjxx", "li2019"),
        ("lixing", ""),
        ("解晓东", "xie2020"),
        ("晓东", "xie2020"),
        ("xiexiaodong", "xie2020"),
        ("xxd", "xie2020"),
        ("ouyangming", "xie2020"),
        ("qiuli", "xie2020"),
        ("chenh", "two2020"),
        ("ff", ""),
        ("BERT", "mix"),
        ("u-net", "mix"),
        ("基于bert的", "mix"),
        ("zhangsan bert", "mix"),
        ("李航2019", "li2019"),
        ("lihang2019", "li2019"),
        ("李航统计", "li2019"),
        ("解晓东综述 xie", "xie2020"),
        ("shazeer2017need", "vaswani2017"),
        ("Vaswani et al.", "vaswani2017"),
        ("vaswani et al 2017", "vaswani2017"),
        ("Vaswani et al., 2017", "vaswani2017"),
        ("Vaswani et", "vaswani2017"),
        ("Vaswani et a", "vaswani2017"),
        ("Vaswani et all", ""),
        ("李航等", "li2019"),
        ("李航等2019", "li2019"),
        ("解晓东和欧阳明", "xie2020"),
        ("解晓东和李航", ""),
        ("李航等人", "li2019"),
        ("李航等人 2019", "li2019"),
        ("瓦斯瓦尼", ""),
        ("李航 等 2018", ""),
        ("李航2018", ""),
        ("李行统计", ""),
        ("vaswani 1931", ""),
        ("recurrence", ""),
        ("-", "attn-survey"),
        ("？", ""),
        ("::", ""),
    ],
)
def test_entries_match_all_typed_words_in_any_order(typed: str, keys: str) -> None:
    assert [ENTRIES[row].key for row in EntryMatcher(ENTRIES).match(typed)] == keys.split()


PUBLISHED = parse_bibliography(
    r"""
@string{prl = "Physical Review Letters"}
@article{one, title = {On Spiders}, journal = {Nature}, year = 2019}
@article{two, title = {The Nature of Light}, journal = prl, year = 2020}
@inproceedings{three, title = {Graphs}, booktitle = {Proc. of the 25th Int. Conf.}, year = 2019,
  series = {KDD '19}}
@article{four, author = {李航}, title = {学习}, journal = {计算机学报}, year = 2018}
@article{five, title = {Spectra}, journal = {\mnras}, year = 2018}
@inproceedings{six, title = {Trees}, crossref = {book}}
@proceedings{book, title = {Advances in Neural Information Processing Systems}, year = 2017}
""",
    Path("refs.bib"),
).entries


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("Nature", "two"),
        ("nature 2019", "one"),
        ("Nature2019", "one"),
        ("phys rev let 2020", "two"),
        ("phys", "two"),
        ("ph", ""),
        ("KDD 2019", "three"),
        ("kdd'19", "three"),
        ("kdd 2020", ""),
        ("学报", "four"),
        ("计算机学报2018", "four"),
        ("计算机学报2019", ""),
        ("jisuanji", ""),
        ("mnras 2018", "five"),
        ("trees neural information", "six"),
        ("nature of ligth", ""),
    ],
)
def test_words_of_the_venue_find_what_nothing_else_does(typed: str, keys: str) -> None:
    assert [PUBLISHED[row].key for row in EntryMatcher(PUBLISHED).match(typed)] == keys.split()


OF_OTHER_LANGUAGES = parse_bibliography(
    r"""
@article{a, author = {Weiß, Jörg and Größler, Änne}, title = {Zur Zerlegung}}
@article{b, author = {Mueller, Stefan}, title = {Grammatik}}
@article{c, author = {{\O}vrelid, Lilja and {\L}ukaszewicz, Ewa}, title = {{\AE}rlige sprog}}
@article{d, author = {Işık, Çağrı and Yıldız, İbrahim}, title = {Çeviri}}
@article{e, author = {Nguyễn, Văn Đức}, title = {Dịch máy}}
@article{f, author = {Чайковский, Юрий}, title = {Йотированные гласные и ёмкость}}
@article{g, author = {田中, 太郎}, title = {ニューラルネットワークによる翻訳のためのBERTモデル}}
@article{h, author = {김, 철수 and 박영희}, title = {신경망 기계번역}}
""",
    Path("refs.bib"),
).entries


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("weiß", "a"),
        ("WEISS", "a"),
        ("grossler", "a"),
        ("groessler", "a"),
        ("größler", "a"),
        ("gro\u0308ßler", "a"),
        ("müller", "b"),
        ("muller", ""),
        ("ovrelid", "c"),
        ("Øvrelid", "c"),
        ("øvrelid", "c"),
        ("oevrelid", "c"),
        ("Łuk", "c"),
        ("łuk", "c"),
        ("luk", "c"),
        ("aerlige", "c"),
        ("ışık", "d"),
        ("Işık", "d"),
        ("ISIK", "d"),
        ("isik", "d"),
        ("yildiz", "d"),
        ("YILDIZ ibrahim", "d"),
        ("cagri", "d"),
        ("nguyen duc", "e"),
        ("đức", "e"),
        ("йот емк", "f"),
        ("И\u0306отир", "f"),
        ("чайковский", "f"),
        ("田中", "g"),
        ("ネットワーク", "g"),
        ("bert", "g"),
        ("김철수", "h"),
        ("김 철수", "h"),
        ("철수", "h"),
        ("번역", "h"),
        ("수", ""),
    ],
)
def test_letters_of_other_languages_are_typed_as_keyboards_have_them(typed: str, keys: str) -> None:
    rows = EntryMatcher(OF_OTHER_LANGUAGES).match(typed)
    assert " ".join(OF_OTHER_LANGUAGES[row].key for row in rows) == keys


def test_what_is_typed_is_compared_in_one_script() -> None:
    entries = parse_bibliography(
        "@misc{trad, title={機器學習基石}, author={林軒田}}\n@misc{simp, title={机器学习}}",
        Path("refs.bib"),
    ).entries
    matcher = EntryMatcher(entries, script=fold_script)
    assert matcher.match("机器学习") == matcher.match("機器學習") == [0, 1]
    assert matcher.match("林轩田") == matcher.match("linxuantian") == matcher.match("林軒田") == [0]
    assert EntryMatcher(entries[1:], matcher, fold_script).match("機器") == [0]


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("何恺明", "he"),
        ("何恺明 2016", "he"),
        ("何恺明2017", ""),
        ("吕布", "lu"),
        ("何恺明等人", "he"),
    ],
)
def test_a_name_in_han_finds_who_is_written_in_latin_letters(typed: str, keys: str) -> None:
    entries = parse_bibliography(
        "@misc{he, author={He, Kaiming}, title={Residuals}, year=2016}\n"
        '@misc{lu, author={Bu L{\\"u}}, title={On Bears}}\n',
        Path("a.bib"),
    ).entries
    rows = EntryMatcher(entries).match(typed)
    assert " ".join(entries[row].key for row in rows) == keys


def test_people_and_others_are_found_under_whatever_key() -> None:
    entries = parse_bibliography(
        "@misc{liu2019, author = {Liu, Yinhan and Ott, Myle}}\n"
        "@misc{lewis-etal-2020, author = {Lewis, Mike and Liu, Yinhan}}",
        Path("refs.bib"),
    ).entries
    assert EntryMatcher(entries).match("Liu et al.") == [0, 1]
    assert EntryMatcher(entries).match("liu-etal") == [1]


def test_what_only_the_key_holds_comes_last() -> None:
    entries = parse_bibliography(
        "@misc{xdeep, title={A}}\n@misc{b, title={Deep}}\n@misc{deepc, title={C}}", Path("refs.bib")
    ).entries
    assert EntryMatcher(entries).match("deep") == [1, 2, 0]


def test_a_sentence_is_not_cut_at_each_of_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    token_lists: list[object] = []
    matching = EntryMatcher._matching

    def counted(self: EntryMatcher, *tokens: list[str]) -> list[int]:
        token_lists.append(tokens)
        return matching(self, *tokens)

    monkeypatch.setattr(EntryMatcher, "_matching", counted)
    assert EntryMatcher(ENTRIES).match("李航统计学习，方法很多，" * 40) == []
    assert len(token_lists) == 1


def test_an_empty_library_matches_nothing() -> None:
    assert EntryMatcher(()).match("a") == [] == EntryMatcher(()).match("")


@given(st.data())
def test_a_renewed_matcher_finds_what_a_new_one_finds(data: st.DataObject) -> None:
    words = ["Gödel", "graph", "标题", "2001", "Graphs of words", "a}, journal={Nature 学报"]
    titles = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=6))
    text = "".join(f"@misc{{k{n}, title={{{title}}}}}\n" for n, title in enumerate(titles))
    before = read_text(text, Path("refs.bib"))
    at = data.draw(st.integers(0, len(titles) - 1))
    change = data.draw(st.sampled_from(["", "@misc{new, title={graph theory}}\n"]))
    lines = text.splitlines(keepends=True)
    lines[at] = change
    after = read_text("".join(lines), Path("refs.bib"), before)
    old = EntryMatcher(before.bibliography.entries)
    old.prepare()
    renewed = EntryMatcher(after.bibliography.entries, old)
    for typed in ("gra", "god", "题", "k1", "new th", "1", "", "bt", "nature", "学报", "学", "xb"):
        fresh = EntryMatcher(after.bibliography.entries).match(typed)
        assert renewed.match(typed) == fresh, typed


@pytest.mark.parametrize(("new", "again"), [(2, False), (3, True)])
def test_words_are_sorted_again_once_many_entries_are_new(
    monkeypatch: pytest.MonkeyPatch, new: int, again: bool
) -> None:
    monkeypatch.setattr(match, "_CHANGED_AT_MOST", 2)
    text = "@misc{old, title={Graphs}}\n"
    before = read_text(text, Path("refs.bib"))
    text += "".join(f"@misc{{new{n}, title={{Trees}}}}\n" for n in range(new))
    after = read_text(text, Path("refs.bib"), before)
    matcher = EntryMatcher(before.bibliography.entries)
    matcher.prepare()
    in_order: list[int] = []
    sort = match._sorted_words

    def counted(*of: Any) -> Any:  # noqa: ANN401 - passed on
        in_order.append(len(of[0]))
        return sort(*of)

    monkeypatch.setattr(match, "_sorted_words", counted)
    matcher = EntryMatcher(after.bibliography.entries, matcher)
    assert matcher.match("trees") == list(range(1, new + 1)) and matcher.match("graphs") == [0]
    assert in_order == ([new + 1] if again else [])


def test_who_types_while_words_are_read_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def slowly(record: Record, script: Script) -> str:
        read.append(record)
        time.sleep(0.01)
        return matched_text(record, script)

    monkeypatch.setattr(match, "matched_text", slowly)
    matcher = EntryMatcher(ENTRIES)
    with ThreadPoolExecutor(2) as workers:
        prepared = workers.submit(matcher.prepare)
        while not read:
            time.sleep(0.001)
        assert matcher.match("vas") == [0]
        prepared.result()
    assert len(read) == len(ENTRIES)


def test_a_word_too_long_for_an_address_costs_no_time() -> None:
    assert identifiers.typed_number("a" * 20_000) is None
    assert identifiers.typed_number("https://a.org/" + "b" * 1_900 + "/10.1000/x") is not None
    assert growth(lambda size: "a" * size, identifiers.typed_number, 20_000) < LINEAR
    address = "https://a.org/{}/10.1000/x"
    assert growth(lambda size: address.format("b" * size), identifiers.typed_number, 1_900) < LINEAR
