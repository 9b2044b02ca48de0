"""Finished papers become drafts again: every marker back where it stood."""

from __future__ import annotations

import json
from pathlib import Path

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.library import LibraryCache
from cite_lsp.manuscript import parse
from cite_lsp.paper import Paper
from cite_lsp.train.data.rebuilt_drafts import (
    PlainSentence,
    bibliography,
    keys_for,
    lay_out,
    read_plain_sentences,
    rebuild,
    sentences_of_windows,
)
from tests.train.word_encoder import WordEncoder

SENTENCES = [
    PlainSentence("", "On the nesting of gulls and other birds"),
    PlainSentence(
        "Birds", "Gulls nest on the steepest cliffs of 5 % of all islands (as is known)."
    ),
    PlainSentence("Birds", "Others were seen to nest in trees & on roofs_too."),
    PlainSentence("Fish", "Fish were seen to nest in trees never at all."),
]


def context(left: str, *cited: str) -> LabelledContext:
    record = {"context_id": left, "citing_id": "d", "left": left, "cited": list(cited)}
    return context_from_record(record)


def markers(text: str) -> list[tuple[str, tuple[str, ...]]]:
    manuscript = parse(text, "latex")
    return [
        (sentence.text, tuple(key.text for marker in sentence.markers for key in marker.keys))
        for sentence in manuscript.sentences
        if sentence.markers
    ]


def test_a_marker_is_found_by_the_words_before_it() -> None:
    contexts = [
        context("birds Gulls nest on the steepest cliffs of 5 % of all islands (as is known)", "a"),
        context("Others were seen to nest in trees", "b", "c"),
        context("Fish were seen to nest in trees", "a"),
    ]
    text = rebuild(SENTENCES, contexts, keys_for(["a", "b", "c"]), "Gulls & co")
    assert markers(text) == [
        (SENTENCES[1].text, ("p0",)),
        (SENTENCES[2].text, ("p1", "p2")),
        (SENTENCES[3].text, ("p0",)),
    ]
    assert r"known)~\cite{p0}." in text
    manuscript = parse(text, "latex")
    assert manuscript.title == "Gulls & co"
    assert [section.title for section in manuscript.sections][-2:] == ["Birds", "Fish"]


def test_what_is_not_found_and_who_is_not_known_is_left_out() -> None:
    contexts = [
        context("Something else was written here", "a"),
        context("Others were seen to nest in trees", "unknown"),
        context("trees", "a"),
    ]
    assert markers(rebuild(SENTENCES, contexts, keys_for(["a"]))) == []


def test_a_place_found_too_far_on_does_not_lose_the_next() -> None:
    contexts = [
        context("Fish were seen to nest in trees", "a"),
        context("Gulls nest on the steepest cliffs", "b"),
    ]
    rebuilt = markers(rebuild(SENTENCES, contexts, keys_for(["a", "b"])))
    assert [keys for _, keys in rebuilt] == [("p1",), ("p0",)]


def test_of_chinese_windows_whole_sentences_are_taken_once() -> None:
    def window(left: str, right: str) -> LabelledContext:
        record = {"context_id": left, "doc_id": "z", "left": left, "right": right, "cited": ["a"]}
        return context_from_record(record)

    windows = [
        window("开头被截断了。海鸥在悬崖上筑巢", "。它们吃鱼。结尾被"),
        window("海鸥在悬崖上筑巢。它们吃鱼", "。结尾也很长。再见"),
    ]
    texts = [sentence.text for sentence in sentences_of_windows(windows)]
    assert texts == ["海鸥在悬崖上筑巢。", "它们吃鱼。", "结尾也很长。"]


def test_a_bibliography_reads_as_what_was_written(tmp_path: Path) -> None:
    papers = {"p0": Paper("a", "Gulls & Nests_too", authors=("Vogel, Nikolaas",), year=2001)}
    path = tmp_path / "library.bib"
    path.write_text(bibliography(papers), encoding="utf-8")
    (entry,) = LibraryCache().load([path], ()).entries
    assert (entry.key, entry.paper.title, entry.paper.year) == ("p0", "Gulls & Nests_too", 2001)


def test_drafts_are_laid_out_with_their_libraries(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(9)]
    papers = {name: Paper(name, f"On birds, part {name}") for name in names}
    rows = [
        {"citing_id": "d", "section_title": "Birds", "sentence": f"Bird {name} is seen in books."}
        for name in names
    ]
    path = tmp_path / "sentences.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    contexts = [context(f"Bird {name} is seen in books", name) for name in names]
    sentences = read_plain_sentences([path])
    assert [sentence.section_title for sentence in sentences["d"]] == ["Birds"] * 9
    out = tmp_path / "drafts"
    few = [context("Bird n1 is seen", "n1", "n2")]
    assert lay_out(few, sentences, papers, WordEncoder(), out, seed=1) == 0
    assert lay_out(contexts, sentences, papers, WordEncoder(), out, seed=1) == 1
    (draft,) = out.iterdir()
    cited = markers((draft / "draft.tex").read_text(encoding="utf-8"))
    library = LibraryCache().load([draft / "library.bib"], ())
    assert len(cited) == 9 and all(library.get(keys[0]) for _, keys in cited)
