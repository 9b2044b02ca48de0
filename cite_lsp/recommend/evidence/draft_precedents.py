"""The writer's own drafts as precedents beside those that ship.

A corpus is ranked by how its papers were cited before; the writer's drafts count among those
documents.
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
    precedents: Precedents, drafts: Sequence[CitingDraft], encoder_fingerprint: str
) -> Precedents:
    """Return precedents with drafts behind their other documents, in the order given.

    Drafts that were encoded by another query encoder than the one with this fingerprint count with
    their citations, not with the contexts of these.
    """
    documents, contexts, vectors = [], [], []
    for number, draft in enumerate(drafts):
        keys = [title_key(paper) for paper in draft.papers]
        key = title_key(Paper("", draft.title))
        documents.append(CitingDocument(key, draft.year, tuple(dict.fromkeys(keys))))
        same_encoder = draft.encoder_fingerprint == encoder_fingerprint
        if not same_encoder or len(draft.vectors) != len(draft.cites):
            continue
        for cited, near in zip(draft.cites, draft.near, strict=True):
            cited_keys = tuple(dict.fromkeys(keys[index] for index in cited.tolist()))
            contexts.append(CitingContext(number, near.tolist(), cited_keys))
        vectors.append(draft.vectors)
    width = precedents.arrays["vectors"].shape[1]
    encoded = np.concatenate([np.zeros((0, width), dtype=np.float32), *vectors])
    return precedents.joined(documents, contexts, encoded)
