"""Factors fitted until they are the graph: far fewer columns than any construction needs, but without a guarantee.

Columns of any sign and a background are fitted, because a background makes nonnegative columns cost nothing: two of the
columns that are asked for pay for it (Lemma N, :func:`philia.factors.absorbed`). So there are no bounds, and the
squared hinge of all pairs (:mod:`philia.exact.hinge`) is zero at a finite point if an exact representation exists.

A search starts from eigenvectors at both ends of the spectrum, which is far ahead of a random start, and lowers the
hinge by L-BFGS. Every few iterations the pairs to look at are found again; the steps that L-BFGS remembers are kept. If
some pairs stay on the wrong side, the best factors so far are shaken, by a little noise, and the next round starts from
there.

As soon as every computed score has the right sign, the factors are rounded to the shortest integers for which that
remains true, made nonnegative, and proved like any other representation (:func:`philia.exact.certified`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from philia._types import Float64Array
from philia.exact.certified import Certified, certified
from philia.exact.hinge import Hinge, Numbers, Pairs
from philia.exact.lower_bounds import least_columns
from philia.exact.products import IntegerCommunities, IntegerLogistic, wrong_scores
from philia.exact.representation import Integers, Representation
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.execution import one_blas_thread
from philia.factors import absorbed
from philia.graphs import Graph
from philia.graphs.spectrum import leading_ends
from philia.solvers import OnIteration, Progress
from philia.solvers.lbfgs import Steps, quasi_newton_direction

Form = Literal["community", "logistic"]
Columns = int | tuple[int, int]

_BACKGROUND, _SIZE = -1.0, 2.0
"""The background and the mean length of rows before the first iteration: only similar nodes have scores above -1."""

_NOISE, _LATER = 0.1, 0.25
"""Noise at the start and to shake factors, in standard deviations, and the share of iterations in later rounds."""

_TINY = 1e-12
"""Below any length of a row that matters."""

_MEMORY = 20
"""Steps that L-BFGS remembers: twice the usual number, as the valleys are narrow."""

_SWEPT = 5
"""Iterations until the pairs to look at are found again; more often takes longer, more rarely meets surprises."""

_SLOW = 0.02, 10
"""A round ends if the value fell by less than this share over this many sweeps."""

_FIRST, _SHORTER, _SHORTEST, _ENOUGH = 0.1, 0.4, 20, 1e-4
"""The length of the first step, per node; the factor, and how often, to shorten one; and Armijo's usual constant."""

_PROGRESS = 0.9
"""A round that leaves more than this share of the wrong pairs counts against the patience."""

_HOPELESS = 0.01, 10
"""If a round leaves more wrong pairs than this share of the links, and than this number, no other is tried."""

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
    iterations: int = 1000,
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
            begun = _spectral(hinge, rng) if start == 1 else _random(hinge, rng)
            for round_, F in enumerate(search.rounds(begun, rng, patience), start=1):
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
    iterations: int = 1000,
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


@dataclass(frozen=True, eq=False)
class _Point:
    """Factors, with the value and the gradient of the hinge there, and how many of the pairs in view are wrong."""

    F: Numbers
    value: float
    gradient: Numbers
    wrong: int


