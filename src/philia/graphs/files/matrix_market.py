"""MatrixMarket files (.mtx)."""

from __future__ import annotations

import io
import json
from typing import Any, BinaryIO

import numpy as np

from philia._types import Node
from philia.exceptions import GraphFileError
from philia.graphs.files.compression import Source
from philia.graphs.graph import Graph
from philia.graphs.matrices import graph_from_matrix
from philia.graphs.memory import require_memory
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight

_NAME = b"%philia-name "
"""Begins a comment that holds a node's name; the format itself has no place for names."""


class _FromTheBeginning:
    """A stream in which a jump to before the beginning ends there, as in one held in memory.

    scipy makes such jumps after it has read a header; in a file they fail, inside a destructor, and end the program.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.read, self.tell = stream.read, stream.tell

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place; ``whence`` is as for files."""
        return self._stream.seek(max(0, offset + self.tell()) if whence == 1 else offset, 0 if whence == 1 else whence)


def read_matrix_market(source: Source, *, symmetrize: bool, keep_weights: bool = False) -> Graph:
    """The graph whose adjacency matrix the file holds; nodes are called 0, 1, … unless comments of philia name them."""
    from scipy.io import mminfo, mmread

    stream = source.seekable()
    names = _names(stream)
    try:
        stream.seek(0)
        rows, columns, entries, form, _, _ = mminfo(_FromTheBeginning(stream))
        _check_size(rows, columns, entries, form)
        stream.seek(0)
        matrix = mmread(_FromTheBeginning(stream), spmatrix=False)
    except (ValueError, TypeError, OverflowError, StopIteration) as error:
        if isinstance(error, GraphFileError):
            raise
        raise GraphFileError(
            f"this is not a MatrixMarket file as it should be ({error}); it begins with %%MatrixMarket matrix"
        ) from None
    return graph_from_matrix(matrix, nodes=names, symmetrize=symmetrize, keep_weights=keep_weights)


def _check_size(rows: int, columns: int, entries: int, form: str) -> None:
    if rows != columns:
        raise GraphFileError(f"the header announces {rows:,} x {columns:,} entries; an adjacency matrix is square")
    if form == "array":
        require_memory(9 * rows * columns, f"a dense matrix of {rows:,} nodes")
    else:
        require_memory(48 * entries + 24 * rows, f"a matrix of {rows:,} nodes with {entries:,} entries")


def _names(stream: BinaryIO) -> Nodes | None:
    names: list[Node] = []
    for line in stream:
        if line.startswith(_NAME):
            try:
                names.append(json.loads(line[len(_NAME) :]))
            except ValueError:
                raise GraphFileError(
                    f"the name of node {len(names) + 1} in the comments is damaged: {line[:60]!r}"
                ) from None
        elif not line.startswith(b"%") and line.strip():
            break
    return Nodes(names) if names else None


def write_matrix_market(graph: Graph, file: BinaryIO) -> None:
    """The lower half of the adjacency matrix, or of the weights; names, unless they are 0, 1, …, go into comments."""
    rows, columns = graph.links
    weights = graph.link_weights
    thirds = [""] * rows.size if weights is None else [f" {written_weight(weight)}" for weight in weights.tolist()]
    text: Any = io.TextIOWrapper(file, encoding="ascii", newline="\n")
    text.write(f"%%MatrixMarket matrix coordinate {'pattern' if weights is None else 'real'} symmetric\n")
    if not is_numbered(graph.nodes):
        text.write("".join(f"{_NAME.decode()}{json.dumps(name)}\n" for name in graph.nodes))
    text.write(f"{graph.n_nodes} {graph.n_nodes} {graph.n_links}\n")
    for begin in range(0, rows.size, 1 << 16):
        part = slice(begin, begin + (1 << 16))
        links = zip(columns[part].tolist(), rows[part].tolist(), thirds[part], strict=True)
        text.write("".join(f"{u + 1} {v + 1}{third}\n" for u, v, third in links))
    text.flush()
    text.detach()


def is_numbered(nodes: Nodes) -> bool:
    """Whether the names are 0, 1, …, so that they need not be kept.

    >>> is_numbered(Nodes.numbered(3)), is_numbered(Nodes("abc"))
    (True, False)
    """
    return len(nodes) == 0 or (nodes.integers is not None and np.array_equal(nodes.integers, np.arange(len(nodes))))
