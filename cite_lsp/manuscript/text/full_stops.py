"""Which full stops end no sentence: those of abbreviations, initials and ordinal numbers.

What is listed of other languages is no word that English sentences end with.
"""

from __future__ import annotations

from cite_lsp.language import UNSPACED
from cite_lsp.lazy_re import lazy_re

ABBREVIATIONS = frozenset(
    """e.g i.e cf vs viz resp approx ca al fig figs eq eqs eqn eqns sec secs sect ref refs tab tabs
    ch chap chs no nos nr vol vols p pp ed eds dr prof mr mrs ms st mt jr sr def thm prop lem cor
    app appx alg ex expt est dept univ inc ltd corp co ph.d m.sc b.sc u.s u.k a.k.a w.r.t i.i.d
    s.t min max avg jan feb mar apr jun jul aug sep sept oct nov dec suppl ser etc""".split()
)
_OF_OTHER_LANGUAGES = frozenset(
    """abb abschn allg bspw bzw d.h dipl ebd einschl engl entspr evtl exkl ggf habil hrsg ing inkl
    insb insbes med nat rer o.g sog urspr v.a vgl z.b zzgl jh jhd jhdt jhs usf usw chr
    mio mrd tsd
    mme mlle éd éds trad coll p.ex ej p.ej sra srta dra dras dres ud uds EE UU profa
    cfr dott ecc ssa p.es np tzn tj tzw zob ang inż hab itd itp m.in např tzv srov atd
    bkz örn öğr doç yrd vb vd yy bijv zgn enz incl excl bl.a t.ex f.eks m.fl jfr osv
    dvs mfl pga av т.е т.к т.н см ср напр проф акад доц ул тыс англ нем лат греч ред изд сб вып
    г гг в вв др пр
    π.χ βλ δηλ κλπ κτλ κ.λπ""".split()
)
_BEFORE_NUMBERS = frozenset(
    """abs anm art bd kap rn rz tbl ziff env réf tabl cap pag pág págs núm núms
    séc sez seç rys rozdz rozd obr çiz şek blz рис табл гл стр разд εικ σελ κεφ""".split()
)
"""Abbreviations before a number; elsewhere some are words."""
_OF_EQUATIONS = frozenset("gl éq ec".split())
"""Those whose numbers stand in parentheses: "Gl. (3)"."""
_MAY_END = frozenset(
    """al etc inc ltd co corp jr sr u.s u.k ph.d i.i.d usf usw jh jhd jhdt jhs chr coll EE UU ecc
    mio mrd itd itp atd vb vd yy enz osv m.fl г гг в вв др пр κλπ κτλ κ.λπ""".split()
)
_LISTS_ENDED = frozenset(("т.д", "т.п"))
"""What "and so on" is written with where nothing goes on behind it."""
_STARTERS = frozenset(
    """a an the this that these those we our it its they their in on at for to from by with while
    when where however moreover furthermore therefore thus hence here there as if since although
    but and also another other such one two both each some many most all no he she his her i
    you then next first second finally after before because given using despite unlike
    instead""".split()
)
_STARTERS_ELSEWHERE = _STARTERS | frozenset(
    """der die das den dem ein eine einen er sie es wir diese dieser dieses dies dabei daher damit
    dazu auch im am zum zur für bei nach mit und wie wenn da aber le la et les un une des il elle
    ils ce cette ces nous dans pour el los las una en se su este esta estos lo os um uma na em
    w z na do po to ten ta te v ve za этот эта это эти в на по для при он она они однако так также
    кроме но и с к из таким если bu ve""".split()
)
"""Not for initials, behind which "La", "Das" and "El" begin names."""
_ORDINAL = lazy_re(r"(?<![\w.,])(?:\d{1,2}|[IVX]{1,5})\Z")
_ARTICLE = lazy_re(
    r"(?<!\w)(?:[Dd](?:er|ie|as|en|em|es)|[Vv]om|[Zz]u[mr]|[Bb]eim|[Ii]m)[\s~]+\d{1,2}\Z"
)
"""A German ordinal: "der 2." goes on, whatever follows."""
_COUNTED = lazy_re(
    r"(?:Jahr(?:hundert|tausend)|Jhd?t?\b|Jh|Januar|Februar|März|April|Mai\b|Juni|Juli|August"
    r"|September|Oktober|November|Dezember|Auflage|Aufl\b|Kapitel|Weltkrieg)"
)
_NUMBER = lazy_re(r"\d|[IVXLC]{2,}\b")
_LAST_WORD = lazy_re(r"[^\s(\[{“\"'‘„‚«‹（/–—-]*$")
_CHAIN = lazy_re(r"(?<!\w)(?:[^\W\d_]\.\s*)+[^\W\d_]\Z")
_LETTERS = lazy_re(r"[^\W\d_](?:\.[^\W\d_])*")
_GOES_ON = lazy_re(r"(?:[^\W\d_]|Chr|Allg|Co)\.")
_NAMES_OTHERS = lazy_re(
    r"(?<!\w)(?:[ye][\s~]+coll?s?|et[\s~]+coll|i[\s~]+(?:in|wsp)|a[\s~]+(?:kol|spol)|и[\s~]+соавт"
    r"|ve[\s~]+ark|và[\s~]+cs)\Z"
)
"""What is "et al." where "in" and "ark" alone are words."""
_IN_CHINESE = lazy_re(rf"(?<=[{UNSPACED}，、；：])[A-Za-z]{{2,}}\Z")
_INITIAL_IN_CHINESE = lazy_re(rf"[{UNSPACED}，、；：。（）“”]\s?[A-Z]\Z")
_NAMED = lazy_re(r"(?:[A-Z]\.-?)*[A-Z][a-z]|[A-Z]\.")
"""What an initial is followed by: 由J. Smith, 由J. R. Smith, but 方案A. BERT."""
_NUMBERED = lazy_re(r"\(?[A-Z]?\.?\d")
"""What "Fig" is followed by where Chinese writes it without blanks: 见Fig. 3, 由Eq. (2)."""
_BY_EXAMPLE = lazy_re(r"(?<!\w)(?:ad|[Pp]er)[\s~]+es\Z")


