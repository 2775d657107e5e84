"""vGraph: communities of links, by a mixture model with a variational bound."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Float64Array, FloatArray, Int64Array
from philia.exceptions import InvalidParameterError
from philia.execution import one_blas_thread
from philia.explain import Communities
from philia.explain.communities import communities_of_columns
from philia.factors import CommunityFactors, Factors, MixtureFactors
from philia.fitting.estimator import check_counts
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.models.link_model import LinkModel
from philia.objective import SquaredError
from philia.pairs import seen
from philia.solvers import OnIteration, Solution
from philia.solvers.solver import Record

_LINKS = 1 << 14
"""Links per block; blocks bound the memory of a fit beyond its embeddings."""

_BLUNT = 0.7
"""The initial sharpness of q; see ``_minimize``."""

_SMALL = 0.01
"""Scale of the initial node embeddings: all communities start almost alike, so no early accident decides."""


class VGraph(LinkModel):
    """Overlapping communities of links: each link belongs to one community, a node to those of its links.

    Sun, Qu, Hoffmann, Huang and Tang, "vGraph: a generative model for joint community detection and node
    representation learning", NeurIPS 2019. A link of node w chooses a community z with p(z|w) = softmax(φ_w·ψ_z), then
    its other end c with p(c|z) = softmax(ψ_z·χ_c). The fit maximizes the authors' lower bound on the likelihood of both
    directions of every link, E_q[log p(c|z)] - KL(q ‖ p(z|w)), with one q for both directions, as theirs.

    Two things differ. The expectation over z has k terms and is summed, not sampled. And q is the optimal one for each
    link, q(z) ∝ √(p(z|w) p(c|z) p(z|c) p(w|z)); theirs is a function of the embeddings, softmax((φ_w ⊙ φ_c)·ψ_z), which
    when summed exactly got stuck where all communities are equal. Where their program differs from their paper, this is
    the paper's: no bias in p(c|z), and a smoothness term of p(z|w), not of sums of q.

    A link costs k numbers, and links are processed in blocks, so memory is linear in nodes and links. Since one
    community explains both ends of a link, communities attract. Weights are ignored.

    Parameters
    ----------
    n_communities
        The number of communities.
    dimensions
        The length of the embeddings φ, ψ and χ; with at least ``n_communities`` they restrict nothing.
    smoothness
        The weight of |p(z|w) - p(z|c)|² times the share of common neighbours, for each direction of each link. The
        authors call this vGraph+.
    iterations
        The number of steps of Adam, each over all links.
    learning_rate
        The step size in the first half of the steps; then it falls linearly to zero.
    random_state
        A seed.

    >>> from philia import VGraph
    >>> triangles = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    >>> model = VGraph(2, random_state=0).fit(triangles)
    >>> sorted(sorted(community.members) for community in model.communities(0.5))
    [[0, 1, 2], [3, 4, 5]]
    """

    loss = SquaredError()
    factors_: MixtureFactors

    def __init__(
        self,
        n_communities: int = 8,
        *,
        dimensions: int = 128,
        smoothness: float = 0.0,
        iterations: int = 400,
        learning_rate: float = 0.1,
        random_state: Any = None,
    ) -> None:
        self.n_communities = n_communities
        self.dimensions = dimensions
        self.smoothness = smoothness
        self.iterations = iterations
        self.learning_rate = learning_rate
        self.random_state = random_state

    @property
    def rules(self) -> tuple[str, ...]:
        """Only the authors' own."""
        return ("links",)

    def communities(self, rule: str | float | None = None, *, everything: bool = False) -> Communities:
        """The communities as overlapping sets of node names; memberships are relative to the fullest member.

        ``rule="links"``, the default, is the authors': a node is in every community that has at least one of its
        links. "density", the default of other models, means the same here. A number requires that share of a node's
        links instead.
        """
        return super().communities(rule, everything=everything)

    def _read(self, rule: str | float | None) -> Communities:
        least, said = _least_share(self.rules[0] if rule is None else rule)
        affinities = self.factors_.readable().homophilous
        kept = CommunityFactors.attracting(np.where(self.factors_.shares >= least, affinities, 0.0))
        found = communities_of_columns(self.graph_, kept, np.finfo(float).tiny, self._effect, self.stability_)
        return replace(found, rule=said)

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        with one_blas_thread():  # sums in the same order on any machine
            known = seen(graph, self.held_out_)
            bound = _Bound(known, self.n_communities, self.dimensions, self.smoothness)
            solution = _minimize(bound, bound.start(rng), self.iterations, self.learning_rate, on_iteration)
            return bound.factors(solution.point), solution

    def _effect(self, strength: float) -> str:
        return "links that hang together"

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", "dimensions", "iterations", least=1)
        rate: Any = self.learning_rate
        smoothness: Any = self.smoothness
        if not isinstance(rate, numbers.Real) or not 0 < float(rate) < np.inf:
            raise InvalidParameterError(f"learning_rate is {rate!r}; it must be a number above 0")
        if not isinstance(smoothness, numbers.Real) or not 0 <= float(smoothness) < np.inf:
            raise InvalidParameterError(f"smoothness is {smoothness!r}; it must be a number, 0 or more")


