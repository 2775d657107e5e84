"""Factors fitted until they are the graph: far fewer columns than any construction needs, but without a guarantee.

Columns of any sign and a background are fitted, because a background makes nonnegative columns cost nothing: two of the
columns that are asked for pay for it (Lemma N, :func:`philia.factors.absorbed`). So there are no bounds, and the
squared hinge of all pairs (:mod:`philia.exact.hinge`) is zero at a finite point if an exact representation exists.

A round begins with L-BFGS. If it leaves a few pairs on the wrong side, Gauss-Newton steps on the active pairs follow.
If they do not end it, the best factors so far are shaken, by a little noise, and the next round starts from there.

As soon as every computed score has the right sign, the factors are rounded to the shortest integers for which that
remains true, made nonnegative, and proved like any other representation (:func:`philia.exact.certified`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from philia._types import Float64Array
from philia.exact.certified import Certified, certified
from philia.exact.hinge import Hinge
from philia.exact.lower_bounds import least_columns
from philia.exact.products import IntegerCommunities, IntegerLogistic, wrong_scores
from philia.exact.representation import Integers, Representation
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.execution import one_blas_thread
from philia.factors import absorbed
from philia.graphs import Graph
from philia.solvers import LBFGSB, OnIteration, Progress

Form = Literal["community", "logistic"]
Columns = int | tuple[int, int]

_BACKGROUND = -0.5
"""The background before the first iteration: most pairs are not linked, and all of them repel a little."""

_NOISE, _LATER = 0.1, 0.25
"""Noise that is added to shake factors, in their standard deviations, and the share of iterations in later rounds."""

_STEPS, _INNER = 40, 60
"""Gauss-Newton steps in a round, and conjugate gradients in a step: together they take about as long as L-BFGS."""

_DAMPING, _LEAST_DAMPING = 1e-2, 1e-8
"""The damping of the first step of a round, and the least: scores do not change with every change of the factors."""

_SLOW = 1e-3
"""After some steps, a step that lowers the value by less than this share is the last."""

_MEMORY = 20
"""Steps that L-BFGS remembers: twice the usual number, as the valleys are narrow."""

_PROGRESS = 0.9
"""A round that leaves more than this share of the wrong pairs counts against the patience."""

_HOPELESS = 0.01, 10
"""If a round leaves more wrong pairs than this share of the links, and than this number, no other is tried."""

_VALUE_TOLERANCE = 1e-10
"""The relative decrease at which L-BFGS ends: far below the usual one, because signs still change late."""

_BITS = range(3, 26)
"""Binary digits of rounded columns, the fewest first; with more, the products of the columns might not fit a float."""


@dataclass(frozen=True, eq=False)
class FittedExactly:
    """Certified factors, and what it took to find them: random starts, rounds of the last one, iterations of all.

    ``tried`` has the numbers of columns that a search for the smallest tried, in order, and whether each was enough.

    >>> from philia import as_graph
    >>> found = fit_exact(as_graph([("ann", "bob"), ("bob", "cat")]), (1, 2))
    >>> found.columns, found.certified.certificate.links
    (3, 2)
    """

    certified: Certified
    starts: int
    rounds: int
    iterations: int
    tried: tuple[tuple[int, bool], ...] = ()

    @property
    def columns(self) -> int:
        """The number of columns of V, or of X and Y each."""
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

    The factors are integers. ``columns`` counts those of B and C together, or is (k_B, k_C), or with
    ``model="logistic"`` counts those of X and of Y. Rounds of at most ``iterations`` of L-BFGS follow each other until
    ``patience`` of them in a row left more than nine tenths of the wrong pairs; then the next of ``starts`` searches
    begins. If so many pairs are wrong after the first round that more would be in vain, the search ends there.

    >>> from philia import as_graph
    >>> ring = as_graph([(i, (i + 1) % 6) for i in range(6)])
    >>> fit_exact(ring, (2, 3)).certified.verify(ring).columns
    5
    >>> fit_exact(ring, 1, starts=1, patience=1, iterations=10) is None
    True
    """
    if not graph.n_nodes:
        raise InvalidGraphError("the graph has no nodes; there is nothing to fit")
    k_B, k_C = _counts(columns, model)
    if min(k_B, k_C) < 1 or (graph.n_links and k_C == 1):  # no graph with a link has fewer: docs/exact.md
        return None
    # Weights are dropped, because every link has to be right.
    hinge = Hinge(replace(graph, weights=None), np.repeat([1.0, -1.0], [k_B - 1, k_C - 1]))
    rng = np.random.default_rng(random_state)
    search = _Search(hinge, iterations, on_iteration, f"{k_B + k_C} columns")
    for start in range(1, starts + 1):
        with one_blas_thread():
            for round_, F in enumerate(search.rounds(rng, patience), start=1):
                whole = None if F is None else _rounded(hinge, F)
                if whole is not None:
                    found = certified(graph, _representation(*whole, hinge.signs, model))
                    return FittedExactly(found, start, round_, search.iterations)
                if search.is_hopeless:
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

    The number of columns is doubled, from the least that could do, until a fit is exact, and then bisected. That no
    exact fit was found with fewer columns proves nothing, except how far this search gets. ``most`` is n by default.

    >>> from philia import as_graph
    >>> smallest_exact(as_graph([("ann", "bob"), ("bob", "cat")]), starts=1, patience=1, iterations=40).columns
    3
    """

    tried: list[tuple[int, bool]] = []

    def fitted(columns: int) -> FittedExactly | None:
        found = fit_exact(
            graph,
            columns,
            model=model,
            starts=starts,
            patience=patience,
            iterations=iterations,
            random_state=random_state,
            on_iteration=on_iteration,
        )
        tried.append((columns, found is not None))
        return found

    most = max(graph.n_nodes, 2) if most is None else most
    high = min(least_columns(graph).columns, most)
    low = high - 1
    best = fitted(high)
    while best is None and high < most:
        low, high = high, min(2 * high, most)
        best = fitted(high)
    while best is not None and high - low > 1:
        middle = (low + high) // 2
        found = fitted(middle)
        low, high, best = (middle, high, best) if found is None else (low, middle, found)
    return None if best is None else replace(best, tried=tuple(tried))


class _Search:
    """Rounds of L-BFGS and Gauss-Newton steps on one graph; a round ends early if every sign is right."""

    def __init__(self, hinge: Hinge, iterations: int, on_iteration: OnIteration | None, stage: str) -> None:
        self.hinge, self.on_iteration, self.stage = hinge, on_iteration, stage
        self.most, self.iterations, self.fewest = iterations, 0, np.inf
        self.began = time.perf_counter()

    def rounds(self, rng: np.random.Generator, patience: int) -> Iterator[Float64Array | None]:
        """After each round the factors if they are exact, else None, until several in a row made no progress."""
        n, k = self.hinge.graph.n_nodes, self.hinge.signs.size
        F = np.hstack([rng.normal(size=(n, k)) / np.sqrt(max(k, 1)), np.full((n, 1), _BACKGROUND)])
        best, lowest, since, share = F, np.inf, 0, 1.0
        self.fewest = np.inf
        while since < patience:
            F, value, wrong = self._stepped(*self._minimized(F, share))
            if not wrong:
                yield F
                return
            since = 0 if wrong <= _PROGRESS * self.fewest else since + 1
            self.fewest = min(self.fewest, wrong)
            if value < lowest:
                best, lowest = F, value
            yield None
            F, share = best + _NOISE * best.std() * rng.normal(size=best.shape), _LATER

    @property
    def is_hopeless(self) -> bool:
        """Whether every round left so many wrong pairs that no other would help."""
        return self.fewest > self._limit

    @property
    def _limit(self) -> float:
        return max(_HOPELESS[1], _HOPELESS[0] * 2 * self.hinge.graph.n_links)

    def _minimized(self, F: Float64Array, share: float) -> tuple[Float64Array, float]:
        """The factors and the value after L-BFGS."""

        def function(point: Float64Array) -> tuple[float, Float64Array]:
            value, gradient = self.hinge.value_and_gradient(point.reshape(F.shape))
            return value, gradient.ravel()

        solver = LBFGSB(max(1, round(share * self.most)), _MEMORY, _VALUE_TOLERANCE, gradient_tolerance=0.0)
        solution = solver.minimize(function, F.ravel(), np.full(F.size, -np.inf), lambda now: self._tell(now.value))
        if solution.reason == "interrupted":
            raise KeyboardInterrupt
        return solution.point.reshape(F.shape), solution.value

    def _stepped(self, F: Float64Array, value: float) -> tuple[Float64Array, float, int]:
        """The factors, the value and the number of wrong pairs after Gauss-Newton steps."""
        damping, active = _DAMPING, self.hinge.active(F)
        for number in range(_STEPS):
            if not 0 < _wrong(active) <= self._limit:
                break
            step, before = self.hinge.step(F, active, damping, _INNER), value
            for length in (1.0, 0.5, 0.25):
                value = self.hinge.value_and_gradient(F + length * step)[0]
                if value < before:
                    break
            else:
                damping, value = 10 * damping, before
                continue
            F = F + length * step
            active = self.hinge.active(F)
            damping = max(damping / 3, _LEAST_DAMPING) if length == 1 else 2 * damping
            self._tell(value)
            if before - value < _SLOW * before and number > _STEPS // 8:
                break
        return F, value, _wrong(active)

    def _tell(self, value: float) -> None:
        self.iterations += 1
        if self.on_iteration is not None:
            seconds = time.perf_counter() - self.began
            self.on_iteration(Progress(self.iterations, self.iterations, value, seconds, self.stage))


def _wrong(active: Any) -> int:
    """How many active pairs have a score of the wrong sign, or zero."""
    return int(np.count_nonzero(np.abs(active.data) >= 1))


def _counts(columns: Columns, model: Form) -> tuple[int, int]:
    """How many columns attract and how many repel."""
    if model not in ("community", "logistic"):
        raise InvalidParameterError(f"model is {model!r}; use 'community' or 'logistic'")
    if model == "logistic" and (not isinstance(columns, int) or columns < 1):
        raise InvalidParameterError(f"columns is {columns!r}; X and Y need the same number, 1 or more")
    # Where the number is odd, one more repels than attracts: no node is linked with itself.
    k_B, k_C = (columns // 2, columns - columns // 2) if isinstance(columns, int) else columns
    if k_B < 0 or k_C < 0 or k_B + k_C < 1:
        raise InvalidParameterError(f"columns is {columns!r}; B and C need at least one column together")
    return k_B, k_C


def _rounded(hinge: Hinge, F: Float64Array) -> tuple[Integers, Integers] | None:
    """The background and the columns as the shortest integers whose scores have the right signs, if there are any."""
    for bits in _BITS:
        X, a = np.rint(F[:, :-1] * 2.0**bits), np.rint(F[:, -1:] * 4.0**bits)
        if (X.shape[1] * np.abs(X).max(initial=0) ** 2 + 2 * np.abs(a).max()) >= 2.0**53:  # no longer exact in floats
            return None
        one = np.ones_like(a)
        if not wrong_scores(hinge.graph, np.hstack([X * hinge.signs, one, a]), np.hstack([X, a, one]), stop=True):
            return a.ravel().astype(np.int64), X.astype(np.int64)
    return None


def _representation(background: Integers, columns: Integers, signs: Float64Array, model: Form) -> Representation:
    signs = signs.astype(np.int64)
    if model == "logistic":
        a, one = background[:, None], np.ones((background.size, 1), dtype=np.int64)
        return IntegerLogistic(np.hstack([columns * signs, one, a]), np.hstack([columns, a, one]), "fitted")
    V, W = (_short(numbers) for numbers in absorbed(background, columns, signs))
    return IntegerCommunities(V, W, "fitted")


def _short(numbers: Integers) -> Integers:
    """The same numbers in 64 bits, if they fit."""
    return numbers.astype(np.int64) if max(map(abs, numbers.flat), default=0) < 1 << 62 else numbers
