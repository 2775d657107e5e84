"""Starts from a short fit of an unconstrained model, whose columns are then cut into nonnegative ones."""

from __future__ import annotations

import numpy as np

from philia._types import Float64Array
from philia.execution import Executor, one_blas_thread
from philia.factors import LogisticFactors
from philia.graphs import Graph
from philia.initialization.spectral import spectral, varimax
from philia.initialization.uniform import uniform
from philia.objective import CrossEntropy, Freedom, Group, Recipe, exact_objective
from philia.objective.mixing import attracting, blocks, meeting_ones, one_way, repelling
from philia.solvers import LBFGSB
from philia.solvers.by_size import is_cheap

_PENALTY = 1.0
"""The penalty of the unconstrained fit; a start does not know the model's own."""

_CHANCE = 0.1
"""The share of the uniform start that is added, because the gradient at a zero column vanishes."""


def signed(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,
    rng: np.random.Generator,
    *,
    iterations: int = 15,
    executor: Executor | None = None,
) -> tuple[Float64Array, Float64Array]:
    """B and C from a short fit of sigmoid(P Pᵀ - N Nᵀ), whose columns may have any sign.

    It begins at the spectral start; from a random one it would merge groups that the spectrum separates. A baseline of
    0 means that the model has a background, so this fit gets one too: a level and a popularity per node.

    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> B, C = signed(app.graph, 3, 2, -2.0, np.random.default_rng(0))
    >>> B.shape, C.shape, bool(B.min() >= 0)
    ((120, 3), (120, 2), True)
    """
    n, k_B, k_C = graph.n_nodes, n_homophilous, n_heterophilous
    groups, mixing = [Group("positive", k_B), Group("negative", k_C)], [attracting(k_B), repelling(k_C)]
    begin = list(spectral(graph, k_B, k_C, baseline, rng))
    if baseline == 0:
        groups += [
            Group("ones", 1, freedom=Freedom.ONES, penalized=False),
            Group("level", 1, freedom=Freedom.SHARED, penalized=False),
            Group("popularity", 1),
        ]
        mixing.append(meeting_ones(2))
        begin += [np.ones((n, 1)), np.full((n, 1), _logit(graph.density) / 2), np.zeros((n, 1))]
    recipe = Recipe(tuple(groups), blocks(*mixing), CrossEntropy())
    F = _fitted(graph, recipe, np.hstack(begin), iterations, executor)
    B = strongest_sides(recipe.columns_of("positive", F), k_B)
    C = strongest_sides(recipe.columns_of("negative", F), k_C)
    return _with_chance(graph, B, C, rng)


def logistic(
    graph: Graph,
    n_homophilous: int,
    n_heterophilous: int,
    baseline: float,
    rng: np.random.Generator,
    *,
    iterations: int = 25,
    executor: Executor | None = None,
) -> tuple[Float64Array, Float64Array]:
    """B and C from a short fit of logistic PCA: the eigenvectors of its logits, after a varimax rotation.

    Logistic PCA has no background, so its most negative eigenvector encodes that most pairs are not linked. Where the
    baseline is 0 the model's background does that, and this eigenvector is left out.

    >>> from philia.datasets import dating_app
    >>> app = dating_app(n=120, cities=3, random_state=0)
    >>> B, C = logistic(app.graph, 3, 2, -2.0, np.random.default_rng(0))
    >>> B.shape, C.shape, bool(B.min() >= 0)
    ((120, 3), (120, 2), True)
    """
    k = n_homophilous + n_heterophilous
    size = 1 / np.sqrt(max(1, k))
    recipe = Recipe((Group("left", k), Group("right", k)), one_way(2 * k), CrossEntropy())
    F = _fitted(graph, recipe, size * rng.uniform(-1, 1, (graph.n_nodes, 2 * k)), iterations, executor)
    found = LogisticFactors(recipe.columns_of("left", F), recipe.columns_of("right", F)).signed()
    told = 1 if baseline == 0 else 0
    B = strongest_sides(varimax(found.positive[:, :n_homophilous]), n_homophilous)
    C = strongest_sides(varimax(found.negative[:, told : told + n_heterophilous]), n_heterophilous)
    return _with_chance(graph, B, C, rng)


def strongest_sides(X: Float64Array, count: int) -> Float64Array:
    """The ``count`` strongest positive and negative parts of the columns (n × count), strongest first.

    With x = p - q split into its positive part p and negative part q, x xᵀ = p pᵀ + q qᵀ - (p qᵀ + q pᵀ). Only the
    first two terms are kept, which is nearly everything if each column is a group with one large side. Keeping all of
    it, as 2 p pᵀ + 2 q qᵀ - |x| |x|ᵀ, takes three columns for one and is a worse start when there is no room for them.
    Missing columns are zero.

    >>> strongest_sides(np.array([[1.0, 0.0], [-3.0, 0.0], [0.0, 2.0]]), 2)
    array([[0., 0.],
           [3., 0.],
           [0., 2.]])
    """
    sides = np.hstack([np.maximum(X, 0), np.maximum(-X, 0)])
    order = np.argsort(-(sides**2).sum(axis=0), kind="stable")[:count]
    found = np.zeros((len(X), count))
    found[:, : len(order)] = sides[:, order]
    return found


def _fitted(
    graph: Graph, recipe: Recipe, begin: Float64Array, iterations: int, executor: Executor | None
) -> Float64Array:
    """The columns after a few iterations: in double precision on small graphs, where rounding could decide."""
    n = graph.n_nodes
    if recipe.size(n) == 0:
        return begin
    dtype = np.float64 if is_cheap(n, n * n * len(recipe.mixing)) else np.float32
    objective = exact_objective(graph, recipe, penalty=_PENALTY, dtype=dtype, executor=executor)
    with one_blas_thread():
        solution = LBFGSB(iterations).minimize(
            objective.value_and_gradient, recipe.point(begin), recipe.lower_bounds(n)
        )
    if solution.reason == "interrupted":  # after Ctrl-C the search must not begin
        raise KeyboardInterrupt
    return recipe.factors(solution.point, n)


def _with_chance(
    graph: Graph, B: Float64Array, C: Float64Array, rng: np.random.Generator
) -> tuple[Float64Array, Float64Array]:
    chance_B, chance_C = uniform(graph, B.shape[1], C.shape[1], 0.0, rng)
    return B + _CHANCE * chance_B, C + _CHANCE * chance_C


def _logit(density: float) -> float:
    inside = float(np.clip(density, 1e-12, 1 - 1e-12))
    return float(np.log(inside / (1 - inside)))
