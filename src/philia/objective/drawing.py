"""A graph drawn from low-rank factors in time near its number of links, with the same chances as pair by pair."""

from __future__ import annotations

import logging

import numpy as np

from philia.factors import LowRankFactors
from philia.graphs import Graph, Nodes
from philia.objective.losses import Loss
from philia.objective.rates import PairRates

_LOG = logging.getLogger("philia")
_TOO_MANY = 1000, 10**9


def draw_graph(factors: LowRankFactors, loss: Loss, nodes: Nodes, rng: np.random.Generator) -> Graph:
    """A graph in which each pair of nodes is linked with the probability its score stands for, independently.

    Pairs are drawn at rates that bound theirs from above, for groups of nodes with similar factors, and thinned to
    what they should be. It is exact whatever the bounds. Where they say little, as for a dense graph, most pairs are
    looked at one by one, and a remark says so.

    >>> from philia.factors import CommunityFactors
    >>> from philia.objective import CrossEntropy
    >>> certain = CommunityFactors.attracting(np.full((30, 1), 9.0))
    >>> draw_graph(certain, CrossEntropy(), Nodes.numbered(30), np.random.default_rng(0))
    Graph(30 nodes, 435 links)
    """
    index = np.int32 if len(nodes) < 2**31 else np.int64
    rows, columns, links, told = [np.empty(0, index)], [np.empty(0, index)], 0, False
    for drawn in PairRates.of(factors, loss).draw(rng):
        rows.append(drawn.rows.astype(index))
        columns.append(drawn.columns.astype(index))
        links += len(drawn.rows)
        if not told and drawn.looked > max(_TOO_MANY[0] * links, _TOO_MANY[1]):
            _LOG.info(
                f"{drawn.looked:,} pairs were looked at for {links:,} links so far: the rows of the factors differ so "
                "much that most pairs have to be looked at one by one, which takes as long as all pairs"
            )
            told = True
    return Graph.from_rows(np.concatenate(rows), np.concatenate(columns), nodes)
