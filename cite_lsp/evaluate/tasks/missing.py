"""Task `missing`: take all citations out of a section of a real draft, and see which come back.

Each section of each file in turn loses its markers; the rest of the draft and its whole
bibliography stay. The question is that of the server: which sentences lack a citation, and
which papers. The baseline recommends the best paper of BM25 for every sentence.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from attrs import evolve, frozen

from cite_lsp.corpus.formats.json_lines import Report, ignored
from cite_lsp.evaluate.tasks.manuscripts import find_drafts, main_language
from cite_lsp.manuscript import Manuscript, Marker, Sentence
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.project.citations import known_keys
from cite_lsp.project.draft import Draft, DraftReader, Reader
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.missing.confidence import Signs
from cite_lsp.recommend.missing.gaps import (
    DEFAULT_LEVEL,
    LEVELS,
    GapOptions,
    Level,
    context_for,
    find_gaps,
)
from cite_lsp.recommend.query.query import read_query

Progress = Callable[[int], None]
"""Called with the number of further sentences that are done."""
TOP = (1, 3)
LOWEST = min(level.threshold for level in LEVELS.values())
"""Worthiness from which on gaps are returned, so that figures can be read at any threshold
above."""
_EVERY_GAP = GapOptions(Level(LOWEST, 0.0))
_DRAWN = 200


@frozen
class MaskedSentence:
    """One sentence of a section that lost its citations, and what was recommended for it.

    `cited` are the keys that it cited, `recommended` those recommended for it, best first, with the
    `worthiness` of the sentence, the `confidence` in the first and the `signs` of each;
    `words` are the best ones of BM25.
    """

    draft: str
    path: Path
    line: int
    language: str
    cited: tuple[str, ...]
    recommended: tuple[str, ...] = ()
    worthiness: float = 0.0
    confidence: float = 0.0
    words: tuple[str, ...] = ()
    signs: tuple[Signs, ...] = ()


@frozen
class SectionSample:
    """Some of the sections of a draft: by chance, until papers were ranked for enough sentences."""

    sentences: int
    seed: str


def evaluate_folder(
    folder: Path,
    read: Reader,
    *,
    without: Collection[str] = (),
    report: Report = ignored,
    progress: Progress | None = None,
) -> list[MaskedSentence]:
    """Empty every section of every draft below a folder; a draft is in the language of most of it.

    `without` names drafts to leave out (one that is not there is passed to `report`).

    Raises:
        CiteLspError: there is no such folder.
    """
    drafts = find_drafts(folder.resolve(), without, report).items()
    return [
        row
        for name, files in drafts
        for row in evaluate_draft(name, files, read, progress=progress)
    ]


def evaluate_draft(
    name: str,
    files: Sequence[Path],
    read: Reader,
    options: GapOptions = _EVERY_GAP,
    *,
    sample: SectionSample | None = None,
    progress: Progress | None = None,
) -> list[MaskedSentence]:
    """Empty the sections of a draft one after the other, all of them or a `sample`.

    `options` are those of `find_gaps`.
    """
    overlay = _Overlay(read)
    recommender = DraftRecommender(DraftReader(overlay))
    # Files are read by their whole paths, which is what the emptied one has to be known by.
    sections = [section for path in files for section in _sections_of(path.resolve(), recommender)]
    if sample:
        random.Random(sample.seed).shuffle(sections)
    prepared: set[Path] = set()
    rows: list[MaskedSentence] = []
    ranked = 0
    for section in sections:
        if section.path not in prepared:
            overlay.show(None)
            recommender.prepare(section.path)
            prepared.add(section.path)
        part = list(_evaluate_section(name, section, recommender, overlay, options))
        rows += part
        if progress:
            progress(len(part))
        ranked += sum(bool(row.recommended) for row in part)
        if sample and ranked >= sample.sentences:
            break
    language = main_language([row.language for row in rows])
    return [evolve(row, language=language) for row in rows]


def figures(
    rows: Sequence[MaskedSentence],
    level: Level = LEVELS[DEFAULT_LEVEL],
    *,
    baseline: bool = False,
) -> dict[str, float]:
    """Return recall of the removed citations (top 1, top 3) and the precision of what is shown.

    A citation counts as come back when its key is among the first papers shown for its sentence; a
    sentence is right when it cited the first paper shown. `sentence precision` is the share of
    shown sentences that cited anything at all.
    """
    removed = sum(len(row.cited) for row in rows)
    proposals = [(row, row.words if baseline else _proposal(row, level)) for row in rows]
    shown = [(row, proposal) for row, proposal in proposals if proposal]
    recalls = {
        f"recall@{top}": sum(len({*proposal[:top]} & {*row.cited}) for row, proposal in shown)
        / max(removed, 1)
        for top in TOP
    }
    right = sum(proposal[0] in row.cited for row, proposal in shown)
    return {
        "removed": removed,
        "offers": len(shown),
        **recalls,
        "precision": right / max(len(shown), 1),
        "sentence precision": sum(bool(row.cited) for row, _ in shown) / max(len(shown), 1),
    }


def trade_off(rows: Sequence[MaskedSentence]) -> list[tuple[float, float]]:
    """Return recall of the removed citations, by the first papers recommended, and their precision.

    Points from the highest confidence down, at every worthiness; as many as a drawing can show.
    """
    removed = max(sum(len(row.cited) for row in rows), 1)
    ranked = sorted((row for row in rows if row.recommended), key=lambda row: -row.confidence)
    right = np.cumsum([row.recommended[0] in row.cited for row in ranked])
    steps = [place for place, row in enumerate(ranked) if _last(ranked, place, row.confidence)]
    steps = steps[:: -(-len(steps) // _DRAWN)] if steps else []
    return [(float(right[place] / removed), float(right[place] / (place + 1))) for place in steps]


def _last(ranked: Sequence[MaskedSentence], place: int, confidence: float) -> bool:
    return place + 1 == len(ranked) or ranked[place + 1].confidence < confidence


def _proposal(row: MaskedSentence, level: Level) -> tuple[str, ...]:
    shown = row.worthiness >= level.threshold and row.confidence >= level.confidence
    return row.recommended if shown else ()


class _Overlay:
    """Reads files, one of them with another text."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._path: Path | None = None
        self._text = ""

    def __call__(self, path: Path) -> str | None:
        return self._text if path == self._path else self._read(path)

    def show(self, path: Path | None, text: str = "") -> None:
        """Give that file the text, and all others their own; None: all their own."""
        self._path, self._text = path, text


