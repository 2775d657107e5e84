"""The description length of groups: how many nats it takes to write down the groups, and the links given them.

Links are described by a small model. Nodes i and j are linked with probability sigmoid(a_i + a_j + s + w_c) if both are
in group c, and sigmoid(a_i + a_j + s) otherwise, with one strength w_c ≥ 0 per group. The popularity a is the one that
fits the degrees without any groups. It is not fitted again, because free popularities explain a group away: one of two
cliques would become "popular nodes".

    length = -log P(links) + ridge Σ w_c² + k/2 log(n (n - 1) / 2)
             + log n! - Σ_p log n_p! + log C(n - 1, P - 1) + log n

The last terms write down the label of each node: P labels are in use, n_p nodes have label p, and "in none" is one of
the labels. A shorter description of the same graph means structure that is really there; no groups at all is one of the
descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph

_CLASSES = 24
"""The most classes of popularity. Up to this many different degrees are told apart exactly; where there are more, a
class is a range of degrees whose ends differ by a constant factor. With 40, the groups of the tuning graphs are the
same."""

RIDGE = 0.05
"""The penalty on the square of a strength: a clique without it would have an infinite one."""

_POPULARITY_RIDGE = 0.01
"""The penalty on the square of a popularity's distance from the mean: enough for a node that is linked with all."""

_LEVEL_RIDGE = 1e-6
"""The same for the mean itself: a complete graph would have an infinite one."""

LEAST = 3
"""The fewest members of a group: two nodes are a link."""


@dataclass(frozen=True, eq=False)
class Description:
    """Groups of nodes with their strengths, and the length of the description of a graph by them, in nats.

    ``labels`` holds the group of each node, or -1. ``saved`` is by how much the description is shorter than one
    without groups.
    """

    labels: Int64Array
    strengths: Float64Array
    level: float
    length: float
    saved: float
    histograms: Float64Array
    links: Float64Array
    costs: Float64Array

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.strengths)

    @property
    def sizes(self) -> Float64Array:
        """The number of nodes in each group."""
        return np.asarray(self.histograms.sum(axis=1))


