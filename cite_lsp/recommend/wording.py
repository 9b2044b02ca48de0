"""The reasons for a recommendation in one line, in the language of the draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cite_lsp.library.text.display import shortened
from cite_lsp.recommend.base.recommendation import Reason, Recommendation

_RANKS = {
    "en": ("", "closest", "second closest", "third closest"),
    "zh": ("", "最接近", "第二接近", "第三接近"),
}
_SOURCES = {"en": ("your library", "the corpus"), "zh": ("文献库", "语料库")}
_PHRASES: Mapping[str, tuple[str, str]] = {
    "closest": ("{rank} in {source} to the text here", "{source}中与此处文字{rank}"),
    "sentence": ("similar to the text here", "与此处文字相近"),
    "key": ("the text here names it “{word}”", "此处文字提到“{word}”"),
    "named": ("its author is named in the sentence", "句中提到其作者"),
    "words": ("shares the word{s} {quoted}", "标题与本句共有词语{quoted}"),
    "co-cited": ("similar to {papers}, which this section cites", "与本节所引的 {papers} 相近"),
    "cited-like": (
        "you cite it in a similar passage: “…{word}”",
        "在相似之处引用过：“…{word}”",
    ),
    "filed": (
        "next to {papers} in your bibliography, which you cite nearby",
        "在文献库中紧邻附近引用的 {papers}",
    ),
    "other-draft": ("cited in your draft “{title}”", "在您的另一篇稿件“{title}”中引用过"),
    "precedent": ("others cite it in similar passages", "他人在相似之处引用过"),
    "cited-by": (
        "cited by {count} papers that cite-lsp knows of",
        "已知有 {count} 篇文献引用",
    ),
    "cited-here": ("cited {times} in this section", "本节已引用 {count} 次"),
    "cited-elsewhere": ("cited {times} in this draft", "文中已引用 {count} 次"),
    "phase-1": (
        "near to the text here (phase 1: {value:.2f})",
        "与此处文字相近（第一阶段：{value:.2f}）",
    ),
    "phase-2": (
        "near to {papers}, which this section cites (phase 2: {value:.2f})",
        "与本节所引的 {papers} 相近（第二阶段：{value:.2f}）",
    ),
    "mp-bert4cr": (
        "near to the text here and the titles above it (cosine {value:.2f})",
        "与此处文字及其标题相近（余弦：{value:.2f}）",
    ),
    "blsrec": (
        "near to the sentences here across languages (score {value:.2f})",
        "与此处文字跨语言相近（得分：{value:.2f}）",
    ),
    "cited-together": (
        "cited together with {papers}, which you cite",
        "常与您引用的 {papers} 一同被引用",
    ),
    "cited-by-nearest": (
        "cited by {count} of the {word} papers nearest to this draft",
        "与本稿最接近的 {word} 篇文献中有 {count} 篇引用",
    ),
    "cites-same": ("cites {count} papers that you cite", "引用了 {count} 篇您也引用的文献"),
    "near-section": ("near to your section “{title}”", "与“{title}”一节相近"),
    "near-cited": ("similar to {papers}, which you cite", "与您引用的 {papers} 相近"),
    "near-draft": ("near to your title and abstract", "与标题和摘要相近"),
    "section-words": (
        "shares {others} with your section “{title}”",
        "标题与“{title}”一节共有词语{others}",
    ),
    "text-words": ("shares {others} with your text", "标题与正文共有词语{others}"),
}
"""The kinds of reasons in English and in Chinese; see `Reason` for what they are."""
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
    language = "zh" if recommendation.language == "zh" else "en"
    source = _SOURCES[language][bool(recommendation.corpus)]
    return [_phrase(reason, source, language) for reason in _distinguishing(recommendation.reasons)]


def _distinguishing(reasons: Sequence[Reason]) -> Sequence[Reason]:
    """Return the reasons that distinguish a paper from the others of a list, or else all."""
    return [reason for reason in reasons if reason.kind != "sentence" or reason.place] or reasons


def _phrase(reason: Reason, source: str, language: str) -> str:
    kind, first = reason.kind, next(iter(reason.words), "")
    if kind == "sentence" and reason.place:
        kind = "closest"
    elif kind == "section-words" and not first:
        kind = "text-words"
    quoted = [f"“{word}”" for word in reason.words]
    return _PHRASES[kind][language == "zh"].format(
        rank=_RANKS[language][reason.place],
        source=source,
        value=reason.value,
        count=round(reason.value),
        times={1: "once", 2: "twice"}.get(round(reason.value), f"{round(reason.value)} times"),
        papers=_enumerated(reason.papers, language),
        word=first,
        title=shortened(first, _LONGEST_TITLE),
        s="s" * (len(quoted) > 1),
        quoted=_enumerated(quoted, language),
        others=_enumerated(quoted[1:], language),
    )


def _enumerated(names: Sequence[str], language: str) -> str:
    if language == "zh" or len(names) < 2:
        return "、".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
