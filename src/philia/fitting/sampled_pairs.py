"""The problem on graphs with too many pairs to look at: all links are counted, other pairs are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial

import numpy as np

from philia._types import BoolArray, Float64Array, FloatArray
from philia.execution import one_blas_thread
from philia.fitting.problem import AllPairs, Problem, joined, work
from philia.graphs import Graph
from philia.initialization import race
from philia.objective import Freedom, Recipe, SampledPairsObjective
from philia.objective.likelihood import sample_loss
from philia.pairs import PairSample
from philia.solvers import LBFGSB, Adam, Solution, staged
from philia.solvers.catalog import MOST_WORK
from philia.solvers.solver import unless_interrupted
from philia.storage import require_memory

AN_ENTRY = 36
"""Bytes that a search takes per entry of F: F, its two moments, the best so far and the start in single precision, and
the end in double precision."""

_MOST_HIDDEN, _FEWEST_HIDDEN = 50_000, 100
"""Links hidden for validation: more do not make a verdict better, and fewer say nothing."""

_COLUMNS, _ROWS, _MOST_ROWS = 512, 1024, 2048
_FEW_BLOCKS, _MANY_BLOCKS = 8, 500
"""A block has 1024 rows; fewer if there were not eight blocks, and up to 2048 if there are hundreds, because threads
then wait less for each other. 512 columns are drawn per block: with fewer, the noise of the gradient slows the search
more than the smaller products speed it up."""

_STEPS = (1.0, 0.32, 0.1, 0.032)
"""The step sizes that are tried, as shares of the solver's: half a decade apart."""

_STEP_EPOCHS = 4
"""Epochs per step size; a step that is too long shows by then."""

_LAST_EPOCHS, _LAST_STEP = 2, 0.03
"""The last epochs see the validation pairs too, with steps this much shorter than the first."""

_VERDICTS = 100
"""About how often the validation pairs are looked at in a whole search."""

_POLISH, _POLISHING_WORK = LBFGSB(least_fall=1e-3), 1e11
"""The solver of the last iterations where all pairs can be looked at, and the work it may do: about ten seconds."""

_FIRST_EPOCHS, _EPOCHS, _FEW_EPOCHS = 1.2, 0.6, 0.5
"""Epochs per iteration of the first trial, where what is still to be learned at its end would count in favour of what
is tried next, of other trials, and of any trial on a graph with too many pairs to look at all. With 2 and 1 a choice
takes a sixth longer, and held-out pairs of the tuning graph are no likelier."""

_FIRST_STEP, _NEXT_STEP = 0.25, 0.08
"""Later runs begin where the one before ended; long steps would first lead away from there."""

