"""Where a citation goes in an open draft, and the edit that puts it there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from attrs import frozen
from lsprotocol import types

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.begun import begun_at, begun_in, begun_marker, completed
from cite_lsp.manuscript.edit.cited_in_words import (
    CitingEdit,
    all_replacements_of_words,
    cited_together,
    replacement_of_words,
)
from cite_lsp.manuscript.edit.fill import fill
from cite_lsp.manuscript.edit.insertion import insertion
from cite_lsp.manuscript.edit.named import UNNAMED, Names
from cite_lsp.manuscript.edit.placement import cites_everything
from cite_lsp.manuscript.latex.commands.citation_commands import cite_command
from cite_lsp.manuscript.model import CitationSite, Marker, MarkerKey, Sentence
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.paper import Paper
from cite_lsp.project.citations import cites, stand_in_of, waiting_in
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.base.short_names import coauthors_of, names_of, people_of, short_name
from cite_lsp.recommend.missing.works_in_words import cited_works
from cite_lsp.server.edits import add_entry
from cite_lsp.server.session.request import Request

_IN_OPTIONS = lazy_re(r"\\(?P<name>[A-Za-z@]+)\*?(?:\[[^\[\]]*\])*\[[^\[\]{}]*\Z")


@frozen
class CitationPlace:
    """Where a citation would go: into a marker, or else into a sentence.

    A marker of a `sentence` is one that waits there; without it, the marker is pointed at itself,
    which then may be one that has only been begun, its key to go to the `site`.
    """

    draft: Draft
    marker: Marker | None
    sentence: Sentence | None
    site: CitationSite | None = None

    @property
    def text(self) -> str:
        """The sentence in plain text, by which dismissals are stored."""
        sentence = self._around
        return sentence.text if sentence else ""

    @property
    def offset(self) -> int:
        """The offset at which papers are recommended."""
        if self.marker is not None:
            return self.marker.start
        return self.sentence.start if self.sentence else 0

    @property
    def cited(self) -> frozenset[str]:
        """The keys that the sentence cites already, or the marker where it is in no sentence."""
        marker_keys = (
            frozenset(key.text for key in self.marker.keys) if self.marker else frozenset()
        )
        return marker_keys | (self._around.cited if self._around else frozenset())

    @property
    def placeholder_key(self) -> MarkerKey | None:
        r"""The key of the marker that stands in for one to be found, as in `\cite{TODO}`."""
        return stand_in_of(self.draft, self.marker) if self.marker else None

    @property
    def begun(self) -> CitationSite | None:
        """Where the key goes of a citation that has been begun here, and not finished."""
        if self.site is not None:
            return self.site
        if self.marker is not None:
            return begun_marker(self.draft.manuscript, self.marker)
        return begun_in(self.draft.manuscript, self.sentence) if self.sentence else None

    @property
    def _around(self) -> Sentence | None:
        return self.sentence or self.draft.manuscript.sentence_at(self.offset)

    def edit(self, keys: Sequence[str], papers: Sequence[Paper] = ()) -> TextEdit:
        """Return the edit that cites `keys` here, at least one.

        With the `papers` of all keys it takes the place of words that cite them; a single one goes
        behind its name. What has been begun of a citation is completed.
        """
        manuscript, document = self.draft.manuscript, self.draft.document
        if begun := self.begun:
            return completed(manuscript, begun, keys, document)
        if self.marker is not None:
            return fill(manuscript, self.marker, keys, document, self.placeholder_key)
        if self.sentence is not None:
            if words := self._words(keys, papers):
                return words
            said, paper = self.sentence.text, papers[0] if len(papers) == 1 else None
            names = _names_in(paper, said) if paper is not None else UNNAMED
            return insertion(manuscript, self.sentence, keys, document, names)
        raise ValueError("no place for a citation")

    def cited_in_words(self, papers: Sequence[Recommendation]) -> Sequence[Recommendation]:
        """Return the papers that words of the sentence cite, which markers would take the place of.

        Of several they are the most that a single marker cites, or else the first.
        """
        works = cited_works([paper.key for paper in papers], [paper.paper for paper in papers])
        if self.sentence is None or not works or self.begun:
            return ()
        manuscript, document = self.draft.manuscript, self.draft.document
        keys = cited_together(manuscript, self.sentence, works, document)
        together = [paper for paper in papers if paper.key in keys]
        named = [paper.key for paper in together], [paper.paper for paper in together]
        if len(together) > 1 and self._words(*named):
            return together
        cited = (paper for paper in papers if self._words([paper.key], [paper.paper]))
        return tuple(islice(cited, 1))

    def _words(self, keys: Sequence[str], papers: Sequence[Paper]) -> TextEdit | None:
        """Return what takes the place of the words that cite papers in the sentence, if any do."""
        works = cited_works(keys, papers)
        if self.sentence is None or not works or len(works) < len(keys):
            return None
        return replacement_of_words(
            self.draft.manuscript, self.sentence, works, self.draft.document
        )

    def citing(self, papers: Sequence[Recommendation]) -> TextEdit:
        """Return the edit that cites some papers here, in the place of words that cite them."""
        return self.edit([paper.key for paper in papers], [paper.paper for paper in papers])

    def citing_all(self, papers: Sequence[Recommendation]) -> Sequence[CitingEdit]:
        """Return the edits that cite some papers here: of all words that cite them, or else one.

        Where words cite some, the others are left out: they would stand behind the words, and print
        the same twice.
        """
        keys = tuple(paper.key for paper in papers)
        works = cited_works(keys, [paper.paper for paper in papers])
        if self.sentence is not None and self.marker is None and works and not self.begun:
            words = all_replacements_of_words(
                self.draft.manuscript, self.sentence, works, self.draft.document
            )
            if words:
                return words
        return (CitingEdit(keys, self.citing(papers)),)


def _names_in(paper: Paper, sentence: str) -> Names:
    """Return how a sentence may name a paper."""
    people = people_of(paper, sentence)
    return Names(names_of(paper, sentence), people, coauthors_of(paper, sentence))


def place_at(request: Request, offset: int, *, cited: bool = False) -> CitationPlace | None:
    r"""Return where a citation would go at an offset; None off the prose, and in `\nocite{*}`.

    Off the prose are comments, too, and the options of a citation that has been begun.

    None in a sentence that cites something, too, unless `cited` ones are wanted.
    """
    draft = request.draft()
    marker = draft.manuscript.marker_at(offset)
    if marker is not None:
        everything = cites_everything(draft.manuscript, marker)
        return None if everything else CitationPlace(draft, marker, None)
    if begun := begun_place(draft, offset):
        return begun
    sentence = _sentence_at_cursor(draft.manuscript, offset)
    if sentence is None:
        return None
    places = places_in(draft, sentence)
    if not places:
        return CitationPlace(draft, None, sentence) if cited else None
    return min(places, key=lambda place: abs(place.offset - offset))


def begun_place(draft: Draft, offset: int) -> CitationPlace | None:
    """Return the place of a citation that has been begun at an offset, and that nothing closes."""
    marker = draft.manuscript.marker_at(offset)
    site = None if marker and marker.closed else begun_at(draft.manuscript, offset)
    return CitationPlace(draft, site.marker, None, site) if site else None


def _sentence_at_cursor(manuscript: Manuscript, offset: int) -> Sentence | None:
    text, line = manuscript.text, manuscript.text.rfind("\n", 0, offset) + 1
    if manuscript.in_comment(offset):
        return None
    begun = _IN_OPTIONS.search(text, line, offset) if manuscript.format == "latex" else None
    if begun and cite_command(begun["name"], manuscript.cite_commands):
        return None
    return manuscript.sentence_at(offset)


def places_in(draft: Draft, sentence: Sentence) -> list[CitationPlace]:
    """Return where citations are wanted in a sentence: each marker that waits, or all of it."""
    waiting = waiting_in(draft, sentence)
    if waiting or cites(draft, sentence):
        return [CitationPlace(draft, marker, sentence) for marker in waiting]
    return [CitationPlace(draft, None, sentence)]


def sentences_between(draft: Draft, start: int, end: int) -> list[Sentence]:
    """Return the sentences of the opened file that two offsets, or what is between, touch.

    Of a footnote that holds both they are its own, not the one that it stands in. Of one offset it
    is the sentence that `place_at` means.
    """
    if start == end:
        sentence = _sentence_at_cursor(draft.manuscript, start)
        return [sentence] if sentence else []
    note = draft.manuscript.block_at(start)
    if note is None or not note.note or end > note.end:
        note = None
    return [
        sentence
        for sentence in draft.manuscript.sentences
        if sentence.start <= end
        and start <= sentence.end
        and (note is None or note.holds(sentence.start) and note.holds(sentence.end))
    ]


def cite_all(
    request: Request,
    choices: Iterable[tuple[CitationPlace, Sequence[Recommendation]]],
    *,
    confirm: bool = False,
) -> types.WorkspaceEdit | None:
    """Return one edit that cites papers at several places, None where there is none.

    With `confirm` each of its changes waits for the writer's consent, where the client can ask.
    """
    annotations: dict[str, types.ChangeAnnotation] = {}
    edits: list[types.TextEdit | types.AnnotatedTextEdit] = []
    keys: list[str] = []
    for place, papers in choices:
        for citing in place.citing_all(papers):
            keys += citing.keys
            edit = request.text_edit(citing.edit)
            if confirm and request.client.change_annotations:
                name = f"citation {len(edits) + 1}"
                label = ", ".join(
                    short_name(cited.paper) for cited in papers if cited.key in citing.keys
                )
                annotations[name] = types.ChangeAnnotation(f"Cite {label}", True, place.text)
                edits.append(types.AnnotatedTextEdit(name, edit.range, edit.new_text))
            else:
                edits.append(edit)
    if not edits:
        return None
    whole = add_entry.cite(request, request.draft(), edits, keys)
    whole.change_annotations = annotations or None
    return whole
