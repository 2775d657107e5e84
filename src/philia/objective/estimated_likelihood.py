"""The likelihood of a graph from all of its links and a sample of the other pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from philia.factors import LowRankFactors
from philia.factors.boxes import Boxes, DrawnPairs
from philia.graphs.graph import Graph
from philia.objective.estimates import Estimate
from philia.objective.held_out import HeldOut
from philia.objective.losses import Loss

PAIRS = 2**20
"""About how many pairs are drawn if nobody says how many."""

MOST_DRAWN = 2**26
"""More are not drawn only because few of them are held out."""


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

    Each comes with its chance, share · p + floor; all that there are come if they are fewer. With ``held_out`` they are
    pairs that a hash holds out.

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
        pairs = min(int(pairs / max(float(held_out.hashed(n)[1]) / 2**32, 1e-9)), max(pairs, MOST_DRAWN))
    # A fitted model expects about as many links as there are.
    share, floor = min(pairs / (2 * max(1, graph.n_links)), 1.0), min(pairs / max(1, n * (n - 1)), 1.0)
    parts = []
    for drawn in Boxes(factors).draw(loss.code, rng, share=share, floor=floor):
        # Where bounds are loose many more are drawn, which would fill the memory.
        chances = np.minimum(share * loss.probability(drawn.scores) + floor, drawn.chances)
        kept = rng.random(len(chances)) * drawn.chances < chances
        if held_out is not None:
            kept[kept] = held_out.contains(drawn.rows[kept], drawn.columns[kept])
        parts.append(replace(drawn, chances=chances).kept(kept))
    joined = DrawnPairs.joined(parts)
    return joined.kept(~graph.linked(joined.rows, joined.columns))