def _least_share(rule: str | float) -> tuple[float, str]:
    """The smallest share of links that makes a node a member, as a number and in words."""
    if rule in ("links", "density"):
        return float(np.finfo(float).tiny), "at least one link in the community"
    if isinstance(rule, (int, float)) and not isinstance(rule, bool) and 0 < rule <= 1:
        return float(rule), f"at least {rule:g} of a node's links in the community"
    raise InvalidParameterError(
        f"the rule is {rule!r}; use 'links' or a share of links above 0 and up to 1 such as 0.25"
    )


class _Bound:
    """Minus the bound on the log-likelihood, as a function of all embeddings in one vector.

    With T_i = log p(z|i) + log p(i|z), the two directions of a link give E_q[T_w + T_c] + 2 H(q), which is largest at
    q = softmax((T_w + T_c) / 2). The slope by T_i is the number of links of i that q expects in each community.
    """

    precision: type[np.floating[Any]] = np.float32

    def __init__(self, graph: Graph, n_communities: int, dimensions: int, smoothness: float) -> None:
        n, k, d = graph.n_nodes, n_communities, dimensions
        self.graph = graph
        self.shapes = ((n, d), (k, d), (n, d))
        self.smoothness = smoothness
        self.laplacian = _laplacian(n, *graph.links, _overlaps(graph)) if smoothness else None

    def start(self, rng: np.random.Generator) -> Float64Array:
        """Random embeddings."""
        sizes = (_SMALL, self.shapes[1][1] ** -0.5, _SMALL)
        parts = [size * rng.standard_normal(shape).ravel() for size, shape in zip(sizes, self.shapes, strict=True)]
        return np.concatenate(parts)

    def __call__(self, point: Float64Array, sharpness: float = 1.0) -> tuple[float, Float64Array]:
        """The value and its gradient, with q sharpened: q ∝ exp(sharpness · (T_w + T_c) / 2)."""
        nodes, communities, contexts = self._embeddings(point.astype(self.precision))
        chosen, reached = _log_softmax(nodes @ communities.T, 1), _log_softmax(contexts @ communities.T, 0)
        value, expected = self._expectation(chosen + reached, sharpness)
        by_chosen, by_reached = -expected, -expected
        if self.laplacian is not None:
            memberships = np.exp(chosen)
            uneven = self.laplacian @ memberships
            value += 2 * self.smoothness * float((memberships * uneven).sum())
            by_chosen = by_chosen + 4 * self.smoothness * uneven * memberships
        by_nodes, by_contexts = _through_softmax(by_chosen, chosen, 1), _through_softmax(by_reached, reached, 0)
        slopes = (by_nodes @ communities, by_nodes.T @ nodes + by_contexts.T @ contexts, by_contexts @ communities)
        return value, np.concatenate([slope.ravel() for slope in slopes]).astype(np.float64)

    def factors(self, point: Float64Array) -> MixtureFactors:
        """The probabilities that the embeddings define."""
        nodes, communities, contexts = self._embeddings(point)
        chosen, reached = _log_softmax(nodes @ communities.T, 1), _log_softmax(contexts @ communities.T, 0)
        return MixtureFactors(
            np.exp(chosen), np.exp(reached), self.graph.degrees.astype(np.float64), self._shares(chosen + reached)
        )

    def _embeddings(self, point: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        parts = np.split(point, np.cumsum([rows * columns for rows, columns in self.shapes])[:-1])
        nodes, communities, contexts = (part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True))
        return nodes, communities, contexts

    def _expectation(self, together: FloatArray, sharpness: float) -> tuple[float, FloatArray]:
        """Minus the bound, and the expected number of links of each node in each community."""
        expected, value = np.zeros_like(together), 0.0
        for ends in self._ends(together.dtype):
            joint = ends @ together / 2
            logs = _log_softmax(sharpness * joint, 1)
            q = np.exp(logs)
            value -= 2 * float(np.einsum("ij,ij->", q, joint - logs, dtype=np.float64))
            expected += ends.T @ q
        return value, expected

    def _shares(self, together: Float64Array) -> Float64Array:
        """For each node and community, the share of the node's links that are most likely in it (n × k)."""
        counts, k = np.zeros(together.shape), together.shape[1]
        for ends in self._ends(together.dtype):
            counts += ends.T @ np.eye(k)[(ends @ together).argmax(axis=1)]
        return counts / np.maximum(self.graph.degrees, 1)[:, None]

    def _ends(self, dtype: Any) -> Iterator[sparse.csr_array]:
        """Blocks of links, one row per link with a one at each of its two ends."""
        for w, c in _chunks(*self.graph.links):
            columns = np.stack([w, c], axis=1).ravel()
            starts = np.arange(0, columns.size + 1, 2)
            yield sparse.csr_array((np.ones(columns.size, dtype), columns, starts), shape=(w.size, self.graph.n_nodes))


