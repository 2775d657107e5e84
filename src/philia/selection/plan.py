"""Where a search begins, and how many pairs it hides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from philia.graphs.graph import Graph
from philia.pairs import HeldOut, ListedPairs, RandomPairs
from philia.selection.rank import detectable

MOST_HOMOPHILOUS, MOST_HETEROPHILOUS = 48, 8
"""More communities than these are not looked for; a user who wants more says so."""

_ENOUGH_LINKS, _MOST_FOLDS, _SHARE = 600, 3, 0.1
_LISTED_NODES = 3000

_COUNTED_NODES = 100_000
"""Beyond, to count the communities that stand out takes longer than to try with the most that are looked for."""


@dataclass(frozen=True)
class Settings:
    """What is searched for, and where the search begins.

    >>> Settings(24, 6, 2.0, (True, True), search_penalty=True).counts
    (24, 6)
    """

    n_homophilous: int
    n_heterophilous: int
    penalty: float
    search_kinds: tuple[bool, bool]
    search_penalty: bool

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of communities at the beginning: the most there may be."""
        return self.n_homophilous, self.n_heterophilous


def first_settings(
    graph: Graph,
    n_homophilous: int | None,
    n_heterophilous: int | None,
    penalty: float | None,
    rng: np.random.Generator,
) -> Settings:
    """Where to begin for a graph; None is what is to be searched for.

    Twice as many communities that attract as stand out of chance, and a few that repel; on large graphs as many as are
    looked for at all. The penalty begins at 0.6
    times the root of the mean degree: below it lies what chance alone does to the eigenvalues of the graph (twice that
    root), and the best penalties of the graphs that the search was tuned on lie within a factor of two around it.

    >>> from philia.datasets import planted
    >>> begun = first_settings(planted(500, 5, 0, random_state=0).graph, None, None, None, np.random.default_rng(0))
    >>> begun.counts, round(begun.penalty, 1)
    ((14, 2), 2.7)
    """
    many, few = MOST_HOMOPHILOUS // 2, MOST_HETEROPHILOUS
    if graph.n_nodes <= _COUNTED_NODES and (n_homophilous is None or n_heterophilous is None):
        many, few = detectable(graph, MOST_HOMOPHILOUS // 2, rng)
    room = max(1, graph.n_nodes // 2)
    return Settings(
        n_homophilous=min(room, MOST_HOMOPHILOUS, 2 * many + 4) if n_homophilous is None else n_homophilous,
        n_heterophilous=min(room, MOST_HETEROPHILOUS, few + 2) if n_heterophilous is None else n_heterophilous,
        penalty=max(0.6 * float(np.sqrt(graph.degrees.mean())), 0.1) if penalty is None else penalty,
        search_kinds=(n_homophilous is None, n_heterophilous is None),
        search_penalty=penalty is None,
    )


@dataclass(frozen=True)
class Folds:
    """How many times pairs are hidden, and which share of them each time.

    >>> from philia.datasets import classic
    >>> Folds.of(classic("karate"))
    Folds(count=3, share=0.1)
    """

    count: int
    share: float

    @classmethod
    def of(cls, graph: Graph) -> Folds:
        """One fold where a tenth of the pairs has enough links to judge by, a few on small graphs."""
        wanted = -(-_ENOUGH_LINKS // max(1, int(_SHARE * graph.n_links)))
        return cls(int(np.clip(wanted, 1, _MOST_FOLDS)), _SHARE)

    def hidden(self, graph: Graph, unknown: HeldOut | None, rng: np.random.Generator) -> Iterator[HeldOut]:
        """The pairs that each fold hides, with those that nobody knows."""
        seeds = [int(seed) for seed in rng.integers(2**62, size=self.count)]
        if unknown is None:
            yield from (RandomPairs(self.share, seed) for seed in seeds)
            return
        if self.count > 1 and unknown.random_part is not None and graph.n_nodes <= _LISTED_NODES:
            unknown = ListedPairs.of_rows(graph, *unknown.pairs(graph.n_nodes))  # beside it other pairs can be drawn
        if unknown.random_part is not None:
            del seeds[1:]  # more of the same random pairs are hidden, whatever the seed
        yield from (unknown.with_random(self.share, seed) for seed in seeds)
