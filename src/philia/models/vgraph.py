"""vGraph: communities of links, by a mixture model on torch."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError, MissingDependencyError
from philia.explain import Communities, find_communities
from philia.factors import CommunityFactors, Factors, MixtureFactors
from philia.graphs import Graph
from philia.models.checks import check_counts
from philia.models.link_model import LinkModel
from philia.objective import SquaredError, seen
from philia.solvers import OnIteration, Solution
from philia.solvers.solver import Record

_LINKS = 1 << 14
"""Links that are looked at together: all the memory that the fit takes besides the embeddings."""

_BLUNT = 0.7
"""The sharpness at which the search begins; see ``_minimize``."""

_SMALL = 0.01
"""The size of the nodes' first embeddings: all communities begin alike, so that no early accident decides."""


class VGraph(LinkModel):
    """Overlapping communities from the links of each node: a link belongs to a community, a node to those of its links.

    Sun, Qu, Hoffmann, Huang and Tang, "vGraph: a generative model for joint community detection and node
    representation learning", NeurIPS 2019. A link of node w chooses a community z with p(z|w) = softmax(φ_w·ψ_z), then
    its other end c with p(c|z) = softmax(ψ_z·χ_c). What is maximised is the authors' bound on the likelihood of both
    directions of every link, E_q[log p(c|z)] - KL(q ‖ p(z|w)), in which q, as theirs, is one for both directions.

    Two things differ. The mean over z has k terms and is summed instead of sampled. And q is the best there is for a
    link, q(z) ∝ √(p(z|w) p(c|z) p(z|c) p(w|z)), where theirs is a function of the embeddings, softmax((φ_w ⊙ φ_c)·ψ_z):
    summed exactly, that one was seen to stop where all communities are the same. So a link costs k numbers, and as
    links are taken some thousands at a time, memory is linear in nodes and links. As one community stands for both
    ends of a link, communities attract.

    Parameters
    ----------
    n_communities
        The number of communities.
    dimensions
        The length of the embeddings φ, ψ and χ; from ``n_communities`` on they restrict nothing.
    smoothness
        The weight of |p(z|w) - p(z|c)|², times the share of common neighbours, for each direction of each link. The
        authors call the model with it vGraph+.
    iterations
        Steps of Adam, each over all links.
    learning_rate
        The size of those steps until half of them are done; from there it falls to zero.
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

    def communities(self, rule: str | float = "links") -> Communities:
        """The communities as overlapping sets of names; a membership is relative to the fullest member.

        ``rule="links"`` is the authors': a node is in each community that at least one of its links is in. "density",
        the rule of other models, means the same here. A number asks for that share of the node's links instead.
        """
        check_is_fitted(self)
        least, said = _least_share(rule)
        affinities = self.factors_.readable().homophilous
        kept = CommunityFactors.attracting(np.where(self.factors_.shares >= least, affinities, 0.0))
        found = find_communities(self.graph_, kept, np.finfo(float).tiny, self._effect)
        return replace(found, rule=said)

    def _learn(
        self, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        with _one_thread():
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
    """The smallest share of a node's links that makes it a member, and the same in words."""
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
        self.links = graph.links
        self.shapes = ((n, d), (k, d), (n, d))
        self.smoothness = smoothness
        self.laplacian = _laplacian(n, *self.links, _overlaps(graph)) if smoothness else None

    def start(self, rng: np.random.Generator) -> Float64Array:
        """Embeddings by chance."""
        sizes = (_SMALL, self.shapes[1][1] ** -0.5, _SMALL)
        return np.concatenate(
            [
                size * rng.standard_normal(rows * columns)
                for size, (rows, columns) in zip(sizes, self.shapes, strict=True)
            ]
        )

    def __call__(self, point: Float64Array, sharpness: float = 1.0) -> tuple[float, Float64Array]:
        """The value and its gradient, with q sharpened: q ∝ exp(sharpness · (T_w + T_c) / 2)."""
        torch = _torch()
        x = torch.from_numpy(point.astype(self.precision)).requires_grad_()
        chosen, reached = self._logarithms(x)
        together = chosen + reached
        value, expected = self._expectation(together.detach(), sharpness)
        outputs, slopes = [together], [-expected]
        if self.laplacian is not None:
            memberships = chosen.exp()
            uneven = self.laplacian @ memberships.detach().numpy()
            value += 2 * self.smoothness * float((memberships.detach().numpy() * uneven).sum())
            outputs.append(memberships)
            slopes.append(torch.from_numpy(4 * self.smoothness * uneven).to(x.dtype))
        (gradient,) = torch.autograd.grad(outputs, x, slopes)
        return value, gradient.double().numpy()

    def factors(self, point: Float64Array) -> MixtureFactors:
        """What the embeddings say."""
        chosen, reached = self._logarithms(_torch().from_numpy(point))
        return MixtureFactors(
            chosen.exp().numpy(),
            reached.exp().numpy(),
            self.graph.degrees.astype(np.float64),
            self._shares((chosen + reached).numpy()),
        )

    def _logarithms(self, x: Any) -> tuple[Any, Any]:
        """log p(z|i) and log p(i|z), both n × k."""
        torch = _torch()
        parts = x.split([rows * columns for rows, columns in self.shapes])
        nodes, communities, contexts = (part.view(shape) for part, shape in zip(parts, self.shapes, strict=True))
        return torch.log_softmax(nodes @ communities.T, dim=1), torch.log_softmax(contexts @ communities.T, dim=0)

    def _expectation(self, together: Any, sharpness: float) -> tuple[float, Any]:
        """Minus the bound, and how many links of each node are expected in each community."""
        torch = _torch()
        expected, value = torch.zeros_like(together), 0.0
        for w, c in _chunks(*self.links):
            rows, columns = torch.from_numpy(w), torch.from_numpy(c)
            joint = together.index_select(0, rows).add_(together.index_select(0, columns)).div_(2)
            logs = torch.log_softmax(sharpness * joint, dim=1)
            q = logs.exp()
            value -= 2 * float(joint.sub_(logs).mul_(q).sum(dtype=torch.float64))
            expected.index_add_(0, rows, q).index_add_(0, columns, q)
        return value, expected

    def _shares(self, together: Float64Array) -> Float64Array:
        """The share of each node's links whose likeliest community is each (n × k)."""
        n, k = together.shape
        counts = np.zeros(n * k)
        for w, c in _chunks(*self.links):
            community = (together[w] + together[c]).argmax(axis=1)
            counts += np.bincount(np.concatenate([w * k + community, c * k + community]), minlength=n * k)
        return counts.reshape(n, k) / np.maximum(self.graph.degrees, 1)[:, None]


