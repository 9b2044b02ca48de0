"""Sentences of real papers with the answer to "did it cite?", laid out as the model will see them.

Of some English documents every sentence is known, one a row. Of others, and of Chinese ones, the
sentences inside the windows around citation markers, each with whole neighbours, labelled by
whether a marker stood in them; further Chinese sentences that cite nothing come from paragraphs of
books whose citing sentences are all known. What a marker leaves behind is taken out with it, or a
model would learn the traces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.formats.json_lines import Report, read_records
from cite_lsp.evaluate.tasks.manuscripts import main_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Sentence
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.manuscript.text.sentences import sentence_spans
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.missing.passages import Passage, passages_of, share_elsewhere
from cite_lsp.train.data.real_drafts import Drafts, split_drafts
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Progress

_WORD = lazy_re(r"[^\W_]+")
_KEY = lazy_re(r"\b[a-z]+[_:][a-zA-Z_]*\d{4}\w*\b")
_EMPTY_BRACKETS = lazy_re(r"\(\s*[,;\s]*\)|\[\s*[,;\s]*\]|（\s*[，；、,\s]*）")
_LOOSE_SEPARATORS = lazy_re(r"\s*(?:[,，、]\s*)+([,，、.。;；:：])")
_DANGLING = lazy_re(
    r"(?:[\s,]+(?:in|by|see|from|of|to|and|with|e\.g\.|also|at|on|following|or|for|the))+\s*"
    r"(?=[.,;:)]|$)"
)
_CLAUSE = lazy_re(r"[，,；;：:。.]")
_CLOSING = ",.;:!?)]"
_SHORTEST = 6
"""Letters from which on equal clauses mean the same sentence."""
CITING_SHARE = 0.1
"""Share of the sentences of documents known in part that are made to cite, by weight: only the
windows around markers are known of them, which hold far more citing sentences than theses do."""


@frozen
class LabelledSentence:
    """A sentence, the document it is from, whether it cited, and its language.

    whole: whether all sentences of the document are known, and not those near its markers alone.
    file: which file of the document it stands in.
    """

    document: str
    passage: Passage
    cited: bool
    language: str
    whole: bool = True
    file: int = 0


def texts_of(sentences: Iterable[LabelledSentence]) -> Iterator[list[LabelledSentence]]:
    """Yield the sentences of each text: those of a document, and of a file, that come in a row."""
    for _, text in groupby(sentences, key=lambda sentence: (sentence.document, sentence.file)):
        yield list(text)


def without_traces(text: str) -> str:
    """Take out what a removed marker leaves: bare keys, empty brackets, "as shown in .", ",,"."""
    text = _EMPTY_BRACKETS.sub("", _KEY.sub("", text))
    return _DANGLING.sub("", _LOOSE_SEPARATORS.sub(r"\1", text))


def read_sentences(paths: Iterable[Path], report: Report | None = None) -> list[LabelledSentence]:
    """Read files of sentences and of contexts.

    English sentences are rows with `citing_id` and `sentence`, English contexts such with `left`
    and `right`, and Chinese contexts have a `doc_id`. Contexts tell nothing of a document whose
    sentences are all known.

    Raises:
        RecordError: a file cannot be read.
    """
    sentences: list[dict[str, Any]] = []
    english: list[dict[str, Any]] = []
    chinese: list[dict[str, Any]] = []
    for path in paths:
        for _, row in read_records(path, report):
            if "doc_id" in row:
                chinese.append(row)
            else:
                (sentences if "sentence" in row else english).append(row)
    whole = {row["citing_id"] for row in sentences}
    partly = [row for row in english if row["citing_id"] not in whole]
    return [*_of_documents(sentences), *_of_english_windows(partly), *_of_chinese_windows(chinese)]


def read_uncited(
    path: Path, sentences: Sequence[LabelledSentence], report: Report | None = None
) -> list[LabelledSentence]:
    """Read the Chinese paragraphs of books (`zh`, `source`, `kind`) that are known to cite nothing.

    Only books all of whose citing sentences are among `sentences` may be in the file; thesis
    abstracts in it are passed over, and so is a sentence that stands at an edge of its paragraph.

    Raises:
        RecordError: the file cannot be read.
    """
    citing = {
        clause
        for sentence in sentences
        if sentence.cited
        for clause in _clauses(sentence.passage.sentence)
    }
    uncited = []
    for _, row in read_records(path, report):
        if row.get("kind") != "paragraph" or str(row.get("source", "")).startswith("thesis"):
            continue
        for passage in _interior(str(row.get("zh", "")), ""):
            clauses = _clauses(passage.sentence)
            if clauses and not citing.intersection(clauses):
                source = str(row["source"])
                uncited.append(LabelledSentence(source, passage, False, "zh", whole=False))
    return uncited


def sentence_weights(sentences: Sequence[LabelledSentence]) -> NDArray[np.float64]:
    """Return the weight of each sentence, (n,): 1, and less for some that cite.

    Of the weight of all sentences of documents known in part, in one language, `CITING_SHARE` lies
    on those that cite, at most.
    """
    cited = np.array([sentence.cited for sentence in sentences], dtype=bool)
    weights = np.ones(len(sentences))
    for language in {sentence.language for sentence in sentences}:
        partly = np.array(
            [sentence.language == language and not sentence.whole for sentence in sentences]
        )
        citing, silent = int((partly & cited).sum()), int((partly & ~cited).sum())
        if citing and silent:
            weights[partly & cited] = min(CITING_SHARE / (1 - CITING_SHARE) * silent / citing, 1.0)
    return weights


def _of_documents(rows: Sequence[Mapping[str, Any]]) -> Iterator[LabelledSentence]:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    sections: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        for count in (totals[row["citing_id"]], sections[row["citing_id"], row["section_title"]]):
            count[0] += 1
            count[1] += bool(row["cited"])
    for row in rows:
        total, section = totals[row["citing_id"]], sections[row["citing_id"], row["section_title"]]
        passage = Passage(
            without_traces(row["sentence"]),
            without_traces(row["previous"]),
            without_traces(row["next"]),
            row["section_title"],
            share_elsewhere(total[1] - section[1], total[0] - section[0]),
        )
        if passage.sentence.strip():
            yield LabelledSentence(row["citing_id"], passage, bool(row["cited"]), "en")


def _of_english_windows(rows: Sequence[Mapping[str, Any]]) -> Iterator[LabelledSentence]:
    citing: dict[str, set[str]] = defaultdict(set)
    passages: dict[tuple[str, str], Passage] = {}
    for row in rows:
        document, title = row["citing_id"], row.get("section_title") or ""
        text, marker = _joined(row["left"], row["right"])
        spans = sentence_spans(text)
        parts = [(without_traces(text[start:end]), start <= marker < end) for start, end in spans]
        for number, (sentence, cites) in enumerate(parts):
            letters = "".join(_WORD.findall(sentence))
            if cites:
                citing[document].add(letters)
            if letters and 0 < number < len(parts) - 1:
                passage = Passage(sentence, parts[number - 1][0], parts[number + 1][0], title)
                passages.setdefault((document, letters), passage)
    for (document, letters), passage in passages.items():
        cited = letters in citing[document]
        yield LabelledSentence(document, passage, cited, "en", whole=False)


def _joined(left: str, right: str) -> tuple[str, int]:
    """Return what stands around a marker as one text, and where in it the right part begins."""
    left, right = left.rstrip(), right.lstrip()
    between = " " if left and right and right[0] not in _CLOSING else ""
    return left + between + right, len(left) + len(between)


def _of_chinese_windows(rows: Sequence[Mapping[str, Any]]) -> Iterator[LabelledSentence]:
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
            yield LabelledSentence(document, passage, cited, "zh", whole=False)


def _interior(text: str, title: str) -> Iterator[Passage]:
    """Yield the sentences of a text that have a neighbour on both sides.

    Those at the edges may be cut off; and as all have both neighbours, having them says nothing.
    """
    text = without_traces(text)
    parts = [text[start:end] for start, end in sentence_spans(text)]
    for before, sentence, after in zip(parts, parts[1:], parts[2:], strict=False):
        yield Passage(sentence, before, after, title)


def _clauses(text: str) -> list[str]:
    """Return the clauses by which a sentence is recognised, whatever was taken out of it."""
    clauses = ["".join(_WORD.findall(part)) for part in _CLAUSE.split(without_traces(text))]
    return [clause for clause in clauses if len(clause) >= _SHORTEST]


STAGE = "drafts read"
"""What the progress is called."""


def read_drafts(
    drafts: Drafts,
    languages: Mapping[str, str],
    progress: Progress = lambda stage, done, total: None,
) -> list[LabelledSentence]:
    """Return the sentences of drafts, each once; `languages` are those of drafts, where known.

    A draft of an unknown language is in that of most of its sentences. One that cites nothing at
    all teaches nothing: a template, or a letter.
    """
    sentences: list[LabelledSentence] = []
    for number, (name, files) in enumerate(drafts.items()):
        once: dict[tuple[Passage, bool], LabelledSentence] = {}
        for row in _of_draft(name, files):
            once.setdefault((row.passage, row.cited), row)
        rows = list(once.values())
        language = languages.get(name) or main_language([row.language for row in rows])
        sentences += [evolve(row, language=language) for row in rows]
        progress(STAGE, number + 1, len(drafts))
    return sentences


def _of_draft(name: str, files: Sequence[Path]) -> Iterator[LabelledSentence]:
    reader = DraftReader(FilesOnDisk().read)
    for number, path in enumerate(files):
        draft = reader.draft(path)
        if any(file.cited for file in draft.document.files):
            yield from _of_file(name, number, draft)


def _of_file(name: str, number: int, draft: Draft) -> Iterator[LabelledSentence]:
    manuscript = draft.manuscript
    passages = passages_of(manuscript, draft.document)
    for sentence, passage in zip(manuscript.sentences, passages, strict=True):
        if not is_exempt(manuscript, sentence):
            cleaned = _cleaned(passage)
            if cleaned.sentence.strip():
                yield LabelledSentence(
                    name, cleaned, _cites(sentence), manuscript.language, file=number
                )


def _cleaned(passage: Passage) -> Passage:
    return evolve(
        passage,
        sentence=without_traces(passage.sentence),
        previous=without_traces(passage.previous),
        next=without_traces(passage.next),
    )


def _cites(sentence: Sentence) -> bool:
    return any(marker.keys and not marker.silent for marker in sentence.markers)


@frozen
class DraftSentences:
    """The sentences of real drafts: of those to learn from, and of those to measure on."""

    learn: Sequence[LabelledSentence] = ()
    check: Sequence[LabelledSentence] = ()


def draft_sentences(job: Job) -> DraftSentences:
    """Read the drafts of `--manuscripts`, if there are any.

    Raises:
        CiteLspError: there is no such folder.
        TrainingError: it has too few drafts, or its manifest cannot be read.
    """
    if job.options.manuscripts is None:
        return DraftSentences()
    dealt = split_drafts(job.options.manuscripts, (), job.report)
    learn, check = (
        read_drafts(part, dealt.languages, job.progress) for part in (dealt.learn, dealt.check)
    )
    return DraftSentences(learn, check)
