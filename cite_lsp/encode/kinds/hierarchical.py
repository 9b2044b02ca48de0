"""The encoder of two levels: sentences into vectors, and those of a text's sentences into one.

Source: Zhang and Ma, "Recommending multiple positive citations for manuscript via content-dependent
modeling and multi-positive triplet" (MP-BERT4CR, 2021). A sentence is the mean of its tokens by a
BERT, a text the mean of its sentences by a small transformer over them, which begins as one that
leaves them as they are. It runs by torch. The BERT learns with the transformer, or it is frozen,
and then any encoder does for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.description import on_other_weights
from cite_lsp.encode.encoder import Encoder, EncoderError, Tokens, Vectors, unit, well_formed
from cite_lsp.encode.kinds.hierarchical_config import (
    DOCUMENT_FILE,
    SENTENCE_FOLDER,
    read_hierarchical_config,
)
from cite_lsp.encode.kinds.torch_runtime import TOKENS_IN_BATCH, open_checkpoint, require_torch
from cite_lsp.manuscript.text.sentences import sentence_spans

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer
    from torch import Tensor, nn

PARAGRAPH = "\n\n"
"""Ends a sentence, whatever stands before it."""
LENGTH = 7.0
"""How long the vectors of the bundled encoder are, about, before they are made unit length: what
the margin of a triplet is measured by."""
_ON_DISK = 1_000_000
"""Sentences that are kept on disk: those of a pool of papers, and of many contexts."""
_TEXTS = 512
"""Texts whose sentences are read together."""

Sentences = tuple[int, ...]
"""The sentences of a text, by their numbers in a table."""


class SentenceEncoder(Protocol):
    """What encodes the sentences: a network that learns, or vectors that stay as they are."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""

    def read(self, sentences: Sequence[str]) -> Sequence[Any]:
        """Return what is kept of each sentence: all that its vector depends on."""

    def vectors(self, read: Sequence[Any]) -> Tensor:
        """Return the vectors of sentences that were read, (m, dimensions)."""


class SentenceTable:
    """Distinct sentences as they were read: each text is split, and each sentence read, once."""

    def __init__(self, encoder: SentenceEncoder, max_sentences: int) -> None:
        """Take what reads sentences, and how many of a text count."""
        self.sentences: list[Any] = []
        self._encoder, self._most = encoder, max_sentences
        self._new: list[str] = []
        self._numbers: dict[str, int] = {}
        self._paragraphs: dict[str, Sentences] = {}

    def read(self, texts: Iterable[str]) -> list[Sentences]:
        """Return the first sentences of texts; of an empty one none."""
        rows = [
            tuple(chain.from_iterable(map(self._split, text.split(PARAGRAPH))))[: self._most]
            for text in texts
        ]
        if self._new:
            self.sentences += self._encoder.read(self._new)
            self._new = []
        return rows

    def _split(self, paragraph: str) -> Sentences:
        sentences = self._paragraphs.get(paragraph)
        if sentences is None:
            text = well_formed(paragraph)
            spans = sentence_spans(text)[: self._most]
            sentences = tuple(self._number(text[start:end]) for start, end in spans)
            self._paragraphs[paragraph] = sentences
        return sentences

    def _number(self, sentence: str) -> int:
        if sentence not in self._numbers:
            self._numbers[sentence] = len(self._numbers)
            self._new.append(sentence)
        return self._numbers[sentence]


