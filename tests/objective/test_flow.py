"""The flow's density is one, its slopes are slopes, and training finds what the rows are like."""

from __future__ import annotations

import numpy as np
import pytest

from philia._types import Float64Array
from philia.objective.flow import Flow


def shaken(width: int, seed: int, size: float = 0.3) -> Flow:
    rng = np.random.default_rng(seed)
    flow = Flow.untrained(width, rng)
    return Flow(width, flow.point + size * rng.standard_normal(flow.point.shape))


@pytest.mark.parametrize("width", [2, 3, 6])
def test_slopes_by_rows_are_those_of_the_density(width: int) -> None:
    flow, rng = shaken(width, 0), np.random.default_rng(1)
    X, way = rng.standard_normal((5, width)), rng.standard_normal((5, width))
    _, slopes = flow.log_density(X)
    up, down = (flow.log_density(X + step * way)[0].sum() for step in (1e-6, -1e-6))
    assert (up - down) / 2e-6 == pytest.approx(float((slopes * way).sum()), rel=1e-5)


def test_the_density_integrates_to_one() -> None:
    line = np.linspace(-12, 12, 400)
    square = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    mass = np.exp(shaken(2, 0, size=0.1).log_density(square)[0]).sum() * (line[1] - line[0]) ** 2
    assert mass == pytest.approx(1, abs=0.01)


def test_training_raises_the_density_of_two_heaps_and_lowers_it_between_them() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-2, 0.3, size=(200, 2)), rng.normal(2, 0.3, size=(200, 2))])
    before = Flow.untrained(2, rng)
    after = before.trained(X, noise=0.1, rng=rng)

    def at(flow: Flow, rows: Float64Array) -> float:
        return float(flow.log_density(rows)[0].mean())

    assert at(after, X) > at(before, X) + 2
    assert at(after, np.zeros((1, 2))) < at(after, X) - 2
