"""The writer's own drafts as precedents beside those that ship: who cited what in which words.

A corpus is ranked by how others cited its papers before; here the writer is one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cite_lsp.paper import Paper
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.paper_columns import title_key


def with_drafts(
    precedents: Precedents, drafts: Sequence[CitingDraft], placed_by: str
) -> Precedents:
    """Return precedents with drafts behind their other documents, in the order given.

    Of drafts whose places were put by another query encoder than that with the fingerprint
    `placed_by`, it is known whom they cite, and not in which words.
    """
    documents, contexts, placed = [], [], []
    for number, draft in enumerate(drafts):
        keys = [title_key(work) for work in draft.works]
        key = title_key(Paper("", draft.title))
        documents.append(CitingDocument(key, draft.year, tuple(dict.fromkeys(keys))))
        if draft.placed_by != placed_by or len(draft.placed) != len(draft.cites):
            continue
        for cited, near in zip(draft.cites, draft.near, strict=True):
            there = tuple(dict.fromkeys(keys[one] for one in cited.tolist()))
            contexts.append(CitingContext(number, near.tolist(), there))
        placed.append(draft.placed)
    width = precedents.arrays["vectors"].shape[1]
    vectors = np.concatenate([np.zeros((0, width), dtype=np.float32), *placed])
    return precedents.joined(documents, contexts, vectors)
