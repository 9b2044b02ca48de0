"""Where in a draft a key is being typed."""

from __future__ import annotations

import re

from attrs import evolve

from cite_lsp.language import COMBINING, EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.draft.enclosing import borrows_closing, word_end
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.latex.arguments import NO_KEYS
from cite_lsp.manuscript.markdown.chunks import in_caption
from cite_lsp.manuscript.markdown.citations import is_role
from cite_lsp.manuscript.markdown.liquid import is_tag
from cite_lsp.manuscript.model import CitationSite, Marker, MarkerKey
from cite_lsp.manuscript.text.comments import blanked

_PASTED = r"(?:(?:doi:)?10\.\d{4,9}/|https?://)[^\s\[\]{};,]*"
"""A DOI or an address that is pasted where a key belongs: it may hold what keys may not."""
_NAMES = r"(?:[^\W\d_]++(?:-[^\W\d_]++)*['’ʼ‘])++"
"""A part of a name with an apostrophe behind it: `O'`, `D’`. No key has that, but people do."""
_POSSESSIVE = lazy_re(r"['’ʼ‘]s?\Z")
"""What is no part of a name outside of brackets: a quotation ends so, and `@doe's`."""
_BEFORE_SIGN = (
    r"(?:^|(?<=[\s\[;(\"'“‘„‚«‹¿*~…—–,|>\u3000-\u303f\uff01-\uff0f\uff1a-\uff20])|(?<=(?<!\w)_))"
)
_TYPED = lazy_re(
    rf"{_BEFORE_SIGN}-?@"
    rf"(?:\{{(?P<odd>[^{{}}\n]*)|(?P<key>(?:{_PASTED}|{_NAMES}|(?:{_NAMES})?\w[\w:.#$%&\-+?<>~/]*)?))\Z"
)
_TYPED_WORDS = lazy_re(
    r"\[(?:[^\[\]\n]*[\s;])?-?@(?P<key>[^\W_](?:[\w-]|['’ʼ‘](?=\w))*"
    r"(?: +(?:al\b\.?,?|[^\W_]*(?:['’ʼ‘][^\W_]*)?))+)\Z"
)
"""Several words in a bracket of Markdown: an author and a year, say, and not a key yet."""
_SEVERAL_PEOPLE = lazy_re(
    rf"{_BEFORE_SIGN}@(?P<typed>[^\W\d_][\w'’ʼ‘-]* +et +al\.?"
    r"(?:,? +(?P<year>\(?(?:\d{1,4}[a-z]?)?))?)\Z"
)
"""A name with "et al." outside of brackets, which no prose has behind the sign."""
_REST_OF_YEAR = lazy_re(r"(?:(?<=\d)\d{1,3})?(?:(?<=\d)[a-z])?(?!\w)")
_PARTICLE = r"(?:v[ao]n|de[lnrs]?|d[aiou]|l[ae]|te[nr]?|zu[mr]?|[ae]l|ibn|bin)\s+"
_LOWER = "a-zß-öø-ÿ"
_SAID = rf"(?:(?:z\.[ ]?B\.|(?!{_PARTICLE})[{_LOWER}]+(?:\.[{_LOWER}]+)*\.?),?\s+)"
"""A word that is said before a key: "see", "e.g.,"."""
_WORK = rf"(?P<typed>(?:{_PARTICLE})*(?![{_LOWER}])[^\W\d_][^@;\[\]]*)?\Z"
_WRITTEN_OUT = lazy_re(rf"(?:[\[;]|\[cite[/\w-]*:)\s*{_SAID}*{_WORK}")
"""What is typed of a work without its key in a bracket: "[@doe2020; see also van Roe, 2"."""
_BEHIND_KEY = lazy_re(rf"@[^\s\[\];,]+,\s*{_WORK}")
_BEFORE_KEY = lazy_re(
    rf"(?<![\w\]!^\\])\[(?:(?:See|Cf\.|Siehe|Vgl\.|Voir),?\s+)?{_SAID}{{0,5}}(?<!\[){_WORK}"
)
"""A bracket of Markdown that may become a citation: `[see `."""
_CITATION = r"(?<!\S)@(?P<key>[^\s\[\]{};,@]+)[ ]"
_BEHIND_CITATION = lazy_re(rf"{_CITATION}\[(?P<inside>){_SAID}{{0,5}}{_WORK}")
"""A bracket of Markdown behind a citation in the text, which it goes on: `@doe2020 [`."""
_CITED_BEFORE = lazy_re(rf"{_CITATION}\Z")
CLOSED_LATER = lazy_re(r"[^\[\]\n]*\]")
"""What stands behind a place in a bracket that its line closes."""
_ITEM_END = lazy_re(r"[ \t]*(?:;|\](?![\[({:]))")
_UP_TO_YEAR = lazy_re(r"[^@;\[\]]*?\b(?:1[5-9]|20)\d\d[a-z]?\b")
_TYPED_IN = {
    "markdown": _TYPED,
    "typst": lazy_re(
        rf"@(?P<key>(?:{_PASTED}|{_NAMES}|(?:{_NAMES})?[\w{COMBINING}\-][\w{COMBINING}\-:.]*)?)\Z"
        rf"|(?P<begun>#cite\([ \t]*(?:label\([ \t]*)?)(?P<bare>[\w{COMBINING}]*)\Z"
    ),
    "org": lazy_re(
        r"\[(?P<opened>cite[/\w-]*:)(?:(?:[^\[\]\n]*[\s,;:])?@(?P<key>[^\s\[\];,@]*)"
        r"|[^\[\]\n]*@[^\[\]\n;]+;[ ]?(?P<another>\w*))\Z"
        r"|(?:^|\W)(?P<linked>[A-Za-z]*[Cc]ite[a-z]*\*?:)(?:[^\[\]\n]*[\s;:])?&(?P<reference>[^\s\[\];,&]*)\Z"
        r"|(?:^|\W)(?P<begun>(?!(?:ex|in|re)cite)[a-z]*cite[a-z/-]*:)(?P<bare>\w*)\Z"
    ),
}
"""What is typed of a key before the cursor, in formats where a sign begins it."""
_TYPED_IN_ORG = lazy_re(r"[\s,;:](?:@(?P<key>[^\s\[\];,@]*)|&(?P<reference>[^\s\[\];,&]*))\Z")
"""The same inside a marker of Org that may begin on a line above."""
_KEY_GOES_ON = lazy_re(
    rf"(?:(?![{EAST_ASIAN}])[\w{COMBINING}]|[:.#$%&\-+?<>~/](?=\w)(?![{EAST_ASIAN}]))*"
)
"""The rest of a key, up to what may be the next word already, where no blank parts the two."""
_KEY_GOES_ON_IN_TYPST = lazy_re(
    rf"(?:(?![{EAST_ASIAN}])[\w{COMBINING}]|[:.\-]+(?=\w)(?![{EAST_ASIAN}]))*"
)
"""The same in Typst, where a `#` begins code, and `--` may stand in a key."""
_KEY_BEFORE_WORDS = lazy_re(r"(?=\S*?[^\W\d_]{2})(?=\S*\d)\S+(?=[ \t]+\S)")
"""What looks like a key with a word behind it, as in `doe2020 mol`, and not as in a title."""
_IN_A_WORD = lazy_re(r"[A-Za-z0-9.+\-]|(?<=\w)_")
"""What stands before a sign of Typst that begins no key, unless it ends one: `@doe@roe`.

What opens emphasis is none: `_@doe says_`."""
_ODD_KEY_GOES_ON = lazy_re(r"[^{}\n]*")
_PROSE_IN_FRONT = lazy_re(
    r"^(?:nocite|abstract)(?::[^\n]*(?:\n(?:[ \t][^\n]*)?)*"
    r"|[ \t]*=[ \t]*(?:[^\n]*|(?P<quote>\"\"\"|''')(?s:(?!(?P=quote)).)*))\Z",
    re.MULTILINE,
)
_BLANK = lazy_re(r"\s")
_LIST_ABOVE = lazy_re(
    r"(?:,|(?P<brace>\{)(?:[ \t]*%[^\n]*)?)[ \t\r]*\n[ \t]*(?P<typed>[^\s\\{},%]*)\Z"
)
_BLANK_BEHIND = lazy_re(r"[ \t\r]*(?:\n|\Z)")
_BEGINS_NO_KEY = lazy_re(r"[\s.…)。．）]")
"""What stands right behind a list of keys that has been begun in prose, and never in a key."""
_LONGEST_LINE = 400


