"""Graphs of many kinds, and the signs of their representations computed slowly and simply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from philia.exact import (
    IntegerCommunities,
    IntegerLogistic,
    OneSidedPolynomials,
    OrientedSquares,
    SignPolynomials,
    by_arboricity,
    by_arboricity_as_printed,
    by_degeneracy,
    by_levels,
    by_max_degree,
    by_max_degree_one_sided,
    by_sign_changes,
    eliminated,
)
from philia.graphs import Graph, Nodes

Pairs = list[tuple[int, int]]
Polynomial = SignPolynomials | OneSidedPolynomials | OrientedSquares


def by_sign_changes_as_given(graph: Graph) -> SignPolynomials:
    """Along the nodes in the given order: a search for a better line would dominate the time of the tests."""
    return by_sign_changes(graph, eliminated(graph, np.arange(graph.n_nodes)))


CONSTRUCTIONS: dict[str, Callable[[Graph], Polynomial]] = {
    "sign changes": by_sign_changes_as_given,
    "degeneracy": by_degeneracy,
    "levels": by_levels,
    "max degree": by_max_degree,
    "max degree, one-sided": by_max_degree_one_sided,
    "arboricity": by_arboricity,
    "arboricity as printed": by_arboricity_as_printed,
}


def _random(n: int, density: float, rng: np.random.Generator) -> Pairs:
    return list(zip(*np.nonzero(np.triu(rng.random((n, n)) < density, k=1)), strict=True))


def _attached(n: int, each: int, rng: np.random.Generator) -> Pairs:
    """A Barabási-Albert graph: every new node is linked with ``each`` older ones, in proportion to their degrees."""
    ends, pairs = list(range(min(each, n))), []
    for new in range(each, n):
        chosen: set[int] = set()
        while len(chosen) < min(each, new):
            chosen.add(int(rng.choice(ends)))
        pairs += [(old, new) for old in chosen]
        ends += [*chosen, *[new] * len(chosen)]
    return pairs


KINDS: dict[str, Callable[[int, np.random.Generator], Pairs]] = {
    "empty": lambda n, _: [],
    "complete": lambda n, _: [(i, j) for j in range(n) for i in range(j)],
    "star": lambda n, _: [(0, j) for j in range(1, n)],
    "path": lambda n, _: [(j - 1, j) for j in range(1, n)],
    "cycle": lambda n, _: [(j, (j + 1) % n) for j in range(n) if n > 2],
    "tree": lambda n, rng: [(int(rng.integers(j)), j) for j in range(1, n)],
    "sparse": lambda n, rng: _random(n, 2 / n, rng),
    "middling": lambda n, rng: _random(n, 0.2, rng),
    "dense": lambda n, rng: _random(n, 0.8, rng),
    "attached": lambda n, rng: _attached(n, 2, rng),
    "attached by three": lambda n, rng: _attached(n, 3, rng),
    "bipartite": lambda n, rng: [(i, j) for i, j in _random(n, 0.5, rng) if i < n // 2 <= j],
    "two parts": lambda n, rng: [(i, j) for i, j in _random(n, 0.5, rng) if (i < n // 2) == (j < n // 2)],
    "matching": lambda n, _: [(j, j + 1) for j in range(0, n - 1, 2)],
}


def made(kind: str, n: int, seed: int) -> Graph:
    """A graph of this kind, with its nodes in random order."""
    rng = np.random.default_rng(seed)
    pairs = np.array(KINDS[kind](n, rng), dtype=np.int64).reshape(-1, 2)
    shuffled = rng.permutation(n)[pairs]
    return Graph.from_rows(shuffled[:, 0], shuffled[:, 1], Nodes.numbered(n))


def wanted(graph: Graph) -> npt.NDArray[Any]:
    """+1 on links, -1 on all other pairs and on the diagonal."""
    return np.asarray(np.where(graph.adjacency.toarray() > 0, 1, -1))


def product_signs(written: IntegerCommunities | IntegerLogistic) -> npt.NDArray[Any]:
    """The signs of the product of the columns, in Python integers."""
    if isinstance(written, IntegerCommunities):
        V = written.memberships.astype(object)
        scores = V @ np.diag(written.weights.astype(object)) @ V.T
    else:
        scores = written.left.astype(object) @ written.right.astype(object).T
    return np.asarray(np.sign(scores), dtype=int)


def score_signs(representation: Polynomial) -> npt.NDArray[Any]:
    """The signs of all scores, by evaluating the polynomials for each pair."""
    n = representation.n_nodes
    if isinstance(representation, OneSidedPolynomials):
        terms = [[representation.polynomials.value(v, u) for v in range(n)] for u in range(n)]
    else:
        terms = [[representation.score(u, v) for v in range(n)] for u in range(n)]
    return np.array([[(term > 0) - (term < 0) for term in row] for row in terms])


def rank_modulo(matrix: npt.NDArray[Any], prime: int = (1 << 61) - 1) -> int:
    """The rank of an integer matrix modulo a prime, a lower bound on its rank."""
    rows = [[int(entry) % prime for entry in row] for row in matrix]
    rank = 0
    for column in range(len(rows[0])):
        pivot = next((at for at in range(rank, len(rows)) if rows[at][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        inverse = pow(rows[rank][column], -1, prime)
        for at in range(rank + 1, len(rows)):
            if rows[at][column]:
                factor = rows[at][column] * inverse % prime
                rows[at] = [(a - factor * b) % prime for a, b in zip(rows[at], rows[rank], strict=True)]
        rank += 1
    return rank
