"""Every construction on real networks: columns, the length of the numbers, and how long making and certifying takes.

Run with ``python -m benchmarks.exact.constructions [NETWORK…]``; PHILIA_DATA says where the networks are. "Written out"
is the certificate of the columns themselves, every entry of V diag(W) Vᵀ or X Yᵀ computed in whole numbers. Seconds are
of processor time.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.measuring import RESULTS, save
from benchmarks.quality.experiment import network
from philia import exact
from philia.datasets import classic
from philia.exact.representation import columns_of
from philia.graphs import Graph

NETWORKS = ("karate", "football", "amazon", "email")
NAME = "exact_constructions"
MAKERS: dict[str, Callable[[Graph], Any]] = {
    "sign changes": exact.by_sign_changes,
    "degeneracy": exact.by_degeneracy,
    "levels": exact.by_levels,
    "max degree": exact.by_max_degree,
    "max degree, one-sided": exact.by_max_degree_one_sided,
    "arboricity": exact.by_arboricity,
}
MOST_BITS, MOST_PRODUCTS = 10_000, 2 * 10**7
"""Longer numbers and more products of them are not written out: that takes minutes."""


def measured(graph: Graph, make: Callable[[Graph], Any]) -> dict[str, Any]:
    """Columns, bits and seconds of one construction.

    >>> measured(classic("karate"), exact.by_degeneracy)["columns"]
    17
    """
    began = time.process_time()
    found = make(graph)
    made = time.process_time()
    exact.certify(graph, found)
    certified = time.process_time()
    row = {
        "columns": columns_of(found),
        "bits": found.bits,
        "make": round(made - began, 2),
        "certify": round(certified - made, 2),
    }
    few = found.bits <= MOST_BITS and graph.n_nodes**2 * row["columns"] <= MOST_PRODUCTS
    if few and isinstance(found, exact.SignPolynomials):
        exact.certify(graph, exact.communities(found))
        row["written out"] = round(time.process_time() - certified, 2)
    return row


def main(names: list[str]) -> None:
    """Measure the named networks, or all, and keep the table."""
    kept = RESULTS / f"{NAME}.json"
    table = json.loads(kept.read_text())["result"] if kept.exists() else {}
    exact.exact_community(classic("karate"))  # compiled, so that no network pays for it
    for name in names or NETWORKS:
        graph = classic(name) if name == "karate" else network(name)
        table[name] = {maker: measured(graph, make) for maker, make in MAKERS.items()}
        save(NAME, table)


if __name__ == "__main__":
    main(sys.argv[1:])
