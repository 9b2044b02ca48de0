"""The citations of a draft: which keys its markers have, and which markers wait for one."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Library
from cite_lsp.manuscript import (
    CitationSite,
    Context,
    Manuscript,
    Marker,
    context_of,
)
from cite_lsp.manuscript.edit.insertion import WRONG_COMMAS
from cite_lsp.manuscript.edit.placement import cites_everything, is_outside_notes, lacks_keys
from cite_lsp.manuscript.empty_keys import EmptyKey, empty_keys
from cite_lsp.manuscript.latex.commands.definitions import keys_in_macros
from cite_lsp.manuscript.markdown.chunks import keys_in_code
from cite_lsp.manuscript.model import MarkerKey, Sentence
from cite_lsp.manuscript.placeholders.placeholder_words import is_placeholder_key
from cite_lsp.project.draft import Draft

_WRONG_COMMA = lazy_re(rf"\s*[{''.join(WRONG_COMMAS)}]\s*")


def context_without_keys(draft: Draft, manuscript: Manuscript, marker: Marker) -> Context:
    """Return the context of a marker without any of its keys."""
    return evolve(context_of(manuscript, marker, draft.document), marker_cited=())


def known_keys(draft: Draft, marker: Marker) -> tuple[str, ...]:
    """Return the keys of a marker that the draft's library has, as the library writes them."""
    entries = (draft.library.get(key.text) for key in marker.keys)
    return tuple(dict.fromkeys(entry.key for entry in entries if entry is not None))


Citation = tuple[str, str]
"""What identifies a citation wherever it moves: its key, and the plain text of its sentence."""


@frozen
class SingleCitation:
    """A marker that cites one entry of the library, and the sentence that it stands in."""

    marker: Marker
    sentence: Sentence

    @property
    def key(self) -> MarkerKey:
        """The key."""
        return self.marker.keys[0]

    @property
    def identity(self) -> Citation:
        """What identifies it wherever it moves."""
        return self.key.text, self.sentence.text


def single_citations(draft: Draft) -> Iterator[SingleCitation]:
    """Yield the markers of the opened file that cite one entry of the library, in a sentence."""
    for marker in draft.manuscript.cited:
        if not marker.closed or len(marker.keys) != 1:
            continue
        (key,) = marker.keys
        sentence = draft.manuscript.sentence_at(max(marker.start - 1, 0))
        if sentence is not None and draft.library.get(key.text) is not None:
            yield SingleCitation(marker, sentence)


def on_known_key(site: CitationSite, library: Library, *, ahead: bool = True) -> CitationSite:
    r"""Return a site whose end is that of the key under the cursor, where the library has that.

    What is typed right before a key that the library has is another one, `ahead` of it, and ends
    at the cursor; unless that key itself is asked about. Where a sign parts it from a key of the
    library that parts no keys, `\cite{a;b`, it is a key of its own all the same.
    """
    under = next((key for key in site.marker.keys if key.start == site.start), None)
    if under is None:
        return site
    # A label of Typst holds one key.
    listed = any(start <= site.start <= end for start, end in site.marker.lists)
    several = listed and not site.marker.command.startswith("#")
    if several and library.get(under.text) is None:
        site, under = _parted(site, under, library)
    behind = under.text[site.cursor - site.start :].strip()
    if (
        ahead
        and several
        and library.get(behind) is not None
        and not (site.typed and library.get(under.text) is not None)
    ):
        others = (*site.other_keys, behind)
        return evolve(site, end=site.cursor, other_keys=others, ahead=True)
    if under.end > site.end and library.get(under.text) is not None:
        return evolve(site, end=under.end)
    return site


