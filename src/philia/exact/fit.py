"""Factors fitted until they are the graph: far fewer columns than any construction needs, but without a guarantee.

The sum of the cross-entropies of all pairs, the diagonal included, is minimized without a penalty, and the search ends
as soon as every score has the right sign. Without a penalty the factors grow, and the objective becomes steep where
signs change: the search gets stuck in a narrow valley with a few pairs on the wrong side, often a node with itself. So
after every round of the search the best factors are perturbed, made smaller with a little noise added, and the next
round starts from there. On the karate club with 2 + 3 columns none of ten searches of 1,000 iterations without it was
exact.

The result is proved afterwards like any other representation, by :func:`philia.exact.certified`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from philia._types import Float64Array
from philia.exact.certified import Certified, certified
from philia.exact.products import FloatCommunities, FloatLogistic, wrong_scores
from philia.exact.representation import Representation
from philia.exceptions import InvalidGraphError, InvalidParameterError, NotExactError
from philia.execution import one_blas_thread
from philia.graphs import Graph
from philia.objective import CrossEntropy, Group, Recipe, exact_objective
from philia.objective.recipe import attracting, blocks, one_way, repelling
from philia.solvers import LBFGSB, OnIteration, Progress, shortened

Form = Literal["community", "logistic"]
Columns = int | tuple[int, int]

_KEPT, _NOISE = (0.1, 0.7), (0.01, 0.5)
"""Ranges of the factor on perturbed entries and of the noise added: no single size suits all graphs."""

_SHORTEST = 0.3
"""The least share of the iterations that a round gets: small graphs do best with short rounds, large ones with long."""

_TINY = 1e-100
"""Entries below this change no score that counts; as zeros they cannot become denormal in the proof."""

_PROGRESS = 0.9
"""A round that leaves more than this share of the wrong pairs counts against the patience."""

_HOPELESS = 0.01, 10
"""If a whole search leaves more wrong pairs than this share of the links, and than this number, no other is tried."""

_EVERY = 5
"""Iterations between two looks at the signs, each of which takes a product of the factors."""

_VALUE_TOLERANCE = 1e-10
"""The relative decrease at which the solver ends a round: far below the usual one, because signs still change late."""


@dataclass(frozen=True, eq=False)
class FittedExactly:
    """Certified factors, and what it took to find them: random starts, rounds of the last one, iterations of all.

    >>> from philia import as_graph
    >>> found = fit_exact(as_graph([("ann", "bob"), ("bob", "cat")]), (1, 2))
    >>> found.columns, found.certified.certificate.links
    (3, 2)
    """

    certified: Certified
    starts: int
    rounds: int
    iterations: int

    @property
    def columns(self) -> int:
        """The number of columns of B and C together, or of X and Y each."""
        return self.certified.certificate.columns


def fit_exact(
    graph: Graph,
    columns: Columns,
    *,
    model: Form = "community",
    starts: int = 3,
    patience: int = 5,
    iterations: int = 500,
    random_state: int = 0,
    on_iteration: OnIteration | None = None,
) -> FittedExactly | None:
    """Certified factors with this many columns whose signs are the graph, the diagonal included; None if none is found.

    ``columns`` counts those of B and C together, or is (k_B, k_C), or with ``model="logistic"`` counts those of X and
    of Y, whose scores x_i·y_j and x_j·y_i must both be right. Rounds of at most ``iterations`` follow each other until
    ``patience`` of them in a row left more than nine tenths of the wrong pairs; then the next of ``starts`` searches
    begins, unless so many pairs are wrong that it would be in vain.

    >>> from philia import as_graph
    >>> ring = as_graph([(i, (i + 1) % 6) for i in range(6)])
    >>> fit_exact(ring, (2, 3)).certified.verify(ring).columns
    5
    >>> fit_exact(ring, 1, starts=1, patience=1, iterations=10) is None
    True
    """
    if not graph.n_nodes:
        raise InvalidGraphError("the graph has no nodes; there is nothing to fit")
    recipe, finished = _recipe(columns, model)
    rng = np.random.default_rng(random_state)
    search = _Search(graph, recipe, iterations, on_iteration)
    for start in range(1, starts + 1):
        for round_, point in enumerate(search.rounds(rng, patience), start=1):
            if point is None:
                continue
            try:
                found = certified(graph, finished(recipe.factors(point, graph.n_nodes)))
            except NotExactError:  # the computed signs were right only by rounding
                continue
            return FittedExactly(found, start, round_, search.iterations)
        if search.fewest > max(_HOPELESS[1], _HOPELESS[0] * 2 * graph.n_links):
            return None
    return None


def smallest_exact(
    graph: Graph,
    *,
    model: Form = "community",
    most: int | None = None,
    starts: int = 3,
    patience: int = 5,
    iterations: int = 500,
    random_state: int = 0,
    on_iteration: OnIteration | None = None,
) -> FittedExactly | None:
    """The exact fit with the fewest columns that the search finds, certified; None if there is none up to ``most``.

    The number of columns is doubled until a fit is exact, and then bisected. That no exact fit was found with fewer
    columns proves nothing, except how far this search gets. ``most`` is n by default.

    >>> from philia import as_graph
    >>> smallest_exact(as_graph([("ann", "bob"), ("bob", "cat")]), starts=1, patience=1, iterations=40).columns
    3
    """

    def fitted(columns: int) -> FittedExactly | None:
        return fit_exact(
            graph,
            columns,
            model=model,
            starts=starts,
            patience=patience,
            iterations=iterations,
            random_state=random_state,
            on_iteration=on_iteration,
        )

    most = max(graph.n_nodes, 2) if most is None else most
    low, high, best = 0, 1, fitted(1)
    while best is None and high < most:
        low, high = high, min(2 * high, most)
        best = fitted(high)
    while best is not None and high - low > 1:
        middle = (low + high) // 2
        found = fitted(middle)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    return best


class _Found(Exception):  # noqa: N818  (not an error: it stops the solver at an exact point)
    """Every sign is right."""


class _Search:
    """Rounds of a solver on one graph; a round ends early if every sign is right."""

    def __init__(self, graph: Graph, recipe: Recipe, iterations: int, on_iteration: OnIteration | None) -> None:
        self.graph, self.recipe, self.on_iteration = graph, recipe, on_iteration
        self.solver = LBFGSB(iterations, value_tolerance=_VALUE_TOLERANCE, gradient_tolerance=0.0)
        # Weights are dropped, because every link has to be right.
        self.objective = exact_objective(replace(graph, weights=None), recipe)
        self.lower = recipe.lower_bounds(graph.n_nodes)
        self.iterations = 0
        self.fewest = np.inf
        self.lowest, self.best = np.inf, np.empty(0)

    def rounds(self, rng: np.random.Generator, patience: int) -> Iterator[Float64Array | None]:
        """After each round the point if it is exact, else None, until several in a row made no progress."""
        point, since = _random(self.lower, rng), 0
        kept, self.fewest = point, np.inf
        while since < patience:
            found = self._round(point, share=np.exp(rng.uniform(np.log(_SHORTEST), 0.0)))
            wrong = wrong_scores(self.graph, *self.recipe.sides(self.recipe.factors(found, self.graph.n_nodes)))
            if not wrong:
                yield found
                return
            since = 0 if wrong <= _PROGRESS * self.fewest else since + 1
            if wrong <= self.fewest:
                self.fewest, kept = wrong, found
            yield None
            point = _perturbed(kept, self.lower, rng)

    def _round(self, point: Float64Array, share: float) -> Float64Array:
        self.lowest = np.inf
        solver = shortened(self.solver, share)
        with one_blas_thread():
            try:
                solution = solver.minimize(self._value_and_gradient, point, self.lower, self._stepped)
            except _Found:
                return self.best
        if solution.reason == "interrupted":
            raise KeyboardInterrupt
        return solution.point

    def _value_and_gradient(self, point: Float64Array) -> tuple[float, Float64Array]:
        value, gradient = self.objective.value_and_gradient(point)
        if value < self.lowest:
            self.lowest, self.best = value, point.copy()
        return value, gradient

    def _stepped(self, progress: Progress) -> None:
        self.iterations += 1
        if self.on_iteration is not None:
            self.on_iteration(replace(progress, stage=f"{self.recipe.mixing.any(axis=0).sum()} columns"))
        if progress.iteration % _EVERY:
            return
        left, right = self.recipe.sides(self.recipe.factors(self.best, self.graph.n_nodes))
        if _all_links(self.graph, left, right) and not wrong_scores(self.graph, left, right, stop=True):
            raise _Found


def _perturbed(point: Float64Array, lower: Float64Array, rng: np.random.Generator) -> Float64Array:
    """Smaller entries with noise, each by a random amount."""
    kept, noise = rng.uniform(*_KEPT), np.exp(rng.uniform(*np.log(_NOISE)))
    return np.asarray(kept * point + noise * _random(lower, rng))


def _random(lower: Float64Array, rng: np.random.Generator) -> Float64Array:
    """Uniform entries between 0 and 1, or between -1 and 1 if they may be negative."""
    return np.asarray(rng.uniform(np.where(np.isfinite(lower), 0.0, -1.0), 1.0))


def _all_links(graph: Graph, left: Float64Array, right: Float64Array) -> bool:
    """Whether every link has a positive score: quick to check, and in sparse graphs the last to become true."""
    i, j = graph.links
    forth, back = np.einsum("ij,ij->i", left[i], right[j]), np.einsum("ij,ij->i", left[j], right[i])
    return bool((forth > 0).all() and (back > 0).all())


def _recipe(columns: Columns, model: Form) -> tuple[Recipe, Callable[[Float64Array], Representation]]:
    """The model as a factorization, and how its columns become a representation."""
    if model not in ("community", "logistic"):
        raise InvalidParameterError(f"model is {model!r}; use 'community' or 'logistic'")
    if model == "logistic":
        if not isinstance(columns, int) or columns < 1:
            raise InvalidParameterError(f"columns is {columns!r}; X and Y need the same number, 1 or more")
        sides = (Group("left", columns), Group("right", columns))
        return Recipe(sides, one_way(2 * columns), CrossEntropy()), lambda F: FloatLogistic(*_halves(F, columns))
    # Where the number is odd, one more repels than attracts: no node is linked with itself.
    k_B, k_C = (columns // 2, columns - columns // 2) if isinstance(columns, int) else columns
    if k_B < 0 or k_C < 0 or k_B + k_C < 1:
        raise InvalidParameterError(f"columns is {columns!r}; B and C need at least one column together")
    groups = (Group("homophilous", k_B, lower_bound=0.0), Group("heterophilous", k_C, lower_bound=0.0))
    mixing = blocks(attracting(k_B), repelling(k_C))
    return Recipe(groups, mixing, CrossEntropy()), lambda F: FloatCommunities(*_halves(F, k_B))


def _halves(F: Float64Array, k: int) -> tuple[Float64Array, Float64Array]:
    F = np.where(np.abs(F) < _TINY, 0.0, F)
    return np.ascontiguousarray(F[:, :k]), np.ascontiguousarray(F[:, k:])
