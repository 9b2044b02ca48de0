"""The sentences that the worthiness model learns from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.train.data.labelled_sentences import (
    CITING_SHARE,
    LabelledSentence,
    read_sentences,
    read_uncited,
    sentence_weights,
    without_traces,
)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("As shown in.", "As shown."),
        ("It is used by,, and others.", "It is used, and others."),
        ("Gulls nest ( , ) on cliffs.", "Gulls nest on cliffs."),
        ("In their paper chung_improving_2020 they agree.", "In their paper they agree."),
        ("噪声（，）的影响，。", "噪声的影响。"),
        ("A plain sentence, as written (by me).", "A plain sentence, as written (by me)."),
    ],
)
def test_what_a_marker_leaves_behind_is_taken_out(text: str, clean: str) -> None:
    assert " ".join(without_traces(text).split()) == clean


def test_english_rows_know_the_share_of_the_other_sections(tmp_path: Path) -> None:
    rows = [
        {
            "citing_id": "d",
            "section_title": f"S{number // 30}",
            "previous": "",
            "sentence": f"Sentence number {number}.",
            "next": "After.",
            "cited": number % 10 == 0,
        }
        for number in range(60)
    ]
    labelled = read_sentences([write(tmp_path / "rows.jsonl", rows)])
    assert len(labelled) == 60
    assert labelled[0].cited and not labelled[1].cited
    assert labelled[0].passage.cited_share == pytest.approx(0.1)
    assert (labelled[0].language, labelled[0].passage.section_title) == ("en", "S0")


def test_chinese_windows_give_citing_and_silent_sentences_alike(tmp_path: Path) -> None:
    row = {
        "doc_id": "z",
        "section_title": "绪论",
        "left": "前面半句。我们先介绍背景知识。深度网络被广泛使用",
        "right": "。后面还有一个句子没有引用。最后半句",
        "sentence": "深度网络被广泛使用。",
    }
    labelled = read_sentences([write(tmp_path / "rows.jsonl", [row, row])])
    cited_by_text = {sentence.passage.sentence: sentence.cited for sentence in labelled}
    assert cited_by_text == {
        "我们先介绍背景知识。": False,
        "深度网络被广泛使用。": True,
        "后面还有一个句子没有引用。": False,
    }
    assert all(sentence.passage.previous and sentence.passage.next for sentence in labelled)


WINDOW = {
    "citing_id": "e",
    "section_title": "Introduction",
    "left": "half a sentence. Gulls nest on cliffs. However, terns prefer flat sand",
    "right": ", as a rule. However, ducks do neither. And the last half of",
}


def test_english_windows_give_citing_and_silent_sentences_alike(tmp_path: Path) -> None:
    more = {
        **WINDOW,
        "left": WINDOW["left"] + ". However,",
        "right": "ducks do neither. And so on.",
    }
    labelled = read_sentences(
        [write(tmp_path / "rows.jsonl", [WINDOW, {**WINDOW, "citing_id": "f"}])]
    )
    cited_by_text = {
        sentence.passage.sentence.strip(): sentence.cited
        for sentence in labelled
        if sentence.document == "e"
    }
    assert cited_by_text == {
        "Gulls nest on cliffs.": False,
        "However, terns prefer flat sand, as a rule.": True,
        "However, ducks do neither.": False,
    }
    assert all(
        sentence.passage.previous and sentence.passage.next and not sentence.whole
        for sentence in labelled
    )
    assert len(labelled) == 6
    labelled = read_sentences([write(tmp_path / "rows.jsonl", [WINDOW, more])])
    assert sum(sentence.cited for sentence in labelled) == 2


def test_windows_tell_nothing_of_a_document_whose_sentences_are_known(tmp_path: Path) -> None:
    known = {
        "citing_id": "e",
        "section_title": "",
        "previous": "",
        "sentence": "Gulls nest on cliffs.",
        "next": "",
        "cited": False,
    }
    labelled = read_sentences([write(tmp_path / "rows.jsonl", [WINDOW, known])])
    assert [(sentence.passage.sentence, sentence.whole) for sentence in labelled] == [
        ("Gulls nest on cliffs.", True)
    ]


def test_paragraphs_give_silent_sentences_but_for_those_known_to_cite(tmp_path: Path) -> None:
    cited = LabelledSentence("b", Passage("深度网络被广泛使用。"), True, "zh")
    rows = [
        {
            "kind": "paragraph",
            "source": "book:one.md",
            "zh": "第一句在边上。这一句没有引用文献。深度网络被广泛使用。最后一句在边上。",
        },
        {"kind": "heading", "source": "book:one.md", "zh": "标题一。标题二。标题三。"},
        {"kind": "paragraph", "source": "thesis:x", "zh": "甲句在此处。乙句在此处。丙句在此处。"},
    ]
    labelled = read_uncited(write(tmp_path / "rows.jsonl", rows), [cited])
    assert [sentence.passage.sentence for sentence in labelled] == ["这一句没有引用文献。"]


def test_citing_sentences_near_markers_weigh_as_if_they_were_rare() -> None:
    labels = [True] * 6 + [False] * 4
    sentences = [LabelledSentence("z", Passage("x"), cited, "zh", whole=False) for cited in labels]
    weights = sentence_weights(sentences)
    assert weights[:6].sum() / weights.sum() == pytest.approx(CITING_SHARE)
    whole = [evolve(sentence, whole=True) for sentence in sentences]
    assert (sentence_weights(whole) == 1).all()
