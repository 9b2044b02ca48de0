"""People in `author` and `editor` fields: who they are, in order, written as one reads them."""

from __future__ import annotations

import re

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.latex_decode import decode, printed_branches
from cite_lsp.library.text.people import in_one_word, is_organisation, is_others, named
from cite_lsp.paper import SUFFIXES

_MARK = lazy_re(
    r"[{}]|,|(?<!\\);(?:\s*+and(?=\s))?+|(?:(?<!\s)\s++|(?<=[.}]))and(?=\s)|(?<=\s)\\?&(?=\s)",
    re.IGNORECASE,
)
_GROUP = lazy_re(r"(?:(?<=,)|(?<=\sand)|\A)\s*\{(?:and\s)?(?P<inside>[^{}]+)\}\s*(?=,|\sand\s|\Z)")
"""What braces hold in the place of a family name, or of all that is said of somebody."""
_AND = lazy_re(r"\sand\s")
_AMPERSANDS = "&", "\\&"
_SEVERAL_PARTS = lazy_re(r"[^\s,][\s~.]+[^\s,]|,")
"""An ampersand between people stands beside several names, one of a company seldom."""
_LONGEST_NAME = 100
_BEHIND_AMPERSAND = lazy_re(rf"(?:(?!\sand\s)[^&]){{0,{_LONGEST_NAME}}}", re.IGNORECASE)
_EXTENDED = lazy_re(r"\b(family|given|prefix|suffix)\s*=\s*(\{[^{}]*\}|\"[^\"]*\"|[^,]+)", re.I)
_BRACED_FAMILY = lazy_re(r"(?:(.*)\s)?(\{(?!\\)(?:[^{}]|\{[^{}]*\})*\})", re.DOTALL)
_MORE = lazy_re(
    r"(?:(?<![\s,])[\s,]++(?:(?:and\s+)?(?:\\(?:emph|textit)\s*)?\{?et\.?[\s~]+al\b\.?\}?"
    r"|and\s+(?:others|\{others\}|\.\.\.|…|\\l?dots(?:\{\})?))"
    rf"|(?:(?<!\s)\s*+(?:[,，、;；]|(?<=\s)and\s)\s*+|(?<=[{HAN}]))等人?[.．]?)\s*\Z",
    re.IGNORECASE,
)
_BESIDE_NAMES = lazy_re(
    rf"(?<![^\s,，、;；{{]])[\[［(（〔【][{HAN}]{{1,3}}[\]］)）〕】]\s*(?=\w)"
    rf"|(?<=[{HAN}]{{2}})[\s,，]+(?:编著|主编|译著|[著编譯译編])\s*\Z"
)
"""What Chinese books say with names: a country before one, [美], what people did behind, 著."""
_HAN_NAME = lazy_re(f"[{HAN}·]+")
_HAN_LIST = lazy_re(r"\s*[,，、；;]\s*|\s+")
_INITIALS = r"(?:[^\W\d_a-zß-ÿ][a-z]?\.[- ]?)+"
_INITIALS_FIRST = lazy_re(rf"{_INITIALS}\S*[^\W\d_][^\W\d_].*")
_FAMILY = r"(?=.{4,200}\Z)(\S*?[^\W\d_]{2}.*?)"
_ABBREVIATED = lazy_re(rf"{_FAMILY} ({_INITIALS})")
"""A family name and initials that no comma parts: "Smith J. R."."""
_INITIALS_LAST = lazy_re(rf"{_FAMILY} ({_INITIALS}|[A-Z]{{1,3}})")
"""The same as PubMed has it in its lists, "Smith JR", which by itself may be another's name."""
_JUNIOR = lazy_re(r"[JS]r\.?|III")
"""What stands behind a comma of a whole name, Guy Steele, Jr.; initials may be JR."""
_MOST_PARTS = 3
"""Into how many parts commas cut a name at most, as BibTeX has it."""
_AND_OTHERS = lazy_re(r"\sand\s+others\s*\Z", re.IGNORECASE)
_HANGUL = lazy_re("[가-힣]")
_HOMONYM = lazy_re(r"(?<=[^\W\d_])\s+0\d{3}\Z")
"""The number by which DBLP tells people of one name apart: "Wei Wang 0001"."""


def split_names(value: str) -> tuple[str, ...]:
    """Split a BibTeX name list into names, in order, "Family, Given" turned into "Given Family".

    Family names of several words and organisations in braces are bound (`library.people`). "others"
    and "et al." (等) behind the last name are no names, but `names_more` tells of them; LaTeX is
    decoded, and so are the characters of web pages. Chinese names are written without a blank;
    lists of them that commas separate are understood too, any that semicolons do, and such that
    cannot be one name: J. Smith, K. Doe. In a list that "and" separates blanks part names, not
    people: 山田 太郎 and 佐藤 花子. Countries and what one did are left out: [美], 主编.
    An ampersand stands for "and" between people, not in companies.
    """
    names: list[str] = []
    value = _GROUP.sub(_without_braces, printed_branches(value))
    listed = _split(_MORE.sub("", _BESIDE_NAMES.sub("", without_markup(value))))
    family_first = len(listed) > 1 and all(len(parts) == 2 for parts in listed)
    joined = [_joined(parts) for parts in listed]
    listed_by_and = sum(map(bool, joined)) > 1 or _AND_OTHERS.search(value)
    if not listed_by_and and not any(map(_HANGUL.match, joined)):
        joined = [""] * len(listed)  # in 张三 李四 the blank parts two people
    for parts, joined_name in zip(listed, joined, strict=True):
        name = joined_name or _written_out(parts, family_first=family_first)
        if name and not is_others(name):
            names.extend(name.split("\0"))
    return tuple(names)


