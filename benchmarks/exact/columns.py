"""How many nonnegative columns real networks take, beside what the paper's theorems promise, and the time it takes.

Run with ``python -m benchmarks.exact.columns [NETWORK…]``; PHILIA_DATA says where the networks are. Networks that are
not named keep the results they have. Every representation is certified, written to a file and verified from it.
Seconds are of processor time.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import RESULTS, save
from benchmarks.quality.experiment import network
from philia.datasets import classic
from philia.exact import by_sign_changes, certified, eliminated, exact_community, found_order, load_exact
from philia.graphs import Graph, arboricity, degeneracy

NETWORKS = ("karate", "football", "amazon", "chameleon", "email", "youtube", "ppi", "pos", "blog")
NAME = "exact_columns"


def measured(graph: Graph) -> dict[str, Any]:
    """The paper's bounds, the columns reached, the length of the numbers, and seconds.

    >>> row = measured(classic("karate"))
    >>> row["columns"] <= row["4d + 2"] < row["6 (4α² + 1)"]
    True
    """
    alpha = arboricity(graph).value
    began = time.process_time()
    line = found_order(graph)
    searched = time.process_time()
    polynomials = by_sign_changes(graph, line)
    built = time.process_time()
    found = certified(graph, polynomials)
    checked = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exact.json"
        found.save(path)
        size = path.stat().st_size
        load_exact(path).verify(graph)
    verified = time.process_time()
    return {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "6 (2c + 1)": 6 * (2 * int(graph.degrees.max()) + 1),
        "6 (4α² + 1)": 6 * (4 * alpha**2 + 1),
        "4d + 2": 4 * degeneracy(graph) + 2,
        "line by chance": eliminated(graph, np.random.default_rng(0).permutation(graph.n_nodes)).columns,
        "columns": found.certificate.columns,
        "bits": found.certificate.bits,
        "search": round(searched - began, 1),
        "build": round(built - searched, 1),
        "certify": round(checked - built, 1),
        "save, load, verify": round(verified - checked, 1),
        "MB": round(size / 1e6, 2),
    }


def main(names: list[str]) -> None:
    """Measure the named networks, or all, and keep the table."""
    kept = RESULTS / f"{NAME}.json"
    table = json.loads(kept.read_text())["result"] if kept.exists() else {}
    exact_community(classic("karate"))  # compiled, so that no network pays for it
    for name in names or NETWORKS:
        table[name] = measured(classic(name) if name == "karate" else network(name))
        save(NAME, table)


if __name__ == "__main__":
    main(sys.argv[1:])
