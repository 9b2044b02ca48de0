"""The data model of a writer's library: entries, bibliographies and their problems."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from attrs import field, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.values import Field
from cite_lsp.paper import LONGEST_FIELD, Paper

Source = Literal["bibtex", "bibitem", "bbl", "csl-json", "csl-yaml", "hayagriva", "ris", "zotero"]
"""How a record is written. "bibitem" is an item of a bibliography in the draft itself, "bbl" an
entry that Biber made."""


BARE_WORD = lazy_re(r"[=#]\s*([^\W\d][^\s,#{}()\"=]*)")
"""A word behind `=` or `#`: where it stands in a value it is a macro."""
_NONE: Mapping[str, Any] = MappingProxyType({})
_HASHED_AT_ONCE = 1000
"""Texts that are hashed in one step: of entries some 200 kB."""


@frozen
class Problem:
    """A problem in a file: the 1-based line, and a message of one line with the remedy.

    With `of_case` it is one to classic BibTeX alone, which does not tell keys apart by their case.
    """

    path: Path
    line: int
    message: str
    of_case: bool = False


@frozen
class RecordReader:
    """Reads what a record says, in the format that it is written in. Nothing here raises.

    Attributes:
        fields: Returns the field values by lower-case name; other formats are given BibTeX's names.
        paper: Returns the paper that the record describes; its id is "entry:" + key.
        located: Returns the fields that name keys or places, each with where in `raw` it stands.
    """

    fields: Callable[[Record], Mapping[str, str]]
    paper: Callable[[Record], Paper]
    located: Callable[[Record], tuple[Field, ...]] = lambda record: ()


@frozen
class Record:
    """What an entry says, wherever in its file it stands.

    An edit elsewhere in the file moves the entry but leaves its record the same object, so that
    its fields, paper and words, once computed, need not be computed again.

    Attributes:
        key: The key as written.
        kind: "article" and the like, in lower case.
        path: The file.
        raw: The record as written; "" for one of a database.
        key_at: Where in `raw` the key starts.
        key_size: How many characters of `raw` it takes; -1 for those of `key` itself.
        source: How it is written.
        reader: What reads its fields.
        data: What `raw` says, as a JSON object, where `raw` alone does not tell.
        notes: What its reader has noted beside it (the notes of Zotero), as plain text. They are no
            part of the record: nothing is searched or ranked by them, or written from them.
        macros: The `@string` definitions of its file, by lower-case name.
        links: The lower-case keys that its `crossref` and `xdata` fields name, as
            (field, key), in order.
        parents: The records that `links` lead to, as far as they exist.
    """

    key: str
    kind: str
    path: Path
    raw: str = field(repr=False)
    key_at: int = field(default=0, repr=False)
    key_size: int = field(default=-1, repr=False)
    source: Source = "bibtex"
    reader: RecordReader = field(repr=False, eq=False, kw_only=True)
    data: str = field(default="", repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False, kw_only=True)
    macros: Mapping[str, str] = field(default=_NONE, repr=False, eq=False)
    links: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    parents: Mapping[str, Record] = field(default=_NONE, repr=False, eq=False)

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """Field values by lower-case name: macros, `#` and inheritance resolved, LaTeX kept."""
        return self.reader.fields(self)

    @cached_property
    def located(self) -> tuple[Field, ...]:
        """The fields that name keys or places, in order, each with where in `raw` it stands."""
        return self.reader.located(self)

    @cached_property
    def bare_words(self) -> frozenset[str]:
        """The words behind `=` or `#`, in lower case: where they stand in values, macros."""
        return frozenset(word.lower() for word in BARE_WORD.findall(self.raw))

    @cached_property
    def paper(self) -> Paper:
        """The record as a paper: LaTeX decoded, authors split; its id is "entry:" + key."""
        return self.reader.paper(self)


@frozen
class Entry:
    """A bibliography item: its record, and where in its file that stands.

    Offsets are code-point offsets into the decoded file, without byte order mark; `line` counts
    from 1. An entry of a database stands nowhere: its offsets are 0.

    Reading the fields costs a parse and reading the paper a decoding of LaTeX, so both happen on
    first use and are kept: a library of 72,000 entries is not decoded to show one.
    """

    record: Record
    start: int
    line: int

    @property
    def key(self) -> str:
        """The key as written."""
        return self.record.key

    @property
    def kind(self) -> str:
        """What it is, in lower case: "article" and so on, "bibitem" for one of the draft itself."""
        return self.record.kind

    @property
    def path(self) -> Path:
        """The file that the entry stands in."""
        return self.record.path

    @property
    def source(self) -> Source:
        """How the entry is written."""
        return self.record.source

    @property
    def raw(self) -> str:
        """The record as written."""
        return self.record.raw

    @property
    def macros(self) -> Mapping[str, str]:
        """The `@string` definitions of its file, by lower-case name."""
        return self.record.macros

    @property
    def end(self) -> int:
        """The offset just after the record."""
        return self.start + len(self.record.raw)

    @property
    def key_start(self) -> int:
        """The offset of the key."""
        return self.start + self.record.key_at

    @property
    def key_end(self) -> int:
        """The offset just after the key, quotes left out."""
        record = self.record
        size = len(record.key) if record.key_size < 0 else record.key_size
        return self.start + record.key_at + (size if record.raw else 0)

    @property
    def fields(self) -> Mapping[str, str]:
        """Field values by lower-case name: macros, `#` and inheritance resolved, LaTeX kept."""
        return self.record.fields

    @property
    def paper(self) -> Paper:
        """The entry as a paper: LaTeX decoded, authors split; its id is "entry:" + key."""
        return self.record.paper


@frozen
class Bibliography:
    """One bibliography file as read: its entries in file order and the problems met on the way.

    `macros` are its `@string` definitions, by lower-case name. Unless it is `aliased`, no entry has
    a further key.
    """

    path: Path
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
    macros: Mapping[str, str] = field(factory=dict, repr=False, eq=False)
    aliased: bool = field(default=True, repr=False, eq=False)


def long_values(key: str, values: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Yield what to say of the values of an entry that are not read to their ends."""
    for name, value in values:
        if isinstance(value, str) and len(value) > LONGEST_FIELD:
            message = f'the field "{name}" of "{key}" has {len(value):,} characters'
            yield f"{message}: only {LONGEST_FIELD:,} are read, shorten it"


def digest_of(
    entries: Sequence[Entry],
    more: Iterable[str] = (),
    before_part: Callable[[], None] = lambda: None,
) -> str:
    """Return a digest of the content and order of entries, and of further texts.

    `before_part` is called before each part of them: it may wait, or raise what ends this.
    """
    digest = hashlib.blake2b(digest_size=20)
    macros = {id(entry.macros): entry.macros for entry in entries}
    definitions = (repr(sorted(of_file.items())) for of_file in macros.values())
    record_texts = (text for entry in entries for text in _written(entry.record))
    texts, between = chain(definitions, record_texts, more), ""
    # Part by part: a large library as one text would hold up other threads.
    while part := tuple(islice(texts, _HASHED_AT_ONCE)):
        before_part()
        digest.update((between + "\0".join(part)).encode("utf-8", "surrogatepass"))
        between = "\0"
    return digest.hexdigest()


def _written(record: Record) -> Iterable[str]:
    texts = record.key, record.source, record.data or record.raw
    if not record.parents:
        return texts
    return *texts, *(parent.raw for parent in record.parents.values())
