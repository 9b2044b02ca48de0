r"""The words in which writers ask for a citation that is still to come, in the languages they use.

`[citation needed]` and `【待补引用】` ask; `[the source]` and `(references)` do not.
"""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.storage.memory import text_cache

_KEY = lazy_re(
    r"\?+|x{2,}|(?:todo|fixme)(?:[:_\s-].*|\d)?|tbd|tba|cite|citation"
    r"|(?:citation|cite|ref)[ _-]?needed|refs?|placeholder|…|\.{2,}|-+",
    re.IGNORECASE,
)
_ALONE = frozenset(
    """cite cites citation citations ref refs reference references quelle quellen réf réfs référence
    références источник источники ссылка ссылки źródło źródła zdroj zdroje kaynak kaynaklar bron
    bronnen källa källor nguồn 引用 引文 文献 文獻 参考文献 參考文獻 出处 出處 出典
    来源 來源 출처 인용 참고문헌""".split()
)
"""Words that alone in square brackets ask for a citation."""
_NOUNS = _ALONE | frozenset(
    """citing source sources beleg belege literatur literaturangabe zitat ref. réf cita citas
    referencia referencias fuente fuentes referência referências citação fonte fontes fonti
    citazione citazioni riferimento riferimenti цитата przypis citace atıf trích dẫn
    referens""".split()
)
_ASKING = frozenset(
    """todo fixme add added insert find get give provide check need needs needed missing required
    wanted please pls here me
    fehlt fehlen einfügen ergänzen nachtragen suchen nötig hier
    manquante manquantes nécessaire nécessaires ajouter ici
    requerida requeridas falta faltan faltante añadir agregar insertar aquí inserir aqui adicionar
    necessária necessaria necesaria mancante aggiungere inserire qui
    carece нужен нужна нужно нужны добавить вставить указан указать
    potrzebne potrzebny potrzebna dodać uzupełnić brak brakuje doplnit přidat chybí chybějící
    gerekli gerekiyor ekle eklenecek belirtilmeli eksik cần thêm thiếu
    nodig toevoegen ontbreekt behövs saknas 필요""".split()
)
_SMALL = frozenset(
    """to be a an the some this that more proper relevant à un une de eine einen una um uma
    не""".split()
)
_KNOWN = _NOUNS | _ASKING | _SMALL
_WORDS = lazy_re(r"[\w\s:,.!?…？！：/-]+")
_WORD = lazy_re(r"\w+")
_HAN_NOUN = "引用|引文|参考文献|參考文獻|文献|文獻|出处|出處|出典|来源|來源"
_HAN_ASKING = (
    "(?>此[处處]|[这這][里裡]|[请請]|待|需要?|缺[失少]?|[补補]充?|[插加]入|添?加|[应應][该該]?|要|有"
    "|[找查]|[一几幾][个個篇些]|todo)"
)
_IN_HAN = lazy_re(
    rf"(?:{_HAN_ASKING}[:：\s]*)+(?:{_HAN_NOUN})\s*(?:[请請]求|{_HAN_ASKING})*[?？!！]*"
    rf"|(?:{_HAN_NOUN})\s*(?:(?:[请請]求|{_HAN_ASKING})+[?？!！]*|[?？]+)",
    re.IGNORECASE,
)
_HAN = lazy_re(_HAN_NOUN)
_HAN_KEY = lazy_re(
    rf"？+|(?:某[个個篇]?)?(?:{_HAN_NOUN})|待(?:[补補]充?|[添增]?加|填|定|查|[寻尋]?找|引)|缺失?"
)
"""What is written in the place of a key."""
_NAMING = lazy_re(
    r"(?P<todo>(?:todo|fixme)\b[\s:：-]*)?(?P<request>(?:add|insert|find|include|needs?)\s+(?:an?\s+|the\s+)?)?"
    r"(?:(?P<cite>cite)|(?P<noun>citations?|ref(?:erence)?s?)|(?P<han>引用))"
    r"(?P<led>\s*[:：]\s*|\s+(?:for|to)\s+|(?(han)|\s+))(?!(?:as|this|it|also|that|in|with)\b)(?P<words>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_LEADING = lazy_re(r"\s*(?:todo|fixme|add|insert|find|include|need|cit|ref|引用)", re.IGNORECASE)
_NAMED_WORD = lazy_re(r"[^\W_][\w’'+-]*")
_BESIDE_NAMES = frozenset(
    """a an the et al and or of on in by from for to some something here e g eg paper papers work
    works article articles book original seminal recent someone this that these it etc""".split()
)
_OF_THE_DRAFT = frozenset(
    """section sections sec table tables tab fig figs figure figures appendix appendices equation
    equations eq chapter chapters paragraph page list lists style styles format order manager key
    keys omitted check checking sort fix cause fewer less only properly better instead me
    us""".split()
)
"""What else than a paper is to be referred to, or to be done with citations that are there."""
_OF_A_TITLE_PAGE = lazy_re("本文|格式|次数|次數|量|率|频次|頻次")
"""What `引用` of this very paper is about: how to cite it, how often it is cited."""
_IN_PARENTHESES = frozenset("cite 引用 参考文献 參考文獻 출처".split())


def is_placeholder_key(key: str) -> bool:
    r"""Whether a key is a placeholder for a key to be found, as in `\cite{TODO}`."""
    match = _KEY.fullmatch(key) or _HAN_KEY.fullmatch(key) or _IN_HAN.fullmatch(key)
    return match is not None


def is_question(text: str) -> bool:
    """Whether nothing but question marks is written: `?`, and `@?` for a key."""
    return text.endswith(("?", "？")) and not text.removeprefix("@").strip("?？")


def asks_for_citation(text: str) -> bool:
    """Whether some words ask for a citation wherever they stand: `citation needed`, `ref?`."""
    words = _words(text)
    if not words:
        return _HAN.search(text) is not None and _IN_HAN.fullmatch(text.strip()) is not None
    if _NOUNS.isdisjoint(words):
        return False
    return not _ASKING.isdisjoint(words) or text.rstrip().endswith(("?", "？"))


@text_cache(8192)
def is_request(text: str, *, todo: bool = False) -> bool:
    """Whether words in square brackets, or alone in a note, ask for a citation: `REF`, `cite`.

    Those that name what is to be cited do, too, `cite Doe 2020`; `todo` as in `named_work`.
    """
    alone = text.strip(" .!").lower() in _ALONE
    return alone or asks_for_citation(text) or named_work(text, todo=todo) is not None


def named_work(text: str, *, todo: bool = False) -> str | None:
    """Return the words of a note by which a paper may be found, `Doe` of `cite Doe et al.`.

    None where it asks for none; with `todo` it has to say that something is still to be done.
    """
    match = _NAMING.fullmatch(text.strip()) if _LEADING.match(text) else None
    if match is None or (todo and not match["todo"]):
        return None
    asking = match["todo"] or match["request"] or match["cite"] or match["han"]
    noun = match["noun"] or ""
    pointed = noun.isupper() or match["led"].strip() in (":", "：")
    if not (asking or (noun.lower() in ("ref", "refs") and pointed)):
        return None
    words = _NAMED_WORD.findall(match["words"])
    if not any(word[0].isalpha() for word in words):
        return None  # a number is one of a list
    if not _OF_THE_DRAFT.isdisjoint(word.lower() for word in words):
        return None
    if match["han"] and _OF_A_TITLE_PAGE.match(match["words"]):
        return None
    return " ".join(word for word in words if word.lower() not in _BESIDE_NAMES)


def is_request_in_parentheses(text: str) -> bool:
    """Whether words in parentheses ask for a citation, where more is said than in brackets."""
    return (
        text in _IN_PARENTHESES
        or (text.isupper() and text.lower() in _ALONE)
        or asks_for_citation(text)
    )


def _words(text: str) -> list[str]:
    """Return the words if all of them are words of requests, else an empty list."""
    first = _WORD.search(text)
    if first is None or first.group().lower() not in _KNOWN or not _WORDS.fullmatch(text):
        return []
    words = _WORD.findall(text.lower())
    return words if _KNOWN.issuperset(words) else []