class _Search:
    """Rounds of L-BFGS on one graph; a round ends early if every sign is right."""

    def __init__(self, hinge: Hinge, iterations: int, on_iteration: OnIteration | None, stage: str) -> None:
        self.hinge, self.on_iteration, self.stage = hinge, on_iteration, stage
        self.most, self.iterations, self.fewest = iterations, 0, np.inf
        self.began = time.perf_counter()

    def rounds(self, F: Numbers, rng: np.random.Generator, patience: int) -> Iterator[Numbers | None]:
        """After each round the factors if they are exact, else None, until several in a row made no progress."""
        best, lowest, since, share = F, np.inf, 0, 1.0
        self.fewest = np.inf
        while since < patience:
            end = self._minimized(F, round(share * self.most))
            if not end.wrong:
                yield end.F
                return
            since = 0 if end.wrong <= _PROGRESS * self.fewest else since + 1
            self.fewest = min(self.fewest, end.wrong)
            if end.value < lowest:
                best, lowest = end.F, end.value
            yield None
            F, share = _shaken(best, rng), _LATER

    @property
    def is_hopeless(self) -> bool:
        """Whether every round left so many wrong pairs that no other would help."""
        return self.fewest > max(_HOPELESS[1], _HOPELESS[0] * self.hinge.graph.n_links)

    def _minimized(self, F: Numbers, most: int) -> _Point:
        """Where L-BFGS ends; all pairs are looked at there, and every few iterations on the way."""
        steps: Steps = deque(maxlen=_MEMORY)
        values: list[float] = []
        while True:
            pairs = self.hinge.near(F)
            point = _Point(F, *self.hinge.at(F, pairs))
            values.append(point.value)
            slow = len(values) > _SLOW[1] and point.value > (1 - _SLOW[0]) * values[-1 - _SLOW[1]]
            if not point.wrong or slow or len(values) * _SWEPT > most:
                return point
            for _ in range(_SWEPT):
                point = self._stepped(point, pairs, steps)
                self._tell(point.value)
            F = point.F

    def _stepped(self, point: _Point, pairs: Pairs, steps: Steps) -> _Point:
        """The point after one step, which is then remembered; the same point if no step lowers the value."""
        direction = quasi_newton_direction(point.gradient.ravel(), steps)
        promised = float(point.gradient.ravel() @ direction)
        length = 1.0 if steps else _FIRST * np.sqrt(len(point.F) / max(promised, 1e-300))
        for _ in range(_SHORTEST):
            F = point.F - (length * direction).reshape(point.F.shape).astype(point.F.dtype)
            new = _Point(F, *self.hinge.at(F, pairs))
            if new.value < point.value - _ENOUGH * length * promised:
                s, y = (new.F - point.F).ravel(), (new.gradient - point.gradient).ravel()
                if (curvature := float(s @ y)) > 0:
                    steps.append((s, y, curvature))
                return new
            length *= _SHORTER
        steps.clear()  # the curvature was misleading
        return point

    def _tell(self, value: float) -> None:
        self.iterations += 1
        if self.on_iteration is not None:
            seconds = time.perf_counter() - self.began
            self.on_iteration(Progress(self.iterations, self.iterations, value, seconds, self.stage))


def _spectral(hinge: Hinge, rng: np.random.Generator) -> Numbers:
    """The start: eigenvectors at both ends of the spectrum, rows made more alike in length, and some noise."""
    n, k = hinge.graph.n_nodes, hinge.signs.size
    attracting = int((hinge.signs > 0).sum())
    upper, lower = leading_ends(hinge.graph, attracting, k - attracting, rng, scaled=True)
    W = np.zeros((n, k))
    for first, (values, vectors) in ((0, upper), (attracting, lower)):
        W[:, first : first + values.size] = vectors * np.sqrt(np.abs(values))
    lengths = np.linalg.norm(W, axis=1, keepdims=True)
    W /= np.sqrt(np.maximum(lengths, _TINY))
    W *= _SIZE / max(np.sqrt((W**2).sum() / n), _TINY)
    F = _random(hinge, rng)
    F[:, :-1] = W + _NOISE * F[:, :-1]
    return F


def _random(hinge: Hinge, rng: np.random.Generator) -> Numbers:
    """The start of later searches, because the first one would lead to the same place again."""
    n, k = hinge.graph.n_nodes, hinge.signs.size
    W = _SIZE / np.sqrt(max(k, 1)) * rng.normal(size=(n, k))
    return np.hstack([W, np.full((n, 1), _BACKGROUND)]).astype(hinge.kind)


def _shaken(F: Numbers, rng: np.random.Generator) -> Numbers:
    return np.asarray(F + _NOISE * F.std() * rng.normal(size=F.shape), dtype=F.dtype)


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


def _rounded(hinge: Hinge, F: Numbers) -> tuple[Integers, Integers] | None:
    """The background and the columns as the shortest integers whose scores have the right signs, if there are any."""
    F = F.astype(np.float64)
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
