"""The references of a paper as it prints them, and which of them a printed marker cites.

A PDF knows no references, only lines. Those behind the heading are split at their labels, "[3]" or
"3.", or where a line begins with a name behind one that ends a reference. Which part of a reference
is its title is not known: each part that can be the title is one of the identifiers by which the
cited paper is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from cite_lsp.corpus.full_text.printed_markers import LETTERED, RAISED, RAISED_DIGIT
from cite_lsp.corpus.paper_identifiers import title_identifier
from cite_lsp.language import UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import fold, normalise_doi

_HEADING = lazy_re(
    r"^[ \t]*(?:(?:\d+|[A-Z])\.?[ \t]+)?"
    r"(?:references(?: and notes| cited)?|bibliography|literature cited|works cited"
    r"|[【\[]?[参參]\s?考\s?文\s?[献獻][】\]]?\s?(?:[(（]?references?[)）]?)?)\s*(?:[:：][ \t]*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADINGS = 50
"""Headings, the last ones, behind which a list is looked for."""
_AFTER = lazy_re(
    r"^[ \t]*(?:(?:[A-Z]\.?[ \t]+)?appendi(?:x|ces)\b.{0,80}|supplementary \w+.{0,80}"
    r"|acknowledge?ments?|附\s?[录錄].{0,40}|致\s?[谢謝]"
    r"|(?:[【\[]?(?:作者|通信作者|通讯作者)[简簡]?介?|收稿日期)[】\]]?[:：].{0,300})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RAISED = lazy_re(RAISED_DIGIT)
_ON_LINE = str.maketrans(RAISED, "0123456789")
_LABELS = (
    lazy_re(r"^[ \t]*[\[［](\d{1,4})[\]］][ \t]*", re.MULTILINE),
    lazy_re(rf"^[ \t]*\[({LETTERED})\][ \t]*", re.MULTILINE),
    lazy_re(r"^[ \t]*(\d{1,3})\.[ \t]+(?=\D)", re.MULTILINE),
    lazy_re(r"^[ \t]*\((\d{1,3})\)[ \t]*", re.MULTILINE),
    lazy_re(rf"^[ \t]*({RAISED_DIGIT}{{1,3}})[ \t]*(?=\S)", re.MULTILINE),
)
_LETTERED = lazy_re(LETTERED)
_LABELS_MISSED = 2
"""Labels in turn that may not stand where a line begins."""
_LEAST = 3
"""References from which on labels are what parts them."""
_PARTICLE = r"(?:v[ao]n|de[rnl]?|d[aiou]|l[ae]|ten)"
_NAME_FIRST = lazy_re(
    rf"(?!In[ :])(?:{_PARTICLE}[ ]+){{0,2}}"
    rf"(?:[^\W\d_a-z][\w'’‐-]+(?:,|[ ]+(?:and|&|et|{_PARTICLE})\b|[ ]+[^\W\d_a-z])"
    r"|[^\W\d_a-z](?:\.|[ ]+[^\W\d_a-z]))"
)
_SAME = lazy_re(
    r"\s*(?:[–—―]+|[-_]{2,}|(?:[–—―] ){3})"
    r"(?:[.,]?\s*(?=[(“\"]|[^\W\d_a-z]|(?:1[89]|20)\d\d\b)"
    r"|,\s*(?:(?P<others>(?=(?:and|&|et)\s))|(?=(?:eds?|trans)\b)))"
)
"""A dash for the people of the reference before, or for those of its dash if others join them."""
_PEOPLE = lazy_re(r".{3,300}?(?=\(|“|(?:1[89]|20)\d\d)", re.DOTALL)
_ENDED = lazy_re(r"(?:[.)\]”\"\d]|https?://\S+)\s*$")
_YEAR = lazy_re(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_LONGEST = 2_500
"""Characters of a reference, of which those of many authors are most; what goes on is none."""
_LONGEST_LAST = 400
"""Characters of the last reference, where no other is longer: what follows it is no reference."""
_NAMES = 100
"""Characters of a reference in which the name stands by which it is cited."""
_HYPHEN = lazy_re(r"(?<=[^\W\d_])[-‐]\n\s*(?=[^\W\d_A-Z])|(?<=[A-Z]{2})[-‐]\n\s*(?=[A-Z]{2})")
_HYPHENS = 6
"""Hyphens at the ends of a reference's lines of which each is tried as one that belongs there."""
_LINE_OF_CHINESE = lazy_re(rf"(?<=[{UNSPACED}])[ \t]*\n\s*(?=[{UNSPACED}])")
"""The end of a line in Chinese, where no blank stands."""
_TYPED = lazy_re(r"\s?[\[［](?:[JMCDRSPNZGA]|DB|CP|EB|DS|PP)(?:/[A-Z]{2})?[\]］]")
"""What stands behind a title as GB/T 7714 has it: the type of the work."""
_BEFORE_TYPED = lazy_re(r"(?:^|[.．。](?!\d))\s*(?=\S)")
_STARTS = 4
"""Places before the type, the last ones, at which a title is tried."""
_QUOTED = lazy_re(r"(?:[“\"]|``)([^“”\"]{10,300}?)(?:[”\"]|'')")
_BEGINNING = lazy_re(
    r"(?<!\d)(?:1[89]|20)\d\d[a-z]?[)\]]?[.,:]?[ ](?=[^\W_])|[.,][ ](?=[^\W\d_]\w+:[ ][^\W\d_])"
    r"|(?:^|[.?!:,)\]’][ ])(?=[^\W_a-z][^\s,.;]*(?:,[ ][^\W\d_A-Z]|"
    r"[ ](?!(?:and|&|et)[ ][^\W\d_a-z](?![^\s,.;]*[ ][a-z]{2})|[^\W\d_]\.)[^\s,.;]))"
)
"""Where a title begins that is not quoted: behind a year, and behind any sign if what follows is
"emcee: a" or not like names: "Li, W.", "Li W.", "Li and Wu" (but "Sea and Mud of")."""
_END = lazy_re(r"[.?!;](?=[ ’]|$)|,(?= )|[ ]\(|$")
_ENDS = 7
"""Places looked at where a title that begins somewhere may end."""
_IN_BOOK = lazy_re(
    r"In:?[ ](?=[^\W\d_a-z])(?:(?!\w{3}[.?!] ).){0,200}?"
    r"(?:\b(?:editors?|eds?|pages|volume)\b|\b(?:pp|vol|Proc)\.|Proceedings)"
)
"""What no title begins with: where it was published."""
_VOLUME = lazy_re(r"\s*+(?:,\s*+)?(?:vol(?:ume|\.)?\s*+)?\d{1,4}\s*[(:]", re.IGNORECASE)
"""What stands behind the name of a journal, and behind no title."""
_PIECE = lazy_re(r"(?:[^.?!,;(]|[.,](?=\S)){0,200}")
"""What begins somewhere, up to the next sign."""
_SMALL_IN_NAMES = frozenset(
    "and et al ed eds editor editors others van von vom der den de del della dem des di da do"
    " dos du la las le los ten ter te zu zum zur af av bin ibn el jr".split()
)
_TITLE_WORDS = range(4, 33)
"""Words of a title that identifies a paper by itself."""
_INITIAL = lazy_re(r"\b[^\W\d_]\b")
_DOI = lazy_re(r"10\.\d{4,9}/[^\s\"<>]+")
_ARXIV = lazy_re(r"arxiv[:.]\s*(\d{4}\.\d{4,5})", re.IGNORECASE)
_NUMBERS = lazy_re(
    r"\[[^\[\]\d]{0,60}(\d{1,3}(?:[,;\s–-]+\d{1,3})*)(?:,?\s[^\d\s][^\[\]]{0,70})?\]"
)
_DATED = lazy_re(r"(?<!\d)((?:1[89]|20)\d\d)((?:[a-z](?:,\s?[a-z])*\b)?)(?!\d)")
_LETTER = lazy_re(r"[a-z]")
_RANGE = lazy_re(r"(\d+)\s*[–-]\s*(\d+)|(\d+)")
_LONGEST_RANGE = 30
_FIRST_AUTHOR = lazy_re(
    rf".{{0,80}}?[^\W\d_]{{2}}(?=[,;，；、．]|\.(?: |$|[{UNSPACED}])|[ ](?:\(|&|and\b))"
)
"""What a reference begins with: the first author, and a title where only initials part the two."""
_ET_AL = lazy_re(r"\bet\.? al\b|\bothers\b")
_AND = frozenset(("and", "", "und", "et", "y", "e"))
"""What parts the first author from the second, an ampersand without itself."""
_INITIALS = 3
"""The first of the words behind a name that is none of them: "Li, W. and Wu", "Li and Wu"."""
_WORD = lazy_re(r"[^\W\d_][\w'’‐-]+")
_YEARS = 2
"""Years of a reference that a short title is tried with."""
_CAPITALISED = lazy_re(r"[^\W\d_a-z][\w'’-]+")


