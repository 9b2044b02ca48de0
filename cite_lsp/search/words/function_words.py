"""The small words of other languages than English, which tell nothing of the topic of a text.

To an index of English titles they are rare words: "der" and "die" of a German sentence would find
whatever German title has them. They are left out of queries, not of the index: in
English "die" is a word like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from cite_lsp.search.words.tokens import STOP_WORDS, tokenise

_LISTED = {
    "German": """aber als also am an anderen auch auf aus bei beim bereits bis da dabei dadurch
    daher damit dann das dass dazu dem den denen denn der deren des dessen die dies diese
    diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es für gegen hat
    haben ihr ihre ihren ihrer im in indem ins ist jede jedoch kann können laut man mehr mit
    nach nicht noch nur ob oder ohne sehr sein seine seiner seit sich sie sind so solche sowie
    sowohl über um und uns unter viele vom von vor war waren was wegen weil welche wenn werden
    wie wir wird wo wurde wurden zu zum zur zwischen""",
    "French": """afin ainsi alors au aussi autre autres aux avec avoir car ce cela celle celles
    celui ces cet cette ceux chaque comme dans de depuis des deux donc dont du elle elles en
    encore entre est et être eux fait il ils la le les leur leurs lors lorsque lui mais même ne
    ni nos notre nous on ont ou où par pas peu peut peuvent plus plusieurs pour puis qu quand
    que qui sa sans se selon ses si soit son sont sous sur tous tout toute toutes très un une
    vers vous été était""",
    "Spanish": """al algunos ante antes aunque bajo cada como con contra cual cuando de del
    desde donde dos durante el ella ellos en entre era es esta estas este esto estos está están
    fue fueron ha han hasta hay la las le les lo los más muy no nos nuestra nuestro otra otras
    otro otros para pero por porque puede pueden que qué se según ser si sido sin sobre son su
    sus también tan tanto tiene todos tras un una unas unos ya""",
    "Italian": """ai al alla alle anche che chi ci come con cui da dai dal dalla dalle degli
    dei del dell della delle dello di dopo dove due è ed essere fra già gli ha hanno ho il in
    io la le lo loro ma mentre molto nei nel nell nella nelle nello noi non nostra nostro ogni
    per perché più poi può quale quali quando quella quelli quello questa queste questi questo
    secondo sempre si sia sono stata stati stato su sua sui sul sulla sulle suo suoi tra tutti
    tutto un una uno""",
    "Portuguese": """ao aos as até com como da das de dela dele deste do dos durante ela elas
    ele eles em entre era essa esse esta este eu foi foram há isso isto já lhe mais mas mesmo
    muito na nas no nos nossa nosso não num numa os ou para pela pelas pelo pelos pode por
    porque qual quando que se seja sem ser seu seus sobre sua suas são também tem ter um uma
    umas uns à às é""",
    "Polish": """ale bardzo bez być był była było były co czy dla do gdy gdzie go ich jak jako
    jednak jego jej jest jeszcze jeśli już które którego której który których którym która ma
    może można na nad nie niż od oraz po pod podczas poprzez przed przez przy są się także tak
    tej ten tego to tu tych tylko tym tym też to we więc wraz wszystkich za ze że został
    została""",
    "Czech": """aby ale ani by byl byla bylo byly být co do gdy ho jak jako je jeho jejich její
    jen ještě již jsme jsou která které kterou který kteří kde když má mají mezi může na nad ne
    nebo není od pak po pod podle pokud pouze pro proto protože při před přes se si také tak
    tato tedy této tento tím tohoto toho tom tyto už ve však velmi všech za ze že""",
    "Russian": """без более бы был была были было быть вам вас во все для до его ее если есть
    еще же за из или им их как когда которая которого которой которые который которых ли между
    на над не него нее нет но об однако он она они от перед по под после при про себя со так
    также такие такой там то того только том тот уже чем через что чтобы эта эти этих это этого
    этой этом этот является""",
    "Turkish": """ama ancak arasında bir birçok bu bunlar bunun böyle çok da daha de değil
    diğer dolayı en gibi göre hem hangi her ile ilgili için ise kadar ki mi mı ne nedeniyle o
    olan olarak olduğu olmak olup onun önce sonra şekilde şu tarafından tüm üzere üzerinde var
    ve veya ya yani yine yok""",
    "Vietnamese": """bằng bị bởi các cho chúng có còn của cũng cùng do đã đang để đến đều đó
    được hay hoặc khi không là lại làm mà mỗi một này nên nếu như những nhưng nhiều phải qua ra
    rất sau sẽ tại theo thì trên trong từ và vào vẫn về với vì""",
}
_OF = {language: frozenset(tokenise(listed)) for language, listed in _LISTED.items()}
_ENGLISH = STOP_WORDS.difference(("a", "i"), *map(str.split, _LISTED.values()))
_FEWEST = 2
"""Small words that identify a language; a text in it has more of them than of English ones."""


def without_function_words(text: str, words: Iterable[str]) -> list[str]:
    """Return words of a text, as `tokenise` gives them, without the small ones of its language.

    Those of a text that is in English, or whose language is not known, stay as they are.
    """
    words = list(words)
    small = function_words(text, frozenset(words))
    return [word for word in words if word not in small] if small else words


def function_words(text: str, words: Set[str]) -> Set[str]:
    """Return the small words of the language that a text is in, none where it is in English."""
    most = max(_OF.values(), key=lambda small: len(small & words))
    count = len(most & words)
    if count < _FEWEST or len(_ENGLISH.intersection(text.lower().split())) >= count:
        return frozenset()
    return most
