"""What every exact representation offers, and what makes one: a construction, with the theorem that bounds its columns.

The name of a construction may come from a file that anyone can write, so it proves nothing. A theorem is quoted only
for numbers of the form that it is about. The bounds by degree, degeneracy and arboricity then hold for every graph
without loops, whatever made the numbers; the bound for overlap thresholds holds for any numbers of its form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Int64Array
from philia.exceptions import InvalidParameterError, NotExactError
from philia.execution import LocalThreads
from philia.graphs import Graph

Int8Array = npt.NDArray[np.int8]
Integers = npt.NDArray[Any]
"""Integers: of 64 bits, or of any length as Python integers (dtype object)."""

_ENTRIES = 1 << 17
"""Pairs per block: small enough for a smooth progress bar and a prompt answer to Ctrl-C."""

_MOST_HOURS = 4.0
"""A proof that would take longer is refused; those of real networks take seconds."""

_LONGEST_NAME = 100
"""Characters in the name of a construction: it must fit on one line of a terminal, and those in use are far shorter."""


def check_construction(name: object) -> None:
    """Refuse a name of a construction that cannot be shown on one line.

    >>> check_construction(["levels"])
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: the construction must be a name of 1 to 100 printable characters; found ...
    """
    if not (isinstance(name, str) and name.isprintable() and 0 < len(name) <= _LONGEST_NAME):
        raise InvalidParameterError(
            f"the construction must be a name of 1 to {_LONGEST_NAME} printable characters; found {str(name)[:100]!r}"
        )


def require_hours(hours: float, what: str) -> None:
    """Refuse a proof that would take a processor too many hours, roughly: a file may ask for any amount of work.

    >>> require_hours(100.2, "computing all scores")
    Traceback (most recent call last):
    philia.exceptions.NotExactError: computing all scores would take about 100 hours, and 4 are the most; use ...
    """
    if hours > _MOST_HOURS:
        raise NotExactError(
            f"{what} would take about {hours:,.0f} hours, and {_MOST_HOURS:.0f} are the most; use exact_community or "
            "philia exact, whose numbers have a shorter proof"
        )


def check_starts(starts: Integers, count: int) -> None:
    """Refuse ``starts`` unless it is a one-dimensional array of 64-bit integers that never falls, from 0 to ``count``.

    Compiled loops use these numbers as addresses, so nothing else may pass. Entries are compared, not subtracted:
    differences of very large numbers wrap around.
    """
    if starts.ndim != 1 or starts.size == 0 or starts.dtype == object:
        raise InvalidParameterError(
            f"the starts must be a list of 64-bit integers; found {starts.dtype} of shape {starts.shape}"
        )
    if starts[0] != 0 or starts[-1] != count or (starts[1:] < starts[:-1]).any():
        raise InvalidParameterError(f"the starts must rise from 0 to the number of roots, which is {count:,}")


def check_integers(**arrays: Integers) -> None:
    """Refuse arrays of anything but integers; rounded numbers cannot prove anything.

    >>> check_integers(points=np.array([1.0]))
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: points must be integers; found an array of float64
    """
    for name, array in arrays.items():
        if array.dtype.kind != "i" and not (array.dtype == object and all(type(x) is int for x in array.flat)):
            raise InvalidParameterError(f"{name} must be integers; found an array of {array.dtype}")


@dataclass(frozen=True, eq=False)
class Signs:
    """The signs of some rows of scores, each +1, -1 or 0, and how clearly they were decided.

    ``margin`` is a lower bound, in bits, on how much larger the right part of a score is than the wrong part; it is
    infinite if no score has a wrong part.

    >>> Signs(np.array([[-1, 1]], dtype=np.int8)).margin
    inf
    """

    values: Int8Array
    margin: float = float("inf")


@dataclass(frozen=True)
class Verdict:
    """What was decided about the scores of some rows: how many rows are ``done`` by now, the margin, and a wrong pair.

    ``wrong`` is a pair of rows and the sign of its score, if that is not the sign that it should have.

    >>> Verdict(done=34).wrong is None
    True
    """

    done: int
    margin: float = float("inf")
    wrong: tuple[int, int, int] | None = None


class Representation(Protocol):
    """Numbers for each node from which the score of each pair follows; two nodes are linked if it is positive.

    ``community_columns`` counts the columns of V in V diag(W) Vᵀ with V ≥ 0, and ``logistic_columns`` those of X in
    X Yᵀ. No integer in a score is longer than ``bits``. ``construction`` names what made it, as in
    :mod:`philia.exact.constructions`.
    """

    @property
    def construction(self) -> str:
        """The name of the construction that made it."""

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""

    @property
    def community_columns(self) -> int | None:
        """The number of columns of the nonnegative form; None if there is no such form."""

    @property
    def logistic_columns(self) -> int:
        """The number of columns on each side of the logistic form."""

    @property
    def bits(self) -> int:
        """An upper bound on the length of the integers."""

    @property
    def how_signs_are_decided(self) -> str:
        """A sentence for the certificate; files quote it, so it belongs to the file format and must not change."""

    def verdicts(self, wanted: sparse.csr_array) -> Iterator[Verdict]:
        """Decide without rounding errors, some rows at a time, whether scores are positive exactly where asked.

        ``wanted`` has an entry for each link, in both directions, and for each node that is linked with itself. Nobody
        asks for more after a verdict with a wrong pair.
        """

    def arrays(self) -> Mapping[str, Integers]:
        """All of its numbers, for a file; the class takes the same arrays by name."""


def compared(signs: Callable[[Int64Array], Signs], wanted: sparse.csr_array) -> Iterator[Verdict]:
    """Verdicts from the signs of all scores, computed for some rows at a time on several threads.

    >>> wanted = sparse.csr_array(np.array([[0, 1], [1, 0]]))
    >>> [found.wrong for found in compared(lambda rows: Signs(np.full((rows.size, 2), 1)), wanted)]
    [(0, 0, 1)]
    """
    n = wanted.shape[0]
    size = max(1, _ENTRIES // max(n, 1))
    blocks = [np.arange(top, min(top + size, n)) for top in range(0, n, size)]
    for rows, found in zip(blocks, LocalThreads().map(signs, blocks), strict=True):
        differ = np.argwhere(found.values != np.where(wanted[rows].toarray() != 0, 1, -1))
        wrong = None
        if differ.size:
            i, v = differ[0]
            wrong = int(rows[i]), int(v), int(found.values[i, v])
        yield Verdict(int(rows[-1]) + 1, found.margin, wrong)


def columns_of(representation: Representation) -> int:
    """The number of columns that counts: of the nonnegative form, or of the logistic form if that is the only one."""
    found = representation.community_columns
    return representation.logistic_columns if found is None else found


@dataclass(frozen=True)
class Theorem:
    """A bound on the number of columns, computed from the graph; files quote the ``statement``, so it must not change.

    ``has_form`` tells whether a representation is of the kind that the theorem is about, and ``with_loops`` whether the
    theorem also covers nodes that are linked with themselves.
    """

    statement: str
    bound: Callable[[Graph, Any], int | None]
    has_form: Callable[[Representation], bool]
    with_loops: bool = False


@dataclass(frozen=True)
class Construction:
    """One way to make an exact representation of any graph, under the name that certificates and files give it.

    ``candidates`` takes a graph and a line of its nodes, and gives representations to be certified, in order, until one
    passes: a single one where the theorem leaves no doubt, several where rounding may spoil some. Only a construction
    that is ``along_line`` uses the line; the others are given None. ``candidates`` itself is None where a graph is not
    enough to start from. ``meaning`` is one line of help for ``philia exact --by``, which offers the constructions that
    have one.
    """

    name: str
    theorem: Theorem
    candidates: Callable[[Graph, Any], Iterable[Representation]] | None = None
    meaning: str = ""
    along_line: bool = False
