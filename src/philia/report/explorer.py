"""The section in which nodes can be looked up: which nodes, their neighbours and their likeliest missing links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from philia._types import Float64Array, FloatArray, Int64Array
from philia.execution import LocalThreads
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.report.findings import Findings

BYTES = 3_200_000
"""The approximate size of this section once compressed; with the charts' script the page stays below 10 MB."""

_NEIGHBOURS, _MISSING = 30, 10
"""Neighbours and missing links listed per node, unless the whole graph fits: what a reader scrolls through."""

_PRODUCTS = 2e11
"""Products of two numbers allowed in the search for missing links: about ten seconds on two cores."""

LETTER = 0.5
"""Bytes per letter of a name after compression."""

_ROWS, _COLUMNS = 256, 2**13
"""The block of scores computed at a time: 8 MB in single precision, which fits into a processor's cache."""

_FEW = 8
"""If more candidates than this many times ``count`` pass per row, the rows are partitioned before they are sorted."""

OnProgress = Callable[[int, int], None]
"""A function of the amount of work done and the total."""


@dataclass(frozen=True, eq=False)
class _Choice:
    """The rows that can be looked up, in ascending order, and whether that is all nodes with all neighbours.

    >>> _Choice(np.array([0, 1, 2]), complete=True).rows.tolist()
    [0, 1, 2]
    """

    rows: Int64Array
    complete: bool


def choose(found: Findings, budget: float = BYTES) -> _Choice:
    """All nodes if they fit with all their neighbours; otherwise as many as fit and can be searched.

    In that case a third are the strongest members of each community, a third the nodes with the most links, and the
    rest an evenly spaced sample.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(dating_app(60, cities=2, random_state=0).graph)
    >>> few = choose(Findings.of(model), budget=1000)
    >>> choose(Findings.of(model)).complete, few.complete, len(few.rows) < 60
    (True, False, True)
    """
    graph, n = found.graph, found.graph.n_nodes
    letters = sum(map(len, found.names.texts)) / max(n, 1) + 3  # with its quotes and comma
    numbers = 4 * (_nonzero(found) / max(n, 1) + 3)  # with background, degree and start of the neighbours
    if n * (numbers + LETTER * letters) + 2 * graph.n_links * (2 if n < 2**16 else 4) <= budget:
        return _Choice(np.arange(n), complete=True)
    listed = min(2 * graph.n_links / n, _NEIGHBOURS) + _MISSING
    fitting = budget / (numbers + 4 * listed + 4 * _MISSING + LETTER * letters * (1 + listed))
    searched = _PRODUCTS / (n * (found.factors.sides[0].shape[1] + 2))
    return _Choice(_interesting(found, max(1, min(n, int(fitting), int(searched)))), complete=False)


def _nonzero(found: Findings) -> int:
    """The number of nonzero affinities and memberships: zeros take no space once compressed."""
    factors = found.factors
    own = np.count_nonzero(factors.homophilous) + np.count_nonzero(factors.heterophilous)
    return int(own + found.memberships.nnz)


