"""Pairs in falling order of score, sorted once; every measure of the order is read off it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from philia._types import BoolArray, Float64Array, Int64Array


@dataclass(frozen=True, eq=False)
class Ranking:
    """For each distinct score, highest first: how many pairs reach it and how many links are among them.

    Pairs with the same score have no order, so they are taken together.

    >>> order = Ranking.of(np.array([True, False, True, False]), np.array([3.0, 2.0, 2.0, 1.0]))
    >>> order.scores.tolist(), order.reached.tolist(), order.links.tolist()
    ([3.0, 2.0, 1.0], [1, 3, 4], [1, 2, 2])
    """

    scores: Float64Array
    reached: Int64Array
    links: Int64Array

    @classmethod
    def of(cls, linked: BoolArray, scores: Float64Array) -> Ranking:
        """The ranking of pairs that are linked or not by their scores."""
        order = np.argsort(scores)[::-1]
        falling = scores[order]
        last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)) if len(falling) else np.empty(0, np.int64)
        return cls(falling[last], last + 1, np.cumsum(linked[order], dtype=np.int64)[last])

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return int(self.reached[-1]) if len(self.reached) else 0

    @property
    def n_links(self) -> int:
        """How many of them are linked."""
        return int(self.links[-1]) if len(self.links) else 0

    @property
    def auc(self) -> float | None:
        """How often a link has a higher score than a pair without one, a tie counting half; None without either."""
        absent = self.n_pairs - self.n_links
        if not self.n_links or not absent:
            return None
        links = np.diff(self.links, prepend=0)
        below = absent - (self.reached - self.links)
        same = np.diff(self.reached, prepend=0) - links
        return float(np.sum(links * (below + same / 2)) / (self.n_links * absent))

    @property
    def average_precision(self) -> float | None:
        """The precision at each score, averaged over the links that have it; None without links."""
        if not self.n_links:
            return None
        return float(np.sum(np.diff(self.links, prepend=0) * (self.links / self.reached)) / self.n_links)

    @property
    def best_f1(self) -> tuple[float, float] | tuple[None, None]:
        """The best F1 that a threshold gives, and that threshold, the highest of several; None without links."""
        if not self.n_links:
            return None, None
        f1 = 2 * self.links / (self.reached + self.n_links)
        best = int(np.argmax(f1))
        return float(f1[best]), float(self.scores[best])

    def precision_at(self, count: int) -> float | None:
        """The share of links among so many first pairs, expected over the orders of ties; None if there are fewer.

        >>> Ranking.of(np.array([True, False, True]), np.array([2.0, 1.0, 1.0])).precision_at(2)
        0.75
        """
        if not 0 < count <= self.n_pairs:
            return None
        tie = int(np.searchsorted(self.reached, count))
        reached, links = (int(each[tie - 1]) if tie else 0 for each in (self.reached, self.links))
        share = (int(self.links[tie]) - links) / (int(self.reached[tie]) - reached)
        return (links + (count - reached) * share) / count