def _minimize(
    bound: _Bound, start: Float64Array, iterations: int, learning_rate: float, on_iteration: OnIteration | None
) -> Solution:
    """The best embeddings that Adam finds.

    In the first half of the steps q sharpens, from blunt to what it is: with all of its sharpness from the beginning
    links settle early and badly. (The authors cool the noise of their samples, to the same end.) In the second half
    the steps shrink, so that the end is not one point of many that Adam swings between. Steps are measured by the
    last hundred gradients, not by the last thousand: those are of another size once communities begin to differ.
    """
    torch = _torch()
    point = start.copy()
    x = torch.from_numpy(point)  # the same numbers: a step of the optimiser moves the point
    optimizer = torch.optim.Adam([x], lr=learning_rate, betas=(0.9, 0.99))
    record = Record(lambda at: bound(at, _sharpness(record.evaluations / iterations)), iterations, on_iteration)
    reason = "stopped at the limit of iterations"
    try:
        _, gradient = record(point)
        for done in range(iterations):
            optimizer.param_groups[0]["lr"] = learning_rate * min(1.0, 2 - 2 * done / iterations)
            x.grad = torch.from_numpy(gradient)
            optimizer.step()
            value, gradient = record(point)
            record.stepped(value)
    except KeyboardInterrupt:
        reason = "interrupted"
    return record.solution(start, reason, converged=False)


def _sharpness(done: float) -> float:
    """How sharp q is after a share of the steps."""
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


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums in the same order whatever the machine, so that the same seed gives the same result."""
    torch = _torch()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingDependencyError(
            "VGraph runs on torch, which is not installed; install it with `pip install 'philia[vgraph]'`"
        ) from None
    return torch
