"""What is known beforehand of each construction: the number of columns that a graph cannot make it exceed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from philia.exact.representation import Representation
from philia.graphs import Graph, degeneracy, pseudoarboricity


@dataclass(frozen=True)
class Theorem:
    """A bound on the columns of a construction, by a number that can be computed from the graph."""

    statement: str
    bound: Callable[[Graph, Representation], int | None]


_BY_DEGREE = "c is the largest degree"
_BY_CORES = "d is the degeneracy"

THEOREMS: dict[str, Theorem] = {
    "sign changes": Theorem(
        f"2 (S + 1) columns for S sign changes, and S ≤ 2d, so at most 4d + 2; {_BY_CORES} (Theorem B)",
        lambda graph, _: 4 * degeneracy(graph) + 2,
    ),
    "degeneracy": Theorem(
        f"at most 4d + 1 columns; {_BY_CORES} (Theorem A)",
        lambda graph, _: 4 * degeneracy(graph) + 1,
    ),
    "levels": Theorem(
        "at most 4D + 2 columns if no more than D links are left to a node when it goes (Theorem A′)",
        lambda graph, found: max(4 * degeneracy(graph) + 2, found.logistic_columns),
    ),
    "circle": Theorem(
        "at most 4D + 2 columns if no more than D links are left to a node when it goes (Theorem A′ in floats)",
        lambda graph, found: max(4 * degeneracy(graph) + 2, found.logistic_columns),
    ),
    "max degree": Theorem(
        f"at most 4c + 2 columns with both terms; {_BY_DEGREE} (the paper's theorem, made symmetric)",
        lambda graph, _: 4 * int(graph.degrees.max(initial=0)) + 2,
    ),
    "max degree, one-sided": Theorem(
        f"at most 2c + 1 columns on each side; {_BY_DEGREE} (the paper's theorem)",
        lambda graph, _: 2 * int(graph.degrees.max(initial=0)) + 1,
    ),
    "arboricity": Theorem(
        "at most (2p + 1)² columns; p is the pseudoarboricity (the paper's theorem, its count corrected)",
        lambda graph, _: (2 * pseudoarboricity(graph).value + 1) ** 2,
    ),
    "arboricity as printed": Theorem(
        "at most (2p + 1)² + 1 columns; p is the pseudoarboricity (the paper's proof, its count corrected)",
        lambda graph, _: (2 * pseudoarboricity(graph).value + 1) ** 2 + 1,
    ),
    "overlap threshold": Theorem(
        "k + 1 columns for a graph made by k binary communities and a threshold, with the loops of its rule",
        lambda _, found: found.logistic_columns,
    ),
}

NO_THEOREM = Theorem("no bound is known beforehand", lambda _graph, _found: None)


def theorem_of(representation: Representation) -> Theorem:
    """What is known of what made the representation; of numbers from elsewhere, such as a fit, nothing is."""
    return THEOREMS.get(representation.construction, NO_THEOREM)


def columns_of(representation: Representation) -> int:
    """The columns that count: those of the nonnegative form, or of the logistic form if that is the only one."""
    found = representation.community_columns
    return representation.logistic_columns if found is None else found
