"""The words of a parsed draft: markers, sections, sentences, contexts.

Every offset is a code-point offset into the text of the buffer; ranges are half open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from attrs import evolve, field, frozen

from cite_lsp.language import message_language

SILENT_COMMANDS = frozenset({"nocite", "shortcites", "defcitealias"})
"""Commands that name keys without citing them at their place in the prose."""
PLACEHOLDER = "?"
"""The command of a marker that only asks for a citation: `[?]`, `(REF)`, `\\todo{cite}`."""


@frozen
class MarkerKey:
    """One key inside a marker and the exact range of its characters (no blanks, no @, no star)."""

    text: str
    start: int
    end: int


@frozen
class Marker:
    r"""One citation command: `\citep[see][p. 3]{a, b}`, `[@a; -@b]`, `@a`.

    `command` is the LaTeX name without backslash, with its star (`citep*`), "[@]" for a bracketed
    pandoc citation and "@" for a narrative one, "[[@]]" for a link to a note on a paper, "{cite:p}"
    for a MyST role, ":cite:" for d2l's, `PLACEHOLDER` for a note that asks for a citation (it
    has no lists).
    `start` and `end` enclose the whole command with its arguments; the quotation of a csquotes
    command is prose and stays outside. An unterminated command (a draft in the making) has `closed`
    false and ends where its key list can be read no further. A marker may have no keys (`\cite{}`).
    `lists` are the ranges inside the braces of a LaTeX command where keys stand.
    """

    command: str
    keys: tuple[MarkerKey, ...]
    start: int
    end: int
    closed: bool = True
    lists: tuple[tuple[int, int], ...] = field(default=(), repr=False)

    @property
    def silent(self) -> bool:
        r"""Whether it cites nothing at its place in the prose, as `\nocite`."""
        return is_silent(self.command)


def is_silent(command: str) -> bool:
    """Whether markers of a command cite nothing at their place."""
    return command.rstrip("*") in SILENT_COMMANDS


@frozen
class CitationSite:
    """The place inside a marker where a key is being typed.

    `start`:`cursor` is what has been typed of the key (blanks inside included: words of a title are
    typed there too), `end` is where the key under the cursor ends when the marker is closed,
    otherwise `cursor`: replacing `start`:`end` never touches the prose that follows. `marker` is
    not among the manuscript's markers where only a bare `@` has been typed.
    """

    marker: Marker
    start: int
    cursor: int
    end: int
    typed: str
    other_keys: tuple[str, ...]
    several_words: bool = False
    """Whether several words are typed where a key ends at a blank: the first may be the key."""
    ahead: bool = False
    """Whether another key follows directly, which a separator has to part from this one."""
    guessed: bool = False
    """Whether something else than a key may be meant there: `[see ]`, `[@a, ]`."""


@frozen
class Section:
    r"""A heading and what stands below it, down to the next heading of any level.

    `start` is where the heading begins, `body` where it ends, `end` where the next heading begins.
    `level` is 0 for the text before the first heading. In LaTeX 1 is a part, 2 a chapter, 3 a
    `\section`, and so on to 7, a `\subparagraph`; in Markdown it is the number of `#`.
    """

    title: str
    level: int
    start: int
    body: int
    end: int


@frozen
class Sentence:
    """One sentence of prose: its range in the buffer and its plain text without markup or markers.

    `section` is the index of its section in the manuscript. `markers` are those inside the range,
    the ones in a footnote set there included, `noted` those in footnotes set apart.
    """

    start: int
    end: int
    text: str
    section: int
    markers: tuple[Marker, ...] = ()
    noted: tuple[Marker, ...] = ()

    @property
    def citing(self) -> tuple[Marker, ...]:
        """All its markers, those in footnotes set apart behind its own."""
        return self.markers + self.noted

    @property
    def cited(self) -> frozenset[str]:
        """The keys of its markers as they are written."""
        return frozenset(key.text for marker in self.citing for key in marker.keys)


@frozen
class BibliographyDeclaration:
    r"""A bibliography the draft names: `\bibliography{a,b}`, `\addbibresource{a.bib}`, YAML."""

    path: str
    start: int
    end: int


@frozen
class Inclusion:
    r"""A file that the draft reads in: `\input{path}`; the range is that of the path as written.

    Where a command of the draft's own reads it in, that of its argument, or of all of it. One that
    is `optional` is read in only if it exists. Of one that only `defines` things (`#import` of
    Typst, `#+SETUPFILE` of Org) nothing is printed there.
    """

    path: str
    start: int
    end: int
    defines: bool = False
    optional: bool = False


@frozen
class EmbeddedFile:
    r"""A file that LaTeX writes from the draft: `\begin{filecontents}{refs.bib}`.

    `path` is as written, `start`:`end` is its content. One that exists already is written only if
    the draft `overwrites` it.
    """

    path: str
    start: int
    end: int
    overwrites: bool = False


@frozen
class ExternalDocument:
    r"""Another document whose keys the draft takes over: `\externalcitedocument[S-]{supplement}`.

    `path` is as written, `prefix` is what its keys begin with here.
    """

    path: str
    prefix: str = ""


@frozen
class BibliographyItem:
    r"""An entry of the draft itself: a `\bibitem`, a `\harvarditem`, or a `\bib` of amsrefs."""

    key: MarkerKey
    start: int
    end: int
    text: str


@frozen
class EntrySet:
    r"""A set of entries under a key of its own: `\defbibentryset{key}{member,member}`."""

    key: MarkerKey
    members: tuple[MarkerKey, ...]
    start: int
    end: int


@frozen
class CiteCommand:
    r"""A citing command: its name without star, and how its arguments are laid out.

    `before` is the number of `{}` groups before the keys (`\volcite{2}{key}`: 1), `after` that of
    those behind that belong to the command (`\citefield{key}{title}`: 1), `many` whether the
    whole argument list repeats (`\autocites{a}{b}`). `further` has a number for each other list of
    keys: that of the groups between it and the list before. Of a command that is `guessed` to cite
    nothing but its name is known.
    """

    name: str
    before: int = 0
    after: int = 0
    many: bool = False
    further: tuple[int, ...] = ()
    guessed: bool = False


@frozen
class HidingCommand:
    r"""A command whose arguments are no part of the text: `\newcommand{\eat}[1]{}`.

    `arguments` is the number of its `{}` groups, 0 of an environment, which is known by how it
    begins (`\begin{eat}`). What is said in the last one is a `remark` where it is printed among
    the text, for the other authors: `\newcommand{\ada}[1]{\textcolor{red}{[Ada: #1]}}`.
    """

    arguments: int = 0
    remark: bool = False


@frozen
class FormulaEdge:
    r"""A command that begins or ends a displayed formula: `\def\be{\begin{equation}}`."""

    environment: str
    begins: bool


@frozen
class HeadingCommand:
    r"""A command whose argument is a heading, set as that of LaTeX's command `like`."""

    like: str


