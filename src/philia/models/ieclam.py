"""IeClam: communities that make links, as in BigClam, and communities that prevent them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from philia._types import Float64Array, Node
from philia.exceptions import InvalidParameterError
from philia.execution import one_blas_thread
from philia.explain import ScoreExplanation
from philia.explain.links import factor_in_words
from philia.factors import ConeFactors, Factors
from philia.fitting import Parametrization
from philia.fitting.estimator import check_counts, check_is_fitted
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.initialization import Start, choose_start
from philia.models.factorization import Factorization, check_search
from philia.objective import Group, NoisyOr, Recipe, exact_objective
from philia.objective.flow import Flow
from philia.objective.recipe import swapped
from philia.solvers import LBFGSB, AnySolver, OnIteration, Solution
from philia.solvers.solver import ValueAndGradient


class IeClam(Factorization):
    """Inclusive and exclusive communities: the probability of a link is 1 - exp(-(t_i·t_j - s_i·s_j)), with |s| ≤ t.

    Zilberg and Levie, "PieClam: a universal graph autoencoder based on overlapping inclusive and exclusive
    communities", ICML 2025. Each community has an inclusive entry t and an exclusive entry s per node. Two nodes with
    the same s are less likely to be linked, two with opposite ones more likely. The authors keep |s| ≤ t, entry by
    entry, a cone in which the difference of the products cannot be negative. In the coordinates (t - s) / √2 and
    (t + s) / √2 the cone is what is nonnegative, so it is a lower bound like any other here, and the likelihood of all
    pairs takes O(links · k) as in ``BigClam``, which is the case s = 0.

    With ``prior`` this is their PieClam: a density over the nodes' (t, s), a normalizing flow, is learned along with
    them, and its logarithm is added to the likelihood. Flow and nodes are fitted in turn. Nodes in unlikely places are
    unusual: ``log_prior`` is what the authors find anomalies with.

    Their solver takes fixed steps up the gradient; this one is that of the other models.

    Parameters
    ----------
    n_communities
        The number of communities; each node has two numbers per community.
    penalty
        Regularization strength, the weight of |T|² + |S|²; 0 by default.
    prior
        Whether a density over the nodes is learned as well. It looks at all nodes at once, ``solver`` or not.
    start
        As in ``CommunityModel``: attracting columns are the start of T, repelling ones that of S, cut off at the cone.
    solver
        "auto", "lbfgsb", "floor", "adam" or a solver object, as in ``CommunityModel``.
    include_diagonal
        Whether a node's missing link to itself counts.
    random_state, dtype, n_jobs, executor
        As in ``CommunityModel``.

    >>> from philia import IeClam
    >>> from philia.datasets import dating_app
    >>> model = IeClam(3, random_state=0).fit(dating_app(90, cities=3, random_state=0).graph)
    >>> T, S = model.factors_.inclusive, model.factors_.exclusive
    >>> bool((abs(S) <= T).all()), sorted({community.kind for community in model.communities()})
    (True, ['heterophilous', 'homophilous'])
    """

    loss = NoisyOr()
    factors_: ConeFactors

    def __init__(
        self,
        n_communities: int = 8,
        *,
        penalty: float = 0.0,
        prior: bool = False,
        start: str | Start = "spectral",
        solver: str | AnySolver = "auto",
        include_diagonal: bool = False,
        random_state: Any = None,
        dtype: str = "float64",
        n_jobs: int | None = None,
        executor: Any = None,
    ) -> None:
        self.n_communities = n_communities
        self.penalty = penalty
        self.prior = prior
        self.start = start
        self.solver = solver
        self.include_diagonal = include_diagonal
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.executor = executor

    def parametrization(self) -> Parametrization:
        """F = [U V], each side of a community meeting the other."""
        return _TwoSides(self.n_communities, self.start)

    def explain(self, u: Any, v: Node | None = None) -> ScoreExplanation:
        """Why a link between the two nodes is likely or unlikely: what each community does to the chance of none."""
        check_is_fitted(self)
        return self._explained(self.factors_.terms, u, v)

    def log_prior(self) -> Float64Array:
        """The log-density of each node under the learned prior, in the order of ``graph_.nodes``; low is unusual.

        >>> from philia import IeClam
        >>> links = [(i, j) for i in range(12) for j in range(i)] + [(0, 12), (12, 13), (13, 14)]
        >>> density = IeClam(2, prior=True, random_state=0).fit(links).log_prior()
        >>> bool(density[[12, 13, 14]].mean() < density[1:12].mean())
        True
        """
        check_is_fitted(self)
        if not self.prior:
            raise InvalidParameterError("the model was fitted without a prior; set prior=True and fit it again")
        return self.factors_.density

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        factors, solution = super()._learn(graph, rng, journal, on_iteration)
        if not self.prior or solution.reason == "interrupted":
            return factors, solution
        objective = exact_objective(
            graph,
            self.recipe(),
            penalty=float(self.penalty),
            diagonal=self.include_diagonal,
            held_out=self.held_out_,
            executor=self._executor(),
        )
        return _with_prior(objective.value_and_gradient, solution.point, rng, on_iteration)

    def _effect(self, strength: float) -> str:
        return f"chance of no link {factor_in_words(-strength)}"

    def _check_parameters(self) -> None:
        check_counts(self, "n_communities", least=1)
        check_search(self)
        if not isinstance(self.prior, bool):
            raise InvalidParameterError(f"prior is {self.prior!r}; use True or False")


_TURNS, _STEPS = 5, 50
"""How often flow and nodes take turns, and the iterations of the nodes in each; later turns hardly change anything."""

_NOISE = 0.1
"""The noise of the training, in standard deviations of a column: what lies closer counts as the same place."""


def _with_prior(
    likelihood: ValueAndGradient, F: Float64Array, rng: np.random.Generator, on_iteration: OnIteration | None
) -> tuple[Factors, Solution]:
    """Nodes at the maximum of likelihood and prior, and the search of the last turn. F is [U V]."""
    shape = F.shape
    codes = _inclusive_exclusive(F)
    middle, spread = codes.mean(axis=0), codes.std(axis=0)
    spread[spread == 0] = 1.0
    flow = Flow.untrained(shape[1], rng)

    def density(point: Float64Array) -> tuple[Float64Array, Float64Array]:
        values, slopes = flow.log_density((_inclusive_exclusive(_rows(point, shape)) - middle) / spread)
        return values, _inclusive_exclusive(slopes / spread, back=True)

    def both(point: Float64Array) -> tuple[float, Float64Array]:
        value, gradient = likelihood(point)
        values, slopes = density(point)
        return value - 2 * float(values.sum()), gradient - 2 * _stacked(slopes)  # pairs count twice, so nodes do too

    point = _stacked(F)
    with one_blas_thread():
        for _ in range(_TURNS):
            flow = flow.trained((_inclusive_exclusive(_rows(point, shape)) - middle) / spread, _NOISE, rng)
            solution = LBFGSB(iterations=_STEPS).minimize(both, point, np.zeros_like(point), on_iteration)
            point = solution.point
            if solution.reason == "interrupted":
                break
    half = shape[1] // 2
    found = _rows(point, shape)
    factors = ConeFactors(found[:, :half].copy(), found[:, half:].copy(), density(point)[0])
    return factors, replace(solution, point=found)


def _rows(point: Float64Array, shape: tuple[int, ...]) -> Float64Array:
    """[U V] from the solver's vector, which has U before V."""
    return np.hstack([half.reshape(shape[0], -1) for half in np.split(point, 2)])


