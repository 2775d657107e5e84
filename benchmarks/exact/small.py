"""The fewest columns of all graphs with up to six nodes, beside the sign changes S of Theorem B.

Run with ``python -m benchmarks.exact.small``. Every fit is certified, so no graph needs more columns than the table
says; that it needs as many is proved by :func:`philia.exact.least_columns`.
"""

from __future__ import annotations

from collections import Counter

import networkx as nx

from benchmarks.measuring import save
from philia import Graph, as_graph
from philia.exact import fit_exact, found_order
from philia.exact.lower_bounds import least_columns

NODES = range(2, 7)
SEEDS = 20
"""Searches for a fit, each with several starts, until one is exact; one is enough for all graphs but one."""
ROUNDS = 20
"""Of a search for a line: more than enough for six nodes."""
NAME = "exact_small"


def fewest(graph: Graph) -> int:
    """The fewest columns that a fit finds, with any number of them attracting.

    >>> fewest(as_graph(nx.path_graph(4))), fewest(as_graph(nx.cycle_graph(5)))
    (3, 4)
    """
    columns = least_columns(graph).columns
    while not any(
        fit_exact(graph, (k, columns - k), random_state=seed) for seed in range(SEEDS) for k in range(1, columns - 1)
    ):
        columns += 1
    return columns


def main() -> None:
    """Fit all graphs with a link, up to isomorphism, and keep how many need how many columns."""
    counts: Counter[tuple[int, int, int, int]] = Counter()
    for drawn in nx.graph_atlas_g():
        if len(drawn) in NODES and drawn.size():
            graph = as_graph(drawn)
            counts[len(drawn), found_order(graph, rounds=ROUNDS).most, least_columns(graph).columns, fewest(graph)] += 1
    rows = [(*kind, count) for kind, count in sorted(counts.items())]
    save(NAME, [dict(zip(("nodes", "S", "needed at least", "fitted", "graphs"), row, strict=True)) for row in rows])


if __name__ == "__main__":
    main()
