"""The reasons for a recommendation in one line, in the language of the draft."""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.library.text.display import shortened
from cite_lsp.recommend.base.recommendation import Reason, Recommendation

_RANKS = "closest", "second closest", "third closest"
_CHINESE_RANKS = "最接近", "第二接近", "第三接近"
_BY_METHODS = {
    "phase-1": (
        "near to the text here (phase 1: {value:.2f})",
        "与此处文字相近（第一阶段：{value:.2f}）",
    ),
    "mp-bert4cr": (
        "near to the text here and the titles above it (cosine {value:.2f})",
        "与此处文字及其标题相近（余弦：{value:.2f}）",
    ),
    "blsrec": (
        "near to the sentences here across languages (score {value:.2f})",
        "与此处文字跨语言相近（得分：{value:.2f}）",
    ),
    "phase-2": (
        "near to {papers[0]}, which this section cites (phase 2: {value:.2f})",
        "与本节所引的 {papers[0]} 相近（第二阶段：{value:.2f}）",
    ),
}
"""What the methods of papers say, in English and in Chinese."""
_OF_DRAFTS = frozenset(
    """cited-together cited-by-nearest cites-same near-cited near-section near-draft
    section-words""".split()
)
"""Kinds of reasons why a draft as a whole should cite a paper."""
_LONGEST_TITLE = 48
"""Characters of a draft's title in a reason."""


def describe(recommendation: Recommendation) -> str:
    """Return the reasons in one line: "closest in your library to the text here; cited twice in …".

    Similarity to the text is given for the papers that are closest to it; for others only without
    any other reason, since it holds for most of a list. The line is Chinese if the language of the
    recommendation is "zh", English otherwise.
    """
    phrases = phrases_of(recommendation)
    if recommendation.language == "zh":
        if recommendation.corpus:
            phrases.append(f"来自语料库 {recommendation.corpus}，尚未加入文献库")
        return "；".join(phrases) or "没有特别突出的理由"
    if recommendation.corpus:
        phrases.append(f"from the corpus “{recommendation.corpus}”, not in your library")
    return "; ".join(phrases) or "no single reason stands out"


def phrases_of(recommendation: Recommendation) -> list[str]:
    """Return the reasons of `describe` one by one, without where the paper is from."""
    reasons = _distinguishing(recommendation.reasons)
    if recommendation.language == "zh":
        source = "语料库" if recommendation.corpus else "文献库"
        return [
            _by_method(reason, 1)
            or (
                _chinese_draft_phrase(reason)
                if reason.kind in _OF_DRAFTS
                else _chinese_phrase(reason, source)
            )
            for reason in reasons
        ]
    source = "the corpus" if recommendation.corpus else "your library"
    return [
        _by_method(reason, 0)
        or (_draft_phrase(reason) if reason.kind in _OF_DRAFTS else _phrase(reason, source))
        for reason in reasons
    ]


def _distinguishing(reasons: Sequence[Reason]) -> Sequence[Reason]:
    """Return the reasons that distinguish a paper from the others of a list, or else all."""
    return [reason for reason in reasons if reason.kind != "sentence" or reason.place] or reasons


def _phrase(reason: Reason, source: str) -> str:
    match reason.kind:
        case "sentence" if reason.place:
            return f"{_RANKS[reason.place - 1]} in {source} to the text here"
        case "sentence":
            return "similar to the text here"
        case "named":
            return "its author is named in the sentence"
        case "words":
            words = [f"“{word}”" for word in reason.words]
            return f"shares the word{'s' * (len(words) > 1)} {_enumerated(words)}"
        case "co-cited":
            papers = _enumerated(reason.papers)
            return f"similar to {papers}, which this section cites"
        case "cited-like":
            return f"you cite it in a similar passage: “…{reason.words[0]}”"
        case "filed":
            return f"next to {reason.papers[0]} in your bibliography, which you cite nearby"
        case "other-draft":
            return f"cited in your draft “{shortened(reason.words[0], _LONGEST_TITLE)}”"
        case "precedent":
            return "others cite it in similar passages"
        case "cited-by":
            return f"cited by {round(reason.value)} papers that cite-lsp knows of"
        case "cited-here":
            return f"cited {_times(reason.value)} in this section"
        case _:
            return f"cited {_times(reason.value)} in this draft"


def _by_method(reason: Reason, language: int) -> str:
    """Return what a method says, "" for other reasons; 0 for English, 1 for Chinese."""
    phrases = _BY_METHODS.get(reason.kind)
    return phrases[language].format(value=reason.value, papers=reason.papers) if phrases else ""


def _draft_phrase(reason: Reason) -> str:
    match reason.kind:
        case "cited-together":
            return f"cited together with {_enumerated(reason.papers)}, which you cite"
        case "cited-by-nearest":
            of = f"the {reason.words[0]} papers nearest to this draft"
            return f"cited by {round(reason.value)} of {of}"
        case "cites-same":
            return f"cites {round(reason.value)} papers that you cite"
        case "near-section":
            return f"near to your section “{shortened(reason.words[0], _LONGEST_TITLE)}”"
        case "near-cited":
            return f"similar to {_enumerated(reason.papers)}, which you cite"
        case "section-words":
            title, *words = reason.words
            section = f"your section “{shortened(title, _LONGEST_TITLE)}”" if title else "your text"
            return f"shares {_enumerated([f'“{word}”' for word in words])} with {section}"
        case _:
            return "near to your title and abstract"


def _times(value: float) -> str:
    return {1: "once", 2: "twice"}.get(round(value), f"{round(value)} times")


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _chinese_phrase(reason: Reason, source: str) -> str:
    match reason.kind:
        case "sentence" if reason.place:
            return f"{source}中与此处文字{_CHINESE_RANKS[reason.place - 1]}"
        case "sentence":
            return "与此处文字相近"
        case "named":
            return "句中提到其作者"
        case "words":
            return f"标题与本句共有词语{'、'.join(f'“{word}”' for word in reason.words)}"
        case "co-cited":
            return f"与本节所引的 {'、'.join(reason.papers)} 相近"
        case "cited-like":
            return f"在相似之处引用过：“…{reason.words[0]}”"
        case "filed":
            return f"在文献库中紧邻附近引用的 {reason.papers[0]}"
        case "other-draft":
            return f"在您的另一篇稿件“{shortened(reason.words[0], _LONGEST_TITLE)}”中引用过"
        case "precedent":
            return "他人在相似之处引用过"
        case "cited-by":
            return f"已知有 {round(reason.value)} 篇文献引用"
        case "cited-here":
            return f"本节已引用 {round(reason.value)} 次"
        case _:
            return f"文中已引用 {round(reason.value)} 次"


def _chinese_draft_phrase(reason: Reason) -> str:
    match reason.kind:
        case "cited-together":
            return f"常与您引用的 {'、'.join(reason.papers)} 一同被引用"
        case "cited-by-nearest":
            return f"与本稿最接近的 {reason.words[0]} 篇文献中有 {round(reason.value)} 篇引用"
        case "cites-same":
            return f"引用了 {round(reason.value)} 篇您也引用的文献"
        case "near-section":
            return f"与“{shortened(reason.words[0], _LONGEST_TITLE)}”一节相近"
        case "near-cited":
            return f"与您引用的 {'、'.join(reason.papers)} 相近"
        case "section-words":
            title, *words = reason.words
            section = f"“{shortened(title, _LONGEST_TITLE)}”一节" if title else "正文"
            return f"标题与{section}共有词语{'、'.join(f'“{word}”' for word in words)}"
        case _:
            return "与标题和摘要相近"
