"""Fewer communities: which two are merged, or which is dropped, decided by validation pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.factors import CommunityFactors
from philia.pairs import PairSample

Kinds = tuple[bool, bool]
"""Which kinds of communities may be reduced: attracting, repelling."""

_ROUNDS = ((8_000, 20), (60_000, 0))
"""Rounds of comparing merges: the number of pairs, and how many of the cheapest merges go on (plus ten for each column
to remove). Few pairs sort out most merges; the last round uses enough to rank the rest."""

_SIGNS = (1.0, -1.0)
"""What a column of each kind does to a score."""


def shrunk(
    factors: CommunityFactors, judge: PairSample, remove: int, kinds: Kinds, rng: np.random.Generator
) -> CommunityFactors:
    """The factors with ``remove`` columns fewer, taken from the kinds (homophilous, heterophilous) that may lose some.

    Two columns of a kind are replaced by their best rank-one approximation or by their union, or one is dropped;
    validation pairs decide which costs least. No column is changed twice, so one call removes at most half of them.

    >>> same = np.array([[1.0], [1.0], [0.0]])
    >>> twice = CommunityFactors(np.hstack([same, same]), np.zeros((3, 0)), np.full(3, -1.0))
    >>> judge = PairSample(np.array([0]), np.array([1]), np.array([True]), np.ones(1), 3)
    >>> shrunk(twice, judge, 1, (True, True), np.random.default_rng(0)).homophilous.round(2).tolist()
    [[1.41], [1.41], [0.0]]
    """
    columns = [factors.homophilous.copy(), factors.heterophilous.copy()]
    gone: list[set[int]] = [set(), set()]
    changed: set[tuple[int, int]] = set()
    best = _cheapest(factors, judge, kinds, remove, rng)
    for at, (kind, first, second) in enumerate(zip(best.kinds, best.firsts, best.seconds, strict=True)):
        ends = {(kind, first), (kind, second)}
        if remove and not ends & changed:
            columns[kind][:, second] = best.column(at, factors)
            gone[kind].add(int(first))
            changed |= ends
            remove -= 1
    kept = [np.delete(X, list(lost), axis=1) for X, lost in zip(columns, gone, strict=True)]
    return CommunityFactors(kept[0], kept[1], factors.background)


_NOTHING, _NEAREST, _UNITED = range(3)
"""Ways to replace two columns: one that dies, the best rank-one approximation of both, which is right where one group
was found twice, and the entrywise maximum, which is right where a group was found in two halves."""


@dataclass(frozen=True, eq=False)
class _Mergers:
    """Columns ``firsts`` and ``seconds`` of a kind, and how one column replaces them; an array entry for each merge."""

    kinds: Int64Array
    firsts: Int64Array
    seconds: Int64Array
    ways: Int64Array

    @classmethod
    def every(cls, factors: CommunityFactors, kinds: Kinds) -> Self:
        """All merges of the kinds that may lose columns."""
        parts = []
        for kind in np.flatnonzero(kinds):
            i, j = np.triu_indices(factors.counts[kind])
            times = np.where(i == j, 1, 2)
            way = np.where(i == j, _NOTHING, _NEAREST).repeat(times)
            way[1:][(np.diff(i.repeat(times)) == 0) & (np.diff(j.repeat(times)) == 0)] = _UNITED
            parts.append([np.full(len(way), kind), i.repeat(times), j.repeat(times), way])
        return cls(*(np.concatenate(part).astype(np.int64) for part in zip(*parts, strict=True)))

    def __len__(self) -> int:
        return len(self.kinds)

    def only(self, at: Int64Array) -> Self:
        """Some of them."""
        return type(self)(self.kinds[at], self.firsts[at], self.seconds[at], self.ways[at])

    def angles(self, factors: CommunityFactors) -> Float64Array:
        """The shares of both columns in the one that replaces them, unless it is their maximum, and their sign."""
        grams = [X.T @ X for X in (factors.homophilous, factors.heterophilous)]
        ends = ((self.firsts, self.seconds), (self.firsts, self.firsts), (self.seconds, self.seconds))
        products = np.zeros((3, len(self)))
        for kind, gram in enumerate(grams):
            own = self.kinds == kind
            products[:, own] = [gram[i[own], j[own]] for i, j in ends]
        angle = 0.5 * np.arctan2(2 * products[0], products[1] - products[2])  # of the major axis
        kept = self.ways == _NEAREST
        return np.stack([kept * np.cos(angle), kept * np.sin(angle), np.asarray(_SIGNS)[self.kinds]], axis=1)

    def column(self, at: int, factors: CommunityFactors) -> Float64Array:
        """The column that replaces the two."""
        X = (factors.homophilous, factors.heterophilous)[self.kinds[at]]
        f, g = X[:, self.firsts[at]], X[:, self.seconds[at]]
        if self.ways[at] == _UNITED:
            return np.maximum(f, g)
        of_f, of_g, _ = self.only(np.array([at])).angles(factors)[0]
        return np.asarray(of_f * f + of_g * g)


def _cheapest(
    factors: CommunityFactors, judge: PairSample, kinds: Kinds, remove: int, rng: np.random.Generator
) -> _Mergers:
    """The cheapest merges, best first: all are compared on few pairs, the better ones on more."""
    left = _Mergers.every(factors, kinds)
    for pairs, keep in _ROUNDS:
        keep += 10 * remove
        if len(left) > keep or pairs == _ROUNDS[-1][0]:
            likelihoods = _likelihoods(factors, judge.subsample(pairs, rng), left)
            left = left.only(np.argsort(-likelihoods, kind="stable")[:keep])
    return left


def _likelihoods(factors: CommunityFactors, judge: PairSample, mergers: _Mergers) -> Float64Array:
    """The log-likelihood of the pairs after each merge."""
    from philia.selection.kernels import after_merges  # it needs numba, which takes long to import

    order = np.argsort(judge.weights, kind="stable")  # one logarithm serves many pairs of one weight
    rows, columns, weights = judge.rows[order], judge.columns[order], judge.weights[order]
    scores = (factors.scores(judge.rows, judge.columns) + judge.offsets)[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(weights)) + 1, [len(weights)]]).astype(np.int64)
    both = np.hstack([factors.homophilous, factors.heterophilous]).T.copy()
    offsets = factors.counts[0] * mergers.kinds
    which = np.stack([mergers.firsts + offsets, mergers.seconds + offsets, mergers.ways == _UNITED], axis=1)
    likelihoods = np.zeros(len(mergers))
    after_merges(
        np.stack([scores, judge.linked[order]]),
        starts,
        weights[starts[:-1]] if len(weights) else weights,
        both.take(rows, axis=1),  # indexing would order them by column where there is a single one
        both.take(columns, axis=1),
        which,
        mergers.angles(factors),
        likelihoods,
    )
    return likelihoods
