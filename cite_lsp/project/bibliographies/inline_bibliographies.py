r"""The bibliographies that stand in drafts: `\bibitem`s, `references:`, `filecontents`, a .bbl."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from cite_lsp.library.entries import Bibliography
from cite_lsp.library.formats.bbl import typeset_entries
from cite_lsp.library.formats.bibitem import bibitems
from cite_lsp.library.formats.entry_sets import entry_sets
from cite_lsp.library.load.read import with_known_records
from cite_lsp.manuscript import EmbeddedFile, Manuscript
from cite_lsp.project.bibliographies.filecontents import EmbeddedBibliography, joined, read_embedded
from cite_lsp.storage.caches import LastUsed

TYPESET = ".bbl"
"""The suffix of a bibliography that BibTeX or Biber made from the draft's own."""
_Holding = tuple[Manuscript, tuple[EmbeddedFile, ...]]
"""A file of a draft, and those of the files embedded in it that are bibliographies."""


class InlineBibliographies:
    """Reads the bibliographies in drafts; what has not changed is read once. Thread-safe."""

    def __init__(self) -> None:
        self._inlined: LastUsed[tuple[Path, Path], tuple[_Holding, Bibliography | None]] = LastUsed(
            None
        )
        self._references_read: LastUsed[Path, tuple[tuple[int, str], Bibliography | None]] = (
            LastUsed(None)
        )

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop what was read of all files but these."""
        retained = set(paths)
        self._inlined.forget_unless(retained.issuperset)
        self._references_read.forget_unless(retained.__contains__)

    def read(
        self, root: Path, files: dict[Path, Manuscript], embedded: Iterable[EmbeddedBibliography]
    ) -> Iterator[Bibliography]:
        """Yield the bibliographies that stand in drafts.

        Where a draft changes there, records that say the same stay the same objects.
        """
        places: dict[Path, list[EmbeddedFile]] = {}
        for bibliography in embedded:
            places.setdefault(bibliography.path, []).append(bibliography.place)
        for path, manuscript in files.items():
            holding = manuscript, tuple(places.get(path, ()))
            if not self._may_hold(path, *holding):
                continue
            cached = self._inlined.get((root, path))
            if cached is not None and cached[0] == holding:
                parsed = cached[1]
            else:
                parts = list(self._parts(path, *holding))
                parsed = joined(parts) if parts else None
                if parsed is not None and cached is not None and cached[1] is not None:
                    parsed = with_known_records(parsed, cached[1])
            self._inlined.keep((root, path), (holding, parsed))
            if parsed is not None:
                yield parsed

    @staticmethod
    def _may_hold(path: Path, manuscript: Manuscript, places: Sequence[EmbeddedFile]) -> bool:
        return bool(
            places
            or manuscript.layout.entry_sets
            or manuscript.items
            or manuscript.layout.reference_lists
            or path.suffix == TYPESET
        )

    def _parts(
        self, path: Path, manuscript: Manuscript, places: Iterable[EmbeddedFile]
    ) -> Iterator[Bibliography]:
        for embedded in places:
            yield read_embedded(manuscript, path, embedded)
        if manuscript.layout.entry_sets:
            yield entry_sets(manuscript, path)
        if manuscript.items:
            yield bibitems(manuscript, path)
        elif path.suffix == TYPESET:
            yield typeset_entries(manuscript.text, path)
        if lists := manuscript.layout.reference_lists:
            references = self._references(manuscript.text, path, lists)
            if references is not None:
                yield references

    def _references(
        self, text: str, path: Path, places: Sequence[tuple[int, int]]
    ) -> Bibliography | None:
        # Imported where needed: most drafts have no references of their own.
        from cite_lsp.library.csl.yaml import parse_references

        front = text[: places[-1][1]] if len(places) > 1 else text[slice(*places[0])]
        state = places[0][0], front
        cached = self._references_read.get(path)
        if cached is None or cached[0] != state:
            parsed = parse_references(text[: places[-1][1]], path, places)
            cached = self._references_read.keep(path, (state, parsed))
        return cached[1]
