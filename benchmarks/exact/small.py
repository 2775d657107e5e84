"""The fewest columns that fits find for all graphs with up to six nodes, beside the sign changes S of Theorem B.

Run with ``python -m benchmarks.exact.small``. Every fit is certified, so no graph needs more columns than the table
says; that none was found with fewer proves nothing beyond the three that every graph with a link needs.
"""

from __future__ import annotations

from collections import Counter

import networkx as nx

from benchmarks.measuring import save
from philia import Graph, as_graph
from philia.exact import fit_exact, found_order
from philia.exact.lower_bounds import least_columns

NODES = range(2, 7)
STARTS = 6
NAME = "exact_small"


def fewest(graph: Graph) -> int:
    """The fewest columns that a fit finds, with any number of them attracting.

    >>> fewest(as_graph(nx.path_graph(4))), fewest(as_graph(nx.cycle_graph(5)))
    (3, 4)
    """
    columns = least_columns(graph).columns
    while all(fit_exact(graph, (k, columns - k), starts=STARTS) is None for k in range(1, columns - 1)):
        columns += 1
    return columns


def main() -> None:
    """Fit all graphs with a link, up to isomorphism, and keep how many need how many columns."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for drawn in nx.graph_atlas_g():
        if len(drawn) in NODES and drawn.size():
            graph = as_graph(drawn)
            counts[len(drawn), found_order(graph).most, fewest(graph)] += 1
    rows = [(*kind, count) for kind, count in sorted(counts.items())]
    save(NAME, [dict(zip(("nodes", "S", "columns", "graphs"), row, strict=True)) for row in rows])


if __name__ == "__main__":
    main()
