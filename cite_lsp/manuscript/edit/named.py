"""Where in a sentence those end whom it names, with what belongs to a name: "Doe et al. (2020)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.links import link_end
from cite_lsp.manuscript.model import Sentence

_BLANK = r"(?:\s|~|\\ )+"
_LETTERS = "a-zA-Z0-9\u00c0-\u058f\u1e00-\u1fff"
"""What words are written in that blanks part: Latin, Greek, Cyrillic and Armenian letters."""
_EMPHASIS = r"(?:\\(?:emph|textit)\{|\{\\(?:em|it|sl|itshape|slshape)\s+|[*_]{1,2}|/|#emph\[)?"
_CLOSED = r"(?:\}|[*_]{1,2}(?!\w))*+"
_OTHERS = {
    "and": "(?:(?:his|her|their) )?(?:colleagues|co-?workers|collaborators|co-?authors)",
    "und": r"ander\w+|Kolleg\w+|Mitarbeiter\w*",
    "et": r"coll\.|autres|(?:ses )?(?:coll[eè]gues|collaborateurs)",
    "[ye]": r"coll?s?\.|(?:sus |seus )?(?:colaboradores|colegas)|otros|outros|colleghi|altri",
    "i": r"in\.|wsp\.|współ\w+|inni\w*",
    "a": r"kol\.|spol\.|další\w*",
    "и": r"др\.|други\w+|соавт\w*\.?|коллег\w*",
    "ve": r"ark\.|arkadaşları|diğerleri",
    "và": r"cs\.|(?:các )?cộng sự",
    "en|och|og": r"kolleg\w+|collega['’]s|medarbet\w+",
}
"""What prose calls those whom it does not name, and the "and" before that, in many languages."""
_AND_OTHERS = "|".join(
    rf"(?:{joint}){_BLANK}(?:{others.replace(' ', _BLANK)})" for joint, others in _OTHERS.items()
)
_ET_AL = (
    rf"(?:{_EMPHASIS}et\.?{_BLANK}al(?:(?:\}}|[*_/\]])\.(?=[\s~\\]+[\w(\[])|\.?{_CLOSED}[/\]]?)"
    r"|\\etal(?![A-Za-z])(?:\{\})?\.?)"
)
_ABBREVIATED = r"u\.(?:\s|~|\\[ ,])*a\.|vd\.|e\.a\.|m\.\s?fl\."
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_YEARS = rf"{_YEAR}(?:(?:\s?[,;&]\s?|\s(?:and|und|et|y|e|и)\s){_YEAR})*"
# What belongs to a name: "et al.", "u. a.", 等人, 团队, the year of the work, emphasis that ends.
_TAIL = lazy_re(
    rf"{_CLOSED}(?:{_BLANK}{_ET_AL}"
    rf"|{_BLANK}(?:(?:{_AND_OTHERS})(?!\w)|{_ABBREVIATED})|ら(?!し)|{_BLANK}등(?![가-힣]{{2}})"
    r"|(?:\s*(?:副?教授|博士|院士|老[师師]|先生|女士|副?研究[员員]))?"
    r"(?:\s*等(?:人|[学學]者|研究者|研究人[员員]|作者|[专專]家)?)?"
    r"(?:\s*的?(?:(?:研究)?[团團][队隊]|[课課][题題][组組]|(?:研究|小)[组組]))?)"
    rf"(?:['’]s\b)?(?:(?:{_BLANK})?(?:\({_YEARS}(?:\s?[,;:/][^()]*+)?\)|\[{_YEAR}\](?:{_BLANK}{_YEAR})?+)|\s*（{_YEAR}年?(?:[,，;；:：][^（）]*+)?）"
    rf"|{_BLANK}{_YEAR}(?![\w-])|,{_BLANK}{_YEARS}(?=[]);,:]))?"
)
_NO_PART = rf"(?![{_LETTERS}])(?!-\w)"
"""What a name is no part of a longer word with."""
_AND = "and|und|et|y|e|och|og|en|i|a|oraz|и|та|ve|và"
_AND_UNSPACED = r"和|[与與]|以?及|と|및|[와과](?=\s)"
_NEXT_PERSON = (
    rf"{_CLOSED}(?:(?:{_BLANK})?(?:[,，、]|(?:,(?:{_BLANK})?)?(?:\\?&|{_AND_UNSPACED}))(?:{_BLANK})?"
    rf"|,?{_BLANK}(?:{_AND}){_BLANK})(?:[A-Z][\w.-]*{_BLANK}){{0,3}}"
)
"""What stands between the people in a list: "Kipf and Max Welling"."""


@frozen
class Names:
    """How a sentence may name a paper, the most telling way first, and the `people` behind it.

    Some of the ways name people alone; the `coauthors` may be listed behind the first author.
    """

    ways: Sequence[str] = ()
    people: Sequence[str] = ()
    coauthors: Sequence[str] = ()


UNNAMED = Names()


def behind_name(
    manuscript: Manuscript, sentence: Sentence, named: Sequence[str], people: Sequence[str]
) -> int | None:
    """Return the offset behind the first of some names that stands in the prose of a sentence.

    It is behind the link that the name is in the words of.
    """
    text = manuscript.text
    notes = [
        note for note in manuscript.layout.notes if sentence.start <= note.start < sentence.end
    ]
    listed = (
        f"(?:{_NEXT_PERSON}(?:{'|'.join(map(_name_pattern, people))}){_NO_PART})*" if people else ""
    )
    for name in named:
        pattern = re.compile(rf"(?<![{_LETTERS}])(?<!\w-){_name_pattern(name)}{_NO_PART}{listed}")
        for match in pattern.finditer(text, sentence.start, sentence.end):
            if name not in manuscript.prose(match.start(), match.end()):
                continue  # in a formula, a comment or the name of a command
            if any(note.start <= match.start() < note.end for note in notes):
                continue
            tail = _TAIL.match(text, match.end(), sentence.end)
            end = tail.end() if tail else match.end()
            if text.count("{", sentence.start, end) == text.count("}", sentence.start, end):
                return link_end(manuscript, match.start(), end) or end
    return None


def _name_pattern(name: str) -> str:
    return _BLANK.join(re.escape(word) for word in name.split())