@frozen
class PrintedReference:
    """A reference: its label ("" without one), its text on one line, its possible identifiers."""

    label: str
    text: str
    identifiers: tuple[str, ...]


def split_references(text: str) -> tuple[str, list[PrintedReference]]:
    """Return what a text says before its list of references, and the references.

    `text` has the lines of the pages as they stand there; without a list all of it is returned.
    """
    headings = list(_HEADING.finditer(text))[-_HEADINGS:]
    lists = [(heading.start(), _listed_behind(text, heading.end())) for heading in headings]
    # A line of the contents is none, and behind it whole pages can be taken for a list by names.
    late = [(start, entries) for start, entries in lists if start > len(text) // 4]
    late += [(start, entries) for start, entries in lists if entries and entries[0][0]]
    # A heading may stand above each page of the list, and a supplement may have a list of its own.
    best = max(
        late or lists,
        key=lambda candidate: (len(candidate[1]), candidate[0]),
        default=(len(text), []),
    )
    start, entries = best
    return (text[:start], [_reference(*entry) for entry in entries]) if entries else (text, [])


def is_heading(line: str) -> bool:
    """Whether a list of references may begin behind a line."""
    return _HEADING.fullmatch(line) is not None


def _listed_behind(text: str, heading: int) -> list[tuple[str, str]]:
    """Return the label and the lines of each reference."""
    after = _AFTER.search(text, heading)
    return _references(text[heading : after.start() if after else None])


def join_lines(text: str) -> str:
    """Return a text on one line, words and Chinese put together that were parted at its ends."""
    return " ".join(_LINE_OF_CHINESE.sub("", _HYPHEN.sub("", text)).split())


def _with_each_hyphen(text: str) -> Iterator[str]:
    """Yield a text on one line with one of its hyphens at the ends of lines kept, for each."""
    for hyphen in list(_HYPHEN.finditer(text))[:_HYPHENS]:
        yield join_lines(f"{text[: hyphen.start()]}-{text[hyphen.end() :]}")


class PrintedReferences:
    """The references of a paper, by which its markers are resolved."""

    def __init__(self, references: Sequence[PrintedReference]) -> None:
        """Take them in the order in which they are printed."""
        self._references = references
        self._labelled = {reference.label: reference for reference in references if reference.label}
        self._words = [_names(reference.text) for reference in references]

    def cited_by(self, marker: str) -> list[PrintedReference]:
        """Return what a marker cites, in its order: "[3, 5–7]", "(Kim, 2010; Li and Wu, 2011)"."""
        if _RAISED.search(marker):
            marker = f"[{marker.translate(_ON_LINE)}]"
        if lettered := _LETTERED.findall(marker):
            labelled = [self._labelled.get(_plain_label(label)) for label in lettered]
            if any(labelled):
                return [reference for reference in labelled if reference is not None]
        if numbers := _NUMBERS.fullmatch(marker):
            labels = list(_labels(numbers[1]))
            if "0" in labels:  # that is an interval
                return []
            labelled = [self._labelled.get(label) for label in labels]
            return [reference for reference in labelled if reference is not None]
        references: dict[str, PrintedReference] = {}
        for part in marker.split(";"):
            for reference in self._by_name_and_year(part):
                references.setdefault(reference.text, reference)
        return list(references.values())

    def _by_name_and_year(self, part: str) -> Iterator[PrintedReference]:
        """Yield what names with one or more years behind them cite, each by who stands first."""
        names, authors_text, start = list[str](), "", 0
        for dated in _DATED.finditer(part):
            before = part[start : dated.start()].replace("’", "'")
            start = dated.end()
            if words := _CAPITALISED.findall(before):
                authors_text, names = before, [fold(word).removesuffix("'s") for word in words]
            year, letters = dated.groups()
            several = _ET_AL.search(authors_text) is not None
            for letter in _LETTER.findall(letters) or [""]:
                exact = self._of_year(names, year + letter, several)
                yield from (exact or self._of_year(names, year, several))[:1]

    def _of_year(self, names: Sequence[str], year: str, several: bool) -> list[PrintedReference]:
        """Return the references of a year by any of some people, the likeliest first.

        That is one by most of them, with the others if they are `several`, and without otherwise.
        """
        dated = re.compile(rf"(?<![\d./:]){year}(?!\d|\.\d)")
        ranked = [
            (-len(places), places[0], several and _has_two(words, places[0]), places[-1], number)
            for number, words in enumerate(self._words)
            if (places := [words.index(name) for name in names if name in words])
            and dated.search(self._references[number].text)
        ]
        return [self._references[number] for *_, number in sorted(ranked)]


def _has_two(words: Sequence[str], place: int) -> bool:
    """Whether a reference that names its first author there has two of them."""
    return not _AND.isdisjoint(words[place + 1 : place + _INITIALS])


def _names(reference: str) -> list[str]:
    """Return the words with which a reference begins, folded, among them whom it is by."""
    year = _YEAR.search(reference)
    beginning = fold(reference[: min(_NAMES, year.start() if year else _NAMES)]).replace("’", "'")
    return [word.strip(".,;:&()") for word in beginning.split()]


def _plain_label(label: str) -> str:
    """Return a label as markers have it, "7" for "⁷" and "FHL+07" for "FHL +07"."""
    return "".join(label.translate(_ON_LINE).split())


def _labels(numbers: str) -> Iterator[str]:
    for first, last, alone in _RANGE.findall(numbers):
        if alone:
            yield alone
        elif int(first) < int(last) <= int(first) + _LONGEST_RANGE:
            yield from map(str, range(int(first), int(last) + 1))


def _references(text: str) -> list[tuple[str, str]]:
    labels: list[str] = []
    for pattern in _LABELS:
        starts = _numbered_in_turn(pattern.finditer(text))
        if len(starts) >= _LEAST:
            labels = [_plain_label(label[1]) for label in starts]
            ends = [label.start() for label in starts[1:]] + [len(text)]
            references = [text[label.end() : end] for label, end in zip(starts, ends, strict=True)]
            break
    else:
        references = list(_by_names(text))
        labels = [""] * len(references)
    if references:
        references[-1] = references[-1][: max(_LONGEST_LAST, *map(len, references[:-1]), 0)]
    return list(zip(labels, references, strict=True))


def _numbered_in_turn(candidates: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Return the labels that count on from 1, but for a few that are not read, or have letters.

    Another number may begin a line of its own.
    """
    labels: list[re.Match[str]] = []
    last = 0
    for candidate in candidates:
        label = _plain_label(candidate[1])
        number = int(label) if label.isdecimal() else last + 1
        if last < number <= last + _LABELS_MISSED + 1:
            labels.append(candidate)
            last = number
    return labels


def _by_names(text: str) -> Iterator[str]:
    """Yield the references of a list without labels."""
    lines: list[str] = []
    dated, shared = False, ""
    for line in filter(str.strip, text.split("\n")):
        same = _SAME.match(line)
        if dated and (same or _NAME_FIRST.match(line.strip())) and _ENDED.search(lines[-1]):
            yield "\n".join(lines)
            people = _PEOPLE.match(" ".join(lines)) if same else None
            lines, dated = [], False
            if same and people:
                joined = same["others"] is not None
                shared = (shared if joined else "") or people[0]
                line = shared + line[same.end() :]
            else:
                shared = ""
        lines.append(line)
        dated = dated or _YEAR.search(line) is not None
    if dated:
        yield "\n".join(lines)


def _reference(label: str, raw_text: str) -> PrintedReference:
    raw_text = raw_text[:_LONGEST]
    text = join_lines(raw_text)
    identifiers = dict.fromkeys(
        f"doi {doi}" for doi_text in _DOI.findall(text) if (doi := normalise_doi(doi_text))
    )
    identifiers.update(dict.fromkeys(f"arxiv {number}" for number in _ARXIV.findall(text)))
    identifiers.update(dict.fromkeys(_title_identifiers(text)))
    for variant in _with_each_hyphen(raw_text):
        identifiers.update(dict.fromkeys(_title_identifiers(variant)))
    return PrintedReference(label, text, tuple(identifiers))


def _title_identifiers(text: str) -> list[str]:
    """Return the identifiers of all parts of a reference that can be its title."""
    titles = [*_typed_titles(text)] or _QUOTED.findall(text) or [*_unquoted_titles(text)]
    identifiers = [title_identifier(title) for title in titles]
    short = [title for title in titles if title.count(" ") < _TITLE_WORDS.start - 1]
    identifiers += [
        title_identifier(title, author, year)
        for title in short
        for author in _first_authors(text)
        for year in sorted(set(_YEAR.findall(text)))[:_YEARS]
    ]
    return [identifier for identifier in dict.fromkeys(identifiers) if identifier]


def _typed_titles(text: str) -> list[str]:
    """Return what can be the title before the type of the work: "张三. 机器学习[M]. 北京"."""
    typed = _TYPED.search(text)
    if typed is None:
        return []
    starts = [start.end() for start in _BEFORE_TYPED.finditer(text, 0, typed.start())]
    return [text[start : typed.start()] for start in starts[-_STARTS:]]


def _first_authors(text: str) -> list[str]:
    """Return the words that can be the surname of a reference's first author."""
    beginning = _FIRST_AUTHOR.match(text)
    words = [word for word in _WORD.findall(beginning[0])] if beginning else []
    return list(dict.fromkeys((*words[:1], *words[-1:])))


def _unquoted_titles(text: str) -> Iterator[str]:
    """Yield what can be the title: from the first words on that are no names, and before.

    Behind the title stands the name of its venue, which another paper may have for a title.
    """
    for start in _BEGINNING.finditer(text):
        begin = start.end()
        if _IN_BOOK.match(text, begin):
            break
        for number, end in enumerate(_END.finditer(text, begin)):
            title = text[begin : end.start()].rstrip()
            words = title.count(" ") + 1
            if number >= _ENDS or words >= _TITLE_WORDS.stop:
                break
            long_enough = words in _TITLE_WORDS or (number == 0 and words > 1)
            few_initials = len(_INITIAL.findall(title)) * 4 <= words
            if long_enough and few_initials and not _VOLUME.match(text, end.start()):
                yield title
        if begin and not _can_be_names(_PIECE.match(text, begin)):
            break


def _can_be_names(piece: re.Match[str] | None) -> bool:
    """Whether a piece of a reference has only such words as names have, none of them small."""
    return piece is None or not any(
        word[0].islower() and len(word) > 1 and word not in _SMALL_IN_NAMES
        for word in piece[0].split()
    )
