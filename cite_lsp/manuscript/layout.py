"""What a scan of a draft yields, whichever its format: the raw material of a Manuscript."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from attrs import field, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    BibliographyItem,
    Commands,
    EmbeddedFile,
    EntrySet,
    ExternalDocument,
    Inclusion,
    Marker,
    Names,
    Section,
)
from cite_lsp.manuscript.text.plain import Markup

Span = tuple[int, int]

BLANK_LINE = lazy_re(r"\n(?=[ \t\r]*\n)")


@frozen
class Note:
    """A footnote: `start`:`end` is the whole of it, `body`:`close` its text.

    One that is a `remark` is said among the authors, and is no part of the draft.
    """

    start: int
    body: int
    close: int
    end: int
    remark: bool = False


@frozen
class Table:
    r"""A table: its range up to its `\end`, where its contents begin, the texts of its caption.

    `rows` says where its rows begin, if that need not be looked for.
    """

    start: int
    body: int
    end: int
    captions: tuple[Span, ...] = ()
    rows: tuple[int, ...] = ()


@frozen
class Layout:
    """The places of interest of a draft, in the order of the text.

    - `markup` says how its markup reads as plain text.
    - `omissions` are ranges that hold no prose but do not end a sentence (displayed formulas).
      `borders` are those that do (headings, listings, bullets). Both may nest.
    - `prose` is the range outside which nothing is prose.
    - `code` are the ranges where nothing can be cited.
    - `group_level` is the deepest level of heading that begins a new group of sections (a group is
      about one thing), `run_in` the level from which a heading stands in the text and bounds no
      context.
    - `title_at` and `abstract_at` are the ranges of the title and the abstract (LaTeX).
    - `markers_outside_prose` are the markers in definitions, in the notes of other markers, in
      short titles and captions, and in Typst's `quote(attribution: <key>)`.
    - `names` are what the abbreviations and macros stand for that the file defines.
    - `tables` are the outermost tables.
    - `labels` are the names that the file gives to its figures and other parts (that of a
      glossary's term also with a colon behind it), `references` the places that refer to such
      names: they read like markers.
    - `doi_links` are the links to DOIs, which cite in MyST.
    - `anchors` are further names that only MyST refers to like that: of a heading, say.
    - `reference_kinds` are the kinds of such names that the draft adds to those of Quarto
      (`supptbl` of `@supptbl-one`), `reference_lists` the ranges of metadata that hold a list of
      entries, `references:`.
    - `searched` are ranges in which the end of something was looked for, where no other range shows
      it: an edit in one may change how the text around it reads. `unclosed` is the number of groups
      that were looked through up to a limit and are not closed (neither of LaTeX).
    """

    markup: Markup
    prose: Span
    title: str = ""
    abstract: str = ""
    title_at: Span | None = None
    abstract_at: Span | None = None
    year: int | None = None
    root: str = ""
    group_level: int = 3
    run_in: int = 99
    sections: tuple[Section, ...] = ()
    markers: tuple[Marker, ...] = ()
    markers_outside_prose: tuple[Marker, ...] = ()
    declarations: tuple[BibliographyDeclaration, ...] = ()
    inputs: tuple[Inclusion, ...] = ()
    items: tuple[BibliographyItem, ...] = ()
    embedded: tuple[EmbeddedFile, ...] = ()
    externals: tuple[ExternalDocument, ...] = ()
    entry_sets: tuple[EntrySet, ...] = ()
    cite_commands: Commands = field(factory=dict)
    names: Names = field(factory=dict)
    labels: frozenset[str] = frozenset()
    references: tuple[Span, ...] = ()
    doi_links: tuple[Marker, ...] = ()
    anchors: frozenset[str] = frozenset()
    reference_kinds: frozenset[str] = frozenset()
    reference_lists: tuple[Span, ...] = ()
    omissions: tuple[Span, ...] = ()
    borders: tuple[Span, ...] = ()
    notes: tuple[Note, ...] = ()
    code: tuple[Span, ...] = ()
    tables: tuple[Table, ...] = ()
    searched: tuple[Span, ...] = ()
    unclosed: int = 0


def paragraph_end(text: str, start: int, stop: int) -> int:
    """Return where the first blank line of a range begins; `stop` where it has none."""
    blank = BLANK_LINE.search(text, start, stop)
    return blank.start() if blank else stop


def is_within(spans: Sequence[Span], offset: int) -> bool:
    """Whether an offset lies in the last of some ranges, in order, that begins before it."""
    number = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return number >= 0 and offset < spans[number][1]


def sections_of(
    headings: list[tuple[int, int, int, str]], length: int, above: Sequence[Section] = ()
) -> tuple[Section, ...]:
    """Return the sections by the headings (start, body, level, title) behind those `above`."""
    sections = [*above]
    start = above[-1].end if above else 0
    first = headings[0][0] if headings else length
    if first > start or not headings:
        sections.append(Section("", 0, start, start, first))
    for number, (start, body, level, title) in enumerate(headings):
        end = headings[number + 1][0] if number + 1 < len(headings) else length
        sections.append(Section(title, level, start, min(body, end), end))
    return tuple(sections)


def group_level_of(headings: list[tuple[int, int, int, str]]) -> int:
    """Return the level of heading that begins a new group: the top one, or the one below a title.

    A single heading on top of all others is the title of the draft.
    """
    levels = sorted(level for _, _, level, _ in headings)
    if not levels:
        return 1
    return levels[1] if levels.count(levels[0]) == 1 and len(levels) > 1 else levels[0]
