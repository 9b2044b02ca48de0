"""The network of recipe `worthiness-encoder`: it reads a window and finds the citing sentences.

The lower layers of a sentence encoder, trained further as a whole but for its table of word
vectors, which stays the one that encoders share. The states of a sentence's tokens are averaged,
and a layer of hidden units makes a logit of them.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.recommend.missing.worthiness_encoder import INPUTS, Window
from cite_lsp.train.run.encoding import computes_bfloat16
from cite_lsp.train.run.export import quantise
from cite_lsp.train.run.report import Steps

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

_HEAD_FASTER = 4
"""How many times the rate of the encoder that of the new layers is."""
_WARM_UP = 60
"""Steps over which the rate rises."""
_AT_ONCE = 512
"""Windows that are sorted by their length and made batches together."""
_OPSET = 17


@frozen
class WindowSettings:
    """How large the network is, and how long and how fast it learns.

    `batch` counts tokens. Of the windows without a citing sentence each epoch takes a share,
    `silent`.
    """

    layers: int = 6
    epochs: int = 2
    batch: int = 4096
    learning_rate: float = 1.5e-4
    silent: float = 0.35
    seed: int = 13


def build_network(base: SentenceTransformer, layers: int) -> torch.nn.Module:
    """Return the network on the lower layers of a BERT encoder, which it takes over.

    It maps token ids (w, t), their mask (w, t) and the weights by which the states of tokens are
    averaged to sentences (w, s, t) to logits (w, s).
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            bert: Any = base[0].auto_model
            keep_lower(bert, layers)
            bert.pooler = None
            bert.embeddings.word_embeddings.weight.requires_grad_(False)
            width = bert.config.hidden_size
            self.encoder = bert
            self.hidden = torch.nn.Linear(width, width)
            self.out = torch.nn.Linear(width, 1)
            for module in self.modules():
                if isinstance(module, torch.nn.Dropout):
                    module.p = 0.0

        def forward(
            self, input_ids: torch.Tensor, attention_mask: torch.Tensor, places: torch.Tensor
        ) -> torch.Tensor:
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask
            ).last_hidden_state
            sentences = torch.matmul(places.to(states.dtype), states)
            active = torch.nn.functional.gelu(self.hidden(sentences))
            return self.out(active).squeeze(-1).float()  # type: ignore[no-any-return]

    return Network()


def keep_lower(bert: Any, layers: int) -> None:  # noqa: ANN401 - a class of transformers
    """Leave a BERT encoder its lower layers, in place: so many, or all of fewer."""
    bert.encoder.layer = bert.encoder.layer[:layers]


