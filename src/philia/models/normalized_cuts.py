"""Normalized cuts: a partition by eigenvectors of the normalized Laplacian, and the densities of its blocks."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.factors import BlockFactors, Factors
from philia.fitting.estimator import check_counts
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.graphs.spectrum import dividing_vector
from philia.models.link_model import LinkModel
from philia.objective import SquaredError
from philia.pairs import HeldOut, seen
from philia.solvers import OnIteration, Solution


class NormalizedCuts(LinkModel):
    """A partition with a small normalized cut; each node is in one group.

    Shi and Malik, "Normalized cuts and image segmentation", 2000. A pair's score is the share of links among the pairs
    of its two groups that are not held out, so the model also predicts links. The partition does not see held-out
    links. Weights are ignored.

    Parameters
    ----------
    n_communities
        The number of groups.
    cut_by
        "k-means" divides the nodes by several eigenvectors at once, as scikit-learn's ``SpectralClustering`` does.
        "signs" divides them by the signs of one, into two groups.
    random_state
        A seed.

    >>> from philia import NormalizedCuts
    >>> triangles = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    >>> [sorted(c.members) for c in NormalizedCuts(2, random_state=0).fit(triangles).communities()]
    [[..., ..., ...], [..., ..., ...]]
    """

    loss = SquaredError()
    factors_: BlockFactors

    def __init__(self, n_communities: int = 8, *, cut_by: str = "k-means", random_state: Any = None) -> None:
        self.n_communities = n_communities
        self.cut_by = cut_by
        self.random_state = random_state

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        began = time.perf_counter()
        known = seen(graph, self.held_out_)
        seed = int(rng.integers(2**31))
        groups = _by_signs(known, seed) if self.cut_by == "signs" else _by_k_means(known, self.n_communities, seed)
        densities = _densities(known, groups, self.held_out_)
        cut = _cut(known, groups)
        solution = Solution(np.empty(0), cut, np.array([cut]), 0, time.perf_counter() - began, "solved", True)
        return BlockFactors(groups, densities), solution

    def _effect(self, strength: float) -> str:
        return f"{strength:.2g} of the pairs within are linked"

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", least=1)
        if self.cut_by not in ("k-means", "signs"):
            raise InvalidParameterError(f"cut_by is {self.cut_by!r}; use 'k-means' or 'signs'")
        if self.cut_by == "signs" and self.n_communities != 2:
            raise InvalidParameterError(
                f"n_communities is {self.n_communities}, but signs divide into two; set it to 2, or use 'k-means'"
            )


def _by_signs(graph: Graph, seed: int) -> Int64Array:
    return (dividing_vector(graph, np.random.default_rng(seed)) >= 0).astype(np.int64)


def _by_k_means(graph: Graph, count: int, seed: int) -> Int64Array:
    if count >= graph.n_nodes - 1:  # about one node per group: nothing to cut
        return np.arange(graph.n_nodes) % count
    from sklearn.cluster import SpectralClustering

    clustering = SpectralClustering(count, affinity="precomputed", random_state=seed)
    matrix = sparse.csr_matrix(graph.adjacency.astype(np.float64))
    with warnings.catch_warnings():
        # A graph with several components is fine: its components are the first cuts.
        warnings.filterwarnings("ignore", message=".*not fully connected.*")
        return np.asarray(clustering.fit_predict(matrix), dtype=np.int64)


def _densities(graph: Graph, groups: Int64Array, held_out: HeldOut | None) -> Float64Array:
    """The link density between each two groups, without held-out pairs; the graph's density where there are none."""
    count = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=count).astype(float)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    links = _by_groups(groups, *graph.links, count)
    if held_out is not None:
        for rows, columns in held_out.blocks(graph.n_nodes):
            pairs -= _by_groups(groups, rows, columns, count)
    return np.where(pairs > 0, links / np.maximum(pairs, 1), graph.density)


def _by_groups(groups: Int64Array, rows: Int64Array, columns: Int64Array, count: int) -> Float64Array:
    """The number of pairs between each two groups, counting both directions."""
    one_way = np.bincount(groups[rows] * count + groups[columns], minlength=count**2).reshape(count, count)
    return np.asarray(one_way + one_way.T, dtype=float)


def _cut(graph: Graph, groups: Int64Array) -> float:
    """The normalized cut: the sum over groups of the share of their links' ends that leave them."""
    links = _by_groups(groups, *graph.links, int(groups.max()) + 1)
    ends = links.sum(axis=1)
    return float(((ends - np.diag(links)) / np.maximum(ends, 1)).sum())
