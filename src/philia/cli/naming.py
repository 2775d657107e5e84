"""Names of nodes between the command line, where all is text, and the graph, where they may be numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from philia._types import Node
    from philia.graphs import Nodes

_LONGEST = 60
"""Letters of a name that are shown."""

_BIDIRECTIONAL = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def node_called(nodes: Nodes, text: str) -> Node:
    """The name that the text stands for: itself, the number it is written like, or any name that is shown like it.

    A text that is no node's name comes back as it is, and is complained about, with near names, when it is looked up.

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


def shown(name: object) -> str:
    r"""A name that is safe to print: control characters, which could move the cursor or worse, are written out.

    What is too long for a line of a table is cut off; JSON and files have all of it.

    >>> shown("tab\there"), shown("[red]"), shown(7), shown("\x1b[31m")
    ('tab\\x09here', '[red]', '7', '\\x1b[31m')
    >>> len(shown("n" * 10_000)), shown("n" * 10_000)[-3:]
    (60, 'nn…')
    """
    text = "".join(map(_visible, str(name)[:_LONGEST]))
    return text if len(str(name)) <= _LONGEST >= len(text) else f"{text[: _LONGEST - 1]}…"


def shown_first(names: Iterable[object], count: int, total: int) -> str:
    """The first names of many, and a sign that there are more.

    >>> shown_first(["ann", "bob", "cat"], 2, total=3)
    'ann, bob, …'
    """
    first = [shown(name) for name, _ in zip(names, range(count), strict=False)]
    return ", ".join([*first, "…"] if total > count else first)


def plain(name: Node) -> str | int | float | bool | None:
    """A name as JSON knows it; what JSON does not know becomes text.

    >>> plain(7), plain("7"), plain((1, 2))
    (7, '7', '(1, 2)')
    """
    return name if name is None or isinstance(name, (str, int, float)) else str(name)


def _visible(letter: str) -> str:
    if letter.isprintable() or (unicodedata.category(letter) == "Cf" and letter not in _BIDIRECTIONAL):
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
