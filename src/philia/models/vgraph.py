"""vGraph: communities of links, by a mixture model on torch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError, MissingDependencyError
from philia.explain import Communities, find_communities
from philia.factors import Factors, MixtureFactors
from philia.graphs import Graph
from philia.models.checks import check_counts
from philia.models.link_model import LinkModel
from philia.objective import SquaredError, seen
from philia.solvers import OnIteration, Progress, Solution

_LINKS = 1 << 15
"""Links that are looked at together: what memory the fit takes besides the embeddings."""

_PATIENCE, _GAIN = 25, 1e-4
"""The search ends when so many steps have brought less than this share of the loss."""


class VGraph(LinkModel):
    """Overlapping communities from the links of each node: a link belongs to a community, a node to those of its links.

    Sun, Qu, Hoffmann, Huang and Tang, "vGraph: a generative model for joint community detection and node
    representation learning", NeurIPS 2019. A link of node w chooses a community z with p(z|w) = softmax(φ_w·ψ_z), then
    its other end c with p(c|z) = softmax(ψ_z·χ_c). The authors maximise a lower bound with sampled z. With k
    communities the sum over z has k terms, so here the likelihood itself is maximised, of which their bound, at its
    best, is the value; there is nothing to sample. Links are taken some thousands at a time, so memory is linear in
    nodes and links. Their optional smoothness term, which pulls neighbours together, is left out.

    A link belongs to the community that is likeliest for both of its directions together.

    Parameters
    ----------
    n_communities
        The number of communities.
    dimensions
        The length of the embeddings φ, ψ and χ.
    iterations
        At most so many steps of Adam over all links.
    learning_rate
        Of Adam.
    random_state
        A seed.

    >>> from philia import VGraph
    >>> triangles = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    >>> model = VGraph(2, random_state=0).fit(triangles)  # doctest: +SKIP
    >>> len(model.communities())  # doctest: +SKIP
    2
    """

    loss = SquaredError()
    factors_: MixtureFactors

    def __init__(
        self,
        n_communities: int = 8,
        *,
        dimensions: int = 128,
        iterations: int = 300,
        learning_rate: float = 0.1,
        random_state: Any = None,
    ) -> None:
        self.n_communities = n_communities
        self.dimensions = dimensions
        self.iterations = iterations
        self.learning_rate = learning_rate
        self.random_state = random_state

    def communities(self, rule: str | float = "density") -> Communities:
        """The communities as overlapping sets of names: a node is in each that one of its links is in.

        A number between 0 and 1 asks for a larger share of its links, relative to the largest share of any node.
        """
        if not isinstance(rule, str):
            return super().communities(rule)
        if rule != "density":
            raise InvalidParameterError(f"the rule is {rule!r}; leave it out, or give a share of links such as 0.5")
        check_is_fitted(self)
        found = find_communities(self.graph_, self.factors_.readable(), 1e-12, self._effect)
        return replace(found, rule="at least one link in the community")

    def _learn(
        self, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        _torch()
        known = seen(graph, self.held_out_)
        with _one_thread():
            search = _Search(known, self, int(rng.integers(2**62)))
            solution = search.run(self.iterations, on_iteration)
            return search.factors(), solution

    def _effect(self, strength: float) -> str:
        return "links that hang together"

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", "dimensions", "iterations", least=1)
        rate: Any = self.learning_rate
        if not isinstance(rate, (int, float)) or not 0 < rate < np.inf:
            raise InvalidParameterError(f"learning_rate is {rate!r}; it must be a number above 0")


class _Search:
    """Embeddings, their optimiser, and the best that was seen."""

    def __init__(self, graph: Graph, model: VGraph, seed: int) -> None:
        torch = _torch()
        n, k, d = graph.n_nodes, model.n_communities, model.dimensions
        chance = torch.Generator().manual_seed(seed)
        self.graph = graph
        self.ends = [torch.from_numpy(np.ascontiguousarray(ends, dtype=np.int64)) for ends in graph.links]
        self.embeddings = [
            torch.randn(n, d, generator=chance),
            torch.randn(k, d, generator=chance) * (2 / (k + d)) ** 0.5,
            torch.randn(n, d, generator=chance) * (2 / (n + d)) ** 0.5,
        ]
        for embedding in self.embeddings:
            embedding.requires_grad_(True)
        self.optimizer = torch.optim.Adam(self.embeddings, lr=model.learning_rate)
        self.best: list[Any] = [embedding.detach().clone() for embedding in self.embeddings]

    def run(self, iterations: int, on_iteration: OnIteration | None) -> Solution:
        """Steps of Adam until the likelihood no longer rises, or the user has had enough."""
        began, history, reason = time.perf_counter(), [self.step()], "stopped at the limit of iterations"
        lowest = history[0]
        try:
            for iteration in range(1, iterations + 1):
                history.append(self.step())
                if history[-1] < lowest:
                    lowest, self.best = history[-1], [embedding.detach().clone() for embedding in self.before]
                if on_iteration is not None:
                    on_iteration(Progress(iteration, iterations, history[-1], time.perf_counter() - began))
                if iteration > _PATIENCE and min(history[:-_PATIENCE]) - lowest <= _GAIN * abs(lowest):
                    reason = "converged: the value no longer fell"
                    break
        except KeyboardInterrupt:
            reason = "interrupted"
        seconds = time.perf_counter() - began
        return Solution(
            np.empty(0), lowest, np.array(history), len(history), seconds, reason, reason.startswith("converged")
        )

    def step(self) -> float:
        """One step; gives minus the log-likelihood of both directions of all links before it."""
        torch = _torch()
        self.before = [embedding.detach().clone() for embedding in self.embeddings]
        self.optimizer.zero_grad()
        chosen, reached = self.logarithms(self.embeddings)
        value, by_chosen, by_reached = _expectation(chosen.detach(), reached.detach(), *self.ends)
        torch.autograd.backward([chosen, reached], [-by_chosen, -by_reached])
        self.optimizer.step()
        return -value

    def logarithms(self, embeddings: list[Any]) -> tuple[Any, Any]:
        """log p(z|i) and log p(i|z), both n × k."""
        torch = _torch()
        nodes, communities, contexts = embeddings
        return (
            torch.log_softmax(nodes @ communities.T, dim=1),
            torch.log_softmax(contexts @ communities.T, dim=0),
        )

    def factors(self) -> MixtureFactors:
        """What the best embeddings say."""
        chosen, reached = self.logarithms(self.best)
        return MixtureFactors(
            chosen.exp().double().numpy(),
            reached.exp().double().numpy(),
            self.graph.degrees.astype(np.float64),
            self._shares((chosen + reached).numpy()),
        )

    def _shares(self, together: Float64Array) -> Float64Array:
        """The share of each node's links whose community, the likeliest for both directions, is each."""
        counts = np.zeros(together.shape)
        rows, columns = self.graph.links
        for at in range(0, len(rows), _LINKS):
            i, j = rows[at : at + _LINKS], columns[at : at + _LINKS]
            community = (together[i] + together[j]).argmax(axis=1)
            np.add.at(counts, (i, community), 1.0)
            np.add.at(counts, (j, community), 1.0)
        return counts / np.maximum(self.graph.degrees, 1)[:, None]


def _expectation(chosen: Any, reached: Any, first: Any, second: Any) -> tuple[float, Any, Any]:
    """The log-likelihood of both directions of the links, and its gradients by log p(z|i) and log p(i|z).

    The gradient is the number of links that are expected in each community given both of their ends.
    """
    torch = _torch()
    by_chosen, by_reached, value = torch.zeros_like(chosen), torch.zeros_like(reached), 0.0
    for at in range(0, len(first), _LINKS):
        i, j = first[at : at + _LINKS], second[at : at + _LINKS]
        for w, c in ((i, j), (j, i)):
            joint = chosen.index_select(0, w).add_(reached.index_select(0, c))
            total = joint.logsumexp(dim=1, keepdim=True)
            value += float(total.sum(dtype=torch.float64))
            posterior = joint.sub_(total).exp_()
            by_chosen.index_add_(0, w, posterior)
            by_reached.index_add_(0, c, posterior)
    return value, by_chosen, by_reached


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
