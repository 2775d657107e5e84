"""Factors fitted until they are the graph: far fewer columns than any construction needs, but without a guarantee.

Columns of any sign and a background are fitted, because a background makes nonnegative columns cost nothing: two of the
columns that are asked for pay for it (Lemma N, :func:`philia.factors.absorbed`). So there are no bounds, and the
squared hinge of all pairs (:mod:`philia.exact.hinge`) is zero at a finite point if an exact representation exists.

A search starts from eigenvectors at both ends of the spectrum, which is far ahead of a random start, and lowers the
hinge by L-BFGS. Every few iterations the pairs to look at are found again; the steps that L-BFGS remembers are kept. If
some pairs stay on the wrong side, the best factors so far are shaken, by a little noise, and the next round starts from
there.

An exact fit leads to smaller ones: without its least important column most signs are still right, and L-BFGS mends the
others. That goes further than a start from eigenvectors with as few columns.

As soon as every computed score has the right sign, the factors are rounded to the shortest integers for which that
remains true, made nonnegative, and proved like any other representation (:func:`philia.exact.certified`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from philia._interrupts import interruptible
from philia._text import counted
from philia.exact.certified import Certified, certified
from philia.exact.hinge import Hinge, Numbers, Pairs
from philia.exact.lower_bounds import least_columns
from philia.exact.products import IntegerCommunities, IntegerLogistic, wrong_scores
from philia.exact.representation import Integers, Representation
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.execution import one_blas_thread
from philia.factors import absorbed
from philia.graphs import Graph, degeneracy
from philia.graphs.spectrum import leading_ends
from philia.solvers import OnIteration, Progress
from philia.solvers.lbfgs import Steps, quasi_newton_direction

Form = Literal["community", "logistic"]
Columns = int | tuple[int, int]

_BACKGROUND, _SIZE = -1.0, 2.0
"""The background and the mean length of rows before the first iteration: only similar nodes have scores above -1."""

_NOISE, _SHAKEN = 0.1, 0.02
"""Noise at the start, per row as a share of its length, and to shake factors, as a share of their deviation. More noise
would undo what a round has reached."""

_LATER = 0.5
"""The share of iterations in later rounds."""

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
"""If a round made no progress and left more wrong pairs than this share of the links, and than this number, none
follows."""

_WIDER, _STEP = 16, 8
"""A later search for k columns starts with k / 16 more of each kind; one for the fewest drops an eighth at first."""

_BITS = range(3, 26)
"""Binary digits of rounded columns, the fewest first; with more, the products of the columns might not fit a float."""


@dataclass(frozen=True, eq=False)
class FittedExactly:
    """Certified factors, and what it took to find them: starts, rounds and iterations of all of them.

    ``tried`` has the numbers of columns that a search for the smallest tried, in order, and whether each was enough;
    ``interrupted`` says whether an interrupt ended it.

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
    interrupted: bool = False

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
    ``patience`` of them in a row left more than nine tenths of the wrong pairs, or one left so many that more would be
    in vain. Then the next of ``starts`` searches begins, with some more columns, which it drops one by one.

    >>> from philia import as_graph
    >>> ring = as_graph([(i, (i + 1) % 6) for i in range(6)])
    >>> fit_exact(ring, (2, 3)).certified.verify(ring).columns
    5
    >>> fit_exact(ring, 1, starts=1, patience=1, iterations=10) is None
    True
    """
    k_B, k_C = _counts(columns, model)
    search = _Search(graph, random_state, patience, iterations, on_iteration)
    for start in range(starts):
        found = search.reached((k_B, k_C), start * max(1, (k_B + k_C) // _WIDER))
        if found is not None:
            return FittedExactly(certified(graph, found.representation(model)), start + 1, search.rounds, search.done)
    return None


def smallest_exact(
    graph: Graph,
    *,
    model: Form = "community",
    most: int | None = None,
    patience: int = 5,
    iterations: int = 1000,
    random_state: int = 0,
    on_iteration: OnIteration | None = None,
) -> FittedExactly | None:
    """The exact fit with the fewest columns that the search finds, certified; None if there is none up to ``most``.

    The search begins with half as many columns again as the degeneracy, which are enough for most networks, and with
    more if they are not. From an exact fit it drops columns, at first an eighth at a time, then fewer, until one is too
    many. That no exact fit was found with fewer columns proves nothing, except how far this search gets. ``most`` is n
    by default. Once a fit is exact, an interrupt (Ctrl-C) ends the search and gives the smallest so far.

    >>> from philia import as_graph
    >>> smallest_exact(as_graph([("ann", "bob"), ("bob", "cat")]), patience=1, iterations=40).columns
    3
    """
    least, most = least_columns(graph).columns, max(graph.n_nodes, 2) if most is None else most
    search = _Search(graph, random_state, patience, iterations, on_iteration)
    tried: list[tuple[int, bool]] = []
    columns, found = min(max(3 * degeneracy(graph) // 2, least), most), None
    while found is None:
        found = search.started(_counts(columns, model))
        tried.append((columns, found is not None))
        if found is None and columns == most:
            return None
        columns = min(columns + columns // 2 + 1, most)
    interrupted = False
    try:
        for columns, narrower in search.narrower(found, least, model):
            tried.append((columns, narrower is not None))
            found = narrower or found
    except KeyboardInterrupt:  # the best fit so far is a result
        interrupted = True
    proved = certified(graph, found.representation(model))
    return FittedExactly(proved, 1, search.rounds, search.done, tuple(tried), interrupted)


@dataclass(frozen=True, eq=False)
class _Point:
    """Factors, with the value and the gradient of the hinge there, and how many of the pairs in view are wrong."""

    F: Numbers
    value: float
    gradient: Numbers
    wrong: int


@dataclass(frozen=True, eq=False)
class _Exact:
    """Factors whose scores all have the right signs, with the same rounded to integers: background and columns."""

    hinge: Hinge
    F: Numbers
    background: Integers
    columns: Integers

    @property
    def total(self) -> int:
        """The number of columns, with the two that the background takes."""
        return self.hinge.signs.size + 2

    def representation(self, model: Form) -> Representation:
        """The integers in the form that is asked for."""
        X, signs = self.columns, self.hinge.signs.astype(np.int64)
        if model == "logistic":
            a, one = self.background[:, None], np.ones((len(X), 1), dtype=np.int64)
            return IntegerLogistic(np.hstack([X * signs, one, a]), np.hstack([X, a, one]), "fitted")
        V, W = (_short(numbers) for numbers in absorbed(self.background, X, signs))
        return IntegerCommunities(V, W, "fitted")


class _Search:
    """Rounds of L-BFGS on one graph, with any number of columns.

    ``done`` counts iterations, of which there will be at most ``limit`` at the end of this round, and ``rounds`` the
    rounds.
    """

    def __init__(
        self, graph: Graph, random_state: int, patience: int, iterations: int, on_iteration: OnIteration | None
    ) -> None:
        if not graph.n_nodes:
            raise InvalidGraphError("the graph has no nodes; there is nothing to fit")
        self.graph = replace(graph, weights=None)  # every link has to be right, whatever its weight
        self.patience, self.most, self.on_iteration = patience, iterations, on_iteration
        self.rng, self.began = np.random.default_rng(random_state), time.perf_counter()
        self.done = self.rounds = self.limit = 0

    def reached(self, counts: tuple[int, int], wider: int) -> _Exact | None:
        """An exact fit, from a start with so many more columns of each kind, one of which is dropped at a time."""
        found = self.started((counts[0] + wider, counts[1] + wider))
        for extra in reversed(range(2 * wider)):
            if found is None:
                return None
            found = self.narrowed(found, (counts[0] + extra // 2, counts[1] + (extra + 1) // 2))
        return found

    def started(self, counts: tuple[int, int]) -> _Exact | None:
        """An exact fit that starts from eigenvectors."""
        return self._fitted(counts, lambda hinge: _spectral(hinge, self.rng))

    def narrowed(self, found: _Exact, counts: tuple[int, int]) -> _Exact | None:
        """An exact fit that starts from one with more columns, without the least important of them."""
        return self._fitted(counts, lambda hinge: _narrowed(found, hinge))

    def narrower(self, found: _Exact, least: int, model: Form) -> Iterator[tuple[int, _Exact | None]]:
        """Exact fits with fewer and fewer columns, or None where there was none, until a single one is too many."""
        failed = None
        while found.total > least:
            step = found.total // _STEP if failed is None else (found.total - failed) // 2
            columns = max(found.total - max(step, 1), least)
            fewer = self.narrowed(found, _counts(columns, model))
            yield columns, fewer
            if fewer is not None:
                found = fewer
            elif columns == found.total - 1:
                return
            else:
                failed = columns

    def _fitted(self, counts: tuple[int, int], begin: Callable[[Hinge], Numbers]) -> _Exact | None:
        if min(counts) < 1 or (self.graph.n_links and counts[1] == 1):  # no graph with a link has fewer: docs/exact.md
            return None
        hinge = Hinge(self.graph, np.repeat([1.0, -1.0], [counts[0] - 1, counts[1] - 1]))
        with one_blas_thread(), interruptible():
            return self._settled(hinge, begin(hinge))

    def _settled(self, hinge: Hinge, F: Numbers) -> _Exact | None:
        """Exact factors after some rounds; None if several in a row made no progress, or if it is hopeless."""
        best, lowest, fewest, since, share = F, np.inf, np.inf, 0, 1.0
        while since < self.patience:
            end = self._minimized(hinge, F, round(share * self.most))
            self.rounds += 1
            if not end.wrong and (whole := _rounded(hinge, end.F)) is not None:
                return _Exact(hinge, end.F, *whole)
            since = 0 if end.wrong <= _PROGRESS * fewest else since + 1
            fewest = min(fewest, end.wrong)
            if since and fewest > max(_HOPELESS[1], _HOPELESS[0] * self.graph.n_links):
                return None
            if end.value < lowest:
                best, lowest = end.F, end.value
            F, share = _shaken(best, self.rng) if since else best, _LATER
        return None

    def _minimized(self, hinge: Hinge, F: Numbers, most: int) -> _Point:
        """Where L-BFGS ends; all pairs are looked at there, and every few iterations on the way."""
        steps: Steps = deque(maxlen=_MEMORY)
        values: list[float] = []
        self.limit = self.done + most
        while True:
            pairs = hinge.near(F)
            point = _Point(F, *hinge.at(F, pairs))
            values.append(point.value)
            slow = len(values) > _SLOW[1] and point.value > (1 - _SLOW[0]) * values[-1 - _SLOW[1]]
            if not point.wrong or slow or len(values) * _SWEPT > most:
                return point
            for _ in range(_SWEPT):
                point = _stepped(hinge, point, pairs, steps)
                self._tell(hinge, point)
            F = point.F

    def _tell(self, hinge: Hinge, point: _Point) -> None:
        self.done += 1
        if self.on_iteration is not None:
            seconds = time.perf_counter() - self.began
            stage = f"{hinge.signs.size + 2} columns, {counted(point.wrong, 'wrong pair')}"
            self.on_iteration(Progress(self.done, max(self.done, self.limit), point.value, seconds, stage))


def _stepped(hinge: Hinge, point: _Point, pairs: Pairs, steps: Steps) -> _Point:
    """The point after one step, which is then remembered; the same point if no step lowers the value."""
    direction = quasi_newton_direction(point.gradient.ravel(), steps)
    promised = float(point.gradient.ravel() @ direction)
    length = 1.0 if steps else _FIRST * np.sqrt(len(point.F) / max(promised, 1e-300))
    for _ in range(_SHORTEST):
        F = point.F - (length * direction).reshape(point.F.shape).astype(point.F.dtype)
        new = _Point(F, *hinge.at(F, pairs))
        if new.value < point.value - _ENOUGH * length * promised:
            s, y = (new.F - point.F).ravel(), (new.gradient - point.gradient).ravel()
            if (curvature := float(s @ y)) > 0:
                steps.append((s, y, curvature))
            return new
        length *= _SHORTER
    steps.clear()  # the curvature was misleading
    return point


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
    W += _NOISE * _SIZE / np.sqrt(max(k, 1)) * rng.normal(size=(n, k))
    return np.hstack([W, np.full((n, 1), _BACKGROUND)]).astype(hinge.kind)


def _narrowed(found: _Exact, hinge: Hinge) -> Numbers:
    """The factors of an exact fit in fewer columns: the leading ones, after a rotation of those with the same sign.

    Rotations change no score. Nor does it change any if a column w is centred and the background makes up for it, as
    w wᵀ = (w - c 1)(w - c 1)ᵀ + 1 gᵀ + g 1ᵀ with g = c w - ½ c² 1; then less is lost with a column.
    """
    W, signs, parts = found.F[:, :-1].astype(np.float64), found.hinge.signs, []
    centre = W.mean(axis=0)
    a = found.F[:, -1] + (W - centre / 2) @ (signs * centre)
    for sign in (1.0, -1.0):
        part = (W - centre)[:, signs == sign]
        axes = np.linalg.eigh(part.T @ part)[1][:, ::-1]
        parts.append(part @ axes[:, : np.count_nonzero(hinge.signs == sign)])
    return np.hstack([*parts, a[:, None]]).astype(hinge.kind)


def _shaken(F: Numbers, rng: np.random.Generator) -> Numbers:
    return np.asarray(F + _SHAKEN * F.std() * rng.normal(size=F.shape), dtype=F.dtype)


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


def _short(numbers: Integers) -> Integers:
    """The same numbers in 64 bits, if they fit."""
    return numbers.astype(np.int64) if max(map(abs, numbers.flat), default=0) < 1 << 62 else numbers
