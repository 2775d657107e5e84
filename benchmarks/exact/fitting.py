"""How few columns a fit needs to be the graph, beside what the constructions need.

Run as `python -m benchmarks.exact.fitting [NETWORK …] [--most K] [--iterations N]`; PHILIA_DATA says where the networks
are. Each network is kept in `benchmarks/results/exact_fitting.json` as soon as it is done, so several runs may share
the work. On large networks the search is interrupted after some iterations, and gives the smallest fit so far. Every
fit is certified as nonnegative integers. Seconds are of processor time. The settings of the search were chosen on
email, wiki2405, amazon, polbooks and dolphins; no other network was looked at.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import time
from contextlib import suppress
from typing import Any

from benchmarks.measuring import RESULTS, save
from benchmarks.quality.known_groups import labelled
from philia import Graph
from philia.exact import by_sign_changes, smallest_exact
from philia.exact.lower_bounds import least_columns
from philia.graphs import degeneracy
from philia.solvers import Progress

NETWORKS = (
    "karate",
    "dolphins",
    "polbooks",
    "football",
    "nocd_fb_414",
    "sp_school_day_1",
    "nocd_fb_1912",
    "amazon",
    "chameleon",
    "email",
    "wiki2405",
    "youtube",
    "ppi",
    "pos",
    "blog",
)
NAME = "exact_fitting"
SHOWN = 50
"""Iterations from one line of progress to the next."""
ITERATIONS = {"youtube": 1800, "ppi": 800, "pos": 700, "blog": 1400}
"""After so many the search ends; on the other networks it ends by itself, within a minute."""
MOST = {"blog": 128}
"""Columns to begin with, where the usual number would take long."""


def measured(
    graph: Graph, most: int | None = None, iterations: int | None = None, *, show: bool = False
) -> dict[str, Any]:
    """The columns of constructions and fits, those that are needed at least, and what the search took.

    >>> row = measured(labelled("karate")[0])
    >>> row["fitted"], row["needed at least"], row["not found with"]
    (5, 4, 4)
    """
    began = time.process_time()

    def tell(now: Progress) -> None:
        if show and now.iteration % SHOWN == 1:
            print(f"iteration {now.iteration:,}, {now.stage}, {time.process_time() - began:,.0f} s", flush=True)
        if iterations is not None and now.iteration >= iterations:
            raise KeyboardInterrupt

    found = None
    with suppress(KeyboardInterrupt):
        found = smallest_exact(graph, most=most, on_iteration=tell)
    took = time.process_time() - began
    facts = {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "degeneracy": degeneracy(graph),
        "needed at least": least_columns(graph).columns,
        "Theorem B": by_sign_changes(graph).community_columns,
    }
    if found is None:
        return facts | {"fitted": "none by then", "iterations": iterations, "seconds": round(took, 1)}
    smaller = [tried for tried, _ in found.tried if tried < found.columns]
    return facts | {
        "fitted": found.columns,
        "not found with": max(smaller, default=""),
        "bits": found.certified.certificate.bits,
        "iterations": found.iterations,
        "ended": "by limit" if found.interrupted else "",
        "seconds": round(took, 1),
    }


def kept() -> dict[str, Any]:
    """What was measured before, by network."""
    path = RESULTS / f"{NAME}.json"
    found: dict[str, Any] = json.loads(path.read_text())["result"] if path.is_file() else {}
    return found


def keep(name: str, row: dict[str, Any]) -> None:
    """Add a network to what was measured; other runs may do so at the same time."""
    folder = os.open(RESULTS, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        results = kept() | {name: row}
        save(NAME, {name: results[name] for name in (*NETWORKS, *results) if name in results})
    finally:
        os.close(folder)


def main(arguments: list[str] | None = None) -> None:
    """Measure the named networks, or all, and keep each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*", metavar="NETWORK", default=list(NETWORKS))
    parser.add_argument("--most", type=int, metavar="K", help="columns to begin with, if that is fewer than usual")
    parser.add_argument("--iterations", type=int, metavar="N", help="after which the search ends")
    asked = parser.parse_args(arguments)
    for name in asked.networks:
        print(name, flush=True)
        most, iterations = asked.most or MOST.get(name), asked.iterations or ITERATIONS.get(name)
        keep(name, measured(labelled(name)[0], most, iterations, show=True))


if __name__ == "__main__":
    main()
