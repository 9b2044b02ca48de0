"""A small bilingual world: a lexicon, papers in English, contexts in Chinese."""

from __future__ import annotations

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.paper import Paper
from cite_lsp.recommend.published.bilingual_bags import Bags
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator

SENSES = {
    "机器": "machine\t1000",
    "翻译": "translation\t800\ttranslate\t200",
    "机器翻译": "machine translation\t1000",
    "海鸥": "gull\t900\tseagull\t100",
    "筑巢": "nest\t1000",
    "潮汐": "tide\t700\ttidal\t300",
    "沉积": "sediment\t600\tdeposit\t400",
    "词": "word\t1000",
    "向量": "vector\t1000",
    "观测": "observe\t1000",
}
PAPERS = [
    Paper("mt", "Attention for machine translation", "It translates.", ("Moor, Ada",), 2017),
    Paper("gull", "Where the herring gull nests", "", ("Ash, Ben",), 2001),
    Paper("tide", "Tidal sediment in marshes", "Deposits of every tide.", ("Reed, Cy",), 2005),
    Paper("vector", "Word vectors", "A vector for every word.", ("Fen, Di",), 2013),
    Paper("other", "An unrelated matter", "", ("Ess, Ed",), 2010),
]
TEXTS = {
    "mt": ("机器翻译近来有了进展", "，用的是注意力。"),
    "gull": ("海鸥在岸边筑巢", "，年年如此。"),
    "tide": ("潮汐带来沉积", "，沼泽因此生长。"),
    "vector": ("每个词都有一个向量", "，由此可以计算。"),
}


def bags() -> Bags:
    return Bags(DictionaryTranslator(Lexicon(SENSES, fingerprint="small")))


def context(number: int, cited: str, document: str = "d", **fields: object) -> LabelledContext:
    left, right = TEXTS[cited]
    record = {
        "context_id": f"{document}-{number}",
        "doc_id": document,
        "left": f"前面还有一句。{left}",
        "right": right,
        "abstract_zh": "本文研究海鸥与潮汐。",
        "cited": [cited],
    }
    return context_from_record(record | fields)


def contexts(count: int, document: str = "d") -> list[LabelledContext]:
    names = sorted(TEXTS)
    return [context(number, names[number % len(names)], document) for number in range(count)]
