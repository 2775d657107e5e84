"""Pairs of nodes from a file, in their order and with repetitions, read by the same rules as links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from philia.cli.naming import node_called
from philia.cli.reading import DETECTED
from philia.exceptions import GraphFileError, UnknownNodeError
from philia.storage import ReadingOptions, opened

if TYPE_CHECKING:
    from philia._types import Node
    from philia.graphs import Nodes
    from philia.graphs.files.edge_list import Links


def read_pairs(path: str, nodes: Nodes, reading: ReadingOptions = DETECTED) -> list[tuple[Node, Node]]:
    r"""The pairs in a file, "-" being standard input; every name must be a node.

    >>> import pathlib, tempfile
    >>> from philia.graphs import Nodes
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_bytes(b"source,target\r\n3,1\r\n1,3\r\n")
    >>> read_pairs(str(path), Nodes([1, 2, 3]))
    [(3, 1), (1, 3)]
    """
    links = _scanned(path, reading)
    names = _names(links, nodes)
    return [(names[u], names[v]) for u, v in zip(links.rows.tolist(), links.columns.tolist(), strict=True)]


def read_any_pairs(path: str, nodes: Nodes, reading: ReadingOptions = DETECTED) -> list[tuple[Node, Node]]:
    r"""The same where a name need not be a node: one that is none stays what it is in the file.

    >>> import pathlib, tempfile
    >>> from philia.graphs import Nodes
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_bytes(b"source,target\r\nzoe,1\r\n")
    >>> read_any_pairs(str(path), Nodes([1, 2, 3]))
    [('zoe', 1)]
    """
    links = _scanned(path, reading)
    names = [node_called(nodes, _text(written)) for written in links.names]
    return [(names[u], names[v]) for u, v in zip(links.rows.tolist(), links.columns.tolist(), strict=True)]


def _scanned(path: str, reading: ReadingOptions) -> Links:
    from philia.graphs.files.dialect import find_dialect
    from philia.graphs.files.edge_list import scan_blocks
    from philia.graphs.files.text import text_blocks

    with opened(path, GraphFileError) as source:
        blocks = text_blocks(source.stream, reading.encoding)
        dialect, first = find_dialect(next(blocks, b""), reading)
        return scan_blocks(first, blocks, dialect)


def _text(written: object) -> str:
    return written.decode() if isinstance(written, bytes) else str(written)


def _names(links: Links, nodes: Nodes) -> list[Node]:
    """The node of each name in the file; a name that is none is complained about with the pair it stands in."""
    found = []
    for number, written in enumerate(links.names):
        name = node_called(nodes, _text(written))
        try:
            nodes.row(name)
        except UnknownNodeError as error:
            pair = int(((links.rows == number) | (links.columns == number)).argmax()) + 1
            raise UnknownNodeError(f"in pair number {pair:,} {error}") from None
        found.append(name)
    return found