class TokenMeans:
    """A sentence encoder that can learn: the means of the states of a BERT's tokens."""

    def __init__(self, model: SentenceTransformer, max_tokens: int) -> None:
        self.model = model
        self.dimensions = int(model.get_embedding_dimension() or 0)
        self._max_tokens = max_tokens

    @property
    def device(self) -> torch.device:
        """See `SentenceEncoder`."""
        return self.model.device

    def read(self, sentences: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each sentence."""
        tokenizer: Any = self.model.tokenizer
        read = tokenizer(list(sentences), truncation=True, max_length=self._max_tokens)
        return [np.array(ids) for ids in read["input_ids"]]

    def vectors(self, read: Sequence[Tokens]) -> Tensor:
        """See `SentenceEncoder`; like lengths are encoded together."""
        # Imported where needed: an extra has it, and loading it takes seconds.
        import torch

        device = self.model.device
        network: Any = self.model[0].auto_model
        lengths = np.array([len(tokens) for tokens in read])
        order = np.argsort(-lengths, kind="stable")
        parts, start = [], 0
        while start < len(order):
            width = lengths[order[start]]
            rows = order[start : start + max(1, TOKENS_IN_BATCH[device.type] // int(width))]
            start += len(rows)
            present = np.arange(width) < lengths[rows, None]
            ids = np.zeros(present.shape, dtype=np.int64)
            ids[present] = np.concatenate([read[row] for row in rows])
            mask = torch.from_numpy(present).to(device)
            states = network(
                input_ids=torch.from_numpy(ids).to(device), attention_mask=mask.long()
            ).last_hidden_state.float()
            parts.append((states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True))
        return torch.cat(parts)[torch.from_numpy(np.argsort(order)).to(device)]


class FrozenSentences:
    """A sentence encoder that does not learn: each sentence is encoded once, when it is read."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder: Encoder = encoder
        self.dimensions = encoder.dimensions

    @property
    def device(self) -> torch.device:
        """See `SentenceEncoder`; above vectors that are at hand, a CPU is quick enough."""
        import torch

        return torch.device("cpu")

    def keep_on_disk(self) -> None:
        """Keep what it encodes in the user's cache: trainings and evaluations ask for the same."""
        self.encoder = CachedEncoder(self.encoder, disk_size=_ON_DISK)

    def read(self, sentences: Sequence[str]) -> Sequence[Vectors]:
        """Return the vector of each sentence, in sixteen bits."""
        return list(self.encoder.encode(sentences).astype(np.float16))

    def vectors(self, read: Sequence[Vectors]) -> Tensor:
        """See `SentenceEncoder`; as long as those of tokens' means are, about."""
        import torch

        return torch.from_numpy(np.stack(read).astype(np.float32) * LENGTH)


class Hierarchy:
    """A sentence encoder and the document encoder above it, on one device."""

    def __init__(self, sentences: SentenceEncoder, max_sentences: int, layers: int) -> None:
        """Put a document encoder above a sentence encoder: it gives means of sentences at first."""
        self.sentences = sentences
        self.dimensions = sentences.dimensions
        self.document = document_encoder(self.dimensions, max_sentences, layers)
        if isinstance(sentences, TokenMeans):
            dtype = next(sentences.model.parameters()).dtype
            self.document.to(device=sentences.device, dtype=dtype)
        self._max_sentences = max_sentences

    def table(self) -> SentenceTable:
        """Return an empty table of what it reads."""
        return SentenceTable(self.sentences, self._max_sentences)

    def vectors(self, table: SentenceTable, texts: Sequence[Sentences]) -> Tensor:
        """Return the vectors of texts that have sentences, (n, dimensions), of any length.

        A sentence that several of them have is encoded once.
        """
        import torch

        numbers, places = np.unique(np.concatenate(texts), return_inverse=True)
        counts = np.array([len(sentences) for sentences in texts])
        present = np.arange(counts.max()) < counts[:, None]
        device = self.sentences.device
        encoded = self.sentences.vectors([table.sentences[number] for number in numbers])
        rows = encoded[torch.from_numpy(places).to(device)]
        documents: Tensor = self.document(rows, torch.from_numpy(present).to(device))
        return documents

    def unit_vectors(self, table: SentenceTable, texts: Sequence[str]) -> Vectors:
        """Encode texts into unit vectors, (n, dimensions); of one without words that is 0."""
        import torch

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS):
            read = table.read(texts[start : start + _TEXTS])
            rows = [row for row, sentences in enumerate(read) if sentences]
            if rows:
                with torch.inference_mode():
                    documents = (
                        self.vectors(table, [read[row] for row in rows]).float().cpu().numpy()
                    )
                vectors[[start + row for row in rows]] = unit(documents)
        return vectors


