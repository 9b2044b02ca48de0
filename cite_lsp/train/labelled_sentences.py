"""Sentences of real papers with the answer to "did it cite?", laid out as the model will see them.

English: every sentence of a document, one a row. Chinese: the sentences inside the windows around
citation markers, each with whole neighbours, told apart by whether a marker stood in them; further
sentences that cite nothing come from paragraphs of books whose citing sentences are all known.
What a marker leaves behind is taken out with it, or a model would learn the traces.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from cite_lsp.corpus.records import Report, read_records
from cite_lsp.manuscript.sentences import sentence_spans
from cite_lsp.recommend.worthiness import Passage, share_elsewhere

_WORD = re.compile(r"[^\W_]+")
_KEY = re.compile(r"\b[a-z]+[_:][a-zA-Z_]*\d{4}\w*\b")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;\s]*\)|\[\s*[,;\s]*\]|（\s*[，；、,\s]*）")
_LOOSE_SEPARATORS = re.compile(r"\s*(?:[,，、]\s*)+([,，、.。;；:：])")
_DANGLING = re.compile(
    r"(?:[\s,]+(?:in|by|see|from|of|to|and|with|e\.g\.|also|at|on|following|or|for|the))+\s*"
    r"(?=[.,;:)]|$)"
)
_CLAUSE = re.compile(r"[，,；;：:。.]")
_SHORTEST = 6
"""Letters from which on equal clauses mean the same sentence."""


@frozen
class LabelledSentence:
    """A sentence, the document it is from, whether it cited, and its language."""

    document: str
    passage: Passage
    cited: bool
    language: str


def without_traces(text: str) -> str:
    """Take out what a removed marker leaves: bare keys, empty brackets, "as shown in .", ",,"."""
    text = _EMPTY_BRACKETS.sub("", _KEY.sub("", text))
    return _DANGLING.sub("", _LOOSE_SEPARATORS.sub(r"\1", text))


def read_sentences(paths: Iterable[Path], report: Report | None = None) -> list[LabelledSentence]:
    """Read files of English sentences (rows with `citing_id`) and of Chinese contexts (`doc_id`).

    Raises:
        RecordError: a file cannot be read.
    """
    english: list[dict[str, Any]] = []
    chinese: list[dict[str, Any]] = []
    for path in paths:
        for _, row in read_records(path, report):
            (chinese if "doc_id" in row else english).append(row)
    return [*_of_documents(english), *_of_windows(chinese)]


def read_uncited(
    path: Path, sentences: Sequence[LabelledSentence], report: Report | None = None
) -> list[LabelledSentence]:
    """Read the Chinese paragraphs of books (`zh`, `source`, `kind`) that are known to cite nothing.

    Only books all of whose citing sentences are among `sentences` may be in the file; thesis
    abstracts in it are passed over, and so is a sentence that stands at an edge of its paragraph.

    Raises:
        RecordError: the file cannot be read.
    """
    citing = {clause for one in sentences if one.cited for clause in _clauses(one.passage.sentence)}
    found = []
    for _, row in read_records(path, report):
        if row.get("kind") != "paragraph" or str(row.get("source", "")).startswith("thesis"):
            continue
        for passage in _interior(str(row.get("zh", "")), ""):
            clauses = _clauses(passage.sentence)
            if clauses and not citing.intersection(clauses):
                found.append(LabelledSentence(str(row["source"]), passage, False, "zh"))
    return found


def _of_documents(rows: Sequence[Mapping[str, Any]]) -> Iterator[LabelledSentence]:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    sections: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        for count in (totals[row["citing_id"]], sections[row["citing_id"], row["section_title"]]):
            count[0] += 1
            count[1] += bool(row["cited"])
    for row in rows:
        total, own = totals[row["citing_id"]], sections[row["citing_id"], row["section_title"]]
        passage = Passage(
            without_traces(row["sentence"]),
            without_traces(row["previous"]),
            without_traces(row["next"]),
            row["section_title"],
            share_elsewhere(total[1] - own[1], total[0] - own[0]),
        )
        if passage.sentence.strip():
            yield LabelledSentence(row["citing_id"], passage, bool(row["cited"]), "en")


def _of_windows(rows: Sequence[Mapping[str, Any]]) -> Iterator[LabelledSentence]:
    citing: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        citing[row["doc_id"]].update(_clauses(row["sentence"]))
    seen: set[tuple[str, str]] = set()
    for row in rows:
        document, title = row["doc_id"], row.get("section_title") or row.get("chapter_title") or ""
        for passage in _interior(row["left"] + row["right"], title):
            clauses = _clauses(passage.sentence)
            if not clauses or (document, "".join(clauses)) in seen:
                continue
            seen.add((document, "".join(clauses)))
            cited = bool(citing[document].intersection(clauses))
            yield LabelledSentence(document, passage, cited, "zh")


def _interior(text: str, title: str) -> Iterator[Passage]:
    """Yield the sentences of a text that have a neighbour on both sides.

    Those at the edges may be cut off; and as all have both neighbours, having them tells nothing.
    """
    text = without_traces(text)
    parts = [text[start:end] for start, end in sentence_spans(text)]
    for before, sentence, after in zip(parts, parts[1:], parts[2:], strict=False):
        yield Passage(sentence, before, after, title)


def _clauses(text: str) -> list[str]:
    """Return the clauses by which a sentence is recognised, whatever was taken out of it."""
    clauses = ["".join(_WORD.findall(part)) for part in _CLAUSE.split(without_traces(text))]
    return [clause for clause in clauses if len(clause) >= _SHORTEST]