_SMALLEST = 1e-3
"""No group of columns is scaled below this share of its scores: at zero, products have no slope."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledPairs(Problem):
    """The problem solved by Adam on sampled pairs, in time that grows with nodes and links.

    ``sample`` scales a start to the graph. With ``validation``, the epoch that predicts those pairs best is kept.
    Values are estimates.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> graph = planted(600, 4, 2, degree=20, random_state=0).graph
    >>> model = CommunityModel(4, 2, penalty=1.0, solver=Adam(iterations=20), random_state=0).fit(graph)
    >>> model.factors_.homophilous.shape, bool(model.solution_.history[-1] < model.solution_.history[0])
    ((600, 4), True)
    """

    sample: PairSample | None = None
    validation: PairSample | None = None

    @classmethod
    def of(cls, problem: Problem) -> SampledPairs:
        """The same problem, without looking at all pairs."""
        return cls(**{field.name: getattr(problem, field.name) for field in fields(Problem)})

    @cached_property
    def objective(self) -> SampledPairsObjective:
        """The estimated loss and gradient, in single precision."""
        n = self.graph.n_nodes
        return SampledPairsObjective(
            self.graph,
            self.recipe,
            penalty=self.penalty,
            diagonal=self.diagonal,
            held_out=self.held_out,
            columns=_COLUMNS,
            rows=min(-(-n // _FEW_BLOCKS), max(_ROWS, min(n // _MANY_BLOCKS, _MOST_ROWS))),
            executor=self.executor,
        )

    @property
    def known(self) -> Graph:  # a second copy of the links would be large
        """The graph without the links that are held out."""
        return self.objective.known

    @property
    def affords_all_pairs(self) -> bool:
        """Whether there are few enough pairs to look at all of them."""
        return work(self.graph.n_nodes, self.recipe, self.held_out) <= MOST_WORK

    def drawn(self, count: int, *, hide: bool) -> SampledPairs:
        """The problem with a sample of about ``count`` links and more other pairs drawn, and hidden if asked."""
        sample = PairSample.draw(self.graph, self.held_out, count, self.rng)
        held_out = sample.held_out_with(self.held_out, self.graph) if hide else self.held_out
        return replace(self, held_out=held_out, sample=sample)

    def solve(self, F: FloatArray, solver: Adam, stage: str = "") -> Solution:
        """One run of Adam from F."""
        with one_blas_thread():
            found = self._run(F, solver, stage)
        return replace(found, point=self.recipe.factors(self.recipe.point(found.point), self.graph.n_nodes))

    def search(self, solver: Adam, n_starts: int = 1) -> Solution:
        """The whole search, with its own way to end it.

        A share of the links (``solver.hidden``), at most 50,000, and pairs without a link are hidden; the epoch that
        predicts them best is kept, and a few last epochs see all pairs.

        With nothing hidden, or with few links, the search is for the lowest loss: with the longest of a few step sizes
        that helps within four epochs, and for all epochs. Then, where all pairs can be looked at, L-BFGS-B goes on for
        some seconds, as long as five of its iterations lower the loss by a thousandth.
        """
        n, k = self.graph.n_nodes, len(self.recipe.mixing)
        require_memory(AN_ENTRY * n * k, f"a search for {k:,} columns on {n:,} nodes")
        count = min(round(solver.hidden * self.graph.n_links), _MOST_HIDDEN)
        hides = count >= _FEWEST_HIDDEN
        with one_blas_thread():
            problem = self.drawn(max(count, _FEWEST_HIDDEN), hide=hides)
            if hides:
                problem = replace(problem, validation=problem.sample)
            found = _in_single(problem._from_best(solver, [problem.start() for _ in range(n_starts)]))
            if found.reason == "interrupted":
                return self._in_double(found)
            if hides:
                return self._in_double(unless_interrupted(found, lambda: self._last_epochs(found, solver)))
            if not self.affords_all_pairs:
                return self._in_double(found)
            most = round(_POLISHING_WORK / work(n, self.recipe, self.held_out))
            polish = replace(_POLISH, iterations=min(_POLISH.iterations, most))
            return self.on_all_pairs().polish(found, polish, "on all pairs")

    def trial_solver(self, iterations: int, *, first: bool) -> Adam:
        """Few epochs, with long steps from a start and short ones from the end of another run."""
        epochs = (_FIRST_EPOCHS if first else _EPOCHS) if self.affords_all_pairs else _FEW_EPOCHS
        return Adam(round(epochs * iterations), _FIRST_STEP if first else _NEXT_STEP)

    def _begin(self) -> FloatArray:
        F = super()._begin()
        return F if self.sample is None else calibrated(F, self.recipe, self.sample)

    def _run(self, F: FloatArray, solver: Adam, stage: str = "") -> Solution:
        groups = self.recipe.groups
        lower = np.repeat([g.lower_bound for g in groups], [g.width for g in groups])
        judge = None if self.validation is None else partial(sample_loss, self.validation, self.recipe)
        watched = staged(self.on_iteration, stage) if stage else self.on_iteration
        return self.journal.solved(
            F, lambda: solver.minimize(self.objective, F, lower, self.rng, watched, judge, self.journal)
        )

    def _from_best(self, solver: Adam, starts: Sequence[FloatArray]) -> Solution:
        """From the best of the starts, with the longest steps that help."""
        start = starts[0]
        if len(starts) > 1:
            points = [F.astype(np.float64) for F in starts]
            start = race(points, lambda F, epochs: self._run(F, replace(solver, iterations=epochs))).point
        if self.validation is not None:  # it shows when steps are too long
            return self._run(start, replace(solver, every=max(1, solver.iterations // _VERDICTS)))
        step, tried = self._longest_step(solver.step, start)
        if tried.reason == "interrupted":
            return tried
        return joined(tried, self._run(tried.point, replace(solver, step=step)))

    def _longest_step(self, longest: float, start: FloatArray) -> tuple[float, Solution]:
        """The longest of some step sizes that leads below the start, and where it leads.

        Shorter steps may well have got further by then, but not later.
        """
        for share in _STEPS:
            step = share * longest
            solution = self._run(start, Adam(_STEP_EPOCHS, step), f"trying steps of {step:.2g}")
            if solution.reason == "interrupted":
                break
            try:
                after, before = (self.objective.value(F.astype(np.float32), self.rng) for F in (solution.point, start))
            except KeyboardInterrupt:
                return step, replace(solution, reason="interrupted", converged=False)
            if after < before:
                break
        return step, solution

    def _last_epochs(self, found: Solution, solver: Adam) -> Solution:
        """The solution after a few epochs of short steps that see the validation pairs too."""
        ended = self._run(found.point, replace(solver, iterations=_LAST_EPOCHS, step=_LAST_STEP * solver.step))
        both = joined(found, ended)
        return both if ended.reason == "interrupted" else replace(both, reason=found.reason, converged=found.converged)

    def on_all_pairs(self) -> AllPairs:
        """The same problem, looking at all pairs."""
        return AllPairs(**{field.name: getattr(self, field.name) for field in fields(Problem)})

    def _in_double(self, solution: Solution) -> Solution:
        """The solution with F in double precision, of the digits that it has."""
        point = self.recipe.point(_in_single(solution).point).astype(np.float64)
        return replace(solution, point=self.recipe.factors(point, self.graph.n_nodes))


def _in_single(solution: Solution) -> Solution:
    """The same point with the digits that Adam's have: single precision."""
    return replace(solution, point=solution.point.astype(np.float32, copy=False))