def site_at(manuscript: Manuscript, offset: int) -> CitationSite | None:
    """Return the place at the offset where a key can be typed, or None."""
    if not 0 <= offset <= len(manuscript.text):
        return None
    marker = manuscript.marker_at(offset)
    for candidate in (*manuscript.markers_outside_prose, marker, manuscript.marker_at(offset - 1)):
        if candidate and candidate.lists:
            site = _site_in_list(manuscript.text, candidate, offset)
            if site and manuscript.format == "latex":
                return _before_prose(manuscript.text, site)
            if site:
                return site
    if manuscript.format == "org":
        site = _site_behind_comma(manuscript.text, manuscript.marker_at(offset - 1), offset)
        if site:
            return site
    if site := _site_below_list(manuscript, offset):
        return site
    typed = _TYPED_IN.get(manuscript.format)
    if typed is None or _in_code(manuscript, offset):
        return None
    return (
        _site_at_sign(manuscript, marker, offset, typed)
        or _site_in_words(manuscript, marker, offset)
        or _site_of_several_people(manuscript, offset)
    )


def end_in_words(text: str, site: CitationSite) -> int:
    """Return the end of the work that is written out where a key belongs, name and year.

    Where a sign begins the key it is the end of the site.
    """
    if not _takes_words(site.marker) or text[site.start - 1] in "@{":
        return site.end
    year = _UP_TO_YEAR.match(text, site.start, site.marker.end)
    return max(year.end(), site.end) if year else site.end


