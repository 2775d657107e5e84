"""Choosing the numbers of communities and the penalty by how well they predict validation pairs.

The search is a path, not a grid. It starts with more communities than the graph can support, moves the penalty down or
up as long as validation pairs become more likely, then merges communities a few at a time, always continuing from the
last fit. So it costs a few fits, not dozens.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from philia._types import Float64Array, FloatArray
from philia.exceptions import DivergedError
from philia.execution import one_blas_thread
from philia.factors import CommunityFactors, row_products
from philia.fitting import CommunityParametrization, Problem, SampledPairs
from philia.pairs import HeldOut, PairSample, seen
from philia.reading import Effort, read_levels
from philia.selection.forecast import Forecast
from philia.selection.merging import Kinds, shrunk
from philia.selection.plan import Folds, Settings, first_settings
from philia.selection.selection import Selection, Step

_FIRST, _WALK, _SHRINK, _ANEW = 50, 20, 15, 25
"""Iterations of the first run, of each step of the penalty, after each merge, and with repelling communities from a new
start: enough for the validation likelihood to settle to well below its standard error."""

_LOOK = 10
"""Iterations over all pairs after trials on sampled ones: more of them lead to the same penalty."""

_SHRINK_TO = 0.82
"""The share of communities kept by one step, so that consecutive numbers are at most a fifth apart."""

_REAL = 2.0
"""Repelling communities must be this many standard errors better than none: of several numbers that are tried, the best
is one standard error better by luck."""

_HOPELESS = 4.0
"""This many standard errors below the best, fewer communities will not recover."""

_WEIGHT_STEP, _WEIGHT_STEPS = 1.5, 2
"""The step by which the weight of given communities is moved, since validation pairs hardly tell closer ones apart, and
the most steps: communities that count for less than half would not be those that are read."""

_DEAD = 1e-4
"""A community that changes no log-odds by more than this is dead: a column near zero never recovers."""


_HIDDEN_SHARE, _MOST_HIDDEN = 0.1, 100_000
"""The share of links hidden where pairs are sampled, and their maximum: more would not make the choice better."""

_SAMPLED_NODES = 5000
"""From here on trials look at sampled pairs: an epoch moves every entry, as an iteration over all pairs does, and takes
a tenth of its time. On a tuning graph of 2,405 nodes it takes a third, and noise makes the choice worse."""

_MOST_WALKS = 10
"""The most steps of the penalty in one direction; a graph that wants no penalty would never stop."""


@dataclass(eq=False)
class _State:
    """A setting that was tried: the factors of each fold, and the log-likelihood of each validation pair."""

    factors: tuple[CommunityFactors, ...]
    penalty: float
    likelihoods: Float64Array
    counts: tuple[int, int]
    weight: float

    @property
    def total(self) -> float:
        return float(self.likelihoods.sum())

    def forget(self) -> None:
        """Drop the factors, which are large; their likelihoods stay."""
        self.factors = ()


class Search:
    """A search over one or several folds; ``run`` returns the choice and the first fold's factors there.

    A fold is the problem with some pairs hidden for validation. All folds take each step together, and their validation
    pairs are judged together.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> from philia.fitting import AllPairs
    >>> from philia.pairs import RandomPairs
    >>> graph, hidden = planted(90, 2, 0, degree=9, random_state=0).graph, RandomPairs(0.1)
    >>> columns, rng = CommunityModel(4, 0).parametrization(), np.random.default_rng(0)
    >>> fold = AllPairs(graph=graph, parametrization=columns, penalty=1.0, held_out=hidden, rng=rng)
    >>> search = Search([fold], [PairSample.held_out(graph, hidden, None, rng)])
    >>> search.run(Settings(4, 0, 1.0, (True, False), search_penalty=False), share=0.1)[0].penalty
    1.11...
    """

    def __init__(self, folds: Sequence[Problem], judges: Sequence[PairSample], ahead: Forecast | None = None) -> None:
        self.folds, self.judges, self.rng = tuple(folds), judges, folds[0].rng
        self.tried: list[_State] = []
        self.good: list[_State] = []
        self.interrupted = False
        self._ahead = Forecast() if ahead is None else ahead
        self.kinds: Kinds = (True, True)
        self.weight = 1.0
        self._pooled = PairSample.joined(judges)
        # Without a background and without columns, nothing would be left to fit.
        self._least = int(getattr(folds[0].parametrization, "background", "") == "none")
        self._pairs = max(1.0, float(self._pooled.weights.sum()))  # one node has no pairs at all

    def run(self, settings: Settings, share: float, read: int = 0) -> tuple[Selection, CommunityFactors]:
        """Follow the path that the settings leave open; ``share`` is the share of pairs that each fold hides.

        ``read`` attracting communities are given and are counted with those that are searched for.
        """
        began = time.perf_counter()
        try:
            with one_blas_thread():  # once: short runs would take a third longer if each of them set it
                state = self._walked(settings, read)
        except KeyboardInterrupt:  # between two runs; a run that is interrupted keeps its best point
            left = [tried for tried in self.tried if tried.factors]
            if not left:
                raise
            self.interrupted, state = True, max(left, key=lambda tried: tried.total)
        chosen = next(i for i, tried in enumerate(self.tried) if tried is state)
        best = max(self.tried, key=lambda tried: tried.total)
        selection = Selection(
            steps=tuple(self._step(tried, best, share, read) for tried in self.tried),
            chosen=chosen,
            good=tuple(i for i, tried in enumerate(self.tried) if tried is state or tried in self.good),
            folds=len(self.folds),
            share=share,
            links=self._pooled.n_links,
            density=self._density(),
            seconds=time.perf_counter() - began,
            interrupted=self.interrupted,
            read=read,
            weight=state.weight,
        )
        return selection, state.factors[0]

    def _walked(self, settings: Settings, read: int) -> _State:
        """The end of the path."""
        self.kinds = kinds = settings.search_kinds
        self._enter("first", 1)
        state = self._trained(self._started(settings.counts, settings.penalty), settings.penalty, _FIRST)
        if settings.search_penalty:
            self._enter("penalty", 2)
            state = self._best_penalty(state, 2.0)
        if read:
            self._enter("weight", 2)
            state = self._best_weight(state)
        self._enter("fewest", np.log(max(2, sum(state.counts))) / -np.log(_SHRINK_TO))
        state = self._fewest(state, kinds, _SHRINK_TO, _HOPELESS)
        if settings.search_penalty and any(kinds):
            self._enter("penalty again", 2)
            state = self._best_penalty(state, 2.0**0.5)
        self._enter("fewest again", 2)
        state = self._fewest(state, kinds, 1.0, 1.0)
        if kinds[1]:
            self._enter("repelling", 1 + settings.n_heterophilous)
            state = self._repelling_anew(state, settings)
        self._enter("all pairs", 3)
        return self._on_all_pairs(state) if settings.search_penalty else state

    def _on_all_pairs(self, state: _State) -> _State:
        """The penalty again, if trials looked at sampled pairs, by trials that look at all of them.

        Trials on sampled pairs end before a small penalty shows all the harm that it does to a longer fit, so a larger
        one is tried first.
        """
        folds = [fold for fold in self.folds if isinstance(fold, SampledPairs) and fold.affords_all_pairs]
        if self.interrupted or not folds or not sum(state.counts):
            return state
        self.folds = tuple(fold.on_all_pairs() for fold in folds)
        now = self._trained(state.factors, state.penalty, _LOOK)
        state.forget()
        return self._best_penalty(now, 0.5, _LOOK)

    def _enter(self, phase: str, steps: float) -> None:
        """Tell the forecast which phase begins, and about how many steps it has."""
        self._ahead.enter(phase, steps * len(self.folds))

    def _started(self, counts: tuple[int, int], penalty: float) -> tuple[CommunityFactors, ...]:
        """The factors of each fold before the first step."""
        self.folds = tuple(fold.resized(*counts, penalty) for fold in self.folds)
        return tuple(_factors(fold, fold.start()) for fold in self.folds)

    def _trained(self, factors: tuple[CommunityFactors, ...], penalty: float, iterations: int) -> _State:
        """The factors of each fold after a short run, and how likely they make the hidden pairs."""
        self.folds = tuple(
            fold.resized(*begun.counts, penalty) for fold, begun in zip(self.folds, factors, strict=True)
        )
        trained = tuple(self._run(fold, begun, iterations) for fold, begun in zip(self.folds, factors, strict=True))
        trained = _alive(trained, self.kinds)
        found = [judge.of_factors(f) for judge, f in zip(self.judges, trained, strict=True)]
        state = _State(trained, penalty, np.concatenate(found), trained[0].counts, self.weight)
        if not np.isfinite(state.total):
            raise DivergedError(
                f"with a penalty of {penalty:.3g} a trial ended in numbers that are not finite, so nothing can be "
                "chosen; give the numbers of communities and the penalty"
            )
        self.tried.append(state)
        return state

    def _run(self, fold: Problem, begun: CommunityFactors, iterations: int) -> CommunityFactors:
        if self.interrupted:
            return begun
        self._ahead.run()
        stage = f"trying {begun.counts[0]} + {begun.counts[1]} communities, penalty {fold.penalty:.2g}"
        solver = fold.trial_solver(iterations, first=iterations == _FIRST)
        solution = fold.solve(fold.parametrization.columns(begun), solver, stage)
        self.interrupted = solution.reason == "interrupted"
        return _factors(fold, solution.point)

    def _best_penalty(self, state: _State, factor: float, iterations: int = _WALK) -> _State:
        """The penalty, moved up or down as long as validation pairs become more likely."""
        best = state
        for direction in (1 / factor, factor):
            for _ in range(_MOST_WALKS):
                if self.interrupted or not sum(best.counts):
                    break
                next_one = self._trained(best.factors, best.penalty * direction, iterations)
                if next_one.total <= best.total:
                    next_one.forget()
                    break
                best.forget()
                best = next_one
            if best is not state:
                break
        return best

    def _best_weight(self, state: _State) -> _State:
        """What the strengths of given communities are multiplied by, moved as long as validation pairs become likelier.

        They were found as if members belonged to a community fully and nothing else mattered.
        """
        best = state
        for factor in (_WEIGHT_STEP, 1 / _WEIGHT_STEP):
            for _ in range(_WEIGHT_STEPS):
                if self.interrupted:
                    break
                self._weigh(best.weight * factor)
                next_one = self._trained(best.factors, best.penalty, _WALK)
                if next_one.total <= best.total:
                    next_one.forget()
                    break
                best.forget()
                best = next_one
            if best is not state:
                break
        self._weigh(best.weight)
        return best

    def _weigh(self, weight: float) -> None:
        """Let given communities count this much."""
        factor, self.weight = weight / self.weight, weight
        columns = [(fold, fold.parametrization) for fold in self.folds]
        self.folds = tuple(
            fold.with_columns(own.weighed(factor), fold.penalty) if isinstance(own, CommunityParametrization) else fold
            for fold, own in columns
        )
        self.judges = [replace(judge, offsets=judge.offsets * factor) for judge in self.judges]

    def _fewest(self, state: _State, kinds: Kinds, keep: float, hopeless: float) -> _State:
        """The fewest communities within one standard error of the best.

        Each step keeps a share of them and drops at least one; it ends ``hopeless`` standard errors below the best.
        """
        path, now = [state], state
        while not self.interrupted:
            count = sum(n for n, free in zip(now.counts, kinds, strict=True) if free)
            if not count or sum(now.counts) <= self._least:
                break
            remove = max(1, count - round(keep * count))
            now = self._trained(self._shrunk(now, remove, kinds), now.penalty, _SHRINK)
            path.append(now)
            best = max(path, key=lambda tried: tried.total)
            if best.total - now.total > hopeless * self._error(now, best):
                break
        return self._kept(path, state)

    def _shrunk(self, state: _State, remove: int, kinds: Kinds) -> tuple[CommunityFactors, ...]:
        """The factors of each fold with so many columns fewer; most folds decide of which kind."""
        folds = list(zip(state.factors, self.judges, strict=True))
        smaller = [shrunk(factors, judge, remove, kinds, self.rng) for factors, judge in folds]
        (counts, _), *_ = Counter(factors.counts for factors in smaller).most_common(1)
        return tuple(
            found if found.counts == counts else _down_to(*fold, counts, self.rng)
            for found, fold in zip(smaller, folds, strict=True)
        )

    def _repelling_anew(self, state: _State, settings: Settings) -> _State:
        """The fewest repelling communities, each number from a new start, within one standard error of the best.

        Along the path they may have died under a penalty that many other columns needed, or two groups were found as
        four quarters, none of which can be merged or dropped. So numbers are tried from the smallest on, until one is
        good enough and the next is no better. None are kept unless they are told from chance.
        """
        died = settings.search_penalty and not state.counts[1]
        penalty = min(state.penalty, settings.penalty) if died else state.penalty
        most = self._with_repelling(state, settings.n_heterophilous, penalty)
        if died:
            most = self._best_penalty(most, 2.0**0.5)
        tried = [state, most]
        if state.counts[1] or most.total - state.total > self._error(most, state):
            before = -np.inf
            for count in range(not state.counts[1], settings.n_heterophilous):
                now = self._with_repelling(state, count, most.penalty)
                tried.append(now)
                best = max(tried, key=lambda one: one.total)
                if self.interrupted or (now.total <= before and best.total - now.total <= self._error(now, best)):
                    break
                before = now.total
        without = [one for one in tried if not one.counts[1]]
        best = max(tried, key=lambda one: one.total)
        if any(best.total - one.total <= _REAL * self._error(one, best) for one in without):
            for one in tried:
                if one not in without:
                    one.forget()
            tried = without
        return self._kept(sorted(tried, key=lambda one: one.counts[1], reverse=True), state)

    def _with_repelling(self, state: _State, count: int, penalty: float) -> _State:
        """The state with this many repelling communities from a new start, after a run."""
        starts = self._started((0, count), penalty)
        begun = [replace(f, heterophilous=s.heterophilous) for f, s in zip(state.factors, starts, strict=True)]
        return self._trained(tuple(begun), penalty, _ANEW)

    def _kept(self, path: Sequence[_State], given: _State) -> _State:
        """The last of some states, in falling order of their numbers, within one standard error of the best.

        The others within one standard error are remembered as equally good, and so are earlier ones, unless the state
        that they led to is not good any more.
        """
        best = max(path, key=lambda tried: tried.total)
        good = [tried for tried in path if best.total - tried.total <= self._error(tried, best)]
        self.good = [*self.good, *good] if given in good else good
        for tried in path:
            if tried is not good[-1]:
                tried.forget()
        return good[-1]

    def _error(self, state: _State, best: _State) -> float:
        """The standard error of the difference between two total log-likelihoods."""
        return float(np.sqrt(self._pooled.variance(best.likelihoods - state.likelihoods)))

    def _step(self, state: _State, best: _State, share: float, read: int) -> Step:
        penalty = state.penalty / (1 - share)  # the whole graph has more pairs against the same penalty
        error = self._error(state, best) if state is not best else 0.0
        k_B, k_C = state.counts
        return Step(penalty, read + k_B, k_C, state.total / self._pairs, error / self._pairs)

    def _density(self) -> float:
        links = float(self._pooled.weights[self._pooled.linked].sum())
        p = np.clip(links / self._pairs, 1e-12, 1 - 1e-12)
        return float(p * np.log(p) + (1 - p) * np.log1p(-p))


def choose(
    problem: Problem,
    n_homophilous: int | None,
    n_heterophilous: int | None,
    penalty: float | None,
    ahead: Forecast | None = None,
) -> tuple[Selection, CommunityFactors]:
    """The settings left open (None), chosen by validation pairs, and factors to continue from.

    If the problem's columns include communities that were read off the graph, each fold reads its own off the links
    that it sees. What is chosen then, and the factors, are the columns beside them. ``ahead`` is told which phase of
    the choice begins.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> model = CommunityModel(random_state=0).fit(planted(200, 3, 0, degree=15, random_state=0).graph)
    >>> model.selection_.read
    3
    """
    graph, unknown, rng = problem.graph, problem.held_out, problem.rng
    known = seen(graph, unknown)
    if isinstance(problem, SampledPairs):
        count = min(round(_HIDDEN_SHARE * graph.n_links), _MOST_HIDDEN)
        share = count / max(1, graph.n_links)
        fold = problem.drawn(count, hide=True)
        folds: list[Problem] = [fold]
        assert fold.sample is not None
        judges = [fold.sample]
        settings = first_settings(known, n_homophilous, n_heterophilous, _on_folds(penalty, share), rng)
    else:
        plan = Folds.of(known)
        share = plan.share
        settings = first_settings(known, n_homophilous, n_heterophilous, _on_folds(penalty, share), rng)
        hidden = list(plan.hidden(graph, unknown, rng))
        folds = [_fold(problem, pairs) for pairs in hidden]
        judges = [PairSample.held_out(graph, pairs, unknown, rng) for pairs in hidden]
    given = getattr(problem.parametrization, "given", None)
    if given is None:
        return Search(folds, judges, ahead).run(settings, share)
    if isinstance(folds[0], SampledPairs):
        settings = settings.beside(len(given))
    folds = [_reading(fold) for fold in folds]
    judges = [_judging(fold, judge) for fold, judge in zip(folds, judges, strict=True)]
    return Search(folds, judges, ahead).run(settings, share, read=len(given))


def _fold(problem: Problem, hidden: HeldOut) -> Problem:
    """The problem with these pairs hidden, in the form in which trials cost least."""
    fold = replace(problem, held_out=hidden, dtype=None)
    return SampledPairs.of(fold) if problem.graph.n_nodes > _SAMPLED_NODES else fold


def _reading(fold: Problem) -> Problem:
    """The fold with the communities that can be read off the links it sees, after fewer tries than the whole graph."""
    columns = fold.parametrization
    assert isinstance(columns, CommunityParametrization)
    given = read_levels(fold.known, Effort.of_part(fold.known.n_links)).default
    return fold.with_columns(replace(columns, given=given), fold.penalty)


def _judging(fold: Problem, judge: PairSample) -> PairSample:
    """The validation pairs, with what the fold's given communities add to their scores."""
    columns = fold.parametrization
    assert isinstance(columns, CommunityParametrization)
    assert columns.given is not None
    B = columns.given.affinities
    return replace(judge, offsets=row_products(B, judge.rows, judge.columns))


