"""How many communities, of which kind, and how large a penalty: what predicts hidden pairs of the graph best.

The search is a path, not a grid. It begins with more communities than the graph can carry, walks the penalty down or up
as long as hidden pairs become likelier, then merges communities a few at a time, each time from where the last fit
ended. So it costs a few fits, not dozens.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from philia._types import Float64Array
from philia.exceptions import DivergedError
from philia.factors import CommunityFactors
from philia.pairs import PairSample
from philia.selection.plan import Settings
from philia.selection.selection import Selection, Step
from philia.selection.shrinking import shrunk

FIRST, WALK, SHRINK = 50, 20, 15
"""Iterations of the first fit, of each step along the penalty, and after each merger."""

_SHRINK_TO = 0.82
"""A step to fewer communities keeps this share: the next number is at most a fifth away."""

_HOPELESS = 4.0
"""So many standard errors below the best, fewer communities will not do either."""

_DEAD = 1e-4
"""A community that changes no pair's log-odds by more than this is none; a column near zero never leaves it again."""


_Kinds = tuple[bool, bool]
"""Which kinds of communities may become fewer: those that attract, those that repel."""


_MOST_WALKS = 10
"""Steps of the penalty in one direction; without an end a graph that wants none would be walked for ever."""


class Trial(Protocol):
    """A graph without some of its pairs, on which settings are tried."""

    interrupted: bool

    def start(self, n_homophilous: int, n_heterophilous: int) -> CommunityFactors:
        """Factors before the first step."""
        ...

    def train(self, factors: CommunityFactors, penalty: float, iterations: int) -> CommunityFactors:
        """The factors after some more steps."""
        ...


@dataclass(eq=False)
class _State:
    """Settings that were tried: the factors that came out in each fold, and the likelihood of each hidden pair."""

    factors: tuple[CommunityFactors, ...]
    penalty: float
    likelihoods: Float64Array
    counts: tuple[int, int]

    @property
    def total(self) -> float:
        return float(self.likelihoods.sum())

    def forget(self) -> None:
        """Let go of the factors, which are large; what they were worth stays known."""
        self.factors = ()


