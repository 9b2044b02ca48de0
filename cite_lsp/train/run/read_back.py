"""Weights of a shipped graph, read back into the model that it was exported from.

What ships is eight bits wide. To train it further the numbers are widened again: each is within
half a step of its scale of what it was before, which the first few updates make up for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.checkpoints import read_config
from cite_lsp.encode.kinds.onnx import tables_of
from cite_lsp.train.run.report import TrainingError, require
from cite_lsp.train.run.shared_table import inputs_of, load_graph, put_back, takes_table

if TYPE_CHECKING:
    import torch
    from onnx import GraphProto

_QUANTISED, _SCALE, _ZERO = "_quantized", "_scale", "_zero_point"
_MADE, _PRODUCT = ("onnx::", "/"), "MatMulInteger"
"""How the exporter calls what has no name in the model begins so; where a matrix is multiplied."""


def read_back(path: Path, model: torch.nn.Module, table: bool = True) -> None:
    """Give a model the weights of a graph that was exported from one like it.

    What the graph has no name for, because nothing needs it or it equals something else, stays as
    the model has it, and so does the table of word vectors unless it is to be read, too.

    Raises:
        TrainingError: the file is no such graph, or that of a model of another shape.
        EncoderError: the table that it is given is not here.
    """
    require("torch", "onnx")
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import torch

    graph = load_graph(path).graph
    if table and takes_table(graph):
        config = read_config(path.parent)
        put_back(graph, tables_of(path.parent, config, inputs_of(graph)))
    arrays = _weights(graph)
    weights = model.state_dict()
    name_of = {_end(name): name for name in weights}
    strange = [
        end
        for end, numbers in arrays.items()
        if end not in name_of or tuple(weights[name_of[end]].shape) != numbers.shape
    ]
    if strange or not arrays:
        raise TrainingError(
            f"{path}: has {strange[0] if strange else 'no weights'}, which is not the model's; name"
            " the folder of an encoder that was exported from this base"
        )
    for end, numbers in arrays.items():
        weights[name_of[end]] = torch.from_numpy(np.array(numbers))
    model.load_state_dict(weights)


def _weights(graph: GraphProto) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a graph by how their names end, those of eight bits widened.

    The exporter keeps the names of all but matrices, which the products say by where they stand.
    """
    from onnx import numpy_helper

    arrays = {
        initializer.name: numpy_helper.to_array(initializer) for initializer in graph.initializer
    }

    def numbers_of(name: str) -> NDArray[np.float32]:
        if name + _QUANTISED not in arrays:
            return arrays[name]
        steps = arrays[name + _QUANTISED].astype(np.float32) - arrays[name + _ZERO]
        return np.asarray(steps * arrays[name + _SCALE], dtype=np.float32)

    names = {name.removesuffix(_QUANTISED) for name in arrays}
    weights = {
        _end(name): numbers_of(name)
        for name in names
        if not name.startswith(_MADE) and not name.endswith((_SCALE, _ZERO))
    }
    for node in graph.node:
        matrix = node.input[1].removesuffix(_QUANTISED) if node.op_type == _PRODUCT else ""
        if matrix in names:
            place = node.name.rpartition("/")[0].replace("/", ".")
            weights[f"{_end(place)}.weight"] = numbers_of(matrix).T
    return weights


def _end(name: str) -> str:
    """Return a name without the modules around the network: "model", and its number in a row."""
    parts = name.strip(".").split(".")
    while parts and (parts[0] == "model" or parts[0].isdigit()):
        del parts[0]
    return ".".join(parts)
