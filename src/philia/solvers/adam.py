"""Adam with a floor, for functions too large to evaluate: blocks of rows, each with an estimate of its gradient."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from philia._types import BoolArray, Float64Array, FloatArray
from philia.solvers.solver import OnIteration, Progress, Solution

_NEVER_ZERO = 1e-8

_NEAREST = 1e-9
"""How close to its bound an entry may come. Halved again and again it would be zero in single precision, where products
have no slope; and the numbers just above that are slow to compute with."""


class RowBlocks(Protocol):
    """A function of a matrix F that can be estimated a block of its rows at a time."""

    @property
    def blocks(self) -> Sequence[slice]:
        """The blocks, which together are all rows."""
        ...

    @property
    def shared(self) -> BoolArray:
        """Which columns of F hold one value that all rows share."""
        ...

    def by_rows(self, F: FloatArray, rows: slice, rng: np.random.Generator) -> tuple[float, FloatArray]:
        """Estimates of what the rows add to the value, and of the gradient by them."""
        ...


Judge = Callable[[FloatArray], float]
"""How badly F does on what the search does not see; lower is better."""


@dataclass(frozen=True)
class Adam:
    """Steps of about the same length in every entry, whatever its slope (Kingma and Ba, 2015), above a floor.

    An epoch moves every row once, block after block in random order, and then the shared values. Steps fall from
    ``step`` to nothing along half a cosine. As in ``FloorLBFGS`` an entry keeps at least the share ``keep`` of its
    distance to its bound, and never reaches it.

    With its decays at 0.6 and 0.9 it forgets sooner than the usual Adam. An entry moves once an epoch, while its
    neighbours have moved too: older slopes mislead.

    A judge, asked every few epochs, ends the search: once ``patience`` verdicts in a row were no better than the best,
    the search goes back to that epoch and lets the steps run out in as many epochs as it has waited. The best matrix
    is kept; without a judge, the last.

    >>> class Bowl:
    ...     blocks, shared = [slice(0, 1), slice(1, 2)], np.array([False, False])
    ...     def by_rows(self, F, rows, rng):
    ...         away = F[rows] - [1, -2]
    ...         return float((away**2).sum()), 2 * away
    >>> solution = Adam(epochs=200).minimize(Bowl(), np.ones((2, 2)), np.zeros(2), np.random.default_rng(0))
    >>> np.abs(solution.point).round(3).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """

    epochs: int = 100
    step: float = 0.25
    keep: float = 0.5
    first_decay: float = 0.6
    second_decay: float = 0.9
    every: int = 1
    patience: int = 5

    def minimize(
        self,
        function: RowBlocks,
        start: FloatArray,
        lower_bound: FloatArray,
        rng: np.random.Generator,
        on_iteration: OnIteration | None = None,
        judge: Judge | None = None,
    ) -> Solution:
        """F (rows × columns) at or above the bound of each column, and how the search went.

        The history holds what each epoch's blocks added up to while they moved, and at last an estimate of the value
        at the point itself.
        """
        run = _Run(self, function, np.array(start, np.float32, order="C"), np.asarray(lower_bound, np.float32), judge)
        try:
            reason = run.search(rng, on_iteration)
        except KeyboardInterrupt:
            reason = "interrupted"
        return run.solution(rng, reason)


@dataclass
class _Run:
    """A search under way."""

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
        self.best, self.best_verdict, self.best_epoch = self.F.copy() if self.judge else self.F, np.inf, 0
        self.last, self.turned = self.how.epochs, 0

    def search(self, rng: np.random.Generator, on_iteration: OnIteration | None) -> str:
        self._ask(0)
        epoch = 0
        while epoch < self.last:
            value = self._epoch(self._length(epoch), rng)
            epoch += 1
            self.history.append(value)
            if on_iteration is not None:
                on_iteration(Progress(epoch, self.last, value, time.perf_counter() - self.began))
            if epoch % self.how.every == 0 or epoch == self.last:
                self._ask(epoch)
            if self.judge and not self.turned and epoch - self.best_epoch >= self._waits:
                self._turn(epoch)
        return "converged: the judge saw nothing better" if self.turned else "stopped at the limit of epochs"

    @property
    def _waits(self) -> int:
        return self.how.patience * self.how.every

    def _length(self, epoch: int) -> float:
        """The step of an epoch: half a cosine, that runs out sooner after the search has turned."""
        done = epoch / self.how.epochs if not self.turned else (epoch - self.turned) / (self.last - self.turned)
        whole = self.how.step if not self.turned else self.turned_at
        return whole * (1 + math.cos(math.pi * done)) / 2

    def _turn(self, epoch: int) -> None:
        """Go back to the best, and let the steps run out."""
        self.turned_at = self._length(epoch)
        self.turned, self.last = epoch, min(self.how.epochs, epoch + self._waits)
        self.F[...] = self.best

    def _ask(self, epoch: int) -> None:
        if self.judge is not None:
            verdict = self.judge(self.F)
            if verdict < self.best_verdict:
                self.best_verdict, self.best_epoch = verdict, epoch
                self.best[...] = self.F

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
            self._move(self.F[rows], self.rows.direction(rows, gradient, self.how), length, self.lower)
        if shared.any():
            self.common.turn(self.how)
            values = self.F[:1, shared]
            direction = self.common.direction(slice(None), by_shared.astype(np.float32), self.how)
            self._move(values, direction, length, self.lower[shared])
            self.F[:, shared] = values
        return value

    def _move(self, x: FloatArray, direction: FloatArray, length: float, lower: FloatArray) -> None:
        floor = np.maximum(self.how.keep * x + (1 - self.how.keep) * lower, lower + np.float32(_NEAREST))
        direction *= np.float32(length)
        np.subtract(x, direction, out=x)
        np.maximum(x, floor, out=x)

    def solution(self, rng: np.random.Generator, reason: str) -> Solution:
        F = self.best if self.judge else self.F
        value = sum(self.function.by_rows(F, rows, rng)[0] for rows in self.function.blocks)
        history = np.array([*self.history, value])
        seconds = time.perf_counter() - self.began
        point: Float64Array = F.astype(np.float64)
        converged = reason.startswith("converged")
        return Solution(point, value, history, len(history), seconds, reason, converged)


@dataclass
class _Moments:
    """Running means of the gradient and of its square, and how much of them is the zero they began at."""

    first: FloatArray
    second: FloatArray
    first_missing: float = 1.0
    second_missing: float = 1.0

    @classmethod
    def of(cls, x: FloatArray) -> _Moments:
        return cls(np.zeros_like(x), np.zeros_like(x))

    def turn(self, how: Adam) -> None:
        """Every entry is about to be moved once more."""
        self.first_missing *= how.first_decay
        self.second_missing *= how.second_decay

    def direction(self, rows: slice, gradient: FloatArray, how: Adam) -> FloatArray:
        """Where the rows go by this gradient and earlier ones: entries of about size 1."""
        first, second = self.first[rows], self.second[rows]
        first *= np.float32(how.first_decay)
        first += np.float32(1 - how.first_decay) * gradient
        second *= np.float32(how.second_decay)
        gradient *= gradient
        gradient *= np.float32(1 - how.second_decay)
        second += gradient
        size: FloatArray = np.sqrt(second * np.float32(1 / (1 - self.second_missing)))
        size += np.float32(_NEVER_ZERO)
        size *= np.float32(1 - self.first_missing)
        np.divide(first, size, out=size)
        return size
