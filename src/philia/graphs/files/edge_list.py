"""Edge lists: text with one link a line, in any of the ways people write it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

import numpy as np

from philia._types import Node
from philia.exceptions import GraphFileError
from philia.graphs.files.compression import Source
from philia.graphs.files.dialect import Options, find_dialect, looks_like_header
from philia.graphs.files.lines import Dialect, Links, PlainScanner, as_integers
from philia.graphs.files.names import refuse_line_breaks
from philia.graphs.files.text import text_blocks
from philia.graphs.graph import Graph
from philia.graphs.links import ascending, graph_from_rows
from philia.graphs.memory import WHOLE_MACHINE, MemoryBound, require_memory
from philia.graphs.nodes import Nodes
from philia.graphs.weights import written_weight

_SPECIAL = ("#", "%", "/", "{")
_WRITTEN_AT_ONCE = 1 << 16

_A_WEIGHTED_BLOCK = 40
"""Bytes for each byte of a block that is taken apart line by line, in lists."""


def read_edge_list(
    source: Source, options: Options, *, keep_weights: bool = False, memory: MemoryBound = WHOLE_MACHINE
) -> Graph:
    """The graph in a text file with one link a line.

    Within a bound of memory the links of a file that needs several blocks go by way of the disk. Not so where weights
    are kept: then all links have to fit.
    """
    blocks = text_blocks(source.stream, options.encoding)
    first = next(blocks, b"")
    if not first:
        raise GraphFileError("the file is empty; a link a line is expected")
    dialect, first = find_dialect(first, options)
    if keep_weights:
        source.weigh(2)
        return graph_of(scan_weighted_blocks(chain([first], blocks), dialect, memory), keep_weights=True)
    second = None if memory is WHOLE_MACHINE else next(blocks, None)
    if second is None:
        return graph_of(scan_blocks(first, blocks, dialect))
    from philia.graphs.files.bounded import read_blocks  # brings in numba, which small files do without

    return read_blocks(chain([first, second], blocks), dialect, memory)


def scan_weighted_blocks(blocks: Iterable[bytes], dialect: Dialect, memory: MemoryBound = WHOLE_MACHINE) -> Links:
    """All links of the blocks, with their weights."""
    plain = PlainScanner(dialect, keep_weights=True)
    for block in blocks:
        memory.require(_A_WEIGHTED_BLOCK * len(block), "reading the next links with their weights")
        plain.scan(block)
    return plain.links()


def scan_blocks(first: bytes, others: Iterator[bytes], dialect: Dialect) -> Links:
    """All links of the blocks; if there is more than one block, compiling is worth its while."""
    second = next(others, None)
    if second is None:
        plain = PlainScanner(dialect)
        plain.scan(first)
        return plain.links()
    from philia.graphs.files.large import CompiledScanner, prepare  # brings in numba, which small files do without

    prepare()
    scanner = CompiledScanner(dialect)
    for block in chain([first, second], others):
        require_memory(4 * len(block), "reading the next links")
        scanner.scan(block)
    return scanner.links()


def graph_of(links: Links, keep_weights: bool = False) -> Graph:
    """The links as a graph: integer names ascending, others in order of appearance."""
    if not links.rows.size:
        raise GraphFileError("the file has only blank lines, comments or a header; at least one link is expected")
    require_memory(40 * links.rows.size, f"a graph of {links.rows.size:,} links")
    ends = [links.rows, links.columns]
    if isinstance(links.names, np.ndarray):
        nodes, ends = ascending(links.names, ends)
    else:
        nodes = Nodes([name.decode() for name in links.names])
    return graph_from_rows(ends[0], ends[1], nodes, weights=links.weights, keep_weights=keep_weights)


def read_julia_graph(source: Source, options: Options, *, keep_weights: bool = False) -> Graph:
    """The graph in a file of JuliaGraphs: first a line ``nodes,links,u,name``, then a link a line, nodes from 1 on.

    The format has no weights; kept are the numbers of times that links are repeated.
    """
    blocks = text_blocks(source.stream, options.encoding)
    header, _, first = next(blocks, b"").partition(b"\n")
    counts = header.strip().split(b",")
    if len(counts) < 3 or as_integers([counts[0], counts[1]]) is None or counts[2] not in (b"u", b"d"):
        shown = header[:60].decode(errors="replace").strip()
        raise GraphFileError(
            f"the first line is {shown!r}; a .jlg file begins with nodes,links,u,name (d instead of u if directed)"
        )
    count, announced = int(counts[0]), int(counts[1])
    links = scan_blocks(b"\n" + first, blocks, Dialect(delimiter=b",", comments=()))
    names = links.names
    if not isinstance(names, np.ndarray) or (names.size and (names.min() < 1 or names.max() > count)):
        raise GraphFileError(f"there are nodes other than 1 to {count:,}, the number that the first line gives")
    if links.rows.size != announced:
        raise GraphFileError(
            f"the first line promises {announced:,} links, but there are {links.rows.size:,}; "
            "the file is cut off or holds several graphs"
        )
    source.check_nodes(count, announced)
    require_memory(24 * count, f"a graph of {count:,} nodes")
    rows, columns = names[links.rows] - 1, names[links.columns] - 1
    nodes, directed = Nodes(np.arange(1, count + 1)), counts[2] == b"d"
    return graph_from_rows(rows, columns, nodes, directed=directed, keep_weights=keep_weights)


def write_edge_list(graph: Graph, file: BinaryIO, delimiter: str) -> None:
    """One link a line, a weight in the third column if there are weights.

    A node without links is written as a link to itself, which reading drops and counts.
    """
    if not graph.n_nodes:
        raise GraphFileError("an edge list cannot hold a graph without nodes; write .mtx, .npz, .graphml or .gml")
    refuse_line_breaks(graph.nodes)
    names = [written_name(name) for name in graph.nodes]
    rows, columns = graph.links
    alone = np.flatnonzero(graph.degrees == 0)
    rows, columns = np.concatenate([rows, alone]), np.concatenate([columns, alone])
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    ends = [str(graph.nodes[row]) for row in (rows[0], columns[0])]
    if delimiter == "," or looks_like_header(ends, set()):  # else the first link would be taken for a header
        text.write(delimiter.join(["source", "target"] + ["weight"] * (graph.weights is not None)) + "\n")
    thirds = _third_column(graph, alone.size, delimiter)
    for begin in range(0, rows.size, _WRITTEN_AT_ONCE):
        part = slice(begin, begin + _WRITTEN_AT_ONCE)
        links = zip(rows[part].tolist(), columns[part].tolist(), thirds[part], strict=True)
        text.write("".join(f"{names[u]}{delimiter}{names[v]}{third}\n" for u, v, third in links))
    text.flush()
    text.detach()  # the file is closed by whoever opened it


def _third_column(graph: Graph, loops: int, delimiter: str) -> Sequence[str]:
    """What follows the two names on each line: nothing, or a weight, which is 1 for the self-loops at the end."""
    if graph.link_weights is None:
        return [""] * (graph.n_links + loops)
    return [f"{delimiter}{written_weight(weight)}" for weight in graph.link_weights.tolist() + [1.0] * loops]


def written_name(name: Node) -> str:
    """The name as it stands in an edge list: in quotes where it would otherwise be read as something else.

    >>> written_name(12), written_name("12"), written_name("New York"), written_name("ann")
    ('12', '"12"', '"New York"', 'ann')
    """
    if isinstance(name, int):
        return str(name)
    text = str(name)
    special = not text or text.startswith(_SPECIAL) or any(letter in text for letter in ' \t,;|"')
    if special or as_integers([text.encode()]) is not None:
        return '"' + text.replace('"', '""') + '"'
    return text
