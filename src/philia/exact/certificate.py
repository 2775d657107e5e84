"""Certificates: that a representation has the signs of a graph, all of them, and how that was made sure."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import inf

import numpy as np

from philia._types import BoolArray, Int64Array
from philia._version import __version__
from philia.exact.fingerprint import digest_of, fingerprint
from philia.exact.representation import Representation, Signs
from philia.exact.theorems import columns_of, theorem_of
from philia.exceptions import InvalidParameterError, NotExactError
from philia.execution import LocalThreads
from philia.graphs import Graph

OnProgress = Callable[[int, int], None]
"""Called with the number of rows done and of all rows."""

_ENTRIES = 1 << 17
"""So many pairs are looked at before others have their turn, be it the bar or Ctrl-C."""


_MARGIN_SLACK = 0.1  # bits


@dataclass(frozen=True)
class Certificate:
    """What was made sure of a graph and a representation; whoever has both can make sure again.

    ``columns`` counts the columns of the nonnegative form (of the logistic form if there is no other), and ``bound``
    what ``theorem`` promised before; ``bits`` is a length that no whole number in a score exceeds. ``graph`` and
    ``representation`` are hashes. ``margin`` is, in bits, how much larger the right part of a score is than the wrong
    part, at least, and None if no score has a wrong part. ``seconds`` is what the check took.

    >>> from philia import as_graph
    >>> from philia.exact import by_max_degree
    >>> pair = as_graph([("ann", "bob")])
    >>> found = certify(pair, by_max_degree(pair))
    >>> found.columns, found.bound, found.margin
    (6, 6, None)
    """

    claim: str
    construction: str
    columns: int
    logistic_columns: int
    bound: int | None
    theorem: str
    bits: int
    nodes: int
    links: int
    loops: int
    graph: str
    representation: str
    checked: str
    margin: float | None
    seconds: float
    philia: str = __version__

    def denied(self, claimed: Certificate) -> list[str]:
        """The names of the parts of another certificate that are not true if this one is.

        Times and versions may differ. The margin may be larger than claimed, or a little smaller, for in floats it
        depends on the order of sums.
        """
        mine, theirs = asdict(self), asdict(claimed)
        wrong = [name for name in mine if name not in ("seconds", "margin", "philia") and mine[name] != theirs[name]]
        return wrong if _at_most(claimed.margin, self.margin) else [*wrong, "margin"]


def certify(
    graph: Graph,
    representation: Representation,
    *,
    loops: BoolArray | None = None,
    on_progress: OnProgress | None = None,
) -> Certificate:
    """A certificate that two nodes are linked if and only if their score is positive, and that no score is zero.

    Row v of the representation is row v of the graph. A node and itself count as not linked, except where ``loops``
    says otherwise. Every pair is looked at. A pair that is wrong ends it with an error that names the pair.

    >>> from philia.datasets import classic
    >>> from philia.exact.sign_changes import by_sign_changes
    >>> karate = classic("karate")
    >>> certify(karate, by_sign_changes(karate)).claim
    'the signs of all 1,156 scores are those of the graph, the diagonal included'
    """
    began = time.perf_counter()
    if representation.n_nodes != graph.n_nodes:
        raise NotExactError(
            f"the graph has {graph.n_nodes:,} nodes and the representation {representation.n_nodes:,}; "
            "give the graph that it was made for"
        )
    margin = _checked_margin(graph, representation, loops, on_progress)
    theorem, columns = theorem_of(representation), columns_of(representation)
    bound = theorem.bound(graph, representation)
    if bound is not None and columns > bound:
        raise NotExactError(f"there are {columns:,} columns, but {theorem.statement}: that would be {bound:,} at most")
    n_loops = 0 if loops is None else int(loops.sum())
    diagonal = "the diagonal included" if loops is None else f"with loops at {n_loops:,} nodes"
    return Certificate(
        claim=f"the signs of all {graph.n_nodes**2:,} scores are those of the graph, {diagonal}",
        construction=representation.construction,
        columns=columns,
        logistic_columns=representation.logistic_columns,
        bound=bound,
        theorem=theorem.statement,
        bits=representation.bits,
        nodes=graph.n_nodes,
        links=graph.n_links,
        loops=n_loops,
        graph=fingerprint(graph),
        representation=digest_of(representation.construction, representation.arrays()),
        checked=representation.how_signs_are_decided,
        margin=None if margin == inf else margin,
        seconds=time.perf_counter() - began,
    )


def _at_most(claimed: float | None, found: float | None) -> bool:
    """Whether a margin is no more than found; None stands for one that nothing limits."""
    if found is None:
        return True
    return isinstance(claimed, (int, float)) and claimed <= found + _MARGIN_SLACK


def _checked_margin(
    graph: Graph, representation: Representation, loops: BoolArray | None, on_progress: OnProgress | None
) -> float:
    """The least margin of all rows; an error if any sign is wrong."""
    n = graph.n_nodes
    if loops is not None and loops.shape != (n,):
        raise InvalidParameterError(f"loops must say yes or no for {n:,} nodes; found shape {loops.shape}")
    size = max(1, _ENTRIES // max(n, 1))
    blocks = [np.arange(top, min(top + size, n)) for top in range(0, n, size)]
    margin = inf
    for rows, signs in zip(blocks, LocalThreads().map(representation.signs, blocks), strict=True):
        _check_block(graph, loops, rows, signs)
        margin = min(margin, signs.margin)
        if on_progress is not None:
            on_progress(int(rows[-1]) + 1, n)
    return margin


def _check_block(graph: Graph, loops: BoolArray | None, rows: Int64Array, signs: Signs) -> None:
    linked = graph.adjacency[rows].toarray() > 0
    if loops is not None:
        linked[np.arange(rows.size), rows] = loops[rows]
    wrong = signs.values != np.where(linked, 1, -1)
    if not wrong.any():
        return
    i, v = (int(at[0]) for at in np.nonzero(wrong))
    kind = {1: "positive", -1: "negative", 0: "zero"}[int(signs.values[i, v])]
    fact = "linked" if linked[i, v] else "not linked"
    one, other = graph.nodes[int(rows[i])], graph.nodes[v]
    raise NotExactError(
        f"the score of {one!r} and {other!r} is {kind}, but in the graph they are {fact}; "
        "the representation is not that of this graph"
    )
