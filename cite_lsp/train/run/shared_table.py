"""Graphs without a table of word vectors, which are given the one that encoders share.

A table need not be the same to be shared. Numbers of eight bits that were widened, and narrowed
again with another scale, are a function of what they were: 256 numbers say what becomes of each. A
graph looks up the rows of the shared table, puts them through that function, and has rows of its
own for the tokens that are not in there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.encode.checkpoints import OWN_TABLE, TABLE
from cite_lsp.storage.compressed_files import content, stored_path
from cite_lsp.train.run.report import TrainingError

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

Rows = NDArray[np.uint8]

_IDS, _QUANTISED, _SCALE, _ZERO = "input_ids", "_quantized", "_scale", "_zero_point"
_OURS = "words/"
"""How the names begin of what a graph gets that has rows of its own."""
_PLACES, _BECOMES, _OWN = (_OURS + name for name in ("places", "becomes", "own"))
"""Initializers: the parts of a `Division`."""
_NONE, _BEFORE, _LAST_AXIS = (_OURS + name for name in ("zero", "minus one", "last axis"))


@frozen
class Division:
    """A table (n, d) as rows of a shared one (m, d), and rows of its own (o, d).

    places: for each token the row of the shared table, or -1 less the own row, (n,). becomes: what
    a number of the shared table is in this one, (256,).
    """

    places: NDArray[np.int32]
    becomes: Rows
    own_rows: Rows

    @property
    def shared(self) -> int:
        """Return how many rows are those of the shared table."""
        return len(self.places) - len(self.own_rows)

    def whole(self, shared: Rows) -> Rows:
        """Return the table again."""
        is_shared = self.places >= 0
        rows = np.empty((len(self.places), shared.shape[1]), dtype=np.uint8)
        rows[is_shared] = self.becomes[shared[self.places[is_shared]]]
        rows[~is_shared] = self.own_rows[-1 - self.places[~is_shared]]
        return rows


def divide(table: Rows, rows: NDArray[np.integer], shared: Rows) -> Division:
    """Divide a table (n, d) into rows that follow from a shared one (m, d), and others.

    `rows` says which row of the shared table stands for the same token, -1 for none, (n,).
    """
    has_shared = rows >= 0
    shared_rows = shared[rows[has_shared]]
    pairs = shared_rows.astype(np.int64) * 256 + table[has_shared]
    often = np.bincount(pairs.ravel(), minlength=256 * 256).reshape(256, 256)
    becomes = often.argmax(axis=1).astype(np.uint8)
    is_shared = has_shared.copy()
    is_shared[has_shared] = (becomes[shared_rows] == table[has_shared]).all(axis=1)
    own_rows = np.flatnonzero(~is_shared)
    places = rows.astype(np.int32)
    places[own_rows] = -1 - np.arange(len(own_rows), dtype=np.int32)
    return Division(places, becomes, table[own_rows])


def load_graph(path: Path) -> ModelProto:
    """Load a graph, compressed or not.

    Raises:
        TrainingError: the file is none.
    """
    # Imported where it trains: an extra has it, and loading it takes seconds.
    import onnx

    try:
        return onnx.load_model_from_string(content(stored_path(path)))
    except Exception as error:  # protobuf has no common class of its errors
        raise TrainingError(f"{path}: cannot be read as an ONNX graph ({error})") from error


def takes_table(graph: GraphProto) -> bool:
    """Return whether a graph is given its word vectors."""
    return TABLE in inputs_of(graph)


def inputs_of(graph: GraphProto) -> frozenset[str]:
    """Return what a graph is given, by name."""
    return frozenset(node.name for node in graph.input)


def own_table(graph: GraphProto) -> Rows | None:
    """Return the table of eight bits, (n, d), that tokens are looked up in; None without one."""
    from onnx import numpy_helper

    lookup = _lookup(graph)
    tables = (
        initializer
        for initializer in graph.initializer
        if lookup and initializer.name == lookup.input[0]
    )
    table = next(tables, None)
    return None if table is None else np.asarray(numpy_helper.to_array(table), dtype=np.uint8)


def take_out(graph: GraphProto, shared: Rows, division: Division | None) -> None:
    """Take the table out of a graph that has one; it is given `shared` (m, d) from then on.

    Where that is another one, `division` says what the graph makes of it.
    """
    from onnx import TensorProto, helper, numpy_helper

    lookup = _lookup(graph)
    assert lookup is not None
    others = (part for part in graph.initializer if part.name != lookup.input[0])
    _replace(graph.initializer, others)
    graph.input.append(helper.make_tensor_value_info(TABLE, TensorProto.UINT8, list(shared.shape)))
    if division is None:
        lookup.input[0] = TABLE
        return
    numbers: dict[str, NDArray[Any]] = {
        _PLACES: division.places,
        _BECOMES: division.becomes,
        _OWN: division.own_rows,
        _NONE: np.array(0, dtype=np.int32),
        _BEFORE: np.array(-1, dtype=np.int32),
        _LAST_AXIS: np.array([-1], dtype=np.int64),
    }
    graph.initializer.extend(
        numpy_helper.from_array(array, name) for name, array in numbers.items()
    )
    before = list(graph.node)
    place = before.index(lookup)
    _replace(graph.node, [*before[:place], *_look_up_in_two(lookup), *before[place + 1 :]])


def take_out_own_rows(graph: GraphProto) -> Rows | None:
    """Take its own rows out of a graph that is given all others; it is given them from then on.

    Returns them, (o, d); None of a graph that has none.
    """
    from onnx import TensorProto, helper, numpy_helper

    held = next((part for part in graph.initializer if part.name == _OWN), None)
    if held is None:
        return None
    own_rows = np.asarray(numpy_helper.to_array(held), dtype=np.uint8)
    _replace(graph.initializer, (part for part in graph.initializer if part.name != _OWN))
    graph.input.append(
        helper.make_tensor_value_info(OWN_TABLE, TensorProto.UINT8, list(own_rows.shape))
    )
    for node in graph.node:
        for number, name in enumerate(node.input):
            if name == _OWN:
                node.input[number] = OWN_TABLE
    return own_rows


def division_of(graph: GraphProto, tables: Mapping[str, Rows]) -> Division | None:
    """Return how the table of a graph is divided that is given `tables`; None if it is not."""
    from onnx import numpy_helper

    initializers = {part.name: part for part in graph.initializer}
    if _PLACES not in initializers:
        return None
    places, becomes = (numpy_helper.to_array(initializers[name]) for name in (_PLACES, _BECOMES))
    initializer = initializers.get(_OWN)
    rows = tables[OWN_TABLE] if initializer is None else numpy_helper.to_array(initializer)
    return Division(places, becomes, rows)


def _look_up_in_two(lookup: NodeProto) -> list[NodeProto]:
    """Return the nodes that look tokens up in the shared table and in that of a graph's own."""
    from onnx import TensorProto, helper

    place, row, number, index, there_row = (
        _OURS + name for name in ("place", "row", "number", "index", "shared")
    )
    other, own_row, here, is_own, choice = (
        _OURS + name for name in ("other", "own row", "found", "is own", "choice")
    )
    steps: list[tuple[str, list[str], str]] = [
        ("Gather", [_PLACES, _IDS], place),
        ("Max", [place, _NONE], row),
        ("Gather", [TABLE, row], number),
        ("Cast", [number], index),
        ("Gather", [_BECOMES, index], there_row),
        ("Sub", [_BEFORE, place], other),
        ("Max", [other, _NONE], own_row),
        ("Gather", [_OWN, own_row], here),
        ("Less", [place, _NONE], is_own),
        ("Unsqueeze", [is_own, _LAST_AXIS], choice),
    ]
    nodes = [helper.make_node(kind, inputs, [output], output) for kind, inputs, output in steps]
    cast = next(node for node in nodes if node.op_type == "Cast")
    cast.attribute.append(helper.make_attribute("to", TensorProto.INT32))
    nodes.append(helper.make_node("Where", [choice, here, there_row], lookup.output, lookup.name))
    return nodes