def ends_no_sentence(before: str, next_words: list[str]) -> bool:
    """Whether a single full stop belongs to the word before it: of "vgl. Abb. 3" both do.

    Args:
        before: some characters of the text up to the stop, without it.
        next_words: the words behind it, at least one of which begins with no lower-case letter.
    """
    next_word = next_words[0] if next_words else ""
    if _ORDINAL.search(before) and _COUNTED.match(next_word):
        return True
    if _ARTICLE.search(before) or _BY_EXAMPLE.search(before):
        return True
    attached = _IN_CHINESE.search(before)
    if attached and attached.group().lower() in ABBREVIATIONS:
        return _NUMBERED.match(next_word) is not None
    if _INITIAL_IN_CHINESE.search(before) and _NAMED.match(next_word):
        return next_word.lower() not in _STARTERS
    word = _word_at_end(before)
    lower = word.lower()
    named = word if word[1:].isupper() else lower
    after = next_word.strip(",;:()").lower()
    if word.isupper() and _LETTERS.fullmatch(word):
        return after not in _STARTERS
    if _NAMES_OTHERS.search(before):
        return after not in _STARTERS_ELSEWHERE
    if named in _OF_EQUATIONS:
        return _NUMBER.match(next_word.removeprefix("(")) is not None
    if lower in _BEFORE_NUMBERS:
        return _NUMBER.match(next_word) is not None
    if lower in ABBREVIATIONS or named in _OF_OTHER_LANGUAGES:
        return not (lower in _MAY_END or named in _MAY_END) or after not in _STARTERS_ELSEWHERE
    if not _LETTERS.fullmatch(word):
        return False
    if len(word) == 1:
        opened = before[-2:-1] in ("(", "[")
        return opened or bool(_NUMBER.match(next_word) or _GOES_ON.match(next_word))
    return word not in _LISTS_ENDED and after not in _STARTERS_ELSEWHERE


def is_shared(before: str) -> bool:
    """Whether the full stop behind a sentence belongs to its last word as well: "etc.", "U.S."."""
    word = _word_at_end(before)
    if "." in word and _LETTERS.fullmatch(word):
        return True
    return (word if word[1:].isupper() else word.lower()) in _MAY_END


def _word_at_end(text: str) -> str:
    """Return the last word of a text without its stop, letters parted by blanks ("z. B") as one."""
    chain = _CHAIN.search(text)
    if chain:
        return "".join(chain.group().split())
    match = _LAST_WORD.search(text)
    return match.group().rstrip(".") if match else ""
