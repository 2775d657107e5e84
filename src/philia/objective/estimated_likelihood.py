"""The likelihood of a graph from all of its links and a sample of the other pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from philia._types import Int64Array
from philia.factors import LowRankFactors
from philia.factors.boxes import DrawnPairs
from philia.graphs.graph import Graph
from philia.objective.estimates import Estimate
from philia.objective.losses import Loss
from philia.objective.rates import PairRates
from philia.pairs import HeldOut

PAIRS = 2**20
"""About how many pairs are drawn if nobody says how many."""

MOST_DRAWN = 2**26
"""More are not drawn only because few of them are held out."""

_AT_ONCE = 2**20


def estimated_log_likelihood(
    graph: Graph, factors: LowRankFactors, loss: Loss, rng: np.random.Generator, pairs: int = PAIRS
) -> Estimate:
    """The mean, over all pairs of different nodes, of the log-probability of what is there, estimated without bias.

    Links count exactly. Of the other pairs, those with higher probabilities are drawn more often, because they cost
    more, and each is weighed by one over its chance (Horvitz and Thompson). About ``pairs`` are drawn; all of them if
    there are fewer.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even = CommunityFactors.attracting(np.zeros((4, 1)))
    >>> print(estimated_log_likelihood(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), np.random.default_rng(0)))
    -0.69315 (exact)
    """
    n = graph.n_nodes
    every = max(1, n * (n - 1) // 2)
    drawn = draw_unlinked(graph, factors, loss, rng, pairs)
    costs = loss.log_likelihood(drawn.scores, False) / drawn.chances
    variance = float(np.sum(costs**2 * (1 - drawn.chances)))
    links = float(np.sum(loss.log_likelihood(factors.scores(*graph.links), True)))
    return Estimate.from_variance((links + float(np.sum(costs))) / every, variance / every**2)


def draw_unlinked(
    graph: Graph,
    factors: LowRankFactors,
    loss: Loss,
    rng: np.random.Generator,
    pairs: int,
    held_out: HeldOut | None = None,
) -> DrawnPairs:
    """About ``pairs`` pairs without a link: half drawn alike from all pairs, half where the probabilities are high.

    A pair comes with its chance, that of being in one half or in the other: floor + (1 - floor) · share · p. All that
    there are come if they are fewer. With ``held_out`` they are pairs that a hash holds out.

    >>> from philia import as_graph
    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> even, rng = CommunityFactors.attracting(np.zeros((4, 1))), np.random.default_rng(0)
    >>> drawn = draw_unlinked(as_graph([(0, 1), (2, 3)]), even, CrossEntropy(), rng, pairs=100)
    >>> len(drawn.rows), drawn.chances.tolist()
    (4, [1.0, 1.0, 1.0, 1.0])
    """
    n = graph.n_nodes
    if held_out is not None:
        pairs = min(int(pairs / max(held_out.random_share, 1e-9)), max(pairs, MOST_DRAWN))
    # A fitted model expects about as many links as there are.
    share, floor = min(pairs / (2 * max(1, graph.n_links)), 1.0), min(pairs / max(1, n * (n - 1)), 1.0)
    keys = [np.empty(0, np.int64)]
    for rows, columns in _likely_and_even(factors, loss, rng, share, floor):
        kept = np.ones(len(rows), bool) if held_out is None else held_out.contains(rows, columns)
        keys.append(rows[kept] * n + columns[kept])
    drawn = np.sort(np.concatenate(keys))
    rows, columns = np.divmod(drawn[np.diff(drawn, prepend=-1) > 0], n)
    unlinked = ~graph.linked(rows, columns)
    rows, columns = rows[unlinked], columns[unlinked]
    scores = factors.scores(rows, columns)
    chances = np.minimum(floor + (1 - floor) * share * loss.probability(scores), 1.0)
    return DrawnPairs(rows, columns, scores, chances, looked=len(rows))


def _likely_and_even(
    factors: LowRankFactors, loss: Loss, rng: np.random.Generator, share: float, floor: float
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Pairs drawn with chance share · p, and others drawn with chance ``floor``, independently; some come twice."""
    n = factors.n_nodes
    if floor == 1:
        yield np.triu_indices(n, k=1)
        return
    for drawn in PairRates.of(factors, loss).draw(rng, share):
        yield drawn.rows, drawn.columns
    # A pair that comes at a rate of -log(1 - floor) comes at least once with chance floor.
    count = int(rng.poisson(-np.log1p(-floor) * n * (n - 1) / 2))
    for at in range(0, count, _AT_ONCE):
        rows = rng.integers(n, size=min(_AT_ONCE, count - at))
        others = (rows + rng.integers(1, n, size=len(rows))) % n
        yield np.minimum(rows, others), np.maximum(rows, others)