def _on_folds(penalty: float | None, share: float) -> float | None:
    """The penalty for a fold, which has fewer pairs than the graph."""
    return None if penalty is None else float(penalty) * (1 - share)


def _factors(fold: Problem, F: FloatArray) -> CommunityFactors:
    found = fold.parametrization.factors(F.astype(np.float64, copy=False))
    assert isinstance(found, CommunityFactors)
    return found


def _alive(folds: tuple[CommunityFactors, ...], kinds: Kinds) -> tuple[CommunityFactors, ...]:
    """The factors without the columns that died under the penalty, for the kinds that may be reduced."""
    B, C = [f.homophilous for f in folds], [f.heterophilous for f in folds]
    B, C = (_strongest(X) if free else X for X, free in zip((B, C), kinds, strict=True))
    return tuple(replace(f, homophilous=b, heterophilous=c) for f, b, c in zip(folds, B, C, strict=True))


def _strongest(folds: Sequence[Float64Array]) -> list[Float64Array]:
    """From each matrix, as many columns as are alive in any of them."""
    most = [(X**2).max(axis=0, initial=0.0) for X in folds]
    alive = max(int((largest > _DEAD).sum()) for largest in most)
    kept = (np.sort(np.argsort(-largest, kind="stable")[:alive]) for largest in most)
    return [X[:, columns] for X, columns in zip(folds, kept, strict=True)]


def _down_to(
    factors: CommunityFactors, judge: PairSample, counts: tuple[int, int], rng: np.random.Generator
) -> CommunityFactors:
    """The factors with this many columns of each kind."""
    for kind in (0, 1):
        while more := factors.counts[kind] - counts[kind]:
            factors = shrunk(factors, judge, more, (kind == 0, kind == 1), rng)
    return factors