def put_back(graph: GraphProto, tables: Mapping[str, Rows]) -> None:
    """Give a graph, in place, the table that was taken out of it: not a byte is different then.

    `tables` are those that it is given, by name: the shared one, (m, d), and its own rows, (o, d),
    where these were taken out, too.
    """
    from onnx import helper, numpy_helper

    division = division_of(graph, tables)
    table = tables[TABLE] if division is None else division.whole(tables[TABLE])
    nodes = list(graph.node)
    ours = [place for place, node in enumerate(nodes) if _is_ours(node)]
    last = nodes[ours[-1]]
    widened = next(node for node in nodes if last.output[0] in node.input)
    name = widened.input[1].removesuffix(_SCALE)
    lookup = helper.make_node("Gather", [name + _QUANTISED, _IDS], last.output, last.name)
    _replace(graph.node, [*nodes[: ours[0]], lookup, *nodes[ours[-1] + 1 :]])
    retained = [part for part in graph.initializer if not part.name.startswith(_OURS)]
    place = [part.name for part in retained].index(name + _ZERO) + 1  # as the quantiser orders them
    whole = numpy_helper.from_array(table, name + _QUANTISED)
    _replace(graph.initializer, [*retained[:place], whole, *retained[place:]])
    others = (part for part in graph.input if part.name not in (TABLE, OWN_TABLE))
    _replace(graph.input, others)


def _lookup(graph: GraphProto) -> NodeProto | None:
    tables = {part.name for part in graph.initializer if part.name.endswith(_QUANTISED)}
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] in tables and node.input[1] == _IDS:
            lookup: NodeProto = node
            return lookup
    return None


def _is_ours(node: NodeProto) -> bool:
    names = (*node.input, *node.output)
    return any(name in (TABLE, OWN_TABLE) or name.startswith(_OURS) for name in names)


def _replace(field: Any, items: Iterable[Any]) -> None:  # noqa: ANN401 - protobuf names no type
    copies = [type(item).FromString(item.SerializeToString()) for item in items]
    del field[:]
    field.extend(copies)