def _stacked(F: Float64Array) -> Float64Array:
    """The solver's vector from [U V]."""
    return np.concatenate([half.ravel() for half in np.hsplit(F, 2)])


def _inclusive_exclusive(F: Float64Array, *, back: bool = False) -> Float64Array:
    """[T S] from [U V]; ``back`` is the inverse, which is the transpose."""
    U, V = np.hsplit(F, 2)
    return np.asarray(np.hstack([U - V, U + V] if back else [U + V, V - U]) / np.sqrt(2))


@dataclass(frozen=True)
class _TwoSides(Parametrization):
    count: int
    begin: str | Start

    @property
    def recipe(self) -> Recipe:
        groups = Group("first", self.count, lower_bound=0.0), Group("second", self.count, lower_bound=0.0)
        return Recipe(groups, swapped(2 * self.count), IeClam.loss)

    def start(self, graph: Graph, rng: np.random.Generator) -> Float64Array:
        T, S = choose_start(self.begin)(graph, self.count, self.count, 0.0, rng)
        S = np.minimum(S, T)
        everything = float((T.sum(axis=0) ** 2).sum() - (S.sum(axis=0) ** 2).sum())
        # Scores that add up to the links, as BigClam begins; S ≤ T, but with S = T everywhere they would all be zero.
        scale = np.sqrt(2 * graph.n_links / everything) if everything > 0 else 0.0
        return np.asarray(np.hstack([T - S, T + S]) * scale / np.sqrt(2))

    def columns(self, factors: ConeFactors) -> Float64Array:
        return np.hstack([factors.first, factors.second])

    def factors(self, F: Float64Array) -> ConeFactors:
        first, second = (self.recipe.columns_of(name, F) for name in ("first", "second"))
        return ConeFactors(first, second, np.zeros(len(F)))