def _log_softmax(logits: FloatArray, axis: int) -> FloatArray:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)))


def _through_softmax(slopes: FloatArray, logs: FloatArray, axis: int) -> FloatArray:
    """The slopes by logits, from those by their log-softmax."""
    return np.asarray(slopes - np.exp(logs) * slopes.sum(axis=axis, keepdims=True))


def _minimize(
    bound: _Bound, start: Float64Array, iterations: int, learning_rate: float, on_iteration: OnIteration | None
) -> Solution:
    """The best embeddings that Adam (Kingma and Ba, 2015) finds.

    In the first half of the steps, q is annealed from blunt to sharp: if it is sharp from the beginning, links settle
    early and badly. (The authors anneal the temperature of their samples for the same reason.) In the second half the
    steps shrink, so that the search ends at a point and does not oscillate. The second moment averages about a hundred
    gradients, not a thousand, because gradients change in size once communities begin to differ.
    """
    record = Record(lambda at: bound(at, _sharpness(record.evaluations / iterations)), iterations, on_iteration)
    point, reason = start.copy(), "stopped at the limit of iterations"
    mean, square = np.zeros_like(point), np.zeros_like(point)
    try:
        _, gradient = record(point)
        for done in range(1, iterations + 1):
            mean += 0.1 * (gradient - mean)
            square += 0.01 * (gradient**2 - square)
            size = learning_rate * min(1.0, 2 - 2 * (done - 1) / iterations)
            point -= size * (mean / (1 - 0.9**done)) / (np.sqrt(square / (1 - 0.99**done)) + 1e-8)
            value, gradient = record(point)
            record.stepped(value)
    except KeyboardInterrupt:
        reason = "interrupted"
    return record.solution(start, reason, converged=False)


def _sharpness(done: float) -> float:
    """The sharpness of q after a share of the steps."""
    return min(1.0, _BLUNT + (1 - _BLUNT) * 2 * done)


def _overlaps(graph: Graph) -> Float64Array:
    """The share of common neighbours among all neighbours of the two ends of each link."""
    neighbours = graph.adjacency.astype(np.float32)
    chunks = [(neighbours[w].multiply(neighbours[c]).sum(axis=1), w, c) for w, c in _chunks(*graph.links)]
    parts = [common / (graph.degrees[w] + graph.degrees[c] - common) for common, w, c in chunks]
    return np.concatenate([np.empty(0), *parts])


def _laplacian(n: int, rows: Int64Array, columns: Int64Array, weights: Float64Array) -> sparse.csr_array:
    """L with tr(Pᵀ L P) = the sum over links of weight · |P_w - P_c|²."""
    one_way = sparse.coo_array((weights, (rows, columns)), shape=(n, n))
    both = (one_way + one_way.T).tocsr()
    return (sparse.diags_array(both.sum(axis=1)) - both).tocsr()


def _chunks(rows: Int64Array, columns: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
    for at in range(0, len(rows), _LINKS):
        yield rows[at : at + _LINKS], columns[at : at + _LINKS]
