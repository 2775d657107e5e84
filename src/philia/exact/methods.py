"""The ways to a certified representation, each by a name that ``philia exact --by`` takes.

**The fewest columns.** Not all constructions need to be tried. With c the largest degree, d the degeneracy and p the
pseudoarboricity, d ≤ c and d ≤ 2p, so Theorem A with 4d + 1 columns is better than A′ (4d + 2), better than the
symmetric form by the largest degree (4c + 2), and no worse than by arboricity, (2p + 1)² ≥ 8p + 1. What remains is
Theorem B, which is nearly always the best, Theorem A and, in the logistic form, 2c + 1 by the largest degree. A fit
needs fewer columns than any of them; it is tried where that takes a moment, or on request.

**Floats.** Logistic factors are also wanted for other programs, which only know floats. So floats are tried first
there: Theorem A′ on a circle, where it can be proved for the floats as they are, as in sparse graphs of a few thousand
nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

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
from philia.solvers import OnIteration

Effort = Literal["quick", "thorough"]

_SPARSE = 12
"""The largest degeneracy for which floats on a circle are tried; they have been seen to work up to about 8."""

_FITTED: dict[Effort, int] = {"quick": 128, "thorough": 100_000}
"""The most nodes of graphs that are fitted: up to 128 a search takes a second or two, and beyond 100,000 it would take
days, as every few iterations look at all pairs."""

_MANY = 2000
"""In larger graphs the numbers of Theorem A are too long for the one column that they may save."""


def exact_community(
    graph: Graph,
    *,
    effort: Effort = "quick",
    elimination: Elimination | None = None,
    random_state: int = 0,
    on_progress: OnProgress | None = None,
    on_iteration: OnIteration | None = None,
) -> Certified:
    """Nonnegative integer communities whose signs are the graph, in as few columns as is known, certified.

    First comes a construction, for which a line of nodes is searched for, unless one is given as ``elimination``
    (:func:`philia.exact.found_order`); ``on_progress`` reports on the check that follows. Then fits with fewer columns
    are looked for (:func:`philia.exact.smallest_exact`), which report to ``on_iteration``. A "quick" effort does so for
    up to 128 nodes, which takes a second or two; a "thorough" one for any graph, which may take minutes with thousands
    of nodes. An interrupt (Ctrl-C) ends the search for fits and gives the best so far. The result says in ``tried``
    what was tried.

    >>> from philia.datasets import classic
    >>> found = exact_community(classic("karate"))
    >>> found.certificate.columns, found.tried[-2:]
    (5, ('fit: 5 columns', 'fit: none found with 4 columns'))
    """
    if effort not in get_args(Effort):
        raise InvalidParameterError(f"effort is {effort!r}; use one of {', '.join(map(repr, get_args(Effort)))}")
    found = certified(graph, _symmetric(graph, elimination, random_state), on_progress=on_progress)
    return _fewer(graph, found, effort, random_state, on_iteration)


def _fewer(
    graph: Graph, found: Certified, effort: Effort, random_state: int, on_iteration: OnIteration | None
) -> Certified:
    """The smallest fit with fewer columns than a construction, if one is found, or else the construction."""
    columns = found.certificate.columns
    constructed = f"{found.certificate.construction}: {counted(columns, 'column')}"
    fitted: FittedExactly | None = None
    said: tuple[str, ...] = ()
    if graph.n_nodes > _FITTED[effort]:
        more = '; a "thorough" effort does' if effort == "quick" else ", as it would take days"
        said = (f"fit: not tried with more than {_FITTED[effort]:,} nodes{more}",)
    elif columns > least_columns(graph).columns:
        try:
            fitted = smallest_exact(graph, most=columns - 1, random_state=random_state, on_iteration=on_iteration)
            said = _in_words(fitted, columns - 1)
        except KeyboardInterrupt:
            said = ("fit: interrupted before one was exact",)
    return replace(found if fitted is None else fitted.certified, tried=(constructed, *said))


def _in_words(fitted: FittedExactly | None, most: int) -> tuple[str, ...]:
    """What a search for the smallest fit tried."""
    if fitted is None:
        return (f"fit: none found with up to {most} columns",)
    tried = (
        f"fit: {counted(columns, 'column')}" if enough else f"fit: none found with {counted(columns, 'column')}"
        for columns, enough in fitted.tried
    )
    return (*tried, "fit: interrupted") if fitted.interrupted else tuple(tried)


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
    """One way to a certified representation, and its meaning in one line: a construction, fits, or fits after one.

    ``make`` takes a graph, a line of its nodes if the method is ``along_line``, and a callback for the progress of the
    check. ``fit`` takes the graph, what was made, if anything, a random state, and a callback for its iterations.
    Either gives None if nothing could be certified.
    """

    meaning: str
    make: Callable[[Graph, Elimination | None, OnProgress | None], Certified | None] | None
    along_line: bool = False
    fit: Callable[[Graph, Any, int, OnIteration | None], Certified | None] | None = None


def _by(construction: Construction) -> _Method:
    candidates = construction.candidates
    assert candidates is not None
    return _Method(
        construction.meaning,
        lambda graph, line, on_progress: first_certified(graph, candidates(graph, line), on_progress),
        construction.along_line,
    )


def _fewest(meaning: str, effort: Effort) -> _Method:
    return _Method(
        meaning,
        lambda graph, line, on_progress: certified(graph, _symmetric(graph, line, 0), on_progress=on_progress),
        along_line=True,
        fit=lambda graph, found, seed, on_iteration: _fewer(graph, found, effort, seed, on_iteration),
    )


def _fitted(graph: Graph, _found: None, random_state: int, on_iteration: OnIteration | None) -> Certified | None:
    found = smallest_exact(graph, random_state=random_state, on_iteration=on_iteration)
    return None if found is None else replace(found.certified, tried=_in_words(found, graph.n_nodes))


METHODS: dict[str, _Method] = {
    "fewest": _fewest("as few columns as any construction needs, or, with up to 128 nodes, a fit", "quick"),
    "thorough": _fewest("the same with fits for any network, which may take minutes", "thorough"),
    "fit": _Method("a fit until all signs are right, without guarantee", None, fit=_fitted),
    "logistic": _Method(
        "X Yᵀ in integers",
        lambda graph, line, on_progress: exact_logistic(graph, floats=False, elimination=line, on_progress=on_progress),
        along_line=True,
    ),
    **{one.name.replace(" ", "-"): _by(one) for one in CONSTRUCTIONS.values() if one.meaning},
}
"""By name, the default first: four that choose, and every construction that is offered on the command line."""
