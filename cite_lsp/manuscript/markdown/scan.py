"""One scan over a Markdown draft (pandoc, R Markdown, Quarto, MyST): headings, citations, code.

A single pattern stops where something may begin; a short handler of each kind says where to go on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace
from cite_lsp.manuscript.layout import Layout, Note, Span, paragraph_end, sections_of
from cite_lsp.manuscript.markdown.chunks import knit_children
from cite_lsp.manuscript.markdown.citations import citing, marker_keys, nocite, separate_markers
from cite_lsp.manuscript.markdown.line_scan import LineScan
from cite_lsp.manuscript.markdown.liquid import closing_tag, is_outside_prose, read_tag
from cite_lsp.manuscript.markdown.patterns import CITATION, LABEL, STOP
from cite_lsp.manuscript.markdown.prose import MARKDOWN
from cite_lsp.manuscript.model import (
    BibliographyDeclaration,
    Commands,
    Inclusion,
    Marker,
    MarkerKey,
)
from cite_lsp.manuscript.scan_base import PATIENCE
from cite_lsp.manuscript.text.front_matter import FrontMatter, is_unclosed, read_front_matter
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.manuscript.text.pipe_tables import markdown_tables

_EQUATION_LABEL = lazy_re(r"[ \t]*\((?P<label>[\w:.-]+)\)[ \t\r]*(?=\n|\Z)")
"""The label that MyST gives a displayed formula, behind it: `$$ (eq-one)`."""
_STRUCK = {"--": "--}", "~~": "~>", ">>": "<<}"}
"""How what CriticMarkup deletes, replaces or remarks upon ends: `{~~old~>new~~}`."""
_BLOCK_TAG = lazy_re(
    r"</?(?:p|div|[uod]l|li|d[dt]|table|caption|thead|tbody|t[rhd]|h[1-6r]|blockquote|center|details"
    r"|summary|section|article|aside|header|footer|figure|figcaption)(?![\w-])",
    re.IGNORECASE,
)
"""The tags of HTML between which there are paragraphs, items and cells."""
_WIKI_LINK = lazy_re(r"\[\[@[^\[\]\n]*\]\]")
"""A link to the note on a paper, as Obsidian's `[[@key]]` and `[[@key|Doe (2020)]]`."""
_TICKS = lazy_re("`+")
_BEFORE_LOCATOR = lazy_re(r"[ \t]*+(?:\r?\n)?[ \t]*+(?=\[)")
_DOI_LINK = lazy_re(
    r"(?:\]\(|<)(?P<doi>(?:doi:|https?://(?:dx\.)?doi\.org/)10\.\d{4,9}/[^\s<>()]+)(?:\)|>)",
    re.IGNORECASE,
)
"""A link to a DOI, which cites in MyST."""
_BARE_CITATION = lazy_re(
    r"(?:(?:see|cf\.?|e\.g\.|also|vgl\.|siehe|voir)?[\s,;]*+-?@[\s;]*+"
    r"(?:,\s*+(?:pp?\.|ch(?:ap)?\.|sec\.|fig\.)?\s*+\d[\d–-]*+[\s;]*+)?)+",
    re.IGNORECASE,
)
"""What stands in brackets where a citation has no key yet: `[@]`, `[see @]`, `[@, p. 3]`."""
_ROLE_KEY = lazy_re(r"\{[^{}]*\}|(?P<key>[^,;\s{}](?:[^,;\n{}]*[^,;\s{}])?)")
"""A key in a role, or a note on a key: `{cite:p}`{see}doe2020{p. 3}`` has two notes."""
_ANCHOR = lazy_re(
    r"(?:\{[^{}\n]*?\#|\#\|[ \t]*label:[ \t]*)(?P<label>[\w:.-]*\w)|\\label\{(?P<latex>[^{}\n]+)\}"
)
"""The name of a heading, a span, a chunk or a formula, to which only MyST refers by `@`."""
_FORMULAS = frozenset("equation align gather multline eqnarray displaymath flalign alignat".split())
_LONGEST_NOTE = 2000


