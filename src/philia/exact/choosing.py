"""The exact representation with the fewest columns, out of all constructions, with its certificate.

Not all constructions need to be tried. With c the largest degree, d the degeneracy and p the pseudoarboricity, d ≤ c
and d ≤ 2p, so Theorem A with 4d + 1 columns is better than A′ (4d + 2), than the symmetric form by the largest degree
(4c + 2), and no worse than by arboricity, (2p + 1)² ≥ 8p + 1. What is left is Theorem B, which is nearly always the
best, Theorem A and, in the logistic form, 2c + 1 by the largest degree.

Logistic factors are also wanted for use in other programs, which know floats only. So floats come first there: Theorem
A′ on a circle, where it can be proved for the floats as they are, which sparse graphs of a few thousand nodes allow.
"""

from __future__ import annotations

from philia.exact.certificate import OnProgress
from philia.exact.certified import Certified, certified
from philia.exact.circle import by_circle
from philia.exact.degeneracy import by_degeneracy
from philia.exact.max_degree import by_max_degree_one_sided
from philia.exact.orders import Elimination
from philia.exact.polynomials import SignPolynomials
from philia.exact.sign_changes import by_sign_changes
from philia.graphs import Graph, degeneracy

_SPARSE = 12
"""With a larger degeneracy, floats on a circle are not tried: they have been seen to do up to about 8."""

_MANY = 2000
"""With more nodes than this, numbers as long as those of Theorem A are not worth the one column that they may save."""


def exact_community(
    graph: Graph,
    *,
    elimination: Elimination | None = None,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
) -> Certified:
    """Nonnegative communities in whole numbers whose signs are the graph, with as few columns as is known, certified.

    A line of nodes is looked for, which takes most of the time, unless one is given as ``elimination``
    (:func:`philia.exact.found_order`). ``on_progress`` is told of the check that follows.

    >>> from philia.datasets import classic
    >>> exact_community(classic("karate")).certificate.columns <= 10
    True
    """
    return certified(graph, _symmetric(graph, elimination, random_state), on_progress=on_progress)


def exact_logistic(
    graph: Graph,
    *,
    floats: bool = True,
    elimination: Elimination | None = None,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
) -> Certified:
    """Two matrices X and Y whose products X Yᵀ have the signs of the graph, certified: in floats if that can be proved.

    In floats there are 4d + 2 columns, d the degeneracy, if the graph is sparse enough for :func:`by_circle`. If it is
    not, and with ``floats=False``, they are whole numbers, with as few columns as is known. The other settings are
    those of :func:`exact_community`.

    >>> from philia import as_graph
    >>> pairs = as_graph([("ann", "bob"), ("cat", "dan")])
    >>> exact_logistic(pairs).certificate.construction, exact_logistic(pairs, floats=False).certificate.columns
    ('circle', 3)
    """
    found = by_circle(graph, random_state=random_state) if floats and degeneracy(graph) <= _SPARSE else None
    if found is not None:
        return found
    both = _symmetric(graph, elimination, random_state)
    if 2 * int(graph.degrees.max(initial=0)) + 1 < both.logistic_columns:
        return certified(graph, by_max_degree_one_sided(graph), on_progress=on_progress)
    return certified(graph, both, on_progress=on_progress)


def _symmetric(graph: Graph, elimination: Elimination | None, random_state: int) -> SignPolynomials:
    """By sign changes, unless it is known beforehand that the degeneracy saves a column."""
    found = by_sign_changes(graph, elimination, random_state=random_state)
    if 4 * degeneracy(graph) + 1 < found.community_columns and graph.n_nodes <= _MANY:
        return by_degeneracy(graph)
    return found
