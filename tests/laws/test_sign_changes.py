"""Theorem B: few sign changes along a line give an exact representation with few columns, on every graph and line."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from philia.exact.sign_changes import Elimination, eliminated
from philia.graphs import Graph, Nodes, degeneracy
from tests.strategies import graphs


def polynomial_values(A: np.ndarray, found: Elimination) -> dict[int, list[int]]:
    """What each node's polynomial is at all nodes: nodes at even places, a root wherever the sign changes."""
    place = {u: 2 * p for p, u in enumerate(found.order.tolist())}
    left, values = found.order.tolist(), {}
    for v in found.removal.tolist():
        roots = [place[u] + 1 for u, w in pairwise(left) if A[v, u] != A[v, w]]
        assert len(roots) == found.changes[v] <= found.most
        sign = 1 if A[v, left[-1]] else -1
        values[v] = [sign * int(np.prod([place[u] - r for r in roots], dtype=object)) for u in range(len(A))]
        left.remove(v)
    return values


@given(graphs(max_nodes=12), st.integers(0, 10**6))
def test_weighted_polynomials_have_the_signs_of_the_graph_with_its_diagonal(graph: Graph, seed: int) -> None:
    A = graph.adjacency.toarray()
    found = eliminated(graph, np.random.default_rng(seed).permutation(graph.n_nodes))
    f = polynomial_values(A, found)
    weights: dict[int, int] = {}
    for v in reversed(found.removal.tolist()):
        weights[v] = 1 + max((weights[u] * abs(f[u][v]) for u in weights), default=0)
    M = [[weights[v] * f[v][u] + weights[u] * f[u][v] for u in range(len(A))] for v in range(len(A))]
    assert all(M[v][u] != 0 and (M[v][u] > 0) == (A[v, u] == 1) for v in range(len(A)) for u in range(len(A)))


@given(graphs(), st.integers(0, 10**6))
def test_no_line_has_more_sign_changes_than_twice_the_degeneracy(graph: Graph, seed: int) -> None:
    found = eliminated(graph, np.random.default_rng(seed).permutation(graph.n_nodes))
    assert found.most <= 2 * degeneracy(graph)


@given(graphs(), st.integers(0, 10**6))
def test_a_line_read_backwards_has_as_many_sign_changes(graph: Graph, seed: int) -> None:
    line = np.random.default_rng(seed).permutation(graph.n_nodes)
    assert eliminated(graph, line).most == eliminated(graph, line[::-1]).most


@given(graphs(), st.integers(0, 10**6))
def test_fewer_nodes_on_the_same_line_never_have_more_sign_changes(graph: Graph, seed: int) -> None:
    rng = np.random.default_rng(seed)
    line = rng.permutation(graph.n_nodes)
    kept = np.flatnonzero(rng.random(graph.n_nodes) < 0.7)
    if kept.size:
        number = np.full(graph.n_nodes, -1)
        number[kept] = np.arange(kept.size)
        rows, columns = graph.adjacency[kept][:, kept].nonzero()
        part = Graph.from_rows(rows, columns, Nodes.numbered(kept.size))
        shorter = number[line[np.isin(line, kept)]]
        assert eliminated(part, shorter).most <= eliminated(graph, line).most