class DescriptionLength:
    """Descriptions of one graph.

    >>> from philia.datasets import classic
    >>> lengths = DescriptionLength(classic("karate"))
    >>> everyone = lengths.describe(np.zeros(34, np.int64))
    >>> everyone.count, everyone.saved < 0
    (1, True)
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.n, self.m = graph, graph.n_nodes, graph.n_links
        self.classes = popularity_classes(graph.degrees)
        self.counts = np.bincount(self.classes).astype(np.float64)
        self.popularity = fitted_popularity(graph.degrees, self.classes)
        starts, neighbours = graph.adjacency.indptr, graph.adjacency.indices
        self.rows = starts.astype(np.int64), neighbours.astype(np.int64)
        self.pairs = np.outer(self.counts, self.counts) / 2
        self.pairs[np.diag_indices_from(self.pairs)] -= self.counts / 2
        self.per_group = 0.5 * float(np.log(max(1, self.n * (self.n - 1) / 2)))

    @cached_property
    def none(self) -> Description:
        """The description without groups."""
        return self._described(np.full(self.n, -1, np.int64), None)

    def describe(self, labels: Int64Array) -> Description:
        """The shortest description with these groups; those of fewer than three nodes are dropped."""
        return self._described(tidied(labels), self.none.length)

    def code(self, sizes: Int64Array) -> float:
        """The length of writing down a label for every node, with this many nodes of each label."""
        sizes, n, log_factorials = sizes[sizes > 0], self.n, self._log_factorials
        used = len(sizes)
        choices = log_factorials[n] - log_factorials[sizes].sum()
        counts = log_factorials[n - 1] - log_factorials[used - 1] - log_factorials[n - used]
        return float(choices + counts + np.log(n))

    def _described(self, labels: Int64Array, none: float | None) -> Description:
        from philia.reading import counting, kernels

        counting.prepare()
        H, links, sizes = counting.group_counts(labels, self.classes, len(self.counts), self.rows)
        k = len(links)
        # Any start leads to the same minimum, since the cost is convex; from 2 it takes the fewest steps.
        w = np.full(k, 2.0)
        level, level_cost, costs = kernels.fit_strengths(
            H, links, self.popularity, self.pairs, float(self.m), 0.0, w, RIDGE
        )
        length = self._own + level_cost + float(costs.sum()) + k * self.per_group + self.code(sizes)
        saved = 0.0 if none is None else none - length
        return Description(labels, w, level, length, saved, H, links, costs)

    @cached_property
    def _own(self) -> float:
        """What the popularity of nodes takes off the length, whatever the groups."""
        return -float((self.graph.degrees * self.popularity[self.classes]).sum())

    @cached_property
    def _log_factorials(self) -> Float64Array:
        """log m! for each m up to n."""
        from scipy.special import gammaln  # it takes long to load

        return np.asarray(gammaln(np.arange(self.n + 1) + 1.0))

    def gains(self, description: Description) -> sparse.csr_array:
        """By how much each node's links become likelier if it joins a group that it is linked with as well (n × k).

        Entries are stored for those groups alone: joining any other makes a node's links less likely.
        """
        from philia.reading import kernels

        w = description.strengths
        costs = kernels.group_costs(description.histograms, self.popularity, description.level, w)
        found = self.links_into(description.labels, description.count)
        groups = found.indices
        gained = found.data * w[groups] - costs[groups, np.repeat(self.classes, np.diff(found.indptr))]
        return sparse.csr_array((gained, groups, found.indptr), shape=found.shape)

    def links_into(self, labels: Int64Array, k: int) -> sparse.csr_array:
        """The number of links of each node with nodes of each group (n × k)."""
        starts, neighbours = self.rows
        own, other = np.repeat(np.arange(self.n), np.diff(starts)), labels[neighbours]
        inside = other >= 0
        ones = np.ones(np.count_nonzero(inside))
        return sparse.csr_array(sparse.coo_array((ones, (own[inside], other[inside])), shape=(self.n, k)))


def tidied(labels: Int64Array) -> Int64Array:
    """The same groups numbered from 0, without those of fewer than three nodes.

    >>> tidied(np.array([5, 5, 5, 2, 2, -1, 9, 9, 9])).tolist()
    [0, 0, 0, -1, -1, -1, 1, 1, 1]
    """
    large = np.bincount(labels + 1, minlength=1) >= LEAST
    large[0] = False
    return np.where(large, np.cumsum(large) - 1, -1)[labels + 1]


def popularity_classes(degrees: Int64Array) -> Int64Array:
    """The class of each node: nodes of one class have the same degree, or nearly.

    >>> popularity_classes(np.array([1, 7, 1, 3])).tolist()
    [0, 2, 0, 1]
    """
    different = np.unique(degrees)
    if len(different) <= _CLASSES:
        return np.searchsorted(different, degrees)
    ends = np.unique(np.geomspace(max(1, different[0]), different[-1] + 1, _CLASSES).round().astype(np.int64))
    return np.asarray(np.unique(np.searchsorted(ends, degrees, side="right"), return_inverse=True)[1], np.int64)


def fitted_popularity(degrees: Int64Array, classes: Int64Array) -> Float64Array:
    """The popularity a of each class with which sigmoid(a_i + a_j) has the given degrees on average.

    >>> degrees = np.array([2] * 20 + [5] * 20)
    >>> a = fitted_popularity(degrees, popularity_classes(degrees))
    >>> from scipy.special import expit
    >>> (19 * expit(2 * a[0]) + 20 * expit(a[0] + a[1])).round(1)  # of a node with two links
    np.float64(2.0)
    """
    from scipy.special import expit  # it takes long to load

    counts = np.bincount(classes).astype(np.float64)
    mean = np.bincount(classes, degrees) / counts
    a = np.log(np.maximum(mean, 0.1) / np.sqrt(max(1.0, degrees.sum())))
    for _ in range(200):
        p = expit(a[:, None] + a)
        away = a - counts @ a / len(degrees)
        gradient = counts * (p @ counts - np.diag(p) - mean + 2 * _POPULARITY_RIDGE * away + 2 * _LEVEL_RIDGE * a)
        slopes = p * (1 - p)
        hessian = np.outer(counts, counts) * slopes
        own = slopes @ counts - 2 * np.diag(slopes) + 2 * (_POPULARITY_RIDGE + _LEVEL_RIDGE)
        hessian[np.diag_indices_from(hessian)] += counts * own
        step = np.clip(np.linalg.solve(hessian, gradient), -1, 1)
        a = a - step
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(a)
