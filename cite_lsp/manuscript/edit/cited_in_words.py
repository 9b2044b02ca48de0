"""Citations written out in words, as pasted text has them: "(Doe and Roe, 2020)", "Doe (2020)".

The marker of the paper that they name takes their place: it prints the same names and year.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Document, Manuscript
from cite_lsp.manuscript.edit.fill import replacement
from cite_lsp.manuscript.edit.insertion import addition
from cite_lsp.manuscript.edit.links import link_end
from cite_lsp.manuscript.edit.noted_markers import (
    NotedKey,
    noted_marker,
    prints_names,
    textual_marker,
    year_marker,
)
from cite_lsp.manuscript.edit.notes import in_note
from cite_lsp.manuscript.edit.placement import adds_only_citations
from cite_lsp.manuscript.edit.style import Style, style_of
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import PLACEHOLDER, Marker, Sentence
from cite_lsp.manuscript.text.text_edit import TextEdit

_BLANK = r"(?:\s|~|\\[ ,])"
_ET_AL = (
    rf",?{_BLANK}+(?:\\(?:emph|textit)\{{|\{{\\(?:em|it|sl|itshape|slshape)\s+|[*_/]|#emph\[)?"
    rf"et\.?{_BLANK}+al(?:\.?(?:\}}|[*_/\]])?|(?:\}}|[*_/\]])\.)"
    rf"|{_BLANK}+\\etal(?![a-z])(?:\{{\}}|\\)?\.?"
    rf"|{_BLANK}+and{_BLANK}+(?:(?:his|her|their){_BLANK}+)?(?:co-?workers|collaborators|co-?authors)"
    rf"|{_BLANK}+(?:u\.{_BLANK}*a\.|и{_BLANK}+др\.|(?:and|und|et|y|e){_BLANK}+(?:others|colleagues"
    r"|andere|autres|otros|outros|col\.))"
    rf"|{_BLANK}*等人?"
)
_JOINT = rf"(?:,?{_BLANK}+(?:and|und|et|y|e|и){_BLANK}+|,?{_BLANK}*(?:\\?&|[,，、和与/]){_BLANK}*)"
_SEE = (
    rf"(?:(?:but|and){_BLANK}+)?(?:see(?:{_BLANK}+also)?|cf\.?|e\.{_BLANK}?g\.|\\(?:eg|cf)\b|compare|following"
    rf"|for{_BLANK}+(?:example|instance)|adapted{_BLANK}+from|reviewed{_BLANK}+(?:in|by)|as{_BLANK}+in"
    rf"|siehe(?:{_BLANK}+auch)?|vgl\.|z\.{_BLANK}?B\.|voir(?:{_BLANK}+aussi)?"
    rf"|v[ée]ase(?:{_BLANK}+tambi[ée]n)?|ver(?:{_BLANK}+(?:tamb[ée]m|tambi[ée]n))?|cfr\.)"
)
_LOWER = "a-zß-öø-ÿа-џ"
_SAID = rf"(?:{_SEE}|(?-i:[{_LOWER}]+(?:['’-][{_LOWER}]+)*\.?))"
_PARTICLE = r"(?:van|von|vom|de[lnrs]?|della|d[aiou]s?|la|le|te[nr]?|zu[mr]?|bin|ibn|al|el|af|av)\b"
_IN_CHINESE = "(?:(?:参[见閱阅看考照]|參[見閱看考照]|[详詳另]?[见見]|例如|比如|如)[:：]?)"
_BEFORE = rf"(?:(?:{_SAID},?{_BLANK}+){{0,7}}(?!{_PARTICLE}){_SAID}[,:]?(?={_BLANK})|{_IN_CHINESE})"
"""What is said before a citation, without a capital: "for a review, see, e.g.,", "参见"."""
_LABEL = (
    r"(?:pp?\.|pages?|S\.|Seiten?|ch(?:ap)?s?\.|chapters?|Kap(?:itel|\.)|sec(?:t|s)?\.|sections?"
    r"|Abschnitt|Abschn\.|\\S|§§?|fig(?:s?\.|ures?)|Abb(?:ildung|\.)|tables?|tab\.|Tabelle|eqs?\."
    r"|equations?|theorem|thm\.|lemma|def(?:inition|\.)|alg(?:orithm|\.)|app(?:endix|\.)|part"
    r"|vol(?:ume|\.)|no\.|n\.|note|para\.|¶|fols?\.|Rn\.|Rz\.|Anm\.|Art\.)"
)
_NUMBER = r"(?:[eS]?\d[A-Za-z0-9.]*+|[ivxlc]+\b|[A-Z]\b(?:\.\d+)*)"
_YEAR = r"(?:1[5-9]|20)\d\d"
_NUMBERS = (
    rf"{_NUMBER}(?:{_BLANK}*(?:-+|[–—]|to|bis|(?:[,&]|and|und)(?!{_BLANK}*{_YEAR}[a-z]?\b))"
    rf"{_BLANK}*{_NUMBER})*"
    rf"(?:{_BLANK}*(?:ff?|sqq?|et{_BLANK}+suiv)\b\.?)?"
)
_PAGES = rf"(?!{_YEAR}[a-z]?\b)(?=\d){_NUMBERS}"
"""Pages that nothing says to be any: in ", 1975" stands a year."""
_LOCATOR = (
    rf"(?:{_LABEL}{_BLANK}*{_NUMBERS}"
    rf"|第{_BLANK}*{_NUMBERS}{_BLANK}*[页頁章节節卷条條]|[图圖表]{_BLANK}*{_NUMBERS})"
)
_AFTER = (
    rf"(?:[,，]{_BLANK}*(?P<place>(?:{_LOCATOR}|{_PAGES})(?:[,，]{_BLANK}*{_LOCATOR})*)"
    rf"|{_BLANK}?[:：]{_BLANK}*(?P<page>{_NUMBERS})"
    rf"|,?{_BLANK}+(?P<more>and{_BLANK}+(?:the{_BLANK}+)?references{_BLANK}+therein"
    rf"|among{_BLANK}+(?:many{_BLANK}+)?others))"
)
"""What is said behind a citation: ", p. 3", ", 12f.", ": 15–17", "and references therein"."""
_PARENTHESES = lazy_re(
    r"[(（](?P<round>[^()（）]+)[)）]"
    r"|(?<![\w\\\[\])}!^*])\[(?P<square>[^\[\]()（）]+)\](?![\[\]({:])"
)
"""What stands in parentheses, or in brackets that are neither a link nor an argument."""
_UNNAMED_AFTER = re.sub(r"\?P<\w+>", "?:", _AFTER)
_YEARS = (
    rf"{_YEAR}[a-z]?{_UNNAMED_AFTER}?"
    rf"(?:(?:(?:{_JOINT}|{_BLANK}*[;；]{_BLANK}*){_YEAR}[a-z]?|[,，、&]{_BLANK}*[b-z](?!\w))"
    rf"{_UNNAMED_AFTER}?)*"
)
"""The years of works of the same people, each with what is said behind it: "1966, 1975, p. 3"."""
_YEAR_CLOSED = lazy_re(r"(?:1[89]|20)\d\d[a-z]?\s*(?:[,，:：\s][^()（）\[\];；]{1,80})?[)）\];；]")
_SEPARATOR = lazy_re(
    rf"\s*[;；](?!\s*{_YEAR}(?!\d))\s*"
    rf"|(?:(?<=\d{{4}})|(?<=\d{{4}}[a-z]))(?:\s*[,，]|,?{_BLANK}+(?:and|und|et|y|e|&|\\&))"
    rf"{_BLANK}+(?:and{_BLANK}+)?(?=(?:{_PARTICLE}{_BLANK}+)*[A-ZÀ-ÖØ-Þ][^,;()\d]{{1,60}}"
    rf"(?:,[^,;()\d]{{1,60}}){{0,9}},?{_BLANK}*{_YEAR})"
)
"""What parts two citations; a year behind it is one more of the same people.

