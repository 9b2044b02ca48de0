"""The network of `recommend/corpus/late_interaction.py`, and writing it as a graph."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import torch
from attrs import asdict, frozen
from numpy.typing import NDArray
from torch.nn.functional import normalize, softplus

from cite_lsp.encode.encoder import Vectors
from cite_lsp.recommend.corpus.late_interaction import (
    NO_TOKEN,
    OCTAVES,
    TITLE_CLASS,
)

MEANS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)
"""Cosines at which the kernels stand."""
WIDTHS = (0.03, 0.1, 0.1, 0.1, 0.1, 0.1)
"""How wide they are; the first one counts the same word alone."""
LEAST = 1e-3
"""What a kernel counts at least, before its logarithm is taken."""
FEATURES = 3 * len(MEANS) + 4
_OPSET = 17
_LEAST_SUM = 1e-6


@frozen(eq=False)
class Batch:
    """Contexts and the titles of their candidates, shorter rows filled up with `NO_TOKEN`.

    tokens (b, q), states (b, q, d), words (b, q, w), places (b, q): as in `Asked`.
    titles (b, c, t), title_words (b, c, t, w): as in `Titles`.
    """

    tokens: torch.Tensor
    states: torch.Tensor
    words: torch.Tensor
    places: torch.Tensor
    titles: torch.Tensor
    title_words: torch.Tensor


class InteractionNetwork(torch.nn.Module):
    """Scores titles for contexts."""

    def __init__(
        self,
        states: NDArray[np.floating],
        words: NDArray[np.floating],
        importance: NDArray[np.floating],
        hidden: int,
    ) -> None:
        """Begin with maps of states (d, e) and of words by themselves (w, e) to one space.

        `importance` is that of the words of the vocabulary, (v,).
        """
        super().__init__()
        self.states = torch.nn.Linear(states.shape[0], states.shape[1])
        self.states.weight.data = torch.tensor(states.T, dtype=torch.float32).contiguous()
        self.states.bias.data.zero_()
        self.words = torch.nn.Linear(words.shape[0], words.shape[1], bias=False)
        self.words.weight.data = torch.tensor(words.T, dtype=torch.float32).contiguous()
        self.mix = torch.nn.Parameter(torch.tensor(1.0))
        self.importance = torch.nn.Linear(len(states), 1)
        self.importance.weight.data.zero_()
        self.importance.bias.data.zero_()
        self.query_words, self.title_words = _numbers(importance), _numbers(importance)
        fading = -0.35 * np.arange(OCTAVES)
        self.places = _numbers(np.concatenate([0.5 + fading, 0.3 + fading, [0.0, -1.0]]))
        self.norm = torch.nn.LayerNorm(FEATURES)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(FEATURES, hidden),
            torch.nn.GELU(),
            torch.nn.Linear(hidden, 1),
        )

    def forward(
        self,
        tokens: torch.Tensor,
        states: torch.Tensor,
        words: torch.Tensor,
        places: torch.Tensor,
        titles: torch.Tensor,
        title_words: torch.Tensor,
    ) -> torch.Tensor:
        """Return the scores of titles, shape (b, c); see `Batch` for what is given."""
        alone = normalize(self.words(words), dim=-1)
        query = normalize(self.states(states) + self.mix * alone, dim=-1)
        query_mask = (tokens != NO_TOKEN).float()
        nearness = self.places(places).squeeze(-1)
        weight = self.query_words(tokens) + self.importance(states)
        weight = softplus(weight).squeeze(-1) * nearness.exp() * query_mask
        topic = (places == TITLE_CLASS).float()
        text = weight * (1 - topic)
        sides = torch.stack([text, weight * topic], dim=-1)[:, None]
        text = (text / text.sum(dim=1, keepdim=True).clamp_min(_LEAST_SUM))[:, None, :, None]
        title_mask = (titles != NO_TOKEN).float()[..., None]
        share = softplus(self.title_words(titles)) * title_mask
        share = share / share.sum(dim=2, keepdim=True).clamp_min(_LEAST_SUM)
        mapped = normalize(self.words(title_words), dim=-1)
        alike = mapped @ query[:, None].transpose(2, 3)
        features = []
        for mean, width in zip(MEANS, WIDTHS, strict=True):
            kernel = torch.exp((alike - mean).square() * (-1 / (2 * width**2)))
            covered = (kernel @ sides).clamp_min(LEAST).log()
            features.append((covered * share).sum(dim=2))
            covering = (kernel * title_mask).sum(dim=2).clamp_min(LEAST).log()
            features.append((covering[:, :, None] @ text)[..., 0])
        nearest = (nearness - self.places.weight.max()).exp() * query_mask
        closest = [
            (alike * nearest[:, None, None]).amax(dim=-1),
            _masked(alike, query_mask).amax(dim=-1),
        ]
        features.append((torch.stack(closest, dim=-1) * share).sum(dim=2))
        features.append(title_mask.sum(dim=2).log1p())
        best = (alike * title_mask).amax(dim=2)
        features.append((best[:, :, None] @ text)[..., 0])
        scores: torch.Tensor = self.layers(self.norm(torch.cat(features, dim=-1))).squeeze(-1)
        return scores


def _numbers(values: NDArray[np.floating]) -> torch.nn.Embedding:
    """Return a number for each of (n,), to be learned."""
    table = torch.nn.Embedding(len(values), 1)
    table.weight.data = torch.tensor(values, dtype=torch.float32)[:, None]
    return table


def _masked(alike: torch.Tensor, query_mask: torch.Tensor) -> torch.Tensor:
    """Return how alike words are, -1 of what is no word of the context."""
    mask = query_mask[:, None, None]
    return alike * mask - (1 - mask)


def write_graph(network: InteractionNetwork, path: Path, example: Batch) -> None:
    """Write a network as ONNX; `example` is one context with its titles.

    Raises:
        OSError: it cannot be written.
    """
    given = asdict(example, recurse=False)
    of_titles = {"titles", "title_words"}
    axes = {
        name: {1: "papers", 2: "title"} if name in of_titles else {1: "asked"} for name in given
    }
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes that are always these
        torch.onnx.export(
            network.eval(),
            tuple(given.values()),
            str(path),
            input_names=list(given),
            output_names=["scores"],
            dynamic_axes={**axes, "scores": {1: "papers"}},
            opset_version=_OPSET,
            dynamo=False,
        )


def first_maps(
    table: Vectors, states: Vectors, words: Vectors, dimensions: int
) -> tuple[Vectors, Vectors]:
    """Return maps to begin with: of states (d, e) and of words by themselves (w, e).

    That of words keeps the main directions of their table (v, w). That of states leads each near
    the word that it is of: `states` (n, d) are those of `words` (n, w), fitted by least squares.
    """
    directions = np.linalg.eigh(table.T @ table / len(table))[1][:, ::-1][:, :dimensions]
    ridge = 1e-3 * len(states) * np.eye(states.shape[1])
    fitted = np.linalg.solve(states.T @ states + ridge, states.T @ (words @ directions))
    return fitted.astype(np.float32), directions.astype(np.float32)