@frozen
class LabelPlace:
    """An argument of a function of Typst of which it makes a label, by number or by name.

    The label is the string with what stands `before` and `behind` it, or the argument itself where
    that `is_label`.
    """

    place: int | str
    before: str = ""
    behind: str = ""
    is_label: bool = False


@frozen
class LabelCommand:
    """A function that makes labels of its arguments: `#let code(tag, body) = [… #label(tag)]`."""

    places: tuple[LabelPlace, ...]


@frozen
class VerbatimCommand:
    r"""A command or an environment whose text is code: `\newmintinline{tex}{}`.

    `before` is the number of `{}` groups before the code.
    """

    before: int = 0


@frozen
class Parameter:
    """An argument of a command: in braces, in brackets with a `default`, a star, or code."""

    kind: Literal["group", "bracket", "star", "verbatim"] = "group"
    default: str = ""


@frozen
class FileCommand:
    r"""A command that reads in files or names bibliographies: `\newcommand{\part}[1]{\input{#1}}`.

    `body` is what it stands for, `#1` for the first of its `parameters`.
    """

    body: str
    parameters: tuple[Parameter, ...] = ()


@frozen
class TopicBibliography:
    r"""A command of multibib that names the bibliographies of a topic: `\bibliographyweb`."""


Command = (
    CiteCommand
    | HidingCommand
    | FormulaEdge
    | HeadingCommand
    | LabelCommand
    | VerbatimCommand
    | FileCommand
    | TopicBibliography
    | None
)
Commands = Mapping[str, Command]
r"""What the commands that a draft defines do, by name (None: none of these).

An environment is known by how it begins (`\begin{eat}`), a short form of `\verb` by its character.
"""