class _MarkdownScan(LineScan):
    def __init__(self, text: str, start: int, commands: Commands) -> None:
        super().__init__(text, start, commands)
        self.paragraph: Span = (0, 0)
        self.unmatched: set[str] = set()
        """Backticks that have no counterpart in the rest of the paragraph."""
        self.comments: list[Span] = []
        self.doi_links: list[Marker] = []

    def run(self) -> None:
        position = self.read_line(self.start)
        handlers = {
            "line": lambda match: self.read_line(match.end()),
            "code": self._inline_code,
            "comment": lambda match: self._omit_until(match, "-->"),
            "hidden": lambda match: self._omit_until(match, "%%"),
            "liquid": self._tag,
            "block": lambda match: self._omit_until(match, f"</{match['block']}>"),
            "tag": self._html,
            "reference": self._add_code,
            "footnote": self._latex_note,
            "environment": self._environment,
            "skipped": self._skipped,
            "latex": lambda match: self.read_command(match, match["latex"]),
            "escape": lambda match: match.end(),
            "display": self._display,
            "formula": lambda match: match.end(),
            "bracket": self._bracket,
            "target": self._target,
            "doi": self._target,
            "note": self._note,
            "comma": lambda match: self.omit(*match.span()),
            "anchor": lambda match: self.omit(*match.span()),
            "role": lambda match: self._role(match, "{%s}", "role"),
            "include": self._include,
            "raw": lambda match: match.end(),
            "attributes": self._add_code,
            "url": self._add_code,
            "critic": self._critic,
            "d2l": lambda match: self._role(match, ":%s:", "d2l"),
            "at": self._narrative,
        }
        while match := STOP.search(self.text, position):
            position = max(handlers[match.lastgroup or "escape"](match), position + 1)

    def _omit_until(self, match: re.Match[str], closing: str) -> int:
        end = self.find(closing, match.end())
        if end is None:
            return match.end()
        if closing in ("-->", "%%"):
            self.comments.append((match.start(), end))
        return self.omit(match.start(), end)

    def _display(self, match: re.Match[str]) -> int:
        end = self._omit_until(match, "$$")
        label = _EQUATION_LABEL.match(self.text, end) if end > match.end() else None
        if label is None:
            return end
        self.labels.add(label["label"])
        return self.omit(*label.span())

    def _html(self, match: re.Match[str]) -> int:
        if _BLOCK_TAG.match(self.text, match.start()):
            self.borders.append(match.span())
        return self._add_code(match)

    def _skipped(self, match: re.Match[str]) -> int:
        closing = "\\fi" if match["skipped"] == "iffalse" else "\\end{comment}"
        end = self._omit_until(match, closing)
        if end > match.end():
            self.comments.append((match.start(), end))
            self.borders.append((match.start(), end))
        return end

    def _environment(self, match: re.Match[str]) -> int:
        if match["edge"] == "end" or match["named"].rstrip("*") not in _FORMULAS:
            self.borders.append(match.span())
            return match.end()
        return self._omit_until(match, f"\\end{{{match['named']}}}")

    def _tag(self, match: re.Match[str]) -> int:
        """Read a tag of Jekyll; what it begins that is no prose goes on to the tag that ends it."""
        closing = closing_tag(match)
        if closing is not None:
            return self._omit_until(match, closing)
        marker = read_tag(match)
        if marker is not None and not is_outside_prose(marker):
            self.markers.append(marker)
            return match.end()
        self.markers_outside_prose += [marker] if marker else []
        return self.omit(match.start(), match.end())

    def _critic(self, match: re.Match[str]) -> int:
        closing = _STRUCK[match["critic"]]
        end = self.text.find(closing, match.end(), self._paragraph_end(match.start()))
        return match.end() if end < 0 else self.omit(match.start(), end + len(closing))

    def _inline_code(self, match: re.Match[str]) -> int:
        ticks = match.group()
        end = self._paragraph_end(match.start())
        if ticks in self.unmatched:
            return match.end()
        for closing in _TICKS.finditer(self.text, match.end(), end):
            if closing.group() == ticks:
                self.code.append((match.start(), closing.end()))
                self._add_inclusions(knit_children(self.text, match.start(), closing.end()))
                return closing.end()
        self.unmatched.add(ticks)
        return match.end()

    def _paragraph_end(self, offset: int) -> int:
        if not self.paragraph[0] <= offset < self.paragraph[1]:
            self.paragraph = (offset, paragraph_end(self.text, offset, len(self.text)))
            self.unmatched = set()
        return self.paragraph[1]

    def _bracket(self, match: re.Match[str]) -> int:
        opening = match.start()
        inside = opening + 1
        before = self.text[opening - 1] if opening else ""
        closing = (
            self.closing_bracket(opening) if before not in ("!", "^", "\\") or not before else None
        )
        if closing is None or self.text[closing + 1 : closing + 2] in ("(", "{"):
            return inside
        if self.text.find("@", inside, closing) < 0:
            return inside
        linked = _WIKI_LINK.match(self.text, opening, closing + 1)
        heading = self.text.find("#", inside, closing) if linked else -1
        cited = self._citations(inside, closing if heading < 0 else heading)
        if not cited:
            if _BARE_CITATION.fullmatch(self.text, inside, closing):
                self.markers.append(Marker("[@]", (), opening, closing + 1))
                return closing + 1
            return inside
        keys = marker_keys(cited)
        if keys:
            command = "[[@]]" if linked and len(keys) == 1 else "[@]"
            self.markers.append(Marker(command, keys, opening, closing + 1))
        return closing + 1

    def _citations(self, start: int, end: int) -> list[re.Match[str]]:
        """Return the citations in a bracket, those in brackets inside it too."""
        citations = []
        position = start
        while position < end:
            citation = CITATION.search(self.text, position, end)
            if not citation:
                break
            target = self.text.find("](", position, citation.start())
            if target >= 0:  # an address in a link inside
                close = self.text.find(")", target, end)
                position = end if close < 0 else close + 1
                continue
            tick = self.text.find("`", position, citation.start())
            if tick >= 0:
                closing = self.text.find("`", tick + 1, end)
                if closing >= 0:
                    position = closing + 1
                    continue
            citations.append(citation)
            position = citation.end()
        return citations

    def _narrative(self, match: re.Match[str]) -> int:
        at = match.start()
        suppressed = at > 0 and self.text[at - 1] == "-"
        citation = CITATION.match(self.text, at - 1 if suppressed else at)
        citation = citation or CITATION.match(self.text, at)
        if not citation:
            return match.end()
        keys = marker_keys([citation])
        if not keys:
            return citation.end()
        end = citation.end()
        locator = _BEFORE_LOCATOR.match(self.text, end)
        closing = self.closing_bracket(locator.end()) if locator else None
        if locator and closing and self.text[closing + 1 : closing + 2] not in ("(", "[", "{"):
            first, *others = self.text[locator.end() + 1 : closing].split(";", 1)
            if "@" not in first and not first.startswith("^"):
                behind = locator.end() + 1 + len(first)
                keys += marker_keys(self._citations(behind, closing)) if others else ()
                end = closing + 1
        self.markers.append(Marker("@", keys, citation.start(), end))
        return end

    def read_example_references(self) -> None:
        """Read `@label` as a reference to the numbered example of that label, as pandoc does."""
        markers, self.markers = self.markers, []
        for marker in markers:
            if marker.command == "@" and self.examples.issuperset(key.text for key in marker.keys):
                self.references.append((marker.start, marker.end))
            else:
                self.markers.append(marker)

    def _target(self, match: re.Match[str]) -> int:
        """Read the address of a link, by which MyST cites where it is a DOI."""
        if link := _DOI_LINK.match(
            self.text, match.start() - self.text.startswith("(", match.start())
        ):
            key = MarkerKey(link["doi"], *link.span("doi"))
            self.doi_links.append(Marker("[](doi)", (key,), *link.span()))
        return self._add_code(match)

    def _note(self, match: re.Match[str]) -> int:
        closing = self.closing_bracket(match.end() - 1)
        if closing is not None:
            self.notes.append(Note(match.start(), match.end(), closing, closing + 1))
        return match.end()

    def _latex_note(self, match: re.Match[str]) -> int:
        """Read a footnote as LaTeX has it, which R Markdown leaves to LaTeX."""
        limit = _LONGEST_NOTE if self.unclosed <= PATIENCE else 100
        closing = closing_brace(self.text, match.end(), limit)
        if closing is None:
            self.unclosed += 1
            self.search_through(match.start(), match.end() + limit)
        else:
            self.notes.append(Note(match.start(), match.end() + 1, closing, closing + 1))
        return match.end() + 1

    def _include(self, match: re.Match[str]) -> int:
        self.inputs.append(Inclusion(match["path"], *match.span("path")))
        self.borders.append(match.span())
        return match.end()

    def _role(self, match: re.Match[str], form: str, kind: str) -> int:
        """Read a role, which cites by its name; an unclosed role ends with its line."""
        name = match[f"{kind}_name"]
        start, end = match.span(f"{kind}_keys")
        closed = kind == "d2l" or bool(match["role_end"])
        if not name.startswith(("cite", "footcite")):
            self.code += [match.span()] if closed else []
            return match.end() if closed else start - 1
        if not closed:
            line = self.text.find("\n", start, end)
            end = end if line < 0 else line
        keys: list[MarkerKey] = []
        lists: list[Span] = []
        for piece in _ROLE_KEY.finditer(self.text, start, end):
            if piece["key"]:
                keys.append(MarkerKey(piece["key"], *piece.span("key")))
            else:
                lists += [(start, piece.start())] if start < piece.start() else []
                start = piece.end()
        lists.append((start, end))
        self.markers.append(
            Marker(form % name, tuple(keys), match.start(), end + closed, closed, tuple(lists))
        )
        return end + closed