def _takes_words(marker: Marker) -> bool:
    """Whether a marker is a bracket in which a work may be written out beside keys."""
    return marker.closed and (marker.command == "[@]" or marker.command.startswith("[cite"))


def _site_in_list(text: str, marker: Marker, offset: int) -> CitationSite | None:
    for start, end in marker.lists:
        if start <= offset <= end:
            break
    else:
        return None
    if any(_is_inside(match, offset) for match in NO_KEYS.finditer(text, start, end)):
        return None
    list_text = blanked(NO_KEYS, text[start:end])
    if is_tag(marker):
        list_text = _BLANK.sub(",", list_text)
    elif is_role(marker):
        list_text = list_text.replace(";", ",")
    before, behind = list_text[: offset - start], list_text[offset - start :]
    typed_start = offset - len(before.rpartition(",")[2].lstrip())
    if not marker.silent and text.startswith("*", typed_start, offset):  # \cite{a,*b}, one group
        typed_start += 1
    typed = text[typed_start:offset]
    rest = behind.partition(",")[0].partition("\n")[0]
    stop = offset + len(rest.rstrip())
    if not marker.closed or (not typed and _BEGINS_NO_KEY.match(rest)):
        stop = offset
    others = tuple(key.text for key in marker.keys if key.end <= typed_start or key.start >= stop)
    first = _KEY_BEFORE_WORDS.match(text, typed_start, stop)
    parts = first is not None and offset <= first.end() and not marker.command.startswith("#")
    if first and parts:
        stop = first.end()
    return CitationSite(marker, typed_start, offset, stop, typed, others, ahead=parts)


def _before_prose(text: str, site: CitationSite) -> CitationSite:
    """Return a site that ends where the prose begins which its marker takes for keys."""
    if not borrows_closing(text, "latex", site.marker, site.cursor):
        return site
    return evolve(site, end=min(word_end(text, site.cursor), site.end), ahead=False)


def _is_inside(match: re.Match[str], offset: int) -> bool:
    """Whether an offset is in a comment or a note; behind the bracket of a note it is not."""
    return match.start() < offset < match.end() + match.group().startswith("%")


def _site_behind_comma(text: str, marker: Marker | None, offset: int) -> CitationSite | None:
    """Return the place behind the comma of `cite:a,`, which is prose until a key follows it."""
    if not marker or text[offset - 1] != "," or marker.end != offset - 1:
        return None
    if not any(end == marker.end for _, end in marker.lists):
        return None
    others = tuple(key.text for key in marker.keys)
    return CitationSite(marker, offset, offset, offset, "", others)


def _site_below_list(manuscript: Manuscript, offset: int) -> CitationSite | None:
    r"""Return the place on the line below a list of LaTeX that nothing closes.

    Below its comma the line is blank, for a key there belongs to the list; below its brace, what
    stands alone on the line is a key that is being typed. What else stands there would be prose.
    """
    text = manuscript.text
    above = _LIST_ABOVE.search(text, max(offset - _LONGEST_LINE, 0), offset)
    if above is None or not _BLANK_BEHIND.match(text, offset):
        return None
    opened, typed = above.start("brace") + 1, above["typed"]
    marker = manuscript.marker_at(opened or above.start())
    if marker is None or marker.closed or not marker.lists:
        return None
    start, end = marker.lists[-1]
    others = tuple(key.text for key in marker.keys)
    if not opened:
        within = text.endswith("{", 0, start) and start <= above.start() < end
        if typed or not within or not others or _BLANK.search(others[-1]):  # prose, and no key
            return None
    elif start != opened:
        return None
    return CitationSite(marker, offset - len(typed), offset, offset, typed, others)