def _without_braces(group: re.Match[str]) -> str:
    """Return what braces hold, without them where it is several people: {Doe, Jane and Roe}, Ann.

    Programs write so what they cannot split. Organisations have commas and "and", too.
    """
    inside, goes_on = group["inside"].strip(), group.string.startswith(",", group.end())
    listed = [person.split(",") for person in _AND.split(inside)]
    if len(listed) > 1 and "," in inside:
        *first, last = map(len, listed)
        several = set(first) == {2} and last == 2 - goes_on
    else:
        people = [name.strip() for parts in listed for name in parts]
        whole = all(map(_INITIALS_FIRST.fullmatch, people)) and len(people) > 1
        several = whole or (
            goes_on and len(people) >= _MOST_PARTS and all(" " in p for p in people)
        )
    if several and not is_organisation(inside):
        return f" {inside} "
    return group.group().replace("{and ", "{", 1)


def _joined(parts: list[str]) -> str:
    """Return a name of East Asia without the blank in it, "" for any other."""
    words = decode(parts[0]).split() if len(parts) == 1 else []
    return in_one_word(*words) if len(words) == 2 else ""


def names_more(value: str) -> bool:
    """Whether a BibTeX name list says that there are more people than it names."""
    return _MORE.search(value) is not None


def _split(value: str) -> list[list[str]]:
    """Split at "and", semicolons and ampersands, then at commas; none counts inside of braces."""
    names, parts, depth, start, begun = [], [], 0, 0, 0
    text = f" {value} and "
    for mark in _MARK.finditer(text):
        sign = mark.group()
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(depth - 1, 0)
        elif sign in _AMPERSANDS and not _between_people(text, begun, mark):
            continue
        elif depth == 0 or mark.end() == len(text):
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
            if sign != ",":
                names.append(parts)
                parts, begun = [], mark.end()
    return names


def _between_people(text: str, begun: int, ampersand: re.Match[str]) -> bool:
    """Whether an ampersand in a name that has begun stands for "and", as in J. Doe & K. Roe."""
    behind = _BEHIND_AMPERSAND.match(text, ampersand.end())
    begun = max(begun, ampersand.start() - _LONGEST_NAME)
    sides = text[begun : ampersand.start()], behind[0] if behind else ""
    return all(map(_SEVERAL_PARTS.search, sides)) and not is_organisation(" ".join(sides))


def _written_out(parts: list[str], *, family_first: bool) -> str:
    """Return "von Last, Jr, First" (BibTeX's three forms) as "First von Last Jr".

    `family_first` says that all names of the list are written with one comma.
    """
    extended = _EXTENDED.findall(", ".join(parts))
    if extended:
        of = {kind.lower(): decode(text.strip('"')) for kind, text in extended}
        family = " ".join(of[kind] for kind in ("prefix", "family") if of.get(kind))
        return named(of.get("given", ""), family, of.get("suffix", ""))
    decoded = [part for part in map(decode, parts) if part]
    joined = "".join(decoded)
    if _HAN_NAME.fullmatch(_HAN_LIST.sub("", joined)):
        return "".join(decoded) if family_first else _chinese_name(decoded)
    if len(decoded) < 2:
        return _without_comma("".join(parts), joined)
    if several := _people_between_commas(decoded):
        return "\0".join(several)
    if len(decoded) == 2:
        family, given = decoded
        if " " in family and _JUNIOR.fullmatch(given):
            return f"{family} {given}"
        return named(given, family)
    family, junior, *given_parts = decoded
    if given_parts and given_parts[0].casefold() in SUFFIXES and junior.casefold() not in SUFFIXES:
        junior, given_parts[0] = given_parts[0], junior
    return named(" ".join(given_parts), family, junior)


def _people_between_commas(parts: list[str]) -> list[str]:
    """Return the people of a list that commas separate; none where it is one name, or may be."""
    if all(map(_INITIALS_FIRST.fullmatch, parts)):
        return parts
    last = [_INITIALS_LAST.fullmatch(part) for part in parts]
    if all(last):
        return [named(match[2], match[1]) for match in last if match]
    if len(parts) >= _MOST_PARTS and all(" " in part for part in parts):
        return parts
    if len(parts) > _MOST_PARTS and len(parts) % 2 == 0:
        return [named(given, family) for family, given in zip(parts[::2], parts[1::2], strict=True)]
    return []


def _without_comma(name: str, decoded: str) -> str:
    """Return "Given von Last", or what is in braces whole: {Organisation}, Given {Two Words}."""
    braced = _BRACED_FAMILY.fullmatch(name)
    if braced is None or "," in decoded:
        initials = _ABBREVIATED.fullmatch(decoded)
        if initials and "," not in decoded and not is_organisation(decoded):
            return named(initials[2], initials[1])
        return _HOMONYM.sub("", decoded)
    return named(decode(braced[1] or ""), decode(braced[2]))


def _chinese_name(parts: list[str]) -> str:
    """Join a Chinese name, or keep a list of names apart (by NUL): three names, or 张三，李四."""
    names = [name for part in parts for name in _HAN_LIST.split(part) if name]
    several = len(names) > 2 or (len(names) == 2 and all(len(name) > 1 for name in names))
    return ("\0" if several else "").join(names)
