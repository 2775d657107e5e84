"""Random graphs whose truth is known: from link probabilities, the paper's dating app, and planted communities.

**Planted communities.** Small graphs are drawn pair by pair. For a large one, pairs are drawn about as often as they
are linked, without visiting all of them. With u the exponentials of the nodes' own log-odds, and a community c that
adds t_c to the log-odds of its members, the odds of a pair are at most u_i u_j times the product of exp(t_c) over their
shared communities. With exp(t_c) = 1 + (exp(t_c) - 1) multiplied out, this is a sum: u_i u_j for all pairs, (exp(t_c) -
1) u_i u_j for the members of each c, and a product of two such factors for the nodes that are in two communities. Each
term is a product of node weights, so its pairs can be drawn one end at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.graphs import Changes, Graph, Nodes

Probabilities = Callable[[slice, slice], Float64Array]
_BLOCK = 2048
"""Rows and columns drawn at a time: 32 MB of random numbers. Graphs drawn with a seed depend on it."""

_ALL_PAIRS = 8192
"""Up to this many nodes all pairs are visited: some seconds at most. Graphs drawn with a seed depend on it."""

_SAMPLE = 200_000
"""Pairs from which the level of the log-odds is found: enough for the mean degree to be within a few percent."""

_LEVELS = -60, 60
"""Where the level of the log-odds is searched for: probabilities from 10^-26 to 1 - 10^-26."""

_NODES = 2**15
"""Nodes whose partners are drawn at a time, which bounds the memory."""


def sample_graph(probabilities: Probabilities, nodes: Nodes, rng: np.random.Generator) -> Graph:
    """A graph in which each pair of nodes is linked independently, with its own probability.

    ``probabilities`` returns the probabilities of all pairs of a slice of rows and a slice of columns.

    >>> certain = sample_graph(lambda rows, columns: np.ones((3, 3)), Nodes("abc"), np.random.default_rng(0))
    >>> certain
    Graph(3 nodes, 3 links)
    """
    rows, columns = [], []
    for top in range(0, len(nodes), _BLOCK):
        for first in range(top, len(nodes), _BLOCK):
            block = probabilities(slice(top, top + _BLOCK), slice(first, first + _BLOCK))
            i, j = np.nonzero(rng.random(block.shape) < block)
            above = top + i < first + j
            rows.append(top + i[above])
            columns.append(first + j[above])
    return Graph.from_rows(np.concatenate(rows), np.concatenate(columns), nodes)


@dataclass(frozen=True, eq=False)
class DatingApp:
    """A sampled network, the city and gender of each node, and the probabilities it was drawn from.

    >>> app = dating_app(n=50, cities=2, random_state=0)
    >>> app.city.shape, app.probabilities().shape
    ((50,), (50, 50))
    """

    graph: Graph
    city: Int64Array
    gender: Int64Array
    _by_kind: Float64Array

    def probabilities(self, rows: slice = slice(None), columns: slice = slice(None)) -> Float64Array:
        """The true probability of a match for all pairs of these rows and columns."""
        return _probabilities(self.city, self.gender, self._by_kind, rows, columns)


def dating_app(
    n: int = 1000,
    cities: int = 10,
    *,
    same_city_other_gender: float = 0.5,
    same_city_same_gender: float = 0.05,
    other_city_other_gender: float = 0.05,
    other_city_same_gender: float = 0.005,
    random_state: Any = None,
) -> DatingApp:
    """A network with both kinds of communities: cities attract, genders repel.

    Every user lives in a random city and has a random gender; the four probabilities of a match depend on whether two
    users share them. The names of the nodes are 0 … n - 1.

    >>> app = dating_app(random_state=0)
    >>> app.graph.n_nodes, len(set(app.city.tolist())), len(set(app.gender.tolist()))
    (1000, 10, 2)
    """
    rng = np.random.default_rng(random_state)
    city, gender = rng.integers(cities, size=n), rng.integers(2, size=n)
    by_kind = np.array(
        [[other_city_other_gender, other_city_same_gender], [same_city_other_gender, same_city_same_gender]]
    )
    graph = sample_graph(lambda r, c: _probabilities(city, gender, by_kind, r, c), Nodes.numbered(n), rng)
    return DatingApp(graph, city, gender, by_kind)


def _probabilities(
    city: Int64Array, gender: Int64Array, by_kind: Float64Array, rows: slice, columns: slice
) -> Float64Array:
    same_city = (city[rows][:, None] == city[columns]).astype(int)
    same_gender = (gender[rows][:, None] == gender[columns]).astype(int)
    return np.asarray(by_kind[same_city, same_gender])


@dataclass(frozen=True, eq=False)
class Planted:
    """A graph and the model it was drawn from: the probability of a link is sigmoid(B Bᵀ - C Cᵀ + a_i + a_j).

    >>> found = planted(60, 3, 2, random_state=0)
    >>> len(found.homophilous), len(found.heterophilous), found.B.shape
    (3, 2, (60, 3))
    """

    graph: Graph
    B: Float64Array
    C: Float64Array
    background: Float64Array

    @property
    def homophilous(self) -> list[set[Node]]:
        """The members of each attracting community."""
        return self._sets(self.B)

    @property
    def heterophilous(self) -> list[set[Node]]:
        """The members of each repelling community."""
        return self._sets(self.C)

    def logits(self, rows: slice = slice(None), columns: slice = slice(None)) -> Float64Array:
        """The true log-odds of a link for all pairs of these rows and columns."""
        a = self.background
        return np.asarray(
            self.B[rows] @ self.B[columns].T - self.C[rows] @ self.C[columns].T + a[rows][:, None] + a[columns]
        )

    def logits_of(self, rows: Int64Array, columns: Int64Array) -> Float64Array:
        """The true log-odds of a link for each pair (rows[t], columns[t])."""
        B, a = self.B, self.background
        return np.asarray((B[rows] * B[columns]).sum(axis=1) - self.repelled(rows, columns) + a[rows] + a[columns])

    def repelled(self, rows: Int64Array, columns: Int64Array) -> Float64Array:
        """What repelling communities subtract from the log-odds of each pair (rows[t], columns[t])."""
        return np.asarray((self.C[rows] * self.C[columns]).sum(axis=1))

    def _sets(self, columns: Float64Array) -> list[set[Node]]:
        return [set(self.graph.nodes.pick(np.flatnonzero(column))) for column in columns.T]


def planted(
    n: int = 1000,
    n_homophilous: int = 10,
    n_heterophilous: int = 2,
    *,
    degree: float = 20.0,
    attraction: float = 4.0,
    repulsion: float = 3.0,
    overlap: float = 0.2,
    popularity: float = 0.0,
    random_state: Any = None,
) -> Planted:
    """A graph with planted communities of both kinds, some overlap, and popular and unpopular nodes.

    Every node is in one random attracting community and in one repelling one. A share ``overlap`` of the nodes is in a
    second attracting one. Sharing an attracting community adds ``attraction`` to the log-odds of a link, sharing a
    repelling one subtracts ``repulsion``. ``popularity`` is the spread of the nodes' own log-odds: they are
    exponential, so degrees follow a power law; 0 makes all nodes alike. The level is set so that a node has ``degree``
    links on average.

    >>> graph = planted(400, 4, 2, degree=15, random_state=0).graph
    >>> graph.n_nodes, bool(abs(graph.degrees.mean() - 15) < 2)
    (400, True)
    """
    if not 0 < degree < n - 1:
        raise InvalidParameterError(f"degree is {degree:g} with {n:,} nodes; expected 0 < degree < n - 1")
    rng = np.random.default_rng(random_state)
    B = np.sqrt(attraction) * _memberships(n, n_homophilous, overlap, rng)
    C = np.sqrt(repulsion) * _memberships(n, n_heterophilous, 0.0, rng)
    # Cut off at six times the mean, which one node in 400 exceeds: otherwise one node may take most of the links.
    spread = np.minimum(popularity * rng.exponential(size=n), 6 * popularity)
    empty = np.empty(0, np.int64)
    drawn = Planted(Graph.from_rows(empty, empty, Nodes.numbered(n)), B, C, spread)
    find_level, draw_graph = (_level, _graph) if n <= _ALL_PAIRS else (_level_of_many, _graph_of_many)
    drawn = replace(drawn, background=spread + find_level(drawn, degree / (n - 1), rng) / 2)
    return replace(drawn, graph=draw_graph(drawn, rng))


def _level(drawn: Planted, density: float, rng: np.random.Generator) -> float:
    """What to add to all log-odds to reach the density, from a sample of pairs."""
    i, j = rng.integers(drawn.graph.n_nodes, size=(2, _SAMPLE))
    i, j = i[i != j], j[i != j]
    scores = drawn.logits_of(i, j)
    return _root(lambda shift: scipy.special.expit(scores + shift).mean() - density)


def _graph(drawn: Planted, rng: np.random.Generator) -> Graph:
    return sample_graph(lambda r, c: scipy.special.expit(drawn.logits(r, c)), drawn.graph.nodes, rng)


def _level_of_many(drawn: Planted, density: float, rng: np.random.Generator) -> float:
    """The same from pairs drawn about as often as they are linked: in a large graph other pairs hardly matter."""
    n, sources = drawn.graph.n_nodes, pair_sources(drawn.B, drawn.background)
    share = _SAMPLE / sum(source.rate for source in sources)
    pairs = [pair for source in sources for pair in source.draw(share, rng)]
    i, j = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    scores = drawn.logits_of(i, j)
    stand_for = np.exp(-scores - drawn.repelled(i, j)) / share
    return _root(lambda shift: scipy.special.expit(scores + shift) @ stand_for - density * n * (n - 1) / 2)


def _root(excess: Callable[[float], float]) -> float:
    """The level at which nothing is in excess."""
    from scipy.optimize import brentq  # it takes as long to load as all of philia

    return float(brentq(excess, *_LEVELS))


def _graph_of_many(drawn: Planted, rng: np.random.Generator) -> Graph:
    """A graph in time linear in nodes and links, unless it is so dense that visiting all pairs is cheaper.

    A pair is linked if a Poisson number with mean log(1 + odds) is positive, which has the probability sigmoid(logit).
    The sources draw each pair with a mean that is at least as large, and a random part of what they draw is kept.
    """
    n, sources = drawn.graph.n_nodes, pair_sources(drawn.B, drawn.background)
    if sum(source.rate for source in sources) > n**2 / 2:
        return _graph(drawn, rng)
    index = np.int32 if n < 2**31 else np.int64
    rows, columns = [np.empty(0, index)], [np.empty(0, index)]
    for source in sources:
        for i, j in source.draw(1.0, rng):
            logits = drawn.logits_of(i, j)
            kept = rng.random(len(i)) * np.exp(logits + drawn.repelled(i, j)) < np.logaddexp(0, logits)
            rows.append(i[kept].astype(index))
            columns.append(j[kept].astype(index))
    graph = Graph.from_rows(np.concatenate(rows), np.concatenate(columns), drawn.graph.nodes)
    return replace(graph, changes=Changes())  # a pair drawn twice is not a change to the data


def _memberships(n: int, k: int, overlap: float, rng: np.random.Generator) -> Float64Array:
    """One community per node, and a second one for a share of the nodes."""
    V = np.zeros((n, k))
    if k:
        V[np.arange(n), rng.integers(k, size=n)] = 1
        also = np.flatnonzero(rng.random(n) < overlap)
        V[also, rng.integers(k, size=len(also))] = 1
    return V


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
        """The expected number of pairs, including those of a node with itself, which are drawn but not returned."""
        return float(self.strength * self.weights.sum() ** 2 / 2)

    def draw(self, share: float, rng: np.random.Generator) -> Iterator[tuple[Int64Array, Int64Array]]:
        """Pairs at a share of their rates, each a Poisson number of times, in batches."""
        up_to = np.cumsum(self.weights)
        # These are ordered pairs; an unordered pair counts twice, hence the half.
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
    """The distinct sorted keys, and the values of each."""
    different, starts = np.unique(keys, return_index=True)
    return different, np.split(values, starts[1:]) if len(different) else []
