"""The titles of sections in which nobody looks for missing citations: thanks, lists and so on."""

from __future__ import annotations

import re

_ANY_WORDS = r"[\w ,&/'’()-]*"
_INTERESTS = (
    r"(?:conflicts? of|conflicting|competing|declarations? of|declarations? of competing)"
    rf" interests?(?: (?:statement|disclosure|declaration)s?)?(?:\s*/{_ANY_WORDS})?"
)
_STUFF = "(?:data|code|software|materials?|research data)"
_OWN = (
    r"(?:list of |own |my |research |selected |original |peer[- ]reviewed |scientific "
    r"|author['’]?s )"
)
_DECLARATIONS = (
    rf"acknowledge?ments?(?: (?:and|&) {_ANY_WORDS}| of (?:funding|support))?"
    r"|acknowledge?ments? section|financial (?:support|disclosures?)"
    r"|fund(?:ing|ers?)(?: (?:information|sources?|statement|disclosure|acknowledge?ments?))?"
    r"|(?:credit )?(?:authors?['’]?s?['’]? |authorship )*contributions? statement"
    r"|authors?['’]?s?['’]? (?:contributions?|information)|credit(?: authorship)?"
    rf"|{_INTERESTS}|disclosures?(?: statements?| of interests?)?|disclaimers?|declarations?"
    rf"|declaration of (?:generative )?(?:ai|authorship|originality)(?: {_ANY_WORDS})?"
    r"|(?:statement|certificate) of (?:authorship|originality)|to[- ]?dos?"
    r"|ai(?: us(?:e|age))? (?:disclosure|statement)"
    r"|open (?:research|practices)(?: section| statement)?|data accessibility(?: statement)?"
    rf"|{_STUFF}(?:(?:,| and| &|, and) {_STUFF})* availability{_ANY_WORDS}"
    rf"|availability of (?:supporting )?{_STUFF}{_ANY_WORDS}"
    rf"|ethic(?:s|al) approval{_ANY_WORDS}|informed consent statement"
    rf"|consent (?:for|to) (?:publication|publish|participate){_ANY_WORDS}"
    r"|publisher['’]s note|author biograph(?:y|ies)|biographical (?:notes?|sketch(?:es)?)"
    r"|about the authors?|curriculum vit(?:ae|æ)|dedication|copyright (?:notice|statement)"
    r"|highlights|(?:table of )?contents|glossary"
    r"|(?:list of )?(?:abbreviations|acronyms)(?: and (?:acronyms|abbreviations|symbols))?"
    r"|list of (?:symbols|notations?|figures|tables|algorithms|listings)"
    rf"|{_OWN}*publications(?: (?:during|arising|included|by|from|related to) {_ANY_WORDS})?"
    rf"|{_OWN}*publications(?:,| and| &) (?:presentations|talks|patents|awards|outputs)"
    rf"|(?:list of |thesis |contributions? |research |scientific |publication )+outputs"
    rf"|{_OWN}+(?:(?:appended|included|published) )*(?:papers|articles)(?: included {_ANY_WORDS})?"
)
_OF_AUTHOR = "(?:个人|個人|作者)[简簡][历歷介]"
_WHILE_THERE = "(?:攻[读讀]|在[学學校]期[间間]|(?:博士|[硕碩]士|研究生)期[间間])"
_WORKS = r"(?:成果|[论論]文|目[录錄]|[项項]目|[专專]利)[\w、（）]*"
_SIGNS = "(?:符[号號]|[缩縮]?略[语語词詞]|[缩縮][写寫]|[术術][语語])"
"""What Chinese theses say about their authors, and list before the text."""
_IN_OTHER_LANGUAGES = (
    r"danksagung|(?:eidesstattliche )?(?:erklärung|versicherung)"
    r"|(?:selbst|eigen)ständigkeitserklärung|interessenkonflikte?|abkürzungsverzeichnis|lebenslauf"
    r"|publikationsliste|(?:(?:liste|verzeichnis) der )?(?:eigenen?|wissenschaftlichen?)?\s?"
    r"(?:publikationen|veröffentlichungen)"
    r"|remerciements|liste des (?:publications|abréviations)|agradecimientos|agradecimentos"
    r"|publicaciones|publicações|ringraziamenti|pubblicazioni|podziękowania|oświadczenie"
    r"|poděkování|prohlášení|teşekkür|благодарности|dankwoord|lời cảm ơn"
    r"|致\s*[谢謝]|誌\s*謝|[谢謝]\s*[辞辭]|謝辞|감사의 글"
    r"|(?:[\w与與和及、（）]*(?:[论論]文|原[创創]性|[独獨][创創]性))?[声聲]明(?:[与與和及][\w与與和及、]*)?"
    rf"|{_OF_AUTHOR}(?:[及、][\w、（）]*?{_WORKS})?|(?:作者)?在?{_WHILE_THERE}[\w、（）]*{_WORKS}"
    r"|(?:[发發]表的?(?:学术|學術)?[论論]文)[\w、（）]*"
    r"|\w*[论論]文\w*授[权權]\w*|(?:作者[贡貢][献獻]|利益[冲衝]突)(?:[声聲]明)?"
    rf"|(?:主要|常用|英文|中英文|[数數][学學])*{_SIGNS}(?:[与與和及、]{_SIGNS})*"
    r"(?:(?:[对對]照|列)?表|[说說]明|清[单單])"
)
_WITHOUT_PARTS = (
    r"(?:title|authors?(?: names?)?(?: (?:and|&) affiliations?)?|affiliations?|author summary"
    r"|corresponding authors?|correspondence|running (?:title|head)(?::.*)?|orcid(?: ids?)?"
    r"|plain[- ]language summary|lay summary|significance(?: statement)?)"
    r"|(?:english |german )?abstract(?: \(\w+\))?|keywords(?: and phrases)?|references|bibliography"
    r"|supplement(?:ary|al) (?:information|materials?|data|files?)|supporting information"
    r"|摘\s*要|参考文献|參考文獻|[关關][键鍵][词詞]|literatur(?:verzeichnis)?|quellenverzeichnis"
    r"|kurzfassung|schlüssel(?:wörter|begriffe)|schlag(?:wörter|worte)|résumé|bibliographie"
    r"|références|mots[- ]cl[eé]s"
    r"|resumen|resumo|referencias|referências|palabras clave|palavras[- ]chave|parole chiave"
    r"|riassunto|sommario|bibliografia|bibliografía|streszczenie|słowa kluczowe|abstrakt"
    r"|klíčová slova|seznam (?:použité )?literatury|özet|öz|anahtar (?:kelimeler|sözcükler)"
    r"|kaynak(?:lar|ça)|аннотация|реферат|ключевые слова|литература"
    r"|список (?:использованной )?литературы|samenvatting|sammanfattning|tóm tắt|từ kh[oó][aá]"
    r"|tài liệu tham khảo|要旨|キーワード|초록|요약|키워드|참고\s*문헌"
)


_LONGEST = 300


def _title_pattern(titles: str) -> re.Pattern[str]:
    number = r"(?:(?:[\d.]+|[A-ZIVX]\.)\s+)?"
    return re.compile(rf"\s*{number}(?:{titles})[\s.:：。]*", re.IGNORECASE)


_WITH_SUBSECTIONS = _title_pattern(f"{_DECLARATIONS}|{_IN_OTHER_LANGUAGES}")
_WITHOUT_SUBSECTIONS = _title_pattern(_WITHOUT_PARTS)


def is_exempt_title(title: str) -> bool:
    """Whether no citations are missed right below a heading with this title."""
    if len(title) > _LONGEST:
        return False
    return _WITHOUT_SUBSECTIONS.fullmatch(title) is not None or exempts_subsections(title)


def exempts_subsections(title: str) -> bool:
    """Whether the sections inside a section with this title are exempt, too.

    Those inside an abstract are not: where a draft sets its heading one level too high, all of the
    text is inside.
    """
    return len(title) <= _LONGEST and _WITH_SUBSECTIONS.fullmatch(title) is not None