@frozen
class Name:
    """What an abbreviation stands for, as plain text; of a macro or a glossary entry only `short`.

    `foreign` is the long form in another language.
    """

    short: str
    long: str = ""
    foreign: str = ""


Names = Mapping[str, Name]
r"""Names by the key that a draft uses for them, macros by their command (`\lcdm`)."""


@frozen
class Mention:
    """How the draft cites at another marker: its keys, the words around it, and where it stands.

    `order` counts markers from the top of the document (over included files too), `section` is an
    opaque identifier that is equal for markers of the same section.
    """

    keys: tuple[str, ...]
    left: str
    right: str
    order: int
    section: str


@frozen
class Context:
    """What a marker, or a bare sentence, says about the citation wanted there.

    `left` and `right` are up to 50 words of plain text on either side within the section (Tanaka et
    al.), all markers removed; a Han character counts half a word. `sentence` is the sentence that
    holds the marker, `sentence_before` what of it stands left of the marker, `previous` and `next`
    are its neighbours (BLSRec's three sentences).
    `section_cited` are the keys cited at the *other* markers of the same section, in order of
    appearance, each once; `section_cited_before` those at earlier markers only. `marker_cited` are
    the keys that already stand in this marker. `translation` is the text around the marker in
    English, where a translator has been asked for it. `mentions` are all other markers of the
    document, `order` and `section` say where this one stands among them.
    """

    left: str
    right: str
    sentence: str = ""
    previous: str = ""
    next: str = ""
    section_title: str = ""
    section_cited: tuple[str, ...] = ()
    section_cited_before: tuple[str, ...] = ()
    marker_cited: tuple[str, ...] = ()
    title: str = ""
    abstract: str = ""
    language: str = "en"
    year: int | None = None
    mentions: tuple[Mention, ...] = field(default=(), repr=False)
    order: int = 0
    section: str = ""
    sentence_before: str = ""
    translation: str = ""

    @property
    def message_language(self) -> str:
        """The language of messages to the writer: `language`, but "en" in Japanese drafts."""
        return message_language(self.language, f"{self.left} {self.right}")

    def written_so_far(self, *, keep_right: bool = False) -> Context:
        """Return the context of a draft that is written up to here: nothing below exists yet."""
        return evolve(
            self,
            right=self.right if keep_right else "",
            sentence=self.sentence if keep_right else self.sentence_before,
            next=self.next if keep_right else "",
            section_cited=self.section_cited_before,
            mentions=tuple(
                mention if keep_right else _read_up_to(self.left, mention)
                for mention in self.mentions
                if mention.order < self.order
            ),
        )

    def without_mentions(self, orders: Collection[int]) -> Context:
        """Return the context in a document without the markers of some orders."""
        mentions = tuple(mention for mention in self.mentions if mention.order not in orders)
        in_section = [mention for mention in mentions if mention.section == self.section]
        return evolve(
            self,
            mentions=mentions,
            section_cited=cited_by(in_section),
            section_cited_before=cited_by(
                mention for mention in in_section if mention.order < self.order
            ),
        )


def cited_by(mentions: Iterable[Mention]) -> tuple[str, ...]:
    """Return the keys that markers cite, in order of appearance, each once."""
    return tuple(dict.fromkeys(key for mention in mentions for key in mention.keys))


_OVERLAP = 20
"""Characters left of a mention that a context has to share, if both are at the same place."""


def _read_up_to(left: str, mention: Mention) -> Mention:
    """Return an earlier mention without what of its text stands right of a context's marker.

    `left` is the text left of that marker. The mention is near if its text leads up to there.
    """
    left_letters = "".join(left.split())
    before = "".join(mention.left.split())[-_OVERLAP:]
    letters = [place for place, letter in enumerate(mention.right) if not letter.isspace()]
    behind = "".join(mention.right.split())
    at_the_start = len(before) < _OVERLAP  # of the section: then the context starts there, too
    for count in range(len(behind)):
        between = before + behind[:count]
        if left_letters == between if at_the_start else left_letters.endswith(between):
            return evolve(mention, right=mention.right[: letters[count]].rstrip())
    return mention