def scan_markdown(text: str, commands: Commands, numbered: bool = True) -> Layout:
    """Read the layout of a Markdown draft, `commands` being of LaTeX, `numbered` as in `parse`."""
    front = read_front_matter(text)
    scan = _MarkdownScan(text, front.end, commands)
    if is_unclosed(text, front):
        scan.search_through(0, len(text))
    scan.run()
    scan.read_example_references()
    piped = markdown_tables(text, front.end, sorted(scan.code))
    tables = scan.add_tables(sorted((*piped, *scan.ruled), key=lambda table: table.start))
    sections = sections_of(scan.headings, len(text))
    levels = sorted(level for _, _, level, _ in scan.headings)
    alone = levels[:2].count(1) == 1
    blocks = (front, *scan.metadata)
    page = (block.label for block in blocks if block.label)
    silent = [place for block in blocks for place in block.nocite]
    markers = sorted((*nocite(text, silent), *scan.markers), key=lambda marker: marker.start)
    printed = (place for block in blocks for place in block.printed)
    outside = (*separate_markers(text, printed), *scan.markers_outside_prose)
    named = _last(blocks, "bibliography", every=numbered)
    listing = _last(blocks, "references", every=numbered)
    return evolve(
        scan.layout(MARKDOWN),
        prose=(front.end, len(text)),
        title=plain_text(next((block.title for block in blocks if block.title), ""), MARKDOWN)
        or next((section.title for section in sections if section.level == 1 and alone), ""),
        abstract=plain_text(front.abstract, MARKDOWN) or scan.headed_abstract(MARKDOWN),
        year=front.year,
        sections=sections,
        markers=citing(markers) if numbered else tuple(markers),
        markers_outside_prose=citing(outside) if numbered else outside,
        declarations=(
            *(BibliographyDeclaration(*path) for block in named for path in block.bibliographies),
            *scan.declarations,
        ),
        code=((0, front.end), *scan.code) if front.end else tuple(scan.code),
        tables=tables,
        labels=frozenset((*_labels(text, scan.comments), *scan.labels, *page)),
        doi_links=tuple(scan.doi_links),
        anchors=_anchors(text, scan.comments),
        reference_kinds=frozenset[str]().union(*(block.reference_kinds for block in blocks)),
        reference_lists=tuple(
            block.yaml for block in listing if block.yaml and "references" in block.fields
        ),
    )


def _last(blocks: Sequence[FrontMatter], field: str, *, every: bool) -> Sequence[FrontMatter]:
    """Return the blocks from the last one on that has a field, which counts alone in pandoc."""
    having = [number for number, block in enumerate(blocks) if field in block.fields]
    return blocks if every or not having else blocks[having[-1] :]


def _labels(text: str, comments: Sequence[Span]) -> frozenset[str]:
    """Return the labels of a draft, also as they are written where a sentence begins."""
    labels = [label for label in _outside(LABEL, text, comments)]
    return frozenset((*labels, *(label[0].upper() + label[1:] for label in labels)))


def _anchors(text: str, comments: Sequence[Span]) -> frozenset[str]:
    if "#" not in text and "\\label" not in text:
        return frozenset()
    return frozenset(_outside(_ANCHOR, text, comments))


def _outside(pattern: re.Pattern[str], text: str, comments: Sequence[Span]) -> Iterator[str]:
    """Yield the names that a pattern finds in a text outside of its comments."""
    starts = [start for start, _ in comments]
    for match in pattern.finditer(text):
        number = bisect_right(starts, match.start()) - 1
        if number < 0 or match.start() >= comments[number][1]:
            yield match[match.lastgroup or 0]