A comma or "and" does where a year stands before it, and other people and a year behind it.
"""
_DATED = lazy_re(
    rf"(?:(?P<year>{_YEAR})[a-z]?|(?<=[,，、&])\s*[b-z](?!\w)){_AFTER}?", re.IGNORECASE
)
"""A year of a list, or the letter of one more work of the year before: "2019a, b, 2020"."""
_ITEM_END = lazy_re(r"\s*(?:[;；)）\]]|\Z)")
_LEANS = lazy_re(r"\d|(?:[Dd](?:ers|ies)|[Ii](?:bi)?d(?:em)?|[Ee](?:ad(?:em)?|bd))\b")
"""How what says its author in the item before begins: "Doe 2020; 2021", "Doe 2020; ders. 2021"."""
_MOST_PEOPLE = 50
"""Authors of a paper that words may list; a pattern for all 3,000 of some would take seconds."""
_WITHOUT_ACCENT = {"ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "ı": "i"}
_EMPHASIS = r"(?:\\(?:emph|textit)\{|[*_])"
_OPEN = lazy_re(r"[(（][^()（）]*\Z")


def may_cite_in_words(sentence: str) -> bool:
    """Whether a plain sentence may cite in words: a year, or a note on it, ends a parenthesis."""
    return _YEAR_CLOSED.search(sentence) is not None


@frozen
class CitedWork:
    """What words may cite: the key of a paper, the family names of its authors and its year."""

    key: str
    people: Sequence[str]
    year: int


@frozen
class CitingEdit:
    """An edit that cites the works of some keys."""

    keys: tuple[str, ...]
    edit: TextEdit


def replacement_of_words(
    manuscript: Manuscript,
    sentence: Sentence,
    works: Sequence[CitedWork],
    document: Document,
) -> TextEdit | None:
    """Return the edit that puts a marker in the place of words that cite some works.

    Of several works the words are all in one pair of parentheses, or years behind the same names.
    What is said with one, "see" or a page, goes into the marker, or the words stay where none can
    hold it. Other citations in the parentheses stay; to a marker among them the keys are added.
    "Doe (2020)" gives way only where the draft has a command that prints names; it stays where that
    is unknown, as do words in footnotes of the sentence. None without any.
    """
    keys = sorted(work.key for work in works)
    for cited, edit in _replacements(manuscript, sentence, works, document):
        if sorted(cited) == keys and adds_only_citations(manuscript, sentence, edit, keys):
            return edit
    return None


def all_replacements_of_words(
    manuscript: Manuscript,
    sentence: Sentence,
    works: Sequence[CitedWork],
    document: Document,
) -> tuple[CitingEdit, ...]:
    """Return all words of a sentence that cite works, in order, with the markers for them.

    Words that cite several works at once come before those within them that cite fewer.
    """
    found = sorted(
        _replacements(manuscript, sentence, works, document),
        key=lambda replaced: (-len(replaced[0]), replaced[1].start),
    )
    chosen: list[CitingEdit] = []
    for cited, edit in found:
        free = all(edit.end <= other.edit.start or other.edit.end <= edit.start for other in chosen)
        if free and adds_only_citations(manuscript, sentence, edit, cited):
            chosen.append(CitingEdit(tuple(cited), edit))
    return tuple(sorted(chosen, key=lambda words: words.edit.start))


def cited_together(
    manuscript: Manuscript,
    sentence: Sentence,
    works: Sequence[CitedWork],
    document: Document,
) -> Sequence[str]:
    """Return the keys of the most works whose words a single marker would take the place of."""
    replacements = _replacements(manuscript, sentence, works, document)
    return max((cited for cited, _ in replacements), key=len, default=())


def _replacements(
    manuscript: Manuscript,
    sentence: Sentence,
    works: Sequence[CitedWork],
    document: Document,
) -> Iterator[tuple[Sequence[str], TextEdit]]:
    """Yield the keys that words of a sentence cite, and the edit that puts a marker there."""
    style = style_of(document, in_note=in_note(manuscript, sentence.start))
    notes = [note for note in manuscript.layout.notes if sentence.start <= note.start]
    for citing, edit in (
        *_in_parentheses(manuscript, sentence, works, style),
        *_in_the_text(manuscript, sentence, works, style),
    ):
        in_a_note = any(note.start <= edit.start < note.end for note in notes)
        if not in_a_note and link_end(manuscript, edit.start, edit.end) is None:
            yield [noted.key for noted in citing], edit


def _names(people: Sequence[str]) -> str:
    """Return a pattern for the first of some people, alone or with others, by name or not."""
    first, *others = map(_name, people[:_MOST_PEOPLE])
    listed = rf"(?:(?:{_ET_AL})?{_JOINT}(?:{'|'.join(others)}))*" if others else ""
    return rf"{first}{listed}(?:{_ET_AL})?"


def _name(person: str) -> str:
    """Return a pattern for a name; an organisation's may be cut to its initials: "WHO"."""
    words = person.split()
    name = rf"{_BLANK}+".join("".join(map(_letter, word)) for word in words)
    initials = "".join(word[0] for word in words if word[0].isupper())
    return f"(?:{name}|(?-i:{initials}))" if len(initials) > 2 else name


