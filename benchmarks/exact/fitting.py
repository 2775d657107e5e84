"""How few columns a fit needs to be the graph, beside what the constructions need.

Run as `python -m benchmarks.exact.fitting [NETWORK …] [--seconds S] [--first K]`. The numbers of columns are doubled
until a fit is exact and then halved in between, as by `smallest_exact`. What each number gave is kept in
`benchmarks/results/exact_fitting.json` and not tried again, and a network is left after so many seconds, so a long
search can be made in parts.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from benchmarks.graphs import random_graph
from benchmarks.measuring import RESULTS, save
from benchmarks.quality.experiment import network
from philia import Graph
from philia.datasets import classic
from philia.exact import by_sign_changes
from philia.exact.fit import fit_exact
from philia.graphs import degeneracy
from philia.solvers import Progress

RANDOM = "random, of Cora's size"
NETWORKS = ("karate", "football", "amazon", "email", RANDOM, "youtube", "ppi")
NAME = "exact_fitting"


class OutOfTimeError(Exception):
    """The seconds of a network are over."""


def graph_of(name: str) -> Graph:
    """The network that goes by a name; Cora itself is not at hand.

    >>> graph_of("karate").n_links
    78
    """
    if name == "karate":
        return classic("karate")
    return random_graph(2708, 5429) if name == RANDOM else network(name)


def next_columns(tried: dict[str, Any], first: int = 4) -> int | None:
    """How many columns to try next, given what was tried; None if the smallest is known. ``first`` is the least to try.

    >>> next_columns({}), next_columns({"4": None}), next_columns({"4": None, "8": {}})
    (4, 8, 6)
    >>> next_columns({"4": None, "5": {}}) is None
    True
    """
    exact = [int(k) for k, found in tried.items() if found is not None]
    failed = [int(k) for k, found in tried.items() if found is None]
    low, high = max(failed, default=0), min(exact, default=0)
    if not exact:
        return max(2 * low, first)
    return (low + high) // 2 if high - low > 1 else None


def search(graph: Graph, tried: dict[str, Any], seconds: float, first: int = 4) -> bool:
    """Try numbers of columns until the smallest is known, which is said, or the time is over.

    >>> tried = {}
    >>> search(classic("karate"), tried, seconds=0), tried
    (False, {})
    """
    began = time.perf_counter()

    def watch(_: Progress) -> None:
        if time.perf_counter() - began > seconds:
            raise OutOfTimeError

    while (columns := next_columns(tried, first)) is not None:
        start = time.perf_counter()
        try:
            found = fit_exact(graph, columns, on_iteration=watch)
        except OutOfTimeError:
            return False
        took = {"seconds": round(time.perf_counter() - start, 1)}
        tried[str(columns)] = None
        if found is not None:
            took |= {"starts": found.starts, "rounds": found.rounds, "iterations": found.iterations}
            tried[str(columns)] = took | {"bits": found.certified.certificate.bits}
        print(columns, tried[str(columns)] or f"not found in {took['seconds']} s", flush=True)
    return True


def known(graph: Graph) -> dict[str, int]:
    """The columns that constructions need.

    >>> known(classic("karate"))["degeneracy"]
    4
    """
    return {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "degeneracy": degeneracy(graph),
        "Theorem B": by_sign_changes(graph).community_columns,
    }


def main() -> None:
    """Measure, print and keep after each network."""
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*", metavar="NETWORK", default=list(NETWORKS))
    parser.add_argument("--seconds", type=float, default=180.0, help="for each network")
    parser.add_argument("--first", type=int, default=4, metavar="K", help="columns to begin with")
    asked = parser.parse_args()
    kept = RESULTS / f"{NAME}.json"
    results: dict[str, Any] = json.loads(kept.read_text())["result"] if kept.is_file() else {}
    for name in asked.networks:
        graph = graph_of(name)
        row = results.setdefault(name, known(graph))
        found = row.setdefault("fit", {"tried": {}})
        found["finished"] = search(graph, found["tried"], asked.seconds, asked.first)
        exact = [int(k) for k, fit in found["tried"].items() if fit is not None]
        found["smallest exact"] = min(exact, default=None)
        print(name, found["smallest exact"], "finished" if found["finished"] else "not finished")
        save(NAME, results)


if __name__ == "__main__":
    main()
