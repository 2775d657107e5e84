"""Node names on the command line: as typed, as read from a file of pairs, and as printed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from philia.cli.options import DETECTED
from philia.exceptions import GraphFileError, UnknownNodeError
from philia.storage import ReadingOptions, opened

if TYPE_CHECKING:
    from philia._types import Node
    from philia.graphs import Nodes
    from philia.graphs.files.edge_list import Links

_LONGEST = 60
"""Letters shown of a name: two names and a probability fit on one line of a wide terminal."""

_BIDIRECTIONAL = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def node_called(nodes: Nodes, text: str) -> Node:
    """The node that a text stands for: a name that equals it, or a number or other name that prints like it.

    A text that matches no node is returned as it is; looking it up then raises an error with similar names.

    >>> from philia.graphs import Nodes
    >>> node_called(Nodes([10, 20]), "20"), node_called(Nodes(["10", "20"]), "20")
    (20, '20')
    >>> node_called(Nodes(["ann", 1.5]), "1.5")
    1.5
    """
    if text in nodes:
        return text
    if nodes.integers is not None:
        try:
            return int(text)
        except ValueError:
            return text
    return next((name for name in nodes if not isinstance(name, str) and str(name) == text), text)


def read_pairs(path: str, nodes: Nodes, reading: ReadingOptions = DETECTED) -> list[tuple[Node, Node]]:
    r"""The pairs in a file ("-" is standard input), in order and with repetitions; every name must be a node.

    >>> import pathlib, tempfile
    >>> from philia.graphs import Nodes
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_bytes(b"source,target\r\n3,1\r\n1,3\r\n")
    >>> read_pairs(str(path), Nodes([1, 2, 3]))
    [(3, 1), (1, 3)]
    """
    links = _scanned(path, nodes, reading)
    names = _nodes(links, nodes)
    return [(names[u], names[v]) for u, v in zip(links.rows.tolist(), links.columns.tolist(), strict=True)]


def read_any_pairs(path: str, nodes: Nodes, reading: ReadingOptions = DETECTED) -> list[tuple[Node, Node]]:
    r"""The same, except that names need not be nodes: those that are not are returned as in the file.

    >>> import pathlib, tempfile
    >>> from philia.graphs import Nodes
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_bytes(b"source,target\r\nzoe,1\r\n")
    >>> read_any_pairs(str(path), Nodes([1, 2, 3]))
    [('zoe', 1)]
    """
    links = _scanned(path, nodes, reading)
    names = [node_called(nodes, _text(written)) for written in links.names]
    return [(names[u], names[v]) for u, v in zip(links.rows.tolist(), links.columns.tolist(), strict=True)]


def _scanned(path: str, nodes: Nodes, reading: ReadingOptions) -> Links:
    """The pairs in a file; its first line is no header if one of its names is a node."""
    from philia.graphs.files.dialect import find_dialect
    from philia.graphs.files.edge_list import scan_blocks, without_header
    from philia.graphs.files.text import text_blocks

    with opened(path, GraphFileError) as source:
        blocks = text_blocks(source.stream, reading.encoding)
        dialect, first = find_dialect(next(blocks, b""), reading)
        scanned = scan_blocks(first, blocks, dialect)
        return without_header(scanned, dialect, lambda name: node_called(nodes, name) in nodes)[0]


def _text(written: object) -> str:
    return written.decode() if isinstance(written, bytes) else str(written)


def _nodes(links: Links, nodes: Nodes) -> list[Node]:
    """The node of each name in the file; the error for an unknown name says in which pair it is."""
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


def shown(name: object) -> str:
    r"""A name that is safe to print: control characters, which could move the cursor or worse, are escaped.

    Names too long for a line of a table are cut off; JSON and files contain them in full.

    >>> shown("tab\there"), shown("[red]"), shown(7), shown("\x1b[31m")
    ('tab\\x09here', '[red]', '7', '\\x1b[31m')
    >>> len(shown("n" * 10_000)), shown("n" * 10_000)[-3:]
    (60, 'nn…')
    """
    text = "".join(map(_visible, str(name)[:_LONGEST]))
    return text if len(str(name)) <= _LONGEST >= len(text) else f"{text[: _LONGEST - 1]}…"


def shown_first(names: Iterable[object], count: int, total: int) -> str:
    """The first names of a list, with an ellipsis if there are more.

    >>> shown_first(["ann", "bob", "cat"], 2, total=3)
    'ann, bob, …'
    """
    first = [shown(name) for name, _ in zip(names, range(count), strict=False)]
    return ", ".join([*first, "…"] if total > count else first)


def plain(name: Node) -> str | int | float | bool | None:
    """A name as JSON can hold it: as text, unless it is a number, a boolean or None.

    >>> plain(7), plain("7"), plain((1, 2))
    (7, '7', '(1, 2)')
    """
    return name if name is None or isinstance(name, (str, int, float)) else str(name)


def _visible(letter: str) -> str:
    if letter.isprintable() or (unicodedata.category(letter) == "Cf" and letter not in _BIDIRECTIONAL):
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
