"""The squared hinge of all scores with a background, looked at only where it costs something, or nearly.

A point F is n × (k + 1): columns w of any sign and a background a, with a fixed sign ε for each w. Scores are
M = 1 aᵀ + a 1ᵀ + ∑ ε w wᵀ, and a pair costs ½ max(0, 1 - s M)², s = +1 for a link and -1 for all others, the diagonal
included. Where an exact representation exists, the sum is zero at a finite point.

Most pairs are not linked, have scores far below -1 and stay there. So a sweep over all pairs, which is one product of
matrices, finds those that are *near*: the links, and all others whose scores are above -1 or a little below. Until the
next sweep, only they are looked at. On a graph with ten thousand nodes that is one pair in a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph

Numbers = npt.NDArray[np.floating[Any]]

_PAIRS = 1 << 20
"""Pairs in a block of a sweep: some temporary arrays of 4 or 8 MB."""

_FEW = 1024
"""Up to this many nodes scores are computed in double precision; beyond, in single precision, which is faster."""

_NEAR, _ALL = 0.3, 256
"""How far below -1 the score of a pair may be that is still looked at; and the nodes up to which all pairs are."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Some pairs of nodes in compressed rows, each pair once and from the row that comes first.

    ``starts`` has the first position of each row, ``columns`` the other node of each pair, and ``signs`` says whether
    the two are linked, by 1 or -1.
    """

    starts: Int64Array
    columns: npt.NDArray[np.int32]
    signs: npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Hinge:
    """The squared hinge for a graph and the signs ε of the columns.

    >>> from philia import as_graph
    >>> pair = Hinge(as_graph([("ann", "bob")]), np.array([-1.0]))
    >>> F = np.array([[1.0, 0.0], [-1.0, 0.0]])
    >>> value, gradient, wrong = pair.at(F, pair.near(F))
    >>> value, gradient.tolist(), wrong
    (0.0, [[0.0, 0.0], [0.0, 0.0]], 0)
    """

    graph: Graph
    signs: Float64Array

    @property
    def kind(self) -> type:
        """The precision of points. Nothing depends on it in the end: what is found is rounded and proved."""
        return np.float64 if self.graph.n_nodes <= _FEW else np.float32

    def near(self, F: Numbers) -> Pairs:
        """The links, and the other pairs that cost something at a point or may soon do, the diagonal included."""
        from philia.exact.compiled import near_pairs

        n, adjacency = self.graph.n_nodes, self.graph.adjacency
        links = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)
        W, a = np.ascontiguousarray(F[:, :-1]), F[:, -1]
        found = []
        step, least = max(1, _PAIRS // max(n, 1)), -1 - _NEAR if n > _ALL else -np.inf
        for top in range(0, n, step):
            scores = (W[top : top + step] * self.signs.astype(W.dtype)) @ W[top:].T
            scores += a[top : top + step, None]
            scores += a[top:]
            found.append(near_pairs(scores, top, *links, least))
        counts, columns, signs = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Pairs(np.concatenate([[0], np.cumsum(counts)]), columns, signs)

    def at(self, F: Numbers, pairs: Pairs) -> tuple[float, Numbers, int]:
        """The sum over some pairs, in both orders, its gradient, and how many of the pairs have the wrong sign."""
        from philia.exact.compiled import hinge_at

        P = np.hstack([F[:, :-1] * self.signs.astype(F.dtype), np.ones((len(F), 1), F.dtype)])
        value, gradient, wrong = hinge_at(pairs.starts, pairs.columns, pairs.signs, F, P)
        return float(value), gradient, int(wrong)