@frozen
class _Section:
    """A section of a file as its author left it, and its markers that cite entries."""

    path: Path
    draft: Draft
    markers: Sequence[Marker]


def _sections_of(path: Path, recommender: DraftRecommender) -> Iterator[_Section]:
    draft = recommender.draft(path)
    sections: dict[int, list[Marker]] = defaultdict(list)
    for marker in draft.manuscript.cited:
        if marker.closed and known_keys(draft, marker):
            sections[draft.manuscript.group_at(marker.start)].append(marker)
    for markers in sections.values():
        yield _Section(path, draft, markers)


def without_markers(
    manuscript: Manuscript, markers: Sequence[Marker]
) -> tuple[str, list[tuple[int, tuple[str, ...]]]]:
    """Return the text without some markers and the blanks or ties before them, and what was where.

    The places are offsets in the new text, each with the keys that stood there.
    """
    text = manuscript.text
    parts: list[str] = []
    places: list[tuple[int, tuple[str, ...]]] = []
    position = length = 0
    for marker in markers:
        if marker.start < position:
            continue  # inside another one
        start = marker.start
        while start > position and text[start - 1] in " ~":
            start -= 1
        parts.append(text[position:start])
        length += start - position
        position = marker.end
        places.append((length, tuple(key.text for key in marker.keys)))
    return "".join([*parts, text[position:]]), places


def _evaluate_section(
    name: str,
    section: _Section,
    recommender: DraftRecommender,
    overlay: _Overlay,
    gap_options: GapOptions,
) -> Iterator[MaskedSentence]:
    path, original = section.path, section.draft
    text, places = without_markers(original.manuscript, section.markers)
    overlay.show(path, text)
    draft = recommender.draft(path)
    manuscript = draft.manuscript
    group = manuscript.group_at(places[0][0])
    cited: dict[int, list[str]] = defaultdict(list)
    lines = LineIndex(manuscript.text)
    for offset, keys in places:
        sentence = manuscript.sentence_at(max(offset - 1, 0))
        entry_keys = [entry.key for key in keys if (entry := original.library.get(key)) is not None]
        cited[sentence.start if sentence else -1] += entry_keys
    sentences = [
        sentence
        for sentence in manuscript.sentences
        if manuscript.group_at(sentence.start) == group and not sentence.markers
    ]
    gaps = {
        gap.sentence.start: gap for gap in find_gaps(recommender, draft, sentences, gap_options)
    }
    pool = recommender.pool(draft.library)
    reached = {sentence.start for sentence in sentences}
    for start in sorted(set(cited) - reached):  # where no sentence is left
        line = lines.line_of(max(start, 0)) + 1
        yield MaskedSentence(
            name, path, line, manuscript.language, tuple(dict.fromkeys(cited[start]))
        )
    for sentence in sentences:
        gap = gaps.get(sentence.start)
        yield MaskedSentence(
            draft=name,
            path=path,
            line=lines.line_of(sentence.start) + 1,
            language=manuscript.language,
            cited=tuple(dict.fromkeys(cited.get(sentence.start, ()))),
            recommended=tuple(paper.key for paper in gap.recommendations) if gap else (),
            worthiness=gap.worthiness if gap else 0.0,
            confidence=gap.confidence if gap else 0.0,
            words=() if is_exempt(manuscript, sentence) else _by_words(draft, sentence, pool),
            signs=gap.signs if gap else (),
        )


def _by_words(draft: Draft, sentence: Sentence, pool: Pool) -> tuple[str, ...]:
    scores = pool.full_words.scores(read_query(context_for(draft, sentence)).wide_words)
    order = np.argsort(-scores, kind="stable")[: max(TOP)]
    return tuple(pool.names[row] for row in order)
