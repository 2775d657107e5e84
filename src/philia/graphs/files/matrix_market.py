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

_NAME = b"%philia-name "
"""Begins a comment that holds a node's name; the format itself has no place for names."""


def read_matrix_market(source: Source, *, symmetrize: bool) -> Graph:
    """The graph whose adjacency matrix the file holds; nodes are called 0, 1, … unless comments of philia name them."""
    from scipy.io import mminfo, mmread

    stream = source.seekable()
    names = _names(stream)
    try:
        stream.seek(0)
        rows, columns, entries, form, _, _ = mminfo(stream)
        _check_size(rows, columns, entries, form)
        stream.seek(0)
        matrix = mmread(stream, spmatrix=False)
    except (ValueError, TypeError, OverflowError, StopIteration) as error:
        if isinstance(error, GraphFileError):
            raise
        raise GraphFileError(
            f"this is not a MatrixMarket file as it should be ({error}); it begins with %%MatrixMarket matrix"
        ) from None
    return graph_from_matrix(matrix, nodes=names, symmetrize=symmetrize)


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
    """The lower half of the adjacency matrix; names, unless they are 0, 1, …, go into comments."""
    rows, columns = graph.links
    text: Any = io.TextIOWrapper(file, encoding="ascii", newline="\n")
    text.write("%%MatrixMarket matrix coordinate pattern symmetric\n")
    if not is_numbered(graph.nodes):
        text.write("".join(f"{_NAME.decode()}{json.dumps(name)}\n" for name in graph.nodes))
    text.write(f"{graph.n_nodes} {graph.n_nodes} {graph.n_links}\n")
    for begin in range(0, rows.size, 1 << 16):
        part = slice(begin, begin + (1 << 16))
        pairs = zip(columns[part].tolist(), rows[part].tolist(), strict=True)
        text.write("".join(f"{u + 1} {v + 1}\n" for u, v in pairs))
    text.flush()
    text.detach()


def is_numbered(nodes: Nodes) -> bool:
    """Whether the names are 0, 1, …, so that they need not be kept.

    >>> is_numbered(Nodes.numbered(3)), is_numbered(Nodes("abc"))
    (True, False)
    """
    return len(nodes) == 0 or (nodes.integers is not None and np.array_equal(nodes.integers, np.arange(len(nodes))))
