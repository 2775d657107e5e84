"""How many columns the exact representation needs along the lines that are found, and how long the search takes.

Run with ``python -m benchmarks.exact.orders [NETWORK…]``; PHILIA_DATA says where the networks are. Networks that are
not named keep the results they have.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from benchmarks.measuring import RESULTS, save, seconds
from benchmarks.quality.experiment import network
from philia.datasets import classic
from philia.exact.orders import Elimination, eliminated, found_order
from philia.graphs import Graph, degeneracy

NETWORKS = ("karate", "football", "amazon", "email", "youtube", "ppi", "pos", "blog")
NAME = "exact_orders"


def measured(graph: Graph, seeds: int = 1) -> dict[str, Any]:
    """Columns along a line by chance and along the best found for each seed, and the bound that holds for all lines.

    >>> row = measured(classic("karate"))
    >>> row["found"][0] <= row["bound"]
    True
    """
    found: list[Elimination] = []
    times = [seconds(lambda seed=seed: found.append(found_order(graph, random_state=seed))) for seed in range(seeds)]
    return {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "bound": 4 * degeneracy(graph) + 2,
        "by chance": eliminated(graph, np.random.default_rng(0).permutation(graph.n_nodes)).columns,
        "found": [line.columns for line in found],
        "seconds": [round(time, 1) for time in times],
        "seconds for one elimination": round(seconds(lambda: eliminated(graph, found[0].order)), 3),
    }


def main(names: list[str]) -> None:
    """Measure the named networks, or all, and keep the table."""
    kept = RESULTS / f"{NAME}.json"
    table = json.loads(kept.read_text())["result"] if kept.exists() else {}
    found_order(classic("karate"), rounds=2)  # compiled, so that no network pays for it
    for name in names or NETWORKS:
        table[name] = measured(classic(name) if name == "karate" else network(name))
        save(NAME, table)


if __name__ == "__main__":
    main(sys.argv[1:])
