"""Fewer columns from many: each time the two whose merger costs least become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from philia._types import Float64Array
from philia.factors import CommunityFactors
from philia.pairs import PairSample

_ROUNDS = ((8_000, 20), (60_000, 0))
"""Rounds of judging mergers: by so many pairs, so many of the cheapest go on (and ten more for each one wanted)."""


@dataclass(frozen=True)
class _Merger:
    kind: int
    first: int
    second: int
    way: Callable[[Float64Array, Float64Array], Float64Array]

    def column(self, X: Float64Array) -> Float64Array:
        """What is left of the two columns."""
        return self.way(X[:, self.first], X[:, self.second])


def shrunk(
    factors: CommunityFactors, judge: PairSample, remove: int, kinds: tuple[bool, bool], rng: np.random.Generator
) -> CommunityFactors:
    """The factors with so many columns fewer, of those kinds (homophilous, heterophilous) that may lose some.

    Two columns of a kind become the one nearest to both, or their union, or one is dropped; hidden pairs judge which
    costs least. No column is changed twice, so at most half of them go at a time.

    >>> same = np.array([[1.0], [1.0], [0.0]])
    >>> twice = CommunityFactors(np.hstack([same, same]), np.zeros((3, 0)), np.full(3, -1.0))
    >>> judge = PairSample(np.array([0]), np.array([1]), np.array([True]), np.ones(1), 3)
    >>> shrunk(twice, judge, 1, (True, True), np.random.default_rng(0)).homophilous.round(2).tolist()
    [[1.41], [1.41], [0.0]]
    """
    columns = [factors.homophilous.copy(), factors.heterophilous.copy()]
    gone: list[set[int]] = [set(), set()]
    changed: set[tuple[int, int]] = set()
    for merger in _mergers(factors, judge, kinds, remove, rng):
        ends = {(merger.kind, merger.first), (merger.kind, merger.second)}
        if remove and not ends & changed:
            X = columns[merger.kind]
            X[:, merger.second] = merger.column(X)
            gone[merger.kind].add(merger.first)
            changed |= ends
            remove -= 1
    kept = [np.delete(X, list(lost), axis=1) for X, lost in zip(columns, gone, strict=True)]
    return CommunityFactors(kept[0], kept[1], factors.background)


def _mergers(
    factors: CommunityFactors, judge: PairSample, kinds: tuple[bool, bool], remove: int, rng: np.random.Generator
) -> list[_Merger]:
    """The cheapest mergers, best first: all judged by few pairs, the better ones by ever more."""
    every = [
        _Merger(kind, i, j, way)
        for kind, X in enumerate((factors.homophilous, factors.heterophilous))
        if kinds[kind]
        for i, j in combinations_with_replacement(range(X.shape[1]), 2)
        for way in ((_nothing,) if i == j else (_nearest, _united))
    ]
    for pairs, keep in _ROUNDS:
        keep += 10 * remove
        if len(every) > keep or pairs == _ROUNDS[-1][0]:
            costs = _costs(factors, judge.subsample(pairs, rng), every)
            every = [every[at] for at in np.argsort(costs, kind="stable")[:keep]]
    return every


def _costs(factors: CommunityFactors, judge: PairSample, mergers: Sequence[_Merger]) -> list[float]:
    """How much less likely the pairs become by each merger."""
    scores = factors.scores(judge.rows, judge.columns)
    reached = float(judge.log_likelihoods(scores).sum())
    columns = (factors.homophilous, factors.heterophilous)
    parts = [sign * X[judge.rows].T * X[judge.columns].T for X, sign in zip(columns, (1.0, -1.0), strict=True)]
    costs = []
    for merger in mergers:
        mine, merged = parts[merger.kind], merger.column(columns[merger.kind])
        before = mine[merger.first] if merger.first == merger.second else mine[merger.first] + mine[merger.second]
        after = (1.0, -1.0)[merger.kind] * merged[judge.rows] * merged[judge.columns]
        costs.append(reached - float(judge.log_likelihoods(scores - before + after).sum()))
    return costs


def _nothing(f: Float64Array, g: Float64Array) -> Float64Array:  # noqa: ARG001  (a way like the others)
    """The column dies."""
    return np.zeros_like(f)


def _nearest(f: Float64Array, g: Float64Array) -> Float64Array:
    """The column whose product with itself is nearest to f fᵀ + g gᵀ: right where one group was found twice."""
    angle = 0.5 * np.arctan2(2 * (f @ g), f @ f - g @ g)  # of the longer axis of the two columns' products
    return np.asarray(np.cos(angle) * f + np.sin(angle) * g)


def _united(f: Float64Array, g: Float64Array) -> Float64Array:
    """The larger of both entries: right where a group was found in two halves."""
    return np.maximum(f, g)
