"""Lines in which nobody looks for missing citations, under whatever heading: names, thanks."""

from __future__ import annotations

import re

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re

_WHO = r"(?:we|i|the\ (?:\w+\ )?authors?|(?:both|all)(?:\ of\ (?:us|them))?(?:\ authors?)?)"
_HOW = (
    r"(?:(?:also|further|gratefully|sincerely|kindly|deeply|would\ like\ to|wish\ to|want\ to)\ )*"
)
_PAID = (
    r"(?:(?:in\ part|partly|partially|financially|generously|kindly|jointly)\ )*"
    r"(?:supported|funded|financed|sponsored)(?:\ in\ part|\ partially)?"
)
_SHARED = r"(?:data|datasets?|code|software|scripts?|materials?)"
_DID = (
    r"conceived|conceptuali[sz]ed|designed|wrote|drafted|performed|conducted|carried\ out|collected"
    r"|analy[sz]ed|supervised|developed|contributed|led|edited|reviewed|acquired"
)
_INITIALS = r"(?-i:(?:[A-Z]\.?\ ?-?){2,4})"
_STATEMENT = lazy_re(
    rf"""\W*(?:
      {_WHO}\ {_HOW}(?:thank(?!s?\ to)
        |(?:are|am)\ (?:very\ |deeply\ |most\ )?(?:grateful|indebted|thankful)\ to
        |acknowledge\ (?!that\b|how\b|the\ fact\b)[^.]*\b(?:support|funding|grants?|help
          |assistance|discussions?|comments|computing|resources))\b
    | {_WHO}\ (?:declare|report|state|have\ declared)\b[^.]*
        \b(?:interests?|conflicts?|relationships)\b
    | (?:this|the\ present|our|my)\ (?:\w+\ )?
        (?:work|research|study|project|paper|article|thesis|dissertation)
        \ (?:was|is|has\ been|were)\ {_PAID}\ (?:by|through|under|from)
        \ (?:the\ |an?\ )?(?-i:[A-Z])
    | (?:funding|financial\ support)\ (?:for\ \S+(?:\ \S+)?\ )?(?:was|is|were)\ provided\ by\b
    | (?:the\ |all\ )?(?:{_SHARED}(?:,\ |,?\ and\ |\ ))+[^.]*
        \bthis\ (?:study|paper|work|article|manuscript|thesis)\b[^.]*
        \b(?:available|accessible|found|deposited)\b
    | [^.]*\bavailable\b[^.]*\b(?:up)?on\ (?:reasonable\ )?request\b
    | {_INITIALS}(?:(?:,\ |,?\ and\ |,?\ &\ ){_INITIALS})*\ (?:{_DID})\b
    | conceived\ and\ designed\b
    | [^.]*\bcontributed\ equally\b
    | (?:\*|\d|†|‡)*\ ?(?:corresponding\ authors?|correspondence|e-?mails?|orcid|affiliations?)
        (?:\ (?:address(?:es)?|to|ids?))?\s*:
    | (?:keywords?|key\ words|index\ terms|running\ (?:title|head)|short\ title|word\ count|words
        |jel(?:\ (?:codes?|classification))?|msc(?:\ \d{{4}})?|pacs|ccs\ concepts
        |schlüsselwörter|mots[- ]cl[ée]s|palabras\ clave|palavras[- ]chave|ключевые\ слова
        |关键词|關鍵詞|キーワード)(?:\s*[:：—]|\s+[–-]\s)
    | [^.]*\b(?:in\ partial\ fulfil+ment\ of|submitted\ (?:to|for)\ the\ (?:degree|graduate)
        |for\ the\ degree\ of\ (?:doctor|master|bachelor)|zur\ erlangung\ de[sr]
        |pour\ obtenir\ le\ (?:grade|titre|dipl[ôo]me)|ter\ verkrijging\ van\ de\ graad
        |para\ (?:a\ )?obten(?:er|ção|ción)\ (?:d?[eo]l?\ )?(?:grado|título|grau))\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_EMAIL = lazy_re(r"(?<![\w/:@])[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b(?!\.?[\w/:])")
_ORCID = lazy_re(r"\b\d{4}-\d{4}-\d{4}-\d{3}[\dXx]\b")
_WORD = lazy_re(r"[^\W\d_]{2,}")
_SMALL_WORDS = frozenset(
    "of the and for at in on by de da do das dos du des la le les et del di e y und der die das für"
    " fur van von den het".split()
)
_MOSTLY = 0.75
_SENTENCE_END = lazy_re(r"[.!?。！？][\"'”’)\]]*\s*\Z")
_OF_CHINESE_ADDRESS = lazy_re(rf"[{HAN}](?:大[学學]|[学學]院|研究[所院]|[实實][验驗]室)")
_LONGEST = 600
_PROSE_WORDS = 4
"""Words from which on a line with a full stop is a sentence of the text."""


def is_statement(text: str) -> bool:
    """Whether a sentence says who wrote, paid for or helped with a paper, or where its data are."""
    text = text[:_LONGEST]
    return bool(_STATEMENT.match(text) or _EMAIL.search(text) or _ORCID.search(text))


def is_name(text: str) -> bool:
    """Whether a line is made of names, as those of authors, addresses and titles are."""
    if _OF_CHINESE_ADDRESS.search(text) and not _SENTENCE_END.search(text):
        return True
    words = [word for word in _WORD.findall(text) if word.lower() not in _SMALL_WORDS]
    capital = sum(word[0].isupper() for word in words)
    return len(words) >= 2 and capital >= _MOSTLY * len(words)


def is_prose(text: str) -> bool:
    """Whether a line is a sentence of the text: it ends as one, and is not made of names."""
    if _SENTENCE_END.search(text) is None or is_name(text) or is_statement(text):
        return False
    return len(_WORD.findall(text)) >= _PROSE_WORDS or re.search(f"[{HAN}]", text) is not None
