"""What the automatic choice costs: `CommunityModel()` beside one fit with the numbers that it chose.

Run as `python -m benchmarks.quality.cost [NETWORK …]`; without names, on the small networks and generated ones. Both
fits are timed one after the other, three times (once on large networks), and medians compared.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

from benchmarks.measuring import save
from benchmarks.quality.experiment import network
from philia import CommunityModel, Graph
from philia.datasets import dating_app, planted

GENERATED = {
    "dating app": lambda: dating_app(random_state=0).graph,
    "planted 20 + 2": lambda: planted(1000, 20, 2, degree=20, random_state=0).graph,
    "planted 20 + 4, power law": lambda: planted(2000, 20, 4, degree=30, popularity=1, random_state=0).graph,
}
SMALL = ("football", "chameleon", "email")


def cost(graph: Graph, repeats: int = 3) -> dict[str, Any]:
    """Seconds of the whole choice and of one fit, and how many times longer the first takes.

    >>> from philia.datasets import classic
    >>> sorted(cost(classic("karate"), repeats=1))
    ['chosen', 'ratio', 'seconds', 'seconds of one fit', 'steps of one fit']
    """
    whole, single, model, one = [], [], CommunityModel(random_state=0), CommunityModel()
    for _ in range(repeats):
        began = time.perf_counter()
        model.fit(graph)
        whole.append(time.perf_counter() - began)
        one = model._settled()
        began = time.perf_counter()
        one.fit(graph)
        single.append(time.perf_counter() - began)
    return {
        "chosen": f"{one.n_homophilous} + {one.n_heterophilous}",
        "seconds": round(median(whole), 2),
        "seconds of one fit": round(median(single), 2),
        "steps of one fit": one.solution_.iterations,
        "ratio": round(median(whole) / median(single), 1),
    }


def main() -> None:
    """Measure, print and keep."""
    names = sys.argv[1:] or [*SMALL, *GENERATED]
    CommunityModel(1, 1, penalty=1).fit(GENERATED["dating app"]())  # compile first
    found = {}
    for name in names:
        graph = GENERATED[name]() if name in GENERATED else network(name)
        found[name] = cost(graph, repeats=1 if graph.n_nodes > 5000 else 3)
        print(name, found[name], flush=True)
    save("quality_cost" if names == [*SMALL, *GENERATED] else f"quality_cost_{'_'.join(names)}", found)


if __name__ == "__main__":
    main()
