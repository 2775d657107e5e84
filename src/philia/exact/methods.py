"""The ways to a certified representation, each by a name that ``philia exact --by`` takes.

**The fewest columns.** Not all constructions need to be tried. With c the largest degree, d the degeneracy and p the
pseudoarboricity, d ≤ c and d ≤ 2p, so Theorem A with 4d + 1 columns is better than A′ (4d + 2), better than the
symmetric form by the largest degree (4c + 2), and no worse than by arboricity, (2p + 1)² ≥ 8p + 1. What remains is
Theorem B, which is nearly always the best, Theorem A and, in the logistic form, 2c + 1 by the largest degree.

**Floats.** Logistic factors are also wanted for other programs, which only know floats. So floats are tried first
there: Theorem A′ on a circle, where it can be proved for the floats as they are, as in sparse graphs of a few thousand
nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

from philia._text import counted
from philia.exact.certificate import OnProgress
from philia.exact.certified import Certified, certified, first_certified
from philia.exact.constructions import CONSTRUCTIONS
from philia.exact.degeneracy import by_degeneracy, circle_candidates
from philia.exact.fit import FittedExactly, smallest_exact
from philia.exact.lower_bounds import least_columns
from philia.exact.max_degree import by_max_degree_one_sided
from philia.exact.polynomials import SignPolynomials
from philia.exact.representation import Construction
from philia.exact.sign_changes import Elimination, by_sign_changes
from philia.exceptions import InvalidParameterError, NotExactError
from philia.graphs import Graph, degeneracy

Effort = Literal["quick", "thorough"]

_SPARSE = 12
"""The largest degeneracy for which floats on a circle are tried; they have been seen to work up to about 8."""

_MOST_FITTED = 100_000
"""Fits of larger graphs are not tried: every few iterations look at all pairs, for minutes at a time."""

_MANY = 2000
"""In larger graphs the numbers of Theorem A are too long for the one column that they may save."""


def exact_community(
    graph: Graph,
    *,
    effort: Effort = "quick",
    elimination: Elimination | None = None,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
) -> Certified:
    """Nonnegative integer communities whose signs are the graph, in as few columns as is known, certified.

    A "quick" effort is a construction, for which a line of nodes is searched for, unless one is given as
    ``elimination`` (:func:`philia.exact.found_order`); ``on_progress`` reports on the check that follows. A "thorough"
    one then looks for fits with fewer columns (:func:`philia.exact.smallest_exact`), which may take minutes on graphs
    with thousands of nodes; an interrupt (Ctrl-C) ends it and gives the best so far. The result says in ``tried`` what
    was tried.

    >>> from philia.datasets import classic
    >>> karate = classic("karate")
    >>> exact_community(karate).certificate.columns <= 10
    True
    >>> exact_community(karate, effort="thorough").tried[-2:]
    ('fit: 5 columns', 'fit: none found with 4 columns')
    """
    if effort not in get_args(Effort):
        raise InvalidParameterError(f"effort is {effort!r}; use one of {', '.join(map(repr, get_args(Effort)))}")
    found = certified(graph, _symmetric(graph, elimination, random_state), on_progress=on_progress)
    tried: tuple[str, ...] = (f"{found.certificate.construction}: {counted(found.certificate.columns, 'column')}",)
    fewest = least_columns(graph).columns
    if effort == "thorough" and found.certificate.columns > fewest:
        fitted, said = _smaller(graph, found.certificate.columns - 1, random_state)
        tried, found = (*tried, *said), found if fitted is None else fitted.certified
    return replace(found, tried=tried)


def _smaller(graph: Graph, most: int, random_state: int) -> tuple[FittedExactly | None, tuple[str, ...]]:
    """The smallest fit with up to so many columns, if any, and what was tried, in words."""
    if graph.n_nodes > _MOST_FITTED:
        return None, (f"fit: not tried with more than {_MOST_FITTED:,} nodes, as it would take days",)
    try:
        fitted = smallest_exact(graph, most=most, random_state=random_state)
    except KeyboardInterrupt:
        return None, ("fit: interrupted before one was exact",)
    return fitted, _in_words(fitted, most)


def _in_words(fitted: FittedExactly | None, most: int) -> tuple[str, ...]:
    """What a search for the smallest fit tried."""
    if fitted is None:
        return (f"fit: none found with up to {most} columns",)
    return tuple(
        f"fit: {counted(columns, 'column')}" if enough else f"fit: none found with {counted(columns, 'column')}"
        for columns, enough in fitted.tried
    )


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
    not, or with ``floats=False``, they are integers, in as few columns as is known. The other settings are those of
    :func:`exact_community`.

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


def by_circle(graph: Graph, most: int | None = None, *, tries: int = 8, random_state: int = 0) -> Certified | None:
    """Certified floats with 4D + 2 columns whose signs are the graph; None if none of several random orders worked.

    ``most`` is D, at least the degeneracy, which is the default.

    >>> from philia import as_graph
    >>> ring = as_graph([(i, (i + 1) % 50) for i in range(50)])
    >>> by_circle(ring).certificate.columns
    10
    """
    try:
        return first_certified(graph, circle_candidates(graph, most, tries=tries, random_state=random_state))
    except NotExactError:
        return None


def _symmetric(graph: Graph, elimination: Elimination | None, random_state: int) -> SignPolynomials:
    """By sign changes, unless it is known beforehand that the degeneracy saves a column."""
    found = by_sign_changes(graph, elimination, random_state=random_state)
    if 4 * degeneracy(graph) + 1 < found.community_columns and graph.n_nodes <= _MANY:
        return by_degeneracy(graph)
    return found


@dataclass(frozen=True)
class _Method:
    """One way to a certified representation, and its meaning in one line.

    ``make`` takes a graph, a line of its nodes if the method is ``along_line``, and a callback for the progress of the
    check. It gives None if there was nothing to certify. ``make`` itself is None for a fit, which has its own progress.
    """

    meaning: str
    make: Callable[[Graph, Elimination | None, OnProgress | None], Certified | None] | None
    along_line: bool = False


def _by(construction: Construction) -> _Method:
    candidates = construction.candidates
    assert candidates is not None
    return _Method(
        construction.meaning,
        lambda graph, line, on_progress: first_certified(graph, candidates(graph, line), on_progress),
        construction.along_line,
    )


METHODS: dict[str, _Method] = {
    "fewest": _Method(
        "as few columns as any construction needs",
        lambda graph, line, on_progress: exact_community(graph, elimination=line, on_progress=on_progress),
        along_line=True,
    ),
    "thorough": _Method(
        "the same, then fits in fewer columns, which may take minutes",
        lambda graph, line, on_progress: exact_community(
            graph, effort="thorough", elimination=line, on_progress=on_progress
        ),
        along_line=True,
    ),
    "fit": _Method("a fit until all signs are right, in fewer columns still but without guarantee", None),
    "logistic": _Method(
        "X Yᵀ in integers",
        lambda graph, line, on_progress: exact_logistic(graph, floats=False, elimination=line, on_progress=on_progress),
        along_line=True,
    ),
    **{one.name.replace(" ", "-"): _by(one) for one in CONSTRUCTIONS.values() if one.meaning},
}
"""By name, the default first: four that choose, and every construction that is offered on the command line."""
