"""A fit resumes from its journal to the same result, no matter what it does and when it is killed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from philia import SVD, as_graph
from philia._types import Float64Array
from philia.fitting import Checkpoint
from philia.fitting.checkpoint import description
from philia.fitting.journal import Journal, KeptJournal, NoJournal
from philia.solvers import Solution

Steps = list[int]
"""What a fit does: draw a start (-1), draw and use a number (0), or search with this many evaluations."""

FIT = description(SVD(2), as_graph([(0, 1)]), None)

steps = st.lists(st.integers(-1, 5), min_size=1, max_size=6)


class Killed(BaseException):
    pass


def fit(todo: Steps, journal: Journal, rng: np.random.Generator, computed: Callable[[], None]) -> Float64Array:
    """A small fit: every result depends on all results before it, and on random numbers."""
    point = np.ones(3)

    def drawn() -> Float64Array:
        computed()
        return point + rng.random(3)

    def evaluated(x: Float64Array) -> tuple[float, Float64Array]:
        computed()
        return float(x.sum()), np.sin(7 * x)

    def searched(evaluations: int, start: Float64Array) -> Solution:
        function, x, values = journal.recorded(evaluated), start, []
        for _ in range(evaluations):
            value, gradient = function(x)
            values.append(value)
            x = x - gradient / 3 + rng.random() / 10
        return Solution(x, 0.0, np.array(values), evaluations, 0.0, "done", converged=True)

    for step in todo:
        if step == -1:
            point = journal.start(drawn, (3,))
        elif step == 0:
            point = point * rng.random()
        else:
            start = point
            point = journal.solved(start, lambda step=step, start=start: searched(step, start)).point  # type: ignore[misc]
    return point


@settings(max_examples=25, deadline=None)
@given(steps, st.lists(st.integers(0, 6), max_size=4), st.integers(0, 2**32))
def test_a_fit_that_is_killed_anywhere_resumes_to_the_same_result(todo: Steps, kills: list[int], seed: int) -> None:
    whole = fit(todo, NoJournal(), np.random.default_rng(seed), lambda: None)
    with tempfile.TemporaryDirectory() as folder:
        for kill in [*kills, 1000]:
            left = iter(range(kill))

            def computed(left: object = left) -> None:
                if next(left, None) is None:  # type: ignore[call-overload]
                    raise Killed

            checkpoint = Checkpoint(folder, every=0.0)
            checkpoint.affords = lambda nbytes: nbytes % 2 == 0 or seed % 3 > 0  # type: ignore[method-assign]
            checkpoint.begin(FIT, {"bit_generator": "PCG64"})
            rng = np.random.default_rng(seed)
            try:
                found = fit(todo, KeptJournal(checkpoint, rng), rng, computed)
            except Killed:
                continue
            np.testing.assert_array_equal(found, whole)
            return
    raise AssertionError("it never finished")
