"""Which search a fit takes: over all pairs while they can be looked at, over sampled ones beyond."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from philia._types import Float64Array
from philia.execution import one_blas_thread
from philia.graphs import Graph
from philia.initialization import race
from philia.models.journal import minimized
from philia.objective import Recipe, exact_objective
from philia.objective.all_pairs import has_closed_form
from philia.pairs import HeldOut, seen
from philia.solvers import Adam, AnySolver, BySize, OnIteration, Solution, Solver, adam_for, as_solver, shortened
from philia.solvers.solver import unless_interrupted

if TYPE_CHECKING:
    from philia.models.factorization import Factorization

_LOG = logging.getLogger("philia")


def solver_for(solver: str | AnySolver, graph: Graph, recipe: Recipe, held_out: HeldOut | None) -> Solver | Adam:
    """The solver that a model's setting stands for, on this graph.

    >>> from philia import CommunityModel, as_graph
    >>> solver_for("auto", as_graph([(0, 1)]), CommunityModel(1, 1)._recipe(), None).iterations
    2000
    """
    n = graph.n_nodes
    if solver == "adam":
        return adam_for(n)
    found = as_solver(solver)
    return found.solver(n, work(n, recipe, held_out)) if isinstance(found, BySize) else found


def work(n: int, recipe: Recipe, held_out: HeldOut | None) -> float:
    """How many multiplications an evaluation over all pairs of n nodes takes, up to a constant.

    >>> from philia import BigClam, CommunityModel
    >>> work(1000, BigClam(2)._recipe(), None), work(1000, CommunityModel(1, 1, background="none")._recipe(), None)
    (2000, 2000000)
    """
    return n * len(recipe.mixing) * (1 if has_closed_form(recipe, held_out) else n)


def search(
    model: Factorization, graph: Graph, recipe: Recipe, rng: np.random.Generator, on_iteration: OnIteration | None
) -> Solution:
    """The search that the model's solver, or the size of the graph, asks for."""
    solver = solver_for(model.solver, graph, recipe, model.held_out_)
    if not isinstance(solver, Adam):
        return search_all_pairs(model, graph, recipe, solver, rng, on_iteration)
    from philia.models.sampled_search import search_sampled_pairs

    if isinstance(as_solver(model.solver), BySize):
        _LOG.info(
            "%s nodes have %s pairs, too many to look at all: links are counted, other pairs sampled "
            "(the solver 'lbfgsb' would look at all). Before the first step a start is looked for.",
            f"{graph.n_nodes:,}",
            f"{graph.n_nodes * (graph.n_nodes - 1) / 2:.2g}",
        )
    return search_sampled_pairs(model, graph, recipe, solver, rng, on_iteration)


def search_all_pairs(
    model: Factorization,
    graph: Graph,
    recipe: Recipe,
    solver: Solver,
    rng: np.random.Generator,
    on_iteration: OnIteration | None,
) -> Solution:
    """The search over all pairs, from the best of the model's starts."""
    improved = improving_on_all_pairs(model, graph, recipe, on_iteration)
    with one_blas_thread():
        known = seen(graph, model.held_out_)
        starts = [
            model._journal.start(lambda: recipe.point(model._start(known, recipe, rng)), (recipe.size(graph.n_nodes),))
            for _ in range(model.n_starts)
        ]
        if model.n_starts == 1:
            return improved(starts[0], solver)
        first = race(starts, lambda point, iterations: improved(point, shortened(solver, iterations)))
        if first.reason == "interrupted":
            return first
        return unless_interrupted(first, lambda: improved(first.point, solver))


def improving_on_all_pairs(
    model: Factorization, graph: Graph, recipe: Recipe, on_iteration: OnIteration | None
) -> Callable[[Float64Array, Solver], Solution]:
    """The function that leads from a point to a better one, by a solver on all pairs."""
    objective = exact_objective(
        graph,
        recipe,
        penalty=model.penalty,
        diagonal=model.include_diagonal,
        held_out=model.held_out_,
        dtype=model.dtype,
        executor=model._executor(),
    )
    lower = recipe.lower_bounds(graph.n_nodes)
    return lambda point, solver: minimized(
        model._journal, solver, objective.value_and_gradient, point, lower, on_iteration
    )