def document_encoder(width: int, max_sentences: int, layers: int) -> nn.Module:
    """Return the network from the sentences of n texts, (m, d), to the texts, (n, d).

    Learned positions and blocks with layer norm in front (self-attention, then a layer of 4 d
    hidden units); what a block adds is 0 before training. The sentences stand one text after the
    other, and (n, s) says how many of at most s each has: padding is paid for in attention alone.
    """
    import torch
    from torch import nn
    from torch.nn.functional import gelu, scaled_dot_product_attention

    heads = width // 64 if width % 64 == 0 else 1

    class Block(nn.Module):
        """Lets each sentence take from the others."""

        def __init__(self) -> None:
            super().__init__()
            self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.projection, self.attended = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.hidden, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            for last in (self.attended, self.out):
                nn.init.zeros_(last.weight)
                nn.init.zeros_(last.bias)

        def forward(self, sentences: Tensor, present: Tensor) -> Tensor:
            projected = self.projection(self.first_norm(sentences))
            padded = projected.new_zeros(*present.shape, 3 * width)
            padded[present] = projected
            query, key, value = padded.unflatten(2, (3, heads, -1)).permute(2, 0, 3, 1, 4)
            mixed = scaled_dot_product_attention(query, key, value, present[:, None, None])
            sentences = sentences + self.attended(mixed.transpose(1, 2).flatten(2)[present])
            hidden = gelu(self.hidden(self.second_norm(sentences)))
            added: Tensor = self.out(hidden)
            return sentences + added

    class DocumentEncoder(nn.Module):
        """The blocks, between the positions and the mean."""

        def __init__(self) -> None:
            super().__init__()
            self.positions = nn.Parameter(torch.zeros(max_sentences, width))
            self.blocks = nn.ModuleList(Block() for _ in range(layers))

        def forward(self, sentences: Tensor, present: Tensor) -> Tensor:
            texts, places = present.nonzero(as_tuple=True)
            states = sentences.to(self.positions.dtype) + self.positions[places]
            for block in self.blocks:
                states = block(states, present)
            sums = torch.zeros(len(present), width, device=states.device)
            return sums.index_add(0, texts, states.float()) / present.sum(dim=1, keepdim=True)

    return DocumentEncoder()


class HierarchicalEncoder:
    """Such an encoder as it was trained, with its folder; an `Encoder` whose texts have sentences.

    On "cuda" it computes in sixteen bits. `base` encodes the sentences where those were frozen.

    Raises:
        EncoderError: torch is missing, or the folder does not hold such an encoder or one that
            stands on another base.
    """

    def __init__(
        self,
        folder: Path,
        *,
        base: Encoder | None = None,
        device: str = "cpu",
        max_tokens: int | None = None,
    ) -> None:
        config = read_hierarchical_config(folder)
        limit = min(max_tokens or config.max_tokens, config.max_tokens)
        sentences: SentenceEncoder
        if base is not None:
            require_torch(folder)
            if base.checkpoint != config.base_checkpoint:
                raise on_other_weights(folder, config.base)
            sentences, reads = FrozenSentences(base), base.fingerprint
        else:
            model = open_checkpoint(folder / SENTENCE_FOLDER, device)
            precision = str(next(model.parameters()).dtype).removeprefix("torch.")
            sentences, reads = TokenMeans(model, limit), f"{precision}-{limit}"
        self._sentences = sentences
        self._hierarchy = Hierarchy(sentences, config.max_sentences, config.layers)
        _load_weights(self._hierarchy.document, folder / DOCUMENT_FILE)
        self.name = config.name
        self.dimensions = self._hierarchy.dimensions
        self.checkpoint = config.sha256[DOCUMENT_FILE][:16]
        self.fingerprint = "-".join([self.name, self.checkpoint[:12], reads])

    def keep_sentences(self) -> None:
        """Keep on disk what a frozen sentence encoder makes; one that was trained keeps nothing."""
        if isinstance(self._sentences, FrozenSentences):
            self._sentences.keep_on_disk()

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """See `Encoder.encode`."""
        parts = [np.zeros((0, self.dimensions), dtype=np.float32)]
        for start in range(0, len(texts), _TEXTS):
            stop_if(cancelled)
            batch = texts[start : start + _TEXTS]
            parts.append(self._hierarchy.unit_vectors(self._hierarchy.table(), batch))
        return np.concatenate(parts)


def _load_weights(network: nn.Module, path: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        network.load_state_dict(load_file(path))
    except (OSError, SafetensorError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise EncoderError(f"{path}: cannot be read ({reason}); train it again") from error
