"""Task `manuscripts`: mask each citation of real drafts in turn and rank what it cited.

The library is the draft's own, the rest of the draft stays as it is (or, writing forward, only what
stands above the marker exists). The Recommender is the one that the server runs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.corpus.formats.json_lines import Report, ignored
from cite_lsp.errors import CiteLspError
from cite_lsp.manuscript import Context, Marker, format_of
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.project.citations import context_without_keys, known_keys
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library.adaptation import MarkerKey, Observation, marker_key, sample_markers
from cite_lsp.recommend.library.recommender import SYSTEMS, System

Orders = Mapping[System, tuple[tuple[str, float], ...]]
"""Keys with their scores, best first, by each system."""
SMALL_LIBRARY, LARGE_LIBRARY = 50, 200
"""The most entries of a small library, and of one of middle size."""
FOLDS = 10
"""Parts of a draft's markers, for each of which the ranking learns from the markers of the
others."""
SKIPPED_FOLDERS = frozenset((".git", "node_modules", "_build", "_book", ".venv"))


@frozen
class MaskedMarker:
    """One marker without its keys, and what each system made of it.

    `entries` is the size of its library. `confidence` is the score of the first recommendation of
    the default system, if it was run. `ranks` gives for every system the rank of the first right
    key, None if it was not ranked.
    """

    draft: str
    path: Path
    line: int
    language: str
    repeated: bool
    keys: tuple[str, ...]
    entries: int
    ranks: dict[System, int | None]
    confidence: float | None = None


def find_drafts(
    folder: Path, without: Collection[str] = (), report: Report = ignored
) -> dict[str, list[Path]]:
    """Return the draft files below a folder by draft: one draft a subfolder, or the folder itself.

    `without` names drafts to leave out; one that is not there is passed to `report`.

    Raises:
        CiteLspError: there is no such folder.
    """
    if not folder.is_dir():
        raise CiteLspError(f"{folder}: not a folder; give one that holds drafts")
    drafts: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if format_of(path) is None or not path.is_file() or SKIPPED_FOLDERS & set(parts):
            continue
        drafts.setdefault(parts[0] if len(parts) > 1 else folder.name, []).append(path)
    for name in dict.fromkeys(without):
        if name not in drafts:
            report(f"{folder}: has no draft {name!r} to leave out; its drafts are its subfolders")
    return {name: files for name, files in drafts.items() if name not in without}


def masked_context(draft: Draft, marker: Marker, *, forward: bool) -> Context:
    """Return the context of a marker with all of its keys taken out.

    Writing forward, the text to the right, the later markers and what they cite do not exist yet.
    """
    context = context_without_keys(draft, draft.manuscript, marker)
    return context.written_so_far() if forward else context


def evaluate_draft(
    name: str,
    files: Sequence[Path],
    recommender: DraftRecommender,
    systems: Sequence[System] = SYSTEMS,
    *,
    forward: bool = False,
    entries: int | None = None,
) -> Iterator[MaskedMarker]:
    """Mask every marker of a draft's files that has a key in its library; yield what came back.

    Writing forward, the ranking adapts to what was observed at the markers above, each when nothing
    stood below it; otherwise to what the server would observe were the masked one not there: where
    others see it, they betray how often its papers are cited.
    With `entries`, ranks are those among so many entries of the library: the right ones and others
    by chance, anew for every marker.
    """
    observations: dict[MarkerKey, Observation] = {}
    by_fold = _ObservationsByFold(recommender)
    lines: dict[Path, LineIndex] = {}
    for path, draft, marker in in_reading_order(files, recommender):
        if path not in lines:
            lines[path] = LineIndex(draft.manuscript.text)
            recommender.prepare(path)
        context = masked_context(draft, marker, forward=forward)
        keys = known_keys(draft, marker)
        seen = observations if forward else by_fold.without(draft, context.order)
        orders: Orders = recommender.compare(draft, context, systems, seen)
        if forward:
            marker_mention = draft.document.mentions[context.order]
            observations[marker_key(marker_mention)] = recommender.observe(draft, context, keys)
        if entries is not None:
            rng = random.Random(f"{name} {path.name} {marker.start}")
            orders = among(orders, keys, entries, rng)
        ranks: dict[System, int | None] = {
            system: next((rank for rank, (key, _) in enumerate(order, 1) if key in keys), None)
            for system, order in orders.items()
        }
        best = orders.get("default")
        yield MaskedMarker(
            draft=name,
            path=path,
            line=lines[path].line_of(marker.start) + 1,
            language=context.language,
            repeated=any(key in mention.keys for mention in context.mentions for key in keys),
            keys=keys,
            entries=len(draft.library.entries),
            ranks=ranks,
            confidence=best[0][1] if best else None,
        )


class _ObservationsByFold:
    """Observations at the markers of drafts, some others of the same draft hidden from them."""

    def __init__(self, recommender: DraftRecommender) -> None:
        self._recommender = recommender
        self._cache: dict[tuple[Path, int], dict[MarkerKey, Observation]] = {}

    def without(self, draft: Draft, order: int) -> dict[MarkerKey, Observation]:
        """Return those without the fold of the marker of this order, one of `FOLDS`."""
        fold = order % FOLDS
        name = draft.project.root, fold
        if name not in self._cache:
            self._cache[name] = dict(self._observe(draft, fold))
        return self._cache[name]

    def _observe(self, draft: Draft, fold: int) -> Iterator[tuple[MarkerKey, Observation]]:
        markers, _ = sample_markers(draft.document.files)
        for _, manuscript, marker in markers:
            context = context_without_keys(draft, manuscript, marker)
            if context.order % FOLDS != fold:
                hidden = {
                    mention.order for mention in context.mentions if mention.order % FOLDS == fold
                }
                keys = known_keys(draft, marker)
                seen = self._recommender.observe(draft, context.without_mentions(hidden), keys)
                yield marker_key(draft.document.mentions[context.order]), seen


def in_reading_order(
    files: Sequence[Path], recommender: DraftRecommender
) -> list[tuple[Path, Draft, Marker]]:
    """Return the markers of files that have a key in their library, as a reader meets them.

    Files of one document stand together, whatever they are called.
    """
    markers = []
    for path in files:
        draft = recommender.draft(path)
        number = draft.document.number_of(draft.manuscript) or 0
        for marker in draft.manuscript.cited:
            if marker.closed and known_keys(draft, marker):
                order = draft.document.order_at(number, marker.start)
                markers.append((draft.project.root, order, path, draft, marker))
    markers.sort(key=lambda item: item[:2])
    return [(path, draft, marker) for *_, path, draft, marker in markers]


def among(orders: Orders, right: Collection[str], size: int, rng: random.Random) -> Orders:
    """Return orders of the right keys and of others, drawn by chance, `size` together.

    What ranked them knew the whole library. A smaller one stays whole.
    """
    others = sorted({key for order in orders.values() for key, _ in order}.difference(right))
    keys = {*right, *rng.sample(others, min(max(0, size - len(right)), len(others)))}
    return {
        system: tuple(pair for pair in order if pair[0] in keys) for system, order in orders.items()
    }


def parts_of(markers: Sequence[MaskedMarker]) -> dict[str, list[MaskedMarker]]:
    """Return first and repeated mentions apart, then small and large libraries, then formats.

    A part that has all of the markers is left out.
    """
    parts: dict[str, list[MaskedMarker]] = {}
    for part_of in (_mention_of, _library_of, _format_of):
        by_part: dict[str, list[MaskedMarker]] = {}
        for marker in markers:
            by_part.setdefault(part_of(marker), []).append(marker)
        if len(by_part) > 1:
            parts |= {name: by_part[name] for name in sorted(by_part)}
    return parts


def _mention_of(marker: MaskedMarker) -> str:
    return "repeated" if marker.repeated else "first mention"


def _library_of(marker: MaskedMarker) -> str:
    if marker.entries <= SMALL_LIBRARY:
        return f"at most {SMALL_LIBRARY} entries"
    if marker.entries <= LARGE_LIBRARY:
        return f"at most {LARGE_LIBRARY} entries"
    return f"more than {LARGE_LIBRARY} entries"


def _format_of(marker: MaskedMarker) -> str:
    return format_of(marker.path) or ""


def main_language(languages: Sequence[str]) -> str:
    """Return the language of a draft by those of its contexts: "zh" if most are, else "en"."""
    return "zh" if languages.count("zh") * 2 > len(languages) else "en"


def evaluate_drafts(
    drafts: Mapping[str, Sequence[Path]],
    recommender: DraftRecommender,
    systems: Sequence[System] = SYSTEMS,
    *,
    forward: bool = False,
    entries: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[MaskedMarker]:
    """Evaluate drafts, each of which has the files given (see `find_drafts`).

    The language of a draft is that of most of its contexts: one thesis is not two drafts. For
    `entries` see `evaluate_draft`.
    """
    result: list[MaskedMarker] = []
    for name, files in drafts.items():
        rows = list(
            evaluate_draft(name, files, recommender, systems, forward=forward, entries=entries)
        )
        language = main_language([row.language for row in rows])
        result += [evolve(row, language=language) for row in rows]
        if progress and rows:
            progress(len(rows))
    return result
