"""Theorem E of docs/exact.md beside Theorem B and fits: does it take fewer columns anywhere?

Run with ``python -m benchmarks.exact.one_space``; PHILIA_DATA says where the networks are. An order of the nodes is
searched for by simulated annealing, the polynomials are written out in integers, and the sign of every pair is checked.
"""

from __future__ import annotations

from math import comb, exp, lcm

import networkx as nx
import numpy as np
import numpy.typing as npt

from benchmarks.measuring import save
from benchmarks.quality.known_groups import labelled
from philia import Graph, as_graph
from philia.exact import found_order, smallest_exact

NAME = "exact_one_space"
STEPS, STEEP, HOT, COLD = 8_000, 1.0, 0.3, 0.01
"""Moves of a search for an order, how steeply the cost of a pair grows, and the temperatures at both ends."""
NETWORKS = ("karate", "dolphins")
DRAWN = {
    "ring of 5": nx.cycle_graph(5),
    "ring of 24": nx.cycle_graph(24),
    "binary tree of 31": nx.balanced_tree(2, 4),
    "grid of 4 x 6": nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 6)),
    "random, 24 nodes, 48 links": nx.gnm_random_graph(24, 48, seed=0),
}
Matrix = npt.NDArray[np.int64]


def boundaries(A: Matrix) -> Matrix:
    """For each node j and place i ≤ j, whether a run of j's links among earlier nodes begins or ends just before i."""
    earlier = np.pad(np.tril(A, -1), ((0, 0), (1, 1)))
    return np.asarray(np.tril(earlier[:, 1:] != earlier[:, :-1])[:, :-1], dtype=np.int64)


def needed(A: Matrix) -> tuple[Matrix, int]:
    """c_i + b_ij for all pairs i < j, at [j, i], which Theorem E bounds by N, and the largest c.

    >>> pairs, most = needed(nx.to_numpy_array(nx.cycle_graph(5)).astype(int))
    >>> int(pairs.max()), most
    (4, 4)
    """
    before = np.cumsum(boundaries(A), axis=1)  # b_ij
    own = before.diagonal()  # c_j
    return np.tril(before + own, -1), int(own.max(initial=0))


def degree(A: Matrix) -> int:
    """The degree N that Theorem E needs for the nodes in this order.

    >>> degree(nx.to_numpy_array(nx.cycle_graph(5)).astype(int))
    4
    """
    pairs, most = needed(A)
    N = max(int(pairs.max(initial=0)), most, 2)
    N += N % 2
    return N if N % 4 == 0 or 2 * most <= N else N + 2


def ordered(A: Matrix, steps: int = STEPS, seed: int = 0) -> Matrix:
    """The matrix with its nodes in the best order that simulated annealing finds, one node moved at a time."""
    rng, n = np.random.default_rng(seed), len(A)
    best = now = np.arange(n)
    cost = np.inf
    for step in range(steps):
        at, to = rng.integers(n, size=2)
        order = np.insert(np.delete(now, at), to, now[at])
        value = float(np.log(np.exp(STEEP * needed(A[np.ix_(order, order)])[0]).sum()))
        if value <= cost or rng.random() < exp((cost - value) / (HOT * (1 - step / steps) + COLD)):
            now, cost = order, value
            best = min(best, now, key=lambda found: degree(A[np.ix_(found, found)]))
    return np.asarray(A[np.ix_(best, best)])


def polynomials(A: Matrix, N: int, bits: int) -> list[list[int]]:
    """Coefficients of one polynomial of degree N for each node, lowest first, with scales 2^bits apart."""
    found, n = [], len(A)
    for j, row in enumerate(boundaries(A)):
        places = np.flatnonzero(row)
        factors = [[-(1 << bits * int(2 * (n - i) + 2)), 1] for i in places]
        at = 1 << bits * (2 * (n - j) + 1)
        factors += [[at * at + 1, -2 * at, 1]] * ((N - places.size) // 2)
        p = [1]
        for factor in factors:
            p = [int(c) for c in np.convolve(np.array(p, dtype=object), np.array(factor, dtype=object))]
        found.append(p)
    return found


def is_exact(A: Matrix, N: int, bits: int) -> bool:
    """Whether minus the invariant form of all pairs has the signs of the graph, the diagonal included."""
    whole = lcm(*(comb(N, k) for k in range(N + 1)))
    form = [(-1) ** k * whole // comb(N, k) for k in range(N + 1)]
    P = np.array(polynomials(A, N, bits), dtype=object)
    scores = -(P * np.array(form, dtype=object)) @ P[:, ::-1].T
    return bool(((scores > 0) == (A > 0)).all() and (scores != 0).all())


def columns(graph: Graph) -> int:
    """The columns of Theorem E in the best order found, checked in integers at the first scale that is large enough.

    >>> columns(as_graph(nx.cycle_graph(5)))
    5
    """
    A = ordered(graph.adjacency.toarray().astype(np.int64))
    N = degree(A)
    assert any(is_exact(A, N, bits) for bits in (N, 2 * N, 4 * N)), "Theorem E does not hold"
    return N + 1


def main() -> None:
    """Compare, and keep the table."""
    rows = {}
    for name, graph in [(name, labelled(name)[0]) for name in NETWORKS] + [(n, as_graph(g)) for n, g in DRAWN.items()]:
        fitted = smallest_exact(graph)
        rows[name] = {
            "nodes": graph.n_nodes,
            "links": graph.n_links,
            "Theorem B": found_order(graph).columns,
            "Theorem E": columns(graph),
            "fitted": fitted.columns if fitted else "none",
        }
        save(NAME, rows)


if __name__ == "__main__":
    main()
