"""A network with a twentieth of its links changed: fitted from where the earlier fit ended, and from scratch."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.measuring import save
from benchmarks.quality.experiment import columns
from experiments.data import dataset
from philia import CommunityModel, Graph
from philia._types import Float64Array
from philia.models import FromModel

SHARE = 0.05
CLOSE = 1.01
"""How near to the final value of the fit from scratch counts as there."""

FEW = 20
"""The iterations of ``partial_fit``."""


def made(name: str, seed: int) -> CommunityModel:
    """The model that is fitted: as many columns as there are labels, half of either kind."""
    k = columns(name)
    return CommunityModel(k - k // 2, k // 2, penalty=1.0, background="popularity", random_state=seed)


def changed(graph: Graph, rng: np.random.Generator) -> Graph:
    """The graph with a share of its links replaced by others between random nodes."""
    rows, others = graph.links
    kept = rng.random(rows.size) >= SHARE
    count = int((~kept).sum())
    more = rng.integers(0, graph.n_nodes, (2, 4 * count))
    fresh = (more[0] != more[1]) & ~graph.linked(more[0], more[1])
    more = more[:, fresh][:, :count]
    return Graph.from_rows(np.append(rows[kept], more[0]), np.append(others[kept], more[1]), graph.nodes)


def measure(name: str, seed: int) -> dict[str, Any]:
    """Steps, values and seconds of the three fits, and how many steps it took to come near the value from scratch."""
    graph = dataset(name).graph
    earlier = made(name, seed).fit(graph)
    later = changed(graph, np.random.default_rng(seed))
    cold = clone(earlier).fit(later).solution_
    warm = clone(earlier).set_params(start=FromModel(earlier)).fit(later).solution_
    goal = cold.value * CLOSE
    return {
        "dataset": name,
        "seed": seed,
        "value from scratch": round(cold.value, 2),
        "value from the earlier fit": round(warm.value, 2),
        "steps from scratch": cold.iterations,
        "steps from the earlier fit": warm.iterations,
        "steps from scratch to within 1 %": _steps(cold.history, goal),
        "steps from the earlier fit to within 1 %": _steps(warm.history, goal),
        f"steps from scratch to what the other has after {FEW}": _steps(cold.history, warm.history[FEW]),
        "seconds from scratch": round(cold.seconds, 2),
        "seconds from the earlier fit": round(warm.seconds, 2),
    }


def _steps(history: Float64Array, goal: float) -> int | None:
    there = np.flatnonzero(history <= goal)
    return int(there[0]) if there.size else None


def main() -> None:
    """The command: ``python -m benchmarks.quality.changes``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=["email", "chameleon"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    options = parser.parse_args()
    save("quality_changes", [measure(name, seed) for name in options.datasets for seed in options.seeds])


if __name__ == "__main__":
    main()