def _interesting(found: Findings, count: int) -> Int64Array:
    n, k = found.graph.n_nodes, len(found.communities)
    strongest = [found.rows(c)[: max(1, count // (3 * k))] for c in range(k)]
    best_linked = np.argsort(-found.graph.degrees, kind="stable")[: -(-count // 3)]
    rows = np.unique(np.concatenate([*strongest, best_linked]))
    others = np.setdiff1d(np.arange(n), rows, assume_unique=True)
    room = min(max(count - len(rows), 0), len(others))
    even = others[(2 * np.arange(room) + 1) * len(others) // (2 * max(room, 1))]
    return np.sort(np.concatenate([rows, even]))


@dataclass(frozen=True, eq=False)
class Numbering:
    """Positions of nodes in the page's list of names: those that can be looked up, then those only mentioned.

    >>> numbering = Numbering.of(5, np.array([1, 3]), np.array([3, 0]))
    >>> numbering.rows.tolist(), numbering.index[[3, 0]].tolist()
    ([1, 3, 0], [1, 2])
    """

    rows: Int64Array
    index: Int64Array

    @classmethod
    def of(cls, n: int, chosen: Int64Array, *mentioned: Int64Array) -> Numbering:
        """The numbering of chosen rows and, after them, of those mentioned; there are n rows in all."""
        rest = np.setdiff1d(np.concatenate([np.empty(0, np.int64), *mentioned]), chosen)
        rows, index = np.concatenate([chosen, rest]), np.full(n, -1, dtype=np.int64)
        index[rows] = np.arange(len(rows))
        return cls(rows, index)


def explorer(found: Findings, choice: _Choice, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """The section of the payload about the chosen nodes.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
    >>> explorer(Findings.of(model), _Choice(np.arange(3), complete=True))["names"]
    ['ann', 'bob', 'cat']
    """
    graph, factors, rows = found.graph, found.factors, choice.rows
    start, neighbours = _neighbours(graph, factors, rows, None if choice.complete else _NEIGHBOURS)
    missing = None if choice.complete else likeliest_missing(graph, factors, rows, _MISSING, on_progress)
    numbering = Numbering.of(graph.n_nodes, rows, neighbours, *([] if missing is None else [missing.partners]))
    normal = found.model.normalized()
    F = np.hstack([factors.homophilous[rows], factors.heterophilous[rows]])[:, normal.indices]
    return {
        "nodes": len(rows),
        "of": graph.n_nodes,
        "words": _words(choice, graph),
        "names": found.names.pick(numbering.rows.tolist()),
        "columns": [
            {
                "name": name,
                "sign": 1 if strength > 0 else -1,
                "largest": float(abs(strength) ** 0.5),
                "finer": name in found.communities.finer,
                "part_of": found.communities.finer.get(name, ""),
            }
            for name, strength in zip(normal.names, normal.strengths, strict=True)
        ],
        "factors": F.astype(np.float32),
        "communities": [
            {"name": community.name, "sign": 1 if community.strength > 0 else -1, "shares": found.communities.shares}
            for community in found.communities
        ],
        "memberships": _memberships(found, rows),
        "background": factors.background[rows].astype(np.float32),
        "degrees": graph.degrees[rows].astype(np.uint32),
        "neighbours": {"start": start.astype(np.uint32), "rows": narrow(numbering.index[neighbours])},
        "missing": None
        if missing is None
        else {
            "start": missing.start.astype(np.uint32),
            "rows": narrow(numbering.index[missing.partners]),
            "probability": missing.probabilities.astype(np.float32),
        },
    }


def _memberships(found: Findings, rows: Int64Array) -> npt.NDArray[np.float32]:
    """The membership of these rows in each community (rows × communities), as it is shown; 0 if they are no members."""
    V = np.zeros((found.graph.n_nodes, len(found.communities)), np.float32)
    for c in range(len(found.communities)):
        # A member of which no link leads to the community is a member nonetheless.
        V[found.rows(c), c] = np.maximum(found.shown(c), np.finfo(np.float32).tiny)
    return V[rows]


def _neighbours(
    graph: Graph, factors: CommunityFactors, rows: Int64Array, most: int | None
) -> tuple[Int64Array, Int64Array]:
    """Where each row's neighbours start, and all of them in row order; or at most ``most``, the likeliest first."""
    some = graph.adjacency[rows]
    if most is None:
        return some.indptr.astype(np.int64), some.indices.astype(np.int64)
    who, others = np.repeat(np.arange(len(rows)), np.diff(some.indptr)), some.indices.astype(np.int64)
    order = np.lexsort((others, -factors.scores(rows[who], others), who))
    rank = np.arange(len(order)) - some.indptr[who]
    return np.append(0, np.cumsum(np.minimum(np.diff(some.indptr), most))), others[order[rank < most]]


def narrow(rows: Int64Array) -> npt.NDArray[np.uint16] | npt.NDArray[np.uint32]:
    """Row numbers, in two bytes each if they fit and in four otherwise.

    >>> narrow(np.array([7])).itemsize, narrow(np.array([70_000])).itemsize
    (2, 4)
    """
    return rows.astype(np.uint16) if rows.max(initial=0) < 2**16 else rows.astype(np.uint32)


def _words(choice: _Choice, graph: Graph) -> str:
    if choice.complete:
        return f"All {graph.n_nodes:,} nodes can be looked up, with all their neighbours."
    which = (
        f"{len(choice.rows):,} of {graph.n_nodes:,} nodes can be looked up: the strongest members of each community, "
        "those with the most links, and an even sample of the others"
        if len(choice.rows) < graph.n_nodes
        else f"All {graph.n_nodes:,} nodes can be looked up"
    )
    return (
        f"{which}. For each, up to {_NEIGHBOURS} neighbours are listed, the likeliest first, and the {_MISSING} "
        "likeliest missing links, searched among all nodes."
    )


@dataclass(frozen=True, eq=False)
class _MissingLinks:
    """For the t-th node, the rows ``partners[start[t]:start[t + 1]]``, likeliest first, and their probabilities.

    >>> _MissingLinks(np.array([0, 1]), np.array([4]), np.array([0.5])).partners.tolist()
    [4]
    """

    start: Int64Array
    partners: Int64Array
    probabilities: Float64Array


_Best = tuple[Int64Array, Int64Array, FloatArray]
"""For each pair, the position of the node among those asked about, the row of its partner, and their score."""


def likeliest_missing(
    graph: Graph, factors: CommunityFactors, rows: Int64Array, count: int, on_progress: OnProgress | None = None
) -> _MissingLinks:
    """The ``count`` likeliest missing links of each of these rows among all nodes, or as many as are missing.

    Scores are computed block by block in single precision, and only those above the worst of a node's best so far are
    considered; probabilities are recomputed in double precision.

    >>> from philia import as_graph
    >>> factors = CommunityFactors.attracting(np.array([[1.0], [1.0], [2.0], [3.0]]))
    >>> found = likeliest_missing(as_graph([(0, 1), (2, 3)]), factors, np.array([0, 3]), count=1)
    >>> found.start.tolist(), found.partners.tolist(), found.probabilities.round(2).tolist()
    ([0, 1, 2], [3, 0], [0.95, 0.95])
    """
    left, right = (side.astype(np.float32) for side in (factors.sides[0][rows], factors.sides[1]))
    counts, partners, scores = [0], [np.empty(0, np.int64)], [np.empty(0)]
    batches = [slice(at, at + _ROWS) for at in range(0, len(rows), _ROWS)]
    found = LocalThreads().map(lambda batch: _best_of(graph, left[batch], right, rows[batch], count), batches)
    for batch, (who, partner, _) in zip(batches, found, strict=True):
        some = rows[batch]
        exact = factors.scores(some[who], partner)
        order = np.lexsort((partner, -exact, who))
        counts += np.bincount(who, minlength=len(some)).tolist()
        partners.append(partner[order])
        scores.append(exact[order])
        if on_progress is not None:
            on_progress(batch.start + len(some), len(rows))
    return _MissingLinks(np.cumsum(counts), np.concatenate(partners), expit(np.concatenate(scores)))


def _best_of(graph: Graph, left: FloatArray, right: FloatArray, rows: Int64Array, count: int) -> _Best:
    linked = graph.adjacency[rows].tocsc()
    best: _Best = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    bar = np.full(len(rows), -np.inf, dtype=np.float32)
    for first in range(0, graph.n_nodes, _COLUMNS):
        scores = left @ right[first : first + _COLUMNS].T
        scores[linked[:, first : first + _COLUMNS].nonzero()] = -np.inf
        own = np.flatnonzero((rows >= first) & (rows < first + _COLUMNS))
        scores[own, rows[own] - first] = -np.inf
        who, where = _above(scores, bar, count)
        found = (who, where + first, scores[who, where])
        best = _first_of_each(best, found, count)
        bar = _last_of_each(best, len(rows), count)
    return best


def _above(scores: FloatArray, bar: FloatArray, count: int) -> tuple[Int64Array, Int64Array]:
    """Where scores exceed their row's bar; if many do, only the ``count`` largest of each row."""
    above = scores > bar[:, None]
    if scores.shape[1] > count and np.count_nonzero(above) > _FEW * count * len(scores):
        where = np.argpartition(scores, -count, axis=1)[:, -count:]
        who = np.repeat(np.arange(len(scores)), count)
        kept = above[who, where.ravel()]
        return who[kept], where.ravel()[kept]
    who, where = np.divmod(np.flatnonzero(above), scores.shape[1])  # far faster than a two-dimensional nonzero()
    return who, where


def _first_of_each(best: _Best, found: _Best, count: int) -> _Best:
    """The ``count`` best pairs of each node in two lists."""
    who, partner, scores = (np.concatenate(both) for both in zip(best, found, strict=True))
    order = np.lexsort((partner, -scores, who))
    who = who[order]
    starts = np.flatnonzero(np.diff(who, prepend=-1))
    rank = np.arange(len(who)) - np.repeat(starts, np.diff(np.append(starts, len(who))))
    kept = order[rank < count]
    return who[rank < count], partner[kept], scores[kept]


def _last_of_each(best: _Best, nodes: int, count: int) -> FloatArray:
    """The worst of each node's best; -inf for a node that has fewer than ``count`` yet."""
    who, _, scores = best
    bar = np.full(nodes, -np.inf, dtype=np.float32)
    full = np.bincount(who, minlength=nodes) == count
    bar[who] = scores  # in descending order, so the last assignment is the smallest
    bar[~full] = -np.inf
    return bar
