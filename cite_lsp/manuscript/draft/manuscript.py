"""A parsed draft: its markers, sections and sentences, and what stands at an offset."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import chain, compress, count, filterfalse
from operator import attrgetter, itemgetter

from attrs import evolve, field, frozen

from cite_lsp.language import detect_language, message_language
from cite_lsp.manuscript.draft.blocks import Block, Cutter, blocks_of
from cite_lsp.manuscript.draft.note_references import label_of, references_to
from cite_lsp.manuscript.draft.read_parts import Edit, ReadParts
from cite_lsp.manuscript.latex.tables import TableRows
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    BibliographyItem,
    Commands,
    Inclusion,
    Marker,
    Names,
    Section,
    Sentence,
    is_silent,
)
from cite_lsp.manuscript.text.comments import begins_block, comment_between
from cite_lsp.manuscript.text.plain import Token, clean

_SAMPLED_BLOCKS = 40
_START, _IS_NOTE, _OFFSET = attrgetter("start"), attrgetter("note"), itemgetter(0)
_NESTED = 40
"""How many footnotes may lie inside another one that still goes on."""


@frozen(eq=False)
class Manuscript:
    """A parsed draft. Two manuscripts are equal only if they are the same object.

    Sentences and plain text are read on first use. `scanned` is the layout as the scan gave it,
    without placeholders and names.
    """

    text: str = field(repr=False)
    format: str
    layout: Layout = field(repr=False)
    names: Names = field(factory=dict, repr=False)
    scanned: Layout | None = field(default=None, repr=False)
    _edit: Edit | None = field(default=None, repr=False)
    read_parts: ReadParts = field(factory=ReadParts, init=False, repr=False)

    @property
    def edit(self) -> Edit | None:
        """What is known by the text before an edit; None where the manuscript is made of more."""
        edit = self._edit
        return edit if edit and edit.layout is self.layout and not self.names else None

    @property
    def title(self) -> str:
        """The draft's title in plain text, or ""."""
        return self.layout.title

    @property
    def abstract(self) -> str:
        """The draft's abstract in plain text, or ""."""
        return self.layout.abstract

    @property
    def year(self) -> int | None:
        r"""The year in the front matter or in `\date`."""
        return self.layout.year

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections in order; together they cover the text."""
        return self.layout.sections

    @property
    def markers(self) -> tuple[Marker, ...]:
        r"""All markers in order of their start, `\nocite` among them."""
        return self.layout.markers

    @property
    def markers_outside_prose(self) -> tuple[Marker, ...]:
        """The markers in definitions, notes of other markers, short captions: none of `markers`."""
        return self.layout.markers_outside_prose

    @property
    def declarations(self) -> tuple[BibliographyDeclaration, ...]:
        """The bibliographies that the draft names."""
        return self.layout.declarations

    @property
    def inputs(self) -> tuple[Inclusion, ...]:
        """The files that the draft reads in."""
        return self.layout.inputs

    @property
    def items(self) -> tuple[BibliographyItem, ...]:
        r"""The `\bibitem`s that stand in the draft itself, and `\harvarditem`s and `\bib`s."""
        return self.layout.items

    @property
    def cite_commands(self) -> Commands:
        """The citing commands that the draft defines (None: defined, and not citing)."""
        return self.layout.cite_commands

    @cached_property
    def language(self) -> str:
        """The language of the prose: "zh" or "en"."""
        return detect_language(self._sample)

    @cached_property
    def message_language(self) -> str:
        """The language of messages to the writer: `language`, but "en" in Japanese drafts."""
        return message_language(self.language, self._sample)

    @cached_property
    def _sample(self) -> str:
        blocks = self.blocks[:: max(len(self.blocks) // _SAMPLED_BLOCKS, 1)]
        return " ".join([self.title, *(block.paragraph.text for block in blocks)])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The paragraphs of prose, in order of their start."""
        blocks = self.read_parts.blocks = self._read_blocks()
        return blocks

    def _read_blocks(self) -> tuple[Block, ...]:
        edit = self.edit
        if edit is None or edit.blocks is None:
            return blocks_of(self._cutter)
        first, last = (
            bisect_left(edit.blocks, offset, key=lambda block: block.start)
            for offset in (edit.stretch.start, edit.stretch.end_before)
        )
        below, shift = edit.blocks[last:], edit.stretch.shift
        return (
            *edit.blocks[:first],
            *blocks_of(Cutter(self.text, self.format, edit.part)),
            *((block.shifted(shift) for block in below) if shift else below),
        )

    @cached_property
    def _cutter(self) -> Cutter:
        return Cutter(self.text, self.format, self.layout, self._expansions)

    @cached_property
    def tables(self) -> tuple[TableRows, ...]:
        """The outermost tables, in order of their start."""
        if not self.layout.tables:
            return ()
        return tuple(TableRows(table, self._cutter) for table in self.layout.tables)

    @property
    def _expansions(self) -> tuple[Token, ...]:
        if not self.names:
            return ()
        # Imported where needed: few drafts have abbreviations or labels that are cited.
        from cite_lsp.manuscript.latex.abbreviations import expansions

        return expansions(self.text, self.names)

    def with_names(self, names: Names) -> Manuscript:
        """Return it with these names of its draft expanded; itself if it uses none of them."""
        names = {key: names[key] for key in self._keys_used if key in names} if names else {}
        if names == self.names:
            return self
        from cite_lsp.manuscript.latex.abbreviations import with_expansions

        return evolve(self, layout=with_expansions(self.text, self.layout, names), names=names)

    def with_labels(self, labels: Set[str], kinds: Set[str] = frozenset()) -> Manuscript:
        """Return it with references to these labels of its draft, and of these kinds.

        `@kind-name` is of a kind. It is itself if it refers to none.
        """
        if not labels and not kinds:
            return self
        from cite_lsp.manuscript.latex.cross_references import without_references

        layout = without_references(self.layout, labels, kinds)
        return self if layout is self.layout else evolve(self, layout=layout)

    def with_doi_links(self) -> Manuscript:
        """Return it with its links to DOIs as markers; itself if it has none."""
        links = self.layout.doi_links
        if not links:
            return self
        markers = sorted((*self.markers, *links), key=lambda marker: marker.start)
        return evolve(self, layout=evolve(self.layout, markers=tuple(markers), doi_links=()))

    @cached_property
    def _keys_used(self) -> frozenset[str]:
        from cite_lsp.manuscript.latex.abbreviations import keys_used

        return keys_used(self.text)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences of the prose, those of footnotes behind those of their paragraph."""
        return tuple(sentence for block in self.blocks for sentence in self._sentences_of(block))

    @cached_property
    def cited(self) -> tuple[Marker, ...]:
        """The markers that stand in the prose: all but silent ones."""
        silent = set(filter(is_silent, {marker.command for marker in self.markers}))
        if not silent:
            return self.markers
        return tuple(marker for marker in self.markers if marker.command not in silent)

    @cached_property
    def groups(self) -> tuple[int, ...]:
        r"""For each section the index of the section that heads its group: a `\section`."""
        heads, head = [], 0
        for number, section in enumerate(self.sections):
            if section.level and section.level <= self.layout.group_level:
                head = number
            heads.append(head)
        return tuple(heads)

    @cached_property
    def _notes(self) -> list[int]:
        """Which of the paragraphs are footnotes."""
        return list(compress(count(), map(_IS_NOTE, self.blocks)))

    @cached_property
    def _body(self) -> tuple[Block, ...]:
        """The paragraphs that are no footnotes: they do not overlap."""
        return tuple(filterfalse(_IS_NOTE, self.blocks))

    def _section_index(self, offset: int) -> int:
        return max(bisect_right(self.sections, offset, key=_START) - 1, 0)

    def _cited_in(self, start: int, end: int) -> tuple[Marker, ...]:
        first = bisect_left(self.markers, start, key=_START)
        last = bisect_left(self.markers, end, key=_START)
        if first == last:
            return ()
        return tuple(marker for marker in self.markers[first:last] if not marker.silent)

    @cached_property
    def _references(self) -> tuple[tuple[int, Sequence[Marker]], ...]:
        """Where footnotes are referred to whose text stands apart, and the markers in it."""
        text, notes = self.text, self.layout.notes
        cited = {label_of(text, note): self._cited_in(note.body, note.close) for note in notes}
        cited = {label: markers for label, markers in cited.items() if label and markers}
        return tuple(
            (start, cited[label])
            for start, label in references_to(text, self.format, cited)
            if not self.in_code(start)
        )

    def _noted_in(self, start: int, end: int) -> tuple[Marker, ...]:
        first = bisect_left(self._references, start, key=_OFFSET)
        last = bisect_left(self._references, end, key=_OFFSET)
        return tuple(chain.from_iterable(noted for _, noted in self._references[first:last]))

    def cited_before(self, offset: int) -> int:
        """Return how many of the markers `cited` begin before an offset."""
        return bisect_left(self.cited, offset, key=_START)

    def marker_at(self, offset: int) -> Marker | None:
        """Return the marker that encloses the offset (both its edges count), or None."""
        number = bisect_right(self.markers, offset, key=_START) - 1
        for marker in reversed(self.markers[max(number - 1, 0) : number + 1]):
            if marker.start <= offset <= marker.end:
                return marker
        return None

    def section_at(self, offset: int) -> Section:
        """Return the section that holds the offset."""
        return self.sections[self._section_index(offset)]

    def group_at(self, offset: int) -> int:
        """Return the group of sections that holds the offset, as the index of its first section."""
        return self.groups[self._section_index(offset)]

    def window(self, offset: int) -> tuple[int, int]:
        """Return the range of the (sub)section around the offset: a context reaches no further."""
        number = self._section_index(offset)
        first, last = number, number + 1
        run_in = self.layout.run_in
        while first > 0 and self.sections[first].level >= run_in:
            first -= 1
        while last < len(self.sections) and self.sections[last].level >= run_in:
            last += 1
        return self.sections[first].start, self.sections[last - 1].end

    def block_at(self, offset: int) -> Block | None:
        """Return the innermost paragraph that holds the offset (its end counts), or None."""
        notes = self._notes_at(offset)
        if notes:
            return notes[0]
        number = bisect_right(self._body, offset, key=_START) - 1
        block = self._body[number] if number >= 0 else None
        return block if block and offset <= block.end else None

    def row_at(self, offset: int) -> tuple[TableRows, Block] | None:
        """Return the table that holds the offset, and its row there; None in a footnote, too."""
        number = bisect_right(self.tables, offset, key=lambda rows: rows.table.body) - 1
        if number < 0 or offset > self.tables[number].table.end or self._notes_at(offset):
            return None
        row = self.tables[number].row_at(offset)
        return (self.tables[number], row) if row else None

    def in_code(self, offset: int) -> bool:
        """Whether the offset is in code, an address, front matter or a definition."""
        return any(start < offset < end for start, end in self.layout.code)

    def in_comment(self, offset: int) -> bool:
        """Whether the offset is in a comment; one that nothing closes goes on to the end."""
        line, code = self.text.rfind("\n", 0, offset) + 1, self.layout.code
        if comment_between(self.text, self.format, code, line, offset) is not None:
            return True
        return any(
            start < offset < end + (end == len(self.text))
            and begins_block(self.text, self.format, start)
            for start, end in code
        )

    def _sentences_of(self, block: Block) -> list[Sentence]:
        section = self._section_index(block.start)
        sentences = []
        for first, last, plain in block.paragraph.sentences:
            start, end = block.start + first, block.start + last
            markers, noted = self._cited_in(start, end), self._noted_in(start, end)
            sentences.append(Sentence(start, end, plain, section, markers, noted))
        return sentences

    def sentence_at(self, offset: int) -> Sentence | None:
        """Return the sentence at the offset, or else the sentence before it in its paragraph."""
        block = self.block_at(offset)
        sentences = self._sentences_of(block) if block else []
        number = bisect_right([sentence.start for sentence in sentences], offset) - 1
        return sentences[max(number, 0)] if sentences else None

    def neighbours(self, sentence: Sentence) -> tuple[str, str]:
        """Return the plain text of the sentences before and after, within the (sub)section."""
        start, end = self.window(sentence.start)
        before = after = ""
        for block in self.blocks_before(sentence.start, start):
            texts = [
                plain
                for first, _, plain in block.paragraph.sentences
                if block.start + first < sentence.start
            ]
            if texts:
                before = texts[-1]
                break
        for block in self.blocks_after(sentence.start, end):
            texts = [
                plain
                for first, _, plain in block.paragraph.sentences
                if block.start + first > sentence.start
            ]
            if texts:
                after = texts[0]
                break
        return before, after

    def prose(self, start: int, end: int) -> str:
        """Return the plain text of a range: no markup, no markers, no footnotes around it."""
        parts = [block.plain(start, end) for block in self.blocks_between(start, end)]
        return " ".join(filter(None, (clean(part) for part in parts)))

    def blocks_between(self, start: int, end: int) -> list[Block]:
        """Return the paragraphs a range touches; a footnote only if it begins or ends there."""
        first = max(bisect_right(self.blocks, start, key=_START) - _NESTED, 0)
        last = bisect_right(self.blocks, end, key=_START)
        return [
            block
            for block in self.blocks[first:last]
            if block.end > start
            and block.start < end
            and (not block.note or block.holds(start) or block.holds(end))
        ]

    def blocks_before(self, offset: int, start: int) -> Iterator[Block]:
        """Yield the paragraphs from an offset back to `start`, nearest first.

        Footnotes are passed over, but for the one that holds the offset.
        """
        yield from self._notes_at(offset)
        for number in range(bisect_right(self._body, offset, key=_START) - 1, -1, -1):
            block = self._body[number]
            if block.end <= start:
                return
            yield block

    def blocks_after(self, offset: int, end: int) -> Iterator[Block]:
        """Yield the paragraphs from an offset on to `end`, nearest first, footnotes as above."""
        yield from (block for block in self._notes_at(offset) if block.end > offset)
        for number in range(
            max(bisect_right(self._body, offset, key=_START) - 1, 0), len(self._body)
        ):
            block = self._body[number]
            if block.start >= end:
                return
            if block.end > offset:
                yield block

    def _notes_at(self, offset: int) -> list[Block]:
        """Return the footnotes that hold an offset, the innermost first."""
        number = bisect_right(self.blocks, offset, key=_START)
        first, last = (bisect_left(self._notes, n) for n in (number - _NESTED, number))
        near = (self.blocks[note] for note in reversed(self._notes[first:last]))
        return [note for note in near if offset <= note.end]
