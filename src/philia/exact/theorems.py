"""What is known beforehand of each construction: the number of columns that a graph cannot make it exceed.

The name of a construction may come from a file that anyone can write, so it proves nothing. A theorem is only quoted
for numbers that have the form it speaks of. The bounds by degree, degeneracy and arboricity then hold for every graph
without loops, whatever made the numbers; that of overlap thresholds holds for any numbers of its form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from philia.exact.arboricity import OrientedSquares
from philia.exact.floats import FloatLogistic
from philia.exact.integers import IntegerCommunities
from philia.exact.one_sided import OneSidedPolynomials
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Representation
from philia.graphs import Graph, degeneracy, pseudoarboricity


@dataclass(frozen=True)
class Theorem:
    """A bound on the columns of a construction, by a number that can be computed from the graph.

    ``has_form`` says whether a representation is of the kind that the theorem makes, and ``with_loops`` whether the
    theorem also speaks of nodes that are linked with themselves.
    """

    statement: str
    bound: Callable[[Graph, Representation], int | None]
    has_form: Callable[[Representation], bool]
    with_loops: bool = False


def _is_polynomials(found: Representation) -> bool:
    return isinstance(found, SignPolynomials)


def _is_one_sided(found: Representation) -> bool:
    return isinstance(found, OneSidedPolynomials)


def _is_squares(found: Representation) -> bool:
    return isinstance(found, OrientedSquares)


def _is_full_squares(found: Representation) -> bool:
    return isinstance(found, OrientedSquares) and found.is_full


def _is_symmetric_product(found: Representation) -> bool:
    """Whether the sides are [X Y] and [Y X], so that scores are X Yᵀ + Y Xᵀ."""
    if not isinstance(found, FloatLogistic) or found.logistic_columns % 2:
        return False
    half = found.logistic_columns // 2
    swapped = np.hstack([found.right[:, half:], found.right[:, :half]])
    return np.array_equal(found.left, swapped)


def _is_overlap_threshold(found: Representation) -> bool:
    """Whether memberships are binary with weights ±2, beside one community of all nodes with an odd weight 1 - 2t."""
    if not isinstance(found, IntegerCommunities) or not found.weights.size:
        return False
    V, W = found.memberships, found.weights
    is_binary = bool(((V == 0) | (V == 1)).all()) and bool((V[:, -1] == 1).all())
    return is_binary and all(abs(int(w)) == 2 for w in W[:-1]) and int(W[-1]) % 2 == 1


_BY_DEGREE = "c is the largest degree"
_BY_CORES = "d is the degeneracy"

THEOREMS: dict[str, Theorem] = {
    "sign changes": Theorem(
        f"2 (S + 1) columns for S sign changes, and S ≤ 2d, so at most 4d + 2; {_BY_CORES} (Theorem B)",
        lambda graph, _: 4 * degeneracy(graph) + 2,
        _is_polynomials,
    ),
    "degeneracy": Theorem(
        f"at most 4d + 1 columns; {_BY_CORES} (Theorem A)",
        lambda graph, _: 4 * degeneracy(graph) + 1,
        _is_polynomials,
    ),
    "levels": Theorem(
        "at most 4D + 2 columns if no more than D links are left to a node when it goes (Theorem A′)",
        lambda graph, found: max(4 * degeneracy(graph) + 2, found.logistic_columns),
        _is_polynomials,
    ),
    "circle": Theorem(
        "at most 4D + 2 columns if no more than D links are left to a node when it goes (Theorem A′ in floats)",
        lambda graph, found: max(4 * degeneracy(graph) + 2, found.logistic_columns),
        _is_symmetric_product,
    ),
    "max degree": Theorem(
        f"at most 4c + 2 columns with both terms; {_BY_DEGREE} (the paper's theorem, made symmetric)",
        lambda graph, _: 4 * int(graph.degrees.max(initial=0)) + 2,
        _is_polynomials,
    ),
    "max degree, one-sided": Theorem(
        f"at most 2c + 1 columns on each side; {_BY_DEGREE} (the paper's theorem)",
        lambda graph, _: 2 * int(graph.degrees.max(initial=0)) + 1,
        _is_one_sided,
    ),
    "arboricity": Theorem(
        "at most (2p + 1)² columns; p is the pseudoarboricity (the paper's theorem, its count corrected)",
        lambda graph, _: (2 * pseudoarboricity(graph).value + 1) ** 2,
        _is_full_squares,
    ),
    "arboricity as printed": Theorem(
        "at most (2p + 1)² + 1 columns; p is the pseudoarboricity (the paper's proof, its count corrected)",
        lambda graph, _: (2 * pseudoarboricity(graph).value + 1) ** 2 + 1,
        _is_squares,
    ),
    "overlap threshold": Theorem(
        "k + 1 columns for a graph made by k binary communities and a threshold, with the loops of its rule",
        lambda _, found: found.logistic_columns,
        _is_overlap_threshold,
        with_loops=True,
    ),
}

NO_THEOREM = Theorem("no bound is known beforehand", lambda _graph, _found: None, lambda _found: True, with_loops=True)


def theorem_of(representation: Representation, *, has_loops: bool = False) -> Theorem:
    """The theorem of the construction that a representation names, if the representation has the theorem's form.

    Nothing is known beforehand of numbers of another form, or of numbers from elsewhere, such as a fit.

    >>> two = IntegerCommunities(np.array([[1, 1], [1, 1]]), np.array([2, -1]), "overlap threshold")
    >>> theorem_of(two, has_loops=True).statement
    'k + 1 columns for a graph made by k binary communities and a threshold, with the loops of its rule'
    >>> other = IntegerCommunities(np.array([[1, 3], [1, 3]]), np.array([2, -1]), "overlap threshold")
    >>> theorem_of(other, has_loops=True).statement
    'no bound is known beforehand'
    """
    theorem = THEOREMS.get(representation.construction, NO_THEOREM)
    fits = theorem.has_form(representation) and (theorem.with_loops or not has_loops)
    return theorem if fits else NO_THEOREM


def columns_of(representation: Representation) -> int:
    """The columns that count: those of the nonnegative form, or of the logistic form if that is the only one."""
    found = representation.community_columns
    return representation.logistic_columns if found is None else found
