"""Finished papers laid out as drafts again, from their sentences and the contexts of their markers.

`evaluate/tasks/missing.py` empties the sections of drafts and measures what is recommended
there; learning from that takes drafts that nothing is measured on. The data has such documents in
two halves, every sentence without its markers, and what stands around every marker: together they
are a draft.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from attrs import frozen

from cite_lsp.corpus.contexts import LabelledContext, documents
from cite_lsp.corpus.formats.json_lines import Report, read_records
from cite_lsp.encode.model import Encoder
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.write.bibtex_style import bibtex_habits, bibtex_record
from cite_lsp.manuscript.text.sentences import sentence_spans
from cite_lsp.paper import Paper
from cite_lsp.train.data.drafts import nearest_first, simulate_library

DRAFT, BIBLIOGRAPHY = "draft.tex", "library.bib"
"""The two files of a draft."""
FEWEST_PAPERS = 8
"""Documents that cite fewer make no library worth asking."""
_LOOKED_AT = 40
"""Letters and digits before a marker that identify its place."""
_FEWEST = 12
"""Of them, as many as must be there, or the place would be a guess."""
_LETTERS = lazy_re(r"[^\W_]")
_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


@frozen
class PlainSentence:
    """A sentence of a document without its markers, and the title of its section."""

    section_title: str
    text: str


def read_plain_sentences(
    paths: Iterable[Path], report: Report | None = None
) -> dict[str, list[PlainSentence]]:
    """Read the sentences of documents (rows with `citing_id`, `section_title`, `sentence`).

    Raises:
        RecordError: a file cannot be read.
    """
    by_document: dict[str, list[PlainSentence]] = defaultdict(list)
    for path in paths:
        for _, row in read_records(path, report):
            if "sentence" in row and "citing_id" in row:
                title = str(row.get("section_title") or "")
                by_document[row["citing_id"]].append(PlainSentence(title, str(row["sentence"])))
    return dict(by_document)


def sentences_of_windows(contexts: Sequence[LabelledContext]) -> list[PlainSentence]:
    """Return the whole sentences around the markers of a document, each once, in their order.

    Of a document whose other sentences are not known that is as much as can be laid out.
    """
    by_letters: dict[str, PlainSentence] = {}
    for row in contexts:
        left, text = row.context.left, row.context.left + row.context.right
        spans = list(sentence_spans(text))
        for place, (start, end) in enumerate(spans):
            whole = 0 < place < len(spans) - 1
            if whole or start < len(left) <= end:
                sentence = text[start:end]
                plain = PlainSentence(row.context.section_title, sentence)
                by_letters.setdefault("".join(_LETTERS.findall(sentence)), plain)
    return list(by_letters.values())


def lay_out(
    contexts: Sequence[LabelledContext],
    sentences: Mapping[str, Sequence[PlainSentence]],
    papers: Mapping[str, Paper],
    encoder: Encoder,
    folder: Path,
    *,
    seed: int,
) -> int:
    """Write the drafts of documents with their libraries, each to a folder of its own.

    The library holds papers on the same subject beside those cited. Documents that cite too few of
    `papers` are left out. Returns the number of drafts.

    Raises:
        OSError: they cannot be written.
    """
    everyone = sorted({name for row in contexts for name in row.cited if name in papers})
    if not everyone:
        return 0
    titles = encoder.encode([papers[name].title for name in everyone])
    count = 0
    for document in documents(contexts):
        known = {name for row in document for name in row.cited if name in papers}
        if len(known) < FEWEST_PAPERS:
            continue
        name = document[0].citing_id
        dice = random.Random(f"{seed} {name}")
        library = simulate_library(document, papers, nearest_first(everyone, titles, known), dice)
        keys = keys_for([paper.id for paper in library.papers])
        draft = rebuild(
            sentences.get(name) or sentences_of_windows(document),
            document,
            keys,
            document[0].context.title,
        )
        own = folder / f"draft-{count:03d}"
        own.mkdir(parents=True)
        (own / DRAFT).write_text(draft, encoding="utf-8")
        entries = {keys[paper.id]: paper for paper in library.papers}
        (own / BIBLIOGRAPHY).write_text(bibliography(entries), encoding="utf-8")
        count += 1
    return count


def rebuild(
    sentences: Sequence[PlainSentence],
    contexts: Sequence[LabelledContext],
    keys: Mapping[str, str],
    title: str = "",
) -> str:
    """Return a LaTeX document that cites from `library.bib`: its markers back in its sentences.

    Args:
        sentences: All sentences of the document in their order.
        contexts: Its markers in their order; one without a known place is left out.
        keys: The key of each paper that may be cited, by its id; others are left out.
        title: The title of the document.
    """
    places = _places(
        [sentence.text for sentence in sentences], [row.context.left for row in contexts]
    )
    marks: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for context, place in zip(contexts, places, strict=True):
        ids = [name for name in context.cited if name in keys]
        if place is not None and ids:
            sentence, offset = place
            written = ",".join(keys[name] for name in ids)
            marks[sentence].append((offset, rf"~\cite{{{written}}}"))
    lines = [r"\documentclass{article}", rf"\title{{{_escaped(title)}}}", r"\begin{document}"]
    numbered = enumerate(sentences)
    for section, run in groupby(numbered, key=lambda pair: pair[1].section_title):
        if section:
            lines += ["", rf"\section{{{_escaped(section)}}}"]
        lines += [_with_marks(plain.text, marks.get(number, ())) for number, plain in run]
    lines += [rf"\bibliography{{{BIBLIOGRAPHY.removesuffix('.bib')}}}", r"\end{document}", ""]
    return "\n".join(lines)


def bibliography(papers: Mapping[str, Paper]) -> str:
    """Return a .bib file of papers by their keys."""
    habits = bibtex_habits("", ())
    return "\n\n".join(bibtex_record(paper, key, habits) for key, paper in papers.items()) + "\n"


def keys_for(names: Sequence[str]) -> dict[str, str]:
    """Return keys that say nothing of the papers, by the ids of these."""
    return {name: f"p{number}" for number, name in enumerate(dict.fromkeys(names))}


def _places(texts: Sequence[str], lefts: Sequence[str]) -> list[tuple[int, int] | None]:
    """Return for each marker the sentence it stands in and the offset there, None if unknown."""
    letters: list[str] = []
    sources: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        for letter_match in _LETTERS.finditer(text):
            letters.append(letter_match.group().lower())
            sources.append((number, letter_match.end()))
    # Case folding may make two letters of one; the first of them stands for it.
    everything = "".join(letter[0] for letter in letters)
    before = 0
    places: list[tuple[int, int] | None] = []
    for left in lefts:
        wanted = "".join(letter.lower()[0] for letter in _LETTERS.findall(left))[-_LOOKED_AT:]
        at = -1
        if len(wanted) >= _FEWEST:
            # Markers come in order: the same words further on are the place, not those above.
            at = everything.find(wanted, max(before - _LOOKED_AT, 0))
            if at < 0:
                at = everything.find(wanted)
        if at < 0:
            places.append(None)
            continue
        before = at
        number, end = sources[at + len(wanted) - 1]
        places.append((number, _behind_word(texts[number], end)))
    return places


def _behind_word(text: str, offset: int) -> int:
    """Return the offset behind what closes with a word: quotes and brackets."""
    closing = re.compile(r"[”’\"')\]）】」』]*").match(text, offset)
    return closing.end() if closing else offset


def _with_marks(text: str, marks: Sequence[tuple[int, str]]) -> str:
    parts, before = [], 0
    for offset, mark in sorted(marks):
        parts += [_escaped(text[before:offset]), mark]
        before = offset
    return "".join([*parts, _escaped(text[before:])])


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(text.split(" ")))