def _letter(letter: str) -> str:
    r"""Return a pattern for a letter of a name, as it is, as `\"o` or `{\o}`, or without accent."""
    base = _WITHOUT_ACCENT.get(letter.lower(), unicodedata.normalize("NFD", letter)[0])
    if letter.isascii() or not base.isascii():
        return re.escape(letter)
    return rf"(?:{letter}|(?:\{{?\\\W?(?:[a-z][ {{])?[{{\\]*)?{base}[{{}}]*|{base}e)"


def _in_parentheses(
    manuscript: Manuscript, sentence: Sentence, works: Sequence[CitedWork], style: Style
) -> Iterator[tuple[Sequence[NotedKey], TextEdit]]:
    patterns = [
        re.compile(
            rf"(?:(?P<before>{_BEFORE}){_BLANK}*)?{_names(work.people)}"
            rf"(?:[,，]?{_BLANK}*)(?P<years>{_YEARS})",
            re.IGNORECASE,
        )
        for work in works
    ]
    for match in _PARENTHESES.finditer(manuscript.text, sentence.start, sentence.end):
        citing: list[NotedKey] = []
        others: list[str] = []
        dropped: list[str] = []
        for item in _SEPARATOR.split(match["round"] or match["square"]):
            cites = _cited_by(item.strip(), patterns, works, citing)
            citing += cites
            (dropped if cites else others).append(item)
        if not citing or any(map(_LEANS.match, others)):
            continue
        if added := _added_to_marker(manuscript, sentence, match.span(), citing, dropped, style):
            yield citing, TextEdit(*match.span(), added)
        new = noted_marker(style, citing)
        if not new:
            continue
        placeholder = Marker(PLACEHOLDER, (), *match.span())
        edit = replacement(manuscript, placeholder, new, style)
        if others:
            if edit.end != match.end():
                continue
            opening, closing = match[0][0], match[0][-1]
            blank = "" if opening == "（" else " "
            rest = f"{blank}{opening}{'; '.join(others)}{closing}"
            edit = evolve(edit, text=edit.text + rest)
        yield citing, edit


