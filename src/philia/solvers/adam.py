"""Adam with lower bounds, for functions too large to evaluate as a whole: blocks of rows with estimated gradients."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np

from philia._types import BoolArray, Float64Array, FloatArray
from philia.solvers.solver import OnIteration, Progress, Solution

_CUT, _CUTS = 0.4, 5
"""The factor by which steps are shortened when nothing improves, and how often before the search ends."""

_BETTER = 1e-4
"""A smaller relative improvement is kept, but counts as none."""

_STATE = ("F", "best_verdict", "waited", "cuts")


class RowBlocks(Protocol):
    """A function of a matrix F that is estimated one block of rows at a time."""

    @property
    def blocks(self) -> Sequence[slice]:
        """The blocks, which together cover all rows."""
        ...

    @property
    def shared(self) -> BoolArray:
        """Which columns of F hold one value shared by all rows."""
        ...

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """Estimates of the rows' contribution to the value, and of the gradient by them."""
        ...


Judge = Callable[[FloatArray], float]
"""The validation loss of F, on pairs that the search does not see."""


class Notes(Protocol):
    """Records the state of a search, so that it can be resumed."""

    def latest(self, like: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The last recorded state, with the random generator reset to it; None if the search has not begun.

        ``like`` is a state of the search: the recorded one must have the same names, types and shapes.
        """
        ...

    def keep(self, state: Callable[[], Mapping[str, Any]]) -> None:
        """Record the state that the function returns, or wait for a later epoch; its arrays may change afterwards."""
        ...


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015) above lower bounds: steps of similar length in every entry, whatever its slope.

    An iteration is an epoch: it moves every row once, block by block in random order, and then the shared values. Steps
    decay from ``step`` to zero along half a cosine. As in ``FloorLBFGS``, an entry keeps at least the fraction ``keep``
    of its distance to the bound in each step, and never reaches it.

    The decays, 0.6 and 0.9, are smaller than usual, so it forgets sooner: an entry moves once per epoch, while those of
    its neighbours have moved too, and older slopes mislead.

    If there is a judge, it evaluates F every ``every`` epochs. After ``patience`` verdicts in a row without improvement
    the search returns to the best epoch with steps 0.4 times as long, and after the fifth time it ends. The best matrix
    is returned; without a judge, the last. Models validate on a fraction ``hidden`` of the links; with 0 there is no
    judge, and the search looks for the lowest value.

    >>> class Bowl:
    ...     blocks, shared = [slice(0, 1), slice(1, 2)], np.array([False, False])
    ...     def by_rows(self, F, rows, rng):
    ...         away = F[rows] - [1, -2]
    ...         return float((away**2).sum()), 2 * away
    >>> solution = Adam(iterations=200).minimize(Bowl(), np.ones((2, 2)), np.zeros(2), np.random.default_rng(0))
    >>> np.abs(solution.point).round(3).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """

    iterations: int = 200
    step: float = 0.25
    hidden: float = 0.02
    keep: float = 0.5
    first_decay: float = 0.6
    second_decay: float = 0.9
    every: int = 1
    patience: int = 2

    def minimize(
        self,
        function: RowBlocks,
        start: FloatArray,
        lower_bound: FloatArray,
        rng: np.random.Generator,
        on_iteration: OnIteration | None = None,
        judge: Judge | None = None,
        notes: Notes | None = None,
    ) -> Solution:
        """F (rows × columns) at or above the bound of each column, and the course of the search.

        The history holds the sum over blocks of each epoch, taken while they moved, and then an estimate of the value
        at the result.
        """
        _compiled_move()
        run = _Run(self, function, np.array(start, np.float32, order="C"), np.asarray(lower_bound, np.float32), judge)
        try:
            reason = run.search(rng, on_iteration, notes)
        except KeyboardInterrupt:
            reason = "interrupted"
        return run.solution(rng, reason)


@dataclass
class _Run:
    """A running search."""

    how: Adam
    function: RowBlocks
    F: FloatArray
    lower: FloatArray
    judge: Judge | None
    history: list[float] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.F = np.maximum(self.F, self.lower)
        self.rows = _Moments.of(self.F)
        self.common = _Moments.of(self.F[:1, self.function.shared])
        self.best, self.best_verdict = self.F.copy() if self.judge else self.F, np.inf
        self.waited, self.cuts = 0, 0

    def search(self, rng: np.random.Generator, on_iteration: OnIteration | None, notes: Notes | None) -> str:
        before = None if notes is None else notes.latest(self._state())
        if before is None:
            self._ask()
        else:
            self._go_on_from(before)
        epoch = len(self.history)
        while epoch < self.how.iterations and self.cuts < _CUTS:
            value = self._epoch(self._length(epoch), rng)
            epoch += 1
            self.history.append(value)
            if on_iteration is not None:
                on_iteration(Progress(epoch, self.how.iterations, value, time.perf_counter() - self.began))
            if epoch % self.how.every == 0 or epoch == self.how.iterations:
                self._ask()
            if notes is not None:
                notes.keep(self._state)
        return "converged: the judge saw nothing better" if self.cuts == _CUTS else "stopped at the limit of epochs"

    def _state(self) -> dict[str, Any]:
        """Everything that later epochs depend on, except the random generator."""
        return {
            **{name: getattr(self, name) for name in _STATE},
            **({"best": self.best} if self.judge else {}),
            **{f"rows {name}": value for name, value in vars(self.rows).items()},
            **{f"common {name}": value for name, value in vars(self.common).items()},
            "history": np.array(self.history),
            "seconds": time.perf_counter() - self.began,
        }

    def _go_on_from(self, state: Mapping[str, Any]) -> None:
        state = {
            name: value.astype(np.float32, copy=False) if isinstance(value, np.ndarray) and name != "history" else value
            for name, value in state.items()
        }
        for name in _STATE:
            setattr(self, name, state[name])
        self.best = state["best"] if self.judge else self.F
        self.rows = _Moments(**{name: state[f"rows {name}"] for name in vars(self.rows)})
        self.common = _Moments(**{name: state[f"common {name}"] for name in vars(self.common)})
        self.history, self.began = state["history"].tolist(), time.perf_counter() - state["seconds"]

    def _length(self, epoch: int) -> float:
        """The step length of an epoch: half a cosine, shortened whenever the judge saw no improvement."""
        return self.how.step * _CUT**self.cuts * (1 + math.cos(math.pi * epoch / self.how.iterations)) / 2

    def _ask(self) -> None:
        """Keep the best F so far; if nothing improves, return to it and continue with shorter steps."""
        if self.judge is None:
            return
        verdict, before = self.judge(self.F), self.best_verdict
        if verdict < before:
            self.best_verdict = verdict
            self.best[...] = self.F
        self.waited = 0 if before - verdict > _BETTER * abs(verdict) else self.waited + 1
        if self.waited == self.how.patience:
            self.waited, self.cuts = 0, self.cuts + 1
            self.F[...] = self.best

    def _epoch(self, length: float, rng: np.random.Generator) -> float:
        shared, blocks = self.function.shared, self.function.blocks
        value, by_shared = 0.0, np.zeros((1, np.count_nonzero(shared)))
        self.rows.turn(self.how)
        for at in rng.permutation(len(blocks)):
            rows = blocks[at]
            cost, gradient = self.function.by_rows(self.F, rows, rng)
            value += cost
            if shared.any():
                by_shared += gradient[:, shared].sum(axis=0, dtype=np.float64)
                gradient[:, shared] = 0
            self.rows.move(self.F, rows, gradient, length, self.how, self.lower)
        if shared.any():
            self.common.turn(self.how)
            values = self.F[:1, shared]
            slopes = by_shared.astype(np.float32)
            self.common.move(values, slice(None), slopes, length, self.how, self.lower[shared])
            self.F[:, shared] = values
        return value

    def solution(self, rng: np.random.Generator, reason: str) -> Solution:
        F = self.F = self.best if self.judge else self.F
        del self.rows, self.best  # they are larger than the result
        value = sum(self.function.by_rows(F, rows, rng)[0] for rows in self.function.blocks)
        history = np.array([*self.history, value])
        seconds = time.perf_counter() - self.began
        point: Float64Array = F.astype(np.float64)
        converged = reason.startswith("converged")
        return Solution(point, value, history, len(history), seconds, reason, converged)


@dataclass
class _Moments:
    """Running means of the gradient and of its square, and the weight of their initial zeros in them."""

    first: FloatArray
    second: FloatArray
    first_missing: float = 1.0
    second_missing: float = 1.0

    @classmethod
    def of(cls, x: FloatArray) -> _Moments:
        return cls(np.zeros_like(x), np.zeros_like(x))

    def turn(self, how: Adam) -> None:
        """Prepare for another step of every entry."""
        self.first_missing *= how.first_decay
        self.second_missing *= how.second_decay

    def move(
        self, F: FloatArray, rows: slice, gradient: FloatArray, length: float, how: Adam, lower: FloatArray
    ) -> None:
        """Move the rows of F, by steps of about this length, using this gradient and earlier ones."""
        decays = np.array([how.first_decay, how.second_decay], np.float32)
        known = np.array([1 - self.first_missing, 1 - self.second_missing], np.float32)
        means = self.first[rows], self.second[rows]
        _compiled_move()(F[rows], gradient, *means, decays, known, np.float32(length), np.float32(how.keep), lower)


@cache
def _compiled_move() -> Callable[..., None]:
    """``_move``, compiled or loaded from the cache; numba is imported only here, because that is slow."""
    from philia._compilation import announced, specialized

    move = specialized(_move)
    x, two, one = np.zeros((1, 1), np.float32), np.ones(2, np.float32), np.float32(1)
    with announced("compiling the steps of Adam"):
        move(x, x, x.copy(), x.copy(), two, two, one, one, x[0])
    return move


def _move(
    x: Any, gradient: Any, first: Any, second: Any, decays: Any, known: Any, length: Any, keep: Any, lower: Any
) -> None:
    """Move the rows of x by their gradient, after updating the running means of slopes and of squared slopes.

    ``decays`` are the decays of both means, ``known`` the weights in them that do not belong to their initial zeros.
    Entries keep at least the fraction ``keep`` of their distance to ``lower``, and stay at least 1e-9 above it.
    """
    # An entry that is halved again and again would become zero in single precision, where products have no slope, and
    # denormal numbers on the way are slow: so it stays 1e-9 above its bound. 1e-8 is the usual epsilon of Adam.
    one, nearest, never_zero = x.dtype.type(1), x.dtype.type(1e-9), x.dtype.type(1e-8)
    first_decay, second_decay = decays[0], decays[1]
    shrink, grow = one / known[0], one / known[1]
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            slope = gradient[i, c]
            mean = first_decay * first[i, c] + (one - first_decay) * slope
            square = second_decay * second[i, c] + (one - second_decay) * slope * slope
            first[i, c], second[i, c] = mean, square
            new = x[i, c] - length * mean * shrink / (np.sqrt(square * grow) + never_zero)
            floor = max(keep * x[i, c] + (one - keep) * lower[c], lower[c] + nearest)
            x[i, c] = max(new, floor)