def _site_in_words(
    manuscript: Manuscript, marker: Marker | None, offset: int
) -> CitationSite | None:
    """Return the place of a work that is, or could be, written out in a bracket without a sign."""
    if site := _site_behind_citation(manuscript, offset):
        return site
    text, behind = manuscript.text, _ITEM_END.match(manuscript.text, offset)
    guessed = False
    if marker is None and manuscript.format == "markdown" and behind and behind[0].endswith("]"):
        match = _BEFORE_KEY.search(text, max(offset - _LONGEST_LINE, 0), offset)
        marker, guessed = match and Marker("[@]", (), match.start(), behind.end()), True
    elif marker and _takes_words(marker) and marker.start < offset < marker.end:
        match = _WRITTEN_OUT.search(text, marker.start, offset)
        if match is None:
            match, guessed = _BEHIND_KEY.search(text, marker.start, offset), True
    else:
        match = None
    if match is None or marker is None:
        return None
    others, typed = tuple(key.text for key in marker.keys), match["typed"] or ""
    start = offset - len(typed)
    if not typed and not (behind and text[offset - 1] in " ;,"):
        return None
    year = _UP_TO_YEAR.match(text, start, marker.end)
    if typed and year and year.end() < offset:  # in what is said with it
        return None
    return CitationSite(marker, start, offset, offset, typed, others, guessed=guessed)


def _site_behind_citation(manuscript: Manuscript, offset: int) -> CitationSite | None:
    """Return the place of another work in a bracket that goes on a citation in the text."""
    text = manuscript.text
    line = _line_start(text, offset)
    match = _BEHIND_CITATION.search(text, line, offset) if manuscript.format == "markdown" else None
    behind = _ITEM_END.match(text, offset)
    closed = behind is not None and behind[0].endswith("]")
    if match is None or not (closed or CLOSED_LATER.match(text, offset) is None):
        return None
    typed = match["typed"] or ""
    end = behind.end() if behind and closed else offset
    marker = Marker("[@]", (), match.start("inside") - 1, end, closed)
    start = offset - len(typed)
    return CitationSite(marker, start, offset, offset, typed, (match["key"],), guessed=True)


def _site_of_several_people(manuscript: Manuscript, offset: int) -> CitationSite | None:
    """Return the place of "@Smith et al. 2020", a work written out behind a sign of its own."""
    text = manuscript.text
    line = _line_start(text, offset)
    match = _SEVERAL_PEOPLE.search(text, line, offset) if manuscript.format != "org" else None
    if match is None or _open_bracket(text, line, offset) is not None:
        return None
    sign, start = match.start(), match.start("typed")
    if any(_in_code(manuscript, place) for place in (sign, start)):
        return None
    if not _may_begin_key(manuscript, sign):
        return None
    rest = _REST_OF_YEAR.match(text, offset) if match["year"] else None
    end = rest.end() if rest else offset
    end += (match["year"] or "").startswith("(") and text.startswith(")", end)
    marker = Marker("@", (), sign, offset, False)
    return CitationSite(marker, start, offset, end, match["typed"], (), several_words=True)


