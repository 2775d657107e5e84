"""Edge lists read within a bound of memory: as usual if the graph fits, and else by way of the disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from philia._types import Int64Array
from philia.graphs.files.edge_list import graph_of
from philia.graphs.files.large import CompiledScanner, prepare
from philia.graphs.files.lines import Dialect
from philia.graphs.graph import Graph
from philia.graphs.links import ranked
from philia.graphs.mapped import Int32Array, SpooledLinks
from philia.graphs.memory import MemoryBound
from philia.graphs.nodes import Nodes

_A_BLOCK = 24
"""Bytes for each byte of a block while it is taken apart, if its lines are as short as they can be."""

_A_LINK, _A_WEIGHTED_LINK = 56, 104
"""Bytes for each link while a graph is made of all links in memory: 48 and 95 were measured."""


def read_blocks(blocks: Iterable[bytes], dialect: Dialect, memory: MemoryBound) -> Graph:
    """The graph in the blocks of a text; its adjacency is mapped from disk where memory would not do for all links.

    The names of the nodes stay in memory, and while it is needed the table that numbers them.

    >>> read_blocks([b"7 12\\n12 9\\n"], Dialect(), MemoryBound.of("100G"))
    Graph(3 nodes, 2 links)
    """
    prepare()
    links = SpooledLinks()
    scanner = CompiledScanner(dialect, links, memory)
    for block in blocks:
        memory.require(_A_BLOCK * len(block), f"reading on after {len(links):,} links")
        scanner.scan(block)
    each = _A_LINK if dialect.weight is None else _A_WEIGHTED_LINK
    if each * len(links) <= memory.left:
        everything = scanner.links()
        del scanner  # the table of names makes room for the graph
        return graph_of(everything)
    names = scanner.names()
    del scanner
    return links.graph(*_numbered(names, memory), memory)


def _numbered(names: Sequence[bytes] | Int64Array, memory: MemoryBound) -> tuple[Nodes, Int32Array]:
    """The nodes, integers in ascending order, and the row of each number that the links have."""
    if not isinstance(names, np.ndarray):
        return Nodes([name.decode() for name in names]), np.arange(len(names), dtype=np.int32)
    memory.require(28 * names.size, f"sorting {names.size:,} names")
    return ranked(names, np.int32)
