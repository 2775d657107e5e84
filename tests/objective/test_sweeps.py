"""Sweeps, beside a search over every entry by its formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from philia import SymNMF
from philia._types import Float64Array
from philia.objective import AllPairsObjective, NoisyOr, SquaredError, exact_objective
from philia.objective.kernels.sweeps import prepared
from philia.solvers.solver import SweptFunction
from tests.strategies import random_graph

SETTINGS = pytest.mark.parametrize(("penalty", "diagonal"), [(0.0, True), (0.7, True), (0.0, False), (2.0, False)])


def error(A: Float64Array, H: Float64Array, penalty: float, diagonal: bool) -> float:
    squares = (A - H @ H.T) ** 2
    return float(squares.sum() - (0 if diagonal else np.trace(squares)) + penalty * (H**2).sum())


def swept_slowly(A: Float64Array, H: Float64Array, penalty: float, diagonal: bool) -> Float64Array:
    """Each entry in turn at the best of zero and the roots of the derivative; five values, or three, determine it."""
    H, degree = H.copy(), 4 if diagonal else 2
    for i, c in np.ndindex(H.shape):

        def errors(ys: Sequence[float], at: tuple[int, ...] = (i, c)) -> list[float]:
            found = []
            for H[at] in ys:
                found.append(error(A, H, penalty, diagonal))
            return found

        values = np.linspace(0, 2, degree + 1).tolist()
        roots = np.roots(np.polyder(np.polyfit(values, errors(values), degree)))
        candidates = [0.0, *(float(root.real) for root in roots if abs(root.imag) < 1e-6 and root.real > 0)]
        H[i, c] = candidates[int(np.argmin(errors(candidates)))]
    return H


@SETTINGS
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_sweep_sets_every_entry_to_where_the_error_is_least(penalty: float, diagonal: bool, seed: int) -> None:
    graph = random_graph(12, 0.4, seed=seed)
    A, H = graph.adjacency.toarray().astype(float), np.random.default_rng(seed).random((12, 3))
    found, adjacency = H.copy(), graph.adjacency
    value = prepared(SquaredError)(adjacency.indptr, adjacency.indices, found, penalty, float(diagonal))
    assert value == pytest.approx(error(A, H, penalty, diagonal))
    expected = swept_slowly(A, H, penalty, diagonal)
    counted = np.full(A.shape, True) if diagonal else ~np.eye(12, dtype=bool)  # an entry that no pair feels may differ
    np.testing.assert_allclose((found @ found.T)[counted], (expected @ expected.T)[counted], atol=1e-5)


@SETTINGS
def test_the_objective_in_closed_form_is_that_of_all_pairs_and_gives_its_value_with_every_sweep(
    penalty: float, diagonal: bool
) -> None:
    graph, recipe = random_graph(40, 0.2, seed=3), SymNMF(4).recipe()
    fast = exact_objective(graph, recipe, penalty=penalty, diagonal=diagonal)
    slow = AllPairsObjective(graph, recipe, penalty=penalty, diagonal=diagonal)
    point = np.random.default_rng(0).random(160)
    value, gradient = slow.value_and_gradient(point)
    assert fast.value_and_gradient(point)[0] == pytest.approx(value)
    np.testing.assert_allclose(fast.value_and_gradient(point)[1], gradient, rtol=1e-9, atol=1e-9)
    assert isinstance(fast.function, SweptFunction)
    before, after = fast.function.sweep(point)
    assert before == pytest.approx(value)
    assert slow.value_and_gradient(after)[0] < value


@SETTINGS
def test_a_fit_ends_where_no_small_step_lowers_the_error(penalty: float, diagonal: bool) -> None:
    graph = random_graph(60, 0.15, seed=5)
    model = SymNMF(5, penalty=penalty, include_diagonal=diagonal, random_state=0).fit(graph)
    H = model.factors_.homophilous
    objective = AllPairsObjective(graph, model.recipe(), penalty=penalty, diagonal=diagonal)
    gradient = objective.value_and_gradient(H.ravel())[1].reshape(H.shape)
    blocked = (H == 0) & (gradient > 0)
    assert np.abs(gradient[~blocked]).max() < 0.02 * np.abs(gradient[blocked]).max(initial=1.0)
    assert (np.diff(model.solution_.history) <= 1e-9).all()


def unlikelihood(A: Float64Array, F: Float64Array, penalty: float, diagonal: bool) -> float:
    scores = F @ F.T
    cost = np.where(A > 0, NoisyOr().with_link(scores)[0], scores)
    return float(cost.sum() - (0 if diagonal else np.trace(cost)) + penalty * (F**2).sum())


@SETTINGS
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_sweep_of_bigclam_lowers_the_loss_at_every_entry(penalty: float, diagonal: bool, seed: int) -> None:
    graph = random_graph(15, 0.4, seed=seed)
    A, F = graph.adjacency.toarray().astype(float), 0.1 + np.random.default_rng(seed).random((15, 3))
    found = F.copy()
    for _ in range(200):
        before = unlikelihood(A, found, penalty, diagonal)
        value = prepared(NoisyOr)(graph.adjacency.indptr, graph.adjacency.indices, found, penalty, float(diagonal))
        assert value == pytest.approx(before, rel=1e-6)
        assert unlikelihood(A, found, penalty, diagonal) <= before * (1 + 1e-6)
    if not diagonal and not penalty:
        return  # nothing keeps a community of linked nodes from growing, and there is no lowest point
    for i, c in np.ndindex(found.shape):  # no entry alone can lower it by more than the rough end of its steps
        others = [found.copy() for _ in range(20)]
        for factor, other in zip(np.linspace(0, 2, 20), others, strict=True):
            other[i, c] = factor * max(found[i, c], 0.1)
        best = min(unlikelihood(A, other, penalty, diagonal) for other in others)
        assert best > unlikelihood(A, found, penalty, diagonal) - 1e-2