def behind_known_keys(site: CitationSite, library: Library) -> CitationSite | None:
    r"""Return the site of the last word typed where all words before it are keys of the library.

    Only a comma lacks: `\cite{doe2020 roe`. None where other words stand there, or no list of keys.
    """
    *before, typed = site.typed.split(" ")
    earlier_keys = [key for key in before if key]
    listed = any(start <= site.start <= end for start, end in site.marker.lists)
    if not (earlier_keys and typed and listed) or any(
        library.get(key) is None for key in earlier_keys
    ):
        return None
    others = (*site.other_keys, *earlier_keys)
    return evolve(site, start=site.cursor - len(typed), typed=typed, other_keys=others)


def _parted(
    site: CitationSite, under: MarkerKey, library: Library
) -> tuple[CitationSite, MarkerKey]:
    """Return the site, and the key there, of one of several keys that only wrong commas part."""
    if all(library.get(key) is None for key in _WRONG_COMMA.split(under.text)):
        return site, under
    *before, typed = _WRONG_COMMA.split(site.typed)
    rest, *after = _WRONG_COMMA.split(under.text[len(site.typed) :])
    start, end = site.cursor - len(typed), min(site.cursor + len(rest), site.end)
    others = (*site.other_keys, *before, *after)
    parted = evolve(site, start=start, typed=typed, end=end, other_keys=others)
    return parted, MarkerKey(typed + rest, start, site.cursor + len(rest))


def stand_in_of(draft: Draft, marker: Marker) -> MarkerKey | None:
    r"""Return the key of a marker that stands in for one to be found: `TODO` in `\cite{TODO}`."""
    keys = (key for key in marker.keys if is_placeholder_key(key.text))
    return next((key for key in keys if draft.library.get(key.text) is None), None)


def empty_keys_of(draft: Draft, marker: Marker) -> Iterator[EmptyKey]:
    """Yield the places of a marker of the opened file that want a key which the library has."""
    return empty_keys(draft.manuscript, marker, lambda key: draft.library.get(key) is not None)


def waiting_in(draft: Draft, sentence: Sentence) -> tuple[Marker, ...]:
    r"""Return the markers that wait for a key in a sentence of the opened file: `\cite{}`.

    One in a footnote waits in the sentence of the note, and in none around it.
    """
    return tuple(
        marker
        for marker in sentence.markers
        if _lacks_keys(draft, marker) and is_outside_notes(draft.manuscript, sentence, marker)
    )


def cites(draft: Draft, sentence: Sentence) -> bool:
    """Whether a sentence of the opened file has a marker that does not wait for a key."""
    return not all(_lacks_keys(draft, marker) for marker in sentence.citing)


def open_to_citation(draft: Draft, sentence: Sentence) -> bool:
    """Whether a sentence of the opened file cites nothing, or a marker of it waits for a key."""
    return not cites(draft, sentence) or bool(waiting_in(draft, sentence))


def _lacks_keys(draft: Draft, marker: Marker) -> bool:
    return lacks_keys(draft.manuscript, marker) or stand_in_of(draft, marker) is not None


def cited_keys(draft: Draft) -> list[str]:
    """Return the keys of all markers of a draft as they are written, in the order of the text."""
    return [
        key.text
        for manuscript in draft.document.files
        for marker in manuscript.markers
        for key in marker.keys
    ]


def keys_in(manuscript: Manuscript) -> Iterator[MarkerKey]:
    """Yield the keys in a file of a draft, those in definitions and notes of others last."""
    for marker in (*manuscript.markers, *manuscript.markers_outside_prose):
        yield from marker.keys


def keys_named_in(manuscript: Manuscript) -> Iterator[str]:
    """Yield the keys in a file as they are written, and what may be one in code and in macros.

    Code may print a table that cites, a macro stand for keys. What is there need have no entry.
    """
    yield from (key.text for key in keys_in(manuscript))
    if manuscript.format == "markdown":
        yield from keys_in_code(manuscript.text)
    if manuscript.format == "latex":
        yield from keys_in_macros(manuscript.text)


def cites_all(manuscript: Manuscript) -> bool:
    r"""Whether a file of a draft holds `\nocite{*}`, or what other formats have for it."""
    return any(
        marker.silent and cites_everything(manuscript, marker) for marker in manuscript.markers
    )
