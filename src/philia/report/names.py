"""Names of nodes as the page shows them: text, not too long, and no two alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from philia.graphs import Nodes

LONGEST = 200
"""Of a longer name so many characters are shown: nobody reads more, and a thousand such names would fill the page."""


@dataclass(frozen=True, eq=False)
class ShownNames:
    """What each node is called on the page, in row order; how many names were cut, and how many got a number.

    >>> names = ShownNames.of(Nodes([1, "1", "x" * 300]))
    >>> names.pick([0, 1]), len(names.texts[2]), names.cut, names.numbered
    (['1', '1 (2)'], 201, 1, 1)
    """

    texts: list[str]
    cut: int
    numbered: int

    @classmethod
    def of(cls, nodes: Nodes) -> ShownNames:
        """The names of all nodes; those that would look the same, such as 1 and "1", get a number behind them."""
        texts = [str(name) for name in nodes]
        cut = [shortened(text) for text in texts]
        return cls(apart(cut), sum(len(text) > LONGEST for text in texts), len(cut) - len(set(cut)))

    def pick(self, rows: Iterable[int]) -> list[str]:
        """The shown names of some rows."""
        return [self.texts[row] for row in rows]

    @property
    def remarks(self) -> list[str]:
        """What a reader must know about the names, if anything."""
        said = []
        if self.cut:
            said.append(f"{_names(self.cut)} longer than {LONGEST} characters; only the beginning is shown.")
        if self.numbered:
            said.append(f"{_names(self.numbered)} shown like another; a number in brackets tells them apart.")
        return said


def shortened(text: str) -> str:
    """A text of at most 200 characters, and a sign that there are more.

    >>> shortened("ann"), len(shortened("x" * 10_000))
    ('ann', 201)
    """
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def apart(texts: list[str]) -> list[str]:
    """The same texts, with a number behind each that came before.

    >>> apart(["a", "a", "a (2)", "a"])
    ['a', 'a (3)', 'a (2)', 'a (4)']
    """
    repeated = {text for text, times in Counter(texts).items() if times > 1}
    if not repeated:
        return texts
    taken, seen, found = set(texts), set[str](), []
    numbers = {text: count(2) for text in repeated}
    for text in texts:
        shown = text
        if text in seen:
            shown = next(other for n in numbers[text] if (other := f"{text} ({n})") not in taken)
            taken.add(shown)
        seen.add(text)
        found.append(shown)
    return found


def _names(number: int) -> str:
    return f"{number:,} name{' is' if number == 1 else 's are'}"
