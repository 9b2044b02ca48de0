"""Chinese names in prose, matched with authors in Latin letters: 何恺明 for Kaiming He.

A name is recognised by its family name, one of the common ones, and by its pinyin, in every reading
of its characters. A name of two characters, 高维 or 方向, may be an ordinary word: it counts only
where the text around it shows a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from cite_lsp.language import HAN, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.match.pinyin import readings
from cite_lsp.library.text.people import is_organisation, parts_of
from cite_lsp.paper import fold

_FAMILY = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖萧田董袁潘于蒋蔡余杜叶程苏魏吕"
    "丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严"
    "覃武戴莫孔向汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒"
    "阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳穆农司卓古"
    "吉缪简车芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂佟臧闵苟邬边卞姬仇栾隋商刁沙荣巫寇"
    "桑郎甄丛仲虞敖巩明佘池查麻苑迟邝区乐"
    "張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蕭葉蘇魏呂盧鐘鍾譚陸範賈韋鄒閻龍賀顧龔萬錢嚴湯溫龐顏莊聶魯歐關蘭紀"
    "畢單塗盧駱藍蔣華婁費衛榮叢鞏遲鄺區樂"
)
_TWO = (
    "欧阳|歐陽|上官|司马|司馬|诸葛|諸葛|东方|東方|皇甫|尉迟|尉遲|公孙|公孫|慕容|司徒|令狐|夏侯|端木|"
    "南宫"
)
_GIVEN = f"[{HAN}]"
_LONG_NAME = lazy_re(rf"(?=((?:{_TWO}){_GIVEN}{{2}}|[{_FAMILY}]{_GIVEN}{{2}}))")
_SHORT_NAME = lazy_re(
    rf"(?=((?:{_TWO}){_GIVEN}|[{_FAMILY}]{_GIVEN})"
    r"\s*(?:等|[教敎]授|博士|院士|老[师師]|团队|團隊|课题组|課題組|[提指]出|[认認][为為]|[发發][现現]|[证證]明))"
)
_READINGS_AT_MOST = 64
"""Readings of one name that are tried: few characters have more than two."""
_LETTERS = lazy_re(r"[a-z]+")


def pinyin_spelling(author: str) -> str:
    """Return a Latin name as pinyin, family name first, "hekaiming"; "" without a given name."""
    if has_han(author) or is_organisation(author):
        return ""
    given, family, _ = ("".join(_LETTERS.findall(fold(part))) for part in parts_of(author))
    return family + given if family and len(given) > 1 else ""


def chinese_names_by_pinyin(text: str) -> dict[str, str]:
    """Return the Chinese names that may stand in a text, by the pinyin of each."""
    if not has_han(text):
        return {}
    return _names_by_pinyin(text)


@lru_cache(maxsize=512)
def _names_by_pinyin(text: str) -> dict[str, str]:
    return {letters: name for name in _names_in(text) for letters in _letters_of(name)}


def names_of_people(authors: Iterable[str], text: str) -> list[str]:
    """Return the Han names by which a text names some of the authors, in their order."""
    by_pinyin = chinese_names_by_pinyin(text)
    names = (by_pinyin.get(pinyin_spelling(author)) for author in authors) if by_pinyin else ()
    return [name for name in names if name]


def _names_in(text: str) -> Iterator[str]:
    for pattern in (_LONG_NAME, _SHORT_NAME):
        for match in pattern.finditer(text):
            yield match[1]


def _letters_of(name: str) -> Iterator[str]:
    readings_of_name = [sorted(readings(character)) for character in name]
    for number, syllables in enumerate(product(*readings_of_name)):
        if number >= _READINGS_AT_MOST:
            return
        yield "".join(syllables)
