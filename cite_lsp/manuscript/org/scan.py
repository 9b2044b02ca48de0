"""One scan over an Org draft: headings, citations of Org and of org-ref, and what is no prose."""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.citation_commands import NAMES_WITHOUT_CITE
from cite_lsp.manuscript.layout import Layout, Note, Span, paragraph_end
from cite_lsp.manuscript.model import (
    Commands,
    Inclusion,
    Marker,
    MarkerKey,
)
from cite_lsp.manuscript.org.prose import FURTHEST, LINK_KEYS, ORG
from cite_lsp.manuscript.scan_base import BaseScan
from cite_lsp.manuscript.text.front_matter import year_of_date
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.manuscript.text.pipe_tables import org_tables

KEY = r"[-.:?!`'/*@+|(){}<>&_^$#%~\w]*[-/*@+|){}>&_^$#%~\w]"
"""A key as Org reads it (org-element-citation-key-re), less a full stop at its end."""
_RESOURCE = r"(?:(?:no)?bibliography|addbibresource):"
_LATEX_BIBLIOGRAPHY = (
    r"\\(?:(?:no)?bibliography|add(?:bibresource|globalbib))"
    r"(?:\[[^\]\n]*\])?\{(?P<files>[^{}\n]*)\}"
)
_FORMULAS = r"(?:equation|align|gather|multline|eqnarray|displaymath|flalign|alignat)\*?"
_LOOK = r"(?=^|[\[=~@{\\$]|(?<!\w)(?:[a-z]++\*?:|src_|call_)|https?:|ftp:|file:|doi:|mailto:)"
"""What `_STOP` begins with at all: trying its parts at each character took four times as long."""
_STOP = lazy_re(
    rf"""{_LOOK}(?:^(?P<headline>(?P<stars>\*+)[ \t]+(?P<title>[^\n]*))
      | ^[ \t]*(?P<block>\#\+begin_(?P<kind>\w+)[^\n]*)
      | ^[ \t]*(?P<keyword>\#\+(?P<name>[\w-]+)(?:\[[^\]\n]*\])?:[ \t]*(?P<value>[^\n]*))
      | ^[ \t]*(?P<hidden>(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):[^\n]*
          |\#(?:[ \t][^\n]*|\+[^\n]*|(?=\r?\n|\Z))|(?:-{{5,}}[ \t]*|:(?:[ \t][^\n]*)?)(?=\r?\n|\Z))
      | ^[ \t]*(?P<drawer>:(?P<drawn>[\w-]+):[ \t\r]*(?=\n|\Z))
      | ^(?P<definition>\[fn:[\w-]+\])
      | ^(?P<item>[ \t]*(?:[-+]|\d+[.)])[ \t]+(?:\[(?:@\d+|[ X-])\][ \t]+)*|[ \t]+\*[ \t]+)
      | ^(?P<row>[ \t]*\|)
      | (?P<cite>\[cite(?P<style>/[\w/-]*)?:)
      | (?P<note>\[fn:[\w-]*:)
      | (?P<target>\[\[(?P<link>[^\[\]\n]*)\])
      | (?<![\w@])(?P<reference>(?P<command>(?=[a-z]*cite)[a-z]++\*?):
          (?P<keys>{LINK_KEYS}|(?<=\bnocite:)\*))
      | (?<!\w)(?P<resource>{_RESOURCE}(?P<paths>[^\s\]<>]+))
      | (?P<url>(?:https?|ftp|file|doi|mailto):[^\s\]<>]+)
      | (?<![\w\\=~])(?P<verbatim>
          (?P<sign>[=~])[^\s=~](?:[^\n]{{0,{FURTHEST}}}?[^\s])??(?P=sign)(?![\w=~]))
      | (?P<computed>(?<!\w)(?:src_[\w-]+(?:\[[^\]\n]{{0,99}}\])?\{{[^}}\n]{{0,{FURTHEST}}}\}}
          |call_[\w-]+(?:\[[^\]\n]{{0,99}}\])?\([^)\n]{{0,{FURTHEST}}}\)(?:\[[^\]\n]{{0,99}}\])?)
          |@@comment:[^\n]{{0,{FURTHEST}}}?@@|\{{\{{\{{[A-Za-z][^}}\n]{{0,{FURTHEST}}}\}}\}}\}})
      | (?P<bibliography>{_LATEX_BIBLIOGRAPHY})
      | (?P<latex>\\(?P<macro>(?:[a-z@]*cite[a-z@]*|{NAMES_WITHOUT_CITE})(?![a-z@])\*?))
      | (?P<display>\\\[|\$\$)
      | (?P<environment>\\begin\{{(?P<formula>{_FORMULAS}|comment)\}}))
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_CITED = lazy_re(rf"(?<![\w])@(?P<key>{KEY})")
_REFERENCE_KEY = lazy_re(r"&(?P<key>[\w\-:./+]*[\w\-/+])")
_LISTED_KEY = lazy_re(r"[^,;\s&]+")
_LINKED = lazy_re(r"(?P<command>[a-z]*cite[a-z]*\*?):(?P<keys>[^\n]*)", re.IGNORECASE)
_LINKED_RESOURCE = lazy_re(rf"{_RESOURCE}(?P<paths>[^\n]*)", re.IGNORECASE)
_LATEX = frozenset(("latex", "latex_header", "latex_header_extra"))
_LATEX_EXPORT = lazy_re(r"#\+begin_(?:export[ \t]+(?:latex|beamer)|latex)\b", re.IGNORECASE)
_PATH = lazy_re(r'"(?P<quoted>[^"\n]*)"|(?P<bare>\S[^\n]*\S|\S)')
_LISTED_PATH = lazy_re(r"[^,]+")
_INCLUDED = lazy_re(r'"(?P<quoted>[^":\n]+)(?:::[^"\n]*)?"|(?P<bare>[^\s":]+)')
_TODO = lazy_re(r"(?:(?:TODO|DONE|NEXT|WAIT|WAITING|CANCELLED)[ \t]+)?(?:\[#\w\][ \t]*)?")
_INLINE_TASK = 15
"""Stars from which on a headline is a task among the text (org-inlinetask), and no section."""
_HEADLINE = lazy_re(
    rf"^\*+[ \t]+(?P<end>(?<=\*{{{_INLINE_TASK}}}[ \t])END[ \t\r]*$)?", re.MULTILINE
)
_COMMENTED = lazy_re(rf"{_TODO.pattern}COMMENT(?=[ \t\r]|\Z)")
"""How the title of a section begins that is not exported, nor are those below it."""
_PROGRESS = lazy_re(r"(?<![ \t])[ \t]*+\[\d*(?:/\d*|%)\]")
"""How much of a section is done: `[2/3]`, `[66%]`."""
_TAGS = lazy_re(r"(?<![ \t])[ \t]++:[\w@#%:]+:[ \t\r]*$")
_DEFINITION_END = lazy_re(r"\n[ \t\r]*\n[ \t\r]*\n|\n(?=\[fn:|\*+[ \t])")
_ROAM_REFS = lazy_re(r"^[ \t]*:ROAM_REFS\+?:[^\n]*", re.IGNORECASE | re.MULTILINE)
"""The property of Org-roam that names the paper which a note is on."""
_ROAM_KEY = lazy_re(rf"(?<![^\s:;\[])(?:@|&|cite:(?![@&]))(?P<key>{KEY})")
_HIDDEN_BLOCKS = frozenset("src example export comment latex".split())
_HIDDEN_DRAWERS = frozenset(("properties", "logbook"))
_EXCLUDE_TAGS = lazy_re(r"^[ \t]*#\+exclude_tags:(?P<tags>[^\n]*)", re.IGNORECASE | re.MULTILINE)
_NOT_EXPORTED = frozenset(("noexport",))
_ARCHIVED = "ARCHIVE"
"""The tag of a headline that is exported without what stands below it."""
_SETTING = lazy_re(
    r"^[ \t]*(?P<keyword>#\+(?P<name>bibliography|setupfile|latex_header(?:_extra)?):"
    r"[ \t]*(?P<value>[^\n]*))",
    re.IGNORECASE | re.MULTILINE,
)
"""A keyword that counts wherever it stands, in a tree that is not exported, too."""
_KEYWORDS_WITH_PROSE = frozenset(("caption", "title", "subtitle"))
_LONGEST_GROUP = 3000


class _OrgScan(BaseScan):
    def __init__(self, text: str, commands: Commands) -> None:
        super().__init__(text, commands)
        self.title = ""
        self.abstract = ""
        self.year: int | None = None
        tags = [tag for line in _EXCLUDE_TAGS.finditer(text) for tag in line["tags"].split()]
        self.excluded = frozenset(tags) or _NOT_EXPORTED
        if tags:
            self.search_through(0, len(text))
        self.handlers: dict[str, Callable[[re.Match[str]], int]] = {
            "headline": self._headline,
            "block": self._block,
            "keyword": self._keyword,
            "hidden": lambda match: self.set_apart(*match.span()),
            "drawer": self._drawer,
            "definition": self._definition,
            "item": self._item,
            "row": self._border,
            "cite": self._cite,
            "note": self._note,
            "target": self._target,
            "reference": self._reference,
            "resource": lambda match: self._bibliographies(match, "paths"),
            "bibliography": lambda match: self._bibliographies(match, "files"),
            "url": self._add_code,
            "verbatim": self._add_code,
            "computed": lambda match: self.omit(*match.span()),
            "latex": lambda match: self.read_command(match, match["macro"]),
            "display": self._display,
            "environment": self._environment,
        }

    def run(self) -> None:
        position = 0
        while match := _STOP.search(self.text, position):
            position = max(self.handlers[match.lastgroup or ""](match), position + 1)

    def _headline(self, match: re.Match[str]) -> int:
        tags = _TAGS.search(match["title"])
        headline_tags = frozenset(tags.group().strip().split(":")) if tags else frozenset()
        commented = _COMMENTED.match(match["title"]) is not None
        if len(match["stars"]) >= _INLINE_TASK:
            return self._inline_task(
                match, hidden=commented or not headline_tags.isdisjoint(self.excluded)
            )
        if commented or not headline_tags.isdisjoint(self.excluded):
            return self._leave_out(match, match.start(), settings=not commented)
        headline = _PROGRESS.sub("", _TAGS.sub("", match["title"]))
        title = plain_text(_TODO.sub("", headline, count=1), ORG)
        self.headings.append((match.start(), match.end(), len(match["stars"]), title))
        self.borders.append(match.span())
        if _ARCHIVED in headline_tags:
            return self._leave_out(match, match.end(), settings=True)
        return match.start("title")

    def _inline_task(self, headline: re.Match[str], *, hidden: bool) -> int:
        """Read a task among the text, which a line with END may close; the section goes on."""
        end = headline.end()
        next_headline = _HEADLINE.search(self.text, end) if hidden else None
        if next_headline and next_headline["end"]:
            end = next_headline.end()
        elif hidden:
            self.search_through(end, next_headline.end() if next_headline else len(self.text))
        return self.set_apart(headline.start(), end)

    def _leave_out(self, headline: re.Match[str], start: int, *, settings: bool) -> int:
        """Leave out a tree from an offset on that is not exported; its `settings` may count."""
        below = self.ending(rf"^\*{{1,{len(headline['stars'])}}}[ \t]", headline.end())
        end = below.start() if below else len(self.text)
        self.set_apart(start, end)
        for keyword in _SETTING.finditer(self.text, start, end) if settings else ():
            self._keyword(keyword)
        return end

    def _block(self, match: re.Match[str]) -> int:
        kind = match["kind"].lower()
        hidden, abstract = kind in _HIDDEN_BLOCKS, kind == "abstract" and not self.abstract
        ending = rf"^[ \t]*#\+end_{kind}\b[^\n]*"
        end = self.ending(ending, match.end()) if hidden or abstract else None
        if hidden:
            stop = end.end() if end else len(self.text)
            if _LATEX_EXPORT.match(match["block"]):
                self._read_latex(match.end(), end.start() if end else stop)
            return self.set_apart(match.start(), stop)
        if abstract and end:
            self.abstract = plain_text(self.text[match.end() : end.start()], ORG)
        self.borders.append(match.span())
        return match.end()

    def _keyword(self, match: re.Match[str]) -> int:
        name, value = match["name"].lower(), match["value"].strip()
        start, end = match.span("value")
        if name in _KEYWORDS_WITH_PROSE:
            if name == "title" and not self.title:
                self.title = plain_text(value, ORG)
            self.borders.append((match.start(), end if name == "title" else start))
            self.borders.append((end, min(end + 1, len(self.text))))
            return start
        self.set_apart(*match.span())
        if name == "bibliography" and (path := _PATH.search(self.text, start, end)):
            self.declare(*path.span(path.lastgroup or "bare"))
        elif name in _LATEX:
            self._read_latex(start, end)
        elif name == "setupfile" and (path := _PATH.search(self.text, start, end)):
            part = path.lastgroup or "bare"
            if "://" not in path[part]:
                self.inputs.append(Inclusion(path[part], *path.span(part), True))
        elif name == "include" and (path := _INCLUDED.search(self.text, start, end)):
            part = path.lastgroup or "bare"
            words = self.text[path.end() : end].split()
            if not words or words[0] not in ("src", "example", "export"):
                self.inputs.append(Inclusion(path[part], *path.span(part)))
        elif name == "date" and self.year is None:
            self.year = year_of_date(value)
        return end

    def _drawer(self, match: re.Match[str]) -> int:
        if match["drawn"].lower() not in _HIDDEN_DRAWERS:
            self.borders.append(match.span())
            return self.omit(*match.span())
        end = self.ending(r"^[ \t]*:END:", match.end())
        if not end:
            return match.end()
        for refs in _ROAM_REFS.finditer(self.text, match.end(), end.start()):
            for cited in _ROAM_KEY.finditer(self.text, *refs.span()):
                key = MarkerKey(cited["key"], *cited.span("key"))
                self.markers_outside_prose.append(Marker("nocite", (key,), *cited.span()))
        return self.set_apart(match.start(), end.end())

    def _definition(self, match: re.Match[str]) -> int:
        ending = _DEFINITION_END.search(self.text, match.end())
        end = ending.start() if ending else len(self.text)
        self.notes.append(Note(match.start(), match.end(), end, end))
        return match.end()

    def _item(self, match: re.Match[str]) -> int:
        self.part_item(match)
        return match.end()

    def _border(self, match: re.Match[str]) -> int:
        self.borders.append(match.span())
        return match.end()

    def _closing(self, match: re.Match[str]) -> int | None:
        """Return where the bracket is closed that a match begins with, in its paragraph."""
        closing = self.closing_bracket(match.start())
        return closing if closing is not None and closing < match.end() + _LONGEST_GROUP else None

    def _cite(self, match: re.Match[str]) -> int:
        closing = self._closing(match)
        if closing is None:
            line = self.text.find("\n", match.end())
            closing = len(self.text) if line < 0 else line
            end, closed = closing, False
        else:
            end, closed = closing + 1, True
        every: tuple[Span, ...] = ()
        listed: list[MarkerKey] = []
        link = not closed and self.text.endswith("[", 0, match.start())  # of org-ref: `[[cite:&a;`
        sign = _REFERENCE_KEY if link and "@" not in self.text[match.end() : closing] else _CITED
        for cited in sign.finditer(self.text, match.end(), closing):
            if cited["key"] == "*":
                every = (cited.span("key"),)
            else:
                listed.append(MarkerKey(cited["key"], *cited.span("key")))
        keys = tuple(listed)
        style = (match["style"] or "").strip("/").split("/")[0]
        name = "nocite" if style in ("n", "nocite") else f"[cite{match['style'] or ''}]"
        lists = every if name == "nocite" and not keys else ()
        self.markers.append(Marker(name, keys, match.start(), end, closed, lists))
        return end

    def _note(self, match: re.Match[str]) -> int:
        closing = self._closing(match)
        if closing is not None:
            self.notes.append(Note(match.start(), match.end(), closing, closing + 1))
        return match.end()

    def _target(self, match: re.Match[str]) -> int:
        """Read a link: it cites if its target is a citation of org-ref."""
        start, end = match.span("link")
        linked = _LINKED.match(self.text, start, end)
        closing = self.text.find("]", end + 1, paragraph_end(self.text, end, len(self.text)))
        described = self.text.startswith("[", end + 1) and closing >= 0
        if linked:
            stop = closing + 2 if described else end + 2
            keys = linked.span("keys")
            self._org_ref(linked["command"], match.start(), min(stop, len(self.text)), keys)
            return stop
        if resource := _LINKED_RESOURCE.match(self.text, start, end):
            self._declare_listed(*resource.span("paths"))
        self.code.append((match.start(), end + 1))
        return end + 1

    def _reference(self, match: re.Match[str]) -> int:
        start, end = match.span("keys")
        self._org_ref(match["command"], match.start(), end, (start, end))
        return end

    def _org_ref(self, name: str, start: int, end: int, listed: Span) -> None:
        list_text = self.text[slice(*listed)]
        pattern = _REFERENCE_KEY if "&" in list_text else _LISTED_KEY
        part = "key" if "&" in list_text else 0
        keys = tuple(
            MarkerKey(key[part], *key.span(part)) for key in pattern.finditer(self.text, *listed)
        )
        lists = () if "&" in list_text else (listed,)
        command = "nocite" if name.lower() == "nocite" else f"{name}:"
        self.markers.append(Marker(command, keys, start, end, True, lists))

    def _read_latex(self, start: int, end: int) -> None:
        # Imported where needed: few drafts have any.
        from cite_lsp.manuscript.latex.scan import read_latex_part

        read_latex_part(self, start, end)

    def _bibliographies(self, match: re.Match[str], part: str) -> int:
        self._declare_listed(*match.span(part))
        return self.omit(*match.span())

    def _declare_listed(self, start: int, end: int) -> None:
        for path in _LISTED_PATH.finditer(self.text, start, end):
            self.declare(*path.span())

    def _display(self, match: re.Match[str]) -> int:
        closing = "\\]" if match.group() == "\\[" else "$$"
        end = self.text.find(closing, match.end(), match.end() + _LONGEST_GROUP)
        if end >= 0:
            self.omissions.append((match.start(), end + 2))
            return end + 2
        self.search_through(match.start(), match.end() + _LONGEST_GROUP)
        return match.end()

    def _environment(self, match: re.Match[str]) -> int:
        end = self.find(f"\\end{{{match['formula']}}}", match.end())
        return match.end() if end is None else self.omit(match.start(), end)


def scan_org(text: str, commands: Commands) -> Layout:
    """Read the layout of an Org draft; `commands` are LaTeX ones that its project defines."""
    scan = _OrgScan(text, commands)
    scan.run()
    tables = scan.add_tables(org_tables(text, sorted(scan.code)))
    return evolve(
        scan.layout(ORG),
        title=scan.title,
        abstract=scan.abstract or scan.headed_abstract(ORG),
        year=scan.year,
        tables=tables,
    )
