"""Pairs of nodes drawn about as often as a planted graph links them, without looking at all pairs.

With u the exponentials of the nodes' own log-odds, and a community c that adds t_c to the log-odds of its members, the
odds of a pair are at most u_i u_j times the product of exp(t_c) over the communities that both are in. Multiplied out,
exp(t_c) = 1 + (exp(t_c) - 1), this is a sum: u_i u_j for all pairs, (exp(t_c) - 1) u_i u_j for the members of each c,
and a product of two such factors for the nodes that are in two communities. Each term is a product of node weights, so
its pairs can be drawn one end at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from philia._types import Float64Array, Int64Array

_NODES = 2**15
"""How many nodes draw their partners at once."""


@dataclass(frozen=True, eq=False)
class PairSource:
    """Nodes of which any two, i and j, are drawn at the rate strength · weights_i · weights_j.

    >>> PairSource(np.array([4, 7]), np.array([1.0, 3.0]), 2.0).rate
    16.0
    """

    nodes: Int64Array
    weights: Float64Array
    strength: float

    @property
    def rate(self) -> float:
        """How many pairs are expected, pairs of a node with itself included: they are drawn but not given."""
        return float(self.strength * self.weights.sum() ** 2 / 2)

    def draw(self, share: float, rng: np.random.Generator) -> Iterator[tuple[Int64Array, Int64Array]]:
        """Pairs at a share of the rates, each as often as a Poisson number says, in pieces."""
        up_to = np.cumsum(self.weights)
        # Ordered pairs, of which an unordered one has two: hence the half.
        expected = share * self.strength / 2 * up_to[-1] * self.weights
        for first in range(0, len(self.nodes), _NODES):
            some = slice(first, first + _NODES)
            i = np.repeat(self.nodes[some], rng.poisson(expected[some]))
            at = np.searchsorted(up_to, rng.random(len(i)) * up_to[-1], side="right").clip(max=len(up_to) - 1)
            j = self.nodes[at]
            yield i[i != j], j[i != j]


def pair_sources(B: Float64Array, spread: Float64Array) -> list[PairSource]:
    """Sources whose rates add up to exp(B_i · B_j + spread_i + spread_j) for every pair.

    A column of B is one number for its members and 0 for the others, and a node is a member of at most two.

    >>> sources = pair_sources(np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]]), np.zeros(3))
    >>> [source.nodes.tolist() for source in sources]
    [[0, 1, 2], [0, 1, 2], [0, 1], [0, 1]]
    >>> bool(np.isclose(sum(source.strength for source in sources), np.exp(2)))  # the first two nodes are in all
    True
    """
    weights, extra = np.exp(spread), np.expm1(B.max(axis=0, initial=0) ** 2)
    sources = [PairSource(np.arange(len(B)), weights, 1.0)]
    for column, strength in zip(B.T, extra, strict=True):
        members = np.flatnonzero(column)
        sources.append(PairSource(members, weights[members], float(strength)))
    in_two = np.flatnonzero(np.count_nonzero(B, axis=1) == 2)
    first, second = np.nonzero(B[in_two])[1].reshape(-1, 2).T
    codes = first * B.shape[1] + second
    order = np.argsort(codes, kind="stable")
    for code, members in zip(*_runs(codes[order], in_two[order]), strict=True):
        strength = extra[code // B.shape[1]] * extra[code % B.shape[1]]
        sources.append(PairSource(members, weights[members], float(strength)))
    return [source for source in sources if len(source.nodes) > 1]


def _runs(keys: Int64Array, values: Int64Array) -> tuple[Int64Array, list[Int64Array]]:
    """Each of the sorted keys once, and the values that belong to it."""
    different, starts = np.unique(keys, return_index=True)
    return different, np.split(values, starts[1:]) if len(different) else []