class Search:
    """One search on one or several folds; ``run`` gives the choice and the first fold's factors there.

    Several folds, each hiding other pairs, take every step together and are judged as one.

    >>> from philia import CommunityModel
    >>> from philia.datasets import planted
    >>> from philia.models.choosing import HiddenPairsTrial
    >>> from philia.pairs import RandomPairs
    >>> graph, hidden = planted(90, 2, 0, degree=9, random_state=0).graph, RandomPairs(0.1)
    >>> rng = np.random.default_rng(0)
    >>> trial = HiddenPairsTrial(CommunityModel(), graph, hidden, rng)
    >>> search = Search([trial], [PairSample.held_out(graph, hidden, None, rng)], rng)
    >>> search.run(Settings(4, 0, 1.0, (True, False), search_penalty=False), share=0.1)[0].penalty
    1.11...
    """

    def __init__(self, trials: Sequence[Trial], judges: Sequence[PairSample], rng: np.random.Generator) -> None:
        self.trials, self.judges, self.rng = trials, judges, rng
        self.tried: list[_State] = []
        self._stopped = False
        self.kinds: _Kinds = (True, True)
        self._pairs = max(1.0, sum(float(judge.weights.sum()) for judge in judges))  # one node has no pairs at all

    def run(self, settings: Settings, share: float) -> tuple[Selection, CommunityFactors]:
        """Walk the path that the settings leave open; ``share`` is the share of pairs that each fold hides."""
        began = time.perf_counter()
        try:
            state = self._walked(settings)
        except KeyboardInterrupt:  # between two fits; within one, the trial takes note of it
            left = [tried for tried in self.tried if tried.factors]
            if not left:
                raise
            self._stopped, state = True, max(left, key=lambda tried: tried.total)
        chosen = next(i for i, tried in enumerate(self.tried) if tried is state)
        best = max(self.tried, key=lambda tried: tried.total)
        selection = Selection(
            steps=tuple(self._step(tried, best, share) for tried in self.tried),
            chosen=chosen,
            folds=len(self.trials),
            share=share,
            links=sum(judge.n_links for judge in self.judges),
            density=self._density(),
            seconds=time.perf_counter() - began,
            interrupted=self.interrupted,
        )
        return selection, state.factors[0]

    def _walked(self, settings: Settings) -> _State:
        """The end of the path."""
        self.kinds = kinds = settings.search_kinds
        starts = tuple(trial.start(*settings.counts) for trial in self.trials)
        state = self._trained(starts, settings.penalty, FIRST)
        if settings.search_penalty:
            state = self._best_penalty(state, 2.0)
        state = self._fewest(state, kinds, _SHRINK_TO, _HOPELESS)
        if settings.search_penalty and any(kinds):
            state = self._best_penalty(state, 2.0**0.5)
        state = self._fewest(state, kinds, 1.0, 1.0)
        return self._repelling_anew(state) if kinds[1] else state

    @property
    def interrupted(self) -> bool:
        """Whether the user wants no more."""
        return self._stopped or any(trial.interrupted for trial in self.trials)

    def _trained(self, factors: tuple[CommunityFactors, ...], penalty: float, iterations: int) -> _State:
        trained = tuple(t.train(f, penalty, iterations) for t, f in zip(self.trials, factors, strict=True))
        trained = _alive(trained, self.kinds)
        found = [judge.of_factors(f) for judge, f in zip(self.judges, trained, strict=True)]
        state = _State(trained, penalty, np.concatenate(found), trained[0].counts)
        if not np.isfinite(state.total):
            raise DivergedError(
                f"with a penalty of {penalty:.3g} a trial ended in numbers that are not finite, so nothing can be "
                "chosen; give the numbers of communities and the penalty"
            )
        self.tried.append(state)
        return state

    def _best_penalty(self, state: _State, factor: float) -> _State:
        """Up or down as long as hidden pairs become likelier."""
        best = state
        for direction in (1 / factor, factor):
            for _ in range(_MOST_WALKS):
                if self.interrupted or not sum(best.counts):
                    break
                next_one = self._trained(best.factors, best.penalty * direction, WALK)
                if next_one.total <= best.total:
                    next_one.forget()
                    break
                best.forget()
                best = next_one
            if best is not state:
                break
        return best

    def _fewest(self, state: _State, kinds: _Kinds, keep: float, hopeless: float) -> _State:
        """The fewest communities that are less than one standard error below the best.

        Each step keeps a share of them and loses at least one; the path ends so many standard errors below the best.
        """
        path, now = [state], state
        while not self.interrupted:
            count = sum(n for n, free in zip(now.counts, kinds, strict=True) if free)
            if not count:
                break
            remove = max(1, count - round(keep * count))
            smaller = shrunk(now.factors[0], self.judges[0], remove, kinds, self.rng)
            counts = smaller.counts
            rest = zip(now.factors[1:], self.judges[1:], strict=True)
            others = [_down_to(factors, judge, counts, self.rng) for factors, judge in rest]
            now = self._trained((smaller, *others), now.penalty, SHRINK)
            path.append(now)
            best = max(path, key=lambda tried: tried.total)
            if best.total - now.total > hopeless * self._error(now, best):
                break
        best = max(path, key=lambda tried: tried.total)
        good = [tried for tried in path if best.total - tried.total <= self._error(tried, best)]
        for tried in path:
            if tried is not good[-1]:
                tried.forget()
        return good[-1]

    def _repelling_anew(self, state: _State) -> _State:
        """Half as many communities that repel, from the start, as long as they do as well.

        Two groups that repel may have been found in quarters, and of four quarters none can be merged or dropped.
        """
        while state.counts[1] > 2 and not self.interrupted:
            fewer = -(-state.counts[1] // 2)
            starts = [trial.start(state.counts[0], fewer).heterophilous for trial in self.trials]
            begun = [replace(f, heterophilous=C) for f, C in zip(state.factors, starts, strict=True)]
            now = self._trained(tuple(begun), state.penalty, 2 * WALK)
            better = state.total - now.total <= self._error(now, state)
            (state if better else now).forget()
            if not better:
                break
            state = now
        return state

    def _error(self, state: _State, best: _State) -> float:
        """The standard error of the distance of two sums of log-likelihoods."""
        cuts = np.cumsum([len(judge.rows) for judge in self.judges])[:-1]
        differences = np.split(best.likelihoods - state.likelihoods, cuts)
        return float(np.sqrt(sum(j.variance(d) for j, d in zip(self.judges, differences, strict=True))))

    def _step(self, state: _State, best: _State, share: float) -> Step:
        penalty = state.penalty / (1 - share)  # the whole graph has more pairs for the same penalty to hold against
        error = self._error(state, best) if state is not best else 0.0
        return Step(penalty, *state.counts, state.total / self._pairs, error / self._pairs)

    def _density(self) -> float:
        links = sum(float(judge.weights[judge.linked].sum()) for judge in self.judges)
        p = np.clip(links / self._pairs, 1e-12, 1 - 1e-12)
        return float(p * np.log(p) + (1 - p) * np.log1p(-p))


def _alive(folds: tuple[CommunityFactors, ...], kinds: _Kinds) -> tuple[CommunityFactors, ...]:
    """The factors without the columns that died under the penalty, of the kinds that may become fewer."""
    B, C = [f.homophilous for f in folds], [f.heterophilous for f in folds]
    B, C = (_strongest(X) if free else X for X, free in zip((B, C), kinds, strict=True))
    return tuple(replace(f, homophilous=b, heterophilous=c) for f, b, c in zip(folds, B, C, strict=True))


def _strongest(folds: Sequence[Float64Array]) -> list[Float64Array]:
    """As many columns of each matrix as are alive in one of them."""
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
