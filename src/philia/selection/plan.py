"""Where the choice starts: the numbers of communities that are detectable, a first penalty, and the folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy import sparse

from philia.graphs.graph import Graph
from philia.pairs import HeldOut, ListedPairs, RandomPairs

MOST_HOMOPHILOUS, MOST_HETEROPHILOUS = 48, 8
"""The most communities that an automatic choice considers; ask for more by number."""

_FEWEST_BESIDE = 8
"""The fewest columns that attract with which a search begins, however many communities were read: enough to see whether
any are needed."""

_PARTS, _CHEAP_NODES, _CHEAP_LINKS = 5, 500, 6000
"""The folds that hide every pair once, and the largest graph for which that many are cheap. With ten folds numbers
differ from seed to seed as much as with five."""

_TINY_NODES = 30
"""Up to this many nodes there are twice as many folds: a node cannot spare a fifth of its few pairs."""

_ENOUGH_LINKS, _MOST_FOLDS, _SHARE = 600, 3, 0.1
"""On larger graphs: validation links that make one fold enough, the most folds otherwise, and the share of pairs that a
fold hides."""

_LISTED_NODES = 3000
"""Up to this many nodes all pairs can be listed: some million."""

_COUNTED_NODES = 100_000
"""Above this, counting detectable communities takes longer than starting with the maximum."""


@dataclass(frozen=True)
class Settings:
    """What is searched for, and where the search starts.

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
        """The initial numbers of communities, which are also the largest."""
        return self.n_homophilous, self.n_heterophilous

    def beside(self, read: int) -> Settings:
        """The same if communities that were read take the place of as many columns that attract.

        That is for large graphs. On tuning graphs of up to 5,000 nodes held-out pairs are likelier with all columns; on
        larger ones they are as likely without, and the choice takes two thirds of the time.

        >>> Settings(48, 6, 2.0, (True, True), search_penalty=True).beside(24).counts
        (24, 6)
        """
        if not self.search_kinds[0]:
            return self
        return replace(self, n_homophilous=max(self.n_homophilous - read, min(self.n_homophilous, _FEWEST_BESIDE)))


def first_settings(
    graph: Graph,
    n_homophilous: int | None,
    n_heterophilous: int | None,
    penalty: float | None,
    rng: np.random.Generator,
) -> Settings:
    """The starting point for a graph; None marks what is searched for.

    It has twice as many attracting communities as are detectable, plus four, and two more repelling ones; large graphs
    start with the maximum. The penalty starts at 0.6 times the square root of the mean degree. Chance alone gives
    eigenvalues of up to twice that root, and on the graphs that the search was tuned on the best penalty was within a
    factor of two of this start.

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
    """The number of folds, and the share of pairs that each hides.

    >>> from philia.datasets import classic
    >>> Folds.of(classic("karate"))
    Folds(count=5, share=0.2)
    """

    count: int
    share: float

    @classmethod
    def of(cls, graph: Graph) -> Folds:
        """Folds that hide every pair once where fits are cheap; otherwise one, or a few where links are few."""
        if graph.n_nodes <= _CHEAP_NODES and graph.n_links <= _CHEAP_LINKS:
            parts = _PARTS if graph.n_nodes > _TINY_NODES else 2 * _PARTS
            return cls(parts, 1 / parts)
        wanted = -(-_ENOUGH_LINKS // max(1, int(_SHARE * graph.n_links)))
        return cls(int(np.clip(wanted, 1, _MOST_FOLDS)), _SHARE)

    def hidden(self, graph: Graph, unknown: HeldOut | None, rng: np.random.Generator) -> Iterator[HeldOut]:
        """The pairs that each fold hides, together with those held out anyway; no two folds hide the same ones.

        Where there are too many pairs to be listed, they are drawn by a hash, and two folds may share some.
        """
        if self.count > 1 and graph.n_nodes <= _LISTED_NODES:
            yield from islice(_parts(graph, unknown, round(1 / self.share), rng), self.count)
            return
        seeds = [int(seed) for seed in rng.integers(2**62, size=self.count)]
        if unknown is None:
            yield from (RandomPairs(self.share, seed) for seed in seeds)
            return
        if unknown.random_part is not None:
            del seeds[1:]  # the same hash hides more, so the seed does not matter
        yield from (unknown.with_random(self.share, seed) for seed in seeds)


def _parts(graph: Graph, unknown: HeldOut | None, count: int, rng: np.random.Generator) -> Iterator[HeldOut]:
    """Every known pair in one part; parts have the same numbers of links and of other pairs, or nearly."""
    rows, columns = np.triu_indices(graph.n_nodes, 1)
    if unknown is not None:
        known = ~unknown.contains(rows, columns)
        rows, columns = rows[known], columns[known]
    order = rng.permutation(len(rows))
    order = order[np.argsort(~graph.linked(rows, columns)[order], kind="stable")]
    for part in range(count):
        own = ListedPairs.of_rows(graph, rows[order[part::count]], columns[order[part::count]])
        yield own if unknown is None else own.union(unknown, graph)


def detectable(graph: Graph, most: int, rng: np.random.Generator) -> tuple[int, int]:
    """The numbers of assortative and disassortative groups that are detectable, each at most ``most``.

    These are the negative eigenvalues of the Bethe Hessian (r² - 1) I - r A + D with r = ±√(mean excess degree). Those
    for +r count groups with many links inside (Le and Levina, "Estimating the number of communities by spectral
    methods", 2015), those for -r directions in which links are avoided. The first is a good estimate of the number of
    attracting groups; the second is not one of repelling groups, because each may appear in many directions.

    >>> from philia.datasets import planted
    >>> detectable(planted(500, 5, 0, random_state=0).graph, 20, np.random.default_rng(0))
    (5, 0)
    """
    n, degrees = graph.n_nodes, graph.degrees.astype(np.float64)
    if n < 3 or not graph.n_links:
        return 0, 0
    r = np.sqrt(max((degrees**2).sum() / degrees.sum() - 1, 1.0))
    A = graph.adjacency.astype(np.float64)
    diagonal = sparse.dia_array(((degrees + r**2 - 1)[None, :], [0]), shape=(n, n))
    return _negative(diagonal - r * A, most, rng), _negative(diagonal + r * A, most, rng)


def _negative(matrix: sparse.spmatrix, most: int, rng: np.random.Generator) -> int:
    """The number of negative eigenvalues, counted up to ``most``."""
    n = matrix.shape[0]
    if n <= 200:
        return min(most, int((np.linalg.eigvalsh(matrix.toarray()) < 0).sum()))
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh  # it takes long to load

    count = 8
    while True:  # most graphs have few, so few are computed first
        count = min(count, most, n - 2)
        try:
            values = eigsh(matrix.tocsr(), count, which="SA", tol=1e-3, v0=rng.random(n), return_eigenvectors=False)
        except ArpackNoConvergence as error:
            values = error.eigenvalues
        found = int((values < 0).sum())
        if found < count or count in (most, n - 2):
            return found
        count *= 3
