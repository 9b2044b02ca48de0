"""Fitting the query map: a linear map that moves contexts to the papers that were cited there.

InfoNCE over the papers of the batch and random ones of the pool (van den Oord et al. 2018), with
the correction for how likely a paper is to be in the batch (Yi et al., "Sampling-bias-corrected
neural modeling", RecSys 2019), so that what is cited often is not learned twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.model import Vectors
from cite_lsp.recommend.query_map import PARTS, QueryMap
from cite_lsp.search.vectors import Rows

if TYPE_CHECKING:
    import torch

EPOCHS = 6
BATCH = 512
RANDOM_PAPERS = 2000
"""Papers of the pool that every batch is compared with, beside its own."""
TEMPERATURE = 0.05
LEARNING_RATE, WEIGHT_DECAY = 1e-3, 2e-2
_START = (1.0, 0.5, 0.0)


def fit_query_map(
    contexts: Vectors,
    pairs: Rows,
    papers: NDArray[np.floating],
    *,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> QueryMap:
    """Fit a map to pairs of a context and a paper that it cites.

    Args:
        contexts: near, wide and title vectors, shape (n, 3, d).
        pairs: rows of contexts and of papers, shape (p, 2).
        papers: unit vectors of the pool, shape (m, d), any floating type.
        seed: of the batches and the random papers.
        progress: told how many epochs are done, of how many.
    """
    import torch

    torch.manual_seed(seed)
    dice = torch.Generator().manual_seed(seed)
    width = contexts.shape[2]
    weights = torch.tensor(_START, requires_grad=True)
    maps = torch.zeros(PARTS, width, width, requires_grad=True)
    bias = torch.zeros(width, requires_grad=True)
    texts = torch.from_numpy(np.ascontiguousarray(contexts, dtype=np.float32))
    wanted = torch.from_numpy(np.ascontiguousarray(pairs))
    size = min(BATCH, len(wanted))
    frequency = torch.bincount(wanted[:, 1], minlength=len(papers)).float() / len(wanted)
    optimizer = torch.optim.AdamW(
        [weights, maps, bias], lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY
    )
    steps = EPOCHS * (len(wanted) // size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps + 1)
    chance = torch.full((RANDOM_PAPERS,), float(np.log(RANDOM_PAPERS / len(papers))))
    for epoch in range(EPOCHS):
        order = torch.randperm(len(wanted), generator=dice)
        for start in range(0, len(wanted) - size + 1, size):
            batch = wanted[order[start : start + size]]
            others = torch.randint(0, len(papers), (RANDOM_PAPERS,), generator=dice)
            rows = torch.cat([batch[:, 1], others])
            candidates = torch.from_numpy(np.asarray(papers[rows.numpy()], dtype=np.float32))
            candidates = torch.nn.functional.normalize(candidates, dim=1)
            text = texts[batch[:, 0]]
            query = torch.einsum("npd,p->nd", text, weights) + bias
            query = query + torch.einsum("npd,pde->ne", text, maps)
            query = torch.nn.functional.normalize(query, dim=1)
            logits = query @ candidates.T / TEMPERATURE
            logits = logits - torch.cat([torch.log(frequency[batch[:, 1]] * size), chance])
            loss = _contrast(logits, batch[:, 1], rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
        if progress:
            progress(epoch + 1, EPOCHS)
    learned = (part.detach().numpy().astype(np.float32) for part in (weights, maps, bias))
    return QueryMap(*learned)


def _contrast(
    logits: torch.Tensor, relevant: torch.Tensor, candidates: torch.Tensor
) -> torch.Tensor:
    """Return the loss of rows whose relevant paper is the candidate of the same number.

    The same paper elsewhere among the candidates is no negative.
    """
    import torch

    same = relevant[:, None] == candidates[None, :]
    own = torch.arange(len(relevant))
    same[own, own] = False
    return torch.nn.functional.cross_entropy(logits.masked_fill(same, -1e9), own)