def calibrated(F: Float64Array, recipe: Recipe, known: PairSample) -> FloatArray:
    """F with each group of columns that attract or repel scaled, and each shared value moved, to fit the pairs best.

    It comes in single precision: that is what searches on sampled pairs work in.

    The more nodes, the rarer links, and the more a start that is a little too strong promises of them. A large graph
    leaves no time to unlearn that. With scores = sum of a_g · scores_g + δ this is a regression on a few numbers.

    >>> from philia import CommunityModel
    >>> recipe, F = CommunityModel(1, 0, background="none").recipe(), np.full((4, 1), 3.0)
    >>> half = PairSample(np.array([0, 1]), np.array([2, 3]), np.array([True, False]), np.ones(2), 4)
    >>> round(float(calibrated(F, recipe, half).max()), 2)
    0.09
    """
    ends, linked, weights = (F[known.rows], F[known.columns]), known.linked, known.weights
    parts, scaled, moved = _parts(ends, recipe)
    if not len(parts):
        return F.astype(np.float32)
    rest = _scores(ends, recipe.mixing) - parts[: len(scaled)].sum(axis=0)

    def regression(x: Float64Array) -> tuple[float, Float64Array]:
        scores = x @ parts + rest
        (costs, slopes), (as_link, slopes_as_link) = recipe.loss.without_link(scores), recipe.loss.with_link(scores)
        return (
            float(weights @ np.where(linked, as_link, costs)),
            parts @ (weights * np.where(linked, slopes_as_link, slopes)),
        )

    begin = np.concatenate([np.ones(len(scaled)), np.zeros(len(moved))])
    lower = np.concatenate([np.full(len(scaled), _SMALLEST), np.full(len(moved), -np.inf)])
    found = LBFGSB(iterations=100).minimize(regression, begin, lower).point
    start = F.astype(np.float32)
    for columns, size in zip(scaled, found, strict=False):
        np.multiply(F[:, columns], np.sqrt(size), out=start[:, columns], casting="same_kind")
    for column, shift in zip(moved, found[len(scaled) :], strict=True):
        start[:, column] = F[:, column] + shift
    return start


_Ends = tuple[Float64Array, Float64Array]
"""The rows of F of the two nodes of each pair."""


def _parts(ends: _Ends, recipe: Recipe) -> tuple[Float64Array, list[slice], list[int]]:
    """What each bounded group adds to the scores of the pairs, and what a unit of each shared value would."""
    parts, scaled, moved = [], [], []
    first = 0
    for group in recipe.groups:
        columns = slice(first, first + group.width)
        first += group.width
        if np.isfinite(group.lower_bound) and group.width:
            scaled.append(columns)
            parts.append(_scores((ends[0][:, columns], ends[1][:, columns]), recipe.mixing[columns, columns]))
    for column in np.flatnonzero(_shared(recipe)).tolist():
        M = recipe.mixing
        moved.append(column)
        parts.append(ends[0] @ M[:, column] + ends[1] @ M[column] + M[column, column])
    return np.array(parts), scaled, moved


def _shared(recipe: Recipe) -> BoolArray:
    return np.repeat([g.freedom is Freedom.SHARED for g in recipe.groups], [g.width for g in recipe.groups])


def _scores(ends: _Ends, mixing: Float64Array) -> Float64Array:
    return np.asarray(np.einsum("ij,ij->i", ends[0] @ mixing, ends[1]))
