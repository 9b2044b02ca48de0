"""Citations that the text around them does not fit: what is in doubt, where it stands by now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.library.entries import Entry
from cite_lsp.manuscript.draft.readable_sentence import readable_sentence
from cite_lsp.project.citations import Citation, single_citations
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.rules.draft_rules import key_fixes
from cite_lsp.rules.findings import Finding, ProposedPaper


def doubtful_citations(
    draft: Draft, doubts: Mapping[Citation, Entry | None], cancelled: Cancel | None = None
) -> Iterator[Finding]:
    """Yield the citations that are in doubt, as the draft stands now.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    if not any(doubts.values()):
        return
    for single in single_citations(draft):
        stop_if(cancelled)
        key, sentence, better = single.key, single.sentence, doubts.get(single.identity)
        if better is None or draft.library.get(better.key) is None:
            continue
        message = (
            f'"{key.text}" hardly fits here, "{better.key}" ({short_name(better.paper)}) does:'
            " check which is meant"
        )
        yield Finding(
            "doubtful-citation",
            draft.path,
            key.start,
            key.end,
            message,
            "information",
            key_fixes(draft, key, (better.key,)),
            papers=(ProposedPaper(better.key, better.paper.title),),
            sentence_text=readable_sentence(draft.manuscript, sentence),
            sentence_range=(sentence.start, sentence.end),
        )