def fit(
    network: torch.nn.Module,
    windows: Sequence[Window],
    cited: NDArray[np.bool_],
    settings: WindowSettings,
    progress: Steps,
    *,
    surplus: NDArray[np.float32] | None,
) -> None:
    """Train a network in place on the windows of sentences of which `cited` says which cite, (n,).

    `surplus`, (n,), is by how much the log odds of each are too high for how it was chosen: the
    network is to learn the rest. It computes in bfloat16 where the processor does, and keeps the
    weights that it learns in float32. `progress` is called with (steps done, steps).
    """
    import torch

    rng = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    learned = [weight for weight in network.parameters() if weight.requires_grad]
    fixed = [weight for weight in network.parameters() if not weight.requires_grad]
    exact = [weight.detach().float().clone().requires_grad_(True) for weight in learned]
    as_they_were = [weight.detach().float().clone() for weight in fixed]
    network.to(torch.bfloat16 if computes_bfloat16("cpu") else torch.float32).train()
    head = sum(1 for name, _ in network.named_parameters() if not name.startswith("encoder."))
    groups = [
        {"params": exact[:-head], "lr": settings.learning_rate},
        {"params": exact[-head:], "lr": settings.learning_rate * _HEAD_FASTER},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    fastest = [group["lr"] for group in optimiser.param_groups]
    epochs = [_epoch(windows, cited, settings, rng) for _ in range(settings.epochs)]
    total = sum(map(len, epochs))
    for step, batch in enumerate(batch for epoch in epochs for batch in epoch):
        pace = min(1.0, (step + 1) / _WARM_UP) * (1 - step / total)
        for group, rate in zip(optimiser.param_groups, fastest, strict=True):
            group["lr"] = rate * pace
        read, present = _tensors(batch), _present(batch)
        rows = np.concatenate([list(window.rows) for window in batch])
        truth = torch.from_numpy(cited[rows].astype(np.float32))
        logits = network(*read)[present]
        if surplus is not None:
            logits = logits + torch.from_numpy(surplus[rows])
        loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(logits, truth)
        loss.backward()
        for weight, precise in zip(learned, exact, strict=True):
            precise.grad = None if weight.grad is None else weight.grad.float()
            weight.grad = None
        torch.nn.utils.clip_grad_norm_(exact, 1.0)
        optimiser.step()
        with torch.no_grad():
            for weight, precise in zip(learned, exact, strict=True):
                weight.copy_(precise)
        progress(step + 1, total)
    network.float()
    with torch.no_grad():
        for weight, precise in zip([*learned, *fixed], [*exact, *as_they_were], strict=True):
            weight.copy_(precise)


def export(network: torch.nn.Module, path: Path) -> None:
    """Write a network as an ONNX graph with weights of eight bits.

    Its inputs are those of the network, its output is `logits`.
    """
    import torch

    # Two windows of unequal length, so that no axis and no mask can pass for a constant.
    sample = _tensors(
        [
            Window([2, 7, 8, 3, 9, 3], [(1, 4), (4, 6)], range(2)),
            Window([2, 7, 3], [(1, 3)], range(2, 3)),
        ]
    )
    axes = {name: {0: "windows", 1: "tokens"} for name in INPUTS[:2]}
    axes |= {INPUTS[2]: {0: "windows", 1: "sentences", 2: "tokens"}}
    axes |= {"logits": {0: "windows", 1: "sentences"}}
    network.float().eval()
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of branches that the masks never take
        plain = Path(scratch) / "plain.onnx"
        with torch.inference_mode():
            torch.onnx.export(
                network,
                sample,
                str(plain),
                input_names=list(INPUTS),
                output_names=["logits"],
                dynamic_axes=axes,
                opset_version=_OPSET,
                dynamo=False,  # the other exporter needs onnxscript
            )
        quantise(plain, path)


def _epoch(
    windows: Sequence[Window],
    cited: NDArray[np.bool_],
    settings: WindowSettings,
    rng: np.random.Generator,
) -> list[list[Window]]:
    """Return the batches of an epoch: all windows that cite and some of the others, by chance."""
    epoch_windows = [
        window
        for window in windows
        if cited[list(window.rows)].any() or rng.random() < settings.silent
    ]
    order = [epoch_windows[place] for place in rng.permutation(len(epoch_windows))]
    batches = list(_batches(order, settings.batch))
    return [batches[place] for place in rng.permutation(len(batches))]


def _batches(windows: Sequence[Window], tokens: int) -> Iterator[list[Window]]:
    """Yield windows of similar length whose tokens, with their padding, are so many at most."""
    for start in range(0, len(windows), _AT_ONCE):
        part = sorted(windows[start : start + _AT_ONCE], key=lambda window: -len(window.tokens))
        while part:
            count = max(1, math.floor(tokens / len(part[0].tokens)))
            yield part[:count]
            part = part[count:]


def _tensors(windows: Sequence[Window]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    import torch

    length = max(len(window.tokens) for window in windows)
    most = max(len(window.places) for window in windows)
    ids = torch.zeros(len(windows), length, dtype=torch.long)
    mask = torch.zeros(len(windows), length, dtype=torch.long)
    places = torch.zeros(len(windows), most, length)
    for row, window in enumerate(windows):
        ids[row, : len(window.tokens)] = torch.tensor(window.tokens)
        mask[row, : len(window.tokens)] = 1
        for number, (begin, end) in enumerate(window.places):
            places[row, number, begin:end] = 1 / (end - begin)
    return ids, mask, places


def _present(windows: Sequence[Window]) -> torch.Tensor:
    import torch

    counts = torch.tensor([len(window.rows) for window in windows])
    return torch.arange(int(counts.max()))[None] < counts[:, None]