def _site_at_sign(
    manuscript: Manuscript, marker: Marker | None, offset: int, typed: re.Pattern[str]
) -> CitationSite | None:
    text = manuscript.text
    match, line = _typed_at_sign(manuscript, marker, offset, typed)
    if not match:
        return None
    part = next(
        name
        for name in ("odd", "key", "reference", "another", "bare")
        if match.groupdict().get(name) is not None
    )
    start = line + match.start(part)
    sign = line + match.start() if match.re.pattern == _TYPED.pattern else start - 1
    if part == "bare":  # without the sign that begins a key
        if manuscript.format == "typst" and marker and marker.keys:
            return None
        sign = line + match.start("begun")
    if any(_in_code(manuscript, place) for place in (sign, sign + 1)):
        return None
    if not _may_begin_key(manuscript, sign):
        return None
    goes_on = _KEY_GOES_ON_IN_TYPST if manuscript.format == "typst" else _KEY_GOES_ON
    rest_of_key = (_ODD_KEY_GOES_ON if part == "odd" else goes_on).match(text, offset)
    end = rest_of_key.end() if rest_of_key else offset
    opening = _open_bracket(text, line, offset) if manuscript.format == "markdown" else None
    if opening is None and manuscript.format != "org" and _POSSESSIVE.search(text, start, offset):
        return None
    if not marker or not marker.start <= sign < marker.end:
        command = _command(manuscript.format, match) if opening is None else "[@]"
        marker = Marker(command, (), sign, offset, False)
        if command != "#cite" or not text.startswith(")", end):
            end = _end_outside_prose(manuscript, start, offset)
    elif marker.lists and not marker.closed:
        end = offset
    if part == "reference" and match.groupdict().get("linked"):  # `cite:&doe2020;&`
        opening = line + match.start("linked")
    keys_before = () if opening is None else _keys_between(manuscript, opening, sign)
    marker_keys = (key for key in marker.keys if not key.start <= start <= key.end)
    others = tuple(key.text for key in (*keys_before, *marker_keys))
    several_words = match.re.pattern == _TYPED_WORDS.pattern
    return CitationSite(marker, start, offset, end, text[start:offset], others, several_words)


def _typed_at_sign(
    manuscript: Manuscript, marker: Marker | None, offset: int, typed: re.Pattern[str]
) -> tuple[re.Match[str] | None, int]:
    """Return what is typed of a key, and the offset that the places of this match count from."""
    text = manuscript.text
    line = _line_start(text, offset)
    if match := typed.search(text[line:offset]):
        return match, line
    if manuscript.format == "org" and marker and offset < marker.end:
        return _TYPED_IN_ORG.search(text, max(line - 1, marker.start), offset), 0
    if manuscript.format == "markdown":
        return _TYPED_WORDS.search(text[line:offset]), line
    return None, line


def _end_outside_prose(manuscript: Manuscript, start: int, offset: int) -> int:
    """Return the end of a key outside of prose that begins at `start`, `offset` without one."""
    outside = (key for marker in manuscript.markers_outside_prose for key in marker.keys)
    return next((key.end for key in outside if key.start == start <= offset <= key.end), offset)


def _line_start(text: str, offset: int) -> int:
    """Return where the line of an offset begins; of a very long one only the end counts."""
    return max(text.rfind("\n", 0, offset) + 1, offset - _LONGEST_LINE)


def _may_begin_key(manuscript: Manuscript, sign: int) -> bool:
    """Whether a sign is neither escaped nor, in Typst, inside a word, as that of an address is."""
    if sign and manuscript.text[sign - 1] == "\\":
        return False
    if manuscript.format != "typst" or not sign or manuscript.text[sign] == "#":
        return True
    before = manuscript.marker_at(sign - 1)
    ends_key = before is not None and before.end == sign
    return ends_key or not _IN_A_WORD.match(manuscript.text, sign - 1)


def _in_code(manuscript: Manuscript, offset: int) -> bool:
    """Whether an offset is in code that holds no prose, as captions and an abstract are."""
    if not manuscript.in_code(offset) or manuscript.format != "markdown":
        return manuscript.in_code(offset)
    if offset <= manuscript.layout.prose[0]:
        return _PROSE_IN_FRONT.search(manuscript.text[:offset]) is None
    return not in_caption(manuscript.text, offset)


def _command(format: str, match: re.Match[str]) -> str:
    """Return the command of a marker that is only begun, and in no bracket."""
    if format == "org":
        opened = match["opened"]
        return f"[{opened.rstrip(':')}]" if opened else match["linked"] or match["begun"]
    return "#cite" if format == "typst" and match["begun"] else "@"


def _open_bracket(text: str, line: int, offset: int) -> int | None:
    """Return the offset of a bracket that is open at an offset of a line, or None."""
    opening = text.rfind("[", line, offset)
    return opening if opening > text.rfind("]", line, offset) else None


def _keys_between(manuscript: Manuscript, start: int, end: int) -> tuple[MarkerKey, ...]:
    """Return the keys in a bracket that is not closed yet, where each is a marker of its own.

    A citation in the text that the bracket goes on is one of them: `@doe2020 [@`.
    """
    cited = _CITED_BEFORE.search(manuscript.text, _line_start(manuscript.text, start), start)
    start = cited.start() if cited else start
    return tuple(
        key
        for marker in (*manuscript.cited, *manuscript.markers_outside_prose)
        if start <= marker.start and marker.end <= end
        for key in marker.keys
    )