def _added_to_marker(
    manuscript: Manuscript,
    sentence: Sentence,
    parentheses: Span,
    citing: Sequence[NotedKey],
    dropped: Sequence[str],
    style: Style,
) -> str:
    """Return parentheses without some items, whose keys a marker in them gets; "" without one.

    No item takes a note along, for the marker would say it of all its keys.
    """
    text, (start, end) = manuscript.text, parentheses
    marker = next(
        (
            marker
            for marker in reversed(sentence.markers)
            if start <= marker.start
            and marker.end <= end
            and marker.keys
            and not prints_names(manuscript, marker)
            and _ITEM_END.match(text, marker.end, end)
        ),
        None,
    )
    if marker is None or any(noted.before or noted.after for noted in citing):
        return ""
    added = addition(manuscript, marker, [noted.key for noted in citing], style.document)
    inside = added.applied_to(text[: end - 1])[start + 1 :]
    items = [item for item in _SEPARATOR.split(inside) if item not in dropped]
    return f"{text[start]}{'; '.join(items)}{text[end - 1]}"


def _cited_by(
    words: str,
    patterns: Sequence[re.Pattern[str]],
    works: Sequence[CitedWork],
    before: Sequence[NotedKey] = (),
) -> list[NotedKey]:
    """Return the works that some words cite, one for each of their years; none if one is missing.

    Of several works by the same people in a year, those that are cited `before` are others.
    """
    matches = [pattern.fullmatch(words) for pattern in patterns]
    match = next(filter(None, matches), None)
    if match is None:
        return []
    named = [work for work, by_it in zip(works, matches, strict=True) if by_it]
    said, year = _in_one_line(match.groupdict().get("before")), 0
    cited: list[NotedKey] = []
    for dated in _DATED.finditer(match["years"]):
        year = int(dated["year"] or year)
        keys = [work.key for work in named if work.year == year]
        if not keys:
            return []
        used = {noted.key for noted in (*before, *cited)}
        key = next((key for key in keys if key not in used), keys[0])
        cited.append(NotedKey(key, "" if cited else said, _note_behind(dated)))
    return cited


def _in_the_text(
    manuscript: Manuscript, sentence: Sentence, works: Sequence[CitedWork], style: Style
) -> Iterator[tuple[Sequence[NotedKey], TextEdit]]:
    text = manuscript.text
    patterns = [
        re.compile(
            rf"(?<!\w){_EMPHASIS}?{_names(work.people)}"
            rf"(?:(?:(?P<own>['’]s?)|,)?{_BLANK}*"
            rf"(?P<closed>[(（\[](?P<years>{_YEARS})(?:[)）]|\](?!{_BLANK}*\d|[\[({{:])))"
            rf"|{_BLANK}+(?P<bare>{work.year})[a-z]?(?![\w(（–-]))",
            re.IGNORECASE,
        )
        for work in works
    ]
    for number, pattern in enumerate(patterns):
        for match in pattern.finditer(text, sentence.start, sentence.end):
            if match["bare"] and _OPEN.search(text, sentence.start, match.start()):
                continue  # in parentheses that say more
            if not _is_closed(match.group()):
                continue  # in emphasis that says more
            if match["bare"]:
                citing = [NotedKey(works[number].key, "", "")]
            else:
                citing = _cited_by(match.group(), patterns, works)
            printed = year_marker if match["own"] else textual_marker
            marker = printed(style, citing) if citing else ""
            if marker:
                place = match.span("closed" if match["own"] else 0)
                yield citing, TextEdit(*place, marker)


def _is_closed(words: str) -> bool:
    return words.count("{") == words.count("}") and not any(words.count(sign) % 2 for sign in "*_")


def _note_behind(match: re.Match[str]) -> str:
    return _in_one_line(match["place"] or match["page"] or match["more"])


def _in_one_line(note: str | None) -> str:
    return " ".join((note or "").split())
