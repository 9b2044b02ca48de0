"""Recipe `cross-lingual`: a student that puts Chinese texts where the teacher puts English ones.

Multilingual distillation (Reimers & Gurevych, "Making monolingual sentence embeddings multilingual
using knowledge distillation", EMNLP 2020) into a static encoder: a table of the vectors of Chinese
words beside those of the teacher's own word pieces, so that a text costs no more than looking its
words up. A word's row starts as the mean of the teacher's vectors of its English senses; then all
rows are fitted to texts whose meaning is known in English (`train/encoders/cross_lingual_data.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray
from tokenizers import Tokenizer

from cite_lsp.corpus.bilingual import Term
from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.language import has_han
from cite_lsp.train.encoders.chinese_vocabulary import CONTINUED
from cite_lsp.train.encoders.static_encoder import SIF, TaughtTexts, gather_batch
from cite_lsp.train.run.errors import TrainingError
from cite_lsp.train.run.progress import Steps

if TYPE_CHECKING:
    import torch

NAME = "cross-lingual"
_STATE = "state.safetensors"
_UNKNOWN = 0.01
"""Standard deviation of the numbers in the row of a token of which nothing is known."""
_SAME = 0.999
"""Cosine from which two targets of a batch are taken for one: a paper cited by both contexts."""


@frozen
class Settings:
    """What decides the result, beside the data. `temperature` divides the cosines of a batch."""

    words: int = 22_000
    epochs: int = 4
    batch: int = 768
    learning_rate: float = 2e-3
    temperature: float = 0.05
    seed: int = 13


def identity(
    settings: Settings,
    parts: Mapping[str, TaughtTexts],
    terms: Iterable[Term],
    tokenizer: Tokenizer,
    teacher: Encoder,
) -> dict[str, object]:
    """Return what makes a run what it is, for `claim`: `parts` by their kind, and the start.

    Texts are told by their tokens; where they belong, by whose vectors these are.
    """
    digest = hashlib.blake2b(tokenizer.to_str().encode(), digest_size=12)
    for part in parts.values():
        digest.update(part.starts.tobytes())
        digest.update(part.tokens.tobytes())
    for term in terms:
        digest.update(f"{term.zh}\t{term.en}\n".encode())
    return {
        "recipe": NAME,
        "settings": asdict(settings),
        "teacher": teacher.fingerprint,
        "material": {kind: len(part) for kind, part in parts.items()},
        "data": digest.hexdigest(),
    }


def starting_table(
    parts: Sequence[TaughtTexts],
    tokenizer: Tokenizer,
    teacher: Encoder,
    words: Mapping[str, Vectors],
) -> Vectors:
    """Return the untrained table, shape (tokens, dimensions).

    `words` are the vectors of Chinese words by their senses. A character that is no word starts as
    the mean of the words that it stands in, any other token as next to nothing. Every row is scaled
    by a / (a + p(token)) (SIF).
    """
    size = tokenizer.get_vocab_size()
    names = [tokenizer.id_to_token(number) or "" for number in range(size)]
    counts = sum(np.bincount(part.tokens, minlength=size) for part in parts) + np.zeros(size)
    table = np.zeros((size, teacher.dimensions), dtype=np.float32)
    latin = [number for number in range(size) if counts[number] and not has_han(names[number])]
    table[latin] = teacher.encode([names[number].removeprefix(CONTINUED) for number in latin])
    inside: dict[str, list[Vectors]] = {}
    for word, vector in words.items():
        for character in set(word):
            inside.setdefault(character, []).append(vector)
    for number, name in enumerate(names):
        if not has_han(name):
            continue
        word = name.removeprefix(CONTINUED)
        if word in words:
            table[number] = words[word]
        else:
            known = [[words[one]] if one in words else inside.get(one) for one in word]
            found = [np.mean(one, axis=0) for one in known if one is not None]
            if found:
                table[number] = np.mean(found, axis=0)
    unknown = ~table.any(axis=1)  # a text of nothing but zeros has no direction to learn from
    noise = np.random.default_rng(teacher.dimensions).normal(0, _UNKNOWN, table.shape)
    table[unknown] = noise[unknown]
    weights = SIF / (SIF + counts / max(counts.sum(), 1))
    return np.asarray(table * weights[:, None], dtype=np.float32)


def fit(
    parts: Sequence[TaughtTexts],
    table: Vectors,
    settings: Settings,
    kept: Path,
    progress: Steps = lambda done, total: None,
) -> Vectors:
    """Fit the rows of the table to the teacher's vectors; returns the table fitted.

    After each epoch the state is written to `kept`, and a run that was broken off goes on there.

    Raises:
        TrainingError: there is less material than one batch.
        OSError: the state cannot be written.
    """
    import torch

    sizes = np.cumsum([0, *(len(part) for part in parts)])
    total = int(sizes[-1])
    if total < settings.batch:
        raise TrainingError(f"{total} texts are fewer than a batch of {settings.batch}; give more")
    bag = torch.nn.EmbeddingBag.from_pretrained(
        torch.tensor(table), freeze=False, mode="sum", sparse=True
    )
    optimiser = torch.optim.SparseAdam(list(bag.parameters()), lr=settings.learning_rate)
    steps = settings.epochs * (total // settings.batch)
    begin = _resume(kept, bag, optimiser)
    done = begin * (total // settings.batch)
    for epoch in range(begin, settings.epochs):
        order = np.random.default_rng((settings.seed, epoch)).permutation(total)
        for start in range(0, total - settings.batch + 1, settings.batch):
            for group in optimiser.param_groups:
                group["lr"] = settings.learning_rate * max(1 - done / steps, 0.02)
            chosen = np.sort(order[start : start + settings.batch])
            loss = _loss(bag, gather_batch(parts, sizes, chosen), settings.temperature)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()  # type: ignore[no-untyped-call]
            done += 1
            progress(done, steps)
        _keep(kept, epoch + 1, bag, optimiser)
    return np.asarray(bag.weight.detach().numpy(), dtype=np.float32)


def _loss(
    bag: torch.nn.EmbeddingBag,
    batch: tuple[NDArray[np.int64], NDArray[np.int64], Vectors],
    temperature: float,
) -> torch.Tensor:
    """1 - cosine to the own target, and cross-entropy against the targets of the batch."""
    import torch
    from torch.nn import functional

    tokens, offsets, vectors = batch
    made = functional.normalize(bag(torch.from_numpy(tokens), torch.from_numpy(offsets)))
    wanted = functional.normalize(torch.from_numpy(vectors))
    cosines = made @ wanted.T
    own = torch.arange(len(cosines))
    same = (wanted @ wanted.T > _SAME).fill_diagonal_(False)
    others = (cosines / temperature).masked_fill(same, -1e4)
    return (1 - cosines.diagonal()).mean() + functional.cross_entropy(others, own)


def _keep(
    kept: Path, epoch: int, bag: torch.nn.EmbeddingBag, optimiser: torch.optim.Optimizer
) -> None:
    """Write the state of a run; the file before it stays until the new one is whole."""
    from safetensors.torch import save_file

    state = optimiser.state[bag.weight]
    scratch = kept / "state.part"
    save_file(
        {"table": bag.weight.detach(), "mean": state["exp_avg"], "square": state["exp_avg_sq"]},
        scratch,
        metadata={"epoch": str(epoch), "step": str(int(state["step"]))},
    )
    scratch.replace(kept / _STATE)


def _resume(kept: Path, bag: torch.nn.EmbeddingBag, optimiser: torch.optim.Optimizer) -> int:
    """Take up the state of a run that was broken off; returns the epochs that it had done."""
    import torch
    from safetensors import safe_open

    kept.mkdir(parents=True, exist_ok=True)
    if not (kept / _STATE).exists():
        return 0
    with safe_open(kept / _STATE, "pt") as file:
        about = file.metadata()
        with torch.no_grad():
            bag.weight.copy_(file.get_tensor("table"))
        optimiser.state[bag.weight] = {
            "step": int(about["step"]),
            "exp_avg": file.get_tensor("mean"),
            "exp_avg_sq": file.get_tensor("square"),
        }
    return int(about["epoch"])
